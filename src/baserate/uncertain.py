"""`Uncertain`: conditions that are not known exactly. A base rate within a range, from a pilot sample, or as a distribution; costs too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import notations
from baserate.arithmetic import rounded
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.errors import Fix, quoted, refuse
from baserate.spreads import (
    BELIEVED,
    SPREADS,
    STEPS,
    Distribution,
    Draws,
    Estimated,
    LogNormal,
    LogUniform,
    Pilot,
    Range,
    is_frozen,
    nearly_all,
)

COST_STEPS = 3
OUTCOMES = ("fp", "fn", "tp", "tn")
# How much of a log-normal distribution of base rates may lie above 1; it is taken given that it does not.
OUTSIDE = 1e-3


class Drawn(NamedTuple):
    """Draws of the conditions, in step; a number where it is known. `prior` is None for the sample's own."""

    prior: Any
    fp: Any
    fn: Any
    tp: Any
    tn: Any

    def row(self, place: int) -> Drawn:
        """One of the draws, all of its parts numbers."""
        return Drawn(*(float(part[place]) if isinstance(part, np.ndarray) else part for part in self))


@dataclass(frozen=True, repr=False)
class Uncertain:
    """At which base rate and costs, where they are not known exactly?

    `prior` and every cost may be a number, a `Range`, a distribution (`LogUniform`, `LogNormal`, a frozen one of `scipy.stats`), or a list
    of values (`Draws`, each as likely as any other); a prior may also be a `Pilot` sample, or text such as "1e-5..1e-3" for a range. What
    lies in a range is answered for all of the range together. Distributions are independent; but `Draws` of one length for several parts
    belong together, draw by draw.

    >>> import baserate as br
    >>> br.Uncertain(prior="1e-5..1e-3", costs={"fn": br.Range(100, 1000), "fp": 1})
    Uncertain(prior=1e-05..0.001, fp=1, fn=100..1000)
    """

    prior: Any = None
    costs: Any = None
    costs_given: bool = field(init=False, repr=False)
    # Were costs given as earnings? Then they are told as such.
    earned: bool = field(default=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "earned", self.earned or getattr(self.costs, "earned", False))
        object.__setattr__(self, "prior", _prior(self.prior))
        object.__setattr__(self, "costs_given", self.costs is not None)
        object.__setattr__(self, "costs", _costs(self.costs))
        self._check_costs()

    def _check_costs(self) -> None:
        """Refuse costs of the wrong order, wherever they may lie: at every end of each, or draw by draw where draws belong together."""
        parts = [self.costs[name] for name in OUTCOMES]
        drawn = [np.asarray(part.values) for part in parts if isinstance(part, Draws)]
        if len(drawn) > 1 and len({len(values) for values in drawn}) == 1:
            rows = [np.asarray(part.values) if isinstance(part, Draws) else np.full(len(drawn[0]), _middle(part)) for part in parts]
            fp, fn, tp, tn = (np.asarray(row, dtype=np.float64) for row in rows)
            worst = int(np.argmin(np.minimum(fn - tp, fp - tn)))
            Costs(*(row[worst].item() for row in (fp, fn, tp, tn)))
            return
        for setting in self._settings(ends=True):
            Costs(**{name: setting[name] for name in OUTCOMES})

    def __hash__(self) -> int:
        return hash((self.prior, tuple(self.costs.items()), self.costs_given))

    @property
    def has_range(self) -> bool:
        """Does the answer have to hold for a whole range?"""
        return any(isinstance(part, Range) for part in (self.prior, *self.costs.values()))

    @property
    def as_in_sample(self) -> bool:
        return self.prior is None

    def pinned(self, steps: int = STEPS, cost_steps: int = COST_STEPS) -> Iterator[Uncertain]:
        """The same with every range replaced by one of its values, all over it; ranges of base rates and of costs in so many steps."""
        for setting in self._settings(ends=False, steps=(steps, cost_steps)):
            yield Uncertain(setting["prior"], {name: setting[name] for name in OUTCOMES} if self.costs_given else None, earned=self.earned)

    def _settings(self, *, ends: bool, steps: tuple[int, int] = (STEPS, COST_STEPS)) -> Iterator[dict[str, Any]]:
        names = ("prior", *OUTCOMES)
        choices = []
        for part in (self.prior, *(self.costs[name] for name in OUTCOMES)):
            if ends:
                choices.append(_ends(part))
            else:
                choices.append(part.grid(steps[1] if choices else steps[0]) if isinstance(part, Range) else [part])
        for values in product(*choices):
            yield dict(zip(names, values, strict=True))

    def middle(self) -> Conditions:
        """One set of conditions in the midst of what is possible."""
        costs = Costs.told({name: _middle(self.costs[name]) for name in OUTCOMES}, earned=self.earned) if self.costs_given else None
        return Conditions(_middle(self.prior), costs)

    def known(self, drawn: Drawn) -> Conditions:
        """Conditions of which every part was drawn or is known; without costs where none were given."""
        costs = Costs(**{name: getattr(drawn, name) for name in OUTCOMES}) if self.costs_given else None
        return Conditions(drawn.prior, costs)

    def draw(self, rng: np.random.Generator, count: int) -> Drawn:
        """Conditions drawn from what is believed; ranges must be pinned first."""
        parts = (self.prior, *(self.costs[name] for name in OUTCOMES))
        lengths = [len(part.values) for part in parts if isinstance(part, Draws)]
        joint = len(lengths) > 1 and len(set(lengths)) == 1
        rows = rng.integers(0, lengths[0], count) if joint else None
        return Drawn(*(self._one(part, rng, count, rows) for part in parts))

    @staticmethod
    def _one(part: Any, rng: np.random.Generator, count: int, rows: npt.NDArray[np.int64] | None) -> Any:
        if rows is not None and isinstance(part, Draws):
            return np.asarray(part.values)[rows]
        return part.draw(rng, count) if isinstance(part, BELIEVED) else part

    def __repr__(self) -> str:
        given = {"prior": self.prior} if self.prior is not None else {}
        if self.costs_given:
            given |= {name: cost for name, cost in self.costs.items() if name in ("fp", "fn") or not _is_zero(cost)}
        return f"Uncertain({', '.join(f'{name}={_shown(part)}' for name, part in given.items())})"

    def __str__(self) -> str:
        prior = "as in the sample" if self.prior is None else _shown(self.prior)
        if self.earned:
            told = {name: _turned(self.costs[name]) for name in ("tp", "tn", "fp", "fn") if not _is_zero(self.costs[name])}
            return f"prior {prior}; profits ({', '.join(f'{name} = {_shown(part)}' for name, part in told.items())})"
        if not self.costs_given:
            return f"prior {prior}"
        costs = ", ".join(f"{name} = {_shown(cost)}" for name, cost in self.costs.items() if name in ("fp", "fn") or not _is_zero(cost))
        return f"prior {prior}; costs ({costs})"


