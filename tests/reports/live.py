"""The live page as tests see it: three models, everything that is shown, and the same from the
library.
"""

import functools
import random
from dataclasses import replace

import pytest
from tests.reports.frontend import FRONTEND

import baserate as br
from baserate.conditions import told
from baserate.decisions.operating_point import highest_below
from baserate.decisions.selection import Answer, chosen_among
from baserate.errors import Infeasible
from baserate.measures.confusion import in_costs
from baserate.reports.content import sentence
from baserate.reports.page import headline, in_cases, outcome_table
from baserate.results.operating_point import describe_briefly, format_threshold
from baserate.views import tables

VOLUME = 1_000_000
START = br.Conditions("1 in 1000", br.Costs(fp=1, fn=100))
COLUMNS = ("expected_cost", "tpr", "fpr", "precision", "posfrac", "alerts", "caught")
BOUNDED = ("tpr", "fpr")
READ = """() => {
  const text = (node) => node.textContent.replaceAll('\\u00a0', ' ');
  const plain = (node) => text(node).replace('≥', '>=').replace('≤', '<=');
  const cell = (node) => [node.firstChild ? plain(node.firstChild) : '', node.querySelector('small') ? plain(node.querySelector('small')) : ''];
  const measures = ['expected_cost', 'tpr', 'fpr', 'precision', 'posfrac', 'alerts', 'caught'];
  const named = (row, names) => names.map((name) => cell(row.querySelector(`td[data-name=${name}]`)));
  const models = [...document.querySelectorAll('#models tr[data-model]')].sort((a, b) => a.dataset.model - b.dataset.model);
  const rows = (query) => [...document.querySelectorAll(query)].map((row) => [...row.querySelectorAll('td')].map(cell));
  return {
    answer: text(document.querySelector('#answer')), use: text(document.querySelector('#use')), plain: text(document.querySelector('#plain')),
    models: models.map((row) => named(row, ['auc', 'cut', ...measures])),
    best: models.map((row) => row.classList.contains('best')),
    baselines: Object.fromEntries([...document.querySelectorAll('#models tr[data-baseline]:not([hidden])')].map((row) =>
      [text(row.querySelector('th')), named(row, measures)])),
    outcomes: document.querySelector('#outcomes').hidden ? [] : rows('#outcomes tbody tr').map((row) => row.map(([value]) => value)),
    prior: document.querySelector('#prior').value, fn: document.querySelector('#fn').value, fp: document.querySelector('#fp').value,
    volume: document.querySelector('#volume').value, budget: document.querySelector('#budget').value,
    rule: document.querySelector('#rule').value, model: document.querySelector('#threshold-model').value,
    known: document.querySelector('#costs-known').checked, mode: document.querySelector('[name=mode]:checked').value,
    hand: document.querySelector('#threshold-hint').textContent.replaceAll('\\u00a0', ' ')
  };
}"""  # noqa: E501
RESTED = """() => new Promise((done) => {
  const busy = () => document.querySelector('[aria-busy=true]') ? setTimeout(busy, 20) : done();
  requestAnimationFrame(() => requestAnimationFrame(busy));
})"""


def some_models():
    """Three models of a few hundred cases, with ties between scores, and scores that are whole
    numbers in one of them.
    """
    draw = random.Random(8)
    labels = [int(draw.random() < 0.2) for _ in range(300)]
    scores = {
        "logit": [round(draw.gauss(1.3 * y, 1), 2) for y in labels],
        "forest": [round(draw.gauss(2.4 * (y and draw.random() < 0.6), 1), 1) for y in labels],
        "points": [round(draw.gauss(10 + 4 * y, 4)) for y in labels],
    }
    return br.count(labels, scores)


JOINT = some_models()
MODELS = {name: JOINT.marginal(name) for name in JOINT.models}


@functools.cache
def reported():
    """What Python answers where the page starts, tested and with intervals."""
    return br.report(JOINT, at=START, volume=VOLUME)


NOT_HERE = "this page shows tests of the given scenarios only"


def elsewhere(choice, *, untested=None):
    """What the page says away from there beside the numbers: the question, and that it tests
    nothing.
    """
    point = choice.point
    rule = f", with {point.rule}" if point.rule else ""
    said = f"At {told(point.at, by_cost=in_costs(point.optimized))}{rule}."
    others = len(choice.points) - 1
    if not others:
        return said
    differences = "difference was" if others == 1 else "differences were"
    return f"{said} The {differences} not tested ({untested or choice.untested})."


def faults(page):
    """What axe finds wrong, with everything on the page opened."""
    axe = FRONTEND / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.exists():
        pytest.skip("needs the front end's packages: make report-ui")
    settled(page)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.evaluate(axe.read_text("utf-8"))
    return page.evaluate(
        "axe.run(document).then((found) => found.violations.map((one) => [one.id,"
        " one.nodes.map((node) => node.html)]))"
    )


def settled(page):
    """Everything stands as the controls say after two frames, a table out of sight a bit later."""
    page.evaluate(RESTED)
    return page.evaluate(READ)


