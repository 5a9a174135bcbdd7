"""Trees and the rare class: rules that are specialised and prone to noise, and the four ways to let
a tree heed costs (§5.7.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import baserate as br
from baserate_studies.arrays import Floats
from baserate_studies.claims import Claim
from baserate_studies.stating import stated
from baserate_studies.tan.samples import records, spread

WAYS = {
    "split": "choose the best attribute to split on",
    "prune": "determine whether a subtree should be pruned",
    "weights": "manipulate the weights of the training records",
    "leaf": "modify the decision rule at each leaf",
}
# Drummond & Holte 2000, ICML:239-246, found splits hardly sensitive to costs.
REMARKS = {
    "split": (
        "; by itself, where leaves go on answering by majority, as here, another choice of splits"
        " saves nothing on these records"
    )
}
COSTS = br.Costs(fp=1, fn=20)
NOISE = 0.02


def claims(seeds: int) -> Iterator[Claim]:
    """T3, T4 and T29, each with trees of so many seeds."""
    yield from _specialised(seeds)
    yield from _four_ways(seeds)


def boxed(seed: int, size: int = 4000) -> tuple[Floats, Any]:
    """Records of eight attributes; one in twenty is positive, most of those within a box of the
    first four.
    """
    rng = np.random.default_rng(seed)
    x = rng.random((size, 8))
    inside = ((x[:, :4] > 0.35) & (x[:, :4] < 0.85)).all(axis=1)
    return x, inside & (rng.random(size) < 0.9)


def rules(seed: int, noise: float) -> Floats:
    """Of a tree: conditions and training records of a rule, for the rare class and the other; then
    accuracy and precision on new records.
    """
    from sklearn.tree import DecisionTreeClassifier

    (x, labels), (unseen, truth) = boxed(seed), boxed(1000 + seed)
    wrong = np.random.default_rng(2000 + seed).random(len(labels)) < noise
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(x, labels ^ wrong)
    flagged = tree.predict(unseen).astype(np.bool_)
    conditions = np.asarray(tree.decision_path(unseen).sum(axis=1)).ravel() - 1
    held = tree.tree_.n_node_samples[tree.apply(unseen)]
    model = br.choose(br.count(truth, flagged.astype(np.int64)), threshold=1)
    return np.array(
        [
            conditions[flagged].mean(),
            conditions[~flagged].mean(),
            held[flagged].mean(),
            held[~flagged].mean(),
            model["accuracy"],
            model["precision"],
        ]
    )


def _specialised(seeds: int) -> Iterator[Claim]:
    clean, noisy = (
        np.mean([rules(seed, noise) for seed in range(seeds)], axis=0) for noise in (0.0, NOISE)
    )
    deep, shallow, few, many = clean[:4]
    words = (
        f"{deep:.1f} conditions and {few:.0f} training records a rule for the rare class,"
        f" {shallow:.1f} and {many:.0f} for the other"
    )
    made = (
        f"trees on generated records, of which one in twenty is positive; means over {seeds} seeds"
    )
    yield stated(
        "rules-for-the-rare-class",
        "T4",
        "highly specialised",
        words,
        holds=deep > shallow and few < many,
        note=f"taken as specialised: more conditions and fewer records; {made}",
    )
    words = f"precision {clean[5]:.3f} → {noisy[5]:.3f}, accuracy {clean[4]:.3f} → {noisy[4]:.3f}"
    holds = clean[5] - noisy[5] > clean[4] - noisy[4] > 0
    yield stated(
        "noise-and-the-rare-class",
        "T4",
        "susceptible to noise",
        words,
        holds=bool(holds),
        note=(
            "taken as susceptible: precision loses more than accuracy does; with 2 % of the"
            f" training labels wrong; {made}"
        ),
    )


def saved(way: str, seeds: int) -> Floats:
    """By how much is one case of the test set cheaper, seed by seed, if a tree heeds costs in this
    one way?
    """
    from sklearn.tree import DecisionTreeClassifier

    from baserate_learners import CostSensitiveTree

    at, tree = (
        br.Conditions(costs=COSTS),
        DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    )
    found = []
    for seed in range(seeds):
        train, (x, labels) = records(seed), records(1000 + seed, times=5)
        costs = []
        for learner in (CostSensitiveTree(tree, at), CostSensitiveTree(tree, at, **{way: True})):
            flagged = learner.fit(*train).predict(x).astype(np.int64)
            costs.append(
                float(br.choose(br.count(labels, flagged), threshold=1, at=at)["expected_cost"])
            )
        found.append(costs[0] - costs[1])
    return np.array(found)


def _four_ways(seeds: int) -> Iterator[Claim]:
    note = (
        f"a miss costs {COSTS.fn:g} false alarms; cost a case on new records, {seeds} seeds, mean"
        " and 95 % interval of the difference"
    )
    for way, says in WAYS.items():
        mean, low, high = spread(saved(way, seeds))
        words = f"saves {mean:.3f} a case ({low:.3f} to {high:.3f})"
        rows = "T29 T3" if way == "split" else "T29"
        yield stated(
            f"cost-sensitive-{way}",
            rows,
            says,
            words,
            holds=low > 0,
            note=note + REMARKS.get(way, ""),
        )
