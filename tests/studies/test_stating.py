"""How claims are made: a printed number is held to its last digit, a formula to its last bit, and a
sentence to what was found.
"""

import math
from fractions import Fraction

import pytest

from baserate_studies.stating import formula, printed, stated, unavailable, unclaimed


@pytest.mark.parametrize(
    ("published", "ours", "verdict"),
    [
        ("0.62", 0.6154, "reproduced"),
        ("0.62", 2 / 3, "differs"),
        ("0.18", 0.1849, "reproduced"),
        ("0.18", 0.1851, "differs"),
        ("3910", 3910, "reproduced"),
        ("3910", 3910.5, "differs"),
        ("3 2.236 1.667", (3, math.sqrt(5), 5 / 3), "reproduced"),
        (
            "3 2.236 1.667",
            (3.0004, math.sqrt(5), 5 / 3),
            "differs",
        ),  # 3 is a whole number, whatever stands beside it
        ("1 2", (1,), "differs"),
    ],
)
def test_each_printed_number_is_held_to_its_own_last_digit(published, ours, verdict):
    assert printed("x", "T1", published, ours).verdict == verdict


def test_a_printed_claim_shows_the_coarsest_of_its_digits_and_says_so():
    claim = printed("x", "T1 T2", "1 0.5 0.25", (1, 0.5, 0.25))
    assert (claim.inventory, claim.tolerance) == (("T1", "T2"), 0.05)
    assert claim.reason == "half a unit of the last printed digit of each number"
    assert printed("x", "T1", "5 5", (5, 5)).reason == "exact"


def test_a_formula_is_held_to_the_last_bit_and_along_a_curve_to_a_few():
    third = Fraction(1, 3)
    assert formula("x", "T1", third, 1 / 3).verdict == "formula_holds"
    assert formula("x", "T1", third, 1 / 3, in_print=True).verdict == "reproduced"
    assert formula("x", "T1", third, math.nextafter(1 / 3, 1)).verdict == "differs"
    assert (
        formula("x", "T1", third, math.nextafter(1 / 3, 1), nearly=True).verdict == "formula_holds"
    )
    assert formula("x", "T1", third, 1 / 3 + 1e-15, nearly=True).verdict == "differs"
    # A small number among large ones is not let off because of them.
    assert (
        formula("x", "T1", (1, Fraction(1, 10**9)), (1, 1e-9 + 1e-20), nearly=True).verdict
        == "differs"
    )


def test_what_disagrees_is_an_erratum_only_where_one_is_named():
    assert stated("x", "T1", "more", "less", holds=False).verdict == "differs"
    assert stated("x", "T1", "more", "less", holds=False, errata="B1").verdict == "erratum"
    assert formula("x", "T1", 1, 2, errata="B1").errata == ("B1",)
    assert printed("x", "T1", "1", 2, errata="B1 B2").errata == ("B1", "B2")


def test_what_cannot_be_compared_says_why():
    assert (unclaimed("x", "T0", "a remark").verdict, unclaimed("x", "T0", "a remark").reason) == (
        "not_a_claim",
        "a remark",
    )
    assert unavailable("x", "T18", 0.36, "no data").verdict == "not_reproducible"
