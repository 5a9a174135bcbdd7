"""What a cluster says when something goes wrong there: one line of it, and where the rest lies."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from baserate.errors import InputError, escaped, refuse

# What tells most, in the order of how much it does.
CAUSES = (
    re.compile(r"(ExecutorLostFailure \([^\n]*)"),
    re.compile(r"Caused by: (?:[\w.$]+\.)?(\w+(?:Exception|Error): [^\n]+)"),
    re.compile(r"((?:[A-Z]\w*)?(?:ModuleNotFoundError|ImportError|PermissionError|MemoryError): [^\n]+)"),
    re.compile(r"(\[[A-Z_.0-9]{6,}\][^\n]*)"),
    re.compile(r"(?:[\w.$]+\.)?(\w+(?:Exception|Error): [^\n]+)"),
)
LONGEST = 200
FAILED = "BR952"
WORKERS = "give the workers the same packages: condensing and comparing run baserate there (docs/cluster.md)"


@contextmanager
def refused() -> Iterator[None]:
    """Whatever Spark, its Java or a worker of Dask raises becomes one line of ours; nothing was counted then."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        if not _is_foreign(error):
            raise
        raise failed(error) from error


def failed(error: BaseException) -> InputError:
    """The line for an error of a cluster."""
    cause = cause_of(str(error))
    if "PATH_NOT_FOUND" in cause:
        return refuse("BR600", f"the cluster finds no such file: {cause}", "check the path, as the workers see it")
    if "java.lang.OutOfMemoryError" in str(error):
        text, fix = "the Java of Spark ran out of memory", "more of it: spark.driver.memory, spark.executor.memory; or fewer cells"
        return refuse(FAILED, text, fix)
    fix = WORKERS if "ModuleNotFoundError" in cause else "mend the cause, and count again"
    return refuse(FAILED, f"the job failed, and nothing was counted: {cause}", fix)


def cause_of(said: str) -> str:
    """The one line of a Java trace that tells what happened."""
    found = next((match[1] for match in (pattern.search(said) for pattern in CAUSES) if match), said.strip().partition("\n")[0])
    text = quoted_long(found.strip())
    return text.rstrip(".") or "no reason was given"


def quoted_long(text: str) -> str:
    """As much of a message as one line takes, with nothing in it that could steer a terminal."""
    plain = escaped(text)
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def _is_foreign(error: BaseException) -> bool:
    """Errors of libraries that were not imported cannot have come from them."""
    kinds: list[type[BaseException]] = []
    for module, names in (
        ("pyspark.errors", ("PySparkException",)),
        ("py4j.protocol", ("Py4JError",)),
        ("distributed", ("KilledWorker", "CommClosedError")),
        ("pyarrow", ("ArrowException",)),
        ("concurrent.futures.process", ("BrokenProcessPool",)),
    ):
        held = sys.modules.get(module)
        kinds += [getattr(held, name) for name in names if hasattr(held, name)]
    lost = isinstance(error, ConnectionError | EOFError) and "py4j" in sys.modules  # the Java itself is gone
    unread = isinstance(error, OSError) and error.errno is None  # Arrow's: a file that is damaged, not one that is not there
    return lost or unread or isinstance(error, tuple(kinds))
