"""Profiles, shared data, which process runs which tests, and the rule that a build skips
nothing.
"""

import gc
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests import reader_server

# One thread for linear algebra in every process: those that run tests beside each other would wait
# for each other's, busily. NumPy and what it is built on read this when they are loaded.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "print_blob": True,
}
# `make test` draws the same examples every time; `make laws` draws new and many more.
settings.register_profile("fast", max_examples=100, derandomize=True, **COMMON)
settings.register_profile("long", max_examples=2500, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

SHARED = Path(os.environ.get("BASERATE_SHARED", Path(__file__).parents[2] / "shared" / "data"))
NEEDS = "needs "
# What an import says, and what baserate does, where a package is not installed.
ABSENT = re.compile(
    r"ModuleNotFoundError: No module named '(?!baserate|tests)(\w+)|BR714: (\w+) is not installed"
)
# Tests that share what takes long, and is made once a process: a cluster of Spark, and what is
# answered to bad inputs.
TOGETHER = (
    re.compile(
        r"tests/read/test_(every_engine|spark)\.py.*|tests/read/test_sql\.py::test_spark_.*"
    ),
    re.compile(r"tests/bad_inputs/.*"),
)


def pytest_configure(config):
    config.addinivalue_line(
        "markers", f"{reader_server.TRUE_START}: about the reader process itself, started as ever"
    )


def pytest_sessionstart(session):
    """Readers are forked from one that has loaded all, here and in the documents."""
    reader_server.install()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Those about the reader process itself get the true one."""
    if not item.get_closest_marker(reader_server.TRUE_START):
        return (yield)
    with reader_server.true_start():
        return (yield)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data; a file missing from it is an error, its absence as a whole a
    skip.
    """
    if not SHARED.is_dir():
        pytest.skip("no shared data: set BASERATE_SHARED")
    return SHARED


def _shared_by(nodeid):
    return next((each.pattern for each in TOGETHER if each.fullmatch(nodeid)), None)


def pytest_collection_modifyitems(items):
    """What waits for others longest comes first, so that no process is left alone with it."""
    items.sort(key=lambda item: _shared_by(item.nodeid) is None)


def pytest_collection_finish():
    """What was collected stays until the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples in docstrings are those of the sources: none is looked for in tests."""
    return [one for one in (yield) if type(one).__name__ != "DoctestModule"]


def _skipped(item, absent):
    return str(item.path), None, f"Skipped: {NEEDS}{absent[1] or absent[2]}"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """A file of tests that imports a package that is not installed is skipped; in a build it fails.
    `make quick` installs few.
    """
    report = yield
    absent = ABSENT.search(str(report.longrepr)) if report.failed else None
    if absent and not os.environ.get("BASERATE_REQUIRE_ALL"):
        report.outcome = "skipped"
        report.longrepr = _skipped(collector, absent)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """All tests of a file run in one process, and those that share something in the same."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            return _shared_by(nodeid) or super()._split_scope(nodeid)

    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that imports a package that is not installed is skipped. With BASERATE_REQUIRE_ALL, a
    test that skips because it `needs` a part of the system has failed.
    """
    report = yield
    absent = (
        ABSENT.search(f"{call.excinfo.typename}: {call.excinfo.value}") if report.failed else None
    )
    if absent and not os.environ.get("BASERATE_REQUIRE_ALL"):
        report.outcome = "skipped"
        report.longrepr = _skipped(item, absent)
    if (
        report.skipped
        and os.environ.get("BASERATE_REQUIRE_ALL")
        and isinstance(report.longrepr, tuple)
        and NEEDS in report.longrepr[2]
    ):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped in a build: {report.longrepr[2]}"
    return report
