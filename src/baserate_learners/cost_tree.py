"""A decision tree that uses costs in any of four ways: splits, pruning, weights, leaves."""

from __future__ import annotations

import heapq
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from baserate import Conditions
from baserate.extend import quoted, refuse
from baserate_learners.cost_sensitive import (
    CLOSE,
    Sides,
    Wrapper,
    check_cases,
    costs_of_errors,
    find_sides,
    weights_of,
)
from baserate_learners.fitted import Floats, Ints, prior_after_fitting

# ----------------------------------------------------------------------
# Which parts of a tree are worth what they cost: the weakest links, by cost instead of by errors.


# So many strengths of pruning are tried on the folds.
MOST_TRIED = 50


class Shape(NamedTuple):
    """The children of each node of a tree, -1 at its leaves. A parent stands before its
    children.
    """

    left: Ints
    right: Ints

    @property
    def inner(self) -> Ints:
        """The nodes with children, parents first."""
        found: Ints = np.flatnonzero(self.left >= 0)
        return found

    @property
    def parents(self) -> Ints:
        """The parent of each node; -1 for the root."""
        above = np.full(len(self.left), -1, dtype=np.int64)
        for children in (self.left, self.right):
            above[children[self.inner]] = self.inner
        return above


def weakest_links(shape: Shape, alone: Floats, labelled: Floats) -> Floats:
    """From which price of a leaf on does each inner node become one? Never (infinity) where a node
    above it does before.

    `alone` is what each node costs as a leaf of its own, `labelled` what it costs as the leaf that
    it is. A node gives way once the cost that it saves, for each leaf below it beyond one, is not
    above the price. At price 0 go subtrees that are not cheaper than a leaf. Breiman, Friedman,
    Olshen & Stone 1984, §3.3 and §4, with costs for errors.
    """
    parents, prices = shape.parents, np.full(len(alone), np.inf)
    below, leaves = labelled.copy(), np.ones(len(alone), dtype=np.int64)
    for node in shape.inner[::-1]:
        below[node] = below[shape.left[node]] + below[shape.right[node]]
        leaves[node] = leaves[shape.left[node]] + leaves[shape.right[node]]
    standing = shape.left >= 0

    def link(node: int) -> tuple[float, int, int]:
        return float((alone[node] - below[node]) / (leaves[node] - 1)), node, int(leaves[node])

    queue, price = [link(int(node)) for node in shape.inner], 0.0
    heapq.heapify(queue)
    while queue:
        strength, node, then = heapq.heappop(queue)
        if not standing[node] or then != leaves[node]:
            continue  # it fell with a node above, or stands in the queue again with fewer leaves
        prices[node] = price = max(price, strength)
        _remove_below(shape, standing, node)
        saved, gone = alone[node] - below[node], leaves[node] - 1
        while node >= 0:
            below[node] += saved
            leaves[node] -= gone
            if standing[node]:
                heapq.heappush(queue, link(node))
            node = int(parents[node])
    return prices


def _remove_below(shape: Shape, standing: npt.NDArray[np.bool_], node: int) -> None:
    """Nothing below a node that became a leaf stands any more."""
    ways = [node]
    while ways:
        here = ways.pop()
        if standing[here]:
            standing[here] = False
            ways += [int(shape.left[here]), int(shape.right[here])]


def nodes_after_pruning(shape: Shape, prices: Floats, price: float) -> Ints:
    """At this price of a leaf, in which node does a case end that reaches each node?"""
    ends = np.arange(len(prices))
    for node in shape.inner:
        for child in (shape.left[node], shape.right[node]):
            if ends[node] != node or prices[node] <= price:
                ends[child] = ends[node]
    return ends


def prices_to_try(prices: Floats) -> Floats:
    """Nothing, the root alone, and what lies between two prices at which the tree changes."""
    steps = np.unique(np.concatenate(([0.0], prices[np.isfinite(prices)])))
    between = np.sqrt(steps[:-1] * steps[1:])
    tried = np.unique(np.concatenate((steps[:1], between, steps[-1:])))
    if len(tried) <= MOST_TRIED:
        return tried
    spread: Floats = tried[np.unique(np.linspace(0, len(tried) - 1, MOST_TRIED).astype(np.int64))]
    return spread


