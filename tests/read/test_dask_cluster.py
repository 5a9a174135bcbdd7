"""A real Dask cluster, a scheduler and two worker processes, of which one is killed in the middle:
the same digest.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import baserate as br

PARTS, EACH = 8, 5_000


def rows_of(number):
    rng = np.random.default_rng(number)
    y = (rng.random(EACH) < 0.05).astype(int)
    return y, np.round(rng.normal(size=EACH) + y, 3)


def slowly(number, marks):
    """A partition that takes its time, and leaves a mark for every attempt at it."""
    import pandas

    Path(marks, f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(0.15)
    return pandas.DataFrame(dict(zip("ys", rows_of(number), strict=True)))


@pytest.fixture(scope="module")
def workers():
    """The processes by their numbers; those that are killed are replaced."""
    distributed = pytest.importorskip("distributed", reason="needs distributed")
    import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have the tests
    asked = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": None,
        "host": "127.0.0.1",
    }
    with distributed.LocalCluster(**asked) as cluster, distributed.Client(cluster):
        yield lambda: [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


def everything():
    return [np.concatenate(columns) for columns in zip(*map(rows_of, range(PARTS)), strict=True)]


def test_a_worker_killed_in_the_middle_changes_nothing(workers, tmp_path):
    import dask.dataframe as dd

    frame = dd.from_map(slowly, range(PARTS), marks=str(tmp_path), meta=slowly(0, tmp_path).head(0))
    already, killed = len(list(tmp_path.iterdir())), []

    def kill():
        end = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < already + 3 and time.monotonic() < end:
            time.sleep(0.01)
        killed.append(workers()[0])
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    counts = br.count(frame, label="y", score="s")
    killer.join()
    assert killed
    assert counts == br.count(*everything())
    assert counts.ledger.rows_read == PARTS * EACH
    tried = [mark.name.split("-") for mark in tmp_path.iterdir()]
    assert str(killed[0]) in {process for _, process, _ in tried}, (
        "the one that was killed had worked on it"
    )
