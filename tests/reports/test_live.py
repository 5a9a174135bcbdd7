"""The live page over reports of every kind: thousands of scores, weights, chosen class totals, one
class, ranges, few cases, a winner map, many models.
"""

import math
import random
import re

import numpy as np
import pytest
from tests.decisions.worked import CELLS
from tests.reports.browser import opened
from tests.reports.live import RESTED, elsewhere, faults, place_of
from tests.reports.made import Page, drawn

import baserate as br
from baserate.cli.demo import scores_csv
from baserate.conditions import told
from baserate.errors import Infeasible
from baserate.inference.best_model import SEPARATE
from baserate.inference.fixed_point import point_intervals
from baserate.reports import content
from baserate.results.operating_point import describe_briefly, format_threshold
from baserate.segments.groups import by_group
from baserate.views import tables

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
    page.evaluate(RESTED)
    return page.evaluate(TEXT, query)


def in_view(page, query):
    """Scrolls to a chart, which is drawn when it is seen."""
    page.locator(query).scroll_into_view_if_needed()
    for _ in range(100):
        if page.locator(f"{query} .axes > *").count():
            break
        page.wait_for_timeout(50)
    assert page.locator(f"{query} .axes > *").count()


def by_model(page, column):
    """A column of the table of models, which is ranked, in the order of the models; with signs as
    the command line writes them.
    """
    count = page.locator("#models tr[data-model]").count()
    shown = [texts(page, f"#models tr[data-model='{i}'] .{column}")[0] for i in range(count)]
    return [text.replace("≥", ">=").replace("≤", "<=") for text in shown]


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
        assert texts(page, "#answer") == [f"At {told(AT, by_cost=True)}."]
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
            assert by_model(page, "cut") == list(map(describe_briefly, choice.points.values()))
            assert texts(page, "#models .cut small") == []
        page.check("#mode-cheapest")
        for prior in ("0.3", "1 in 77777", "2%"):
            page.fill("#prior", prior)
            at = br.Conditions(prior, AT.costs)
            choice = br.choose(models, at=at, volume=1_000_000)
            assert texts(page, "#answer") == [elsewhere(choice)]
            assert by_model(page, "cut") == list(map(describe_briefly, choice.points.values()))


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
            assert by_model(page, "cut") == [
                describe_briefly(point) for point in choice.points.values()
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
        told = [tables._format_measure(point, "expected_cost") for point in choice.points.values()]
        spans = [
            tables.span(tables._in_table(found, point, "expected_cost"))
            for found, point in costs_known(models, at)
        ]
        assert by_model(page, "expected_cost") == list(map("".join, zip(told, spans, strict=True)))
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
        box = place_of(page, "svg.map")
        wins = br.robustness.winner_map(models).wins
        page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.5)
        said = texts(page, "#map-says")[0]
        prior, ratio = (
            float(said.partition(word)[2].split()[0].rstrip(","))
            for word in ("Base rate ", "a false alarm costs ")
        )
        effective = prior / (prior + (1 - prior) * ratio)
        here = [win for win in wins if win.low * 0.98 <= effective <= win.high * 1.02]
        assert any(f": {' or '.join(win.models)}" in said for win in here)
        page.mouse.down()
        page.mouse.up()
        texts(page, "#prior")
        assert abs(float(page.input_value("#prior")) / prior - 1) < 0.01
        assert faults(page) == []
        assert seen.said == []


def test_twenty_models_are_all_told(browser, tmp_path):
    models = {f"m{i}": some_counts(i, 120) for i in range(20)}
    with live(browser, tmp_path, models, at=AT) as (page, seen):
        assert page.locator("#models tr[data-model]").count() == 20
        in_view(page, "#chart-roc")
        assert page.locator("#chart-roc .curve").count() == 20
        assert page.locator("#chart-roc .curve:not(.faint)").count() == 2
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
    left = content.kept_places(every, answers, most)
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
        assert by_model(page, "cut") == ["no threshold in this report satisfies the rule"]
        page.fill("#rule", "recall >= 0.1")
        assert "Use m0" in shown(page, "#use")
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
        assert "Use perfect" in shown(page, "#use")
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


