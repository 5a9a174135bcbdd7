"""The live page over reports of every kind: thousands of scores, weights, chosen class totals, one
class, ranges, few cases, a winner map, many models.
"""

import math
import random
import re

import pytest
from tests.decisions.worked import CELLS
from tests.reports.browser import opened
from tests.reports.live import elsewhere, faults, worst_and_best
from tests.reports.made import Page, drawn

import baserate as br
from baserate.decisions.operating_point import brief
from baserate.errors import Infeasible
from baserate.output import comparisons, tables
from baserate.reports import content

AT = br.Conditions("1 in 1000", br.Costs(fp=1, fn=100))
TEXT = (
    "(query) => [...document.querySelectorAll(query)].map((node) =>"
    " node.textContent.replaceAll('\\u00a0', ' '))"
)


def some_counts(seed, cases=400, **options):
    draw = random.Random(seed)
    labels = [int(draw.random() < 0.2) for _ in range(cases)]
    return br.count(labels, [draw.gauss(1.5 * y, 1) for y in labels], **options)


def live(browser, tmp_path, models, **options):
    path = tmp_path / "report.html"
    br.report(models, **options).save(path)
    return opened(browser, path, viewport={"width": 1280, "height": 1000})


def texts(page, query):
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    return page.evaluate(TEXT, query)


def is_live(page):
    return page.evaluate(
        "document.querySelector('#static').hidden && !document.querySelector('#app').hidden"
    )


def test_scenario_ten_is_the_first_sentence(browser, tmp_path):
    models = {name: br.Counts(*zip(*CELLS[name], strict=True)) for name in ("A", "B")}
    at = br.Conditions("1 in 1000")
    with live(browser, tmp_path, models, at=at, volume=1_000_000, budget=200) as (page, seen):
        [answer] = texts(page, "#answer")
        assert answer.startswith(
            "Use B (56.8 % of those at 9, drawn at random). At a base rate of 0.1% (1 in 1,000) and"
            " alerts <= 200 of 1,000,000, it catches 142 of 1,000 positives in 200 alerts (71 %"
            " real); A catches 99. "
        )
        assert answer == tables.verdict(
            br.choose(models, "alerts <= 200", at=at, volume=1_000_000), alone=False
        )
        assert seen.said == []


def test_one_model_alone_is_told_its_threshold(browser, tmp_path):
    counts = some_counts(1)
    with live(browser, tmp_path, {"only": counts}, at=AT) as (page, _):
        choice = br.choose({"only": counts}, at=AT, volume=1_000_000)
        assert texts(page, "#answer") == [tables.verdict(choice, alone=True)]
        page.check("#mode-hand")
        assert texts(page, "#answer")[0].endswith(
            f"set by hand: cost per case {tables._cell(choice.point, 'expected_cost')}."
        )
        assert page.locator("#threshold-model").count() == 0


def test_every_rule_is_answered_over_all_thresholds_of_thousands_of_scores(browser, tmp_path):
    models = {"one": some_counts(2, 6000), "two": some_counts(3, 6000)}
    given = "recall >= 0.777"
    with live(browser, tmp_path, models, at=AT, rule=given, volume=1_000_000) as (page, _):
        assert texts(page, "#answer") == [
            tables.verdict(br.choose(models, given, at=AT, volume=1_000_000), alone=False)
        ]
        for rule in ("recall >= 0.5551", "alerts <= 4321", "precision >= 0.02 and fpr <= 0.01"):
            page.fill("#rule", rule)
            choice = br.choose(models, rule, at=AT, volume=1_000_000)
            assert texts(page, "#answer") == [elsewhere(choice)]
            assert texts(page, "#models .cut small") == []
        page.check("#mode-cheapest")
        for prior in ("0.3", "1 in 77777", "2%"):
            page.fill("#prior", prior)
            at = br.Conditions(prior, AT.costs)
            assert texts(page, "#answer") == [elsewhere(br.choose(models, at=at, volume=1_000_000))]


def test_weighted_cases_are_read_as_python_reads_them(browser, tmp_path):
    draw = random.Random(5)
    models = {
        name: some_counts(seed, 300, sample_weight=[draw.uniform(0.1, 3) for _ in range(300)])
        for name, seed in (("x", 6), ("y", 7))
    }
    with live(browser, tmp_path, models, at=AT, volume=1000) as (page, _):
        for rule in (None, "precision >= 0.05", "alerts <= 3"):
            page.check("#mode-cheapest" if rule is None else "#mode-rule")
            if rule:
                page.fill("#rule", rule)
            choice = br.choose(models, rule, at=AT, volume=1000)
            assert texts(page, "#answer") == [
                tables.verdict(choice, alone=False) if rule is None else elsewhere(choice)
            ]
            assert [text.strip() for text in texts(page, "#models [data-model] .cut")] == [
                brief(point) for point in choice.points.values()
            ]


