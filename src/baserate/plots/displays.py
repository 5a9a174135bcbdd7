"""Displays in the manner of scikit-learn, for the curves that it has none for. They hold numbers;
matplotlib is needed for `plot` alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.curve import Curve
from baserate.curves.named import CURVES
from baserate.errors import Fix, refuse
from baserate.plots.figures import panel_for
from baserate.plots.panels import DASHES, Drawable, Line, Panel, Style
from baserate.read.cases import count

At = Conditions | Sequence[Conditions] | None


class CurveDisplay(Drawable):
    """Curves of one kind, for one model or several, at one base rate or several.

    `from_predictions`, `from_estimator` and `from_cv_results` make one; it is drawn by
    `plot(ax=…)`, or at once where they are given an `ax`. `curves` has the numbers, `panel` what is
    drawn. After `plot`, `ax_` and `figure_` are those of matplotlib.
    """

    _curve: ClassVar[str]  # its name in the table of curves

    def __init__(self, curves: Mapping[str, Sequence[Curve]]) -> None:
        self.curves = {str(name): tuple(group) for name, group in curves.items()}
        self.panel: Panel = panel_for(
            [(name, curve) for name, group in self.curves.items() for curve in group]
        )

    @classmethod
    def from_counts(cls, counts: Counts | Mapping[str, Counts], *, at: At = None) -> Self:
        """The display of counts, or of the counts of several models by name."""
        models = counts if isinstance(counts, Mapping) else {"": counts}
        if not models:
            raise refuse(
                "BR650",
                "there is no curve to draw",
                'from_predictions(y, scores), or {"model": scores}',
            )
        return cls({name: cls._curves(one, at) for name, one in models.items()})

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        at: At = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str = "",
        ax: Any = None,
    ) -> Self:
        """From labels and scores; scores of several models as a dictionary by name."""
        models = y_score if isinstance(y_score, Mapping) else {name: y_score}
        counts = {
            str(key): count(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
            for key, scores in models.items()
        }
        return cls.from_counts(counts, at=at)._drawn(ax)

    @classmethod
    def from_estimator(  # noqa: PLR0913 (scikit-learn's arguments)
        cls,
        estimator: Any,
        X: Any,  # noqa: N803 (scikit-learn's name)
        y: Any,
        *,
        at: At = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """From a fitted classifier and cases: by `predict_proba`, else by `decision_function`."""
        positive = _positive(estimator, pos_label)
        shown = type(estimator).__name__ if name is None else name
        counts = count(
            y, _scores(estimator, X, positive), pos_label=positive, sample_weight=sample_weight
        )
        return cls.from_counts({shown: counts}, at=at)._drawn(ax)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803 (scikit-learn's name)
        y: Any,
        *,
        at: At = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        ax: Any = None,
    ) -> Self:
        """From what `cross_validate(…, return_estimator=True, return_indices=True)` gives: one
        curve a fold, on the cases left out.
        """
        if "estimator" not in cv_results or "indices" not in cv_results:
            raise refuse(
                "BR650",
                "the results hold no estimators or no indices",
                "cross_validate(..., return_estimator=True, return_indices=True)",
            )
        folds = {}
        for fold, (estimator, rows) in enumerate(
            zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        ):
            positive = _positive(estimator, pos_label)
            weights = None if sample_weight is None else _rows(sample_weight, rows)
            counts = count(
                _rows(y, rows),
                _scores(estimator, _rows(X, rows), positive),
                pos_label=positive,
                sample_weight=weights,
            )
            folds[f"fold {fold + 1}"] = counts
        return cls.from_counts(folds, at=at)._drawn(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes of matplotlib, or on new ones."""
        self.ax_ = self.panel.matplotlib(ax)
        self.figure_ = self.ax_.figure
        return self

    def _drawn(self, ax: Any) -> Self:
        return self if ax is None else self.plot(ax)

    @classmethod
    def _curves(cls, counts: Counts, at: At) -> list[Curve]:
        entry = CURVES[cls._curve]
        if not entry.conditions:
            if at is not None:
                raise refuse(
                    "BR519", f"{cls.__name__} does not depend on conditions", "leave at out"
                )
            return [entry.make(counts)]
        conditions = [at] if at is None or isinstance(at, Conditions) else list(at)
        return [entry.make(counts, at=one) for one in conditions]

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {sum(map(len, self.curves.values()))} curves"


