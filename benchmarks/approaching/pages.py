"""The page that benchmarks/approaches.py writes: what each approach costs, against plain scores
with a moved cut, and what that shows.
"""

from __future__ import annotations

import textwrap
from itertools import groupby

import numpy as np
from benchmarks.approaching.judging import PRIOR, STATED, TPR, Judged

WIDTH = 150
PLAIN = "plain, cut at 1/2"
# The factor on the standard error of a mean of 2 to 10 sets, 95 %: Student's t with 1 to 9 degrees
# of freedom.
STUDENT = {
    2: 12.706,
    3: 4.303,
    4: 3.182,
    5: 2.776,
    6: 2.571,
    7: 2.447,
    8: 2.365,
    9: 2.306,
    10: 2.262,
}

HEAD = """# Which approach pays?

Written by `python benchmarks/approaches.py`; with `--quick` it prints a page of two sets, in seconds. Seeds are fixed (9). This run took
{minutes} of CPU on one core.

Rare and costly positives can be handled before learning (sampling, weights), during learning (cost-sensitive trees), after it (a moved threshold, calibration) or by density classifiers with given priors. Which is cheaper in the field? Evaluated on {sets}.

**How.** Nested cross-validation, stratified: 5 outer folds, 3 inner ones. The learner's one parameter is chosen in inner folds of the training
cases, by log loss, and is the same for all approaches; empirical cuts and calibrations come from inner folds too. Three conditions:
{conditions}. Costs are relative: 0 is perfect, 1 is the better of flagging nothing and flagging everything, above 1 is worse than using no model.
Every approach is compared with the *reference*, {reference}, on the same cases. "Difference" is its mean over sets and conditions, with the
95 % interval over sets (Student's t; sets, not cases, are the sample). "Significantly" cheaper or more expensive counts the pairs of a set and a condition in which the paired difference of costs lies beyond 1.96 standard errors. Nothing is adjusted for the number of approaches: of twenty intervals expect one to be wrong by chance.

The last two columns are about ranking only: precision at a base rate of {prior:.0%}, and the share of cases flagged there, where the threshold
reaches TPR {tpr:.1f} on the cases that are evaluated. Means over sets; approaches that answer with labels have none.
"""  # noqa: E501

TAIL = """
## Reading it with care

- {learners} with one parameter each, {count} sets of 900 to 11 000 cases, three conditions: another learner or field may give other results. The
  command can be run on other data.
- An interval that contains 0 does not demonstrate that two approaches are equal.
- Uncorrected and cut at 1/2, a balanced sample moves the cut to an arbitrary place: near the right place for one ratio of costs, and far from it
  for others.
- The best approach on a set was chosen on that set. The table of sets is no advice to try them all and keep the best: that search needs its own
  folds.
"""  # noqa: E501


def page(found: list[Judged], seconds: float, reference: str) -> str:
    """The whole page."""
    sets = list(dict.fromkeys(one.data for one in found))
    kinds = list(dict.fromkeys(one.learner for one in found))
    said = [
        f"{miss} false alarms per miss, at"
        f" {'the base rate of the set' if times == 1 else f'{times:g} times that'}"
        for miss, times in STATED
    ]
    facts = {
        "minutes": f"{seconds / 60:.0f} minutes",
        "sets": ", ".join(sets),
        "conditions": "; ".join(said),
        "reference": f'"{reference}"',
    }
    tables = {
        kind: [summed(name, list(ones)) for name, ones in _by_approach(found, kind)]
        for kind in kinds
    }
    parts = [_filled(HEAD.format(**facts, prior=PRIOR, tpr=TPR)), "## What came out\n"]
    parts += [
        _filled(_in_short(tables, reference)),
        *(_filled(_told(kind, rows, reference)) for kind, rows in tables.items()),
    ]
    for kind, rows in tables.items():
        parts += [f"## {kind.capitalize()}\n", _table(rows, reference), ""]
    parts += [
        "## Set by set\n",
        (
            "Relative costs averaged over the three conditions: the reference's, and the least of"
            " all approaches.\n"
        ),
    ]
    parts += [
        _set_by_set(found, reference),
        TAIL.format(count=len(sets), learners=", ".join(kinds).capitalize()),
    ]
    return "\n".join(parts)


def _filled(text: str) -> str:
    """Paragraphs in lines of a page."""
    return (
        "\n\n".join(
            part if part.startswith("#") else textwrap.fill(part, WIDTH)
            for part in text.strip().split("\n\n")
        )
        + "\n"
    )


