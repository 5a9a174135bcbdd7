"""The slides' ROC: corners, continuous outputs, the tree, one dimension, comparing models, and the
ten instances.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

import baserate as br
from baserate_studies import drawings
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, printed, stated, unavailable
from baserate_studies.tan.curves import COLUMNS, NAMES, SCORES, crossing_models, ten_records
from baserate_studies.values import Picture

# The two matrices of the tree, with the negative class listed first; rows o and +.
TREES = {
    "0.3": br.Confusion(tn=645, fp=209, fn=298, tp=948),
    "0.7": br.Confusion(tn=181, fp=673, fn=78, tp=1168),
}


def claims() -> Iterator[Claim]:
    """S14 to S21."""
    counts = ten_records()
    places = [
        (point.fpr, point.tpr)
        for point in (br.choose(counts, threshold=t) for t in (1.0, 0.9, 0.6, 0.3, 0.0))
    ]
    words = " → ".join(f"({x:g}, {y:g})" for x, y in places)
    rising = (
        len(set(places)) == len(places)
        and places == sorted(places)
        and all(one[1] <= two[1] for one, two in itertools.pairwise(places))
    )
    note = "FPR, TPR of the ten instances at 1, .9, .6, .3, 0"
    yield stated(
        "threshold-and-point",
        "S14",
        "changing the threshold changes the location",
        words,
        holds=rising,
        note=note,
    )
    yield from _corners()
    yield _outputs()
    yield from _tree()
    yield from _one_dimension()
    yield from _comparison()
    yield from _table(counts)


def _corners() -> Iterator[Claim]:
    counts = br.count([0, 0, 1], [0.1, 0.2, 0.9])
    for name, threshold, corner in (
        ("negative", None, (0, 0)),
        ("positive", 0, (1, 1)),
        ("ideal", 0.9, (1, 0)),
    ):
        point = br.choose(counts, threshold=threshold)
        yield formula(
            f"corner-{name}", "S15", corner, (point.tpr, point.fpr), note="TPR, FPR", in_print=True
        )
    rng, labels = np.random.default_rng(15), np.repeat([1, 0], [50, 80])
    scores = np.round(rng.normal(-labels, 1), 1)
    below, turned = br.auc(br.count(labels, scores)), br.auc(br.count(labels, -scores))
    holds = below < 0.5 and math.isclose(below + turned, 1, rel_tol=1e-14)
    words = (
        f"AUC {below:.4f}, and with the scores turned round {turned:.4f}, which is 1 less the other"
    )
    yield stated(
        "below-the-diagonal",
        "S15",
        "the prediction is the opposite of the true class",
        words,
        holds=holds,
        note="130 cases, seed 15",
    )


def learners() -> dict[str, Any]:
    """One of each kind that the slide lists, as scikit-learn has them; of rules, one."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    return {
        "decision tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "weighted rules": make_pipeline(
            KBinsDiscretizer(6, encode="onehot-dense", strategy="uniform"), LogisticRegression()
        ),
        "neural network": MLPClassifier((8,), max_iter=2000, random_state=0),
        "Bayes": GaussianNB(),
        "3 nearest neighbours": KNeighborsClassifier(3),
        "SVM": SVC(kernel="linear"),
    }


def _outputs() -> Claim:
    from baserate import response

    rng, labels = np.random.default_rng(16), np.arange(200) % 4 == 0
    x = rng.normal(labels[:, None] * 1.5, 1.0, (200, 2))
    found = {
        name: response(learner.fit(x[:120], labels[:120]), x[120:])
        for name, learner in learners().items()
    }
    distinct = {name: len(np.unique(given.scores)) for name, given in found.items()}
    areas = {name: br.auc(br.count(labels[120:], given.scores)) for name, given in found.items()}
    words = ", ".join(f"{name} {count}" for name, count in distinct.items())
    told = "; ".join(
        f"{name} by {given.kind}, AUC {areas[name]:.3f}" for name, given in found.items()
    )
    holds = all(count > 2 for count in distinct.values()) and all(
        area > 0.7 for area in areas.values()
    )
    made = "distinct scores of 80 generated cases (seed 16), where a predicted class would have 2"
    note = f"taken as continuous: more than 2 of them, and an AUC over .7; {made}; {told}"
    return stated(
        "continuous-outputs",
        "S16",
        "trees, rules, neural networks, Bayes, neighbours, SVM",
        words,
        holds=holds,
        note=note,
    )


def _tree() -> Iterator[Claim]:
    for alpha, model in TREES.items():
        rates = tuple(float(model[name]) for name in ("tpr", "fpr", "accuracy"))
        reason = "the slide prints the matrix alone"
        yield Claim(
            f"tree-alpha-{alpha}-rates",
            ("S17",),
            None,
            rates,
            reason=reason,
            note="TPR, FPR and accuracy, with + as the positive class",
        )
    first, second = (TREES[alpha]["fpr"] for alpha in ("0.3", "0.7"))
    yield stated(
        "tree-alpha",
        "S17",
        "α is the threshold on the score for +",
        f"FPR rises from {first:.4f} to {second:.4f} as α rises",
        holds=second < first,
        errata="B14",
        note=(
            "a higher threshold flags less; the matrices fit “predict + where P(o) ≤ α”, and α is"
            " no Type I error either"
        ),
    )


