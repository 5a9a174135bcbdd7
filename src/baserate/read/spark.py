"""Files counted by Spark or Dask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.errors import Source, placed, quoted, refuse, refuse_file
from baserate.read import streams
from baserate.read.frames import (
    Keep,
    cause_of,
    checked_treatment,
    count_frame,
    refused,
)
from baserate.read.source import DATA, PARQUET, Options, files_of, said_of
from baserate.read.streams import STDIN
from baserate.read.table import ColumnRoles, needed

# ----------------------------------------------------------------------
# Files counted by an engine of many machines: opened there, counted there, and accounted for as any
# other source.


ENGINES = ("spark", "dask")
LEAST_PYSPARK = 4
SUBMIT = (
    'spark-submit a script that saves br.count(spark.read.parquet("scores/"), label="y", score="m")'
)
ELSEWHERE = "leave --engine out to count it here, or write the cases as Parquet"


class Cluster(NamedTuple):
    """Which of the engines counts, where it runs, and how much may come back."""

    engine: str
    master: str | None = None
    keep: Keep | None = None
    cells: int | None = None


@contextmanager
def reader(cluster: Cluster) -> Iterator[Any]:
    """What opens Parquet as a frame of the engine, from a path, a pattern or a folder, also of a
    store that its workers reach.
    """
    if cluster.engine == "spark":
        with refused():
            yield session().read.parquet
    else:
        with _dask(cluster.master) as read:
            yield read


def session() -> Any:
    """The Spark session of whoever calls: none is started here."""
    pyspark = needed("pyspark", "spark")
    needed("pyarrow", "spark")
    if int(pyspark.__version__.partition(".")[0]) < LEAST_PYSPARK:
        raise refuse(
            "BR714",
            f"pyspark {pyspark.__version__} is too old",
            f'pip install "baserate[spark]" for {LEAST_PYSPARK}.0 or later',
        )
    found = needed("pyspark.sql", "spark").SparkSession.getActiveSession()
    if found is None:
        raise refuse("BR950", "there is no Spark session here, and none is started", SUBMIT)
    return found


PARTITION = 1 << 24  # bytes of columns that Dask holds at once for each of its workers


@contextmanager
def _dask(address: str | None) -> Iterator[Any]:
    frames = needed("dask.dataframe", "dask")
    needed("pyarrow", "dask")

    def read(path: str) -> Any:
        # Columns of Arrow: those of NumPy would round whole numbers beside missing ones. A large
        # file is many partitions.
        return frames.read_parquet(
            path, dtype_backend="pyarrow", split_row_groups="adaptive", blocksize=PARTITION
        )

    if address is None:
        yield read
        return
    client = needed("distributed", "dask").Client
    try:
        connected = client(address, timeout="5s")
    except (OSError, ValueError) as error:
        raise refuse(
            "BR950",
            f"no Dask scheduler answers at {quoted(address)}",
            "start it, check host and port, or leave --master out",
        ) from error
    with connected:
        yield read


def count_there(
    read: Any, path: str, wanted: ColumnRoles, options: Options, cluster: Cluster
) -> Counts | JointCounts | GroupedCounts:
    """One source, counted by the engine: one score alone, several together, or one in groups."""
    check_there(wanted, options)
    treatment = checked_treatment(
        {name: getattr(options.treatment, name) for name in ("missing_label", "nan_score")}
    )
    with placed(lambda where: replace(where, path=path)):
        found, label = count_frame(
            _read(read, path),
            wanted,
            treatment,
            options.ceiling,
            several=len(wanted.scores) > 1,
            keep=cluster.keep,
            cells=cluster.cells,
        )
    rows = found.ledger.rows_read, found.ledger.rows_used, found.ledger.rows_refused
    source = Source(path, "", *rows, wanted.label, "" if label is None else str(label))
    return found.accounted(replace(found.ledger, sources=(source,)))


def _read(read: Any, path: str) -> Any:
    with refused():
        try:
            return read(path)
        except (OSError, ValueError) as error:  # those of Arrow are both
            text = f"cannot be read there: {cause_of(str(error.__cause__ or error))}"
            raise refuse("BR600", text, "check the path, as the workers see it") from error


def check_parquet(source: str) -> None:
    """Refuse what its name or its first bytes say is no Parquet: before a cluster is woken, which
    would take half a minute to say so.
    """
    named = streams.name_of(source)
    other = named.compression is not None or (named.ending in DATA and named.ending not in PARQUET)
    if source in STDIN or (other and not os.path.isdir(source)):  # noqa: PTH112
        raise refuse_file(source, "BR953", "is not Parquet, and --engine counts Parquet", ELSEWHERE)
    for path in files_of(source):
        if not os.path.basename(path).startswith((".", "_")) and not _may_be_parquet(path):  # noqa: PTH119
            raise refuse_file(
                path, "BR953", "does not begin with PAR1, and --engine counts Parquet", ELSEWHERE
            )


def _may_be_parquet(path: str) -> bool:
    """Also where it is empty, which engines pass over, or cannot be read here: the workers may."""
    if not os.path.isfile(path):  # noqa: PTH113
        return True
    try:
        with open(path, "rb") as file:
            head = file.read(streams.HEAD)
    except OSError:
        return True
    return not head or head.startswith((b"PAR1", b"PARE"))


def check_there(wanted: ColumnRoles, options: Options) -> None:
    """Options for reading must be something that an engine can do."""
    if wanted.weight is not None:
        raise refuse(
            "BR953",
            "weights are not counted on a cluster: sums of fractions depend on their order there",
            "count whole cases",
        )
    said = said_of(options).keys() - {
        "missing_label",
        "nan_score",
        "header",
    }
    if said:
        option = "--" + min(said).replace("_", "-")
        raise refuse(
            "BR953",
            f"a cluster reads Parquet as it is, without {option}",
            f"leave {option} out, or change the columns first",
        )
