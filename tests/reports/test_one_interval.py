"""One measure has one interval on one page: the live table, the static tables and the document say
the same where Python was requested.
"""

import random

import pytest
from tests.reports.live import COLUMNS, JOINT, START, compare, reported, settled
from tests.reports.test_live import live, texts

import baserate as br
from baserate.results.values import Interval
from baserate.views import tables

PROFITS = br.Conditions("1%", br.Costs.from_profits(tp=95, fp=-5))
NO_COSTS = br.Conditions("1 in 1000")
ASKED = {
    "cheapest": {"at": START, "volume": 1_000_000},
    "rule": {"at": START, "rule": "recall >= 0.8", "volume": 1_000_000},
    "budget and costs": {"at": START, "budget": 2000, "volume": 1_000_000},
    "budget without costs": {"at": NO_COSTS, "budget": 20_000, "volume": 1_000_000},
    "profits": {"at": PROFITS},
    "as in the sample": {"at": br.Conditions(costs=START.costs), "volume": 5000},
    "another level": {"at": START, "level": 0.8},
}
# The cells of a table by model and column: the interval in small letters of a live cell, or all of
# a static one.
CELLS = """([query, small]) => {
  const text = (node) => (node ? node.textContent.replaceAll('\\u00a0', ' ').replace('≥', '>=').replace('≤', '<=') : '');
  const table = [...document.querySelectorAll(query)].pop();
  const names = [...table.querySelectorAll('thead tr > *')].map(text);
  return Object.fromEntries([...table.querySelectorAll('tbody tr')].filter((row) => !row.hidden).map((row) => {
    const cells = [...row.children];
    const said = cells.map((cell, i) => [names[i], text(small ? cell.querySelector('small') : cell)]);
    return [text(cells[0]), Object.fromEntries(said.slice(1))];
  }));
}"""  # noqa: E501


def seen_on(page):
    """The intervals of the live table, and those of the tables of the scenarios that were given."""
    settled(page)
    return page.evaluate(CELLS, ["#models", True]), page.evaluate(
        CELLS, ["[data-part=points] table", False]
    )


def of_document(report, model):
    """The same, from the document."""
    [answer] = report.document["report"]["answers"]
    point = {**answer["points"], **answer["baselines"]}[model]
    earned = report.contents.at[0].costs.earned
    return {
        name: _span(name, one, point[name], turned=name == "expected_cost" and earned)
        for name, one in point["intervals"].items()
    }


def _span(name, one, value, *, turned):
    ends = [one["low"], one["high"]]
    if turned:
        value, ends = -value, [-end for end in reversed(ends)]
    found = Interval(value, *ends, one["level"], one["method"], one["side"], "")
    return tables.span(found, whole=name in ("alerts", "caught", "missed"))


@pytest.mark.parametrize("asked", ASKED)
def test_live_table_static_table_and_document_have_the_same_intervals(browser, tmp_path, asked):
    report = br.report(JOINT, **ASKED[asked])
    with live(browser, tmp_path, JOINT, **ASKED[asked]) as (page, seen):
        shown, static = seen_on(page)
        assert texts(page, "#answer") == [report.sentences[0]]
        assert seen.said == []
    points = {**report.contents.chosen, **report.contents.first.baselines}
    assert set(shown) == set(static) == set(points)
    compared = 0
    for model, point in points.items():
        known = of_document(report, model)
        for name in known:
            heading = tables.heading(name, [point])
            if heading in static[model]:
                assert static[model][heading] == known[name], (model, name)
            if heading in shown[model]:
                assert shown[model][heading] == known[name], (model, name)
                compared += 1
        if model in JOINT.models:
            assert shown[model]["AUC"] == tables.span(report.contents.aucs[model])
    assert compared >= 5 * len(points) - 2  # precision of nothing flagged is undefined


CORRECTED = (
    "Intervals are corrected for choosing the thresholds on these cases, not for choosing the best"
    " of 3 models."
)


def test_away_from_there_the_page_tests_nothing_and_shows_no_intervals(browser, tmp_path):
    with live(browser, tmp_path, JOINT, at=START) as (page, _):
        assert "not tested" not in texts(page, "#answer")[0]
        hint = "#models-title ~ * .hint, section:has(#models) .hint"
        assert texts(page, hint) == [f"Of 10,000 cases. {CORRECTED}"]
        page.focus("#prior-slider")
        page.keyboard.press("ArrowRight")
        assert "significant" not in texts(page, "#answer")[0]
        assert "not tested" in texts(page, "#answer")[0]
        assert "(" not in texts(page, "#plain")[0]
        assert texts(page, ".chip")[0] == "Lead not tested here"
        settled(page)
        assert set(texts(page, "#models td:not(.auc) small")) <= {""}
        assert texts(page, hint)[0].startswith(
            "Of 10,000 cases. Intervals are shown at the given scenario, and at a tenth,"
        )
        page.click("#reset")
        assert texts(page, hint) == [f"Of 10,000 cases. {CORRECTED}"]
        assert texts(page, ".chip")[0].startswith(("Clear lead", "Cannot tell"))


