"""Two thresholds in words, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from baserate.atomic import Grid
from baserate.conditions import told
from baserate.errors import quoted
from baserate.results.triage import Triage, Triages
from baserate.views.document import conditions, threshold
from baserate.views.tables import cases, digits

HEADINGS = ("act", "review", "acted on", "reviewed", "passed", "found", "cost per case")
SHARES = ("acted", "reviewed", "passed", "found", "cost", "without")
NO_INTERVALS = "No intervals are computed for two thresholds."
NOT_COMPARED = "The differences were not tested, and no intervals are computed for two thresholds."


def describe_triage(found: Triage) -> str:
    """Return what to review, what to act on, and what that costs."""
    return f"{_describe_thresholds(found)} {_describe_cost(found)} {NO_INTERVALS}"


def describe_triages(found: Triages) -> str:
    """Return the same of the model that costs least, with what the others cost."""
    best = found[found.model]
    others = [
        f"{quoted(name, quotes=False)} {digits(one.cost, 4)}"
        for name, one in found.items()
        if name != found.model
    ]
    if not others:
        return describe_triage(best)
    thresholds = _describe_thresholds(best)
    thresholds = f"{thresholds[0].lower()}{thresholds[1:]}"
    cost = _describe_cost(best, f" ({', '.join(others)})")
    return f"Use {quoted(found.model, quotes=False)}: {thresholds} {cost} {NOT_COMPARED}"


def tabulate_triages(found: Mapping[str, Triage]) -> str:
    """Return both thresholds of each model, and what they do."""
    counted = any(one.reviews is not None for one in found.values())
    named = any(found)  # a triage of one model alone has no name
    headings = ["model"] if named else []
    headings += [*HEADINGS, "one threshold", *(["reviews"] if counted else [])]
    rows = []
    for name, one in found.items():
        row = [quoted(name, quotes=False)] if named else []
        row += _show_thresholds(one)
        row += [digits(getattr(one, share), 4) for share in SHARES]
        rows.append([*row, digits(one.reviews, 4)] if one.reviews is not None else row)
    return Grid(headings, rows, left=3 if named else 2)


def triage_as_json(found: Triage) -> dict[str, Any]:
    """Return two thresholds and what follows; null where nothing is reviewed."""
    return {
        "at": conditions(found.at),
        "act": threshold(found.act),
        "review": threshold(found.review) if found.reviewed else None,
        **{name: getattr(found, name) for name in (*SHARES, "saving", "reviews")},
    }


def triages_as_json(found: Triages) -> dict[str, Any]:
    """Return the same of each model, and which costs least."""
    models = [{"model": name, **triage_as_json(one)} for name, one in found.items()]
    return {"model": found.model, "models": models}


def _show_thresholds(one: Triage) -> tuple[str, str]:
    act, review = one.shown
    return (
        "none" if one.act is None else f">= {act}",
        f">= {review}" if one.reviewed else "none",
    )


def _describe_thresholds(one: Triage) -> str:
    act, review = one.shown
    reviewed = "Review nothing"
    if one.reviewed:
        reviews = "" if one.reviews is None else f", {cases(one.reviews)} reviews"
        below = "" if one.act is None else f" and < {act}"
        share = f"{100 * one.reviewed:.3g} % of cases{reviews}"
        reviewed = f"Review scores ≥ {review}{below} ({share})"
    acted = "none" if one.act is None else f"scores ≥ {act} ({100 * one.acted:.3g} % of cases)"
    return f"{reviewed}, act on {acted} without review, pass the rest."


def _describe_cost(one: Triage, others: str = "") -> str:
    return (
        f"At {told(one.at, by_cost=True)}, the cost per case is {digits(one.cost, 4)}{others};"
        f" with a single threshold {digits(one.without, 4)}."
    )
