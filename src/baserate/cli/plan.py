"""`baserate plan`: how many cases a test set needs."""

from __future__ import annotations

from baserate.cli.commands import make_command
from baserate.verbs import plan as verbs

plan = make_command(
    "plan",
    verbs.plan,
    help="""Print how many cases it takes to demonstrate a requirement, or to find a difference.

    REQUIREMENT is a rate of one class ("recall >= 0.9") or how precisely to estimate it ("recall ±
    5%"), a measure at a base rate ("precision >= 0.2", "cost <= 0.05"), "auc >= 0.8", mcnemar (is
    one of two models better?), or "error no worse than 1%" (non-inferiority). Demonstrated means
    that the one-sided bound at --level meets it.

    \b
    Examples:
      baserate plan "recall >= 0.9" --expect 0.95
      baserate plan "recall >= 0.9" --expect 0.95 --cases 100
      baserate plan "recall +- 5%" --expect 0.9
      baserate plan "precision >= 0.2" --expect tpr=0.9,fpr=0.01 --prior 0.5%
      baserate plan "cost <= 0.05" --expect tpr=0.9,fpr=0.01 --prior 0.1% --cost fn=100,fp=1
      baserate plan "auc >= 0.8" --expect 0.85 --ratio 10
      baserate plan mcnemar --discordant 10% --difference 3%
      baserate plan "error no worse than 3%" --discordant 10%
    """,
)
