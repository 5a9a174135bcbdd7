"""A decision tree in the manner of C4.5 (Quinlan 1993; Weka's J48): gain ratio, missing values in
parts, pessimistic pruning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from baserate_studies.arrays import Floats
from baserate_studies.weng.splits import SLACK, Sample, Split, best_split

CONFIDENCE = 0.25
LEEWAY = 0.1  # of estimated errors: a smaller tree may have so many more
Z = NormalDist().inv_cdf(1 - CONFIDENCE)


@dataclass
class Node:
    """A question with its branches; or none, which is a leaf. `counts` are the weights of both
    classes.
    """

    counts: Floats
    split: Split | None = None
    branches: list[Node] = field(default_factory=list)

    def close(self) -> None:
        """Make it a leaf."""
        self.split, self.branches = None, []


def tree_scores(
    train: Floats, target: npt.NDArray[np.bool_], test: Floats, sizes: Sequence[int]
) -> Floats:
    """The share of positives in the leaf of each case."""
    sample = Sample(train, target.astype(np.intp), np.ones(len(train)))
    root = grown(sample, sizes, len(train))
    collapse(root)
    prune(root, sample)
    scores = np.zeros(len(test))
    _score(root, test, np.arange(len(test)), np.ones(len(test)), scores)
    return scores


def grown(sample: Sample, sizes: Sequence[int], cases: int) -> Node:
    """The whole tree, before anything is taken away."""
    node = Node(sample.counts, best_split(sample, sizes, cases) if sample.total else None)
    if node.split is not None:
        node.branches = [grown(part, sizes, cases) for part in node.split.parts(sample)]
    return node


def collapse(node: Node) -> None:
    """Take away branches that do not even lower the training error."""
    if node.split is None:
        return
    if _training_errors(node) >= _wrong(node.counts) - SLACK:
        node.close()
    for branch in node.branches:
        collapse(branch)


def _training_errors(node: Node) -> float:
    return (
        _wrong(node.counts)
        if node.split is None
        else sum(_training_errors(branch) for branch in node.branches)
    )


def prune(node: Node, sample: Sample) -> None:
    """Put a leaf, or the largest branch, in the place of a tree that is estimated to err as much:
    from below upwards.
    """
    if node.split is None:
        return
    for branch, part in zip(node.branches, node.split.parts(sample), strict=True):
        prune(branch, part)
    largest = node.branches[int(np.argmax([branch.counts.sum() for branch in node.branches]))]
    leaf, tree, raised = (
        estimated_errors(node.counts),
        _tree_errors(node),
        _errors_with(largest, sample),
    )
    if leaf <= min(tree, raised) + LEEWAY:
        node.close()
    elif raised <= tree + LEEWAY:
        node.split, node.branches = largest.split, largest.branches
        _recount(node, sample)
        prune(node, sample)


def _tree_errors(node: Node) -> float:
    return (
        estimated_errors(node.counts)
        if node.split is None
        else sum(_tree_errors(branch) for branch in node.branches)
    )


def _errors_with(node: Node, sample: Sample) -> float:
    """The errors to expect of a tree to which these cases come."""
    if node.split is None:
        return estimated_errors(sample.counts)
    return sum(
        _errors_with(branch, part)
        for branch, part in zip(node.branches, node.split.parts(sample), strict=True)
    )


def _recount(node: Node, sample: Sample) -> None:
    """The same questions, other cases; how missing values spread follows from these."""
    node.counts = sample.counts
    if node.split is None:
        return
    for branch, part in zip(node.branches, node.split.parts(sample), strict=True):
        _recount(branch, part)


def _wrong(counts: Floats) -> float:
    return float(counts.min())


def estimated_errors(counts: Floats) -> float:
    """Errors of a leaf at the upper end of their confidence interval: so many of its cases, were it
    used on others.

    >>> import numpy as np
    >>> from baserate_studies.weng.trees import estimated_errors
    >>> round(estimated_errors(np.array([6.0, 0.0])), 3), round(estimated_errors(np.array([14.0, 2.0])), 3)
    (1.238, 3.63)
    """  # noqa: E501
    total = float(counts.sum())
    return _wrong(counts) + more_errors(total, _wrong(counts)) if total else 0.0


def more_errors(cases: float, errors: float) -> float:
    """So many errors are to be added: the upper limit of a binomial share at a confidence of 25 %,
    by its normal approximation.
    """
    if errors < 1:
        none = cases * (1 - CONFIDENCE ** (1 / cases))
        return float(none + errors * (more_errors(cases, 1.0) - none)) if errors else float(none)
    if errors + 0.5 >= cases:
        return max(cases - errors, 0.0)
    share = (errors + 0.5) / cases
    root = np.sqrt(share / cases - share**2 / cases + Z**2 / (4 * cases**2))
    return float((share + Z**2 / (2 * cases) + Z * root) / (1 + Z**2 / cases) * cases - errors)


def _score(
    node: Node, x: Floats, rows: npt.NDArray[np.intp], weights: Floats, scores: Floats
) -> None:
    """Add each case's part of the leaves that it reaches; a branch that no training case reached
    answers as its node does.
    """
    if node.split is None:
        scores[rows] += weights * _share(node.counts)
        return
    where = node.split.branch(x[rows, node.split.column])
    for place, (branch, share) in enumerate(zip(node.branches, node.split.shares, strict=True)):
        parts = np.where(where == place, weights, np.where(where < 0, weights * share, 0.0))
        kept = parts > 0
        heir = branch if branch.counts.sum() else Node(node.counts)
        _score(heir, x, rows[kept], parts[kept], scores)


def _share(counts: Floats) -> float:
    return float(counts[1] / counts.sum()) if counts.sum() else 0.5