@pytest.mark.parametrize("name", ["tenth", "half", "twice", "ten"])
def test_at_a_tenth_half_twice_and_ten_times_the_base_rate_the_answer_is_the_verbs(page, name):
    first = settled(page)
    page.focus("#prior")
    page.click(f"#prior-{name}")
    shown = compare(page)
    answers = reported().document["report"]["nearby"]
    assert shown["answer"] in [one["sentence"] for one in answers]
    assert "significant" in shown["answer"]
    assert any(small for row in shown["models"] for _, small in row[2:])
    assert texts(page, ".chip")[0].startswith(("Clear lead", "Cannot tell", "Clearly", "No better"))
    page.click("#reset")
    assert settled(page) == first


def test_a_caution_at_the_given_scenario_names_the_interval_of_the_table(browser, tmp_path):
    draw = random.Random(2)
    labels = [int(draw.random() < 0.2) for _ in range(2000)]
    counts = br.count(labels, [draw.gauss(1.5 * y, 1) for y in labels])
    at = br.Conditions("5 in 100000", START.costs)
    report = br.report({"a": counts}, at=at)
    point = report.contents.chosen["a"]
    assert min(point.tp, point.fp) < 10
    known = point.intervals["precision"]
    with live(browser, tmp_path, {"a": counts}, at=at) as (page, _):
        assert texts(page, "#caution")[0].endswith(
            f"precision could be as low as {known.low:.3g} (its 95 % interval)."
        )
        shows = " ".join(texts(page, "[data-part=shows] li"))
    assert "rests on" in shows
    assert "clopper-pearson" not in shows


def test_weighted_cases_have_no_intervals_and_nothing_says_that_they_are_corrected(
    browser, tmp_path
):
    counts = br.Counts([3.0, 2.0, 1.0], positives=[9.5, 5, 1], negatives=[1, 9, 90.25])
    with live(browser, tmp_path, {"w": counts}, at=START) as (page, _):
        assert texts(page, "#models [data-model] small") == []
        assert "corrected" not in page.inner_text("#app")


def test_too_few_cases_to_resample_have_intervals_of_fixed_thresholds_and_say_so(browser, tmp_path):
    counts = br.count([1] * 3 + [0] * 20, [*range(18, 21), *range(20)])
    report = br.report({"few": counts}, at=br.Conditions("20%"))
    [note] = [note for note in report.document["notes"] if note["code"] == "BR626"]
    assert note["text"].endswith("intervals treat the thresholds as fixed in advance")
    with live(browser, tmp_path, {"few": counts}, at=br.Conditions("20%")) as (page, _):
        assert "corrected" not in page.inner_text("#app")
        assert "Intervals take the thresholds as fixed in advance." in page.inner_text("#app")
        assert "taking the thresholds as fixed in advance" in page.text_content(
            "#app [data-part=points]"
        )


def reviewed(path):
    """Two models, with most of what is not flagged by the first left without a label."""
    draw = random.Random(3)
    rows = [
        (y, draw.gauss(1.8 * y, 1), draw.gauss(1.2 * y, 1))
        for y in (int(draw.random() < 0.1) for _ in range(3000))
    ]
    labels = ["" if draw.random() < (0.2 if a > 1.5 else 0.7) else y for y, a, _ in rows]
    scores = {"a": [round(a, 3) for _, a, _ in rows], "b": [round(b, 3) for _, _, b in rows]}
    lines = [f"{y},{a},{b}" for y, a, b in zip(labels, *scores.values(), strict=True)]
    path.write_text("\n".join(["y,a,b", *lines, ""]))
    return {
        name: br.count(path, label="y", score=name, missing_label="drop") for name in scores
    }, scores


@pytest.mark.parametrize("volume", [None, 1000])
def test_alerts_are_counted_among_all_scored_cases_on_the_page_too(browser, tmp_path, volume):
    models, scores = reviewed(tmp_path / "scores.csv")
    at = br.Conditions(costs=br.Costs(fp=1, fn=5))
    report = br.report(models, at=at, volume=volume)
    assert "outcomes" not in report.html.partition('<script type="application/json"')[0].partition(
        "<body"
    )[2].split("data-part=")
    with live(browser, tmp_path, models, at=at, volume=volume) as (page, seen):
        for rule in (None, "recall >= 0.5"):
            if rule:
                page.check("#mode-rule")
                page.fill("#rule", rule)
            choice = br.choose(models, rule, at=at, volume=volume or 1000)
            for name in ("posfrac", "alerts"):
                cells = [row[2 + COLUMNS.index(name)][0] for row in settled(page)["models"]]
                assert cells == [
                    tables._format_measure(point, name) for point in choice.points.values()
                ], name
            flagged = sum(score >= choice.point.threshold for score in scores[choice.model])
            assert (
                f"as it flags {flagged} of all 3,000 that were scored, with and without a label; "
                in texts(page, "#plain")[0]
            )
            assert page.is_hidden("#outcomes-table")
            assert page.is_visible(
                "text=How many of the cases without a label are positive is not known."
            )
        page.fill("#prior", "1%")
        assert "with and without a label" not in texts(page, "#plain")[0]
        assert page.is_visible("#outcomes-table")
        assert seen.said == []
