"""Figs 1 to 7 of Weng & Poon; Figs 1 and 5 to 7 were published without data, and are drawn with the
properties that the text states.
"""

from __future__ import annotations

import numpy as np

from baserate import Conditions, Counts, Curve, Points, curve, pr, roc
from baserate.curves import cost_lines, ideal_baseline, strip_weights
from baserate.plots import Figure, cost_panel, curve_panel, roc_panel
from baserate_studies.drawings import strips_panel
from baserate_studies.values import Picture
from baserate_studies.weng.formulas import UNEVEN, A, B, equal_to_a
from baserate_studies.weng.scores import folds

GRID = np.linspace(0, 1, 201)
MODEL = Counts(
    range(9, -1, -1),
    [40, 30, 30, 25, 20, 15, 15, 10, 10, 5],
    [2, 4, 10, 24, 60, 200, 500, 1000, 2000, 6000],
)


def pictures() -> tuple[Picture, ...]:
    """All seven."""
    both = {"A": roc(A), "B": roc(B)}
    stairs = Points.from_rates((np.arange(1, 7) / 7) ** 3 * 0.8, np.arange(1, 7) / 7)
    lines = cost_panel({"least cost": curve(MODEL, "cost")}, lines=cost_lines(MODEL))
    same = {"A": roc(A), "C": roc(equal_to_a())}
    return (
        Picture(
            "fig1",
            ("W19",),
            "Fig 1: one AUC of .85, and A finds every positive first.",
            roc_panel(both, title="A and B"),
        ),
        Picture(
            "fig2",
            ("W20",),
            "Fig 2: each strip passes half of its weight upwards.",
            strips_panel({"ROC": roc(stairs)}, list(strip_weights(7, 0.5))),
        ),
        Picture(
            "fig3",
            ("W26", "W27"),
            "Fig 3: what must be beaten at costs of 1 to 5, with classes 1 : 1 and 1 : 4.",
            _baselines(),
        ),
        Picture(
            "fig4",
            ("W30",),
            "Fig 4: anneal-2, mean over 100 folds; nb reaches every positive before svm does.",
            _anneal(),
        ),
        Picture(
            "fig5",
            ("W34",),
            "Fig 5: A and C differ, and have one weighted area.",
            roc_panel(same, title="A and C"),
        ),
        Picture(
            "fig6",
            ("W35",),
            "Fig 6: a cost curve; biased costs shift the weight to the right.",
            lines,
        ),
        Picture(
            "fig7",
            ("W36",),
            "Fig 7: precision and recall; biased costs shift the weight to the right.",
            curve_panel({"model": pr(MODEL)}),
        ),
    )


def _baselines() -> Figure:
    panels = []
    for words, prior in (("100 : 100", "1/2"), ("100 : 400", "1/5")):
        line = ideal_baseline(Conditions(prior=prior, costs=UNEVEN))
        panels.append(
            roc_panel({"a model": roc(MODEL)}, baseline=line, title=f"Classes {words}, costs 1 : 5")
        )
    return Figure("The ideal baseline", tuple(panels))


def _anneal() -> Figure:
    curves = {
        name: _averaged(folds("anneal-2", learner))
        for name, learner in (("nb", "nb"), ("svm", "smo"))
    }
    return Figure("anneal-2", (roc_panel(curves, title="nb and svm"),), 1)


def _averaged(every: list[Counts]) -> Curve:
    """The ROC on average over the folds, at each false alarm rate."""
    read = [
        np.interp(GRID, points.fpr, points.tpr)
        for points in map(Points.of, every)
        if points.total_positives and points.total_negatives
    ]
    return roc(Points.from_rates(GRID, np.mean(read, axis=0)))
