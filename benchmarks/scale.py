"""Counting 1e8 and 1e9 rows on every engine, beside what decodes and groups the same file: prints
the tables of benchmarks/README.md.

    .venv/bin/python benchmarks/scale.py                        1e8 rows, unrounded scores and 10,001 different ones, every engine
    .venv/bin/python benchmarks/scale.py --only ours            the same, decoding and counting under a ceiling alone, three times by turns
    .venv/bin/python benchmarks/scale.py --only billion         1e9 of them under 1 GiB (writes 8.2 GB, and removes it)
    .venv/bin/python benchmarks/scale.py --only scenario        997 300 000 rows made on the fly (scenario 9), under 1 GiB
    .venv/bin/python benchmarks/scale.py --only text            1e7 rows of CSV, as repr and as numpy.savetxt write numbers, under 512 MB
    .venv/bin/python benchmarks/scale.py --only streamed        1e8 and 1e9 continuous rows made on the fly, under 1 GiB

Every run is a process of its own. CPU is that of the process and of all that it started (Java and
Python workers among them), "start" what the same takes of a thousand rows; MiB is the peak of the
resident sets of all of them together, looked at every 10 ms (pages that two of them share count
twice); the decode is the two columns read by DuckDB in one thread, row group by row group, and
thrown away. Positives are rare: 0.001.
"""  # noqa: E501

import argparse
import contextlib
import functools
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1])]
from tests.peaks import taken_by

GROUP = 1 << 20
PRIOR = 0.001
EXPECTED = {
    "positives": 997_300,
    "negatives": 996_302_700,
    "auc": Fraction(118406729, 198921458),
    "tp": 197_300,
    "fp": 97_202_700,
}


def write(path, rows, digits=None):
    """A bool and a float64 a row, in row groups of 2^20, uncompressed: scores are uniform, those of
    positives drawn towards 1.
    """
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    schema = pa.schema({"y": pa.bool_(), "s": pa.float64()})
    with parquet.ParquetWriter(path, schema, compression="NONE", use_dictionary=False) as writer:
        for start in range(0, rows, GROUP):
            scores = rng.random(min(GROUP, rows - start))
            labels = rng.random(len(scores)) < PRIOR
            scores[labels] **= 0.25
            scores = scores if digits is None else np.round(scores, digits)
            writer.write_table(
                pa.table({"y": labels, "s": scores}, schema=schema), row_group_size=GROUP
            )


def write_text(path, rows, style):
    """The same cases as CSV: a label of 0 and 1, and a number of 17 digits as `repr` writes it, or
    in one style.
    """
    rng = np.random.default_rng(0)
    with Path(path).open("w") as file:
        file.write("y,s\n")
        for start in range(0, rows, GROUP):
            scores = rng.random(min(GROUP, rows - start))
            labels = rng.random(len(scores)) < PRIOR
            scores[labels] **= 0.25
            texts = (
                map(repr, scores.tolist())
                if style == "repr"
                else (f"{score:{style}}" for score in scores.tolist())
            )
            file.writelines(
                f"{label},{text}\n"
                for label, text in zip(labels.astype(int).tolist(), texts, strict=True)
            )


def parsed(path):
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        query = (
            "SELECT count(*), max(s) FROM read_csv(?, header = true, columns = {'y': 'TINYINT',"
            " 's': 'DOUBLE'})"
        )
        return f"{connection.execute(query, [path]).fetchone()[0]} rows"


def decode(path):
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        rows = connection.execute(
            "SELECT sum(num_rows) FROM parquet_file_metadata(?)", [path]
        ).fetchone()[0]
        query = (
            "SELECT y, s FROM read_parquet(?, file_row_number = true) WHERE file_row_number >= ?"
            " AND file_row_number < ?"
        )
        total = sum(
            len(connection.execute(query, [path, begin, begin + GROUP]).fetchnumpy()["s"])
            for begin in range(0, rows, GROUP)
        )
    return f"{total} rows"


