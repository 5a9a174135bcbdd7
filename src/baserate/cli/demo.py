"""`baserate demo`: a generated example (payments, of which 2 % are fraud, scored by two models),
and what baserate says of it.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from baserate.atomic import write_atomically
from baserate.cli.options import Sectioned
from baserate.errors import refuse_file

# ----------------------------------------------------------------------
# A generated example: payments, of which 2 % are fraud, scored by two models.


ROWS = 20_000
FRAUDS = 400
SEED = 1
HEADER = "id,fraud,logit,forest"
REPORT = b'id="baserate-data"'


def scores_csv() -> str:
    """The file's text: the same on every machine, because only `random()` and a rounded power are
    used.
    """
    draw = random.Random(SEED)  # noqa: S311 (an example, not a secret)
    lines = [HEADER]
    frauds = set(draw.sample(range(ROWS), FRAUDS))
    for row in range(ROWS):
        fraud = row in frauds
        logit = draw.random() ** (0.2 if fraud else 3.0)
        # The forest is nearly sure of half the frauds and blind to many of the rest.
        forest = draw.random() ** (0.02 if fraud and draw.random() < 0.5 else 0.9 if fraud else 4.0)
        lines.append(f"{row},{int(fraud)},{logit:.6f},{forest:.6f}")
    return "\n".join(lines) + "\n"


def write_scores(folder: Path) -> Path:
    """Write the example there, also over one of another version; a file that is not the demo's is
    left alone.
    """
    path = folder / "scores.csv"
    if path.exists() and not path.read_bytes().startswith(HEADER.encode()):
        raise refuse_file(
            path,
            "BR801",
            "exists and is not the demo's",
            "move it away, or choose another --folder",
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [scores_csv().encode()])
    return path


def report_place(folder: Path) -> Path:
    """Where the example's report goes; a file there that is no report of ours is left alone."""
    path = folder / "report.html"
    if path.exists() and REPORT not in path.read_bytes():
        raise refuse_file(
            path,
            "BR801",
            "exists and is not the demo's",
            "move it away, or choose another --folder",
        )
    return path


class Step(NamedTuple):
    """One command of the example, and what it is for."""

    why: str
    words: tuple[str, ...]

    @property
    def shown(self) -> str:
        return shlex.join(self.words)


def steps(path: str, report: str) -> Iterator[Step]:
    """The worked example: what AUC says, what a base rate of 1 in 1000 says, and a report to
    open.
    """
    models = ("--label", "fraud", "--score", "logit", "--score", "forest")
    yield Step("Which model ranks better?", ("show", path, *models))
    field = ("--prior", "1 in 1000", "--volume", "1000000")
    yield Step(
        "In the field 1 payment in 1,000 is fraud, there are a million a day, and 2,000 can be"
        " looked at:",
        ("choose", path, "alerts <= 2000", *models, *field),
    )
    costs = ("--prior", "1 in 1000", "--cost", "fn=100,fp=1")
    yield Step(
        "A missed fraud costs 100 times what a needless look costs:",
        ("choose", path, *models, *costs),
    )
    yield Step(
        "An interactive report:",
        (
            "report",
            path,
            *models,
            *costs,
            "--budget",
            "2000",
            "--volume",
            "1000000",
            "-o",
            report,
            "--force",
        ),
    )


# ----------------------------------------------------------------------
# `baserate demo`: an example file, and what it says.


@click.command(name="demo", cls=Sectioned)
@click.option(
    "--folder",
    default="baserate-demo",
    show_default=True,
    metavar="FOLDER",
    help="Where the example file is written.",
)
@click.pass_context
def run_demo(context: click.Context, folder: str) -> None:
    """Write an example file and run the commands on it."""
    report = report_place(Path(folder))
    path = write_scores(Path(folder))
    click.echo(f"{path}: 20,000 payments, 400 of them fraud, scored by two models.")
    group = context.find_root().command
    for step in steps(str(path), str(report)):
        click.echo(f"\n{step.why}\n\n$ baserate {step.shown}\n")
        group.main(list(step.words), standalone_mode=False, parent=context.parent)
    click.echo(f"\nOpen {report} in a browser; it needs no network.")
    click.echo("The same with your own file: baserate show FILE.csv --label COLUMN --score COLUMN")
