"""`baserate triage`: which cases to act on, which to review first, and which to let pass."""

from __future__ import annotations

from baserate.cli.commands import make_command
from baserate.cli.runner import ALONE, Request
from baserate.counts.counts import Counts
from baserate.verbs import triage as verbs


def count_models(request: Request) -> dict[str, Counts]:
    """Count each model."""
    return request.source.counted()


triage_command = make_command(
    "triage",
    verbs.triage,
    read=count_models,
    also=("prior_from",),
    estimate=ALONE,
    name_sources=True,
    help="""Set two thresholds: act on the highest scores, review those in between, let the rest pass.

    The cheapest of all pairs, at known costs and base rate, for each model, and what a single
    threshold would cost.

    \b
    Examples:
      baserate triage scores.csv --label fraud --score logit --score forest --prior 0.1% --cost fn=100,fp=5 --review 2
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --review 2 --overlooked 10% --most 5%
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --abstain 3 --most 200 --volume 1e5
    """,  # noqa: E501
)