def decode_pyarrow(path):
    from pyarrow import parquet

    return (
        f"{sum(len(batch) for batch in parquet.ParquetFile(path).iter_batches(GROUP, use_threads=False))}"  # noqa: E501
        " rows"
    )


def counted(path, **how):
    import baserate as br

    counts = br.count(path, label="y", score="s", **how)
    return f"AUC {float(br.auc(counts))!r}, {len(counts.scores)} cells, {counts.digest[:12]}"


def condensed(path):
    return counted(path, memory="512MiB", thresholds=[0.5, 0.9])


def condensed_1gib(path):
    return counted(path, memory="1GiB", thresholds=[0.5, 0.9])


def condensed_512mb(path):
    return counted(path, memory="512MB")


def whole(path):
    return counted(path)


@contextlib.contextmanager
def frame_of(engine, path):
    """A Parquet file as a frame of an engine."""
    if engine == "Spark":
        from pyspark.sql import SparkSession

        with SparkSession.builder.master("local[2]").getOrCreate() as spark:
            yield spark.read.parquet(path)
    elif engine == "Dask":
        import dask.dataframe

        yield dask.dataframe.read_parquet(path, dtype_backend="pyarrow")
    elif engine == "DuckDB":
        import duckdb

        yield duckdb.read_parquet(path)
    else:
        import polars as pl

        yield pl.scan_parquet(path)


def as_frame(engine, path):
    """Through `count` of a frame: every distinct score."""
    import baserate as br

    with frame_of(engine, path) as frame:
        counts = br.count(frame, label="y", score="s")
    return f"AUC {float(br.auc(counts))!r}, {len(counts.scores)} cells, {counts.digest[:12]}"


def polars(path):
    import polars as pl

    frame = (
        pl.scan_parquet(path)
        .group_by("s")
        .agg(pl.col("y").sum(), pl.len())
        .collect(engine="streaming")
    )
    return f"{len(frame)} groups, not sorted"


def duckdb(path):
    import duckdb

    with duckdb.connect(config={"threads": 2, "memory_limit": "6GiB"}) as connection:
        query = (
            "SELECT count(*), sum(p) FROM (SELECT s, sum(y::INT) AS p, count(*) FROM"
            " read_parquet(?) GROUP BY s)"
        )
        return (
            f"{connection.execute(query, [path]).fetchone()[0]} groups, not sorted, not handed over"
        )


def scenario(_):
    import baserate as br

    def chunks():
        for start in range(0, 997_300_000, GROUP):
            rows = np.arange(start, min(start + GROUP, 997_300_000))
            labels = rows % 1000 == 0
            yield labels, rows % 9973 + 1000 * labels

    counts = br.count(chunks, memory="1GiB")
    point = br.choose(counts, threshold=9000)
    twice = 2 * int(counts.total_negatives) - 2 * np.cumsum(counts.negatives) + counts.negatives
    auc = Fraction(
        int(np.dot(counts.positives, twice)),
        2 * int(counts.total_positives) * int(counts.total_negatives),
    )
    found = {
        "positives": counts.total_positives,
        "negatives": counts.total_negatives,
        "auc": auc,
        "tp": point.tp,
        "fp": point.fp,
    }
    assert found == EXPECTED, found
    return f"AUC {auc}, {len(counts.scores)} distinct scores, {counts.digest[:12]}"


def streamed(rows):
    """Unrounded scores made on the fly, the same at each reading: as those of `write`, but never in
    a file.
    """
    import baserate as br

    total = int(float(rows))

    def chunks():
        for start in range(0, total, GROUP):
            rng = np.random.default_rng(start)
            scores = rng.random(min(GROUP, total - start))
            labels = rng.random(len(scores), dtype=np.float32) < PRIOR
            scores[labels] **= 0.25
            yield labels, scores

    counts = br.count(chunks, memory="1GiB", thresholds=[0.5, 0.9])
    return (
        f"AUC {float(br.auc(counts))!r}, {counts.total_positives} positives, {len(counts.scores)}"
        f" cells, {counts.digest[:12]}"
    )


