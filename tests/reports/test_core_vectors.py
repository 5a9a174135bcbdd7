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

import baserate as br
from baserate.decisions.operating_point import brief, setting
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import chosen_among
from baserate.errors import Infeasible, quoted
from baserate.measures.confusion import along
from baserate.measures.measure import Measure, parse
from baserate.measures.registry import CATALOGUE
from baserate.numbers import Undefined
from baserate.output import tables
from baserate.reports.content import shown_thresholds

VECTORS = 5_000
FORMATS = 4_000
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


def held(name, counts):
    """Every point of the counts, as the report holds them."""
    points = br.Points.of(counts)
    kept = {
        (tp, fp): i
        for i, (tp, fp) in reversed(
            list(enumerate(zip(points.tp.tolist(), points.fp.tolist(), strict=True)))
        )
    }
    hull = points.hull()
    corners = [kept[pair] for pair in zip(hull.tp.tolist(), hull.fp.tolist(), strict=True)]
    passed = {} if points.passed is None else {"fn": points.fn.tolist(), "tn": points.tn.tolist()}
    return {
        "name": name,
        "positives": counts.total_positives,
        "negatives": counts.total_negatives,
        "sample_prior": counts.prior,
        "weighted": counts.weighted,
        "integer": counts.scores.dtype == np.int64,
        "thresholds": ["none", *counts.scores.tolist()],
        "shown": shown_thresholds(points, [None, *counts.scores.tolist()]),
        "tp": points.tp.tolist(),
        "fp": points.fp.tolist(),
        **passed,
        "hull": corners,
        "every": True,
        "distinct": len(counts.scores),
        "tpr_bounds": None,
        "fpr_bounds": None,
    }


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


def python_says(vector):
    """The same answer from the library."""
    costs = (
        None if vector["costs"] is None else br.Costs.told(vector["costs"], earned=vector["earned"])
    )
    at = br.Conditions(vector["prior"], costs)
    models, volume = vector["models"], vector["volume"]
    try:
        choice = chosen_among(
            models, vector["rule"], at=at, volume=volume
        )  # the page tests nothing
        choice = replace(
            choice, untested="only that of the given scenario was" if len(choice.points) > 1 else ""
        )
    except Infeasible:
        choice = None
    points = [choice.points.get(name) if choice else None for name in models]
    first = next(iter(models.values()))
    return {
        "rule": str(parse_rule(vector["rule"], volume)),
        "points": [
            None if point is None else told(point, counts)
            for point, counts in zip(points, models.values(), strict=True)
        ],
        "models": list(choice.models) if choice else [],
        "sentence": tables.verdict(choice, alone=len(models) == 1) if choice else None,
        "said": str(at),
        "effective": at.within(br.Points.of(first).exact_prior).effective_prior,
        "slope": at.within(br.Points.of(first).exact_prior).iso_cost_slope,
        "along": {name: along(Measure(name), br.Points.of(first), at).tolist() for name in ALONG},
    }


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
        "brief": brief(point),
        "setting": setting(point),
        "cells": [cell(name, value, point) for name, value in values.items()],
        "values": {
            name: None if isinstance(value, Undefined) else value for name, value in values.items()
        },
    }


def cell(name, value, point):
    """As tables show it, of a value that is known already."""
    if name in OF_A_VOLUME:
        return per_volume(value)
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
            "held": [held(name, counts) for name, counts in vector["models"].items()],
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


def test_every_choice_value_and_sentence_of_the_page_is_pythons(said):
    vectors, _, answered = said
    assert len(answered["answers"]) == VECTORS
    seen = {"undefined": 0, "shared": 0, "refused": 0, "tied": 0}
    for vector, page in zip(vectors, answered["answers"], strict=True):
        library = python_says(vector)
        for key in ("rule", "models", "sentence", "said"):
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
        if page["cheapest"] is not None:
            assert page["cheapest"] == [point["place"] for point in library["points"]], vector
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
    assert ulps(float(ours["share"]), theirs["share"]) <= ULPS, vector
    seen["shared"] += theirs["share"] != 1
    for name, value in theirs["values"].items():
        if value is None:
            assert ours["values"][name] is None, (name, vector)
            seen["undefined"] += 1
        else:
            assert ulps(float(ours["values"][name]), value) <= ULPS, (name, vector)


def test_numbers_are_written_digit_by_digit_as_python_writes_them(said):
    _, formats, answered = said
    for (value, count), page in zip(formats, answered["formats"], strict=True):
        library = [
            f"{value:.{count}g}",
            tables.digits(value, count),
            repr(value),
            tables._short(value, 3),
            per_volume(value),
        ]
        assert page == [*library, *([f"{value:.2f}"] if abs(value) < 1e30 else [])], (value, count)


def per_volume(value):
    if math.isnan(value):
        return tables.UNDEFINED
    return f"{round(value):,}" if abs(value) >= 10 else f"{value:.3g}"


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
