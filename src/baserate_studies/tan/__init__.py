"""Tan, Steinbach & Kumar 2005, §5.7, claim by claim."""

from __future__ import annotations

from baserate_studies.claims import Claim
from baserate_studies.tan import costs, curves, measures, samples, trees
from baserate_studies.values import Found, How

SEEDS, MANY, FEW = 30, 100, 2


def found(how: How) -> Found:
    """Every claim of the section, in its order."""
    seeds = FEW if how.rehearsal else MANY if how.full else SEEDS
    parts = (
        measures.claims(),
        curves.claims(),
        costs.claims(),
        trees.claims(seeds),
        samples.claims(seeds),
    )
    claims: list[Claim] = []
    for done, part in enumerate(parts, start=1):
        claims += part
        how.progress(done, len(parts))
    return Found(
        tuple(claims),
        tuple(picture for part in (curves, costs, samples) for picture in part.pictures()),
    )
