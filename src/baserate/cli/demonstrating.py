"""`baserate demo`: an example file, and what it says."""

from __future__ import annotations

from pathlib import Path

import click

from baserate import demo
from baserate.cli.sections import Sectioned


@click.command(name="demo", cls=Sectioned)
@click.option("--folder", default="baserate-demo", show_default=True, metavar="FOLDER", help="Where the example file is written.")
@click.pass_context
def run_demo(context: click.Context, folder: str) -> None:
    """Write an example file and show what it says."""
    report = demo.report_place(Path(folder))
    path = demo.write_scores(Path(folder))
    click.echo(f"{path}: 20 000 payments, 400 of them fraud, scored by two models.")
    group = context.find_root().command
    for step in demo.steps(str(path), str(report)):
        click.echo(f"\n{step.why}\n\n$ baserate {step.shown}\n")
        group.main(list(step.words), standalone_mode=False, parent=context.parent)
    click.echo(f"\nOpen {report} in a browser; it needs no network.")
    click.echo("The same with your own file: baserate show FILE.csv --label COLUMN --score COLUMN")
