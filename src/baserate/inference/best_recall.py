"""Who has the highest recall within a share of false alarms, and where that is significant."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from baserate.conditions import Conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import Points
from baserate.decisions.best_recall import BestRecall, lead_by_recall, prior_at_slope
from baserate.decisions.selection import chosen_among
from baserate.errors import Infeasible
from baserate.inference.best_model import SEPARATE, WEIGHED, every_pair, of_best
from baserate.inference.paired import adjusted
from baserate.results.choice import Choice
from baserate.results.values import checked_level

# Base rates at which the leader is tested. They must not depend on who leads where, so they follow
# from the number of negatives.
PLACES = 6
MIXED = "the highest recall of two mixtures of thresholds is not tested (attained=True)"
NOT_COMPARABLE = "at none of the tested base rates have two models a threshold within the limit"


def best_recall(
    models: JointCounts | Mapping[str, Counts | Points],
    *,
    fdr: Any,
    attained: bool = False,
    level: float = 0.95,
) -> BestRecall:
    """Which model has the highest recall, of the settings with at most this share of false alarms
    among the alerts, at each base rate? And where is it better than the others?

    With p the base rate and b the share, fdr <= b is fpr <= k · tpr with k = p / (1 − p) · b / (1 −
    b): only k matters. On the ROC hulls (mixtures of two thresholds) the best within b is the point
    at b, so "at a fixed B_FA" is the same question. `attained=True` takes thresholds only. Which
    hull lies above at a fixed tpr does not depend on the base rate; who leads within b does.
    Cárdenas & Baras 2006.

    Models that were counted on the same cases (`JointCounts`) are compared at six base rates, as
    `choose` compares them at one: where k is 1 / N, and from there on evenly on the log scale up to
    the last one before 1, with N negatives. Holm's adjustment is over all pairs at all of them, so
    that a model which is never better is called better at any of them in at most 5 %.
    `choose(joint, "precision >= 0.5", prior=…, optimize="tpr")` tests one base rate
    alone, and finds more.

    >>> import baserate as br
    >>> early, late = br.Points.from_rates([0.001], [0.5]), br.Points.from_rates([0.02], [0.9])
    >>> br.robustness.best_recall({"early": early, "late": late}, fdr=0.5)
    Best recall within fdr <= 0.5: from 0 to 0.001996 none; from 0.001996 to 0.02174 early; from 0.02174 to 0.5 late; from 0.5 to 1 early or late
    """  # noqa: E501
    counted = models
    if isinstance(models, JointCounts):
        counted = {name: models.marginal(name) for name in models.models}
    found = lead_by_recall(counted, fdr, attained=attained)
    return _with_tests(found, models, checked_level(level)) if len(found.models) > 1 else found


def _with_tests(
    found: BestRecall, models: JointCounts | Mapping[str, Counts | Points], level: float
) -> BestRecall:
    """With the lead of the best model at a few base rates, or why that is not tested."""
    if not isinstance(models, JointCounts) or models.weighted:
        weighed = any(
            getattr(one, "weighted", False)
            for one in ([models] if isinstance(models, JointCounts) else models.values())
        )
        return replace(found, untested=WEIGHED if weighed else SEPARATE)
    if not found.attained:
        return replace(found, untested=MIXED)
    each = {name: models.marginal(name) for name in models.models}
    rule, made = f"fdr <= {found.fdr!r}", list[Choice]()
    for place in range(PLACES):
        slope = int(models.total_negatives) ** (place / PLACES - 1)
        at = Conditions(prior_at_slope(slope, found.fdr))
        with contextlib.suppress(Infeasible):
            made.append(chosen_among(each, rule, at=at, optimize="tpr"))
    made = [choice for choice in made if len(choice.points) > 1]
    pairs = [every_pair(models, choice.points, level=level) for choice in made]
    every = iter(adjusted([one for here in pairs for one in here]))
    tested = tuple(
        replace(
            choice,
            differences=of_best([next(every) for _ in here], choice.model, "higher"),
        )
        for choice, here in zip(made, pairs, strict=True)
    )
    return replace(found, tested=tested, untested="" if tested else NOT_COMPARABLE)