def _positive(estimator: Any, pos_label: Any) -> Any:
    """The class that is positive: the one named, or the second of 0 and 1, −1 and 1, False and
    True.
    """
    classes = list(getattr(estimator, "classes_", ()))
    if len(classes) != 2:
        raise refuse(
            "BR650",
            f"a classifier of two classes is needed, got {len(classes)}",
            "fit it on two classes",
        )
    if pos_label is not None:
        if pos_label not in classes:
            raise refuse(
                "BR109",
                "pos_label is none of the classifier's classes",
                Fix.option("pos_label", classes[1]),
            )
        return pos_label
    plain = all(
        isinstance(one, bool | int | float | np.bool_ | np.integer | np.floating) for one in classes
    )
    if not plain or {float(one) for one in classes} not in ({0.0, 1.0}, {-1.0, 1.0}):
        raise refuse(
            "BR102",
            "the positive class is not known",
            Fix.option("pos_label", classes[1]),
        )
    return classes[1].item() if isinstance(classes[1], np.generic) else classes[1]


def _scores(estimator: Any, cases: Any, positive: Any) -> Any:
    """The score of the positive class."""
    second = list(estimator.classes_).index(positive) == 1
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(cases))[:, int(second)]
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(cases))
        return scores if second else -scores
    raise refuse(
        "BR650",
        f"{type(estimator).__name__} gives classes and no scores",
        "a classifier with predict_proba or decision_function",
    )


def _rows(table: Any, rows: Any) -> Any:
    """Some rows of an array, a list or a dataframe."""
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    return table[rows] if hasattr(table, "shape") else [table[row] for row in rows]


class BRocDisplay(CurveDisplay):
    """B-ROC curves: recall against the share of alerts that are false.

    >>> import baserate as br
    >>> at = [br.Conditions(prior=p) for p in (0.1, 0.01)]
    >>> br.plots.BRocDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], at=at)
    BRocDisplay: 2 curves
    """

    _curve = "broc"


class PosfracDisplay(CurveDisplay):
    """The share of cases flagged against recall."""

    _curve = "posfrac"


class PrGainDisplay(CurveDisplay):
    """Precision gain against recall gain."""

    _curve = "pr_gain"


class GainDisplay(CurveDisplay):
    """Cumulative gains: recall against the share of cases flagged."""

    _curve = "gain"


class LiftDisplay(CurveDisplay):
    """Lift against the share of cases flagged."""

    _curve = "lift"


class KsDisplay(CurveDisplay):
    """tpr − fpr against the threshold."""

    _curve = "ks"


class CostCurveDisplay(CurveDisplay):
    """The least normalized cost against the effective prior; `at` marks those of some conditions.

    >>> import baserate as br
    >>> at = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50))
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> shown = br.plots.CostCurveDisplay.from_counts(counts, at=at)
    >>> shown.panel.parts[-1].x
    (0.33557046979865773, 0.33557046979865773)
    """

    _curve = "cost"

    @classmethod
    def from_counts(cls, counts: Counts | Mapping[str, Counts], *, at: At = None) -> Self:
        found = super().from_counts(counts)
        first = next(iter(counts.values())) if isinstance(counts, Mapping) else counts
        conditions = [at] if isinstance(at, Conditions) else list(at or ())
        places = [one.within(Points.of(first).exact_prior).effective_prior for one in conditions]
        lines = [
            Line((place, place), (0.0, 1.0), f"at {one}", Style("black", dash, 1.2))
            for place, one, dash in zip(places, conditions, itertools.cycle(DASHES), strict=False)
        ]
        found.panel = found.panel.adding(*lines)
        return found


class CostThresholdDisplay(CurveDisplay):
    """Expected cost against the threshold."""

    _curve = "cost_threshold"


class BrierCurveDisplay(CurveDisplay):
    """Expected loss against the cost share of a false alarm, for scores that are probabilities."""

    _curve = "brier"


class DecisionCurveDisplay(CurveDisplay):
    """Net benefit against the threshold probability, for scores that are probabilities."""

    _curve = "decision"
