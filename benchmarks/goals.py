"""What work takes that is not counting, beside its goals: `python benchmarks/goals.py`.

CPU time, one thread, at 1e6 rows and prior 0.01 unless said: of this process, or for files of every
process with its start. "counts" is the unit of `br.count` of the same data in the same run; the
peers (DuckDB, polars) read and group the same file in one process of their own. Each figure is the
least of interleaved runs. `--only WORDS` measures the rows that have these words in their names,
`--small` takes a hundredth of the rows.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

for variable in (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("BASERATE_THREADS", "POLARS_MAX_THREADS"),
):
    os.environ.setdefault(variable, "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a second start finds its modules compiled
sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np
from benchmarks.growth import AT, RANGE, RULE, Data, all_fresh, fresh
from tests.peaks import taken_by

import baserate as br
from baserate.inference import chosen_threshold

FEW, MANY = 300, 600
ROWS = 10**6


# ----------------------------------------------------------------------
# In this process.


def cpu(work, longest=2.0, most=7):
    """The least CPU seconds of a few runs, fewer of long ones."""
    times = []
    while len(times) < most and (len(times) < 2 or sum(times) < longest):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def per_resample(work):
    """Milliseconds of one more resample: two runs of different length are subtracted."""
    return f"{1e3 * (cpu(lambda: work(MANY)) - cpu(lambda: work(FEW))) / (MANY - FEW):.2f} ms"


def counts(work, data):
    """In units of `count` of the same data, measured by turns."""
    return cpu(work) / cpu(lambda: br.count(data.y, data.first))


def beyond(labels, data):
    """What labels of another kind add to counting, in counts."""
    return f"{counts(lambda: br.count(labels, data.first), data) - 1:.2f} counts more"


def seconds(work):
    return f"{cpu(work):.2f} s"


def bytes_a_row(work, rows):
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    found = work()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    del found
    return peak / rows


def alternating(rows):
    """Every second case is positive: every other point has exactly the same informedness."""
    return br.count(np.arange(rows) % 2, np.arange(rows, dtype=np.float64))


def of_resamples(data):
    yield (
        "`difference_band`, a resample",
        "82 ms",
        "4 ms",
        lambda: per_resample(
            lambda n: br.curves.difference_band(data.joint, "roc", replicates=n, simultaneous=False)
        ),
    )
    yield (
        "`winner_map(level=)`, a resample",
        "44 ms",
        "4 ms",
        lambda: per_resample(
            lambda n: br.robustness.winner_map(data.joint, level=0.5, replicates=n)
        ),
    )
    yield (
        "`compare` over a range, a resample",
        "",
        "4 ms",
        lambda: per_resample(
            lambda n: br.compare(data.joint, "expected_cost", at=RANGE, replicates=n)
        ),
    )


def of_points(rows):
    tied = alternating(rows)
    for name in ("informedness", "balanced_accuracy", "mcc"):
        yield (
            f"`choose(optimize={name})`, exact ties",
            "21 to 32 s",
            "0.3 s",
            lambda name=name: seconds(lambda: br.choose(fresh(tied), optimize=name)),
        )
    yield (
        "`choose(balanced_accuracy >= 0.5)`, exact ties",
        "22.8 s",
        "0.3 s",
        lambda: seconds(lambda: br.choose(fresh(tied), "balanced_accuracy >= 0.5")),
    )


def of_models(rows):
    several = Data(rows, 100)
    yield (
        "`best_recall` of 100 models, 1e5 rows",
        "85 s",
        "0.5 s",
        lambda: seconds(lambda: br.robustness.best_recall(all_fresh(several), fdr=0.5)),
    )
    yield (
        "`compare(auc)`, all pairs of 100 models, 1e5 rows",
        "23 s",
        "1.5 s",
        lambda: seconds(lambda: br.compare(several.joint, "auc")),
    )


def of_counts(data):
    yield (
        "`superiority`",
        "1.1 to 1.3 s",
        "0.3 s",
        lambda: seconds(lambda: br.curves.superiority(*map(fresh, data.several.values()))),
    )
    yield (
        "`calibrate(platt)`",
        "1.4 s",
        "0.2 s",
        lambda: seconds(lambda: br.shift.calibrate(fresh(data.counts), "platt")),
    )
    em = {"method": "em", "calibrated_at": "sample", "replicates": 100}
    yield (
        "`estimate_prior(em)`, 100 resamples",
        "2.2 s",
        "0.3 s",
        lambda: seconds(lambda: br.estimate_prior(fresh(data.shares), data.field, **em)),
    )
    yield (
        "a measure over a range",
        "12 s",
        "1 s",
        lambda: seconds(lambda: br.measure(data.counts, "precision", rule=RULE, at=RANGE)),
    )


def of_labels(data):
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    kinds = {
        "fixed-width text": (data.texts, "37.8 counts"),
        "objects": (data.objects, "20.6 counts"),
        "pandas category": (data.categories, "25.1 counts"),
        "pandas str": (pd.Series(data.objects).astype("str"), "23.8 counts"),
        "polars text": (pl.Series(data.objects), ""),
        "Arrow text": (pa.array(data.objects), ""),
    }
    for name, (labels, before) in kinds.items():
        yield f"labels: {name}", before, "1 count", lambda one=labels: beyond(one, data)


def of_groups(data):
    many = np.random.default_rng(1).integers(0, 10**4, len(data.y))
    for groups, named in ((data.groups, "10"), (many, "10,000")):

        def grouped(groups=groups):
            return br.count(data.y, data.first, by=groups)

        yield (
            f"`count(by=)`, {named} groups",
            "24 to 42 counts, 110 B a row",
            "3 counts, 40 B a row",
            lambda one=grouped: (
                f"{counts(one, data):.2f} counts, {bytes_a_row(one, len(data.y)):.0f} B a row"
            ),
        )
    yield (
        "weights on tied scores",
        "1.64 counts",
        "0.5 counts",
        lambda: (
            f"{counts(lambda: br.count(data.y, data.tied, sample_weight=data.weights), data):.2f}"
            " counts"
        ),
    )


@contextmanager
def timed(module, name):
    """The CPU seconds of every call of this function of the module, one by one."""
    function, spent = getattr(module, name), []

    def called(*given):
        started = time.process_time()
        try:
            return function(*given)
        finally:
            spent.append(time.process_time() - started)

    setattr(module, name, called)
    try:
        yield spent
    finally:
        setattr(module, name, function)


def of_reports(rows):
    rng = np.random.default_rng(rows)
    labels = rng.random(rows) < 0.01
    scores = {f"m{k}": rng.normal(size=rows) + labels * (1.5 + k / 10) for k in range(3)}

    def counted():
        return {name: br.count(labels, values) for name, values in scores.items()}

    def reported():
        """With its resampled intervals, and without the time that drawing and reading resamples
        takes.
        """
        whole, drawn = [], []
        with timed(chosen_threshold, "read_choices") as spent:
            for _ in range(5):
                spent.clear()
                whole.append(cpu(lambda: br.report(counted(), at=AT).html, 0, 1))
                drawn.append(sum(spent))
        least = int(np.argmin(whole))
        unit = cpu(counted)
        without = (whole[least] - drawn[least]) / unit
        return f"{without:.1f} counts ({whole[least] / unit:.1f} with resampled intervals)"

    yield (
        "`report` of three models from arrays, with counting",
        "13.7 counts",
        "3 counts",
        reported,
    )


def of_learners(rows):
    from sklearn.tree import DecisionTreeClassifier

    from baserate_learners import MetaCost, Parzen

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 10))  # noqa: N806
    y = (X[:, :3].sum(axis=1) + rng.normal(size=rows) > 2.5).astype(int)
    costs = br.Costs(fn=20)

    def around():
        one = cpu(lambda: DecisionTreeClassifier(random_state=0).fit(X, y), 0)
        all_ = cpu(lambda: MetaCost(DecisionTreeClassifier(random_state=0), costs).fit(X, y), 0)
        return f"{all_ / one:.1f} trees"

    yield "`MetaCost` around a tree, 1e5 rows", "27 trees", "12 trees", around
    few = rows // 10
    yield (
        "`Parzen().fit`, 1e4 rows",
        "> 60 s",
        "2 s",
        lambda: seconds(lambda: Parzen().fit(X[:few, :2], y[:few])),
    )


# ----------------------------------------------------------------------
# In processes of their own: the same file, counted by us and grouped by a peer.


# A few lines each, so that a process loads nothing but what it measures.
GROUPS = "group_by('s').agg(pl.col('y').sum(), pl.len()).sort('s').collect(engine='streaming')"
LINES = "read_json(?, format = 'newline_delimited')"
PROGRAMS = {
    "counted": "import baserate as br; br.count(path, label='y', score='s').scores",
    "negative": (
        "import baserate as br; br.count(path, label='y', score='s', missing_label='negative')"
    ),
    "dropped": "import baserate as br; br.count(path, label='y', score='s', missing_label='drop')",
    "polars parquet": f"import polars as pl; pl.scan_parquet(path).{GROUPS}",
    "polars csv": f"import polars as pl; pl.scan_csv(path).{GROUPS}",
    "duckdb json": (
        "import duckdb; duckdb.connect(config={'threads': 1}).execute(\"SELECT s,"
        " count(*) FILTER (WHERE y::VARCHAR IN ('yes', '1')), count(*) FROM"
        f' {LINES} GROUP BY s ORDER BY s", [path]).fetchnumpy()'
    ),
}


def write(path, kind, rows):
    """A label `y` and a score `s` a row; `t` is another field of JSON, or a time."""
    import duckdb
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(rows)
    labels, scores = rng.random(rows) < 0.01, rng.random(rows)
    y = pa.array(labels.astype(np.int8))
    if "text" in kind or "null" in kind:
        y = pa.array(np.array(["no", "yes"], dtype=object)[labels.astype(int)])
    if "whole" in kind:
        y = pa.array(labels.astype(np.int64))
    if "null" in kind:
        y = pa.compute.if_else(pa.array(rng.random(rows) < 0.7), pa.scalar(None, y.type), y)
    columns = {"y": y, "s": np.round(scores, 3) if "tied" in kind else scores}
    if "day" in kind:
        times = rng.integers(0, 30 * 86_400_000_000, rows) + 1_750_000_000_000_000
        columns["t"] = pa.array(times, pa.timestamp("us"))
    if path.endswith(".jsonl"):
        columns["t"] = pa.array(rng.integers(0, 1000, rows))
    table = pa.table(columns)
    if path.endswith(".parquet"):
        parquet.write_table(table, path)
        return
    with duckdb.connect() as connection:
        connection.register("rows", table)
        how = "FORMAT json" if path.endswith(".jsonl") else "HEADER"
        connection.execute(f"COPY rows TO '{path}' ({how})")


def taken(command, times=3):
    """The least CPU seconds, and the least peak of the resident sets of all processes."""
    runs = [taken_by(command) for _ in range(times)]
    assert all(one.status == 0 for one in runs), command
    return min(one.cpu for one in runs), min(one.peak for one in runs) / 2**20


def run_of(name, path):
    return [sys.executable, "-c", f"path = {path!r}; {PROGRAMS[name]}"]


def beside(folder, kind, ending, rows, ours, peer=None):
    """Seconds of all our processes with their peak, and the same of the peer."""
    path = str(Path(folder) / f"{kind.replace(' ', '-')}.{ending}")
    write(path, kind, rows)
    own, peak = taken(ours(path))
    text = f"{own:.2f} s, {peak:.0f} MiB"
    if peer is not None:
        other, most = taken(run_of(peer, path))
        text = f"{own / other:.2f} × ({own:.2f} s, {peak:.0f} MiB; {other:.2f} s, {most:.0f} MiB)"
    Path(path).unlink()
    return text


def of_files(rows, folder):
    def one(*given, peer=None, ours=lambda path: run_of("counted", path)):
        return lambda: beside(folder, *given, ours, peer)

    json_goal = ("10.6 × DuckDB", "1.5 × DuckDB")
    yield (
        "JSON lines, three fields",
        *json_goal,
        one("json", "jsonl", rows, peer="duckdb json"),
    )
    yield (
        "JSON lines, text labels, three decimals",
        *json_goal,
        one("json text tied", "jsonl", rows, peer="duckdb json"),
    )
    yield (
        "Parquet, tied, 1e7 rows",
        "2.7 × polars",
        "1.3 × polars",
        one("tied", "parquet", 10 * rows, peer="polars parquet"),
    )
    yield (
        "CSV, 1e7 rows",
        "1.4 × polars",
        "1.2 × polars",
        one("csv", "csv", 10 * rows, peer="polars csv"),
    )
    for kind in ("whole null", "text null"):
        for how in ("negative", "dropped"):
            yield (
                f"nullable labels ({kind.partition(' ')[0]}), 5e6 rows, {how}",
                "5.1 s",
                "1 s",
                one(
                    kind,
                    "parquet",
                    5 * rows,
                    ours=lambda path, how=how: run_of(how, path),
                ),
            )
    days = ("-m", "baserate", "slices")
    given = ("--label", "y", "--score", "s", "--day", "t", "--threshold", "0.5")
    yield (
        "`slices` by day, 5e6 rows",
        "12.8 s, 755 MB",
        "2 s, 250 MB",
        one(
            "day",
            "parquet",
            5 * rows,
            ours=lambda path: [sys.executable, *days, path, *given],
        ),
    )


SETTINGS = """[data]
source = {path}
label = "y"

