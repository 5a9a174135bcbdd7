"""`--memory` and what belongs to it: counting under a ceiling, with a bar that says how far it has got."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from baserate.cli.terminal import Progress
from baserate.engines.files import Options

NAMES = ("memory", "approx", "resume")
OPTIONS = (
    click.option("--memory", metavar="SIZE", help="The most memory to take, such as 1GB: Parquet and CSV of any size are counted in pieces."),
    click.option("--approx", is_flag=True, help="Where the scores do not fit, keep certified bins (AUC within 1e-6): mostly one reading."),
    click.option("--resume", metavar="FILE", help="Write there how far counting has got, and go on from it if it is there."),
)


# Where there is nothing to resume, and no bins to be content with.
MEMORY = click.option("--memory", metavar="SIZE", help="The most memory to take, such as 1GB: AUC is then compared piece by piece (Parquet).")


def scaling(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that counts any number of rows."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@contextlib.contextmanager
def watched(options: Options, thresholds: Sequence[Any] = ()) -> Iterator[Options]:
    """What was said of how to read, with thresholds that stay exact under the ceiling, and a bar for whoever waits."""
    with Progress("counting rows") as progress:
        yield options._replace(ceiling=replace(options.ceiling.at(tuple(thresholds)), progress=progress))


def said(options: Options) -> dict[str, Any]:
    """What was said of a ceiling, by the name of each option."""
    return {f"--{name}": getattr(options.ceiling, name) for name in NAMES}
