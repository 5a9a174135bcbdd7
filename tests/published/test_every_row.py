"""Every row of the inventory of the five sources that states a definition, a formula or a worked
number has a test that names it.

Rows are named L, W, T, S, C after Landgrebe, Weng & Poon, Tan et al., the slides, and Cárdenas &
Baras; B are their errata. A test names its rows in its name (`test_L20_…`) or its docstring.
"""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
ROW = re.compile(r"(?<![A-Za-z0-9])(?:[LWTSC]\d+|B\d+[a-z]?)(?![A-Za-z0-9])")


def rows(letter, *ranges):
    return {f"{letter}{number}" for first, last in ranges for number in range(first, last + 1)}


INVENTORY = (
    rows("L", (1, 38))
    | rows("W", (1, 39))
    | rows("T", (0, 39))
    | rows("S", (1, 21))
    | rows("C", (1, 25))
)
REQUIRED = (
    rows("L", (1, 34))
    | rows("W", (1, 29), (35, 39))
    | rows("T", (1, 39))
    | rows("S", (1, 21))
    | rows("C", (1, 25))
)
ERRATA = rows("B", (1, 19)) | {"B5b", "B7b", "B9b", "B10b", "B10c", "B12b", "B12c"}
# What cannot be tested before something else exists, and the issue that brings it.
LATER: dict[str, str] = {}
ERRATA_LATER: dict[str, str] = {}


def named():
    """Every row in the name or the docstring of a test in this folder, or of a learner."""
    found = set()
    for path in sorted((*HERE.glob("test_*.py"), *(HERE.parent / "learners").glob("test_*.py"))):
        if path == Path(__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found |= set(
                    ROW.findall(f"{node.name.replace('_', ' ')} {ast.get_docstring(node) or ''}")
                )
    return found


def test_every_row_has_a_test_or_a_reason_and_an_issue():
    assert REQUIRED - named() - set(LATER) == set()
    assert all(re.search(r"issue \d+, \w+", reason) for reason in LATER.values())


def test_a_row_that_has_got_a_test_is_no_longer_left_for_later():
    assert set(LATER) & named() == set()
    assert set(LATER) <= REQUIRED


def test_every_erratum_has_a_test_or_a_reason_and_an_issue():
    assert ERRATA - named() - set(ERRATA_LATER) == set()
    assert set(ERRATA_LATER) & named() == set()
    assert set(ERRATA_LATER) <= ERRATA


def test_no_test_names_a_row_that_does_not_exist():
    assert named() - INVENTORY - ERRATA == set()
