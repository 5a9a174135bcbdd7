"""Files counted by Spark or Dask, and a Spark session for the command line."""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any, NamedTuple

from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.errors import Fix, InputError, escaped, quoted, refuse, refuse_file
from baserate.notes import Ledger, Source
from baserate.read import streams
from baserate.read.frames import (
    FAILED,
    MOST_CELLS,
    Keep,
    cause_of,
    checked_treatment,
    counts_in,
    groups_in,
    models_in,
    opened,
    refused,
)
from baserate.read.source import DATA, PARQUET, Options, files_of, said_of
from baserate.read.streams import STDIN
from baserate.read.table import Wanted, needed

# ----------------------------------------------------------------------
# Files counted by an engine of many machines: opened there, counted there, and accounted for as any
# other source.


ENGINES = ("spark", "dask")
ELSEWHERE = "leave --engine out to count it here, or write the cases as Parquet"


class Cluster(NamedTuple):
    """Which of the engines counts, where it runs, and how much may come back."""

    engine: str
    master: str | None = None
    keep: Keep | None = None
    cells: int = MOST_CELLS


@contextmanager
def reader(cluster: Cluster) -> Iterator[Any]:
    """What opens Parquet as a frame of the engine, from a path, a pattern or a folder, also of a
    store that its workers reach.
    """
    if cluster.engine == "spark":
        with session(cluster.master) as spark:
            yield spark.read.parquet
    else:
        with _dask(cluster.master) as read:
            yield read


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
    read: Any, path: str, wanted: Wanted, options: Options, cluster: Cluster
) -> Counts | JointCounts | GroupedCounts:
    """One source, counted by the engine: one score alone, several together, or one in groups."""
    check_there(wanted, options)
    treatment = checked_treatment(
        {name: getattr(options.treatment, name) for name in ("missing_label", "nan_score")}
    )
    found: Counts | JointCounts | GroupedCounts
    try:
        frame = opened(_read(read, path), wanted)
        if wanted.group is not None:
            found, label = groups_in(frame, wanted, treatment, cells=cluster.cells)
        elif len(wanted.scores) > 1:
            found, label = models_in(frame, wanted, treatment, cells=cluster.cells)
        else:
            found, label = counts_in(
                frame, wanted, treatment, keep=cluster.keep, cells=cluster.cells
            )
    except InputError as error:
        raise error.moved(lambda where: replace(where, path=path)) from None
    whole: Counts | JointCounts | GroupedCounts = _accounted(
        found, path, wanted, "" if label is None else str(label)
    )
    return whole


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


def _accounted(found: Any, path: str, wanted: Wanted, positive: str) -> Any:
    ledger: Ledger = found.ledger
    source = Source(
        path, "", ledger.rows_read, ledger.rows_used, ledger.rows_refused, wanted.label, positive
    )
    ledger = replace(ledger, sources=(source,))
    if isinstance(found, Counts):
        return Counts._of(found._cells, ledger, found._recorded, condensed=found.condensed)
    if isinstance(found, JointCounts):
        return JointCounts._of(
            dict(found.scores), found.positives, found.negatives, ledger, found._recorded
        )
    return GroupedCounts._of(found.groups, found.offsets, found._cells, ledger, found._recorded)


def check_there(wanted: Wanted, options: Options) -> None:
    """What was said of how to read must be something that an engine can do."""
    if wanted.weight is not None:
        raise refuse(
            "BR953",
            "weights are not counted on a cluster: sums of fractions depend on their order there",
            "count whole cases",
        )
    limited = {name for name in ("memory", "approx", "resume") if getattr(options.ceiling, name)}
    said = limited | said_of(options).keys() - {"missing_label", "nan_score", "header"}
    if said:
        option = "--" + min(said).replace("_", "-")
        raise refuse(
            "BR953",
            f"a cluster reads Parquet as it is, and knows no {option}",
            f"leave {option} out, or change the columns first",
        )


# ----------------------------------------------------------------------
# A Spark session of our own, for the command line: found or refused in one line, silent, and gone
# at the end.


EXTRA, UNSTARTED = "spark", "BR956"
LEAST_JAVA, LEAST_PYSPARK = 17, 4
INSTALL = (
    "install Java 17 (Debian: apt-get install openjdk-17-jre-headless), or let JAVA_HOME point"
    " to one"
)
PATIENCE = 5.0
MASTER = re.compile(r"spark://([^,/]+:\d+(?:,[^,/]+:\d+)*)")
# Only where the cluster is this machine alone: nothing listens beyond it.
HERE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
}


