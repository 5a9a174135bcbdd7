"""§5.7.4: under- and oversampling, in numbers of records, and what they do to a learner; Fig
5.45.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import baserate as br
from baserate.extend import grouped
from baserate_studies import drawings
from baserate_studies.arrays import Floats
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, stated
from baserate_studies.values import Picture

# The sentence that says how large the data set is has been cut in our copy; "100 negative examples
# … along with all the positive" is left.
POSITIVES, NEGATIVES = 100, 1000
MEMBERS = 10


def records(seed: int, times: int = 1) -> tuple[Floats, Any]:
    """Two clouds of records in five dimensions, the rare one in two parts; `times` as many for a
    test set.
    """
    rng = np.random.default_rng(seed)
    labels = np.repeat([True, False], [POSITIVES * times, NEGATIVES * times])
    x = rng.normal(0.0, 1.0, (len(labels), 5))
    side = rng.integers(0, 2, len(labels))
    x[:, 0] += labels * np.where(side == 1, 1.8, -1.8)
    x[:, 1] += labels * 1.2
    return x, labels


def claims(seeds: int) -> Iterator[Claim]:
    """T34 to T39; what is learned is learned so many times."""
    yield from _sizes()
    yield from _learned(seeds)
    yield _focused()
    yield from _replicated()
    yield from _middle()


def _sampled(sampler: str) -> Any:
    """A learner fitted to a sample of the records, by which the sample is known."""
    from sklearn.tree import DecisionTreeClassifier

    from baserate_learners import Resampled

    return Resampled(
        DecisionTreeClassifier(max_depth=3, random_state=0), sampler, random_state=0
    ).fit(*records(0))


def _sizes() -> Iterator[Claim]:
    labels = records(0)[1]
    taken = {name: _sampled(name).samples_[0] for name in ("under", "over", "hybrid")}
    sizes = {
        name: (int(labels[places].sum()), int((~labels[places]).sum()))
        for name, places in taken.items()
    }
    words = "; ".join(
        f"{name}: {pos} of {grouped(pos + neg)}" for name, (pos, neg) in sizes.items()
    )
    given = f"positives in the sample of {POSITIVES} positives and {grouped(NEGATIVES)} negatives"
    note = f"taken as well: one half; {given}; the book's own numbers are cut in our copy"
    holds = all(pos == neg for pos, neg in sizes.values())
    yield stated(
        "three-ways-to-sample",
        "T34",
        "the rare class is well represented",
        words,
        holds=holds,
        note=note,
    )
    yield formula(
        "undersampling",
        "T35",
        (100, 100),
        sizes["under"],
        note="all positives, and as many negatives",
    )
    repeated = len(taken["under"]) - len(set(taken["under"].tolist()))
    yield formula("undersampling-repeated-records", "T35", 0, repeated)
    pos, neg = sizes["over"]
    yield stated(
        "oversampling",
        "T38",
        "as many positives as negatives",
        f"{grouped(pos)} and {grouped(neg)}",
        holds=pos == neg == NEGATIVES,
    )


class Areas(NamedTuple):
    """The AUC on new records of a learner fitted to all records, to one undersample, and of ten
    such learners together; a row a seed.
    """

    whole: Floats
    one: Floats
    several: Floats


def areas(learner: Any, seeds: int) -> Areas:
    """What does undersampling lose, and what do several undersamples win back?"""
    from baserate import count_estimator
    from baserate_learners import Resampled

    found = []
    for seed in range(seeds):
        train, test = records(seed), records(1000 + seed, times=5)
        learners = (
            learner,
            Resampled(learner, "under", random_state=seed),
            Resampled(learner, "under", repeats=MEMBERS, random_state=seed),
        )
        found.append([float(br.auc(count_estimator(one.fit(*train), *test))) for one in learners])
    return Areas(*np.array(found).T)


def _learned(seeds: int) -> Iterator[Claim]:
    from sklearn.tree import DecisionTreeClassifier

    from baserate_learners import QDC

    found = {
        "QDC": areas(QDC(), seeds),
        "trees": areas(DecisionTreeClassifier(min_samples_leaf=10, random_state=0), seeds),
    }
    how = (
        "trees with leaves of ten or more, AUC on new records, mean and 95 % interval of the"
        f" difference over {seeds} seeds"
    )
    lost = {name: spread(each.one - each.whole) for name, each in found.items()}
    words = "; ".join(
        f"{name} {found[name].whole.mean():.3f} → {found[name].one.mean():.3f}: {_signed(*gain)}"
        for name, gain in lost.items()
    )
    holds = any(high < 0 for _, _, high in lost.values())
    yield stated(
        "undersampling-loss",
        "T35",
        "a potential problem: a less than optimal model",
        words,
        holds=holds,
        note=f"taken as potential: of one learner at least; {how}",
    )
    won = {name: spread(each.several - each.one) for name, each in found.items()}
    words = "; ".join(
        f"{name} {found[name].one.mean():.3f} → {found[name].several.mean():.3f}: {_signed(*gain)}"
        for name, gain in won.items()
    )
    holds = all(low > 0 for _, low, _ in won.values())
    yield stated(
        "undersampling-multiple-times",
        "T36",
        "a potential method to overcome this",
        words,
        holds=holds,
        note=f"taken as overcome: of both; {MEMBERS} together; {how}",
    )


def _signed(mean: float, low: float, high: float) -> str:
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def spread(differences: Floats) -> tuple[float, float, float]:
    """The mean of paired differences, with its 95 % interval by Student's t."""
    from scipy.stats import t

    mean, error = (
        float(differences.mean()),
        float(differences.std(ddof=1)) / len(differences) ** 0.5,
    )
    width = float(t.ppf(0.975, len(differences) - 1)) * error
    return mean, mean - width, mean + width


