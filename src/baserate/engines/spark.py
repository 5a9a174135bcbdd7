"""A Spark session of our own, for the command line: found or refused in one line, silent, and gone at the end."""

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
from typing import Any

from baserate.engines.extras import needed
from baserate.engines.foreign import FAILED, cause_of, refused
from baserate.errors import Fix, InputError, escaped, quoted, refuse

EXTRA, UNSTARTED = "spark", "BR956"
LEAST_JAVA, LEAST_PYSPARK = 17, 4
INSTALL = "install Java 17 (Debian: apt-get install openjdk-17-jre-headless), or let JAVA_HOME point to one"
PATIENCE = 5.0
MASTER = re.compile(r"spark://([^,/]+:\d+(?:,[^,/]+:\d+)*)")
# Only where the cluster is this machine alone: nothing listens beyond it.
HERE = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "WARN"}


@contextmanager
def session(master: str | None = None) -> Iterator[Any]:
    """A session with this master, or with the one that spark-submit names. What Java says goes into a file, which stays after a failure."""
    pyspark = needed("pyspark", EXTRA)
    needed("pyarrow", EXTRA)
    if int(pyspark.__version__.partition(".")[0]) < LEAST_PYSPARK:
        raise refuse("BR714", f"pyspark {pyspark.__version__} is too old", f'pip install "baserate[{EXTRA}]" for {LEAST_PYSPARK}.0 or later')
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
    problems = (replace(one, fix=Fix(*(f"{text}; the whole log: {escaped(log)}" for text in astuple(one.fix)))) for one in error.problems)
    return InputError(problems)


@contextmanager
def _started(master: str | None, log: str) -> Iterator[Any]:
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)  # what it says is said in our own line
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
        sys.stderr.flush() if sys.stderr is not None else None  # what waits in a buffer belongs into the file too
        os.dup2(before, 2)
        os.close(before)


def check_java() -> None:
    """Java 17 or later, where pyspark will look for it."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None or not os.access(java, os.X_OK):
        where = f"JAVA_HOME ({quoted(home)}) has none" if home else "there is none here"
        raise refuse("BR950", f"Spark needs Java {LEAST_JAVA} or later, and {where}", INSTALL)
    done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    version = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if version is None or int(version[1]) < LEAST_JAVA:
        found = f"is Java {version[1]}" if version else "does not say which version it is"
        raise refuse("BR950", f"Spark needs Java {LEAST_JAVA} or later, and {quoted(java)} {found}", INSTALL)


def check_master(master: str | None) -> None:
    """Whether anything listens there: Spark itself would wait for a minute."""
    found = MASTER.fullmatch(master or "")
    if found is None:
        if master and master.startswith("spark://"):
            raise refuse(
                "BR950", f"the master {quoted(master)} cannot be read", Fix("master='spark://host:7077'", "--master spark://host:7077")
            )
        return
    for address in found[1].split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), PATIENCE).close()
        except (OSError, OverflowError):
            continue
        return
    raise refuse("BR950", f"no Spark master answers at {quoted(master)}", "start the cluster, check host and port, or --master local[2]")


def _unstarted(error: Exception, master: str | None, log: str) -> InputError:
    """The reason is in the log, where Java ended before it could be asked."""
    said = str(error)
    if "JAVA_GATEWAY_EXITED" in said:
        said = Path(log).read_text(errors="replace")
    named = f" with master {quoted(master)}" if master else ""
    return refuse(UNSTARTED, f"Spark did not start{named}: {cause_of(said)}", "mend the cause, and count again")
