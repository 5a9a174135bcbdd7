"""How every public function grows with rows, models and groups: `python benchmarks/growth.py`.

CPU time in units of `br.count` of the same data, one thread, at 1e5 and 1e6 rows, functions that
take rows also at 1e7, with the exponent between the first and the last; of several models at 1e5
rows for 2, 10 and 100 models, in units of counting all of them; of groups at 1e6 rows for 10 and
10,000 groups. Beside it scikit-learn, where it has the function. Whatever grows with an exponent
above 1.2, or takes more than 50 counts, is listed again below. Continuous scores, prior 0.01;
resampling with 100 replicates. `--small` takes a tenth of the rows.
"""

import inspect
import math
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BASERATE_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

import baserate as br
from baserate.kernels import Cells

AT = br.Conditions(prior=0.001, costs=br.Costs(fn=200))
RANGE = br.Conditions(prior="0.05%..0.2%", costs=br.Costs(fn=200))
RULE, CUT = "tpr >= 0.5", 2.0
MOST_EXPONENT, MOST_COUNTS = 1.2, 50
MOST_RUNS, LONG = 9, 1.0
GIVEN = {
    "partial_auc": {"fpr": (0, 0.1)},
    "weighted_auc": {"alpha": 0.1},
    "weighted_cost_area": {"alpha": 0.1},
    "weighted_pr_area": {"alpha": 0.1},
}
TWO = {"baseline": "m0", "candidate": "m1", "margin": 0.1}
PILOT = br.Conditions(prior=br.Pilot(30, 30_000), costs=br.Costs(fn=200))
AREAS = (
    "auc_bounds",
    "auprc",
    "average_precision",
    "cost_area",
    "gini",
    "h_measure",
    "ks",
    "min_cost",
    "partial_auc",
    "weighted_auc",
    "weighted_cost_area",
    "weighted_pr_area",
)
# What takes no data, or a few numbers: its time does not grow. Drawings and reports have benchmarks
# of their own.
OTHER_SPACES = ("types", "plots", "planning")
NO_ROWS = {
    "count_classes",
    "count_estimator",
    "count_folds",
    "response",
    "scorer",
    "correct_probabilities",
    "cost_lines",
    "ideal_baseline",
    "iso_cost_line",
    "isoline",
    "label_error_table",
    "load",
    "random_classifier",
    "rate_interval",
    "solve_rates",
    "strip_weights",
    "to_broc",
    "under_label_errors",
    "under_verification",
    "weighted_auc_chance",
    "by_day",
    "average_curve",
    "fold_mean",
}


class Data:
    """One sample of this many rows, models and groups, and its counts."""

    def __init__(self, rows, models=2, groups=10):
        rng = np.random.default_rng(0)
        self.y = rng.random(rows) < 0.01
        shared = rng.normal(size=rows)
        self.scores = {
            f"m{k}": shared + 0.6 * rng.normal(size=rows) + (1.5 + 0.01 * k) * self.y
            for k in range(models)
        }
        self.first = self.scores["m0"]
        self.groups = rng.integers(0, groups, rows)
        self.weights, self.tied = rng.random(rows), np.round(self.first, 2)
        words = np.array(["no", "yes"])
        self.texts = words[self.y.astype(np.intp)]
        self.objects = words.astype(object)[self.y.astype(np.intp)]
        self.categories = pd.Series(self.objects).astype("category")
        if rows > 10**6:
            return  # for what takes rows
        self.counts = br.count(self.y, self.first)
        self.several = {name: br.count(self.y, one) for name, one in self.scores.items()}
        self.shares = br.count(self.y, 1 / (1 + np.exp(5 - self.first)))
        moved = shared + 1.5 * (rng.random(rows) < 0.02)
        self.field = br.count_unlabelled(1 / (1 + np.exp(5 - moved)))
        self.joint = br.count(self.y, self.scores)
        self.of_groups = br.count(self.y, self.first, by=self.groups)
        self.clusters = br.count(self.y, self.first, cluster=self.groups)


def of_rows():
    """What takes the rows themselves, and what scikit-learn has for it."""
    return {
        "count": (lambda d: br.count(d.y, d.first), lambda d: metrics.roc_curve(d.y, d.first)),
        'count(keep="positives")': (lambda d: br.count(d.y, d.first, keep="positives"), None),
        "count, fixed-width text as labels": (lambda d: br.count(d.texts, d.first), None),
        "count, objects as labels": (lambda d: br.count(d.objects, d.first), None),
        "count, categories as labels": (lambda d: br.count(d.categories, d.first), None),
        "count, tied scores": (lambda d: br.count(d.y, d.tied), None),
        "count, tied scores with weights": (
            lambda d: br.count(d.y, d.tied, sample_weight=d.weights),
            lambda d: metrics.roc_curve(d.y, d.tied, sample_weight=d.weights),
        ),
        "count_unlabelled": (lambda d: br.count_unlabelled(d.first), lambda d: np.sort(d.first)),
    }