def _focused() -> Claim:
    from baserate_learners import FocusedUnderSampler

    x, labels = records(0)
    sampler = FocusedUnderSampler()
    sampler.fit_resample(x, labels)
    kept = np.zeros(len(labels), dtype=np.bool_)
    kept[sampler.sample_indices_] = True
    nearest, farthest = (
        sampler.margins_[kept & ~labels].max(),
        sampler.margins_[~kept & ~labels].min(),
    )
    words = (
        f"margins of the {int((kept & ~labels).sum())} kept up to {nearest:.3f}, of those"
        f" eliminated from {farthest:.3f}"
    )
    holds = bool(nearest <= farthest) and bool(kept[labels].all())
    note = "distance of the log odds of a cross-validated logistic regression from the boundary"
    return stated(
        "focused-undersampling",
        "T37",
        "eliminates negatives far away from the boundary",
        words,
        holds=holds,
        note=note,
    )


def _replicated() -> Iterator[Claim]:
    from sklearn.tree import DecisionTreeClassifier

    (x, labels), times = records(0), NEGATIVES // POSITIVES
    places = np.concatenate([np.repeat(np.flatnonzero(labels), times), np.flatnonzero(~labels)])
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    replicated = tree.fit(x[places], labels[places]).predict_proba(x)[:, 1]
    weighted = tree.fit(x, labels, sample_weight=np.where(labels, float(times), 1.0)).predict_proba(
        x
    )[:, 1]
    words = f"the largest difference of two scores is {np.abs(replicated - weighted).max():.1g}"
    note = "a tree of depth 4 on each positive ten times, and on each once with a weight of ten"
    yield stated(
        "replicating",
        "T38",
        "replicates the positive examples",
        words,
        holds=bool(np.allclose(replicated, weighted, atol=1e-12)),
        note=note,
    )


class Middle(NamedTuple):
    """Records as in Fig 5.45, and the trees without and with oversampling."""

    x: Floats
    labels: Any
    plain: Any
    oversampled: Any