def _one_dimension() -> Iterator[Claim]:
    labels, x = [0, 1, 0, 1, 1], [1.0, 2.0, 2.0, 3.0, 4.0]
    counts = br.count(labels, x)
    for t in (2.0, 3.0):
        strict = [label for label, value in zip(labels, x, strict=True) if value > t]
        point = br.choose(counts, threshold=math.nextafter(t, math.inf))
        note = "TP and FP; here score ≥ threshold is flagged, so x > t is the next number above t"
        yield formula(
            f"x-above-{t:g}",
            "S18",
            (sum(strict), len(strict) - sum(strict)),
            (point.tp, point.fp),
            note=note,
        )


def _comparison() -> Iterator[Claim]:
    pair = crossing_models()
    found = br.curves.superiority(pair["M1"], pair["M2"])
    note = "the two curves were not published; a stand-in with their property"
    words = "; ".join(
        f"{one.better} from {one.low:.2g} to {one.high:.2g}" for one in found.stretches
    )
    holds = found.dominant == "neither" and (
        found.stretches[0].better,
        found.stretches[-1].better,
    ) == ("first", "second")
    yield stated(
        "m1-and-m2",
        "S19",
        "M1 is better for small FPR, M2 for large",
        words,
        holds=holds,
        note=note,
    )
    yield unavailable(
        "m1-and-m2-curves", "S19", "two curves", "the data of the figure were not published"
    )
    yield formula("ideal-area", "S19", 1, br.auc(br.count([0, 1], [0.1, 0.9])), in_print=True)
    yield formula(
        "area-of-guessing",
        "S19",
        Fraction(1, 2),
        br.auc(br.count([0, 1], [0.5, 0.5])),
        in_print=True,
    )


def _table(counts: br.Counts) -> Iterator[Claim]:
    points = br.Points.of(counts)
    unique = points.thresholds[1:].tolist()
    words = f"{len(unique)} thresholds, {len(points)} operating points"
    yield stated(
        "unique-scores",
        "S20",
        "a threshold at each unique value of the score",
        words,
        holds=unique == sorted(set(SCORES), reverse=True),
    )
    for number, (threshold, column) in enumerate(COLUMNS, start=1):
        shown = column.replace(
            "1 0 5 4 0.4 0", "1 0 5 4 0.2 0"
        )  # the slide has what the book misprints
        point = br.choose(counts, threshold=float(threshold))
        errata = "B5" if number in (6, 7) else ""
        note = f"TP, FP, TN, FN, TPR, FPR at ≥ {threshold}" + (
            "; three instances tie at .85" if errata else ""
        )
        yield printed(
            f"table-column-{number}",
            "S21",
            shown,
            (point[name] for name in NAMES),
            errata=errata,
            note=note,
        )


def pictures() -> Iterator[Picture]:
    """The 1-D example, the two trees, the models compared, and the ten instances."""
    x = np.linspace(-4, 6, 401)
    densities = {
        name: np.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi)
        for name, mean in (("positive", 2.0), ("negative", 0.0))
    }
    words = (
        "ROC curve example: any point at x > t is classified as positive. Two normal classes; the"
        " slide has no numbers."
    )
    yield Picture(
        "one-dimension", ("S18", "S14"), words, drawings.density_panel(x, densities, threshold=1.2)
    )
    trees = br.Points.from_rates(
        [model["fpr"] for model in TREES.values()], [model["tpr"] for model in TREES.values()]
    )
    names = {
        f"α = {alpha}": br.choose(trees, threshold=trees.threshold(place))
        for place, alpha in enumerate(TREES, start=1)
    }
    yield Picture(
        "tree",
        ("S17",),
        "The two matrices of the tree as points of a ROC.",
        br.plots.roc_panel(br.roc(trees), points=names, title="Tree"),
    )
    pair = {name: br.roc(points) for name, points in crossing_models().items()}
    words = (
        "Using ROC for model comparison: no model consistently outperforms the other. A stand-in"
        " with that property."
    )
    yield Picture("comparison", ("S19",), words, br.plots.roc_panel(pair, title="M1 against M2"))
    counts = ten_records()
    points = {f"{score:g}": br.choose(counts, threshold=float(score)) for score in counts.scores}
    words = "How to construct a ROC curve: one step for each unique score of the ten instances."
    yield Picture(
        "ten-instances",
        ("S20", "S21"),
        words,
        br.plots.roc_panel(br.roc(counts), points=points, title="ROC of the ten instances"),
    )
