"""The page's arithmetic is Python's: every measure, optimum, rule and budget of random vectors, and
every formatted word.
"""

import json
import math
import random
import runpy
import struct
from dataclasses import replace

import numpy as np
import pytest
from tests.reports.frontend import FRONTEND, node
from tests.strategies import LONG

import baserate as br
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import chosen_among
from baserate.errors import Infeasible, quoted
from baserate.inference.best_model import SEPARATE
from baserate.measures.confusion import Measure, measure_along, parse
from baserate.measures.registry import CATALOGUE
from baserate.numbers import Undefined
from baserate.reports import content
from baserate.results.operating_point import describe_briefly, describe_setting
from baserate.views import tables

VECTORS = 5_000 if LONG else 500
FORMATS = 4_000
LEVEL = 0.95
STATES = 1_000 if LONG else 250
# Numbers of the page may differ from Python's by so many units in the last place.
ULPS = 4
REGISTRY = runpy.run_path(str(FRONTEND / "registry.py"))
NAMES = REGISTRY["MEASURES"]
OF_A_VOLUME = [name for name in NAMES if CATALOGUE[name].per_volume]
SHARES = ("precision", "posfrac", "fdr")
ALONG = (*SHARES, "expected_cost")
PRIORS = (
    "1 in {n}",
    "{n} per 100k",
    "1:{n}",
    "0.{n}",
    "{n}e-9",
    "0.0{n}%",
    "1 in {n} 000",
    "{n} ppm",
)


def some_counts(draw):
    """A few cells, with ties between models, empty runs, and now and then weights or large
    counts.
    """
    size = draw.choice((1, 2, 3, 5, 8, 20))
    scores = sorted(draw.sample(range(-50, 50), size), reverse=True)
    if draw.random() < 0.7:
        scores = [score * draw.choice((0.01, 1e-7, 1e15)) for score in scores]
        scores = sorted(set(scores), reverse=True)
    most = draw.choice((1, 3, 30, 10**6))
    positives, negatives = (
        [draw.randint(0, top) for _ in scores] for top in (most, most * draw.choice((1, 50)))
    )
    positives[draw.randrange(len(scores))] += 1
    negatives[draw.randrange(len(scores))] += 1
    if draw.random() < 0.1:
        positives, negatives = (
            [value * 0.37 for value in values] for values in (positives, negatives)
        )
    return br.Counts(scores, positives=positives, negatives=negatives)


def some_rule(draw, volume):
    kind = draw.random()
    if kind < 0.35:
        return None
    if volume is not None and kind < 0.65:
        return f"alerts <= {draw.choice((1, 3, 17.5, 200, 5000))}"
    names = (
        "recall",
        "fpr",
        "precision",
        "purity",
        "posfrac",
        "specificity",
        "NPV",
        "lift",
        "nne",
        "cost",
        "F1",
        "missed positives",
    )
    terms = []
    for _ in range(draw.choice((1, 1, 2))):
        name = draw.choice(names[: -1 if volume is None else None])
        limit = draw.choice(("0", "0.5", "1%", "25 %", "0.8", "1", "0.333", "1e-3"))
        terms.append(
            f"{name} {draw.choice(('>=', '<=', '≥'))}"
            f" {'3' if name in ('nne', 'missed positives') else limit}"
        )
    return " and ".join(terms)


def some_costs(draw):
    if draw.random() < 0.3:
        return None
    costs = {name: draw.choice((1, 2, 7, 0.1, 100, 1234.5)) for name in ("fp", "fn")}
    more = (
        {"tp": draw.choice((0, -3, 0.05)), "tn": draw.choice((0, 0, -1.5))}
        if draw.random() < 0.3
        else {"tp": 0, "tn": 0}
    )
    return costs | more


def some_vector(draw):
    names = ("one", "two", "a third model, whose name is rather too long to be shown")
    models = {name: some_counts(draw) for name in names[: draw.choice((1, 2, 3))]}
    prior = None if draw.random() < 0.2 else draw.choice(PRIORS).format(n=draw.randint(2, 999))
    volume = draw.choice((None, 1000.0, 1e6, 12345.5))
    return {
        "models": models,
        "prior": prior,
        "costs": some_costs(draw),
        "earned": draw.random() < 0.1,
        "volume": volume,
        "rule": some_rule(draw, volume),
    }