def place_of(page, query):
    """Where an element stands, once all that is drawn when it is seen has moved it."""
    found, before = page.locator(query), None
    found.scroll_into_view_if_needed()
    for _ in range(50):
        settled(page)
        now = found.bounding_box()
        if now == before:
            return now
        before = now
        page.wait_for_timeout(150)
    raise AssertionError(f"{query} does not rest")


def asked(shown):
    """What the controls say, as Python is asked the same."""
    fp, fn = (float(shown[name].replace(",", "")) for name in ("fp", "fn"))
    costs = br.Costs(fp=fp, fn=fn) if shown["known"] else None
    prior = None if shown["prior"] == "sample" else shown["prior"]
    volume = float(shown["volume"].replace(" ", "").replace(",", ""))
    rule = {"rule": shown["rule"], "budget": f"alerts <= {shown['budget'].replace(' ', '')}"}.get(
        shown["mode"]
    )
    return br.Conditions(prior, costs), rule, volume


def compare(page):
    """Everything shown against the library; gives what was shown."""
    return compare_shown(settled(page))


def compare_shown(shown):
    """The same of what a page showed."""
    at, rule, volume = asked(shown)
    try:
        choice = chosen_among(MODELS, rule, at=at, volume=volume)
    except Infeasible:
        assert shown["answer"] == f"At {at}: no model can satisfy the rule."
        assert [row[1][0] for row in shown["models"]] == ["cannot satisfy the rule"] * 3
        assert (shown["outcomes"], shown["baselines"]) == ([], {})
        return shown
    given = answered_there(at, rule, volume)
    assert shown["answer"] == (
        elsewhere(choice, untested=NOT_HERE)
        if given is None
        else sentence(Answer(at, given), alone=False)
    )
    assert shown["best"] == [name in choice.models for name in MODELS]
    assert shown["use"] == headline(choice)
    assert shown["plain"] == in_cases(given or choice, volume)
    points = choice.points if given is None else given.points
    for row, name in zip(shown["models"], MODELS, strict=True):
        compare_row(row, points.get(name), {} if given is None else points[name].intervals)
    compare_baselines(shown, choice, tested=given is not None)
    assert shown["outcomes"] == [list(row[1:]) for row in outcome_table(choice.point, volume).rows]
    return shown


def answered_there(at, rule, volume):
    """What Python answered to this very question in the report; None where it was not asked."""
    if (at.costs, at.costs_given, rule, volume) != (START.costs, True, None, VOLUME):
        return None
    contents = reported().contents
    every = [answer for one in (*contents.asked, *contents.nearby) for answer in one.answers]
    return next((answer.choice for answer in every if answer.at.prior == at.prior), None)


def compare_baselines(shown, choice, *, tested):
    ends = {
        name: [tables._format_measure(point, column) for column in COLUMNS]
        for name, point in choice.baselines.items()
    }
    assert {name: [value for value, _ in row] for name, row in shown["baselines"].items()} == ends
    assert all(
        [row[COLUMNS.index(name)][1] for name in BOUNDED] == ["exact" if tested else ""] * 2
        for row in shown["baselines"].values()
    )


def compare_row(row, point, known):
    """A row of the page against a point, with the intervals that are known of it."""
    if point is None:
        assert [value for value, _ in row[1:]] == ["cannot satisfy the rule", *["—"] * len(COLUMNS)]
        return
    assert row[1] == [describe_briefly(point), ""]
    for (value, bounds), name in zip(row[2:], COLUMNS, strict=True):
        assert value == tables._format_measure(point, name), name
        whole = name in ("alerts", "caught")
        assert bounds == (tables.span(known[name], whole=whole) if name in known else ""), name


def compare_by_hand(shown, places, at=START, volume=VOLUME):
    """What is shown where thresholds were set by hand: the places of each model among its own."""
    points = {}
    for (name, counts), row in zip(MODELS.items(), shown["models"], strict=True):
        every = br.Points.of(counts)
        set_there = br.choose(counts, threshold=every.threshold(places[name]), at=at, volume=volume)
        points[name] = replace(
            set_there, below=highest_below(every, places[name])
        )  # in as few digits as flag the same cases
        compare_row(row, points[name], {})
    name = list(MODELS)[int(shown["model"])]
    point, cheapest = points[name], br.choose(MODELS[name], at=at, volume=volume)
    assert shown["answer"] == f"At {told(point.at, by_cost=True)}."
    where = "flags nothing" if point.threshold is None else f"from {format_threshold(point)}"
    assert shown["use"] == f"By hand: {name} {where}."
    more = point["volume_cost"] - cheapest["volume_cost"]
    than = format_threshold(cheapest) if cheapest.threshold is not None else "flagging nothing"
    said = (
        f"It costs {tables.total(more)} a day more than its cheapest threshold, {than}."
        if more > 0
        else "This is its cheapest threshold."
    )
    assert shown["plain"].endswith(said)
    assert shown["best"] == [other == name for other in MODELS]
    assert shown["outcomes"] == [list(row[1:]) for row in outcome_table(point, volume).rows]
