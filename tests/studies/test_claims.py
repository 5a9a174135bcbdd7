"""A verdict follows from the values of a claim, and from nothing else."""

import ast
import math
from pathlib import Path

import pytest
from tests.studies.records import recorded
from tests.studies.rehearsals import rehearsed

import baserate as br
from baserate_studies import Claim, study
from baserate_studies.claims import VERDICTS
from baserate_studies.wording import row, shown


def claim(published, ours, tolerance=0.1, reason="as printed", **more):
    return Claim("one", ("L1",), published, ours, tolerance, reason, **more)


@pytest.mark.parametrize(
    ("made", "verdict"),
    [
        (claim(1.0, 1.1), "reproduced"),
        (claim(1.0, 1.1000001), "differs"),
        (claim(1, 2, 1), "reproduced"),
        (claim(1.0, 2.0, errata=("B1",)), "erratum"),
        (claim(1.0, 1.05, errata=("B1",)), "reproduced"),
        (claim((1.0, 2.0), (1.0, 2.05)), "reproduced"),
        (claim((1.0, 2.0), (1.0, 2.2)), "differs"),
        (claim((1.0, 2.0), (1.0,)), "differs"),
        (claim("LDC", "LDC", None, ""), "sentence_holds"),
        (claim("LDC", "QDC", None, ""), "differs"),
        (claim("over 10 %", "11 % to 12 %", None, "", holds=True), "sentence_holds"),
        (claim(1.0, 1.0, 0.0, own_numbers=True), "formula_holds"),
        (claim(1.0, 1.2, 0.1, own_numbers=True), "differs"),
        (claim(0.84, 0.836, 0.02, half_unit=0.005), "reproduced"),
        (claim(0.84, 0.829, 0.02, half_unit=0.005), "close"),
        (claim(0.84, 0.819, 0.02, half_unit=0.005), "differs"),
        (claim("over 10 %", "8 % to 12 %", None, "", holds=False), "differs"),
        (claim("inversely", "only at one tpr", None, "", holds=False, errata=("B12",)), "erratum"),
        (claim(1.0, None, None, "its data were not published"), "not_reproducible"),
        (claim(None, None, None, "a remark"), "not_a_claim"),
        (claim(None, 3.0, None, "nothing is printed"), "not_a_claim"),
    ],
)
def test_the_verdict_is_computed_from_what_is_published_and_what_is_ours(made, verdict):
    assert made.verdict == verdict
    assert verdict in VERDICTS


def test_a_claim_that_cannot_be_judged_is_refused():
    with pytest.raises(br.InputError, match="BR920.*not finite"):
        claim(1.0, math.nan)
    with pytest.raises(br.InputError, match="BR920.*compares numbers"):
        claim(1.0, 1.0, None)
    with pytest.raises(br.InputError, match="BR920.*compares numbers"):
        claim(1.0, 1.0, 0.1, "")
    with pytest.raises(br.InputError, match="BR920.*compares nothing"):
        claim(None, None, None, "")


def test_a_row_shows_units_several_numbers_and_what_is_missing():
    assert row(claim(46.08, None, None, "no data", unit="%")) == [
        "one",
        "L1",
        "46.08 %",
        "—",
        "—",
        "not reproducible",
    ]
    assert row(claim((0.5, 0.75), (0.5, 0.75), 0.0, errata=("B7",))) == [
        "one",
        "L1, B7",
        "0.5, 0.75",
        "0.5, 0.75",
        "± 0",
        "reproduced",
    ]
    assert shown("words") == "words"


def test_there_is_no_such_study():
    with pytest.raises(br.InputError, match='BR921: there is no study "landgreb". Fix: landgrebe'):
        study("landgreb")


ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("study", "name"),
    [
        *(("landgrebe", name) for name in ("folds", "cases", "modes", "bayes-error")),
        *(("weng", name) for name in ("procedure", "fig5", "class-ratio-above-1")),
    ],
)
def test_what_could_not_come_out_otherwise_is_no_claim_and_says_why(study, name):
    """L30, L35, W31, W34, W37: conditions taken over, a curve that is solved to agree, and what the
    paper does not say.
    """
    for claim in (
        rehearsed(study)[name].__dict__ | {"verdict": rehearsed(study)[name].verdict},
        recorded(study)[name],
    ):
        assert claim["verdict"] == "not_a_claim"
        assert claim["ours"] is not None
        assert claim["reason"]


def test_no_verdict_is_written_by_hand():
    """`holds` is computed: nowhere in the studies is it the word True or False."""
    paths = list((ROOT / "src" / "baserate_studies").rglob("*.py"))
    assert paths
    for path in paths:
        literal = [
            word.value.lineno
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
            for word in node.keywords
            if word.arg == "holds" and isinstance(word.value, ast.Constant)
        ]
        assert literal == [], path.name
