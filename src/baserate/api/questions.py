"""What a verb is asked beside its data: `at`, or `prior` and `costs` in its place; and whether it
was given counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.conditions import Conditions, Costs, not_exact
from baserate.counts.amounts import Amounts
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.summaries import Summary
from baserate.distributions import (
    Distribution,
    Draws,
    Estimated,
    LogNormal,
    LogUniform,
    Pilot,
    Range,
)
from baserate.errors import quoted, refuse
from baserate.measures.confusion import Measure, checked_conditions

Prior = (
    float
    | Fraction
    | str
    | Range
    | Pilot
    | LogUniform
    | LogNormal
    | Draws
    | Distribution
    | Estimated
    | Sequence[float]
)
CostsLike = Costs | Mapping[str, Any]
Threshold = float | None
Path = str | os.PathLike[str]
Models = JointCounts | Mapping[str, Counts] | Mapping[str, Points] | Mapping[str, GroupedCounts]
Statistic = str | Measure | Summary | Callable[..., float]


def conditions(at: Any, prior: Any, costs: Any) -> Conditions | None:
    """What was given as `at`, or as `prior` and `costs`; None where nothing was."""
    if at is not None and (prior is not None or costs is not None):
        word = "prior=" if prior is not None else "costs="
        raise refuse(
            "BR418",
            f"conditions are given twice, as at= and as {word}",
            "give at=Conditions(prior, costs), or prior= and costs=",
        )
    if at is not None and not isinstance(at, Conditions):
        checked_conditions(at)
    if isinstance(prior, list | tuple | np.ndarray):
        fix = "call once for each, or give draws of one that is uncertain: prior=Draws([…])"
        if isinstance(prior, tuple) and len(prior) == 2:
            low, high = (quoted(end, quotes=False) for end in prior)
            fix = f'prior="{low}..{high}" for a range, or call once for each'
        raise refuse("BR418", "several base rates are given where one is needed", fix)
    if at is None and (prior is not None or costs is not None):
        return Conditions(prior, costs)
    return at  # type: ignore[no-any-return]


def exact(at: Any, prior: Any, costs: Any) -> Conditions | None:
    """The same, where only exact conditions can be used."""
    found = conditions(at, prior, costs)
    if found is not None and not found.is_exact:
        raise not_exact(found)
    return found


def one_or_several(at: Any, prior: Any, costs: Any) -> Any:
    """The conditions where several can be shown side by side: a list of `at` or of `prior` is
    several of them.
    """
    if isinstance(prior, list | tuple):
        return [conditions(at, one, costs) for one in prior]
    if isinstance(at, list | tuple):
        if prior is not None or costs is not None:
            conditions(at[0] if at else Conditions(), prior, costs)
        return list(at)
    return conditions(at, prior, costs)


def models_of(x: Any) -> dict[str, Any] | None:
    """The counts of several models by name; None for what is no collection of models."""
    if isinstance(x, JointCounts):
        return {name: x.marginal(name) for name in x.models}
    if isinstance(x, Mapping) and not isinstance(x, GroupedCounts):
        kinds = {type(value) for value in x.values()}
        if len(kinds) > 1:
            names = sorted(kind.__name__ for kind in kinds)
            raise refuse(
                "BR410",
                f"every model must be counted in the same way, got {' and '.join(names)}",
                "count all models in the same way",
            )
        return dict(x)
    return None


def refuse_uncounted(x: Any, verb: str) -> None:
    """What was not counted yet, and the old order of arguments, with the right call."""
    if isinstance(x, str | Measure | Summary) or (callable(x) and not hasattr(x, "columns")):
        raise refuse("BR429", "the data come first", f"{verb}(counts, …)")
    part = {GroupedCounts: ".total()", Amounts: ".counts"}.get(type(x))
    if part is not None:
        raise refuse("BR429", f"{verb} does not take {type(x).__name__}", f"{verb}(x{part}, …)")
    several = verb in ("compare", "non_inferiority")
    counted = 'count(df, label="fraud", score="logit")'
    if several:
        counted = 'count(df, label="fraud", score=["logit", "forest"])'
    if not hasattr(x, "columns") and not isinstance(x, str | os.PathLike):
        counted = (
            'count(y_true, {"a": scores, "b": others})' if several else "count(y_true, y_score)"
        )
    raise refuse("BR429", f"{verb} needs counts, got {type(x).__name__}", f"{verb}({counted}, …)")
