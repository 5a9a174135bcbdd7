"""Profiles, shared data, which process runs which tests, and the rule that a build skips
nothing.
"""

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
# Files whose tests share a cluster of Spark, which is started once.
SPARK = ("tests/read/test_every_engine.py", "tests/read/test_spark.py")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data; a file missing from it is an error, its absence as a whole a
    skip.
    """
    if not SHARED.is_dir():
        pytest.skip("no shared data: set BASERATE_SHARED")
    return SHARED


def pytest_collection_finish():
    """What was collected stays until the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Examples in docstrings are those of the sources: none is looked for in tests."""
    return [one for one in (yield) if type(one).__name__ != "DoctestModule"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """All tests of a file run in one process, and those that need Spark all in the same."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid):
            file = super()._split_scope(nodeid)
            return SPARK[0] if file in SPARK else file

    return Scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With BASERATE_REQUIRE_ALL, a test that skips because it `needs` a part of the system has
    failed.
    """
    report = yield
    if (
        report.skipped
        and os.environ.get("BASERATE_REQUIRE_ALL")
        and isinstance(report.longrepr, tuple)
        and NEEDS in report.longrepr[2]
    ):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped in a build: {report.longrepr[2]}"
    return report
