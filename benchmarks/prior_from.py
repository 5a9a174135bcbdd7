"""How often do intervals at an estimated base rate hold the truth?

`python benchmarks/prior_from.py --sets 10000 --out benchmarks/prior_from.md`

4,000 labelled cases at 5 %, 5,000 unlabelled cases of a field where only the base rate is another,
a threshold fixed in advance. "As known" takes the estimate for the truth, as --prior does; "joint"
draws its error together with that of the rates, as --prior-from does.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from baserate import Conditions, Confusion, Costs, count, count_unlabelled
from baserate.inference.estimated_prior import in_field, table_of
from baserate.inference.fixed_point import Question, measure_interval
from baserate.measures.confusion import Measure, rates_read
from baserate.results.values import BOTH
from baserate.shift.estimate import adjusted_count, flags_of

LABELLED, SHARE, FIELD = 4000, 0.05, 5000
# Draws for each set: fewer than a user gets, which costs less than 0.2 % of coverage.
DRAWS = 4000
# Each family: positives and negatives drawn, and the shares above a threshold.
FAMILIES = {
    "binormal": (
        lambda rng, n: rng.normal(1.8, 1, n),
        lambda rng, n: rng.normal(0, 1, n),
        lambda c: (norm.sf(c - 1.8), norm.sf(c)),
    ),
    "heavy-tailed": (
        lambda rng, n: rng.standard_t(3, n) + 2.2,
        lambda rng, n: rng.standard_t(3, n),
        lambda c: (student.sf(c - 2.2, 3), student.sf(c, 3)),
    ),
    "mixture": (
        lambda rng, n: rng.normal(np.where(rng.random(n) < 0.7, 3.0, 0.0), 1),
        lambda rng, n: rng.normal(0, 1, n),
        lambda c: (0.7 * norm.sf(c - 3) + 0.3 * norm.sf(c), norm.sf(c)),
    ),
}
# (base rate of the field, threshold); the highest leaves few false alarms.
SETTINGS = [(0.01, 2.0), (0.01, 3.0), (0.001, 2.0), (0.0, 2.0), (0.2, 1.0)]
MEASURES = ("precision", "npv", "expected_cost")
COSTS = {"fn": 10, "fp": 1}


def truths(rates, prior):
    """The measures in the field, from the true rates."""
    t, f = (np.array([rate]) for rate in rates)
    return {
        name: float(rates_read(Measure(name), (t, f), prior, (0, 1, 10, 0))[0]) for name in MEASURES
    }


def one_set(family, prior, threshold, rng):
    """The table of one simulated set; None where the estimate is none."""
    draw_p, draw_n, _ = FAMILIES[family]
    positives, field = int(SHARE * LABELLED), rng.binomial(FIELD, prior)
    labels = np.repeat([1, 0], [positives, LABELLED - positives])
    counts = count(
        labels, np.concatenate((draw_p(rng, positives), draw_n(rng, LABELLED - positives)))
    )
    unlabelled = count_unlabelled(np.concatenate((draw_p(rng, field), draw_n(rng, FIELD - field))))
    flags = flags_of(counts, unlabelled, None)
    best = adjusted_count(*(part[None] for part in flags[1:]))[1][0]
    return table_of(counts, unlabelled, flags.thresholds[best].item(), threshold)


def as_known(name, table):
    """The interval that takes the estimate for the base rate."""
    both, _, second, _ = table.positives
    ours, _, theirs, _ = table.negatives
    tp, fp = both + second, ours + theirs
    confusion = Confusion(tp=tp, fp=fp, fn=sum(table.positives) - tp, tn=sum(table.negatives) - fp)
    prior = min(max(table.prior, 1e-6), 1 - 1e-6)
    return measure_interval(
        Question(Measure(name), confusion, Conditions(prior, Costs(**COSTS)), 0.95, BOTH, None, 0)
    )


def setting(family, prior, threshold, sets, seed, with_known):
    """How often each measure's interval lies above or below the truth, its width, and how often
    taking the estimate as known holds it.
    """
    rng, true = np.random.default_rng(seed), truths(FAMILIES[family][2](threshold), prior)
    at = Conditions(None, Costs(**COSTS))
    tally = {name: np.zeros(6) for name in MEASURES}
    for _ in range(sets):
        table = one_set(family, prior, threshold, rng)
        start = int(rng.integers(2**31))
        for name in MEASURES:
            try:
                found = in_field(Measure(name), table, at, 0.95, BOTH, start, DRAWS)
            except Exception:  # noqa: BLE001 (a refusal is counted)
                tally[name][4] += 1
                continue
            truth, slack = true[name], 1e-12
            known = as_known(name, table) if with_known else found
            tally[name] += (
                found.low > truth + slack,
                found.high < truth - slack,
                found.width,
                known.low <= truth <= known.high,
                0,
                1,
            )
    return tally


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--out")
    parser.add_argument(
        "--known",
        action="store_true",
        help="Also what taking the estimate as known holds (slower).",
    )
    given = parser.parse_args()
    started = time.process_time()
    command = (
        f"python benchmarks/prior_from.py --sets {given.sets}{' --known' if given.known else ''}"
    )
    lines = [
        "# Intervals at an estimated base rate",
        "",
        (
            f"`{command}`: {given.sets} sets a setting, {LABELLED} labelled at {SHARE:.0%}, {FIELD}"
            " unlabelled, a fixed threshold, 95 %."
        ),
        "",
        (
            "| scores | base rate | threshold | measure | held, % | s.e. | below, % | above, % |"
            " mean width | as known held, % | refused |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    worst = 1.0
    for place, (family, (prior, threshold)) in enumerate(
        (family, one) for family in FAMILIES for one in SETTINGS
    ):
        for name, (below, above, width, known, refused, done) in setting(
            family, prior, threshold, given.sets, place, given.known
        ).items():
            held = 1 - (below + above) / done
            worst = min(worst, held)
            error = 100 * math.sqrt(max(held * (1 - held), 1e-9) / done)
            cells = [
                family,
                f"{prior:g}",
                f"{threshold:g}",
                name,
                f"{100 * held:.1f}",
                f"{error:.2f}",
                f"{100 * below / done:.1f}",
            ]
            cells += [
                f"{100 * above / done:.1f}",
                f"{width / done:.4g}",
                f"{100 * known / done:.1f}" if given.known else "",
                f"{refused:.0f}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    lines += [
        "",
        f"Least held: {100 * worst:.1f} %. {time.process_time() - started:.0f} s of CPU time.",
    ]
    print("\n".join(lines[-2:]))
    if given.out:
        Path(given.out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
