"""`triage`: which cases to act on, which to review first, and which to let pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from baserate.conditions import Conditions, CostsLike, Prior, any_conditions, given_conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import Points
from baserate.decisions.regret import candidates
from baserate.decisions.triage import find_triage
from baserate.results.notes import notes_by_model
from baserate.results.triage import Triage, Triages
from baserate.verbs.sources import refuse_uncounted, verb


@overload
def triage(
    x: Counts | Points,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    review: float | str | None = None,
    abstain: float | str | None = None,
    overlooked: float | str = 0,
    most: float | str | None = None,
    volume: float | None = None,
) -> Triage: ...
@overload
def triage(
    x: JointCounts | Mapping[str, Counts | Points],
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    review: float | str | None = None,
    abstain: float | str | None = None,
    overlooked: float | str = 0,
    most: float | str | None = None,
    volume: float | None = None,
) -> Triages: ...
@verb
def triage(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    review: float | str | None = None,
    abstain: float | str | None = None,
    overlooked: float | str = 0,
    most: float | str | None = None,
    volume: float | None = None,
) -> Any:
    """Which cases to act on, which to look at first, and which to let pass?

    The cheapest pair of thresholds, of all there are. A review has a cost per case, whatever it
    finds; what it finds is then treated as it should be, but for the positives that it overlooks.
    Abstaining instead is the reject option (Chow 1970, IEEE Transactions on Information Theory 16).

    Parameters
    ----------
    x : Counts, Points, JointCounts or mapping
        Counts of one model, or of several, which have one answer each.
    at, prior, costs
        Base rate and costs (default: those of the sample, and equal costs).
    review : float, optional
        Cost of reviewing a case.
    abstain : float, optional
        Instead of a review: cost of a case that is handed over undecided.
    overlooked : float or str
        The share of positives that a review misses.
    most : float or str, optional
        Most reviews allowed: a share of the cases ("5%"), or a number of them out of the volume.
    volume : float, optional
        Number of cases among which reviews are counted.

    Examples
    --------
    >>> import baserate as br
    >>> scores, positives, negatives = [0.9, 0.6, 0.3, 0.1], [30, 15, 4, 1], [1, 90, 300, 609]
    >>> counts = br.Counts(scores, positives, negatives)
    >>> found = br.robustness.triage(counts, prior=0.01, costs={"fp": 5, "fn": 100}, review=2)
    >>> found.act, found.review, round(found.cost, 4), round(found.without, 4)
    (0.9, 0.6, 0.2892, 0.405)
    """
    given = any_conditions(given_conditions(at, prior, costs))
    options: dict[str, Any] = {
        "review": review,
        "abstain": abstain,
        "overlooked": overlooked,
        "most": most,
        "volume": volume,
    }
    if isinstance(x, Counts | Points):
        return find_triage(Points.of(x), given, **options)
    if not isinstance(x, JointCounts | Mapping):
        refuse_uncounted(x, "triage")
    found = {one.name: find_triage(one.points, given, **options) for one in candidates(x)}
    notes = notes_by_model({name: one.notes for name, one in found.items()})
    return Triages(found, tuple(notes))
