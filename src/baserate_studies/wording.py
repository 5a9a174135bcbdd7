"""Claims in words: verdicts counted, and a claim as the row of a table."""

from __future__ import annotations

from collections.abc import Mapping

from baserate_studies.claims import (
    CLOSE,
    DIFFERS,
    ERRATUM,
    FORMULA_HOLDS,
    NOT_A_CLAIM,
    NOT_REPRODUCIBLE,
    REPRODUCED,
    SENTENCE_HOLDS,
    Claim,
    Value,
)

NONE = "—"
WORDS = {
    REPRODUCED: "reproduced as printed",
    CLOSE: "within a wider tolerance only",
    SENTENCE_HOLDS: "sentences judged true",
    FORMULA_HOLDS: "formulas checked on numbers of our own",
    DIFFERS: "differing",
    ERRATUM: "errata of the source",
    NOT_REPRODUCIBLE: "not reproducible",
    NOT_A_CLAIM: "no claim",
}

MEANINGS = {
    REPRODUCED: (
        "a number that the source prints comes out here, to its last digit or within the error that"
        " the source gives"
    ),
    CLOSE: (
        "a number that the source prints comes out within the tolerance, but not to its last digit"
    ),
    SENTENCE_HOLDS: (
        "a sentence of the source is found true by a test of ours; where a word had to be made a"
        " number, the remark says which"
    ),
    FORMULA_HOLDS: (
        "a formula of the source, evaluated on numbers that the source does not print, gives what"
        " the library gives"
    ),
    DIFFERS: (
        "it does not come out, and why is not known, or it depends on data that we had to choose"
    ),
    ERRATUM: (
        "it does not come out because the source is wrong, or contradicts itself: the remark says"
        " how it should read"
    ),
    NOT_REPRODUCIBLE: "its data were not published, or are not here",
    NOT_A_CLAIM: (
        "a definition, a remark, a condition taken over, or a check of ours: nothing published in"
        " it could come out otherwise"
    ),
}


def said(tally: Mapping[str, int], fitted: Mapping[str, int]) -> str:
    """So many of each verdict, leaving out those that no claim has; then how many of these are
    about fitted data.

    >>> from baserate_studies.wording import said
    >>> said({"reproduced": 3, "differs": 1}, {"reproduced": 2, "differs": 0})
    '3 reproduced as printed, 1 differing; of these 2 on data fitted to the source: 2 reproduced as printed'
    """  # noqa: E501
    apart = sum(fitted.values())
    return _listed(tally) + (
        f"; of these {apart} on data fitted to the source: {_listed(fitted)}" if apart else ""
    )


def _listed(tally: Mapping[str, int]) -> str:
    return (
        ", ".join(f"{count} {WORDS[verdict]}" for verdict, count in tally.items() if count)
        or "no claims"
    )


def row(claim: Claim) -> list[str]:
    """A claim as cells: its id, rows of the inventory, published, ours, how close it must be, and
    the verdict.
    """
    rows = ", ".join((*claim.inventory, *claim.errata))
    tolerance = NONE if claim.tolerance is None else f"± {claim.tolerance:.4g}"
    verdict = claim.verdict.replace("_", " ")
    return [
        claim.id,
        rows,
        shown(claim.published, claim.unit),
        shown(claim.ours, claim.unit),
        tolerance,
        verdict,
    ]


def shown(value: Value, unit: str = "") -> str:
    """A value for a person."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return value
    numbers = value if isinstance(value, tuple) else (value,)
    return ", ".join(f"{number:.5g}" for number in numbers) + (f" {unit}" if unit else "")
