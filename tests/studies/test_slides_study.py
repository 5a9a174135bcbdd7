"""The slides, matrix by matrix: S1 to S21."""

from fractions import Fraction

from tests.studies.rehearsals import rehearsed

from baserate_studies.slides import curves, matrices
from baserate_studies.slides.matrices import MATRICES
from baserate_studies.tan.curves import COLUMNS

ERRATA = {
    "10-0-10-980-f1": "B13",
    "tree-alpha": "B14",
    "table-column-6": "B5",
    "table-column-7": "B5",
}
UNCLAIMED = {"40-10-1000-4000-numbers", "tree-alpha-0.3-rates", "tree-alpha-0.7-rates"}


def test_every_matrix_is_reproduced_but_for_the_errata_of_the_slides():
    claims = [*matrices.claims(), *curves.claims()]
    assert {claim.id: claim.errata[0] for claim in claims if claim.verdict == "erratum"} == ERRATA
    assert {claim.id for claim in claims if claim.verdict == "not_a_claim"} == UNCLAIMED
    assert {claim.id for claim in claims if claim.verdict == "not_reproducible"} == {
        "m1-and-m2-curves"
    }
    assert not [claim.id for claim in claims if claim.verdict == "differs"]


def test_S6_to_S13_each_number_beside_a_matrix_is_a_claim_with_the_value_of_its_cells():
    """S6, S7, S8, S11, S12, S13: from the cells, in fractions."""
    found = {claim.id: claim.ours for claim in matrices.claims()}
    for shown in MATRICES:
        a, b, c, d = shown.cells
        exact = {
            "precision": Fraction(a, a + c),
            "tpr": Fraction(a, a + b),
            "fpr": Fraction(c, c + d),
            "f1": Fraction(2 * a, 2 * a + b + c),
            "accuracy": Fraction(a + d, a + b + c + d),
        }
        for measure in shown.values:
            assert found[f"{shown.name}-{measure}"] == float(exact[measure])


def test_S9_what_the_slide_leaves_blank_is_told_all_the_same():
    """S9: 40, 10, 1000, 4000."""
    study = rehearsed("slides")
    assert study["40-10-1000-4000-numbers"].ours == (40 / 1040, 0.8, 80 / 1090, 0.8, 0.2)


def test_S21_the_slide_and_the_book_differ_in_one_number():
    """S21, T21: the TPR of the second last column; the slide has it right."""
    slides, book = rehearsed("slides"), rehearsed("tan")
    unlike = [
        number
        for number in range(1, len(COLUMNS) + 1)
        if slides[f"table-column-{number}"].published != book[f"fig-5.42-column-{number}"].published
    ]
    assert unlike == [10]


def test_the_four_pictures_are_drawn():
    names = [figure.name for figure in rehearsed("slides").figures]
    assert names == ["one-dimension", "tree", "comparison", "ten-instances"]
