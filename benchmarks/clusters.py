"""Coverage of 95 % intervals where rows come in clusters: `python benchmarks/clusters.py [SETS]
[JOBS] [SETTING …] [--bootstrap]`, settings numbered from 0.

Every set is a fresh sample of clusters. Scores are normal: the distance between the classes, plus
an effect of the cluster that all its rows share (the ICC is its share of the variance), plus one of
the row. Clusters may differ in size (geometric) and in their share of positives (Beta, with a label
ICC). A threshold is fixed in advance at tpr 0.80; precision and cost are read at prior 1 %, a miss
costing 50 false alarms. The true values are those of the population. The table says how often the
interval held the true value, how often that lay below and above the interval, and the mean width.
`--bootstrap` does the same by the percentile bootstrap of whole clusters (200 resamples), for
comparison. `--differences` compares two equally good models on the same clusters, whose scores are
correlated by half: how often `compare` calls one of them better (400 resamples).
"""

from __future__ import annotations

import math
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import Any, NamedTuple

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtr

import baserate as br

PRIOR, COSTS = 0.01, br.Costs(fn=50)
STATISTICS = ("auc", "tpr", "precision", "expected_cost")


class Setting(NamedTuple):
    """A population of clusters."""

    clusters: int
    rows: int
    prior: float
    icc: float
    distance: float = 1.5
    label_icc: float = 0.0
    unequal: bool = False

    def __str__(self) -> str:
        sizes = f"{self.clusters} × {'about ' if self.unequal else ''}{self.rows}"
        labels = f", labels {self.label_icc:g}" if self.label_icc else ""
        return (
            f"{sizes} | {self.prior:g} | {self.icc:g}{labels} |"
            f" {ndtr(self.distance / math.sqrt(2)):.2f}"
        )


SETTINGS = (
    Setting(60, 10, 0.3, 0.0),
    Setting(60, 10, 0.3, 0.3),
    Setting(60, 10, 0.1, 0.3),
    Setting(60, 10, 0.1, 0.6, label_icc=0.5),
    Setting(30, 10, 0.2, 0.3, unequal=True),
    Setting(30, 10, 0.2, 0.6, label_icc=0.3, unequal=True),
    Setting(20, 20, 0.3, 0.1),
    Setting(20, 20, 0.3, 0.3, distance=2.5),
    Setting(20, 20, 0.1, 0.6),
    Setting(10, 30, 0.3, 0.3),
    Setting(10, 30, 0.1, 0.6),
    Setting(8, 40, 0.2, 0.3, distance=2.5),
    Setting(30, 20, 0.3, 0.6, distance=2.5),
    Setting(60, 20, 0.3, 0.3, distance=2.5),
    Setting(60, 20, 0.3, 0.3, distance=2.0),
    Setting(100, 20, 0.3, 0.3, distance=2.5),
)


def sample(setting: Setting, rng: np.random.Generator, models: int = 1) -> Any:
    """One set of clusters, scored by one model or by several equally good ones."""
    sizes = (
        rng.geometric(1 / setting.rows, setting.clusters)
        if setting.unequal
        else np.full(setting.clusters, setting.rows)
    )
    groups = np.repeat(np.arange(setting.clusters), sizes)
    shares = np.full(setting.clusters, setting.prior)
    if setting.label_icc:
        strength = 1 / setting.label_icc - 1
        shares = rng.beta(
            setting.prior * strength, (1 - setting.prior) * strength, setting.clusters
        )
    labels = rng.random(len(groups)) < shares[groups]
    shared, own = (_effects(rng, size, models) for size in (setting.clusters, len(groups)))
    scores = (
        setting.distance * labels[:, None]
        + math.sqrt(setting.icc) * shared[groups]
        + math.sqrt(1 - setting.icc) * own
    )
    if models == 1:
        return br.count(labels, scores[:, 0], cluster=groups)
    return br.count(labels, dict(zip("ab", scores.T, strict=False)), cluster=groups)


def _effects(rng: np.random.Generator, size: int, models: int) -> np.ndarray:
    """Normal effects; those of several models are correlated by half."""
    own = rng.normal(size=(size, models))
    return own if models == 1 else (own + rng.normal(size=(size, 1))) / math.sqrt(2)