def of_counts():
    """What takes the counts of one or two models."""
    c = lambda f: lambda d: f(fresh(d.counts))  # noqa: E731
    sk = lambda f: lambda d: f(d.y, d.first)  # noqa: E731
    curves, robust = br.curves, br.robustness
    found = {
        "auc": (c(br.auc), sk(metrics.roc_auc_score)),
        "roc": (c(br.roc), sk(metrics.roc_curve)),
        "pr": (c(lambda x: br.pr(x, at=AT)), sk(metrics.precision_recall_curve)),
        "det": (c(br.det), sk(metrics.det_curve)),
        "broc": (c(lambda x: br.broc(x, at=AT)), None),
        "curve(cost)": (c(lambda x: br.curve(x, "cost")), None),
        "summary(partial_auc)": (
            c(lambda x: br.summary(x, "partial_auc(fpr=0..0.1)")),
            sk(lambda y, s: metrics.roc_auc_score(y, s, max_fpr=0.1)),
        ),
        "choose": (c(lambda x: br.choose(x, at=AT)), None),
        f"choose({RULE})": (c(lambda x: br.choose(x, RULE, at=AT)), None),
        "choose(optimize=mcc)": (c(lambda x: br.choose(x, optimize="mcc")), None),
        "choose over a range": (c(lambda x: br.choose(x, at=RANGE)), None),
        "fix": (c(lambda x: br.fix(x, "precision = 0.01", at=AT)), None),
        "measure": (c(lambda x: br.measure(x, "precision", threshold=CUT, at=AT)), None),
        "measure over a range": (c(lambda x: br.measure(x, "precision", at=RANGE)), None),
        "measure under a rule over a range": (
            c(lambda x: br.measure(x, "precision", rule=RULE, at=RANGE)),
            None,
        ),
        "table": (c(lambda x: br.table(x, ["tp", "precision"], at=AT)), None),
        "interval(auc)": (c(lambda x: br.interval(x, "auc")), None),
        "interval(precision)": (
            c(lambda x: br.interval(x, "precision", threshold=CUT, at=AT)),
            None,
        ),
        "interval(expected_cost), 100 replicates": (
            c(lambda x: br.interval(x, "expected_cost", at=AT, replicates=100)),
            None,
        ),
        "interval(average_precision), 100 replicates": (
            c(lambda x: br.interval(x, "average_precision", at=AT, replicates=100)),
            None,
        ),
        "require": (c(lambda x: br.require(x, "precision >= 0.01", threshold=CUT, at=AT)), None),
        "report": (lambda d: br.report(d.joint, at=AT), None),
        "compare(auc)": (lambda d: br.compare(d.joint, "auc"), None),
        "compare(expected_cost), 100 replicates": (
            lambda d: br.compare(d.joint, "expected_cost", at=AT, replicates=100),
            None,
        ),
        "compare over a range, 100 replicates": (
            lambda d: br.compare(d.joint, "expected_cost", at=RANGE, replicates=100),
            None,
        ),
        "non_inferiority": (
            lambda d: br.non_inferiority(d.joint, "tpr", threshold=CUT, **TWO),
            None,
        ),
        "band(pr), 100 replicates": (
            c(lambda x: curves.band(x, "pr", at=AT, replicates=100, simultaneous=False)),
            None,
        ),
        "difference_band(roc), 100 replicates": (
            lambda d: curves.difference_band(d.joint, "roc", replicates=100, simultaneous=False),
            None,
        ),
        "superiority": (lambda d: curves.superiority(*map(fresh, d.several.values())), None),
        "winners": (lambda d: curves.winners(all_fresh(d)), None),
        "winner_map": (lambda d: robust.winner_map(all_fresh(d)), None),
        "regret": (lambda d: robust.regret(all_fresh(d), "m0", CUT, at=RANGE), None),
        "stability": (lambda d: robust.stability(all_fresh(d), at=AT), None),
        "best_recall": (lambda d: robust.best_recall(all_fresh(d), fdr=0.5), None),
        "triage": (c(lambda x: robust.triage(x, at=AT, review=1)), None),
        "value_of_information": (
            lambda d: robust.value_of_information(all_fresh(d), at=PILOT),
            None,
        ),
        "calibrate(platt)": (lambda d: br.shift.calibrate(fresh(d.counts), "platt"), platt),
        "calibrate(isotonic)": (lambda d: br.shift.calibrate(fresh(d.counts)), None),
        "correct_prior": (
            lambda d: br.shift.correct_prior(fresh(d.shares), calibrated_at=0.01, at=AT),
            None,
        ),
        "estimate_prior": (lambda d: br.estimate_prior(fresh(d.shares), d.field), None),
        "check_label_shift": (lambda d: br.shift.check_label_shift(fresh(d.shares), d.field), None),
    }
    for name in AREAS:
        peer = sk(metrics.average_precision_score) if name == "average_precision" else None
        function, given = getattr(curves, name), GIVEN.get(name, {})
        found[name] = (c(lambda x, f=function, given=given: f(x, **given)), peer)
    for name in ("brier", "brier_decomposition", "calibration_error", "log_loss"):
        function = getattr(curves, name)
        found[name] = (lambda d, function=function: function(fresh(d.shares)), None)
    return found


