"""What the words of a report mean, and where they come from."""

from __future__ import annotations

from collections.abc import Iterator

from baserate.measures.catalogue import CATALOGUE
from baserate.measures.values import parse

MEASURES = ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost", "normalized_cost", "alerts", "caught", "missed", "false_alarms")
MOST_SYNONYMS = 3
WORDS = (
    ("prior", "prior (base rate, prevalence)", "the share of positives among the cases that are met; in the sample or in the field", ""),
    ("threshold", "threshold (cut-off)", "a case is flagged where its score is at least this", ""),
    (
        "auc",
        "AUC (area under the ROC)",
        "the chance that a positive scores above a negative, ties counted half",
        "Hanley & McNeil 1982, Radiology 143:29-36",
    ),
    (
        "hull",
        "hull (ROCCH)",
        "the upper convex hull of the ROC: its corners are the cheapest points at some base rate and cost",
        "Provost & Fawcett 2001, Machine Learning 42:203-231",
    ),
    (
        "label shift",
        "label shift",
        "the assumption behind every number at another base rate: the classes change their shares, the scores within each class do not change",
        "Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21-41",
    ),
)


def definitions() -> list[dict[str, str]]:
    """The measures that a report shows, from the registry, and the words around them."""
    return [dict(zip(("name", "title", "text", "sources"), row, strict=True)) for row in (*_measures(), *WORDS)]


def _measures() -> Iterator[tuple[str, str, str, str]]:
    parse("tpr")  # fills the registry
    for name in MEASURES:
        entry = CATALOGUE[name]
        also = ", ".join(entry.synonyms[:MOST_SYNONYMS])
        yield name, f"{name} ({also})" if also else name, f"{entry.text}. {entry.extremes}", entry.citation