[models]
baseline = "a"
candidate = "b"

[scenario.field]
prior = "1 in 1000"
costs = {{ fp = 1, fn = 200 }}

[[require]]
scenario = "field"
model = "candidate"
rule = "auc >= 0.8"

[[compare]]
scenario = "field"
"""


def of_gates(rows, folder):
    data = Data(rows)
    path, settings = Path(folder) / "gate.csv", Path(folder) / "baserate.toml"
    names = dict(zip("ab", data.scores, strict=True))
    with path.open("w") as file:
        file.write("y,a,b\n")
        columns = (data.scores[name].tolist() for name in names.values())
        file.writelines(
            f"{int(y)},{a!r},{b!r}\n" for y, a, b in zip(data.y.tolist(), *columns, strict=True)
        )
    settings.write_text(SETTINGS.format(path=json.dumps(str(path))))

    def gate():
        command = [sys.executable, "-m", "baserate", "gate", "--config", str(settings)]
        runs = [taken_by(command) for _ in range(3)]
        assert all(one.status in (0, 1) and one.said for one in runs), command
        return f"{min(one.cpu for one in runs):.2f} s"

    yield "`baserate gate` of two checks, 2e4 rows", "10.5 s", "1 s", gate


# ----------------------------------------------------------------------


def works(part, folder):
    """Every row: its name, what it took before, its goal, and how it is measured now."""
    rows = ROWS // part
    data = Data(rows)
    yield from of_resamples(data)
    yield from of_points(rows)
    yield from of_counts(data)
    yield from of_labels(data)
    yield from of_groups(data)
    del data
    yield from of_models(rows // 10)
    yield from of_reports(rows)
    yield from of_learners(rows // 10)
    yield from of_files(rows, folder)
    yield from of_gates(20_000, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print("| work | before | goal, at most | now |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="baserate-goals-") as folder:
        for name, before, goal, measured in works(100 if given.small else 1, folder):
            if given.only in name:
                print(f"| {name} | {before} | {goal} | {measured()} |", flush=True)


if __name__ == "__main__":
    main()