# ----------------------------------------------------------------------
# A decision tree that heeds costs in any of four ways: splits, pruning, weights, leaves.


Flags = npt.NDArray[np.bool_]


class _Grown(NamedTuple):
    """A fitted tree, and of each node: the share of each class, whether it flags as a leaf, and
    what each answer would cost there.
    """

    tree: Any
    shape: Shape
    shares: Floats
    flags: Flags
    left_alone: Floats  # what not flagging costs: the stakes of the positives in the node
    flagged: Floats  # what flagging costs: those of the negatives

    @property
    def cheap_flags(self) -> Flags:
        """Is flagging strictly cheaper? Of equals the negative class."""
        return self.left_alone - self.flagged > CLOSE * (
            np.abs(self.left_alone) + np.abs(self.flagged)
        )

    @property
    def prices(self) -> Floats:
        """The price of a leaf from which on each node becomes one, labelled as is cheapest."""
        alone = np.where(self.cheap_flags, self.flagged, self.left_alone)
        return weakest_links(self.shape, alone, np.where(self.flags, self.flagged, self.left_alone))

    def pruned(self, prices: Floats, price: float) -> tuple[Ints, Flags]:
        """Where a case of each node ends at this price, and the answer there."""
        return nodes_after_pruning(self.shape, prices, price), np.where(
            prices <= price, self.cheap_flags, self.flags
        )


