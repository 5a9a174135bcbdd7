"""How often do our intervals hold what they say? The table of benchmarks/coverage.md: `python
benchmarks/coverage.py` (an hour on 2 cores).

Rates are enumerated, which is exact; everything else is simulated, with the functions that users
call. Each line has its own seed.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import sys
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

import baserate as br
from baserate.inference.auc import auc_interval
from baserate.inference.fixed_point import Question, measure_interval
from baserate.inference.rates import rate_interval

LEVEL = 0.95
SETS = 10_000


# ---- rates: exact -----------------------------------------------------------------------------


def rates():
    rows = []
    for cases in (5, 10, 20, 30, 50, 100, 300, 1000, 10_000):
        seen = np.arange(cases + 1)
        bounds = {}
        for method in (None, "wilson", "clopper-pearson", "jeffreys"):
            found = [rate_interval(int(x), cases, level=LEVEL, method=method) for x in seen]
            bounds[method or "default"] = np.array([(one.low, one.high) for one in found])
        for rate in (0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99):
            chance = binom.pmf(seen, cases, rate)
            for method, ends in bounds.items():
                inside = (ends[:, 0] <= rate) & (rate <= ends[:, 1])
                rows.append(
                    (
                        "rate",
                        f"n={cases}, rate={rate}",
                        cases,
                        rate,
                        method,
                        float(chance[inside].sum()),
                        0.0,
                        "exact",
                    )
                )
    return rows


def worst_rates():
    """The lowest coverage over all rates, exactly: it is reached next to a bound, where one outcome
    stops covering.
    """
    rows = []
    for cases in (30, 50, 100, 300, 1000):
        seen = np.arange(cases + 1)
        for method in (None, "wilson", "clopper-pearson", "jeffreys"):
            found = [rate_interval(int(x), cases, level=LEVEL, method=method) for x in seen]
            low, high = (
                np.array(ends) for ends in zip(*((one.low, one.high) for one in found), strict=True)
            )
            edges = np.concatenate((low, high))
            near = np.concatenate((edges * (1 - 1e-9), edges + (1 - edges) * 1e-9))
            near = np.unique(near[(near > 1e-6) & (near < 1 - 1e-6)])
            inside = (low[None, :] <= near[:, None]) & (near[:, None] <= high[None, :])
            held = (binom.pmf(seen[None, :], cases, near[:, None]) * inside).sum(axis=1)
            worst = int(np.argmin(held))
            rows.append(
                (
                    "rate, worst",
                    f"n={cases}, at rate {near[worst]:.6f}",
                    cases,
                    near[worst],
                    method or "default",
                    float(held[worst]),
                    0.0,
                    "exact",
                )
            )
    return rows


def variance_bound():
    """What is not used, and why: Wilson's form with the variance A(1 - A) / min(P, N), on the
    setting that is hardest for it.
    """
    auc, cases, sets = 0.97, 5, SETS
    rng = np.random.default_rng(18)
    draw_p, draw_n = scores("heavy", auc, rng)
    z2, held = ndtri(0.975) ** 2, 0
    for _ in range(sets):
        seen = float(np.mean(draw_p(cases)[:, None] > draw_n(cases)[None, :]))
        centre, spread = (
            (cases * seen + z2 / 2) / (cases + z2),
            math.sqrt(z2 * (cases * seen * (1 - seen) + z2 / 4)) / (cases + z2),
        )
        held += centre - spread <= auc <= centre + spread
    return [
        (
            "auc",
            f"heavy, AUC {auc}, {cases} + {cases}",
            cases,
            auc,
            "variance bound (not offered)",
            held / sets,
            0.0,
            sets,
        )
    ]


# ---- AUC --------------------------------------------------------------------------------------

FAMILIES = ("binormal", "unequal", "heavy", "mixture")


def scores(family, auc, rng):
    """Two functions that draw positives and negatives with this AUC."""
    if family == "binormal":
        shift = math.sqrt(2) * ndtri(auc)
        return lambda n: rng.normal(shift, 1, n), lambda n: rng.normal(0, 1, n)
    if family == "unequal":
        shift = math.sqrt(5) * ndtri(auc)
        return lambda n: rng.normal(shift, 2, n), lambda n: rng.normal(0, 1, n)
    if family == "heavy":  # Student's t with 2 degrees of freedom, shifted
        shift = heavy_shift(auc)
        return lambda n: rng.standard_t(2, n) + shift, lambda n: rng.standard_t(2, n)
    share = 2 * auc - 1  # a share of the positives far above, the others like negatives
    return (
        lambda n: rng.normal(0, 1, n) + np.where(rng.random(n) < share, 20.0, 0.0),
        lambda n: rng.normal(0, 1, n),
    )


def heavy_shift(auc):
    from scipy.integrate import quad
    from scipy.optimize import brentq
    from scipy.stats import t

    def area(shift):
        return quad(lambda x: t.pdf(x, 2) * t.cdf(x + shift, 2), -np.inf, np.inf, epsabs=1e-12)[0]

    return brentq(lambda shift: area(shift) - auc, -1, 200)


def auc_setting(job):
    family, auc, positives, negatives, sets = job
    rng = np.random.default_rng((11, FAMILIES.index(family), int(1000 * auc), positives, negatives))
    draw_p, draw_n = scores(family, auc, rng)
    methods = (None, "delong-logit", "delong", "placements-beta", "distribution-free")
    held, width = dict.fromkeys(methods, 0), dict.fromkeys(methods, 0.0)
    labels = np.r_[np.ones(positives, bool), np.zeros(negatives, bool)]
    for _ in range(sets):
        counts = br.count(labels, np.r_[draw_p(positives), draw_n(negatives)])
        for method in methods:
            try:
                found = auc_interval(counts, LEVEL, method, "both")
            except br.InputError:  # an AUC of 1 has no logit: DeLong's interval is [1, 1]
                found = br.Interval(1.0, 1.0, 1.0, LEVEL, str(method))
            held[method] += found.low <= auc <= found.high
            width[method] += found.high - found.low
    name = f"{family}, AUC {auc}, {positives} + {negatives}"
    return [
        (
            "auc",
            name,
            min(positives, negatives),
            auc,
            m or "default",
            held[m] / sets,
            width[m] / sets,
            sets,
        )
        for m in methods
    ]


# ---- measures at a base rate that is given ----------------------------------------------------


def precision_setting(job):
    """Coverage of precision does not depend on the base rate: it is a function of fpr / tpr; one
    prior stands for all.
    """
    positives, negatives, tpr, fpr, sets = job
    rng = np.random.default_rng((12, positives, negatives, int(1000 * tpr), int(1e6 * fpr)))
    at = br.Conditions(prior=0.001)
    truth = {
        name: br.measure(
            name, br.Confusion.from_rates(tpr=tpr, fpr=fpr, positives=10**9, negatives=10**9), at=at
        )
        for name in MEASURES
    }
    pairs, times = np.unique(
        np.c_[rng.binomial(positives, tpr, sets), rng.binomial(negatives, fpr, sets)],
        axis=0,
        return_counts=True,
    )
    held, used = {}, {}
    for (tp, fp), count in zip(pairs.tolist(), times.tolist(), strict=True):
        confusion = br.Confusion(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
        for name in MEASURES:
            for method in (None, "mercaldo") if name in ("precision", "npv") else (None,):
                try:
                    found = measure_interval(
                        Question(br.Measure(name), confusion, at, LEVEL, "both", method, 0)
                    )
                except br.InputError:
                    continue  # nothing flagged (no precision), or Mercaldo's formula has none
                key = name, method or "default"
                held[key] = held.get(key, 0) + count * (found.low <= truth[name] <= found.high)
                used[key] = used.get(key, 0) + count
    where = f"{positives} + {negatives}, tpr {tpr}, fpr {fpr}"
    return [
        (
            name,
            where,
            min(positives, negatives),
            tpr,
            method,
            held[name, method] / used[name, method],
            0.0,
            used[name, method],
        )
        for name, method in held
    ]


MEASURES = ("precision", "npv", "posfrac", "expected_cost")


def pilot_setting(job):
    positives, negatives, tpr, fpr, prior, pilot, sets = job
    rng = np.random.default_rng((13, positives, negatives, pilot))
    truth = br.measure(
        "precision",
        br.Confusion.from_rates(tpr=tpr, fpr=fpr, positives=10**9, negatives=10**9),
        at=br.Conditions(prior=prior),
    )
    held = used = 0
    for tp, fp, seen in zip(
        rng.binomial(positives, tpr, sets),
        rng.binomial(negatives, fpr, sets),
        rng.binomial(pilot, prior, sets),
        strict=True,
    ):
        confusion = br.Confusion(
            tp=int(tp), fp=int(fp), fn=int(positives - tp), tn=int(negatives - fp)
        )
        at = br.Uncertain(prior=br.Pilot(int(seen), pilot))
        try:
            found = measure_interval(
                Question(br.Measure("precision"), confusion, at, LEVEL, "both", None, 0)
            )
        except br.InputError:
            continue
        held, used = held + (found.low <= truth <= found.high), used + 1
    where = (
        f"{positives} + {negatives}, tpr {tpr}, fpr {fpr}, prior {prior} from a pilot of {pilot}"
    )
    return [
        (
            "precision, pilot",
            where,
            min(positives, negatives),
            tpr,
            "default",
            held / used,
            0.0,
            used,
        )
    ]


# ---- tests and bootstraps ---------------------------------------------------------------------


def paired_setting(job):
    """Two models of equal AUC on the same cases: how often is a difference called one?"""
    auc, correlation, positives, negatives, sets = job
    rng = np.random.default_rng((14, int(1000 * auc), positives, negatives))
    shift = math.sqrt(2) * ndtri(auc)
    labels = np.r_[np.ones(positives, bool), np.zeros(negatives, bool)]
    called = {"default": 0, "delong": 0}
    for _ in range(sets):
        shared = rng.normal(size=positives + negatives)
        noise = rng.normal(size=(2, positives + negatives))
        both = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * noise + shift * labels
        joint = br.count_models(labels, {"a": both[0], "b": both[1]})
        for method in called:
            called[method] += (
                br.compare(br.auc, joint, method=None if method == "default" else method).p_value
                < 0.05
            )
    where = f"AUC {auc}, correlation {correlation}, {positives} + {negatives}"
    return [
        (
            "paired AUC, false alarms",
            where,
            min(positives, negatives),
            auc,
            m,
            called[m] / sets,
            0.0,
            sets,
        )
        for m in called
    ]


def bootstrap_setting(job):
    statistic, family, auc, positives, negatives, sets = job
    rng = np.random.default_rng((15, int(1000 * auc), positives, negatives))
    draw_p, draw_n = scores(family, auc, rng)
    function = getattr(br, statistic)
    at = {} if statistic == "auc" else {"at": br.Conditions(prior=0.01)}
    large = 2_000_000
    truth = float(
        function(
            br.count(
                np.r_[np.ones(large, bool), np.zeros(large, bool)],
                np.r_[draw_p(large), draw_n(large)],
            ),
            **at,
        )
    )
    labels = np.r_[np.ones(positives, bool), np.zeros(negatives, bool)]
    held = {"percentile": 0, "bca": 0}
    for _ in range(sets):
        counts = br.count(labels, np.r_[draw_p(positives), draw_n(negatives)])
        for method in held:
            found = br.interval(function, counts, method=method, replicates=1000, **at)
            held[method] += found.low <= truth <= found.high
    where = f"{statistic}, {family}, AUC {auc}, {positives} + {negatives}"
    return [
        ("bootstrap", where, min(positives, negatives), auc, m, held[m] / sets, 0.0, sets)
        for m in held
    ]


def gate_setting(job):
    """A/A gates: two models that are as good, with slices; how often does the build fail?"""
    cases, error, agreement, slices, gates = job
    rng = np.random.default_rng((16, cases, slices))
    failed = 0
    for _ in range(gates):
        parts = {}
        for part in range(slices):
            labels = rng.random(cases) < 0.3
            shared = rng.random(cases) < agreement
            wrong = [
                np.where(shared, w0, rng.random(cases) < error)
                for w0 in [rng.random(cases) < error]
                for _ in range(2)
            ]
            models = {
                name: np.where(w, ~labels, labels).astype(float)
                for name, w in zip("ab", wrong, strict=True)
            }
            parts[str(part)] = br.count_models(labels, models)
        models = parts if slices > 1 else parts["0"]
        failed += not br.non_inferiority(models, baseline="a", candidate="b", threshold=1.0).passed
    where = f"{cases} cases a slice, {slices} slices, error {error}"
    return [("A/A gate, false alarms", where, cases, error, "mcnemar", failed / gates, 0.0, gates)]


def band_setting(job):
    positives, negatives, auc, sets = job
    rng = np.random.default_rng((17, positives, negatives))
    shift = math.sqrt(2) * ndtri(auc)
    from scipy.special import ndtr

    places = np.arange(0.01, 1.0, 0.01)
    truth = ndtr(shift + ndtri(places))
    labels = np.r_[np.ones(positives, bool), np.zeros(negatives, bool)]
    whole = pointwise = 0
    for _ in range(sets):
        counts = br.count(
            labels, np.r_[rng.normal(shift, 1, positives), rng.normal(0, 1, negatives)]
        )
        band = br.band(br.roc, counts, x=places, simultaneous=True, replicates=1000)
        whole += bool(((band.low <= truth) & (truth <= band.high)).all())
        band = br.band(br.roc, counts, x=places, replicates=1000)
        pointwise += float(((band.low <= truth) & (truth <= band.high)).mean())
    where = f"ROC, binormal, AUC {auc}, {positives} + {negatives}"
    return [
        ("band", where, min(positives, negatives), auc, "simultaneous", whole / sets, 0.0, sets),
        (
            "band",
            where,
            min(positives, negatives),
            auc,
            "pointwise (mean over places)",
            pointwise / sets,
            0.0,
            sets,
        ),
    ]


# ---- the study --------------------------------------------------------------------------------


SIZES = ((5, 1000), (10, 1000), (20, 1000), (30, 30), (30, 1000), (100, 1000), (100, 10_000))
FIXED = (
    (5, 1000),
    (10, 10_000),
    (20, 1000),
    (30, 1000),
    (30, 100_000),
    (100, 1000),
    (100, 100_000),
    (1000, 100_000),
)
RATES = ((0.5, 0.001), (0.8, 0.01), (0.9, 0.1), (0.95, 0.01))
PAIRED = ((5, 1000), (10, 1000), (20, 1000), (30, 1000), (100, 1000))


def jobs(quick):
    """Every setting; what no promise is made for comes last, with fewer sets."""
    sets = 200 if quick else SETS
    yield from (
        (auc_setting, (name, auc, p, n, sets))
        for p, n in SIZES
        for name in FAMILIES
        for auc in (0.6, 0.75, 0.9, 0.97)
    )
    yield from ((precision_setting, (p, n, tpr, fpr, sets)) for p, n in FIXED for tpr, fpr in RATES)
    yield from ((paired_setting, (auc, 0.5, p, n, sets)) for p, n in PAIRED for auc in (0.75, 0.9))
    yield from (
        (gate_setting, (cases, 0.1, 0.6, k, 200 if quick else 20_000))
        for cases, k in ((200, 1), (1000, 1), (200, 4))
    )
    yield from (
        (pilot_setting, (p, n, 0.8, 0.01, 0.01, k, sets))
        for p, n in ((30, 1000), (100, 10_000))
        for k in (1000, 20_000)
    )
    yield from (
        (band_setting, (p, n, 0.8, 20 if quick else 300)) for p, n in ((30, 300), (100, 1000))
    )
    few = 20 if quick else 1000
    yield from ((bootstrap_setting, ("auc", "binormal", 0.75, p, 1000, few)) for p in (20, 30, 100))
    yield from (
        (bootstrap_setting, ("average_precision", "binormal", 0.75, p, 1000, few // 4))
        for p in (20, 30, 100)
    )


def run(job):
    work, arguments = job
    return key(job), work(arguments)


def shown(row):
    what, where, _, _, method, share, width, sets = row
    error = 0.0 if sets == "exact" else math.sqrt(share * (1 - share) / sets)
    size = f"{width:.3f}" if width else ""
    return (
        f"| {what} | {where} | {method} | {100 * share:.2f} |"
        f" {'exact' if sets == 'exact' else f'{100 * error:.2f}'} | {size} | {sets} |"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--quick", action="store_true", help="a fiftieth of the sets, to see that it runs"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--kept",
        type=Path,
        help=(
            "a file that keeps every setting once it is done, so that a run may be stopped and"
            " taken up again"
        ),
    )
    options = parser.parse_args()
    started, done = time.time(), kept(options.kept)
    left = [job for job in jobs(options.quick) if key(job) not in done]
    with multiprocessing.Pool(options.processes) as pool:
        for name, part in pool.imap_unordered(run, left, chunksize=1):
            done[name] = part
            if options.kept is not None:
                with options.kept.open("a") as file:
                    file.write(json.dumps([name, part]) + "\n")
            print(f"{len(done)} settings, {time.time() - started:.0f} s", file=sys.stderr)
    rows = [
        *rates(),
        *worst_rates(),
        *variance_bound(),
        *(tuple(row) for part in done.values() for row in part),
    ]
    print(*targets(rows), sep="\n")
    print(
        "\n| what | setting | method | held, % | s.e., % | mean width | sets"
        " |\n|---|---|---|---|---|---|---|"
    )
    for row in sorted(rows, key=lambda row: (row[0], row[2], row[1], row[4])):
        print(shown(row))


def kept(path):
    """The settings that an earlier run finished."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else []
    return dict(map(json.loads, lines))


