"""What readers of the page found wrong: rules that only held points miss, ranges, few cases, sites,
colours, budgets, text that was lost.
"""

import math
import re

import numpy as np
import pytest
from tests.reports.live import settled, worst_and_best
from tests.reports.made import Page, drawn
from tests.reports.test_live import AT, live, some_counts, texts

import baserate as br
from baserate.output import tables

MIDDLE = "In the middle of what was given:"
RANGES = br.Uncertain("1e-5..1e-3", {"fp": 1, "fn": br.Range(100, 1000)})


def shown(page, query):
    [text] = texts(page, query)
    return text


def unheld_rule(counts, held):
    """A rule that a point keeps, and none that is held."""
    every, kept = br.Points.of(counts), list(zip(held["tp"], held["fp"], strict=True))
    for tp, fp in zip(every.tp.tolist(), every.fp.tolist(), strict=True):
        if not any(caught >= tp and alarms <= fp for caught, alarms in kept):
            recall, alarmed = (
                math.floor(tp / every.tp[-1] * 1e9) / 1e9,
                math.ceil(fp / every.fp[-1] * 1e9) / 1e9,
            )
            return f"tpr >= {recall!r} and fpr <= {alarmed!r}"
    raise AssertionError("every point of the front is held")


def test_where_no_held_point_keeps_a_rule_the_page_does_not_say_that_none_does(browser, tmp_path):
    labels, scores = drawn(9000, seed=4, models=2, share=0.5)
    models = {name: br.count(labels, values) for name, values in scores.items()}
    held = br.report(models, at=AT).document["report"]["held"]
    rule = unheld_rule(models["m1"], held[1])
    assert "m1" in br.choose_model(models, rule, at=AT).points
    with live(browser, tmp_path, models, at=AT) as (page, _):
        page.check("#mode-rule")
        page.fill("#rule", rule)
        assert shown(page, "#answer") == f"At {AT}: no point in this report satisfies the rule."
        for one in held:
            assert f"{one['name']}: {len(one['tp']):,} of 9,001 points are held".replace(
                ",", " "
            ) in shown(page, "#plain")
        assert f'baserate choose with "{rule}" searches all of them.' in shown(page, "#plain")
        assert (
            texts(page, "#models [data-model] .cut")
            == ["no point in this report satisfies the rule"] * 2
        )
        page.fill("#rule", "recall >= 0.1")
        assert "use m" in shown(page, "#answer")


def test_a_model_of_which_no_held_point_keeps_the_rule_is_named_beside_the_one_that_is_chosen(
    browser, tmp_path
):
    labels, scores = drawn(9000, seed=4, share=0.5)
    models = {
        "many": br.count(labels, scores["m0"]),
        "perfect": br.count(labels, labels.astype(float)),
    }
    held = br.report(models, at=AT).document["report"]["held"][0]
    with live(browser, tmp_path, models, at=AT) as (page, _):
        page.check("#mode-rule")
        page.fill("#rule", unheld_rule(models["many"], held))
        assert "use perfect" in shown(page, "#answer")
        assert "many: 2 " in shown(page, "#caution")
        page.fill("#rule", "recall >= 0.1")
        assert "are held" not in shown(page, "#caution")


def test_where_every_point_is_held_a_rule_that_none_keeps_is_kept_by_none(browser, tmp_path):
    with live(browser, tmp_path, {"a": some_counts(1)}, at=AT) as (page, _):
        page.check("#mode-rule")
        page.fill("#rule", "recall >= 0.99 and fpr <= 0.001")
        assert shown(page, "#answer") == f"At {AT}: no model can satisfy the rule."
        assert shown(page, "#plain") == "Relax the rule, or find a better model."


