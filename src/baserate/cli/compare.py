"""`baserate compare`: is one model really better than another?"""

from __future__ import annotations

from typing import Any

from baserate.cli import options
from baserate.cli.commands import make_command
from baserate.cli.runner import Request, SourceOptions
from baserate.cli.show import clusters_of
from baserate.counts.counts import JointCounts
from baserate.errors import refuse
from baserate.read.frames import check_models
from baserate.read.joins import count_files_jointly
from baserate.read.saved import saved_joint
from baserate.verbs import evidence


def count_together(request: Request, *, cluster: str | None = None) -> Any:
    """Count the models on the same cases, or on the same clusters."""
    source = request.source
    if cluster is None:
        return count_joint(source)
    if len(source.paths) > 1:
        raise refuse(
            "BR594",
            "clusters are compared on the models of one file",
            "give one FILE, or leave --cluster out",
        )
    check_models(source.scores)
    return clusters_of(source, cluster).groups


def count_joint(source: SourceOptions) -> JointCounts:
    """Count the models of one file or several on the same cases; or load them as counted before."""
    if len(source.paths) == 1 and source.is_saved:
        joining = {"--id": source.id, "--join": source.join, "--by-position": source.by_position}
        source.check_saved(joining)
        return saved_joint(source.path, source.scores)
    wanted = source.wanted(id=source.id)
    with source.reading():
        return count_files_jointly(
            source.paths, wanted, source.options, by_position=source.by_position, join=source.join
        )


compare_command = make_command(
    "compare",
    evidence.compare,
    read=count_together,
    source=options.file(weighted=False, metavar="FILE... [RULE]", nargs=-1, required=True),
    also=("id", "join", "by_position", "dedupe", "prior_from", "pilot"),
    name_sources=True,
    help="""Compare models on the same cases: the difference, its interval, and whether it is
    significant.

    By default AUC, by DeLong's test; with a base rate or costs the cost of the cheapest threshold,
    with a budget what it catches, by the same test as in baserate choose (--replicates resamples
    instead); with thresholds the share of errors, by McNemar's exact test. Several models are
    compared pair by pair, with Holm's adjustment. Base rate and costs may be ranges (one model must
    then be better over the whole range), log-uniform, or from a pilot sample.

    \b
    Examples:
      baserate compare scores.csv --label fraud --score logit --score forest
      baserate compare old.csv new.csv --label fraud --score m1 --id case
      baserate compare scores.csv --label fraud --score logit --score forest "alerts <= 200" --prior 0.1% --volume 1e6
      baserate compare scores.csv --label fraud --score logit --score forest --prior 1e-4..1e-2 --cost fn=100,fp=1
      baserate compare scores.csv --label fraud --score logit --score forest --threshold logit=0.5 --threshold forest=0.3
    """,  # noqa: E501
)