@contextmanager
def session(master: str | None = None) -> Iterator[Any]:
    """A session with this master, or with the one that spark-submit names. What Java says goes into
    a file, which stays after a failure.
    """
    pyspark = needed("pyspark", EXTRA)
    needed("pyarrow", EXTRA)
    if int(pyspark.__version__.partition(".")[0]) < LEAST_PYSPARK:
        raise refuse(
            "BR714",
            f"pyspark {pyspark.__version__} is too old",
            f'pip install "baserate[{EXTRA}]" for {LEAST_PYSPARK}.0 or later',
        )
    check_java()
    check_master(master)
    handle, log = tempfile.mkstemp(prefix="baserate-spark-", suffix=".log")
    os.close(handle)
    kept = False
    try:
        with _started(master, log) as spark, refused():
            yield spark
    except InputError as error:
        kept = error.code in (FAILED, UNSTARTED)
        raise (_with_log(error, log) if kept else error) from error.__cause__
    finally:
        if not kept:
            os.unlink(log)


def _with_log(error: InputError, log: str) -> InputError:
    """The same, which says where everything lies that Java said."""
    problems = (
        replace(
            one, fix=Fix(*(f"{text}; the whole log: {escaped(log)}" for text in astuple(one.fix)))
        )
        for one in error.problems
    )
    return InputError(problems)


@contextmanager
def _started(master: str | None, log: str) -> Iterator[Any]:
    logging.getLogger("DataFrameQueryContextLogger").setLevel(
        logging.CRITICAL
    )  # what it says is said in our own line
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        with stderr_into(log):  # the Java that is started here keeps it
            spark = _builder(master).getOrCreate()
    except Exception as error:
        end(log)
        raise _unstarted(error, master, log) from error
    try:
        yield spark
    finally:
        end(log, spark)


def _builder(master: str | None) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("baserate count")
    settings = QUIET | (HERE if master is not None and master.startswith("local") else {})
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder if master is None else builder.master(master)


def end(log: str, spark: Any = None) -> None:
    """The session, its Java and the pipe to it, also where any of them is gone already."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    with stderr_into(log):
        for held, ending in ((spark, "stop"), (gateway, "shutdown")):
            with suppress(Exception):  # what cannot be stopped is not running
                getattr(held, ending)()
    SparkContext._gateway = SparkContext._jvm = None
    java = getattr(gateway, "proc", None)
    if java is not None:
        java.stdin.close()
        java.wait(30)


@contextmanager
def stderr_into(path: str) -> Iterator[None]:
    """Whatever this process and those it starts write to standard error goes into a file."""
    sys.stderr.flush() if sys.stderr is not None else None
    before = os.dup(2)
    try:
        with open(path, "ab") as log:
            os.dup2(log.fileno(), 2)
        yield
    finally:
        (
            sys.stderr.flush() if sys.stderr is not None else None
        )  # what waits in a buffer belongs into the file too
        os.dup2(before, 2)
        os.close(before)


def check_java() -> None:
    """Java 17 or later, where pyspark will look for it."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None or not os.access(java, os.X_OK):
        where = f"JAVA_HOME ({quoted(home)}) has none" if home else "there is none here"
        raise refuse("BR950", f"Spark needs Java {LEAST_JAVA} or later, and {where}", INSTALL)
    done = subprocess.run(  # noqa: S603
        [java, "-version"], capture_output=True, text=True, timeout=60, check=False
    )
    version = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if version is None or int(version[1]) < LEAST_JAVA:
        found = f"is Java {version[1]}" if version else "does not say which version it is"
        raise refuse(
            "BR950", f"Spark needs Java {LEAST_JAVA} or later, and {quoted(java)} {found}", INSTALL
        )


def check_master(master: str | None) -> None:
    """Whether anything listens there: Spark itself would wait for a minute."""
    found = MASTER.fullmatch(master or "")
    if found is None:
        if master and master.startswith("spark://"):
            raise refuse(
                "BR950",
                f"the master {quoted(master)} cannot be read",
                Fix("master='spark://host:7077'", "--master spark://host:7077"),
            )
        return
    for address in found[1].split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except (OSError, OverflowError):
            continue
        return
    raise refuse(
        "BR950",
        f"no Spark master answers at {quoted(master)}",
        "start the cluster, check host and port, or --master local[2]",
    )


def _unstarted(error: Exception, master: str | None, log: str) -> InputError:
    """The reason is in the log, where Java ended before it could be asked."""
    said = str(error)
    if "JAVA_GATEWAY_EXITED" in said:
        said = Path(log).read_text(errors="replace")
    named = f" with master {quoted(master)}" if master else ""
    return refuse(
        UNSTARTED,
        f"Spark did not start{named}: {cause_of(said)}",
        "mend the cause, and count again",
    )