def test_over_ranges_a_recommendation_among_thousands_of_thresholds_is_shown(browser, tmp_path):
    (tmp_path / "scores.csv").write_text(scores_csv())
    at = br.Conditions(prior="2e-4..5e-3", costs={"fp": 1, "fn": "50..200"})
    joint = br.count(str(tmp_path / "scores.csv"), label="fraud", score=["logit", "forest"])
    decision = br.report(joint, at=at).contents.decision.decision
    with live(browser, tmp_path, joint, at=at) as (page, _):
        assert texts(page, ".chip")[0] == "Least regret over the ranges given"
        assert texts(page, "#use")[0].startswith(f"Use {decision.model}, ")
    points = Page((tmp_path / "report.html").read_text("utf-8")).document["report"]["points"]
    assert all("steps" in one for one in points)


def test_over_ranges_everything_shows_what_is_recommended_until_a_control_moves(browser, tmp_path):
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
    decision = found.document["report"]["decision"]["decision"]
    rivals = {name: decision["rivals"][name]["threshold"] for name in models}
    with live(browser, tmp_path, models, at=RANGES, volume=1_000_000) as (page, _):
        assert shown(page, "#answer") == decided
        cut = decided.partition("Use b at score ≥ ")[2].partition(". ")[0]
        assert shown(page, "#use") == f"Use b, flag scores from {cut}."
        assert [float(text.removeprefix(">= ")) for text in by_model(page, "cut")] == pytest.approx(
            list(rivals.values()), rel=0.05
        )
        assert over_its_base_rates(models["b"], rivals["b"]) in shown(page, "#plain")
        at, given = RANGES.middle(), {"volume": 1_000_000}
        kept = br.choose(models["b"], threshold=rivals["b"], at=at, **given)
        best = br.choose(models, at=at, **given)
        costs = [tables.total(one["volume_cost"]) for one in (kept, best.point)]
        nothing = tables.total(best.baselines["flag nothing"]["volume_cost"])
        assert shown(page, "#plain").endswith(
            f" At 0.01% (1 in 10,000) it costs {costs[0]}, flagging nothing {nothing}, the best"
            f" threshold ({best.model} from {format_threshold(best.point)}) {costs[1]} a day."
        )
        assert shown(page, "#outcomes caption").startswith(MIDDLE)
        page.fill("#prior", "1 in 500")
        assert "At a base rate of 0.2% (1 in 500), costs " in shown(page, "#answer")
        assert MIDDLE not in shown(page, "#plain") + shown(page, "#outcomes caption")
        page.click("#reset")
        assert shown(page, "#answer") == decided


def over_its_base_rates(counts, threshold):
    """What one threshold comes to at the ends of the base rates."""
    at = [br.Conditions(prior, RANGES.middle().costs) for prior in (1e-5, 1e-3)]
    ends = [br.choose(counts, threshold=threshold, at=one, volume=1_000_000) for one in at]
    caught, alerts = (
        " to ".join(tables.cases(point[name]) for point in ends) for name in ("caught", "alerts")
    )
    return (
        f" This is in the middle of the ranges: at base rates from 0.001 % to 0.1 % it finds"
        f" {caught} in {alerts} alerts."
    )


def test_an_answer_that_rests_on_few_cases_says_so_wherever_the_controls_stand(browser, tmp_path):
    models = {"a": some_counts(1, 2000), "b": some_counts(2, 2000)}
    with live(browser, tmp_path, models, at=br.Conditions("30%", AT.costs)) as (page, _):
        assert page.is_hidden("#caution")
        page.fill("#prior", "5 in 100000")
        choice = br.choose(models, at=br.Conditions("5 in 100000", AT.costs), volume=1_000_000)
        point, said = choice.point, shown(page, "#caution")
        tp, fp, fn, tn = (int(getattr(point.confusion, name)) for name in ("tp", "fp", "fn", "tn"))
        assert min(tp, fp) < 10
        assert said == (
            f"{choice.model} rests on {tp} of {tp + fn} positives and {fp} of"
            f" {tables.grouped(fp + tn)} negatives flagged."
        )


