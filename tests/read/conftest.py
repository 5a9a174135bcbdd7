"""Servers of our own, PostgreSQL and Spark: on loopback, in a temporary folder, gone after the
tests.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from baserate.read import source

SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "600m",
    "spark.log.level": "ERROR",
}
USER, PASSWORD, DATABASE = "baserate", "pass/word @: 1", "postgres"


class Server(NamedTuple):
    """Where the server listens; `url` holds the password, `shown` does not."""

    port: int

    @property
    def shown(self):
        return f"postgresql://127.0.0.1:{self.port}/{DATABASE}"

    @property
    def url(self):
        return self.of(USER)

    def of(self, user):
        return f"postgresql://{user}:pass%2Fword%20%40%3A%201@127.0.0.1:{self.port}/{DATABASE}"


def server_programs():
    """The folder of initdb and postgres, newest first; Debian keeps them off the PATH."""
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else []
    return next(
        (
            place
            for place in places + sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
            if (place / "postgres").exists()
        ),
        None,
    )


def _other_user():
    """PostgreSQL refuses to run as root: builds run as root, so it runs as somebody else."""
    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody", "daemon") if name in known)


@pytest.fixture
def here(monkeypatch):
    """Files are read in this process, where hundreds of readers of their own would only take
    time.
    """
    monkeypatch.setattr(source, "is_confined", lambda *_: False)


@pytest.fixture(scope="session")
def postgres():
    programs = server_programs()
    if programs is None:
        pytest.skip("needs a PostgreSQL server (Debian: postgresql)")
    pytest.importorskip("psycopg", reason="needs psycopg")
    with started(programs) as server:
        yield server


@contextmanager
def started(programs):
    """A PostgreSQL server with an empty database."""
    folder = Path(
        tempfile.mkdtemp(prefix="baserate-pg-")
    )  # not pytest's own, which another user cannot enter
    user = _other_user()
    server = None
    try:
        (folder / "password").write_text(PASSWORD)
        if user:
            shutil.chown(folder, user)
            shutil.chown(folder / "password", user)
        port = _free_port()
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
        made = [
            programs / "initdb",
            "-D",
            folder / "data",
            "-U",
            USER,
            "-A",
            "scram-sha-256",
            "--pwfile",
            folder / "password",
        ]
        subprocess.run(
            [*made, "-E", "UTF8", "--no-locale", "--no-sync"],
            check=True,
            user=user,
            env=environment,
            cwd=folder,
            capture_output=True,
        )
        started = [
            programs / "postgres",
            "-D",
            folder / "data",
            "-p",
            str(port),
            "-k",
            folder,
            "-c",
            "listen_addresses=127.0.0.1",
        ]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*started, "-c", "fsync=off", "-F"],
                user=user,
                env=environment,
                cwd=folder,
                stdout=log,
                stderr=log,
            )
        _wait(server, port, folder / "log")
        yield Server(port)
    finally:
        if server is not None:
            server.send_signal(signal.SIGINT)  # "fast": open connections are ended
            server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(server, port, log):
    import psycopg

    end = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(Server(port).url).close()
        except psycopg.Error:
            if server.poll() is not None or time.monotonic() > end:
                raise RuntimeError(log.read_text()) from None
            time.sleep(0.1)
        else:
            return


@pytest.fixture(scope="session")
def spark():
    """The one session of all tests, on this machine."""
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java 17 (Debian: openjdk-17-jre-headless)")
    builder = sql.SparkSession.builder.master("local[2]").appName("baserate tests")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
