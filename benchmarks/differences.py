"""Do intervals of differences at chosen thresholds hold, and is an answer rarely called better than
flagging nothing when it is not?

    python benchmarks/differences.py --sets 10000 --processes 8 --write    # makes benchmarks/differences.md

Binormal scores, so that what a threshold does in the field is known. The first table is of
`compare` at a rule, of two models whose positives are shifted by 1.5 and 1.8: how often the
interval holds the difference in the field of the two thresholds chosen on each set ("held"). The
second is of `choose(…).lead_over_baseline`, of one model: how often it is significant, and
how often wrongly so, with a quarter of the sets, as each is resampled 400 times. The third is of
the best of several models that are equally good: how often the interval at its chosen threshold
(200 resamples), which allows for choosing the threshold but not the model, holds what that
threshold does in the field, also at the level 1 - 0.05 / models. The fourth is of two models of the
same cost at thresholds fixed in advance: one has so many misses more in a set of this size, and as
much fewer false alarms as these cost; how often they are called different. `--amounts` prints the second of
choices by amounts alone, which are log-normal.
"""  # noqa: E501

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtr

import baserate as br

SIZES = ((50, 1000), (200, 2000))
SHIFTS = {"a": 1.5, "b": 1.8}
# What is compared, by which rule, and what a miss costs.
QUESTIONS = (
    ("expected_cost", None, 10),
    ("tpr", None, 10),
    ("precision", None, 10),
    ("precision", "recall >= 0.8", 1),
    ("expected_cost", "recall >= 0.8", 1),
    ("tpr", "recall >= 0.8", 1),
    ("tpr", "posfrac <= 0.05", 1000),
    ("expected_cost", "posfrac <= 0.05", 1000),
)
# Shift of the positives, positives, negatives, what a miss costs: useless scores at and beside
# break-even, then better ones.
BASELINES = (
    (0, 50, 1000, 20),
    (0, 50, 1000, 10),
    (0, 200, 2000, 10),
    (0, 20, 500, 25),
    (0.5, 50, 1000, 20),
    (1, 50, 1000, 10),
    (1.5, 50, 1000, 10),
)
# How many equally good models, shifted by 1.5, of 50 + 1000 cases; and by what they are chosen.
BEST_OF = tuple(
    (models, question)
    for question in (("expected_cost", None, 10), ("tpr", "posfrac <= 0.05", 1))
    for models in (1, 2, 3, 5, 10)
)
# Misses that one of two models of the same cost has more, in a set with as many positives.
MISSES = (0.25, 0.5, 1, 2, 3, 5, 10)
# Shift of the positives, positives, negatives, the spread of log amounts (their mean is 100):
# a review costs what flagging everything is worth a case, so that useless scores break even.
AMOUNTS = ((0, 50, 950, 1.0), (0, 200, 1800, 0.5), (0.3, 30, 1000, 1.5), (1.5, 100, 900, 1.0))


def in_field(measure, cut, shift, size, at):
    """A measure of a threshold in the field."""
    tpr, fpr = (0.0, 0.0) if cut is None else (float(ndtr(shift - cut)), float(ndtr(-cut)))
    there = br.Confusion.from_rates(tpr=tpr, fpr=fpr, positives=size[0], negatives=size[1])
    return br.measure(there, measure, at=at)


def compared(job):
    """How often the interval of one question holds, how often the truth lies below and above it,
    and its mean width.
    """
    (measure, rule, miss), size, sets = job
    held, below, above, width = 0, 0, 0, 0.0
    at = br.Conditions(size[0] / sum(size), br.Costs(fn=miss))
    for seed in range(sets):
        rng = np.random.default_rng([20, seed, *size])
        y = np.repeat([1, 0], size)
        common = math.sqrt(0.5) * rng.normal(size=len(y))
        scores = {
            name: common + math.sqrt(0.5) * rng.normal(size=len(y)) + shift * y
            for name, shift in SHIFTS.items()
        }
        joint = br.count(y, scores)
        found = br.compare(joint, measure, rule=rule, at=at)
        cuts = {name: br.choose(joint.marginal(name), rule, at=at).threshold for name in SHIFTS}
        first, second = (
            in_field(measure, cuts[name], shift, size, at) for name, shift in SHIFTS.items()
        )
        held += found.low <= second - first <= found.high
        below += second - first < found.low
        above += second - first > found.high
        width += found.high - found.low
    shares = " | ".join(f"{100 * count / sets:.2f}" for count in (held, below, above))
    return (
        f"| {measure} | {rule or 'cheapest'}, fn = {miss} | {size[0]} + {size[1]} | {sets} |"
        f" {shares} | {width / sets:.4g} |"
    )


