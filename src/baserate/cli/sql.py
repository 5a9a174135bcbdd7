"""`baserate sql`: the SQL that counts where the data lie."""

from __future__ import annotations

import click

from baserate.cli.options import Sectioned, listed
from baserate.read.sql import DIALECTS, counting_sql


@click.command(name="sql", cls=Sectioned)
@click.argument("table", metavar="TABLE")
@click.option(
    "--dialect", required=True, metavar="NAME", help=f"The engine: {', '.join(DIALECTS)}."
)
@listed("label", required=True)
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
