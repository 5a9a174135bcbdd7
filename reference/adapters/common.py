"""What every adapter needs: the data sets as arrays, and the answers written down."""

import csv
import json
import math
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parents[1]


def references():
    """The answers of every data set, in order; an adapter looks at the questions alone."""
    return [json.loads(path.read_text()) for path in sorted((HERE / "answers").glob("*.json"))]


def columns(reference):
    """The columns of a data set by name, as Python numbers."""
    with (HERE / reference["data"]).open() as file:
        rows = list(csv.DictReader(file))
    whole = reference["scores"] == "int64"
    kinds = {"score": int if whole else float, "weight": float}
    return {name: [kinds.get(name, int)(row[name]) for row in rows] for name in rows[0]}


def cases(reference, most=5000):
    """(labels, scores, weights): one row a case, or one row a cell and class weighted by its count.

    Tools that take no counts are given few cases as they are, and many as weights.
    """
    found = columns(reference)
    if "label" in found:
        return found["label"], found["score"], found.get("weight")
    cells = [
        (label, score, count)
        for name, label in (("positives", 1), ("negatives", 0))
        for score, count in zip(found["score"], found[name], strict=True)
        if count
    ]
    if sum(count for _, _, count in cells) > most:
        return tuple(list(column) for column in zip(*cells, strict=True))
    labels, scores = zip(
        *((label, score) for label, score, n in cells for _ in range(n)), strict=True
    )
    return list(labels), list(scores), None


def plain(value):
    """A number for JSON: null where it is not a number."""
    number = float(value)
    return None if math.isnan(number) else number if math.isfinite(number) else str(number)


def parameters(name):
    """ "f_beta(beta=2)" as ("f_beta", {"beta": "2"}); a switch has the value ""."""
    head, _, inside = name.partition("(")
    pairs = (part.partition("=") for part in inside.rstrip(")").split(", ") if part)
    return head, {key: value for key, _, value in pairs}


def conditions(reference, name):
    """The prior (None: the sample's) and the costs by outcome, as fractions."""
    given = reference["conditions"][name]
    prior = given["prior"]
    return (
        None if prior is None else Fraction(prior),
        {outcome: Fraction(cost) for outcome, cost in given["costs"].items()},
    )


def write(tool, version, answers, path):
    """The file that check.py reads."""
    Path(path).write_text(json.dumps({"tool": tool, "version": version, "answers": answers}))