def compared(place: int, sets: int) -> tuple[dict[str, float], float]:
    """By what is compared: the share of sets in which one of two equal models is called better."""
    setting, started = SETTINGS[place], time.process_time()
    threshold, _ = truths(setting)
    at = br.Conditions(PRIOR, COSTS)
    questions = {
        "auc": {},
        "expected_cost, threshold fixed": {"threshold": {"a": threshold, "b": threshold}, "at": at},
        "expected_cost, cheapest": {"at": at},
    }
    called = dict.fromkeys(questions, 0)
    rng = np.random.default_rng((place, 0xD1))
    for _ in range(sets):
        models = sample(setting, rng, models=2)
        for name, asked in questions.items():
            found = br.compare(models, name.split(",")[0], replicates=400, **asked)
            called[name] += found.p_value < 0.05
    return {name: count / sets for name, count in called.items()}, time.process_time() - started


def truths(setting: Setting) -> tuple[float, dict[str, float]]:
    """The threshold, and the true value of every statistic."""
    threshold = setting.distance - 0.8416212335729143  # the normal quantile of 0.8
    tpr, fpr = float(ndtr(setting.distance - threshold)), float(ndtr(-threshold))
    caught, alarms = PRIOR * tpr, (1 - PRIOR) * fpr
    cost = PRIOR * (1 - tpr) * 50 + alarms
    values = {
        "auc": float(ndtr(setting.distance / math.sqrt(2))),
        "tpr": tpr,
        "precision": caught / (caught + alarms),
        "expected_cost": cost,
    }
    return threshold, values


def study(place: int, sets: int, bootstrap: bool) -> tuple[dict[str, list[float]], float]:  # noqa: FBT001
    """Of every statistic: sets with an interval, coverage, truth below, truth above, mean width;
    and the seconds of CPU.
    """
    setting, started = SETTINGS[place], time.process_time()
    threshold, true = truths(setting)
    at = br.Conditions(PRIOR, COSTS)
    how = {"method": "percentile", "replicates": 200} if bootstrap else {}
    found: dict[str, list[tuple[bool, bool, float]]] = {name: [] for name in STATISTICS}
    rng = np.random.default_rng((place, 0xC1))
    for _ in range(sets):
        groups = sample(setting, rng)
        for name in STATISTICS:
            asked = {} if name == "auc" else {"threshold": threshold, "at": at}
            try:
                known = br.interval(groups, name, **asked, **how)
            except br.InputError as error:
                if error.problems[0].code not in ("BR590", "BR589", "BR592"):
                    raise
                continue
            found[name].append((true[name] < known.low, true[name] > known.high, known.width))
    return {name: _told(rows) for name, rows in found.items()}, time.process_time() - started


def _told(rows: list[tuple[bool, bool, float]]) -> list[float]:
    below, above, width = (
        float(np.mean(column)) if rows else math.nan
        for column in (zip(*rows, strict=True) if rows else ((), (), ()))
    )
    return [len(rows), 1 - below - above, below, above, width]


def main(arguments: list[str]) -> None:
    """The table, as Markdown."""
    bootstrap, differences = "--bootstrap" in arguments, "--differences" in arguments
    numbers = [argument for argument in arguments if not argument.startswith("--")]
    sets, jobs, *some = map(int, (*numbers, *("10000", "1")[len(numbers) :]))
    places = some or range(len(SETTINGS))
    if differences:
        print("| clusters × rows | prior | ICC | AUC | compared | sets | called better |")
        print("|---|---|---|---|---|---|---|")
        with ProcessPoolExecutor(jobs) as pool:
            made = pool.map(compared, places, repeat(sets))
            for place, (found, _) in zip(places, made, strict=True):
                for name, share in found.items():
                    row = f"| {SETTINGS[place]} | {name} | {sets} | {100 * share:.1f} % |"
                    print(row, flush=True)
        return
    print(
        "| clusters × rows | prior | ICC | AUC | statistic | sets | covered | truth below | truth"
        " above | mean width |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    worst, seconds = 1.0, 0.0
    with ProcessPoolExecutor(jobs) as pool:
        made = pool.map(study, places, repeat(sets), repeat(bootstrap))
        for place, (found, spent) in zip(places, made, strict=True):
            seconds += spent
            for name, (used, covered, below, above, width) in found.items():
                worst = min(worst, covered)
                shares = " | ".join(f"{100 * share:.1f} %" for share in (covered, below, above))
                print(
                    f"| {SETTINGS[place]} | {name} | {used:.0f} | {shares} | {width:.4g} |",
                    flush=True,
                )
    error = 100 * math.sqrt(0.95 * 0.05 / sets)
    print(
        f"\nLeast: {100 * worst:.1f} %. Monte-Carlo standard error {error:.1f} %. {seconds:.0f} s"
        " of CPU."
    )


if __name__ == "__main__":
    main(sys.argv[1:])
