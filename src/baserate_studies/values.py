"""`Study`: the claims of a source with their pictures; `How` says how a study is to be made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from baserate.extend import number_of
from baserate.plots import Figure, Panel
from baserate_studies.claims import VERDICTS, Claim
from baserate_studies.wording import said

Report = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Nobody waits."""


@dataclass(frozen=True)
class How:
    """How a study is made: in full (slower), with data sets from which folder, and whom to tell how
    far it has got.

    A `rehearsal` makes every claim and every figure of fewer cases and folds: it takes seconds, and
    its numbers mean little.
    """

    full: bool = False
    data: str | None = None
    progress: Report = _silent
    rehearsal: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure beside the one that was published: a name for its file, the rows of the inventory,
    and what to see in it.

    The claims beside it are those about its rows, or, where `about` is given, those whose ids begin
    so.
    """

    name: str
    inventory: tuple[str, ...]
    words: str
    drawing: Panel | Figure
    about: tuple[str, ...] = ()

    def concerns(self, claim: Claim) -> bool:
        """Does the claim belong beside this figure?"""
        return (
            claim.id.startswith(self.about)
            if self.about
            else not set(self.inventory).isdisjoint(claim.inventory)
        )


@dataclass(frozen=True)
class Found:
    """What a study gives."""

    claims: tuple[Claim, ...]
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class Study:
    """A source, claim by claim."""

    name: str
    title: str
    source: str
    claims: tuple[Claim, ...]
    figures: tuple[Picture, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def tally(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return _counted(self.claims)

    @property
    def fitted(self) -> dict[str, int]:
        """Of these, how many are about data that were fitted to what the source says."""
        return _counted(claim for claim in self.claims if claim.fitted)

    def __getitem__(self, name: str) -> Claim:
        return next(claim for claim in self.claims if claim.id == name)

    def __repr__(self) -> str:
        return (
            f"Study {self.name}: {number_of(len(self.claims), 'claim')},"
            f" {said(self.tally, self.fitted)}"
        )


def _counted(claims: Iterable[Claim]) -> dict[str, int]:
    counted = Counter(claim.verdict for claim in claims)
    return {verdict: counted[verdict] for verdict in VERDICTS}


HEADINGS: tuple[str, ...] = ("claim", "rows", "published", "ours", "tolerance", "verdict")


def document_of(study: Study) -> dict[str, Any]:
    """The study as a program reads it."""
    return {
        "name": study.name,
        "title": study.title,
        "source": study.source,
        "tally": study.tally,
        "claims": [_claim(claim) for claim in study.claims],
        "figures": [
            {
                "name": figure.name,
                "inventory": list(figure.inventory),
                "title": figure.drawing.title,
                "text": figure.words,
            }
            for figure in study.figures
        ],
    }


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "id": claim.id,
        "inventory": list(claim.inventory),
        "published": (
            list(claim.published) if isinstance(claim.published, tuple) else claim.published
        ),
        "ours": list(claim.ours) if isinstance(claim.ours, tuple) else claim.ours,
        "unit": claim.unit,
        "tolerance": claim.tolerance,
        "reason": claim.reason,
        "verdict": claim.verdict,
        "errata": list(claim.errata),
        "note": claim.note,
        "fitted": claim.fitted,
        "own_numbers": claim.own_numbers,
        "half_unit": claim.half_unit,
    }