def beside_baseline(job):
    """How often an answer is called better than the better baseline, and how often although in the
    field it is not.
    """
    (shift, positives, negatives, miss), sets = job
    size, significant, wrong, unbeaten = (positives, negatives), 0, 0, 0
    at = br.Conditions(positives / sum(size), br.Costs(fn=miss))
    for seed in range(sets):
        rng = np.random.default_rng([21, seed, *size])
        y = np.repeat([1, 0], size)
        choice = br.choose({"a": br.count(y, rng.normal(size=len(y)) + shift * y)}, at=at)
        lead = choice.lead_over_baseline
        unbeaten += choice.unbeaten is not None
        if lead is not None and lead.significant:
            significant += 1
            wrong += (
                in_field("expected_cost", choice.point.threshold, shift, size, at) >= lead.values[0]
            )
    shares = " | ".join(f"{100 * count / sets:.2f}" for count in (unbeaten, significant, wrong))
    return f"| {shift} | {positives} + {negatives} | {miss} | {sets} | {shares} |"


def best_of(job):
    """How often the interval of the best of several models holds, at 95 % and at a level for all
    of them.
    """
    (models, (measure, rule, miss)), sets = job
    size, levels = SIZES[0], (0.95, 1 - 0.05 / models)
    at = br.Conditions(size[0] / sum(size), br.Costs(fn=miss))
    goal = {} if rule is None else {"optimize": measure}
    held, beyond = [0, 0], 0
    for seed in range(sets):
        rng = np.random.default_rng([23, seed, models])
        y = np.repeat([1, 0], size)
        common = math.sqrt(0.5) * rng.normal(size=len(y)) + 1.5 * y
        joint = br.count(
            y,
            {str(i): common + math.sqrt(0.5) * rng.normal(size=len(y)) for i in range(models)},
        )
        points = {name: br.choose(joint[name], rule, at=at, **goal) for name in joint.models}
        sign = -1 if measure == "expected_cost" else 1
        best = max(points, key=lambda name: sign * float(points[name][measure]))
        truth = in_field(measure, points[best].threshold, 1.5, size, at)
        for i, level in enumerate(levels):
            found = br.interval(
                joint[best], measure, rule=rule, at=at, replicates=200, level=level, **goal
            )
            held[i] += found.low <= truth <= found.high
            worse = truth < found.low if sign > 0 else truth > found.high
            beyond += worse and not i
    shares = " | ".join(f"{100 * count / sets:.2f}" for count in (held[0], beyond, held[1]))
    return f"| {models} | {measure}, {rule or 'cheapest'} | {sets} | {shares} |"


def of_equal_cost(job):
    """How often two models of the same cost are called different, and to whose favour."""
    (misses, (positives, negatives)), sets = job
    at = br.Conditions(0.3, br.Costs(fn=20))
    fewer = 6 * misses / positives / 0.7  # false alarms that cost as much
    base = min(1.0, 2 * fewer)
    y, few, many = np.repeat([1, 0], [positives, negatives]), 0, 0
    for seed in range(sets):
        rng = np.random.default_rng([24, seed, positives])
        alarms = rng.random(negatives) < base
        kept = rng.random(negatives) >= fewer / base
        found = rng.random(positives) >= misses / positives
        flags = {
            "a": np.concatenate((found, alarms & kept)),
            "b": np.concatenate((np.ones(positives, dtype=bool), alarms)),
        }
        models = br.count(y, {name: one.astype(np.float64) for name, one in flags.items()})
        lead = br.compare(models, "expected_cost", threshold={"a": 0.5, "b": 0.5}, at=at)
        few += lead.p_value < 0.05 and lead.value < 0
        many += lead.p_value < 0.05 and lead.value > 0
    shares = " | ".join(f"{100 * count / sets:.2f}" for count in (few + many, few, many))
    return f"| {misses} | {positives} + {negatives} | {sets} | {shares} |"