def middle() -> Middle:
    """Positives at the bottom right, and one in the middle among negatives: trees with leaves of
    four records or more.
    """
    from sklearn.tree import DecisionTreeClassifier

    from baserate_learners import Resampled

    positives = [(4.2, 0.6), (4.5, 1.1), (4.8, 0.5), (5.2, 1.0), (5.4, 0.4), (5.6, 1.2), (3.0, 3.0)]
    negatives = [
        (0.5 + column * 1.0, 0.5 + row * 0.9)
        for column in range(6)
        for row in range(6)
        if not (column >= 4 and row <= 1)
    ]
    x = np.array(positives + negatives)
    labels = np.arange(len(x)) < len(positives)
    tree = DecisionTreeClassifier(min_samples_leaf=4, random_state=0)
    return Middle(
        x,
        labels,
        tree.fit(x, labels),
        Resampled(tree, "over", correct=None, random_state=0).fit(x, labels).members_[0].estimator,
    )


def _middle() -> Iterator[Claim]:
    found = middle()
    before, after = (
        tree.predict(found.x).astype(np.bool_) for tree in (found.plain, found.oversampled)
    )
    rows = found.labels.nonzero()[0]
    corner = (
        f"{int(before[rows[:-1]].sum())} of {len(rows) - 1} at the bottom right,"
        f" {int(before[rows[-1]])} of 1 in the middle"
    )
    says = "only the positives at the bottom right are right"
    yield stated(
        "fig-5.45a",
        "T39",
        says,
        corner,
        holds=bool(before[rows[:-1]].all()) and not before[rows[-1]],
        note=_MADE,
    )
    false = int((after & ~found.labels).sum())
    words = (
        f"{int(after[rows[:-1]].sum())} of {len(rows) - 1} at the bottom right,"
        f" {int(after[rows[-1]])} of 1 in the middle; {false} false alarms"
    )
    yield stated(
        "fig-5.45b",
        "T39",
        "with oversampling the one in the middle is found",
        words,
        holds=bool(after[rows].all()),
        note=_MADE,
    )


_MADE = (
    "made-up records, trees with leaves of four or more; the figure has no data, and its text ends"
    " in mid-sentence"
)


def pictures() -> Iterator[Picture]:
    """Fig 5.45."""
    found = middle()
    panels = []
    for title, tree in (
        ("(a) without oversampling", found.plain),
        ("(b) with oversampling", found.oversampled),
    ):
        boxes = {"labelled positive within": outlines(tree, found.x)}
        panels.append(
            drawings.scatter_panel(
                found.x[:, 0],
                found.x[:, 1],
                found.labels,
                boundaries=boxes,
                axes=("x", "y"),
                title=title,
            )
        )
    words = (
        "Fig 5.45: a tree with leaves of four records or more isolates the positive in the middle"
        " only once it has been replicated."
    )
    yield Picture(
        "fig-5.45", ("T39",), words, br.plots.Figure("Oversampling the rare class", tuple(panels))
    )


def outlines(tree: Any, x: Floats) -> tuple[list[float], list[float]]:
    """Around each leaf that a tree on two features labels positive, as one line with gaps."""
    nodes = tree.tree_
    across, up = list[float](), list[float]()

    def visit(node: int, low: Floats, high: Floats) -> None:
        feature = nodes.feature[node]
        if feature >= 0:
            side = np.arange(2) == feature
            visit(
                nodes.children_left[node],
                low,
                np.where(side, np.minimum(high, nodes.threshold[node]), high),
            )
            visit(
                nodes.children_right[node],
                np.where(side, np.maximum(low, nodes.threshold[node]), low),
                high,
            )
        elif nodes.value[node][0].argmax() == 1:
            across.extend((low[0], high[0], high[0], low[0], low[0], math.nan))
            up.extend((low[1], low[1], high[1], high[1], low[1], math.nan))

    # A little beyond the records, where the frame of the picture lies.
    visit(0, x.min(axis=0) - 0.3, x.max(axis=0) + 0.3)
    return across, up