def key(job):
    return f"{job[0].__name__} {job[1]}"


def targets(rows):
    """What CONVENTIONS asks for, and what came out."""

    def error(row):
        return 0.0 if row[7] == "exact" else math.sqrt(max(row[5] * (1 - row[5]), 1e-9) / row[7])

    guaranteed = [row for row in rows if row[4] in ("clopper-pearson", "distribution-free")]
    worst = min(guaranteed, key=lambda row: row[5] + 3 * error(row))
    yield (
        f"- guaranteed methods: lowest {100 * worst[5]:.2f} % ({worst[0]}, {worst[1]}); asked: >="
        " 95 % - 3 s.e. everywhere"
    )
    default = [
        row
        for row in rows
        if row[4] == "default"
        and row[2] >= 30
        and (row[0] in ("rate", "precision", "npv") or (row[0] == "auc" and row[3] <= 0.9))
    ]
    low = sorted((row for row in default if row[5] < 0.93 - 3 * error(row)), key=lambda row: row[5])
    yield (
        f"- default intervals with 30 or more: {len(default)} settings, {len(low)} below 93 % - 3"
        " s.e.: " + ("; ".join(f"{row[0]} {row[1]} {100 * row[5]:.2f} %" for row in low) or "none")
    )
    good = sum(row[5] >= 0.945 - 2 * error(row) for row in default)
    yield (
        f"- of these {good} ({100 * good / len(default):.1f} %) are at 94.5 % - 2 s.e. or above;"
        " asked: nine of ten"
    )
    few = [
        row
        for row in rows
        if row[4] == "default"
        and row not in default
        and row[0] in ("rate", "precision", "npv", "auc")
    ]
    below = sorted((row for row in few if row[5] < 0.93), key=lambda row: row[5])
    yield f"- fewer than 30, or AUC above 0.9: {len(few)} settings, {len(below)} below 93 %: " + (
        "; ".join(f"{row[0]} {row[1]} {100 * row[5]:.2f} %" for row in below) or "none"
    )
    gates = [row for row in rows if row[0].startswith("A/A")]
    yield (
        f"- A/A gates: at most {100 * max(row[5] for row in gates):.2f} % false alarms; asked:"
        " <= 3 %"
    )
    sizes = [row for row in rows if row[0].startswith("paired") and row[4] == "default"]
    yield (
        f"- paired AUC test: size {100 * min(row[5] for row in sizes):.2f} to"
        f" {100 * max(row[5] for row in sizes):.2f} % at 5 %"
    )


if __name__ == "__main__":
    main()
