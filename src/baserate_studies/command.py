"""`baserate study`: the sources reproduced, claim by claim."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from baserate.extend import (
    Grid,
    Progress,
    Sectioned,
    json_answer,
    listed,
    number_of,
    refuse,
    refuse_file,
    reserve_output,
    tell,
    write_atomically,
)
from baserate_studies.catalogue import ALL, STUDIES, check_data, check_packages, study

if TYPE_CHECKING:
    from baserate_studies.values import Study

ANSWER = "studies.json"


@click.command(name="study", cls=Sectioned, short_help="The sources reproduced, claim by claim.")
@click.argument("names", nargs=-1, required=True, type=click.Choice([*STUDIES, ALL]))
@click.option(
    "--full", is_flag=True, help="Draw and repeat more often: steadier numbers, and slower."
)
@click.option(
    "--data",
    metavar="FOLDER",
    help=(
        "Where data sets lie that are not part of baserate: UCI sets with sidecars, NSL-KDD, KDD"
        " SMTP."
    ),
)
@listed("as_json")
@listed(
    "output",
    metavar="FOLDER",
    help="Also write pages with every figure and claim there; start with index.html.",
)
@listed("force", help="Replace pages that are there already.")
def study_command(
    names: tuple[str, ...],
    full: bool,
    data: str | None,
    as_json: bool,
    output: str | None,
    force: bool,
) -> None:
    """Reproduce the tables, figures and claims of the sources that baserate was built from, with a
    verdict on each claim.

    A number that the source prints is reproduced, comes close (within a wider tolerance only),
    differs, or is an erratum of the source. Sentences judged by a test of ours and formulas
    evaluated on numbers of our own are counted apart, as is what cannot be reproduced because its
    data were not published or are not here.

    \b
    Examples:
      baserate study landgrebe
      baserate study all --full -o studies
      baserate study landgrebe --json
    """
    from baserate_studies.galleries import gallery
    from baserate_studies.values import document_of

    if force and output is None:
        text = "--force has no effect where nothing is written (-o FOLDER)"
        raise refuse("BR002", text, "leave it out")
    wanted = list(STUDIES) if ALL in names else list(dict.fromkeys(names))
    check_data(data)  # before anything is made
    check_packages(wanted)
    with contextlib.ExitStack() as held:
        places = [] if output is None else _places(output, wanted, held, force=force)
        made = []
        for place, name in enumerate(wanted, start=1):
            if len(wanted) > 1:
                click.echo(f"study {place} of {len(wanted)}: {name}", err=True)
            made.append(_made(name, full=full, data=data))
            if not as_json:
                if place > 1:
                    click.echo()
                tell(*_told(made[-1]))
        whole = json_answer("study", seed=0, models=[], studies=[document_of(one) for one in made])
        for path, content in zip(places, [*gallery(made).values(), whole], strict=bool(places)):
            write_atomically(path, [content.encode()])
    if as_json:
        click.echo(whole)
    elif output is not None:
        tell(f"\nWritten: {os.path.join(output, 'index.html')}")


def _places(
    folder: str, names: Sequence[str], held: contextlib.ExitStack, *, force: bool
) -> list[str]:
    """The files that will be written, each held from now on; the folder is made where it is
    missing.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):  # noqa: PTH112
        raise refuse_file(folder, "BR803", "is not a folder", "name a folder")
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    places = [
        os.path.join(folder, name)
        for name in ("index.html", *(f"{name}.html" for name in names), ANSWER)
    ]
    for place in places:
        held.enter_context(reserve_output(place, force=force))
    return places


def _made(name: str, *, full: bool, data: str | None) -> Study:
    with Progress(name) as progress:
        return study(name, full=full, data=data, progress=progress)


def _told(made: Study) -> list[str]:
    """What came of a study: first in words, then claim by claim, then what is to be said of
    some.
    """
    from baserate_studies.values import HEADINGS
    from baserate_studies.wording import row, said

    head = (
        f"{made.title} ({made.source}). {number_of(len(made.claims), 'claim')}:"
        f" {said(made.tally, made.fitted)}."
    )
    grid = Grid(HEADINGS, [row(claim) for claim in made.claims], left=len(HEADINGS))
    remarks = [f"{claim.id}: {claim.note}." for claim in made.claims if claim.note]
    return [head, grid, "\n".join(remarks)]
