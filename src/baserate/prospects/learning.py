"""What is it worth to find out the base rate, or a cost, before choosing?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from baserate.arithmetic import rounded
from baserate.errors import refuse
from baserate.prospects.integrals import least
from baserate.prospects.regrets import Staged, staged
from baserate.prospects.scenes import Scene, checked
from baserate.prospects.settings import Model, candidates
from baserate.spreads import BELIEVED
from baserate.uncertain import Uncertain

EVERY_PART = "everything"


@dataclass(frozen=True)
class Learning:
    """What a case costs where one chooses now, and where one first learns a part (or everything) and then chooses.

    `values` has the difference by part: what knowing it exactly is worth a case, on average. `errors` bound the integration.
    """

    now: float
    values: Mapping[str, float]
    errors: Mapping[str, float]
    at: Uncertain

    def __getitem__(self, part: str) -> float:
        return self.values[part]


def value_of_learning(models: Mapping[str, Model], *, at: Uncertain) -> Learning:
    """What is it worth a case to know the base rate, or a cost, exactly before choosing model and threshold?

    The cost of the best fixed choice less the average cost of choosing anew for each value that could be learned, other parts still
    unknown. The re-chosen cost is concave and straight between borders, so it is integrated exactly. Parts must be distributions or
    lists: of a range nothing says how often each value comes; there, `decide(…).regret` is the price of not knowing.

    >>> import baserate as br
    >>> a = br.Counts([2, 1, 0], positives=[6, 3, 1], negatives=[1, 20, 79])
    >>> found = br.value_of_learning({"a": a}, at=br.Uncertain(prior=br.LogUniform(0.001, 0.2), costs={"fn": 10}))
    >>> round(found.now, 4), round(found["prior"], 4)
    (0.1599, 0.0393)
    """
    every = candidates(models)
    if not isinstance(checked(at), Uncertain) or at.has_range or not any(isinstance(part, BELIEVED) for part in (at.prior, *at.costs.values())):
        text = "what learning is worth on average needs a distribution of what may be learned"
        raise refuse("BR588", text, "Uncertain(prior=LogUniform(1e-5, 1e-3)), or decide(...).regret over a range")
    found = staged(every, at)
    if len(found) > 1:
        raise refuse("BR588", "what learning is worth is asked of one site at a time", "groups[site]")
    return _learning(found[0], at)


def _learning(part: Staged, at: Uncertain) -> Learning:
    stakes, scene = part.stakes, part.scene
    effective = stakes.miss / (stakes.miss + stakes.alarm)
    now = next(region for region in part.regions if region.low <= effective <= region.high).corner.stake(stakes.miss, stakes.alarm)
    values, errors = {}, {}
    names = () if scene.joint else scene.believed
    for name, learned in {**{name: _others_known(scene, name) for name in names}, EVERY_PART: scene}.items():
        then = part.least if name == EVERY_PART else least(part.regions, learned)
        values[name], errors[name] = max(0.0, rounded(now - then.value)), then.error
    return Learning(rounded(now + stakes.base), values, errors, at)


def _others_known(scene: Scene, name: str) -> Scene:
    """The scene in which only one part will be learned: costs are straight in the others, so that their means decide."""
    means = {other: Fraction(getattr(scene, other).mean) for other in scene.believed if other != name}
    return scene.given(**means)