class CostSensitiveTree(Wrapper):
    """A decision tree of two classes that uses the base rate and costs `at` in four ways, each
    by itself or together.

    `split`: cases weigh what they cost while splits are chosen; the shares in the nodes are those
    of the cases all the same. `prune`: a subtree becomes a leaf, labelled as is cheapest, where it
    does not save its price; the price of a leaf is the one with the least cost on `cv` folds, and
    at least 0, where subtrees go that are no cheaper than a leaf. `weights`: cases weigh what they
    cost throughout; shares are calibrated at the weighted base rate `calibrated_at_`, which is None
    where nobody knows it: with amounts, or class_weight in the tree. `leaf`: a leaf answers what
    costs least on its training cases; of equals the negative class. With `weights` it changes
    nothing: costs count once.

    None of them: the very tree of scikit-learn. `estimator` is that tree,
    DecisionTreeClassifier(random_state=0) by default. Leaves without any doubt leave
    nothing to weigh: let leaves be of several cases (min_samples_leaf), or prune. Tan, Steinbach &
    Kumar, §5.7.3.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from baserate import Conditions, Costs
    >>> from baserate_learners import CostSensitiveTree
    >>> X, y = [[0], [0], [0], [1], [1], [1]], [0, 0, 0, 0, 0, 1]
    >>> at = Conditions(costs=Costs(fp=1, fn=5))
    >>> CostSensitiveTree(at=at).fit(X, y).predict(X), CostSensitiveTree(at=at, leaf=True).fit(X, y).predict(X)
    (array([0, 0, 0, 0, 0, 0]), array([0, 0, 0, 1, 1, 1]))
    """  # noqa: E501

    def __init__(  # noqa: PLR0913
        self,
        estimator: Any = None,
        at: Conditions | None = None,
        *,
        split: bool = False,
        prune: bool = False,
        weights: bool = False,
        leaf: bool = False,
        cv: int = 5,
        pos_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.at = at
        self.split = split
        self.prune = prune
        self.weights = weights
        self.leaf = leaf
        self.cv = cv
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, amounts: Any = None) -> Self:  # noqa: N803 (scikit-learn's names)
        """The tree, grown, pruned and labelled; `amounts`: what missing each positive costs, in
        place of fn.
        """
        rows, labels = check_cases(X, y)
        found = find_sides(labels, self.at, self.pos_label)
        at_stake = costs_of_errors(found, self.at, amounts)
        grown = self._grow_tree(rows, found, at_stake)
        prices, self.price_ = np.full(len(grown.flags), np.inf), None
        if self.prune:
            prices, self.price_ = grown.prices, self._choose_price(rows, found, at_stake, grown)
        ends, self._flags = grown.pruned(prices, -1.0 if self.price_ is None else self.price_)
        self.estimator_, self._ends, self._shares = grown.tree, ends, grown.shares
        self._take_features(self.estimator_)
        self.classes_, self.place_ = found.classes, found.place
        self._set_calibration(found, at_stake, amounts)
        return self

    def _inner_estimator(self) -> Any:
        tree = DecisionTreeClassifier(random_state=0) if self.estimator is None else self.estimator
        if not isinstance(tree, DecisionTreeClassifier):
            raise refuse(
                "BR850",
                f"a cost-sensitive tree is made of a DecisionTreeClassifier, got {quoted(tree)}",
                "MetaCost or CostWeighted",
            )
        return tree

    def _grow_tree(self, X: Any, found: Sides, at_stake: Floats) -> _Grown:  # noqa: N803
        """A tree with what every node holds."""
        weights = weights_of(at_stake) if self.split or self.weights else None
        tree = clone(self._inner_estimator()).fit(
            X,
            found.classes[np.where(found.positive, found.place, 1 - found.place)],
            sample_weight=weights,
        )
        each = at_stake / len(at_stake)  # so that prices mean the same for a part of the cases
        columns = np.stack(
            [~found.positive, found.positive, ~found.positive * each, found.positive * each], axis=1
        )
        held = np.asarray(tree.decision_path(X).T @ columns)
        shares = tree.tree_.value[:, 0, :]
        if self.split and not self.weights:
            cases = held[:, :2] if found.place == 1 else held[:, 1::-1]
            shares = cases / cases.sum(axis=1, keepdims=True)
        shape = Shape(
            tree.tree_.children_left.astype(np.int64), tree.tree_.children_right.astype(np.int64)
        )
        flags = np.argmax(shares, axis=1) == found.place
        grown = _Grown(tree, shape, shares, flags, held[:, 3], held[:, 2])
        return grown._replace(flags=grown.cheap_flags) if self.leaf else grown

    def _choose_price(self, X: Any, found: Sides, at_stake: Floats, grown: _Grown) -> float:  # noqa: N803
        """The price of a leaf at which trees grown without a fold cost least on it; of equals the
        highest, which leaves the smallest tree.
        """
        tried = prices_to_try(grown.prices)
        folds = min(self.cv, int(np.bincount(found.positive).min()))
        if folds < 2:
            return 0.0  # a class with one case has no folds
        costs = np.zeros(len(tried))
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(
            at_stake, found.positive
        ):
            part = self._grow_tree(
                _safe_indexing(X, train),
                found._replace(positive=found.positive[train]),
                at_stake[train],
            )
            nodes, prices = part.tree.apply(_safe_indexing(X, test)), part.prices
            for place, price in enumerate(tried):
                ends, flags = part.pruned(prices, price)
                wrong = flags[ends[nodes]] != found.positive[test]
                costs[place] += at_stake[test][wrong].sum()
        least = costs <= costs.min() + CLOSE * np.abs(costs).max()
        return float(tried[np.flatnonzero(least)[-1]])

    def _set_calibration(self, found: Sides, at_stake: Floats, amounts: Any) -> None:
        """At which base rate the shares are probabilities: that of the cases, or of their weights;
        with weights by amount at none.

        Nor at one that is known where the tree weighs classes itself (class_weight), unless its
        shares are counted anew.
        """
        prior: Fraction | None = found.share
        if self.weights:
            prior = (
                None
                if amounts is not None
                else prior_after_fitting(
                    self.estimator_, found.weighted_share(at_stake), found.place
                )
            )
        elif not self.split:
            prior = prior_after_fitting(self.estimator_, found.share, found.place)
        self.calibrated_at_ = None if prior is None else float(prior)

    def apply(self, X: Any) -> Ints:  # noqa: N803
        """The node of the grown tree in which each case ends, after pruning."""
        check_is_fitted(self)
        found: Ints = self._ends[self.estimator_.apply(X)]
        return found

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The share of each class among the training cases of the leaf, weighted where `weights` is
        on.
        """
        nodes = self.apply(X)
        found: Floats = self._shares[nodes]
        return found

    def predict(self, X: Any) -> npt.NDArray[Any]:  # noqa: N803
        """The answer of the leaf."""
        nodes = self.apply(X)
        found: npt.NDArray[Any] = self.classes_[
            np.where(self._flags[nodes], self.place_, 1 - self.place_)
        ]
        return found
