"""Every row of the inventory of the sources (163 of them) has a claim in the study of its
source.

Rows are named L, W, T, S, C after Landgrebe, Weng & Poon, Tan et al., the slides, and Cárdenas &
Baras; B are their errata.
"""

import pytest
from tests.studies.rehearsals import rehearsed

from baserate_studies.catalogue import STUDIES


def rows(letter, *ranges):
    return {f"{letter}{number}" for first, last in ranges for number in range(first, last + 1)}


INVENTORY = (
    rows("L", (1, 38))
    | rows("W", (1, 39))
    | rows("T", (0, 39))
    | rows("S", (1, 21))
    | rows("C", (1, 25))
)
ERRATA = rows("B", (1, 19)) | {"B5b", "B7b", "B9b", "B10b", "B10c", "B12b", "B12c"}
LETTERS = {"landgrebe": "L", "weng": "W", "tan": "T", "slides": "S", "cardenas": "C"}


def test_there_are_163_rows_and_a_study_for_each_source():
    assert len(INVENTORY) == 163
    assert set(LETTERS) == set(STUDIES)
    assert {row[0] for row in INVENTORY} == set(LETTERS.values())


@pytest.mark.parametrize("name", STUDIES)
def test_every_row_of_the_source_has_a_claim(name):
    """A row without one fails here; rows of other sources may be claimed too."""
    claimed = {row for claim in rehearsed(name).claims for row in claim.inventory}
    assert {row for row in INVENTORY if row[0] == LETTERS[name]} - claimed == set()
    assert claimed <= INVENTORY


@pytest.mark.parametrize("name", STUDIES)
def test_ids_are_told_apart_and_errata_are_known(name):
    claims = rehearsed(name).claims
    assert len({claim.id for claim in claims}) == len(claims)
    assert {row for claim in claims for row in claim.errata} <= ERRATA
