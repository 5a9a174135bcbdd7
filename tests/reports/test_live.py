"""The live page over reports of every kind: few points held, weights, chosen class totals, one
class, a winner map, many models.
"""

import random

from tests.decisions.worked import CELLS
from tests.reports.browser import opened
from tests.reports.live import elsewhere, faults

import baserate as br
from baserate.decisions.operating_point import brief
from baserate.output import comparisons, tables

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
            "At 1 in 1 000 and alerts <= 200 of 1 000 000, use B (56.8 % of those at 9, drawn at"
            " random): 142 caught against 99 for A; "
        )
        assert answer == tables.verdict(
            br.choose_model(models, "alerts <= 200", at=at, volume=1_000_000), alone=False
        )
        assert seen.said == []


def test_one_model_alone_is_told_its_threshold(browser, tmp_path):
    counts = some_counts(1)
    with live(browser, tmp_path, {"only": counts}, at=AT) as (page, _):
        choice = br.choose_model({"only": counts}, at=AT, volume=1_000_000)
        assert texts(page, "#answer") == [tables.verdict(choice, alone=True)]
        page.check("#mode-hand")
        assert texts(page, "#answer")[0].endswith(
            f"set by hand: cost per case {tables._cell(choice.point, 'expected_cost')}."
        )
        assert page.locator("#threshold-model").count() == 0


def test_where_some_points_are_held_optima_and_given_answers_are_exact_and_others_show_their_neighbours(  # noqa: E501
    browser, tmp_path
):
    models = {"one": some_counts(2, 6000), "two": some_counts(3, 6000)}
    given = "recall >= 0.777"
    with live(browser, tmp_path, models, at=AT, rule=given, volume=1_000_000) as (page, _):
        assert page.evaluate(
            "JSON.parse(document.querySelector('#baserate-data').textContent).report.held.every((held)"
            " => !held.every)"
        )
        assert texts(page, "#answer") == [
            tables.verdict(br.choose_model(models, given, at=AT, volume=1_000_000), alone=False)
        ]
        assert texts(page, "#models .cut small") == []
        page.check("#mode-cheapest")
        for prior in ("0.3", "1 in 77777", "2%"):
            page.fill("#prior", prior)
            at = br.Conditions(prior, AT.costs)
            assert texts(page, "#answer") == [
                elsewhere(br.choose_model(models, at=at, volume=1_000_000))
            ]
        page.check("#mode-rule")
        page.fill("#rule", "recall >= 0.5551")
        gaps = texts(page, "#models .cut small")
        assert len(gaps) == 2
        for gap, counts in zip(gaps, models.values(), strict=True):
            low, high = map(float, gap.partition("recall ")[2].split(" to "))
            exact = br.choose(counts, "recall >= 0.5551", at=at, volume=1_000_000)
            assert low - 5e-5 <= exact.tpr <= high + 5e-5
            assert high - low < 0.01


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
            choice = br.choose_model(models, rule, at=AT, volume=1000)
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
        choice = br.choose_model(models, at=at, volume=1_000_000)
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
        (contents.known.at(point)["expected_cost"], point)
        for point in (contents.chosen[name] for name in models)
    ]


def test_the_winner_map_shows_who_is_cheapest_and_takes_a_click(browser, tmp_path):
    models = {name.lower(): br.Counts(*zip(*CELLS[name], strict=True)) for name in ("A", "B")}
    at = br.Uncertain(prior="1e-5..1e-3", costs=br.Costs(fp=5, fn=500, tp=5))
    with live(browser, tmp_path, models, at=at) as (page, seen):
        chart = page.locator("svg.map")
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        wins = br.winner_map(models).wins
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