def python_says(vector, *, curves=True):
    """The same answer from the library."""
    costs = (
        None if vector["costs"] is None else br.Costs.told(vector["costs"], earned=vector["earned"])
    )
    at = br.Conditions(vector["prior"], costs)
    models, volume = vector["models"], vector["volume"]
    try:
        choice = chosen_among(
            models, vector["rule"], at=at, volume=volume
        )  # counted separately, so nothing can be tested
        choice = replace(choice, untested=SEPARATE if len(choice.points) > 1 else "")
    except Infeasible:
        choice = None
    infeasible = [
        refusal(counts, vector["rule"], at, volume)
        if choice is None or name in choice.refused
        else None
        for name, counts in models.items()
    ]
    points = [choice.points.get(name) if choice else None for name in models]
    first = next(iter(models.values()))
    return {
        "rule": str(parse_rule(vector["rule"], volume)),
        "points": [
            None if point is None else told(point, counts)
            for point, counts in zip(points, models.values(), strict=True)
        ],
        "infeasible": infeasible,
        "models": list(choice.models) if choice else [],
        "said": str(at),
        "effective": at.within(br.Points.of(first).exact_prior).effective_prior,
        "slope": at.within(br.Points.of(first).exact_prior).iso_cost_slope,
        "along": {
            name: measure_along(Measure(name), br.Points.of(first), at).tolist()
            for name in ALONG
            if curves
        },
    }


def refusal(counts, rule, at, volume):
    """Why a model cannot satisfy the rule."""
    with pytest.raises(Infeasible, match="no threshold|is defined at no threshold") as caught:
        br.choose(counts, rule, at=at, volume=volume)
    return caught.value.problems[0].text


def told(point, counts):
    names = [name for name in NAMES if point.volume is not None or name not in OF_A_VOLUME]
    values = {name: point[name] for name in names}
    return {
        "place": (
            br.Points.of(counts).place(
                point.threshold if point.share == 1 else point.lower_threshold
            )
        ),
        "share": point.share,
        "bounds": [bounds(point, name) for name in ("tpr", "fpr")],
        "brief": describe_briefly(point),
        "setting": describe_setting(point),
        "cells": [cell(name, value, point) for name, value in values.items()],
        "values": {
            name: None if isinstance(value, Undefined) else value for name, value in values.items()
        },
    }


def bounds(point, name):
    """The ends of the interval of a rate, for a threshold fixed in advance; none of a share of a
    tie, or of weights.
    """
    one = point.confusion
    seen, rest = (one.tp, one.fn) if name == "tpr" else (one.fp, one.tn)
    if point.share != 1 or isinstance(seen, float):
        return [None, None]
    found = br.rate_interval(int(seen), int(seen + rest), level=LEVEL)
    return [found.low if seen else None, found.high if rest else None]


def cell(name, value, point):
    """As tables show it, of a value that is known already."""
    if name in OF_A_VOLUME:
        return per_volume(value, 3 if name == "volume_cost" else None)
    return tables.digits(
        0 - value if name == "expected_cost" and point.at.costs.earned else value, 4
    )


def ulps(ours, theirs):
    """How many floats lie between two numbers; none between two that are undefined."""
    if math.isnan(ours) or math.isnan(theirs):
        return 0 if math.isnan(ours) and math.isnan(theirs) else math.inf
    one, other = (
        struct.unpack("<q", struct.pack("<d", value + 0.0))[0] for value in (ours, theirs)
    )
    return abs(
        (one if one >= 0 else -(one & (2**63 - 1)))
        - (other if other >= 0 else -(other & (2**63 - 1)))
    )


