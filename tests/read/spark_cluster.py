"""A standalone Spark cluster of our own: a master and two workers on loopback, each with one
executor, gone after the tests.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import baserate

SOURCES = str(Path(baserate.__file__).parents[1])
PATIENCE = 240
# Five short-lived Javas: compiling little and collecting simply is what they start quickest with.
LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
OPENED = (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util"
    " java.util.concurrent sun.nio.ch sun.nio.cs"
)
SETTINGS = {
    "spark.driver.extraJavaOptions": LIGHT,
    "spark.executor.extraJavaOptions": LIGHT,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "600m",
    "spark.executor.memory": "480m",
    "spark.executor.cores": "1",
    "spark.cores.max": "2",
    "spark.python.worker.reuse": "true",
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.log.level": "ERROR",
}


class Cluster:
    """The master's address and the processes that were started here."""

    def __init__(self, folder):
        self.folder, self.processes = Path(folder), []
        self.port = free_port()
        self.address = f"spark://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_NO_DAEMONIZE": "1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": SOURCES,
        }
        self.workers = []

    def start(self):
        self._run(
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
            "--webui-port",
            str(free_port()),
        )
        self.add_worker()
        self.add_worker()
        wait_for(lambda: is_open(self.port), "the master does not listen")
        return self

    def add_worker(self):
        place = self.folder / f"worker{len(self.processes)}"
        how = [
            "--host",
            "127.0.0.1",
            "--cores",
            "1",
            "--memory",
            "900m",
            "--work-dir",
            place,
            "--webui-port",
            str(free_port()),
        ]
        self.workers.append(
            self._run("org.apache.spark.deploy.worker.Worker", *map(str, how), self.address)
        )

    def _run(self, java_class, *arguments):
        import pyspark

        spark, home = Path(pyspark.__file__).parent, os.environ.get("JAVA_HOME")
        opened = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in OPENED.split()]
        java = [
            str(Path(home, "bin", "java")) if home else "java",
            "-Xmx128m",
            "-Dspark.master.rest.enabled=false",
            *LIGHT.split(),
            *opened,
        ]
        classes = ["-cp", str(spark / "jars" / "*"), java_class]
        with (self.folder / f"log{len(self.processes)}").open("wb") as log:
            environment = {
                **self.environment,
                "SPARK_HOME": str(spark),
                "SPARK_SCALA_VERSION": "2.13",
            }  # what spark-class would say
            process = subprocess.Popen(
                [*java, *classes, *arguments],
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                env=environment,
                cwd=self.folder,
            )
        self.processes.append(process)
        return process

    def executors(self, worker):
        """The process ids of the executors that a worker has started."""
        return children(worker.pid)

    def stop(self):
        for process in reversed(self.processes):
            ours = [process.pid, *children(process.pid)]
            for number in ours:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


def children(parent):
    """The processes whose parent this is, by /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                state = (entry / "stat").read_text().rpartition(")")[2].split()
                found += [int(entry.name)] if int(state[1]) == parent and state[0] != "Z" else []
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_open(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.1)


def end(log, spark):
    """The session, its Java and the pipe to it, also where any of them is gone already."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    with stderr_into(log):
        for held, ending in ((spark, "stop"), (gateway, "shutdown")):
            with contextlib.suppress(Exception):  # what cannot be stopped is not running
                getattr(held, ending)()
    SparkContext._gateway = SparkContext._jvm = None
    java = getattr(gateway, "proc", None)
    if java is not None:
        java.stdin.close()
        java.wait(30)


@contextlib.contextmanager
def stderr_into(path):
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


@contextlib.contextmanager
def spark_session(cluster):
    """One session on that cluster, and nothing left of it."""
    from pyspark.sql import SparkSession

    log = str(cluster.folder / "driver.log")
    with stderr_into(log):
        builder = SparkSession.builder.master(cluster.address).appName("baserate tests")
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        end(log, spark)


@contextlib.contextmanager
def started():
    """A cluster, or the reason why there is none."""
    pytest.importorskip("pyspark", reason="needs pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java 17 (Debian: openjdk-17-jre-headless)")
    cluster = Cluster(tempfile.mkdtemp(prefix="baserate-spark-"))
    before = {name: os.environ.get(name) for name in ("PYSPARK_PYTHON", "SPARK_LOCAL_IP")}
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    try:
        yield cluster.start()
    finally:
        cluster.stop()
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)