def _turned(part: Any) -> Any:
    """What is earned, of what it costs; draws are shown by how many they are, and other distributions of costs are not earned."""
    if isinstance(part, Range):
        return Range(0 - part.high, 0 - part.low)
    return part if isinstance(part, SPREADS) else 0 - part


def _is_zero(part: Any) -> bool:
    return not isinstance(part, SPREADS) and part == 0


def _ends(part: Any) -> list[Any]:
    """The values between which it lies; those of a pilot do not matter to costs."""
    return list(nearly_all(part)) if isinstance(part, SPREADS) and not isinstance(part, Pilot) else [_middle(part)]


def _middle(part: Any) -> Any:
    return part.middle if isinstance(part, SPREADS) else part


def _shown(part: Any) -> str:
    if isinstance(part, Range | LogUniform):
        return f"{part.low:g}..{part.high:g}{' (log-uniform)' if isinstance(part, LogUniform) else ''}"
    if isinstance(part, Pilot):
        return f"{part.positives} of {part.cases} in a pilot"
    if isinstance(part, LogNormal):
        return f"about {part.median:g}, within a factor of {part.factor:g} (log-normal)"
    if isinstance(part, Distribution):
        return f"a distribution about {part.middle:g}"
    return f"{len(part.values)} draws" if isinstance(part, Draws) else f"{part:g}"


def _refuse_estimate(given: Any) -> None:
    if isinstance(given, Estimated):
        text = "the error of an estimated base rate is not independent of that of the rates, as what is uncertain here is taken to be"
        raise refuse("BR647", text, f"Conditions(prior=estimate), or prior=Range({max(given.low, 1e-6):.4g}, {given.high:.4g})")


def _prior(given: Any) -> Any:
    _refuse_estimate(given)
    if isinstance(given, str) and "..." in given:
        raise refuse("BR503", f"prior {quoted(given)} has too many dots", "a range is written 1e-5..1e-3")
    if isinstance(given, str) and ".." in given:
        low, high = (end.strip() for end in given.split("..", 1))
        if low.endswith("%") != high.endswith("%"):
            both = f"{low.rstrip('%')}%..{high.rstrip('%')}%"
            text = f"one end of {quoted(given)} is a percentage and the other is not"
            raise refuse("BR504", text, f"{both} if both are, or write both as shares")
        given = Range(low, high)
    if isinstance(given, Range | LogUniform):
        return _between(given)
    if isinstance(given, Pilot):
        return _pilot(given)
    if isinstance(given, LogNormal):
        return _log_normal("prior", LogNormal(_share(given.median), given.factor, most=1.0))
    if isinstance(given, Draws | list | np.ndarray):
        values = given.values if isinstance(given, Draws) else [_share(value) for value in given]
        return Draws(_drawn("prior", values, low=0.0, high=1.0))
    if isinstance(given, Distribution) or is_frozen(given):
        return _within("prior", given)
    written = notations.prior(given)
    return None if written is None else rounded(written.value)


