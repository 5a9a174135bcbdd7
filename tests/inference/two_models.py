"""Models to compare: on the same cases, on different ones, and by group."""

import numpy as np

import baserate as br


def models(names="ab", cases=120, seed=0, prior=0.4):
    rng = np.random.default_rng(seed)
    labels = (np.arange(cases) < prior * cases).astype(int)
    shared = rng.normal(size=cases)
    return labels, {
        name: np.round(shared + rng.normal(size=cases) + (1 + k / 4) * labels, 1)
        for k, name in enumerate(names)
    }


def joint(names="ab", **options):
    return br.count(*models(names, **options))


def separate(**options):
    labels, scores = models(**options)
    return {name: br.count(labels, values) for name, values in scores.items()}


def grouped_models(**changes):
    labels, scores = models()
    return {
        name: br.count(
            changes.get("labels", {}).get(name, labels),
            values,
            cluster=changes.get("groups", {}).get(name, np.arange(120) % 30),
        )
        for name, values in scores.items()
    }


def pairs(only_old, only_new, both=0, neither=0, label=None):
    """Joint counts in which so many cases only the old, or only the new model has right, at
    threshold 0.5.
    """
    right = [(1, 0)] * only_old + [(0, 1)] * only_new + [(1, 1)] * both + [(0, 0)] * neither
    y = [i % 2 if label is None else label for i in range(len(right))]
    scores = [
        [int(is_right == y_i) for (is_right, y_i) in zip(column, y, strict=True)]
        for column in zip(*right, strict=True)
    ]
    return br.count(y, dict(zip(("old", "new"), scores, strict=True)), pos_label=1)
