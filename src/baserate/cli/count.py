"""`baserate count`: counts saved, and added, so that days and machines are counted once.
`baserate sql`: the SQL that counts where the data lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import click

from baserate.atomic import reserve_output
from baserate.cli import options
from baserate.cli.runner import (
    CEILING,
    Request,
    Result,
    SourceOptions,
    check_unused,
    command,
    each_model,
    inputs_of,
)
from baserate.conditions import Conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.errors import escaped, quoted, refuse, refuse_file
from baserate.inference.intervals import auc_intervals
from baserate.read.cases import count_jointly
from baserate.read.files import count_scores, count_within_memory, groups_of
from baserate.read.joins import read_models
from baserate.read.saved import load, name_of
from baserate.read.sql import DIALECTS, counting_sql
from baserate.views import tables

Whole = Counts | JointCounts | GroupedCounts


@command("count")
@options.file(metavar="FILE...", nargs=-1, required=True)
@options.of_any_size
@options.listed(
    "group", help="Count each value of this column separately (days, sites, folds), for one score."
)
@click.option("--counted", is_flag=True, help="FILE is the result of baserate sql.")
@options.listed("written", required=True, help="Where the counts are saved.")
@options.listed("force")
@options.listed("as_json", help="Print what was counted as JSON (schema baserate/1).")
def count_command(request: Request, group: str | None, written: str, counted: bool) -> Result:
    """Count every FILE, add them up, and save the counts, which every other command reads.

    A file may itself hold counts, or with --counted the result of baserate sql. One score is saved
    alone; several are saved together, so that their models can be compared.

    \b
    Examples:
      baserate count monday.csv tuesday.parquet --label fraud --score logit --score forest -o week.counts
      baserate count week1.counts week2.counts -o month.counts
      baserate count "year/*.parquet" --label fraud --score logit -o year.counts --memory 1GB
      baserate count result.csv --counted -o 2026.counts
      baserate choose month.counts "alerts <= 200" --prior 0.1% --volume 1e6
    """  # noqa: E501
    if counted:
        _check_result(request.source, {"--by": group})
    source = request.source
    with reserve_output(written, inputs_of(request, {}), force=request.output.force) as check:
        if written.casefold().endswith((".json", ".csv", ".txt")):
            raise refuse_file(
                written,
                "BR803",
                "counts are saved in a format of their own",
                "name it .counts; --json prints what was counted",
            )
        large = None if counted else _large(source, group)
        read = _of_result if counted else partial(_counted, group=group)
        whole = _whole(source, read) if large is None else large
        check()
        whole.save(written)
    return _result(whole, written, len(source.paths))


def _result(whole: Whole, written: str, files: int) -> Result:
    """What was counted, by the name that it is shown under."""
    total = whole.total() if isinstance(whole, GroupedCounts) else whole
    models = each_model(total if isinstance(total, JointCounts) else {name_of(written): total})
    many = f"{files} files counted" if files > 1 else "counted"
    aucs = auc_intervals(models)
    result = Result.of_models(
        "count",
        models,
        [Conditions("sample")],
        (),
        lambda: [
            f"{escaped(written)}: {many} and saved.",
            *map(tables.source, whole.ledger.sources),
            tables.of_models(models, aucs),
        ],
    )
    return replace(result, sources=())


def _large(source: SourceOptions, group: str | None) -> Counts | None:
    """All files as one table, within a memory limit; None without one, or where they are read one
    by one.
    """
    scores = source.scores
    if not source.is_limited or not scores or group is not None:
        return None
    if len(scores) > 1:
        raise refuse(
            "BR943",
            "several scores cannot be counted together within a memory limit",
            "count one --score at a time",
        )
    with source.watched() as watched:
        counted = count_within_memory(source.paths, source.wanted(), watched)
    return None if counted is None else counted[scores[0]]


def _check_result(source: SourceOptions, more: Mapping[str, Any]) -> None:
    """Nothing that says how to count has an effect on what is counted already."""
    limits = {f"--{name}": getattr(source.options.ceiling, name) for name in CEILING}
    given = {"--label": source.label, "--score": source.scores, "--weight": source.weight}
    check_unused({**given, **more, **limits}, "on the result of baserate sql")


def _of_result(source: SourceOptions) -> Whole:
    from baserate.read.sql import of_file

    return of_file(source.path, source.options, source.positive, source.design)


def _whole(source: SourceOptions, counted: Callable[[SourceOptions], Whole]) -> Whole:
    """Each file as a whole, and all of them added."""
    whole: Whole | None = None
    for path in source.paths:
        one = source.at(path)
        with one.reading():
            part = load(path) if one.is_saved else counted(one)
        whole = part if whole is None else _added(whole, part, path)
    assert whole is not None
    return whole


def _counted(source: SourceOptions, group: str | None) -> Whole:
    """One file of cases."""
    wanted, scores = source.wanted(group=group), source.scores
    if group is not None and len(scores) > 1:
        raise refuse(
            "BR410", "groups are counted for one score", "name one --score, or leave --by out"
        )
    if group is not None:
        return groups_of(source.path, wanted, source.options)
    if len(scores) == 1:
        with source.watched() as watched:
            return count_scores(source.path, wanted, watched)[scores[0]]
    return count_jointly(read_models(source.path, wanted, source.options))


def _added(whole: Whole, part: Whole, source: str) -> Whole:
    if type(whole) is not type(part):
        raise refuse_file(
            source,
            "BR409",
            f"holds {quoted(type(part).__name__, quotes=False)}, and the files before it"
            f" {quoted(type(whole).__name__, quotes=False)}",
            "count the same scores and groups in every file",
        )
    ours, theirs = (
        {used.positive for used in one.ledger.sources if used.positive} for one in (whole, part)
    )
    if ours and theirs and ours != theirs:
        raise refuse_file(
            source,
            "BR409",
            f"counts {quoted(min(theirs))} as positive, and the files before it"
            f" {quoted(min(ours))}",
            "count the same class as positive in every file",
        )
    if whole.negated != part.negated:
        raise refuse_file(
            source,
            "BR409",
            "low scores mean positive in some of these files, and high scores in others",
            "count them alike",
        )
    return whole + part


@click.command(name="sql", cls=options.Sectioned)
@click.argument("table", metavar="TABLE")
@click.option(
    "--dialect", required=True, metavar="NAME", help=f"The engine: {', '.join(DIALECTS)}."
)
@options.listed("label", required=True)
@click.option(
    "--score", required=True, metavar="COLUMN", help="The score; higher means more likely positive."
)
@click.option(
    "--bins",
    type=int,
    metavar="NUMBER",
    help="Merge scores into bins: that many per unit of score, a power of two.",
)
@click.option("--low", type=int, default=0, show_default=True, help="Where bins begin.")
@click.option("--high", type=int, default=1, show_default=True, help="Where they end.")
def sql(
    table: str, dialect: str, label: str, score: str, bins: int | None, low: int, high: int
) -> None:
    """Print the SQL that counts the cases of each label and score, for any engine.

    TABLE is a table, with its schema in front of a dot, or one SELECT. Run the SQL there, save the
    result as CSV or Parquet with all digits, and read it with baserate count --counted: rows
    without a label or score are in it, and are refused or left out there. With --bins a bounded
    number of rows comes back, whatever the number of cases.

    \b
    Examples:
      baserate sql logs.scores --dialect trino --label fraud --score logit
      baserate sql "SELECT * FROM logs WHERE year = 2026" --dialect bigquery --label fraud --score p
      baserate sql scores --dialect postgres --label fraud --score p --bins 65536
      baserate sql scores --dialect duckdb --label y --score logit --bins 1024 --low -16 --high 16
      baserate count result.csv --counted -o year.counts
    """
    click.echo(
        counting_sql(dialect, table, label=label, score=score, bins=bins, low=low, high=high)
    )