def test_what_is_said_of_the_first_scenario_says_so(browser, tmp_path):
    counts = br.count([1] * 50 + [0] * 500, [*range(50, 100), *range(500)][::-1])
    with live(browser, tmp_path, {"m": counts}, at=br.Conditions("1%", AT.costs)) as (page, _):
        few = [text for text in texts(page, "#app [data-part=shows] li") if text.startswith("m")]
        assert few
        assert all(text.startswith("m, at the scenario given: ") for text in few)
        assert shown(page, "#app [data-part=notes] h2") == "Notes on the given scenarios"


def test_a_model_has_one_colour_with_and_without_javascript(browser, tmp_path):
    models = {"worse": some_counts(2), "best": br.count([0] * 90 + [1] * 10, list(range(100)))}
    found = br.report(models, at=AT)
    assert found.contents.first.model == "best"
    figure = found.html.partition("<figure>")[2].partition("</figure>")[0]
    # Lines come in the order of the models.
    lines = re.findall(r'stroke="(#\w{6})" stroke-width="2"', figure)
    with live(browser, tmp_path, models, at=AT) as (page, _):
        in_view(page, "#chart-roc")
        strokes = [
            page.evaluate(
                f"getComputedStyle(document.querySelector('#chart-roc .curve.m{i}')).stroke"
            )
            for i in range(2)
        ]
    assert lines == list(map(hexed, strokes))
    assert len(set(lines)) == 2


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


def test_the_given_scenarios_are_picked_from_a_list(browser, tmp_path):
    models = {"a": some_counts(1), "b": some_counts(2)}
    at = [br.Conditions(prior, AT.costs) for prior in ("1 in 1000", "2%")]
    found = br.report(models, at=at, volume=5000, rule=["recall >= 0.5", "alerts <= 700"])
    with live(
        browser, tmp_path, models, at=at, volume=5000, rule=["recall >= 0.5", "alerts <= 700"]
    ) as (page, seen):
        for i, sentence in enumerate(found.sentences):
            page.select_option("#given", str(i))
            assert shown(page, "#answer") == sentence
        assert seen.said == []


def test_of_many_models_one_is_found_by_its_name_and_kept_in_colour(browser, tmp_path):
    models = {f"m{i}": some_counts(i, 120) for i in range(12)}
    with live(browser, tmp_path, models, at=AT) as (page, _):
        page.fill("#find", "M11")
        texts(page, "#find")
        assert page.locator("#models tr[data-model]:visible").count() == 1
        in_view(page, "#chart-roc")
        before = page.locator("#chart-roc .curve:not(.faint)").count()
        faint = page.evaluate(
            "document.querySelector('#chart-roc .curve.faint').className.baseVal.match(/m(\\d)/)[1]"
        )
        page.locator(f".legend .model:nth-child({int(faint) + 1})").click()
        texts(page, "#find")
        assert page.locator("#chart-roc .curve:not(.faint)").count() == before + 1


def test_slices_are_dots_with_intervals_that_differ_most_first(browser, tmp_path):
    draw = random.Random(4)
    labels = [int(draw.random() < 0.3) for _ in range(900)]
    sites = [draw.choice("xyz") for _ in labels]
    scores = [
        draw.gauss(y * {"x": 3, "y": 1, "z": 1}[s], 1) for y, s in zip(labels, sites, strict=True)
    ]
    groups = br.count(labels, scores, by=sites)
    report = br.report({"m": groups}, at=AT)
    rows = report.document["report"]["slices"]["rows"]
    overall = report.document["report"]["answers"][0]["points"]["m"]["tpr"]
    order = sorted(rows, key=lambda row: -abs(row["points"][0]["tpr"] - overall))
    with live(browser, tmp_path, {"m": groups}, at=AT) as (page, seen):
        assert texts(page, ".dots tbody th") == [row["slice"] for row in order]
        said = [text.split(" to ")[0] for text in texts(page, ".dots td:nth-child(3)")]
        for text, row in zip(said, order, strict=True):
            assert text.startswith(tables.digits(row["points"][0]["tpr"], 3))
        assert page.locator(".dot.apart").count() >= 1
        assert seen.said == []