def odd_numbers(draw):
    """Numbers of every size, and halves that round to even."""
    for _ in range(FORMATS):
        yield draw.choice((1, -1)) * draw.choice(
            (
                draw.random() * 10 ** draw.randint(-9, 12),
                draw.randint(0, 10**6) / draw.choice((2, 8, 64)),
                10.0 ** draw.randint(-8, 17),
                0.0,
            )
        )


NAMES_SHOWN = [
    "plain",
    "x" * 41,
    "tab\tline\nend",
    "\u202eevil",
    "é𝄞" * 25,
    "\x00\x85\u2028\ufeff",
    "half \ud800",
    "a\u00a0b\u3000c",
    "<b>&amp;",
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What both sides say of the same vectors."""
    draw = random.Random(20)
    vectors = [some_vector(draw) for _ in range(VECTORS)]
    formats = [(value, draw.choice((1, 3, 4, 6))) for value in odd_numbers(draw)]
    folder = tmp_path_factory.mktemp("core")
    node("build.mjs", "core", folder)
    sent = [
        {
            **vector,
            "models": None,
            "points": [
                content.points_of(name, counts, (), LEVEL, 1)
                for name, counts in vector["models"].items()
            ],
        }
        for vector in vectors
    ]
    text = json.dumps(
        {
            "vectors": sent,
            "formats": [(repr(value), count) for value, count in formats],
            "names": NAMES_SHOWN,
        }
    )
    answered = json.loads(
        node(FRONTEND / "tests" / "answer_vectors.mjs", folder / "core.mjs", input=text)
    )
    return vectors, formats, answered


def test_every_choice_and_value_of_the_page_is_pythons(said):
    vectors, _, answered = said
    assert len(answered["answers"]) == VECTORS
    seen = {"undefined": 0, "shared": 0, "refused": 0, "tied": 0}
    for vector, page in zip(vectors, answered["answers"], strict=True):
        library = python_says(vector)
        for key in ("rule", "models", "said", "infeasible"):
            assert page[key] == library[key], vector
        assert (
            max(ulps(float(page[key]), library[key]) for key in ("effective", "slope")) <= ULPS
        ), vector
        for name in ALONG:
            compare_curves(
                list(map(float, page["along"][name])),
                library["along"][name],
                0.0 if name in SHARES else most_at_stake(vector),
            )
        for ours, theirs in zip(page["points"], library["points"], strict=True):
            compare_points(ours, theirs, vector, seen)
        seen["tied"] += len(library["models"]) > 1
    assert min(seen.values()) > 50, seen


def most_at_stake(vector):
    return max(map(abs, (vector["costs"] or {"fp": 1}).values()))


def compare_curves(page, library, terms):
    """Along a curve floats are added: where large terms of both signs cancel, their last place
    counts, not that of what is left.
    """
    for ours, theirs in zip(page, library, strict=True):
        assert ulps(ours, theirs) <= ULPS or abs(ours - theirs) <= ULPS * math.ulp(terms), (
            ours,
            theirs,
        )


def compare_points(ours, theirs, vector, seen):
    if theirs is None or ours is None:
        assert ours is theirs, vector
        seen["refused"] += 1
        return
    for key in ("place", "brief", "setting", "cells"):
        assert ours[key] == theirs[key], vector
    for found, known in zip(ours["bounds"], theirs["bounds"], strict=True):
        assert found == [end and pytest.approx(end, rel=1e-9) for end in known], vector
    assert ulps(float(ours["share"]), theirs["share"]) <= ULPS, vector
    seen["shared"] += theirs["share"] != 1
    for name, value in theirs["values"].items():
        if value is None:
            assert ours["values"][name] is None, (name, vector)
            seen["undefined"] += 1
        else:
            assert ulps(float(ours["values"][name]), value) <= ULPS, (name, vector)


@pytest.fixture(scope="module")
def many():
    """Three models of 100,000 cases: probabilities that crowd at 0, scores without ties, and the
    same in two digits, which tie.
    """
    rng = np.random.default_rng(23)
    labels = rng.random(100_000) < 0.02
    odds = rng.normal(size=100_000) * 2 - 4 + 2.5 * labels
    other = rng.normal(size=100_000) + 1.4 * labels
    models = {"probability": 1 / (1 + np.exp(-odds)), "linear": other, "rounded": other.round(2)}
    return {name: br.count(labels, scores) for name, scores in models.items()}


def some_state(draw, models):
    """A question that a person may put to the page."""
    volume = draw.choice((1e3, 1e6, 12345.5, 5e7))
    budget = f"alerts <= {draw.choice((1, 7, 50, 300, 2500, 17_000))}"
    limits = (f"recall >= {draw.random():.3f}", f"fpr <= {10 ** draw.uniform(-5, 0):.3g}")
    shares = (f"precision >= {draw.random():.2f}", f"posfrac <= {10 ** draw.uniform(-5, 0):.3g}")
    rules = (None, budget, *limits, *shares, " and ".join(limits), f"{limits[0]} and {budget}")
    prior = None if draw.random() < 0.1 else draw.choice(PRIORS).format(n=draw.randint(2, 999))
    return {
        "models": models,
        "prior": prior,
        "costs": some_costs(draw),
        "earned": False,
        "volume": volume,
        "rule": draw.choice(rules),
    }


def test_every_rule_and_budget_over_all_thresholds_is_answered_as_in_python(many, tmp_path):
    """The thresholds are packed into the page; nothing is read at a neighbour."""
    draw = random.Random(1000)
    states = [some_state(draw, many) for _ in range(STATES)]
    node("build.mjs", "core", tmp_path)
    packed = [content.points_of(name, counts, (), LEVEL, 3) for name, counts in many.items()]
    assert [one["every"] for one in packed] == [True] * 3
    text = json.dumps(
        {
            "models": packed,
            "vectors": [{**state, "models": None} for state in states],
            "formats": [],
            "names": [],
        }
    )
    script = FRONTEND / "tests" / "answer_vectors.mjs"
    answers = json.loads(node(script, tmp_path / "core.mjs", input=text))["answers"]
    seen = {"undefined": 0, "shared": 0, "refused": 0, "tied": 0}
    for state, page in zip(states, answers, strict=True):
        library = python_says(state, curves=False)
        for key in ("rule", "models", "infeasible"):
            assert page[key] == library[key], state
        for ours, theirs in zip(page["points"], library["points"], strict=True):
            compare_points(ours, theirs, state, seen)
    assert min(seen["shared"], seen["refused"]) > STATES // 50, seen


def test_numbers_are_written_digit_by_digit_as_python_writes_them(said):
    _, formats, answered = said
    for (value, count), page in zip(formats, answered["formats"], strict=True):
        library = [
            f"{value:.{count}g}",
            tables.digits(value, count),
            repr(value),
            tables._format_bound(value, 3),
            per_volume(value),
        ]
        assert page == [*library, *([f"{value:.2f}"] if abs(value) < 1e30 else [])], (value, count)


def per_volume(value, few=None):
    if math.isnan(value):
        return tables.UNDEFINED
    few = few or (2 if abs(value) >= 1 else 1)
    return f"{round(value):,}" if abs(value) >= 10 else f"{value:.{few}g}"


def test_names_are_shortened_and_escaped_as_python_does(said):
    assert said[2]["names"] == [quoted(name, quotes=False) for name in NAMES_SHOWN]


def test_the_table_of_the_page_is_written_from_those_of_python():
    assert REGISTRY["FILE"].read_text() == REGISTRY["text"](), (
        "run python frontend/registry.py, then make report-ui"
    )


def test_the_page_reads_every_word_for_a_measure_that_python_reads(tmp_path):
    node("build.mjs", "core", tmp_path)
    words = {word: name for name in NAMES for word in (name, *CATALOGUE[name].synonyms)}
    script = (
        f"import('{(tmp_path / 'core.mjs').as_uri()}').then((core) => console.log(JSON.stringify("
        f"{json.dumps(list(words))}.map((word) => core.named(word)))))"
    )
    assert json.loads(node("--eval", script)) == [parse(word, volume=1).name for word in words]
    assert list(words.values()) == [parse(word, volume=1).name for word in words]
