"""Every row of the inventory of the sources (163 of them) has a claim in the study of its
source.
"""

import pytest
from tests.published.test_every_row import ERRATA, INVENTORY
from tests.studies.rehearsals import rehearsed

from baserate_studies.catalogue import STUDIES

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