def test_where_class_totals_were_chosen_there_is_no_sample_to_go_back_to(browser, tmp_path):
    counts = some_counts(8, design="case-control")
    with live(browser, tmp_path, {"m": counts}, at=AT) as (page, _):
        assert is_live(page)
        assert page.locator("#prior-sample").count() == 0
        page.fill("#prior", "sample")
        assert "class totals of this sample were chosen" in texts(page, "#prior-wrong")[0]


def test_one_class_only_leaves_the_static_page(browser, tmp_path):
    with live(browser, tmp_path, {"m": br.count([0, 0, 0], [0.1, 0.2, 0.3], pos_label=1)}) as (
        page,
        seen,
    ):
        assert not is_live(page)
        assert page.is_visible("#static")
        assert seen.said == []


def test_profits_are_told_as_profits(browser, tmp_path):
    models = {"a": some_counts(9), "b": some_counts(10)}
    at = br.Conditions("1%", br.Costs.from_profits(tp=95, fp=-5))
    with live(browser, tmp_path, models, at=at) as (page, _):
        choice = br.choose(models, at=at, volume=1_000_000)
        assert texts(page, "#answer") == [tables.verdict(choice, alone=False)]
        assert "profit per case" in texts(page, "#answer")[0]
        told = [tables._cell(point, "expected_cost") for point in choice.points.values()]
        spans = [
            tables.span(comparisons._shown(found, point, "expected_cost"))
            for found, point in costs_known(models, at)
        ]
        assert texts(page, "#models [data-model] [data-name=expected_cost]") == list(
            map("".join, zip(told, spans, strict=True))
        )
        assert texts(page, "#models [data-baseline] [data-name=expected_cost]") == [
            "0.000exact",
            "-4.000exact",
        ]


def costs_known(models, at):
    """The intervals of the cost, corrected for the choice of the thresholds, with the points that
    have them.
    """
    contents = br.report(models, at=at).contents
    return [
        (point.intervals["expected_cost"], point)
        for point in (contents.chosen[name] for name in models)
    ]


def test_the_winner_map_shows_who_is_cheapest_and_takes_a_click(browser, tmp_path):
    models = {name.lower(): br.Counts(*zip(*CELLS[name], strict=True)) for name in ("A", "B")}
    at = br.Conditions(prior="1e-5..1e-3", costs=br.Costs(fp=5, fn=500, tp=5))
    with live(browser, tmp_path, models, at=at) as (page, seen):
        chart = page.locator("svg.map")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        wins = br.robustness.winner_map(models).wins
        page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.5)
        said = texts(page, "#map-says")[0]
        prior, ratio = (
            float(said.partition(word)[2].split()[0].rstrip(","))
            for word in ("Prior ", "a false alarm at ")
        )
        effective = prior / (prior + (1 - prior) * ratio)
        here = [win for win in wins if win.low * 0.98 <= effective <= win.high * 1.02]
        assert any(f": {' or '.join(win.models)}" in said for win in here)
        assert faults(page) == []
        page.mouse.down()
        page.mouse.up()
        texts(page, "#prior")
        assert abs(float(page.input_value("#prior")) / prior - 1) < 0.01
        assert seen.said == []


def test_twenty_models_are_all_told(browser, tmp_path):
    models = {f"m{i}": some_counts(i, 120) for i in range(20)}
    with live(browser, tmp_path, models, at=AT) as (page, seen):
        assert page.locator("#models tr[data-model]").count() == 20
        assert page.locator("#chart-roc .curve").count() == 20
        assert seen.said == []


MIDDLE = "In the middle of what was given:"
RANGES = br.Conditions("1e-5..1e-3", {"fp": 1, "fn": br.Range(100, 1000)})


def shown(page, query):
    [text] = texts(page, query)
    return text


def lost_rule(counts, most):
    """A rule that a threshold satisfies, and none of those that are left when they are
    condensed.
    """
    every = br.Points.of(counts)
    answers = content.answered_places(every, [br.choose(counts, at=AT)])
    left = content.kept_places(every, content.hull_places(every), answers, most)
    kept = list(zip(every.tp[left].tolist(), every.fp[left].tolist(), strict=True))
    for tp, fp in zip(every.tp.tolist(), every.fp.tolist(), strict=True):
        if not any(caught >= tp and alarms <= fp for caught, alarms in kept):
            recall, alarmed = (
                math.floor(tp / every.tp[-1] * 1e9) / 1e9,
                math.ceil(fp / every.fp[-1] * 1e9) / 1e9,
            )
            return f"tpr >= {recall!r} and fpr <= {alarmed!r}"
    raise AssertionError("every threshold of the front is left")