def test_slices_have_one_row_each_with_all_models_in_it(browser, tmp_path):
    rng = np.random.default_rng(5)
    labels, sites = (
        rng.random(6000) < 0.1,
        rng.choice(["DE", "MT", "PL"], 6000, p=[0.5, 0.01, 0.49]),
    )
    scores = {
        "a": rng.normal(size=6000) + 2 * labels,
        "b": rng.normal(size=6000) + labels * np.where(sites == "PL", 0.2, 2.5),
    }
    groups = {name: br.count(labels, values, by=sites) for name, values in scores.items()}
    with live(browser, tmp_path, groups, at=AT) as (page, seen):
        page.evaluate("document.querySelector('#slices-title').scrollIntoView()")
        assert page.locator(".dots").count() == 1
        assert sorted(texts(page, ".dots tbody th")[:2]) == ["DE", "PL"]
        assert texts(page, ".dots tbody th")[2] == "MT"  # few cases stand at the foot
        assert texts(page, ".dots .few th") == ["MT"]
        assert page.locator(".dots tbody tr:first-child .spot:not(.inner)").count() == 2
        assert (
            "Of 6 intervals about 0.3 would miss the line by chance"
            in texts(page, ".dots caption")[0]
        )
        tall = (
            "[...document.querySelectorAll('.dots tbody th')].map((one) => one.scrollHeight < 30)"
        )
        assert page.evaluate(tall) == [True] * 3
        assert seen.said == []


def test_days_keep_their_order_and_have_a_line_through_them(browser, tmp_path):
    rng = np.random.default_rng(6)
    days = np.array([f"2026-10-{day:02d}" for day in rng.integers(8, 13, 4000)])
    labels = rng.random(4000) < 0.2
    scores = rng.normal(size=4000) + labels * np.where(days > "2026-10-10", 0.4, 2)
    groups = br.count(labels, scores, by=days)
    with live(browser, tmp_path, {"m": groups}, at=AT) as (page, _):
        page.evaluate("document.querySelector('#slices-title').scrollIntoView()")
        assert texts(page, ".dots tbody th") == sorted(set(days.tolist()))
        ends = page.evaluate(
            "[...document.querySelectorAll('.dots .through')].map((one) =>"
            " one.getAttribute('d').split('L').slice(1).map((end) => parseFloat(end)))"
        )
        # The line leaves a row where it enters the next one.
        assert [row[-1] for row in ends[:-1]] == [row[0] for row in ends[1:]]


def followed(page, said, *, there=True):
    """Slices are drawn again when they are seen: until their caption says something, or no more."""
    page.evaluate("document.querySelector('.dots').scrollIntoView()")
    for _ in range(100):
        if (said in texts(page, ".dots caption")[0]) == there:
            return
        page.wait_for_timeout(50)
    raise AssertionError(texts(page, ".dots caption")[0])