def _by_approach(found: list[Judged], kind: str):
    there = [one for one in found if one.learner == kind]
    names = list(dict.fromkeys(one.approach for one in there))
    return groupby(
        sorted(there, key=lambda one: names.index(one.approach)), key=lambda one: one.approach
    )


def summed(name: str, ones: list[Judged]) -> dict:
    """One line of a table."""
    costs = np.array([one.costs for one in ones])
    gaps = np.array([one.differences for one in ones]).mean(axis=1)
    half = STUDENT[len(ones)] * gaps.std(ddof=1) / np.sqrt(len(ones)) if len(ones) > 1 else np.inf
    shown = [value for one in ones for value in one.shown]
    ranked = [(one.precision, one.posfrac) for one in ones if one.precision is not None]
    return {
        "name": name,
        "costs": costs.mean(axis=0),
        "gap": (gaps.mean(), gaps.mean() - half, gaps.mean() + half),
        "shown": (shown.count(-1), shown.count(1), len(shown)),
        "ranked": np.mean(ranked, axis=0) if ranked else None,
    }


def _table(rows: list[dict], reference: str) -> str:
    heads = [f"miss {miss}, base rate × {times:g}" for miss, times in STATED]
    lines = [
        (
            f"| approach | {' | '.join(heads)} | difference, 95 %"
            " | significantly cheaper | significantly more expensive |"
            f" precision at {PRIOR:.0%} | flagged |"
        ),
        "|---|" + "---|" * (len(heads) + 5),
    ]
    for row in rows:
        gap, low, high = row["gap"]
        between = (
            "(reference)" if row["name"] == reference else f"{gap:+.3f} ({low:+.3f} to {high:+.3f})"
        )
        ranked = (
            ("—", "—")
            if row["ranked"] is None
            else (f"{row['ranked'][0]:.3f}", f"{row['ranked'][1]:.3f}")
        )
        better, worse, whole = row["shown"]
        cells = [
            row["name"],
            *(f"{cost:.3f}" for cost in row["costs"]),
            between,
            f"{better} of {whole}",
            f"{worse} of {whole}",
            *ranked,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _in_short(tables: dict[str, list[dict]], reference: str) -> str:
    """What moving the cut saves, and how many approaches are shown to save more."""
    means = {
        kind: {row["name"]: row["costs"].mean() for row in rows} for kind, rows in tables.items()
    }
    moved = "; ".join(
        f"{kind} from {costs[PLAIN]:.2f} to {costs[reference]:.2f}" for kind, costs in means.items()
    )
    gaps = [
        row["gap"]
        for rows in tables.values()
        for row in rows
        if row["name"] not in (PLAIN, reference)
    ]
    cheaper, dearer = sum(high < 0 for _, _, high in gaps), sum(low > 0 for _, low, _ in gaps)
    first = (
        "**In short.** Moving the cut to where base rate and costs put it changes the mean"
        f" relative cost of {moved}."
    )
    rest = (
        f"{cheaper} significantly cheaper, {dearer} significantly more expensive,"
        f" {len(gaps) - cheaper - dearer} not distinguished"
    )
    luck = f"of {len(gaps)} intervals about {round(len(gaps) / 40)} would lie below 0 by chance"
    return (
        f"{first} The {len(gaps)} other approaches (each learner's counted by itself) against that:"
        f" {rest}; {luck}."
    )


def _told(kind: str, rows: list[dict], reference: str) -> str:
    """What the intervals show, in words."""
    others = [row for row in rows if row["name"] != reference]
    cheaper = [row["name"] for row in others if row["gap"][2] < 0]
    dearer = [row["name"] for row in others if row["gap"][1] > 0]
    open_ = [row["name"] for row in others if row["name"] not in (*cheaper, *dearer)]
    least = min(rows, key=lambda row: row["gap"][0])
    first = (
        f"**{kind.capitalize()}.** Significantly cheaper than the reference: {_names(cheaper)}."
        f" Significantly more expensive: {_names(dearer)}."
    )
    return (
        f"{first} Not distinguished from it: {_names(open_)}. The least mean cost: {least['name']}"
        f" ({least['gap'][0]:+.3f})."
    )


def _names(names: list[str]) -> str:
    return "; ".join(names) if names else "none"


def _set_by_set(found: list[Judged], reference: str) -> str:
    lines = ["| set | learner | reference | least cost | of |", "|---|---|---|---|---|"]
    for (data, kind), ones in groupby(found, key=lambda one: (one.data, one.learner)):
        means = {one.approach: float(np.mean(one.costs)) for one in ones}
        best = min(means, key=means.__getitem__)
        lines.append(f"| {data} | {kind} | {means[reference]:.3f} | {means[best]:.3f} | {best} |")
    return "\n".join(lines)
