"""Which answers of two packages differ, and which differences are accepted.

Answers are numbers and texts by name. Closed forms must agree to 1e-12. Ends of resampled
intervals and resampled p-values, which carry a number of replicates, may differ by three Monte
Carlo standard errors.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

Answers = dict[str, Any]

CLOSE = 1e-12
# Below this a difference of two numbers of about 1 is rounding.
NEGLIGIBLE = 1e-14
# An end of a 95 % interval from B replicates has a standard error of about 0.7 half widths times
# 2 / sqrt(B); two independent ends, three standard errors.
END_ERRORS = 1.4 * math.sqrt(2) * 3
P_ERRORS = math.sqrt(2) * 3
RESAMPLED = re.compile(
    r"(?P<base>.*?)\.?(?P<part>low|high|value|p_value|p_adjusted)(?P<place>\[\d+\])?"
)

NUMBER, RESAMPLES, TEXT, NOTES = "number", "resampled number", "text", "notes"
MISSING, ADDED = "only in the reference", "only in the current package"
CODE, WORDS = "another code", "another text of a refusal"
REFUSED, ANSWERED, ERROR = "refused now", "answered now", "error"
EQUAL_VALUE = "another point of equal value"
ONE_ANSWER = "a point that flags nothing or everything, and regrets no more"

# An answer's name, the category of its difference, and the answer of both sides.
Found = tuple[str, str, Any, Any]


@dataclass(frozen=True)
class Difference:
    """One answer that is not the same on both sides."""

    request: dict[str, Any]
    answer: str
    category: str
    reference: Any
    current: Any

    @property
    def replay(self) -> str:
        """What `--replay` takes to ask the request again."""
        return f"{self.request['kind']}/{self.request['seed']}"


def compare_answers(
    request: dict[str, Any], reference: Answers, current: Answers
) -> list[Difference]:
    """Return every answer to a request that differs."""
    found = compare_failures(reference, current)
    if found is None:
        found = mark_equal_points(list(compare_values(reference, current)), reference, current)
    return [Difference(request, *one) for one in found]


def compare_failures(reference: Answers, current: Answers) -> list[Found] | None:
    """Compare refusals and errors; None where both sides answered."""
    ends = [end_of(reference), end_of(current)]
    if ends == ["answered", "answered"]:
        return None
    texts = (text_of(reference), text_of(current))
    same_kind = ends[0] == ends[1] and reference[ends[0]] == current[ends[1]]
    if same_kind and (ends[0] == "error" or texts[0] == texts[1]):
        return []
    if ends == ["refusal", "refusal"]:
        return [("refusal", WORDS if same_kind else CODE, *texts)]
    if "error" in ends:
        return [("error", ERROR, *texts)]
    return [("refusal", REFUSED if ends[1] == "refusal" else ANSWERED, *texts)]


def end_of(answers: Answers) -> str:
    """Return how a request ended: "answered", with a "refusal", or with an "error"."""
    if "error text" in answers:
        return "error"
    return "refusal" if "refusal text" in answers else "answered"


def text_of(answers: Answers) -> str:
    """Return the text of a refusal or an error, or that there is none."""
    return str(answers.get("refusal text", answers.get("error text", "answered")))


def compare_values(reference: Answers, current: Answers) -> Iterator[Found]:
    """Yield every number and text that differs, or that one side lacks."""
    for name, expected in reference.items():
        if name not in current:
            yield name, MISSING, expected, None
        elif not is_equal(expected, current[name]):
            category = category_of(name, expected, current[name], reference)
            if category is not None:
                yield name, category, expected, current[name]
    for name in current.keys() - reference.keys():
        yield name, ADDED, None, current[name]


def mark_equal_points(found: list[Found], reference: Answers, current: Answers) -> list[Found]:
    """Return the differences, with a category of their own for those of points that differ in
    their threshold and are equally good by what was made best.
    """
    prefixes = [name.removesuffix("threshold") for name, *_ in found if name.endswith(".threshold")]
    equal = tuple(
        prefix
        for prefix in prefixes
        if all(
            f"{prefix}{part}" in reference
            and is_equal(reference[f"{prefix}{part}"], current.get(f"{prefix}{part}"))
            for part in ("objective", "objective_value")
        )
    )
    if has_equal_winners(reference, current):
        equal += ("choice.models", "choice.differences", "choice.lead_over", "choice.indis")
    extreme = tuple(prefix for prefix in prefixes if regrets_no_more(prefix, reference, current))
    if extreme:
        extreme += ("choice.differences", "choice.lead_over", "choice.indis", "choice.notes")
        extreme += tuple(prefix.replace(".points.", ".regrets.") for prefix in extreme)
    return [
        (
            name,
            EQUAL_VALUE
            if name.startswith(equal)
            else ONE_ANSWER
            if name.startswith(extreme)
            else category,
            *both,
        )
        for name, category, *both in found
    ]


def regrets_no_more(prefix: str, reference: Answers, current: Answers) -> bool:
    """Does the current point flag nothing or everything, with no more regret than that of the
    reference, which flags some of the cases?
    """
    outcomes = [current.get(f"{prefix}{name}") for name in ("tp", "fp", "fn", "tn")]
    regrets = [answers.get(f"{prefix}regret.value") for answers in (reference, current)]
    if not all(is_number(value) for value in (*outcomes, *regrets)):
        return False
    return (not any(outcomes[:2]) or not any(outcomes[2:])) and regrets[1] <= regrets[0]


def has_equal_winners(reference: Answers, current: Answers) -> bool:
    """Are the best models of both sides, where they are not the same, equally good?"""
    winners = [
        {value for name, value in answers.items() if name.startswith("choice.models.") and value}
        - {answers.get("choice.models.length")}
        for answers in (reference, current)
    ]
    values = [
        answers.get(f"choice.points.{model}.objective_value")
        for model in winners[0] | winners[1]
        for answers in (reference, current)
    ]
    return winners[0] != winners[1] and all(is_equal(values[0], value) for value in values)


def is_number(value: Any) -> bool:
    """Is the answer a number?"""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_equal(expected: Any, found: Any) -> bool:
    """Are two answers equal, but for the rounding of floats?"""
    if is_number(expected) and is_number(found):
        largest = max(abs(expected), abs(found))
        return abs(expected - found) <= max(CLOSE * largest, NEGLIGIBLE)
    return bool(expected == found) and isinstance(expected, bool) == isinstance(found, bool)


def category_of(name: str, expected: Any, found: Any, reference: Answers) -> str | None:
    """Return what kind of difference this is; None for one that resampling explains."""
    if name.rsplit(".", 1)[-1] == "notes":
        return NOTES
    if not (is_number(expected) and is_number(found)):
        return TEXT
    allowed = monte_carlo_error(name, expected, reference)
    if allowed is None:
        return NUMBER
    return RESAMPLES if abs(expected - found) > allowed else None


def monte_carlo_error(name: str, expected: float, reference: Answers) -> float | None:
    """Return by how much a resampled number may differ; None for a closed form."""
    matched = RESAMPLED.fullmatch(name)
    if matched is None:
        return None
    base, part, place = matched["base"], matched["part"], matched["place"] or ""
    dot = "." if base else ""
    replicates = reference.get(f"{base}{dot}replicates")
    if not replicates:
        return None
    if part.startswith("p_"):
        p = min(max(expected, 1 / replicates), 0.5)
        return P_ERRORS * math.sqrt(p * (1 - p) / replicates)
    ends = [reference.get(f"{base}{dot}{end}{place}") for end in ("low", "high")]
    known = [end for end in ends if is_number(end)]
    centre = reference.get(f"{base}{dot}value", reference.get(f"{base}{dot}y{place}"))
    centres = [centre] if is_number(centre) else []
    half = max((abs(one - other) for one in known for other in known + centres), default=0.0)
    half = half / 2 if len(known) == 2 else half
    return END_ERRORS * half / math.sqrt(replicates)


# ----------------------------------------------------------------------
# Accepted differences.


@dataclass
class Accepted:
    """Differences that are meant: an entry of tools/differences.toml.

    Each field but `reason` and `issue` is a pattern with * and ?; `where` has patterns of parts of
    the request by their path ("arguments.mix"), of which `absent` stands for one that is not there.
    """

    reason: str
    issue: str
    kind: str = "*"
    answer: str = "*"
    category: str = "*"
    reference: str = "*"
    current: str = "*"
    where: dict[str, str] = field(default_factory=dict)
    matched: int = 0

    def covers(self, difference: Difference) -> bool:
        """Is this one of the differences that the entry accepts?"""
        return (
            fnmatchcase(difference.request["kind"], self.kind)
            and fnmatchcase(difference.answer, self.answer)
            and fnmatchcase(difference.category, self.category)
            and fnmatchcase(str(difference.reference), self.reference)
            and fnmatchcase(str(difference.current), self.current)
            and all(
                fnmatchcase(part_of(difference.request, path), pattern)
                for path, pattern in self.where.items()
            )
        )


def part_of(request: dict[str, Any], path: str) -> str:
    """Return a part of a request as text: "arguments.costs.fn"."""
    part: Any = request
    for key in path.split("."):
        if not isinstance(part, dict) or key not in part:
            return "absent"
        part = part[key]
    return str(part)


def read_accepted(path: Path) -> list[Accepted]:
    """Return the entries of a file such as tools/differences.toml."""
    entries = tomllib.loads(path.read_text("utf-8")).get("difference", [])
    return [Accepted(**entry) for entry in entries]


def split_accepted(
    differences: list[Difference], accepted: list[Accepted]
) -> tuple[list[Difference], int]:
    """Return the differences that no entry covers, and how many are covered."""
    left = []
    for difference in differences:
        entry = next((entry for entry in accepted if entry.covers(difference)), None)
        if entry is None:
            left.append(difference)
        else:
            entry.matched += 1
    return left, len(differences) - len(left)