def _between(given: Range | LogUniform) -> Range | LogUniform:
    written = [notations.prior(end) for end in (given.low, given.high)]
    if written[0] is None or written[1] is None:
        raise refuse("BR503", "a range of base rates needs two ends", "1e-5..1e-3")
    ends = [rounded(end.value) for end in written if end is not None]
    return type(given)(*_ordered("prior", ends[0], ends[1]))


def _pilot(given: Pilot) -> Pilot:
    whole = all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in (given.positives, given.cases))
    if not whole or not 0 <= given.positives <= given.cases or not given.cases:
        raise refuse("BR588", f"a pilot sample is a number of positives among a number of cases, got {quoted(given)}", "Pilot(12, 5000)")
    return Pilot(int(given.positives), int(given.cases))


def _share(given: Any) -> float:
    """One base rate, which has to be said."""
    written = notations.prior(given)
    if written is None:
        raise refuse("BR503", "the sample's own prior is one number: it has no place among several", "leave prior out")
    return rounded(written.value)


def _log_normal(name: str, given: LogNormal) -> LogNormal:
    numbers = [notations.from_number(value) for value in (given.median, given.factor)]
    if numbers[0] is None or numbers[1] is None or numbers[0].value <= 0 or numbers[1].value <= 1:
        raise refuse("BR588", f"a log-normal {name} has a median above 0 and a factor above 1, got {quoted(given)}", "LogNormal(0.001, 3)")
    found = LogNormal(rounded(numbers[0].value), rounded(numbers[1].value), given.most)
    if 1 - found.kept > OUTSIDE:
        text = f"{100 * (1 - found.kept):.3g} % of this log-normal {name} lies above 1"
        raise refuse("BR588", text, "a smaller median or factor, LogUniform, or a distribution between 0 and 1")
    return found


def _within(name: str, given: Any) -> Distribution:
    """A distribution of base rates: all of it between 0 and 1."""
    found = given if isinstance(given, Distribution) else Distribution(given)
    if not is_frozen(found.frozen):
        raise refuse("BR588", f"{quoted(found.frozen)} is no distribution", "a frozen one: scipy.stats.beta(2, 998)")
    if name == "prior" and (found.ends is None or found.ends[0] < 0 or found.ends[1] > 1):
        raise refuse("BR588", "this distribution of base rates reaches beyond 0 and 1", "scipy.stats.beta(2, 998), or LogNormal(0.001, 3)")
    return found


def _ordered(name: str, low: float, high: float) -> tuple[float, float]:
    if low > high:
        fix = Fix(f"Range({high:g}, {low:g})", f"{high:g}..{low:g}")
        raise refuse("BR504", f"the range of {name} is reversed: {low:g}..{high:g}", fix)
    return low, high


def _drawn(name: str, values: Any, low: float = -math.inf, high: float = math.inf) -> npt.NDArray[np.float64]:
    try:
        drawn = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        drawn = np.array(math.nan)
    if drawn.ndim != 1 or not len(drawn) or not np.isfinite(drawn).all() or (drawn <= low).any() or (drawn >= high).any():
        raise refuse("BR588", f"draws of {name} must be a list of numbers in its range", "Draws([0.001, 0.002, 0.004])")
    drawn.flags.writeable = False
    return drawn


def _costs(given: Any) -> dict[str, Any]:
    if given is None or isinstance(given, Costs):
        costs = given or Costs()
        return {name: getattr(costs, name) for name in OUTCOMES}
    if not isinstance(given, Mapping) or not set(given) <= set(OUTCOMES):
        text = f"uncertain costs are named by outcome (fp, fn, tp, tn), got {quoted(given)}"
        raise refuse("BR513", text, 'costs={"fn": Range(100, 1000), "fp": 1}')
    plain = Costs()
    return {name: _cost(name, given.get(name, getattr(plain, name))) for name in OUTCOMES}


def _cost(name: str, given: Any) -> Any:
    if isinstance(given, Pilot):
        raise refuse("BR588", f"the cost of {name} cannot come from a pilot sample", "Range(100, 1000) or Draws([...])")
    if isinstance(given, LogNormal):
        return _log_normal(f"cost of {name}", given)
    if isinstance(given, Distribution) or is_frozen(given):
        return _within(f"the cost of {name}", given)
    if isinstance(given, Draws | list | np.ndarray):  # a pair in brackets would look like a range
        return Draws(_drawn(f"the cost of {name}", given.values if isinstance(given, Draws) else given))
    if isinstance(given, Range | LogUniform):
        ends = [notations.from_number(end) for end in (given.low, given.high)]
        if ends[0] is None or ends[1] is None or (isinstance(given, LogUniform) and ends[0].value <= 0):
            raise refuse("BR514", f"the cost of {name} is {quoted(given)}, which is no range of numbers", "Range(100, 1000)")
        return type(given)(*_ordered(f"the cost of {name}", *(rounded(end.value) for end in ends if end is not None)))
    plain = notations.from_number(given)
    if plain is None:
        raise refuse("BR514", f"the cost of {name} is {quoted(given)}, which is no number", "a number, Range(100, 1000) or Draws([...])")
    return given if isinstance(given, int | float) else rounded(plain.value)