def by_amounts(job):
    """The same, where a miss costs its amount."""
    (shift, positives, negatives, spread), sets = job
    prior, significant, wrong, unbeaten = positives / (positives + negatives), 0, 0, 0
    review = 100 * prior
    for seed in range(sets):
        rng = np.random.default_rng([22, seed, positives, negatives])
        y = np.repeat([1, 0], [positives, negatives])
        scores = rng.normal(size=len(y)) + shift * y
        worth = np.round(100 * rng.lognormal(-(spread**2) / 2, spread, len(y)), 2)
        choice = br.choose({"a": br.count(y, scores, amount=worth)}, review=review)
        lead, cut = choice.lead_over_baseline, choice.point.threshold
        unbeaten += lead is None
        if lead is not None and lead.significant:
            tpr, fpr = float(ndtr(shift - cut)), float(ndtr(-cut))
            significant += 1
            wrong += (prior * tpr + (1 - prior) * fpr) * review >= 100 * prior * tpr - 1e-9
    shares = " | ".join(f"{100 * count / sets:.2f}" for count in (unbeaten, significant, wrong))
    return f"| {shift} | {positives} + {negatives} | {spread:g} | {sets} | {shares} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--write", action="store_true", help="record the tables in benchmarks/differences.md"
    )
    parser.add_argument("--amounts", action="store_true", help="only choices by amounts, printed")
    given = parser.parse_args()
    if given.amounts:
        print("| shift | cases | spread | sets | beats neither | significant | wrongly |")
        print("|---|---|---|---|---|---|---|")
        for setting in AMOUNTS:
            print(by_amounts((setting, given.sets)), flush=True)
        return
    with multiprocessing.Pool(given.processes) as pool:
        first = pool.map(
            compared,
            [(question, size, given.sets) for size in SIZES for question in QUESTIONS],
            chunksize=1,
        )
        second = pool.map(
            beside_baseline,
            [(setting, max(1, given.sets // 4)) for setting in BASELINES],
            chunksize=1,
        )
        third = pool.map(best_of, [(one, max(1, given.sets // 4)) for one in BEST_OF], chunksize=1)
        fourth = pool.map(
            of_equal_cost,
            [
                ((misses, size), given.sets)
                for size in SIZES
                for misses in MISSES
                if 12 * misses / size[0] / 0.7 <= 1
            ],
            chunksize=1,
        )
        pool.close()
        pool.join()
    lines = [
        "# Differences at thresholds chosen on the same cases",
        "",
        (
            f"Recorded with `python benchmarks/differences.py --sets {given.sets}`; see its top for"
            " what was done. Shares in %, at 95 %."
        ),
        "",
        "| measure | thresholds | cases | sets | held | truth below | truth above | mean width |",
        "|---|---|---|---|---|---|---|---|",
        *first,
        "",
        "Is the answer better than the better of flagging nothing and flagging everything?",
        "",
        "| shift | cases | fn | sets | not better here | significant | wrongly so |",
        "|---|---|---|---|---|---|---|",
        *second,
        "",
        "The best of several models that are equally good, 50 + 1000 cases:",
        "",
        "| models | chosen by | sets | held | truth worse | held at 1 - 0.05 / models |",
        "|---|---|---|---|---|---|",
        *third,
        "",
        "Two models of the same cost (fn = 20, fp = 1, prior 0.3) that differ in both classes:",
        "",
        "| misses more | cases | sets | called different | fewer misses wins | fewer alarms wins |",
        "|---|---|---|---|---|---|",
        *fourth,
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if given.write:
        Path(__file__).with_suffix(".md").write_text(text)


if __name__ == "__main__":
    main()
