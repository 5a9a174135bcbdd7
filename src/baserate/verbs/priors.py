"""`estimate_prior`: the base rate of the field, from cases without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.errors import CASE_CONTROL, Note, name_models, quoted, refuse
from baserate.inference.resample import Progress
from baserate.results.notes import merge_notes, notes_by_model
from baserate.shift import estimate
from baserate.shift.estimate import ADJUSTED, EM, REPLICATES, PriorEstimate, PriorEstimates
from baserate.verbs.sources import Threshold, models_of


@overload
def estimate_prior(
    x: Counts,
    unlabelled: Unlabelled,
    /,
    *,
    method: str | None = None,
    calibrated_at: Any = None,
    threshold: Threshold = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> PriorEstimate: ...
@overload
def estimate_prior(
    x: JointCounts | Mapping[str, Counts],
    unlabelled: Mapping[str, Unlabelled],
    /,
    *,
    method: str | None = None,
    calibrated_at: Any = None,
    threshold: Threshold | Mapping[str, Threshold] = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> PriorEstimates: ...
def estimate_prior(  # noqa: PLR0913 (each is a word that users say)
    x: Any,
    unlabelled: Any,
    /,
    *,
    method: str | None = None,
    calibrated_at: Any = None,
    threshold: Any = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Which share of the unlabelled cases is positive, if only the base rate changed?

    "adjusted-count": (share flagged − FPR) / (TPR − FPR), TPR and FPR from the labelled counts. Any
    score will do. Forman 2008, Data Mining and Knowledge Discovery 17; with a hard classifier it is
    BBSE, Lipton, Wang & Smola 2018, ICML. "em": the most likely share where scores are
    probabilities; Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21-41. The interval
    is the percentile bootstrap over both samples: the labelled cases by class, and the unlabelled
    ones.

    Parameters
    ----------
    x : Counts, JointCounts or mapping
        Labelled counts of one model, or of several by name.
    unlabelled : Unlabelled or mapping
        The unlabelled cases as that model scored them; of several models by name.
    method : str, optional
        "adjusted-count", or "em", the default where `calibrated_at` is given. Of models by name
        there are both by default where it is given.
    calibrated_at : float or str, optional
        The base rate at which the scores are calibrated probabilities ("sample" for the labelled
        cases).
    threshold : float or mapping, optional
        Count the cases flagged here, instead of where the classes differ most.
    level : float
        Confidence level.
    replicates : int
        Number of bootstrap resamples (default: 2000).
    seed : int
        Random seed.
    progress : callable, optional
        Is given the share that is done.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.Counts([4, 3, 2, 1], [400, 300, 200, 100], [100, 300, 800, 2800])
    >>> field = br.count_unlabelled([4] * 150 + [3] * 300 + [2] * 750 + [1] * 2500)
    >>> br.estimate_prior(counts, field)
    Interval: prior 0.04054, 95 % from 0.009208 to 0.07566 (adjusted-count)
    """
    options: dict[str, Any] = {
        "level": level,
        "replicates": replicates,
        "seed": seed,
        "progress": progress,
    }
    models = models_of(x)
    if models is None:
        return estimate.estimate_prior(
            x,
            unlabelled,
            method=method,
            calibrated_at=calibrated_at,
            threshold=threshold,
            **options,
        )
    usual = (ADJUSTED,) if calibrated_at is None else (EM, ADJUSTED)
    methods = usual if method is None else (method,)
    cuts = _threshold_of_each(threshold, list(models))
    estimates = {}
    for name, counts in models.items():
        if name not in unlabelled:
            text = f"the unlabelled cases have no score {quoted(name)}"
            raise refuse("BR408", text, "count_unlabelled(scores) of each model, by name")
        estimates[name] = tuple(
            estimate.estimate_prior(
                counts,
                unlabelled[name],
                method=one,
                calibrated_at=calibrated_at if one == EM else None,
                threshold=cuts[name] if one == ADJUSTED else None,
                **options,
            )
            for one in methods
        )
    first = next(iter(models.values()))
    notes = _notes_of_estimates(models, unlabelled, estimates)
    is_chosen = first.ledger.design == CASE_CONTROL
    return PriorEstimates(estimates, float(first.prior), is_chosen, notes)


def _threshold_of_each(threshold: Any, models: Sequence[str]) -> Mapping[str, Threshold]:
    """Return the threshold of each model, of one for all or one each."""
    if not isinstance(threshold, Mapping):
        return dict.fromkeys(models, threshold)
    for name in threshold:
        if name not in models:
            text = f"a threshold is given for {quoted(name)}, which is not a model"
            raise refuse("BR408", text, f"one of {', '.join(map(quoted, models))}")
    for name in models:
        if name not in threshold:
            raise refuse("BR529", f"no threshold is given for {quoted(name)}", "give one each")
    return threshold


def _notes_of_estimates(
    models: Mapping[str, Counts],
    unlabelled: Mapping[str, Unlabelled],
    estimates: Mapping[str, tuple[PriorEstimate, ...]],
) -> tuple[Note, ...]:
    """Return the notes of both samples and of the estimates, of several models with their names."""
    of_counts = notes_by_model({name: one.notes for name, one in models.items()})
    of_field = unlabelled[next(iter(models))].notes
    of_estimates = [
        name_models(note, (name,)) if len(models) > 1 else note
        for name, several in estimates.items()
        for one in several
        for note in one.notes
    ]
    return tuple(merge_notes([*of_counts, *of_field, *of_estimates]))
