"""What fails once, at the n-th time: a call of a database, an allocation of the process that reads.

    python campaigns/failing.py 5000 place show x.parquet --label y --score s

runs a command of baserate whose reader gets no memory for its 5,000th allocation, and leaves in
the file `place` how many it asked for (malloc, calloc, realloc and their kin; 0 fails none). The
library that fails them is compiled here, by cc.
"""

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self
from unittest import mock

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic long *calls;
static long fail_at;
static char early[65536];
static size_t used;
static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static int (*real_memalign)(void **, size_t, size_t);
static void (*real_free)(void *);

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("BASERATE_FAILING_FILE"), *at = getenv("BASERATE_FAILING_AT");
    real_malloc = dlsym(RTLD_NEXT, "malloc");
    real_calloc = dlsym(RTLD_NEXT, "calloc");
    real_realloc = dlsym(RTLD_NEXT, "realloc");
    real_memalign = dlsym(RTLD_NEXT, "posix_memalign");
    real_free = dlsym(RTLD_NEXT, "free");
    if (!name || !at) return;
    int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof(long))) return;
    void *page = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    fail_at = atol(at);
    if (page != MAP_FAILED) calls = page;
}
static int fails(void) { return calls && atomic_fetch_add(calls, 1) + 1 == fail_at; }
static void *first(size_t size) { /* asked for while dlsym itself runs */
    void *found = early + used;
    used += (size + 15) & ~(size_t)15;
    return used <= sizeof early ? found : NULL;
}
void *malloc(size_t size) {
    if (!real_malloc) return first(size);
    if (fails()) { errno = ENOMEM; return NULL; }
    return real_malloc(size);
}
void *calloc(size_t number, size_t size) {
    if (!real_calloc) return first(number * size);
    if (fails()) { errno = ENOMEM; return NULL; }
    return real_calloc(number, size);
}
void *realloc(void *old, size_t size) {
    if (fails()) { errno = ENOMEM; return NULL; }
    return real_realloc(old, size);
}
int posix_memalign(void **to, size_t align, size_t size) {
    return fails() ? ENOMEM : real_memalign(to, align, size);
}
void free(void *old) {
    if ((char *)old >= early && (char *)old < early + sizeof early) return;
    if (real_free) real_free(old);
}
"""


def shim(folder: Path) -> Path:
    """The library, compiled."""
    (folder / "shim.c").write_text(SHIM)
    library = folder / "shim.so"
    words = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(folder / "shim.c"), "-ldl"]
    subprocess.run(words, check=True, capture_output=True)
    return library


def allocations(place: Path) -> int:
    """How many were asked for."""
    return int.from_bytes(place.read_bytes(), sys.byteorder) if place.exists() else 0


class Calls:
    """Counts the calls of a database, and makes one of them fail: by an error, or by what is done
    before it.
    """

    def __init__(self, fail_at: int, fail: Exception | Callable[[], None]) -> None:
        self.fail_at, self.fail, self.seen = fail_at, fail, 0

    def another(self, *_: object) -> None:
        self.seen += 1
        if self.seen != self.fail_at:
            return
        if isinstance(self.fail, Exception):
            raise self.fail
        self.fail()


COUNTED = ("execute", "fetchall", "fetchone", "fetchmany", "fetchnumpy", "cursor")


class Failing:
    """A connection or cursor, by way of `Calls`."""

    def __init__(self, real: Any, calls: Calls) -> None:
        self.real, self.calls = real, calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if name not in COUNTED:
            return found

        def call(*words: Any, **more: Any) -> Any:
            self.calls.another()
            done = found(*words, **more)
            return Failing(done, self.calls) if name in ("execute", "cursor") else done

        return call

    def __iter__(self) -> Iterator[Any]:
        for row in self.real:
            self.calls.another()
            yield row

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.real.close()


@contextmanager
def failing_databases(calls: Calls) -> Iterator[None]:
    """DuckDB and SQLite whose connections count their calls; of SQLAlchemy's, its statements."""
    import sqlite3

    import duckdb
    import sqlalchemy

    said = (sqlalchemy.Engine, "before_cursor_execute", calls.another)
    with ExitStack() as ours:
        for module in (duckdb, sqlite3):
            counted = _connect(module.connect, calls)
            ours.enter_context(mock.patch.object(module, "connect", counted))
        sqlalchemy.event.listen(*said)
        ours.callback(sqlalchemy.event.remove, *said)
        yield


def _connect(real: Any, calls: Calls) -> Any:
    def connect(*words: Any, **more: Any) -> Failing:
        calls.another()
        return Failing(real(*words, **more), calls)

    return connect


def errors() -> list[Exception]:
    """What a database may raise at any time."""
    import sqlite3

    import duckdb

    said = "made to fail"
    return [duckdb.IOException(said), duckdb.OutOfMemoryException(said),
            duckdb.InternalException(said), sqlite3.OperationalError(said),
            sqlite3.DatabaseError(said), MemoryError(said)]  # fmt: skip


INSTALL = """
import importlib.util
spec = importlib.util.spec_from_file_location("failing", {file!r})
failing = importlib.util.module_from_spec(spec)
spec.loader.exec_module(failing)
failing.failing_databases(failing.Calls({n}, failing.errors()[{which}])).__enter__()
"""


@contextmanager
def failing_reader(n: int, which: int) -> Iterator[None]:
    """The n-th call of a database fails in the process that reads."""
    from baserate.read import apart

    install = INSTALL.format(file=__file__, n=n, which=which)
    with mock.patch.object(
        apart, "START", apart.START.replace("say_ready()", install + "say_ready()")
    ):
        yield


def main() -> None:
    """The reader's surroundings alone get the library: its parent allocates as ever."""
    from baserate.read import apart

    n, place, sys.argv[1:] = sys.argv[1], sys.argv[2], sys.argv[3:]
    library = shim(Path(place).parent)
    added = {
        "LD_PRELOAD": str(library),
        "BASERATE_FAILING_AT": n,
        "BASERATE_FAILING_FILE": place,
    }
    apart.SINGLE = apart.SINGLE | added
    runpy.run_module("baserate", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    main()