def test_slices_follow_the_controls_with_pythons_numbers(browser, tmp_path):
    rng = np.random.default_rng(9)
    labels, sites = rng.random(5000) < 0.1, rng.choice(["north", "south", "west"], 5000)
    scores = rng.normal(size=5000) + labels * np.where(sites == "west", 0.9, 2.0)
    groups = br.count(labels, scores, by=sites)
    with live(browser, tmp_path, {"m": groups}, at=AT) as (page, seen):
        page.fill("#prior", "1 in 30")
        followed(page, "at score")
        at = br.Conditions("1 in 30", AT.costs)
        point = br.choose(groups.total(), at=at)
        found = by_group(groups, threshold=point.threshold, at=br.Conditions("1 in 30"))
        order = sorted(found.parts, key=lambda part: -abs(part["tpr"] - point["tpr"]))
        assert texts(page, ".dots tbody th") == [part.name for part in order]
        for measure, pill in (("tpr", "recall"), ("fpr", "false alarm rate")):
            page.click(f".pills button:has-text('{pill}')")
            followed(page, pill)
            [caption] = texts(page, ".dots caption")
            assert f"overall {tables.digits(point[measure], 3)}." in caption
            rows = dict(
                zip(
                    texts(page, ".dots tbody th"), texts(page, ".dots td:nth-child(3)"), strict=True
                )
            )
            for part in found.parts:
                ends = point_intervals(part.point, [measure], 0.95, 0)[measure]
                value = tables.digits(part[measure], 3)
                assert rows[part.name] == f"{value}{tables.span(ends)}", measure
        page.click("#reset")
        followed(page, "at score", there=False)
        assert seen.said == []


def test_without_costs_and_without_a_lead_the_label_says_so(browser, tmp_path):
    flat = br.count([1] * 5 + [0] * 500, [0] * 5 + list(range(500)))
    with live(browser, tmp_path, {"flat": flat}, at=AT) as (page, _):
        assert texts(page, ".chip") == ["No better than flagging nothing"]
        assert shown(page, "#use") == "Flag nothing."
    joint = br.count([0, 1] * 200, {"a": list(range(400)), "b": [i % 7 for i in range(400)]})
    report = br.report(joint, at=br.Conditions("30%"))
    close = [one for one in report.contents.first.differences if not one.significant]
    (tmp_path / "joint").mkdir()
    with live(browser, tmp_path / "joint", joint, at=br.Conditions("30%")) as (page, _):
        [chip] = texts(page, ".chip")[:1]
        assert chip.startswith("Cannot tell" if close else "Clear lead")
        page.fill("#prior", "31%")
        assert texts(page, ".chip")[0] == "Lead not tested here"
    apart = {name: joint.marginal(name) for name in joint.models}
    (tmp_path / "apart").mkdir()
    with live(browser, tmp_path / "apart", apart, at=br.Conditions("30%")) as (page, _):
        page.fill("#prior", "31%")
        assert texts(page, ".chip")[0] == f"Lead not tested: {SEPARATE}"


# How far the ring lies from the line of the first model, in pixels of the chart, and how many
# vertices that line has.
OFF_THE_LINE = """() => {
  const ring = document.querySelector('#chart-roc .ring');
  const [x, y] = [Number(ring.getAttribute('cx')), Number(ring.getAttribute('cy'))];
  const line = document.querySelector('#chart-roc .curve.m0').getAttribute('d');
  const points = line.slice(1).split('L').map((pair) => pair.split(' ').map(Number));
  const off = points.slice(1).map(([x1, y1], i) => {
    const [x0, y0] = points[i];
    const [dx, dy] = [x1 - x0, y1 - y0];
    const along = ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.min(1, Math.max(0, along));
    return Math.hypot(x - x0 - share * dx, y - y0 - share * dy);
  });
  return [Math.min(...off), points.length];
}"""


def test_of_many_thresholds_only_those_are_drawn_that_can_be_told_apart(browser, tmp_path):
    labels, scores = drawn(30_000, seed=2, share=0.1)
    models = {"many": br.count(labels, scores["m0"])}
    with live(browser, tmp_path, models, at=AT) as (page, _):
        in_view(page, "#chart-roc")
        page.focus("#chart-roc")
        page.keyboard.press("Home")
        for key in ["ArrowRight"] * 5 + ["PageUp"] * 20:
            page.keyboard.press(key)
            off, vertices = page.evaluate(OFF_THE_LINE)
            assert off < 1
            assert vertices < 3000