def platt(data):
    rows = data.first[:, None]
    LogisticRegression().fit(rows, data.y)


def of_models():
    return {
        name: of_counts()[name][0]
        for name in ("compare(auc)", "winners", "winner_map", "regret", "best_recall", "report")
    } | {"choose": lambda d: br.choose(all_fresh(d), at=AT)}


def of_groups():
    return {
        "count(by=)": lambda d: br.count(d.y, d.first, by=d.groups),
        "by_group": lambda d: br.segments.by_group(d.of_groups, threshold=CUT),
        "interval(auc) of clusters": lambda d: br.interval(d.clusters, "auc"),
    }


def fresh(counts):
    """The same without what was derived from it before."""
    cells = Cells(counts.scores, counts.positives, counts.negatives)
    return br.Counts._of(cells, counts.ledger)


def all_fresh(data):
    return {name: fresh(one) for name, one in data.several.items()}


def seconds(work, data):
    """The least CPU time of a few runs, fewer of long ones; what it says where it refuses."""
    times = []
    while len(times) < MOST_RUNS and (len(times) < 2 or sum(times) < LONG):
        started = time.process_time()
        try:
            work(data)
        except br.InputError as refused:
            return str(refused)[:60]
        times.append(time.process_time() - started)
    return min(times)


def exponent(times, sizes):
    return math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])


def table(title, works, data, units):
    """One row a function; returns what grows too fast or takes too long."""
    sizes = list(data)
    print(f"\n| {title} | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent | peer |")
    print("|---" * (len(sizes) + 3) + "|", flush=True)
    slow = []
    for name, work in works.items():
        ours, peer = work if isinstance(work, tuple) else (work, None)
        times = [seconds(ours, data[size]) for size in sizes]
        if any(isinstance(one, str) for one in times):
            print(f"| {name} | {times[0]} |", flush=True)
            slow.append(f"{name}: {times[0]}")
            continue
        ratios = [one / units[size] for one, size in zip(times, sizes, strict=True)]
        power = exponent(times, sizes)
        beside = f"{seconds(peer, data[sizes[-1]]) / units[sizes[-1]]:.1f}" if peer else ""
        cells = " | ".join(f"{one:.2f}" for one in ratios)
        print(f"| {name} | {cells} | {power:.2f} | {beside} |", flush=True)
        grows = power > MOST_EXPONENT and times[-1] > 0.01
        if grows or ratios[-1] > MOST_COUNTS:
            slow.append(f"{name} ({title}): exponent {power:.2f}, {ratios[-1]:.0f} counts")
    return slow


def missing(names):
    """Public functions that no row is about."""
    functions = {
        name
        for home in (br, *(getattr(br, space) for space in br.NAMESPACES))
        if home.__name__.removeprefix("baserate.") not in OTHER_SPACES
        for name in home.__all__
        if inspect.isfunction(getattr(home, name))
    }
    said = {name.partition("(")[0].partition(" ")[0].partition(",")[0] for name in names}
    return sorted(functions - said - NO_ROWS)


def main(arguments):
    part = 10 if "--small" in arguments else 1
    started = time.process_time()
    unit = {}

    def made(rows, models=2, groups=10):
        data = Data(rows // part, models, groups)
        unit[id(data)] = seconds(of_rows()["count"][0], data)
        return data

    by_rows = {size: made(size) for size in (10**5, 10**6)}
    units = {size: unit[id(data)] for size, data in by_rows.items()}
    slow = table("rows, of counts", of_counts(), by_rows, units)
    by_groups = {size: made(10**6, 2, size) for size in (10, 10**4)}
    slow += table("groups", of_groups(), by_groups, {k: unit[id(d)] for k, d in by_groups.items()})
    del by_groups
    by_models = {size: made(10**5, size) for size in (2, 10, 100)}
    counting = {size: size * unit[id(data)] for size, data in by_models.items()}
    slow += table("models", of_models(), by_models, counting)
    del by_models
    by_rows[10**7] = made(10**7)
    units[10**7] = unit[id(by_rows[10**7])]
    slow += table("rows", of_rows(), by_rows, units)
    print(f"\nAbove exponent {MOST_EXPONENT} or {MOST_COUNTS} counts:\n")
    print("\n".join(f"- {one}" for one in slow) or "- none")
    left = missing([*of_counts(), *of_models(), *of_groups(), *of_rows()])
    print(f"\nNot measured: {', '.join(left) or 'none'}.")
    print(f"\n{time.process_time() - started:.0f} s of CPU.")


if __name__ == "__main__":
    main(sys.argv[1:])
