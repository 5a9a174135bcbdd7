"""Do planned sample sizes have the power that they promise? `python benchmarks/plan.py --sets 20000
--write` makes benchmarks/plan.md.

Test sets of the planned size are drawn at the expected rates, and each is given to the bound that
the package itself uses: `interval(..., side="lower")` for what is read at a base rate, the interval
of `compare` within a margin, Clopper and Pearson's bound for a rate, McNemar's exact test.
"Promised" is the power that was computed, "seen" the share of the sets that succeed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from baserate.conditions import Conditions, Costs
from baserate.inference.differences import bonett_price, mcnemar_p
from baserate.inference.intervals import interval
from baserate.inference.rates import rate_interval
from baserate.inference.sample_size import (
    cases_at_prior,
    cases_for_margin,
    cases_for_mcnemar,
    cases_needed,
    power_at_prior,
    power_to_show,
)
from baserate.measures.confusion import Confusion

FILE = Path(__file__).with_suffix(".md")
LEVEL, POWER = 0.95, 0.8
COSTLY = Costs(fn=100, fp=1)
AT_PRIOR = (
    ("precision >= 0.2", {"tpr": 0.9, "fpr": 0.01}, Conditions(0.005), 1),
    ("precision >= 0.2", {"tpr": 0.9, "fpr": 0.01}, Conditions(0.005), 10),
    ("precision >= 0.01", {"tpr": 0.8, "fpr": 0.001}, Conditions(0.0001), 20),
    ("npv >= 0.999", {"tpr": 0.95, "fpr": 0.1}, Conditions(0.01), 1),
    ("accuracy >= 0.9", {"tpr": 0.9, "fpr": 0.05}, Conditions(0.2), 3),
    ("expected_cost <= 0.05", {"tpr": 0.9, "fpr": 0.01}, Conditions(0.001, COSTLY), 2),
)
MARGINS = ((0.1, 0.03, 0.0), (0.05, 0.02, 0.005), (0.2, 0.1, 0.0))
PAIRS = ((0.1, 0.03), (0.3, 0.1))
RATES = (("tpr >= 0.9", 0.95), ("fpr <= 0.01", 0.005))


class Row(NamedTuple):
    """One plan: what was asked, how many cases it takes, and the power promised and seen."""

    asked: str
    cases: str
    promised: float | None
    seen: float


def demonstrated(requirement: str, at: Conditions, cases: tuple[int, int]) -> Callable[[int], int]:
    """The fewest hits with which this number of false alarms demonstrates it, by `interval`."""
    name, sense, limit = requirement.split()
    side = "lower" if sense == ">=" else "upper"

    def shown(hits: int, alarms: int) -> bool:
        one = Confusion(tp=hits, fp=alarms, fn=cases[0] - hits, tn=cases[1] - alarms)
        found = interval(statistic=name, counts=one, at=at, level=LEVEL, side=side)
        return found.low >= float(limit) if side == "lower" else found.high <= float(limit)

    def fewest(alarms: int) -> int:
        low, high = 0, cases[0] + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if shown(middle, alarms) else (middle, high)
        return high

    return fewest


def at_priors(sets: int, rng: np.random.Generator) -> Iterator[Row]:
    """What mixes both classes at a base rate."""
    for requirement, rates, at, ratio in AT_PRIOR:
        planned = cases_at_prior(
            requirement, expect=rates, at=at, power=POWER, negatives_per_positive=ratio
        )
        promised = power_at_prior(
            requirement,
            expect=rates,
            at=at,
            positives=planned.positives,
            negatives=planned.negatives,
        )
        hits = rng.binomial(planned.positives, rates["tpr"], sets)
        alarms = rng.binomial(planned.negatives, rates["fpr"], sets)
        fewest = demonstrated(requirement, at, planned)
        needed = {number: fewest(number) for number in np.unique(alarms).tolist()}
        seen = np.mean(
            [hit >= needed[alarm] for hit, alarm in zip(hits, alarms.tolist(), strict=True)]
        )
        told = f"{requirement}, prior {at.prior:g}, {rates}, 1:{ratio}".replace("'", "")
        yield Row(told, f"{planned.positives} + {planned.negatives}", promised, float(seen))


def pairs(sets: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two models on the same cases."""
    for apart, margin, worse in MARGINS:
        cases = cases_for_margin(discordant=apart, margin=margin, difference=worse, power=POWER)
        lost, won = drawn(rng, cases, apart, worse, sets)
        within = [
            bonett_price(b, c, cases, LEVEL)[1] <= margin for b, c in zip(lost, won, strict=True)
        ]
        told = f"no worse than {margin:g}, discordant {apart:g}, really {worse:g} worse"
        yield Row(told, str(cases), None, float(np.mean(within)))
    for apart, ahead in PAIRS:
        cases = cases_for_mcnemar(discordant=apart, difference=ahead, power=POWER)
        ours, theirs = drawn(rng, cases, apart, ahead, sets)
        found = [b > c and mcnemar_p(b, c) < 1 - LEVEL for b, c in zip(ours, theirs, strict=True)]
        told = f"McNemar, discordant {apart:g}, difference {ahead:g}"
        yield Row(told, str(cases), None, float(np.mean(found)))


def drawn(
    rng: np.random.Generator, cases: int, apart: float, ahead: float, sets: int
) -> tuple[list[int], list[int]]:
    """The discordant pairs of either kind, the first kind ahead by this share of the cases."""
    shares = [(apart + ahead) / 2, (apart - ahead) / 2, 1 - apart]
    found = rng.multinomial(cases, shares, sets)
    return found[:, 0].tolist(), found[:, 1].tolist()


def rates(sets: int, rng: np.random.Generator) -> Iterator[Row]:
    """A rate within one class."""
    for requirement, expected in RATES:
        _, sense, limit = requirement.split()
        cases = cases_needed(requirement, expect=expected, power=POWER)
        promised = power_to_show(requirement, expect=expected, cases=cases)
        side = "lower" if sense == ">=" else "upper"
        counted = rng.binomial(cases, expected, sets).tolist()
        found = {
            number: rate_interval(number, cases, side=side, method="clopper-pearson")
            for number in set(counted)
        }
        met = {
            number: one.low >= float(limit) if side == "lower" else one.high <= float(limit)
            for number, one in found.items()
        }
        told = f"{requirement}, really {expected:g}"
        yield Row(told, str(cases), promised, float(np.mean([met[number] for number in counted])))


def text(rows: list[Row], sets: int) -> str:
    """The page."""
    how = (
        f"`python benchmarks/plan.py --sets {sets} --write`: {sets:,} test sets per row, level"
        f" {LEVEL:g}, power {POWER:g}. What is promised and what is seen differ by chance of about"
        f" {math.sqrt(POWER * (1 - POWER) / sets):.4f}."
    )
    lines = [
        "# Planned sample sizes and their power",
        "",
        how,
        "",
        "| requirement | cases | promised | seen |",
        "|---|---|---|---|",
    ]
    for row in rows:
        promised = "at least 0.8" if row.promised is None else f"{row.promised:.4f}"
        lines.append(f"| {row.asked} | {row.cases} | {promised} | {row.seen:.4f} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Print the page, or write it."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--sets", type=int, default=4000)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--write", action="store_true")
    asked = given.parse_args()
    rng = np.random.default_rng(asked.seed)
    made = [row for kind in (rates, at_priors, pairs) for row in kind(asked.sets, rng)]
    page = text(made, asked.sets)
    if asked.write:
        FILE.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
