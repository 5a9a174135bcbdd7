"""Which way of heeding costs pays in a tree? `python benchmarks/tree_switches.py [SEEDS]`.

The generators of the tests (`signs`: a broad and a narrow sign; `clouds`: Gaussian clouds), three
trees, a miss 20 times as dear as a false alarm. 1,000 training cases, 5,000 held out; the
difference of the held-out cost a case to that of the plain tree, paired over seeds, with its 95 %
bounds.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.learners.test_cost_trees import AT, clouds, cost, signs

from baserate_learners import CostSensitiveTree, CostWeighted, MetaCost, MovedThreshold

TREES = {
    "fully grown": DecisionTreeClassifier(random_state=0),
    "leaves of 10 or more": DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
    "stops at impurity 0.005": DecisionTreeClassifier(min_impurity_decrease=0.005, random_state=0),
}
SWITCHES = (
    ("split",),
    ("prune",),
    ("weights",),
    ("leaf",),
    ("split", "leaf"),
    ("prune", "leaf"),
    ("split", "prune"),
    ("split", "prune", "weights", "leaf"),
)


def ways(tree: DecisionTreeClassifier) -> dict[str, object]:
    found = {
        " + ".join(on): CostSensitiveTree(tree, AT, **dict.fromkeys(on, True)) for on in SWITCHES
    }
    found["threshold moved in theory"] = MovedThreshold(tree, AT)
    found["threshold moved by folds"] = MovedThreshold(tree, AT, method="empirical")
    found["record weights (CostWeighted)"] = CostWeighted(tree, AT)
    found["MetaCost"] = MetaCost(tree, AT.costs, resamples=20)
    return found


def measured(
    generator, tree: DecisionTreeClassifier, seeds: int
) -> tuple[float, dict[str, np.ndarray]]:
    plain, differences = [], {name: [] for name in ways(tree)}
    for seed in range(1000, 1000 + seeds):
        rng = np.random.default_rng(seed)
        (rows, labels), (field, truth) = generator(rng, 1000), generator(rng, 5000)
        plain.append(cost(truth, clone(tree).fit(rows, labels).predict(field)))
        for name, learner in ways(tree).items():
            differences[name].append(
                cost(truth, learner.fit(rows, labels).predict(field)) - plain[-1]
            )
    return float(np.mean(plain)), {name: np.array(values) for name, values in differences.items()}


def main(seeds: int) -> None:
    from scipy.stats import t

    for generator in (signs, clouds):
        results = {name: measured(generator, tree, seeds) for name, tree in TREES.items()}
        print(
            f"\n## {generator.__name__}\n\n| | {' | '.join(results)}"
            f" |\n|---|{'---|' * len(results)}"
        )
        print(
            "| plain tree, cost a case |"
            f" {' | '.join(f'{plain:.3f}' for plain, _ in results.values())} |"
        )
        for name in ways(DecisionTreeClassifier()):
            told = []
            for _, differences in results.values():
                values = differences[name]
                half = t.ppf(0.975, seeds - 1) * values.std(ddof=1) / np.sqrt(seeds)
                told.append(
                    f"{values.mean():+.3f} ({values.mean() - half:+.3f} to"
                    f" {values.mean() + half:+.3f})"
                )
            print(f"| {name} | {' | '.join(told)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