def test_over_ranges_the_first_sentence_is_the_decision_until_a_control_moves(browser, tmp_path):
    models = {"a": some_counts(1), "b": some_counts(2)}
    found = br.report(models, at=RANGES, volume=1_000_000)
    decided, middle = found.sentences
    choice = tables.verdict(
        br.choose_model(models, at=RANGES.middle(), volume=1_000_000), alone=False
    )
    assert decided == found.document["report"]["decided"]["sentence"]
    assert decided.startswith(f"At {RANGES}: choose ")
    assert middle == f"{MIDDLE} a{choice[1:]}"
    page = Page(found.html)
    assert [
        page.texts[1 + page.texts.index("Which model, at which threshold", 1) + i] for i in range(2)
    ] == [decided, middle]
    with live(browser, tmp_path, models, at=RANGES, volume=1_000_000) as (page, _):
        assert shown(page, "#answer") == decided
        assert shown(page, "#plain").startswith(f"{middle} Of 1 000 000 cases a day ")
        assert shown(page, "#outcomes caption").startswith(MIDDLE)
        page.fill("#prior", "1 in 500")
        assert shown(page, "#answer").startswith("At 1 in 500, costs ")
        assert MIDDLE not in shown(page, "#plain") + shown(page, "#outcomes caption")
        page.click("#reset")
        assert shown(page, "#answer") == decided


def test_an_answer_that_rests_on_few_cases_says_so_wherever_the_controls_stand(browser, tmp_path):
    models = {"a": some_counts(1, 2000), "b": some_counts(2, 2000)}
    with live(browser, tmp_path, models, at=br.Conditions("30%", AT.costs)) as (page, _):
        assert page.is_hidden("#caution")
        page.fill("#prior", "5 in 100000")
        choice = br.choose_model(
            models, at=br.Conditions("5 in 100000", AT.costs), volume=1_000_000
        )
        point, said = choice.point, shown(page, "#caution")
        tp, fp, fn, tn = (int(getattr(point.confusion, name)) for name in ("tp", "fp", "fn", "tn"))
        assert min(tp, fp) < 10
        assert said.startswith(
            f"{choice.model} rests on {tp} of {tp + fn} positives and {fp} of"
            f" {tables.grouped(fp + tn)} negatives flagged: "
        )
        least = float(re.search(r"precision could be as low as ([^,]+),", said)[1])
        assert least == pytest.approx(worst_and_best(point)[0], rel=6e-3)
        assert said.endswith(
            "where recall and false alarm rate are both at the worse ends of their bounds (95 %"
            " each)."
        )


def test_what_is_said_of_the_first_scenario_says_so(browser, tmp_path):
    counts = br.count([1] * 50 + [0] * 500, [*range(50, 100), *range(500)][::-1])
    with live(browser, tmp_path, {"m": counts}, at=br.Conditions("1%", AT.costs)) as (page, _):
        few = [text for text in texts(page, "#app [data-part=shows] li") if text.startswith("m")]
        assert few
        assert all(text.startswith("m, at the scenario given: ") for text in few)
        assert shown(page, "#app [data-part=notes] h2") == "Notes on the scenarios that were given"


def test_sites_bring_their_notes_and_no_alerts_out_of_their_own_cases():
    labels, scores = drawn(2000, seed=1, share=0.1)
    sites = np.where(np.arange(2000) % 2, "north", "south")
    sites[np.flatnonzero(~labels)[:3]] = "empty"
    found = br.report(
        {"m": br.count_groups(labels, scores["m0"], groups=sites)}, at=AT, volume=1_000_000
    )
    notes = {note["code"]: note["text"] for note in found.document["notes"]}
    assert notes["BR433"].startswith('"empty": a class is missing')
    assert notes["BR526"].startswith("read at prior 0.001, not at the sample's")
    slices = found.html.partition('data-part="slices"')[2].partition("</section>")[0]
    assert "flagged (posfrac)" in slices
    assert ">alerts<" not in slices


