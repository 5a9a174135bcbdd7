"""Which columns are counted together is what the table in docs/guides/slices.md says."""

from itertools import combinations
from pathlib import Path

import pytest

import baserate as br

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "slices.md"
HEADING = "## Which columns are counted together"
LABELS, SCORES = [0, 1] * 20, [i / 40 for i in range(40)]
ROLES = {
    "several scores": {},
    "by": {"by": ["a", "b"] * 20},
    "cluster": {"cluster": [i // 4 for i in range(40)]},
    "day": {"day": ["2026-01-01"] * 20 + ["2026-01-02"] * 20},
    "amount": {"amount": SCORES},
    "weight": {"sample_weight": [1 + i % 2 for i in range(40)]},
}
PAIRS = list(combinations(ROLES, 2))


def cells_of_guide():
    """What the guide says of each pair of roles: a row for the second, a column for the first."""
    section = GUIDE.read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("|")
    ]
    first, _, *others = rows
    return {
        (column, row[0]): cell
        for row in others
        for column, cell in zip(first[1:], row[1:], strict=True)
    }


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_columns_are_counted_together_or_refused_as_the_guide_says(one, other):
    said = cells_of_guide()[one, other]
    scores = {"a": SCORES, "b": SCORES[::-1]} if one == "several scores" else SCORES
    if said == "refused":
        with pytest.raises(br.InputError, match=r"BR424|BR002"):
            br.count(LABELS, scores, **ROLES[one], **ROLES[other])
        return
    counted = br.count(LABELS, scores, **ROLES[one], **ROLES[other])
    kind, _, each = said.partition("` of each ")
    if each:
        assert all(type(part).__name__ == kind for part in counted.values())
        assert list(counted) == ["a", "b"]  # the groups, or the models
    else:
        assert type(counted).__name__ == kind