RUNS = {
    "decode (DuckDB)": decode,
    "decode (pyarrow)": decode_pyarrow,
    '`count`, `memory="512MiB"`, exact, two thresholds': condensed,
    "`count`, no ceiling": whole,
    **{
        f"`count` of a frame, {engine}": functools.partial(as_frame, engine)
        for engine in ("polars", "DuckDB", "Dask", "Spark")
    },
    "polars, streaming group_by": polars,
    "DuckDB, GROUP BY, two threads, 6 GiB": duckdb,
}
OURS = [*RUNS][:3]
MORE = {
    "scenario": scenario,
    "streamed": streamed,
    '`count`, `memory="1GiB"`, exact, two thresholds': condensed_1gib,
}


TEXTS = {
    "parsed by DuckDB, one thread": parsed,
    "baserate, in pieces, 512 MB": condensed_512mb,
    "baserate, as a whole": whole,
}


def measured(name, path):
    """CPU seconds, wall seconds, MiB at the peak, and what the run said."""
    taken = taken_by([sys.executable, __file__, "--run", name, "--path", path], every=0.01)
    return taken.cpu, taken.wall, taken.peak / 2**20, taken.said or f"failed ({taken.status})"


def table(rows, names, *, digits=None, starts=True, style=None):
    with tempfile.TemporaryDirectory(prefix="baserate-scale-") as folder:
        kind = f"{'tied' if digits else 'scores'}-{{}}.{'csv' if style else 'parquet'}"
        path, small = (str(Path(folder) / kind.format(size)) for size in (rows, 1000))
        for place, size in ((path, rows), (small, 1000)):
            write_text(place, size, style) if style else write(place, size, digits)
        print(
            f"{rows:.0e} rows, {Path(path).stat().st_size / 1e9:.2f}"
            f" GB{f', numbers as {style}' if style else ''}\n",
            flush=True,
        )
        print(
            "| run | CPU, s | of it start | wall, s | MiB | result |\n|---|---|---|---|---|---|",
            flush=True,
        )
        for name in names:
            start = f"{measured(name, small)[0]:.1f}" if starts else ""
            cpu, wall, peak, said = measured(name, path)
            print(
                f"| {name} | {cpu:.2f} | {start} | {wall:.1f} | {peak:.0f} | {said} |", flush=True
            )
    print(flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=float)
    parser.add_argument("--only", choices=list(WORK), default="engines")
    parser.add_argument("--run")
    parser.add_argument("--path")
    given = parser.parse_args()
    if given.run:
        print((RUNS | TEXTS | MORE)[given.run](given.path))
    else:
        WORK[given.only](int(given.rows or (1e7 if given.only == "text" else 1e8)))


def measure_engines(rows):
    table(rows, [name for name in RUNS if "of a frame" not in name])
    table(rows, list(RUNS), digits=4)


def measure_scenario(_):
    cpu, wall, peak, said = measured("scenario", "")
    print(f"scenario 9: {cpu:.1f} s of CPU, {wall:.1f} s, {peak:.0f} MiB; {said}")


def measure_streamed(_):
    for rows in ("1e8", "1e9"):
        cpu, wall, peak, said = measured("streamed", rows)
        print(
            f"{rows} rows made on the fly: {cpu:.1f} s of CPU, {wall:.1f} s, {peak:.0f} MiB;"
            f" {said}",
            flush=True,
        )


def measure_billion(rows):
    for each in (rows, 10 * rows):
        table(each, ["decode (DuckDB)", [*MORE][2]], starts=False)


def measure_text(rows):
    for style in ("repr", ".18e"):
        table(rows, list(TEXTS), style=style)


WORK = {
    "engines": measure_engines,
    "ours": lambda rows: table(rows, OURS * 3, starts=False),
    "billion": measure_billion,
    "scenario": measure_scenario,
    "streamed": measure_streamed,
    "text": measure_text,
}


if __name__ == "__main__":
    main()
