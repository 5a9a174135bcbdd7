"""`baserate table`: every threshold in one table."""

from __future__ import annotations

from typing import Any

from baserate.cli.commands import make_command, read_thresholds
from baserate.cli.runner import Request
from baserate.curves.threshold_table import ThresholdTable
from baserate.errors import refuse
from baserate.verbs import readings


def count_models(request: Request) -> Any:
    """Count each model; the requested thresholds stay exact where memory is limited."""
    output, thresholds = request.output, request.given.get("thresholds", ())
    if output.as_csv and output.as_json:
        raise refuse("BR001", "--csv and --json are given together", "choose one of them")
    return request.source.counted(read_thresholds(thresholds))


def lay_out(found: ThresholdTable, *, across: bool = False) -> ThresholdTable:
    """Lay thresholds out as rows, or as columns.

    Parameters
    ----------
    found : ThresholdTable
        The table.
    across : bool, default False
        One column per threshold instead of one row.
    """
    return found.transposed() if across else found


table = make_command(
    "table",
    readings.table,
    read=count_models,
    show=lay_out,
    also=("memory", "as_csv"),
    help="""Print what every threshold flags: true and false positives and negatives, and any
    measures at any base rate.

    TP, FP, TN and FN are cases of the file, whatever the base rate. To count out of --volume, add
    the measures alerts, caught, missed or false_alarms.

    \b
    Examples:
      baserate table scores.csv --label fraud --score logit
      baserate table scores.csv --label fraud --score logit --measure recall,precision,f1 --prior 0.1%,1%
      baserate table scores.csv --label fraud --score logit --threshold 0.5 --threshold 0.9 --across
      baserate table scores.csv --label fraud --score logit --measure alerts,caught --volume 10k --csv
    """,  # noqa: E501
)
