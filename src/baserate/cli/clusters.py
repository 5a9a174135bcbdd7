"""Options of counting on a cluster, gathered into one value."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import click

from baserate.engines.ceilings import POSITIVE, Ceiling
from baserate.engines.files import Options
from baserate.engines.frames import MOST_CELLS, checked_cells
from baserate.engines.wanted import Wanted
from baserate.errors import Fix, quoted, refuse

Command = Callable[..., Any]
# Bytes that a distinct score of a positive takes in condensed counts, which have up to three cells for each (310 were measured).
CONDENSED = 3 * POSITIVE
_options = (
    click.option("--engine", metavar="NAME", help="spark or dask: count Parquet where it lies; only distinct scores come back."),
    click.option("--master", metavar="ADDRESS", help="The cluster: local[2], spark://host:7077, yarn, or a Dask scheduler's tcp://host:8786."),
    click.option(
        "--keep", metavar="WHAT", help="With --engine: all distinct scores, or positives for condensed counts; what fits, unless said."
    ),
    click.option(
        "--cells",
        type=int,
        metavar="NUMBER",
        help=f"With --engine: the most distinct scores to hold here ({MOST_CELLS} unless said; or --memory).",
    ),
)


def engine(command: Command) -> Command:
    """What is said of a cluster reaches the command in one piece: None where nothing is."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        said = {name: named.pop(name) for name in ("engine", "master", "keep", "cells")}
        if said["engine"] is not None:
            named["path"], said["cells"] = _within_memory(named["path"], said["cells"])
        return command(*arguments, cluster=_cluster(**said), **named)

    for option in reversed(_options):
        run = option(run)
    return run


def _within_memory(given: Any, cells: int | None) -> tuple[Any, int | None]:
    """There the ceiling on memory is one on how many cells come here, and nothing is left to be said of it."""
    ceiling: Ceiling = given.options.ceiling
    if ceiling.memory is None:
        return given, cells
    if cells is not None:
        raise refuse("BR955", "--memory and --cells both say how much may be held here", "give one of them")
    free = given.options._replace(ceiling=replace(ceiling, memory=None))
    return given._replace(options=free), max(ceiling.room // CONDENSED, 1)


def _cluster(engine: str | None, master: str | None, keep: str | None, cells: int | None) -> Any:
    if engine is None:
        beside = next((name for name, value in (("master", master), ("keep", keep), ("cells", cells)) if value is not None), None)
        if beside is not None:
            raise refuse("BR955", f"--{beside} applies to a cluster, and no engine is named", "--engine spark, or --engine dask")
        return None
    from baserate.engines.clusters import ENGINES, Cluster

    if engine not in ENGINES:
        raise refuse("BR955", f"there is no engine {quoted(engine)}", f"--engine {' or '.join(ENGINES)}; without it, files are counted here")
    if keep not in (None, "all", "positives"):
        raise refuse("BR227", f"keep is all or positives, got {quoted(keep)}", Fix("keep='positives'", "--keep positives"))
    return Cluster(engine, master, keep, MOST_CELLS if cells is None else checked_cells(cells))  # type: ignore[arg-type]


def check_there(sources: Iterable[str], wanted: Wanted, given: Options) -> None:
    """Whether a cluster can count this at all."""
    from baserate.engines import clusters

    clusters.check_there(wanted, given)
    for source in sources:
        clusters.check_parquet(source)


def reader(cluster: Any) -> AbstractContextManager[Any]:
    """What opens files there; nothing where files are counted here."""
    if cluster is None:
        return nullcontext()
    from baserate.engines import clusters

    return clusters.reader(cluster)