def test_where_thresholds_are_condensed_the_page_says_to_within_how_much_it_knows(
    browser, tmp_path, monkeypatch
):
    labels, scores = drawn(9000, seed=4, share=0.5)
    models = {"m0": br.count(labels, scores["m0"])}
    rule = lost_rule(models["m0"], 2000)
    assert br.choose(models, rule, at=AT).points
    monkeypatch.setattr(content, "MOST_POINTS", 2000)
    with live(browser, tmp_path, models, at=AT) as (page, _):
        page.check("#mode-rule")
        page.fill("#rule", rule)
        none = f"At {AT}: none of the thresholds in this report satisfies the rule."
        assert shown(page, "#answer") == none
        assert "(recall known to within 0.00" in shown(page, "#plain")
        assert texts(page, "#models [data-model] .cut") == [
            "no threshold in this report satisfies the rule"
        ]
        page.fill("#rule", "recall >= 0.1")
        assert "Use m0" in shown(page, "#answer")
        [gap] = texts(page, "#models .cut small")
        assert gap.startswith("recall to within 0.00")


def test_a_model_that_cannot_satisfy_the_rule_is_named_with_the_nearest_that_it_can(
    browser, tmp_path
):
    labels, scores = drawn(9000, seed=4, share=0.5)
    models = {
        "many": br.count(labels, scores["m0"]),
        "perfect": br.count(labels, labels.astype(float)),
    }
    rule = "recall >= 0.99 and fpr <= 0.001"
    with live(browser, tmp_path, models, at=AT) as (page, _):
        page.check("#mode-rule")
        page.fill("#rule", rule)
        assert "Use perfect" in shown(page, "#answer")
        why = br.choose(models, rule, at=AT).refused["many"].problems[0].text
        assert f"many: {why}." in shown(page, "#caution")
        page.fill("#rule", "recall >= 0.1")
        assert "no threshold has" not in shown(page, "#caution")


def test_a_rule_that_no_model_satisfies_is_answered_with_the_nearest_that_is_feasible(
    browser, tmp_path
):
    counts = some_counts(1)
    with live(browser, tmp_path, {"a": counts}, at=AT) as (page, _):
        page.check("#mode-rule")
        page.fill("#rule", "recall >= 0.99 and fpr <= 0.001")
        assert shown(page, "#answer") == f"At {AT}: no model can satisfy the rule."
        with pytest.raises(Infeasible, match="no threshold has") as refused:
            br.choose(counts, "recall >= 0.99 and fpr <= 0.001", at=AT)
        why = refused.value.problems[0].text
        assert shown(page, "#plain") == f"N{why[1:]}."


def test_over_ranges_the_first_sentence_is_the_decision_until_a_control_moves(browser, tmp_path):
    models = {"a": some_counts(1), "b": some_counts(2)}
    found = br.report(models, at=RANGES, volume=1_000_000)
    decided, middle = found.sentences
    choice = tables.verdict(br.choose(models, at=RANGES.middle(), volume=1_000_000), alone=False)
    assert decided == found.document["report"]["decided"]["sentence"]
    assert decided.startswith("Use b at score ≥ ")
    assert f"{str(RANGES)[0].lower()}{str(RANGES)[1:]}" in decided
    assert middle == f"{MIDDLE} u{choice[1:]}"
    page = Page(found.html)
    assert [
        page.texts[1 + page.texts.index("Which model, at which threshold", 1) + i] for i in range(2)
    ] == [decided, middle]
    with live(browser, tmp_path, models, at=RANGES, volume=1_000_000) as (page, _):
        assert shown(page, "#answer") == decided
        assert shown(page, "#plain").startswith(f"{middle} Of 1,000,000 cases a day ")
        assert shown(page, "#outcomes caption").startswith(MIDDLE)
        page.fill("#prior", "1 in 500")
        assert " At a base rate of 0.2% (1 in 500), costs " in shown(page, "#answer")
        assert MIDDLE not in shown(page, "#plain") + shown(page, "#outcomes caption")
        page.click("#reset")
        assert shown(page, "#answer") == decided


def test_an_answer_that_rests_on_few_cases_says_so_wherever_the_controls_stand(browser, tmp_path):
    models = {"a": some_counts(1, 2000), "b": some_counts(2, 2000)}
    with live(browser, tmp_path, models, at=br.Conditions("30%", AT.costs)) as (page, _):
        assert page.is_hidden("#caution")
        page.fill("#prior", "5 in 100000")
        choice = br.choose(models, at=br.Conditions("5 in 100000", AT.costs), volume=1_000_000)
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


def test_a_rule_that_is_a_budget_of_more_than_all_cases_is_answered_as_python_answers_it(
    browser, tmp_path
):
    models = {"a": some_counts(1), "b": some_counts(2)}
    with live(browser, tmp_path, models, at=AT, rule="alerts <= 2000", volume=10) as (page, _):
        assert shown(page, "#answer") == tables.verdict(
            br.choose(models, "alerts <= 2000", at=AT, volume=10), alone=False
        )
