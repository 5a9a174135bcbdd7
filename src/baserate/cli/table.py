"""`baserate table`: every threshold in one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.runner import Request, Result, command, shares, threshold_of
from baserate.curves.threshold_table import MEASURES, ORDERS, threshold_table
from baserate.errors import refuse
from baserate.measures.confusion import in_costs, parse
from baserate.views import tables


@command("table")
@options.file()
@options.of_any_size
@options.conditions
@options.listed(
    "measures", help=f"A column, repeated or comma-separated (default: {','.join(MEASURES)})."
)
@options.listed("thresholds", metavar="SCORE", help="Only these thresholds; none flags nothing.")
@click.option(
    "--order",
    default=ORDERS[0],
    show_default=True,
    metavar="ORDER",
    help="descending or ascending thresholds.",
)
@click.option("--across", is_flag=True, help="One column per threshold instead of one row.")
@options.listed("as_csv", help="Print all rows as CSV.")
@options.answer
def table(
    request: Request,
    measures: tuple[str, ...],
    thresholds: tuple[str, ...],
    order: Any,
    across: bool,
) -> Result:
    """Print what every threshold flags: true and false positives and negatives, and any measures at
    any base rate.

    TP, FP, TN and FN are cases of the file, whatever the base rate. To count out of --volume, add
    the measures alerts, caught, missed or false_alarms.

    \b
    Examples:
      baserate table scores.csv --label fraud --score logit
      baserate table scores.csv --label fraud --score logit --measure recall,precision,f1 --prior 0.1%,1%
      baserate table scores.csv --label fraud --score logit --threshold 0.5 --threshold 0.9 --across
      baserate table scores.csv --label fraud --score logit --measure alerts,caught --volume 10k --csv
    """  # noqa: E501
    output, cases = request.output, request.conditions.cases
    if output.as_csv and output.as_json:
        raise refuse("BR001", "--csv and --json are given together", "choose one of them")
    at = request.conditions.exact()
    asked = [parse(text, cases) for text in measures or MEASURES]
    cuts = [threshold_of(part) for text in thresholds for part in shares(text)]
    models = request.source.counted(cuts)
    found = threshold_table(
        models, asked, at=at, thresholds=cuts or None, volume=cases, order=order
    )
    found = found.transposed() if across else found
    names = [str(one) for one in asked]

    def text() -> Iterator[str]:
        if any(one.depends_on_prior for one in asked):
            yield tables.conditions(models, at, names if in_costs(*names) else ())
        yield from tables.of_thresholds(found)

    result = Result.of_models(
        "table",
        models,
        at,
        found.notes,
        text,
        lambda: {"table": tables.of_thresholds_as_json(found)},
    )
    return replace(result, sources=(), plain=found.to_csv() if output.as_csv else None)
