"""§5.7.3: cost matrices, Example 5.9, Fig 5.44, and the label of a leaf."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import baserate as br
from baserate_studies import drawings
from baserate_studies.arrays import Floats
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, printed, stated
from baserate_studies.tan.measures import MATRIX
from baserate_studies.values import Picture

# Table 5.7, and the two models of Table 5.8; the last column of M2 is lost in our copy: 45 from the
# formula, 200 from N = 500.
REWARDED = br.Costs(tp=-1, fn=100, fp=1, tn=0)
M1, M2 = br.Confusion(tp=150, fn=40, fp=60, tn=250), br.Confusion(tp=250, fn=45, fp=5, tn=200)
COSTLY = 10


def claims() -> Iterator[Claim]:
    """T23 to T28, and T30 to T33."""
    yield from _totals()
    yield from _example()
    yield from _boundary()
    yield from _leaves()
    yield from _threshold()


def _cost(model: br.Confusion, costs: br.Costs) -> float:
    return float(br.measure(model, "total_cost", at=br.Conditions(costs=costs)))


def _totals() -> Iterator[Claim]:
    right = br.Confusion(tp=7, fp=0, fn=0, tn=3)
    words = f"7 positives found cost {_cost(right, REWARDED):g}"
    yield stated(
        "reward",
        "T23",
        "a negative entry is a reward for what is right",
        words,
        holds=_cost(right, REWARDED) == -7,
    )
    costs = br.Costs(fp=2.5, fn=7, tp=-3, tn=-0.25)
    parts = zip(MATRIX, (costs.tp, costs.fp, costs.fn, costs.tn), strict=True)
    total = sum((Fraction(count) * Fraction(cost) for count, cost in parts), Fraction(0))
    yield formula(
        "eq-5.79",
        "T24",
        total,
        _cost(MATRIX, costs),
        note="costs −3, 2.5, 7 and −.25 of TP, FP, FN and TN",
    )
    for name, model in (("m1", M1), ("m2", M2)):
        errors = sum(model) * model["error"]
        yield formula(
            f"eq-5.80-{name}",
            "T25",
            errors,
            _cost(model, br.Costs(fp=1, fn=1)),
            note="N × Err, under costs of 0 and 1",
        )


def _example() -> Iterator[Claim]:
    yield formula(
        "table-5.7",
        "T26",
        100,
        REWARDED.fn / REWARDED.fp,
        note="a miss is as bad as a hundred false alarms",
    )
    reason = (
        "the last column of M2 is lost in our copy: 45 follows from the formula, 200 from 500"
        " records"
    )
    yield Claim(
        "table-5.8-m2",
        ("T26", "T27"),
        None,
        (float(M2.fn), float(M2.tn)),
        reason=reason,
        note="FN and TN of M2",
    )
    found = [_cost(model, REWARDED) for model in (M1, M2)]
    yield printed("example-5.9-cost-of-m1", "T26", "3910", found[0])
    yield printed("example-5.9-cost-of-m2", "T26", "4255", found[1])
    yield stated(
        "example-5.9-by-cost",
        "T26",
        "M2 is inferior",
        f"M2 costs {found[1] - found[0]:g} more",
        holds=found[1] > found[0],
    )
    accuracies = (M1["accuracy"], M2["accuracy"])
    words = f"accuracy {accuracies[0]:g} of M1, {accuracies[1]:g} of M2"
    yield stated(
        "example-5.9-by-accuracy",
        "T27",
        "accuracy prefers M2",
        words,
        holds=accuracies[1] > accuracies[0],
    )
    positives = [model.tp + model.fn for model in (M1, M2)]
    yield stated(
        "example-5.9-one-test-set",
        "T27",
        "M2 improves the counts of M1",
        f"{positives[0]} positives for M1, {positives[1]} for M2",
        holds=positives[0] == positives[1],
        errata="B10c",
        note=(
            "two models on one test set have the same positives: the example is good as arithmetic"
            " only"
        ),
    )


class Boundaries(NamedTuple):
    """A linear classifier on two features, its cases, where it is undecided at two costs of a miss,
    and its errors there.
    """

    x: Floats
    labels: Any
    lines: dict[str, tuple[Any, Any]]
    equal: br.OperatingPoint
    costly: br.OperatingPoint


def boundaries(seed: int = 44) -> Boundaries:
    """Where does an LDC draw its boundary with equal costs, and where if a miss costs ten false
    alarms? Fig 5.44 on generated cases.
    """
    from baserate_learners import LDC

    rng, labels = np.random.default_rng(seed), np.repeat([True, False], [60, 240])
    x = np.where(
        labels[:, None],
        rng.normal((1.6, 1.6), 0.8, (300, 2)),
        rng.normal((0.0, 0.0), 0.9, (300, 2)),
    )
    learner = LDC().fit(x, labels)
    # The log odds are linear in both features, so three of them are enough.
    odds = learner.log_densities([[0, 0], [1, 0], [0, 1]])
    origin, right, up = odds[:, 1] - odds[:, 0] + np.log(learner.priors_[1] / learner.priors_[0])
    scored = br.count(labels, learner.predict_proba(x)[:, 1])
    lines, points, across = {}, [], np.array([-2.5, 4.5])
    for name, costs in (
        ("B1, equal costs", br.Costs()),
        ("B2, a miss costs ten", br.Costs(fp=1, fn=COSTLY)),
    ):
        cut = costs.threshold
        lines[name] = (
            across,
            (np.log(cut / (1 - cut)) - origin - (right - origin) * across) / (up - origin),
        )
        points.append(br.choose(scored, threshold=cut))
    return Boundaries(x, labels, lines, *points)


def _boundary() -> Iterator[Claim]:
    found = boundaries()
    before, after = found.equal, found.costly
    words = f"misses {before.fn:g} → {after.fn:g}, false alarms {before.fp:g} → {after.fp:g}"
    yield stated(
        "fig-5.44",
        "T28",
        "more positives covered, additional false alarms",
        words,
        holds=after.fn < before.fn and after.fp > before.fp,
        note=(
            "an LDC on 300 generated cases (seed 44), cut at 1/2 and, for a miss that costs ten"
            " false alarms, at 1/11; the figure has no data"
        ),
    )


def leaves(seed: int = 31, count: int = 12) -> list[tuple[int, int]]:
    """Leaves of a tree: (positives, negatives) in each, one of them half and half."""
    rng = random.Random(seed)  # noqa: S311 (an example, not a secret)
    return [(5, 5), *((rng.randint(0, 30), rng.randint(1, 60)) for _ in range(count - 1))]


def of_leaves(found: list[tuple[int, int]]) -> br.Counts:
    """Counts whose score is the share of positives in each leaf."""
    return br.Counts(
        [pos / (pos + neg) for pos, neg in found],
        [pos for pos, _ in found],
        [neg for _, neg in found],
    )


def labelled(found: list[tuple[int, int]], costs: br.Costs) -> tuple[int, int]:
    """Positives and negatives in the leaves that eq 5.82, leaf by leaf, labels positive."""
    matrix = {"++": costs.tp, "+-": costs.fn, "-+": costs.fp, "--": costs.tn}
    tp = fp = 0
    for pos, neg in found:
        shares = {"+": Fraction(pos, pos + neg), "-": Fraction(neg, pos + neg)}
        expected = {
            label: sum(shares[actual] * Fraction(matrix[actual + label]) for actual in "+-")
            for label in "+-"
        }
        if expected["+"] < expected["-"]:
            tp, fp = tp + pos, fp + neg
    return tp, fp


def _leaves() -> Iterator[Claim]:
    found = leaves()
    counts, majority = of_leaves(found), [leaf for leaf in found if leaf[0] > leaf[1]]
    chosen = br.choose(counts)
    theirs = sum(pos for pos, _ in majority), sum(neg for _, neg in majority)
    yield formula(
        "eq-5.81",
        "T30",
        theirs,
        (chosen.tp, chosen.fp),
        note="TP and FP of 12 leaves labelled by majority; one of half and half is negative",
    )
    node, classes = br.Confusion(tp=30, fp=60, fn=10, tn=100), Fraction(30, 40) + Fraction(60, 160)
    note = (
        "printed: the share of class i that is in node t; meant: the share of node t that is of"
        " class i, or p(−|t) is not 1 − p(+|t)"
    )
    yield formula(
        "leaf-shares", "T30", classes, node["precision"] + node["fdr"], errata="B10b", note=note
    )
    for name, costs in (("1-5", br.Costs(1, 5)), ("3-2", br.Costs(3, 2)), ("table-5.7", REWARDED)):
        point = br.choose(counts, at=br.Conditions(costs=costs))
        note = "TP and FP of the leaves whose cheaper label is positive"
        yield formula(
            f"eq-5.82-costs-{name}", "T31", labelled(found, costs), (point.tp, point.fp), note=note
        )


def _threshold() -> Iterator[Claim]:
    yield formula("eq-5.83-costs-1-5", "T32", Fraction(1, 6), br.Costs(fp=1, fn=5).threshold)
    between = Fraction(98525, 10**7)
    leaf = br.choose(
        br.Counts([float(between)], [98525], [10**7 - 98525]), at=br.Conditions(costs=REWARDED)
    )
    note = (
        "with a reward for what is right the threshold is (C(−,+) − C(−,−)) / ((C(−,+) − C(−,−)) +"
        " (C(+,−) − C(+,+))) = 1/102"
    )
    yield formula(
        "eq-5.83-table-5.7", "T32", Fraction(1, 101), REWARDED.threshold, errata="B10", note=note
    )
    yield stated(
        "eq-5.83-a-leaf-between",
        "T32",
        "negative: p(+|t) = .0098525 is below 1/101",
        f"{'negative' if leaf.threshold is None else 'positive'}: {_leaf_costs(between)}",
        holds=leaf.threshold is None,
        errata="B10",
    )
    cuts = {miss: br.Costs(fp=1, fn=miss).threshold for miss in (2, 5, 100, 10**6)}
    words = ", ".join(f"1:{miss} {cut:.3g}" for miss, cut in cuts.items())
    yield stated(
        "threshold-of-costly-misses",
        "T33",
        "less than 0.5",
        words,
        holds=all(cut < 0.5 for cut in cuts.values()),
    )


def _leaf_costs(share: Fraction) -> str:
    costs = [
        share * Fraction(REWARDED.tp) + (1 - share) * Fraction(REWARDED.fp),
        share * Fraction(REWARDED.fn),
    ]
    return f"positive costs {float(costs[0]):.5f} a record, negative {float(costs[1]):.5f}"


def pictures() -> Iterator[Picture]:
    """Fig 5.44."""
    found = boundaries()
    panel = drawings.scatter_panel(
        found.x[:, 0],
        found.x[:, 1],
        found.labels,
        boundaries=found.lines,
        axes=("x", "y"),
        title="Costly misses move the boundary",
    )
    words = (
        "Fig 5.44: where a miss costs more, the boundary moves into the region of the negatives."
        " Generated cases; the figure has no data."
    )
    yield Picture("fig-5.44", ("T28",), words, panel)