def test_a_model_has_one_colour_with_and_without_javascript(browser, tmp_path):
    models = {"worse": some_counts(2), "best": br.count([0] * 90 + [1] * 10, list(range(100)))}
    found = br.report(models, at=AT)
    assert found.contents.first.model == "best"
    figure = found.html.partition("<figure>")[2].partition("</figure>")[0]
    legend = dict(
        re.findall(r'stroke="(#\w+)"[^>]*/>\n<text [^>]*fill="#000">(worse|best)<', figure)
    )
    with live(browser, tmp_path, models, at=AT) as (page, _):
        strokes = [
            page.evaluate(
                f"getComputedStyle(document.querySelector('#chart-roc .curve.m{i}')).stroke"
            )
            for i in range(2)
        ]
    assert legend == dict(zip(map(hexed, strokes), models, strict=True))


def hexed(colour):
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


def test_a_budget_is_no_more_than_all_cases(page):
    page.fill("#volume", "10")
    page.check("#mode-budget")
    assert settled(page)["budget"] == "10"
    before = settled(page)["answer"]
    page.fill("#budget", "2000")
    assert settled(page)["answer"] == before
    assert (
        page.text_content("#budget-wrong")
        == "A budget of 2 000 alerts is more than all 10 cases: lower it, or raise the volume."
    )
    page.fill("#volume", "5")
    assert "A budget of 10 alerts is more than all 5 cases" in page.text_content("#volume-wrong")
    page.fill("#volume", "5000")
    page.fill("#budget", "2000")
    assert "alerts <= 2000 of 5 000" in settled(page)["answer"]


def test_a_rule_that_is_a_budget_of_more_than_all_cases_is_answered_as_python_answers_it(
    browser, tmp_path
):
    models = {"a": some_counts(1), "b": some_counts(2)}
    with live(browser, tmp_path, models, at=AT, rule="alerts <= 2000", volume=10) as (page, _):
        assert shown(page, "#answer") == tables.verdict(
            br.choose_model(models, "alerts <= 2000", at=AT, volume=10), alone=False
        )


def test_one_in_thousands_is_said_in_whole_numbers(page):
    page.fill("#prior", "1e-6")
    page.check("#mode-rule")
    page.fill("#rule", "recall >= 0.9")
    assert re.search(r"1 alert in \d{1,3}( \d{3})+ is real", settled(page)["plain"])


@pytest.mark.parametrize(
    ("box", "text"),
    [("prior", "often"), ("fn", "much"), ("volume", "-3"), ("rule", "recal >= 0.8")],
)
def test_what_cannot_be_read_stays_with_its_reason_while_other_boxes_are_edited(page, box, text):
    page.check("#mode-rule")
    page.fill(f"#{box}", text)
    wrong = page.text_content(f"#{box}-wrong")
    page.fill("#fp", "2")
    assert settled(page)[box] == text
    assert page.text_content(f"#{box}-wrong") == wrong != ""
    page.click("#reset")
    assert settled(page)[box] != text
    assert page.text_content(f"#{box}-wrong") == ""


def test_a_link_keeps_costs_of_which_neither_error_has_any(browser, tmp_path):
    """Found by an attacker: costs came back as equal ones where only tp and tn were given."""
    at = br.Conditions(prior="1%", costs=br.Costs.from_profits(tp=95, tn=1))
    with live(browser, tmp_path, {"a": some_counts(1)}, at=at) as (page, _):
        before = shown(page, "#answer")
        address = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(f"{address}#prior=1+in+100&tp=-95&tn=-1&volume=1000000&mode=cheapest")
        assert "equal costs" not in shown(page, "#answer")
        assert shown(page, "#answer") == before


def test_a_link_with_an_endless_rule_does_not_freeze_the_page(browser, tmp_path):
    with live(browser, tmp_path, {"a": some_counts(1)}, at=AT) as (page, _):
        address = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(f"{address}#mode=rule&rule=alerts%20%3C%3D%205{'%20' * 60_000}x")
        assert shown(page, "#answer")
        assert len(page.input_value("#rule")) <= 500
