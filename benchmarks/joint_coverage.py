"""How often do intervals hold the truth where base rate and costs are uncertain too? `python
benchmarks/joint_coverage.py [SETS]`.

Writes benchmarks/joint_coverage.md. As the conventions define it: of a range, the interval must
hold the value at every base rate in it (here: at its ends and in its middle); of a pilot sample,
pilot and test set are both drawn anew; of a distribution that is believed in, the true base rate is
drawn from it for every set, as are costs.
"""

import itertools
import os
import sys
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np

import baserate as br

SIZES = [(30, 1000), (100, 10_000), (300, 3000)]
RATES = [(0.8, 0.02), (0.95, 0.1)]
MEASURES = ["precision", "npv", "posfrac", "expected_cost"]
COSTS = {"fp": 1, "fn": 100}
GOAL = 0.93


def pilots(rng, prior, cases):
    """A pilot of so many cases, drawn anew for every set."""
    return lambda: (
        br.Conditions(prior=br.Pilot(int(rng.binomial(cases, prior)), cases), costs=COSTS),
        prior,
        100.0,
    )


def ranges(rng, low, high):
    """A range, and a truth at one of its ends or in its middle."""
    places = [low, (low * high) ** 0.5, high]
    return lambda: (
        br.Conditions(prior=br.Range(low, high), costs=COSTS),
        places[rng.integers(3)],
        100.0,
    )


def believed(rng, low, high):
    """A log-uniform base rate and a log-normal cost, and truths drawn from them."""

    def draw():
        prior = float(np.exp(rng.uniform(np.log(low), np.log(high))))
        cost = float(100 * np.exp(np.log(2) * rng.standard_normal()))
        return (
            br.Conditions(
                prior=br.LogUniform(low, high), costs={"fp": 1, "fn": br.LogNormal(100, 2)}
            ),
            prior,
            cost,
        )

    return draw


KINDS = {
    "pilot of 500, prior 0.02": lambda rng: pilots(rng, 0.02, 500),
    "pilot of 5000, prior 0.002": lambda rng: pilots(rng, 0.002, 5000),
    "range 0.001..0.01": lambda rng: ranges(rng, 0.001, 0.01),
    "log-uniform 0.001..0.01, cost log-normal": lambda rng: believed(rng, 0.001, 0.01),
}


def truth(name, tpr, fpr, prior, cost):
    at = br.Conditions(prior, br.Costs(fp=1, fn=cost))
    return float(
        br.measure(
            br.Confusion.from_rates(tpr=tpr, fpr=fpr, positives=10**6, negatives=10**9), name, at=at
        )
    )


def setting(kind, size, rates, sets):
    """The share of sets whose interval holds the truth, by measure."""
    rng = np.random.default_rng([hash_of(kind), *size, int(1000 * rates[0]), int(1000 * rates[1])])
    draw = KINDS[kind](rng)
    held = dict.fromkeys(MEASURES, 0)
    for one in range(sets):
        at, prior, cost = draw()
        tp, fp = (int(rng.binomial(n, r)) for n, r in zip(size, rates, strict=True))
        confusion = br.Confusion(tp=tp, fp=fp, fn=size[0] - tp, tn=size[1] - fp)
        for name in MEASURES:
            held[name] += truth(name, *rates, prior, cost) in br.interval(
                confusion, name, at=at, seed=one % 8
            )
    return {name: count / sets for name, count in held.items()}


def hash_of(text):
    return sum(ord(sign) * 31**i for i, sign in enumerate(text)) % 2**31


def row(kind, size, rates, sets):
    """A line of the table, and how far its lowest share lies above what is asked."""
    found = setting(kind, size, rates, sets)
    low = min(found, key=found.get)
    asked = GOAL - 3 * (GOAL * (1 - GOAL) / sets) ** 0.5
    shown = " | ".join(f"{100 * found[name]:.1f}" for name in MEASURES)
    line = (
        f"| {kind} | {size[0]} / {size[1]} | {rates[0]} / {rates[1]} | {sets} | {100 * asked:.1f} |"
        f" {shown} |"
    )
    return (
        found[low] - asked,
        f"{100 * found[low]:.1f} %, {low}, {kind}, {size[0]} / {size[1]}, {rates[0]} / {rates[1]}",
        line,
    )


def main(sets=1000):
    start, rows = time.perf_counter(), []
    for kind, size, rates in itertools.product(KINDS, SIZES, RATES):
        # A range is walked at 33 base rates, and so takes longer.
        rows.append(
            row(kind, size, rates, max(100, sets // 4) if kind.startswith("range") else sets)
        )
        print(rows[-1][2], flush=True)
    margin, where, _ = min(rows)
    verdict = "held" if margin >= 0 else "missed"
    date, settings = time.strftime("%d %B %Y"), len(rows) * len(MEASURES)
    text = f"""# Joint intervals: how often they hold the truth

`python benchmarks/joint_coverage.py {sets}`, recorded on {date}. 95 % intervals at a fixed threshold: sampling error of both
classes together with an uncertain base rate and, in the last kind, an uncertain cost. Of a range, the truth lies at one of its ends or in
its middle; a pilot is drawn anew with every test set; where a distribution is believed in, the truth is drawn from it. In percent.

Asked: at least 93 % − 3 standard errors (of so many sets) everywhere: {verdict} in {settings} settings; nearest to it: {where}.

| uncertain | positives / negatives | tpr / fpr | sets | asked | {" | ".join(MEASURES)} |
|---|---|---|---|---|{"---|" * len(MEASURES)}
"""  # noqa: E501
    (Path(__file__).parent / "joint_coverage.md").write_text(
        text + "\n".join(line for _, _, line in rows) + "\n"
    )
    print(f"{verdict}; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
