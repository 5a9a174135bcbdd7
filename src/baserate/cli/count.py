"""`baserate count`: counts saved, and added, so that days and machines are counted once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import click

from baserate.atomic import reserved
from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import check_there, engine, reader, say
from baserate.cli.terminal import tell
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.errors import escaped, quoted, refuse, refuse_file
from baserate.inference.intervals import auc_intervals
from baserate.output import document, tables
from baserate.read.condense import forget
from baserate.read.files import (
    count_scores,
    groups_of,
    is_saved,
    joint_of,
    load,
    models_of,
    name_of,
)
from baserate.read.large import Sources, count_large, sources_in_pieces
from baserate.read.source import Options, files_of
from baserate.read.table import Wanted
from baserate.read.treatments import is_turned

Whole = Counts | JointCounts | GroupedCounts


@click.command(name="count", cls=Sectioned)
@options.source_added
@click.option(
    "--group",
    metavar="COLUMN",
    help="Keep the values of this column apart (days, sites, folds), for one score.",
)
@engine
@click.option("-o", "--output", required=True, metavar="FILE", help="Where the counts are saved.")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print what was counted as JSON (schema baserate/1)."
)
def count_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    group: str | None,
    cluster: Any,
    output: str,
    force: bool,
    as_json: bool,
) -> None:
    """Count every FILE, add them up, and save the counts, which every other command reads.

    A file may itself hold counts. One score is saved alone; several are saved together, so that
    their models can be compared. With --engine, Parquet is counted by a cluster, also in a store
    that only its workers reach.

    \b
    Examples:
      baserate count monday.csv tuesday.parquet --label fraud --score logit --score forest -o week.counts
      baserate count week1.counts week2.counts -o month.counts
      baserate count "year/*.parquet" --label fraud --score logit -o year.counts --memory 1GB --resume year.part
      baserate count s3://logs/2026/ --engine dask --master tcp://host:8786 --label attack --score m -o 2026.counts
      baserate choose month.counts "alerts <= 200" --prior 0.1% --volume 1e6
    """  # noqa: E501
    asked = {"positive": positive, "weight": weight, "design": design, "group": group}
    inputs = [file for source in path.paths for file in files_of(source)]
    with reserved(output, inputs, force=force) as check:
        if output.casefold().endswith((".json", ".csv", ".txt")):
            raise refuse_file(
                output,
                "BR803",
                "counts are saved in a form of their own",
                "name it .counts; --json prints what was counted",
            )
        uncounted = [source for source in path.paths if not is_saved(source)]
        if cluster is not None and uncounted:
            check_there(
                uncounted, options.wanted(path, label, scores, **asked), path.options
            )  # before a cluster is woken
        large = None if cluster is not None else _large(path, label, scores, asked)
        whole = _whole(path, label, scores, asked, cluster) if large is None else large
        check()
        whole.save(output)
        if large is not None:  # not before: a disk that is full must not cost what was counted
            forget(path.options.ceiling.resume)
    models = _models(whole, name_of(output))
    notes, aucs = document.notes_of(models, {}), auc_intervals(models)
    if as_json:
        click.echo(
            document.text(
                document.of_models(
                    "count", models, {}, options.conditions_of((), (), ()), notes, aucs=aucs
                )
            )
        )
    else:
        many = f"{len(path.paths)} files counted" if len(path.paths) > 1 else "counted"
        tell(
            f"{escaped(output)}: {many} and saved.",
            *(tables.source(used) for used in whole.ledger.sources),
            tables.of_models(models, aucs),
        )
    say(notes)


def _large(
    path: options.Given, label: str | None, scores: tuple[str, ...], asked: dict[str, Any]
) -> Counts | None:
    """All files together, piece by piece, under a ceiling on memory; None without one, or where
    files are read as a whole.
    """
    ceiling = path.options.ceiling
    found = (
        [sources_in_pieces(source, short=ceiling.resume is not None) for source in path.paths]
        if ceiling.memory is not None
        else []
    )
    sources = [each for each in found if each is not None]
    text = any(each.text for each in sources)
    if (
        not sources
        or len(sources) < len(found)
        or (text and not (all(each.text for each in sources) and len(found) > 1 == len(scores)))
    ):
        return None
    wanted = options.wanted(path, label, scores, **asked)
    if len(scores) > 1:
        raise refuse(
            "BR943",
            "several scores together are whole cases, and not counted piece by piece",
            "count one --score at a time",
        )
    with options.with_progress(
        path.options._replace(ceiling=replace(ceiling, stays=True))
    ) as watched:
        counted = count_large(
            path.path,
            Sources([each for part in sources for each in part.paths], text),
            wanted,
            watched,
        )
    return None if counted is None else counted[scores[0]]


def _whole(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    asked: dict[str, Any],
    cluster: Any,
) -> Whole:
    """Each file as a whole, here or on a cluster, and all of them added."""
    whole: Whole | None = None
    with reader(cluster) as read:
        there = None if cluster is None else partial(_there, read, cluster)
        for one in path.paths:
            with options.reading(one):
                part = _counted(one, path, label, scores, asked, there)
            whole = part if whole is None else _added(whole, part, one)
    assert whole is not None
    return whole


def _counted(
    source: str,
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    asked: dict[str, Any],
    there: Any,
) -> Whole:
    """One file, counted here, there or before."""
    if is_saved(source):
        return load(source)
    with options.reading(source):
        return _read(source, path, label, scores, asked, there)


def _there(read: Any, cluster: Any, source: str, wanted: Wanted, given: Options) -> Whole:
    from baserate.read.spark import count_there

    return count_there(read, source, wanted, given, cluster)


def _read(
    source: str,
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    asked: dict[str, Any],
    there: Any,
) -> Whole:
    wanted = options.wanted(path._replace(paths=(source,)), label, scores, **asked)
    if asked["group"] is not None and len(scores) > 1:
        raise refuse(
            "BR410", "groups are counted for one score", "name one --score, or leave --group out"
        )
    if there is not None:
        return there(source, wanted, path.options)  # type: ignore[no-any-return]
    if asked["group"] is not None:
        return groups_of(source, wanted, path.options)
    if len(scores) == 1:
        return _alone(source, wanted, path)
    return joint_of(models_of(source, wanted, path.options))


def _alone(source: str, wanted: Wanted, path: options.Given) -> Counts:
    with options.with_progress(path.options) as watched:
        return count_scores(source, wanted, watched)[wanted.scores[0]]


def _added(whole: Whole, part: Whole, source: str) -> Whole:
    if type(whole) is not type(part):
        text = (
            f"holds {quoted(type(part).__name__, quotes=False)}, and the files before it"
            f" {quoted(type(whole).__name__, quotes=False)}"
        )
        raise refuse_file(source, "BR409", text, "count the same scores and groups in every file")
    ours, theirs = (
        {used.positive for used in one.ledger.sources if used.positive} for one in (whole, part)
    )
    if ours and theirs and ours != theirs:
        text = (
            f"counts {quoted(min(theirs))} as positive, and the files before it {quoted(min(ours))}"
        )
        raise refuse_file(source, "BR409", text, "count the same class as positive in every file")
    if is_turned(whole) != is_turned(part):
        raise refuse_file(
            source,
            "BR409",
            "low scores are risky in some of these files, and high ones in others",
            "count them alike",
        )
    return whole + part


def _models(whole: Whole, name: str) -> dict[str, Counts]:
    """What was counted, by the name that it is shown under."""
    if isinstance(whole, JointCounts):
        return {name: whole.marginal(name) for name in whole.models}
    return {name: whole.total() if isinstance(whole, GroupedCounts) else whole}
