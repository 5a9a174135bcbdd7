"""The page of studies says what its records say, and these are of the studies as they are."""

import json
import re
import runpy
from pathlib import Path

import pytest
from tests.cli.helpers import VALID
from tests.studies.records import CELL
from tests.studies.records import recorded as recorded_claims
from tests.studies.rehearsals import rehearsed

from baserate.views.document import answer
from baserate_studies.catalogue import STUDIES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "evidence"


def recorded(name):
    return json.loads((DOCS / "studies" / f"{name}.json").read_text())


def test_the_page_is_what_its_script_writes():
    page = runpy.run_path(str(ROOT / "tools" / "docs" / "studies.py"))["page"]()
    assert (DOCS / "studies.md").read_text() == page, "run: make docs"


@pytest.mark.parametrize("name", STUDIES)
def test_the_record_has_every_claim_and_figure_of_the_study(name):
    record, made = recorded(name), rehearsed(name)
    assert [claim["id"] for claim in record["claims"]] == [claim.id for claim in made.claims]
    # What is drawn from data sets that are not part of the package is in the record alone.
    assert [figure["name"] for figure in record["figures"]][: len(made.figures)] == [
        figure.name for figure in made.figures
    ]
    for figure in record["figures"]:
        assert (DOCS / "studies" / f"{name}-{figure['name']}.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("name", STUDIES)
def test_the_record_is_a_valid_answer_and_its_verdicts_are_counted(name):
    record = recorded(name)
    VALID.validate(answer("study", (), (), 0, models=[], studies=[record]))
    for verdict, count in record["tally"].items():
        assert sum(claim["verdict"] == verdict for claim in record["claims"]) == count


def test_L36_31_of_36_cells_with_published_parameters_come_within_two_of_the_papers_error():
    cells = [
        claim
        for claim in recorded("landgrebe")["claims"]
        if claim["id"].startswith("table2-") and claim["id"][-1].isdigit()
    ]
    known = [claim for claim in cells if "multimodal" not in claim["id"]]
    assert (len(cells), len(known)) == (48, 36)
    assert sum(claim["verdict"] == "reproduced" for claim in known) >= 31


def test_W32_naive_bayes_of_our_own_comes_within_two_hundredths_in_20_of_20_rows():
    claims = [
        claim
        for claim in recorded("weng")["claims"]
        if claim["id"].startswith("table3-standins") and claim["id"].endswith("-nb")
    ]
    assert len(claims) == 40
    assert {claim["verdict"] for claim in claims} == {
        "reproduced",
        "close",
    }  # close: within .02, but not to the last printed digit
    assert {claim["tolerance"] for claim in claims} == {0.02}


def test_the_page_counts_the_cells_of_published_and_of_fitted_data_apart():
    cells = [claim for name, claim in recorded_claims("landgrebe").items() if CELL.fullmatch(name)]
    agree = [
        [claim["verdict"] == "reproduced" for claim in cells if claim["fitted"] == fitted]
        for fitted in (False, True)
    ]
    assert [len(part) for part in agree] == [36, 12]
    page = (DOCS / "studies.md").read_text()
    assert f"{sum(agree[0])} of the 36 cells whose data were published agree." in page
    assert re.search(
        rf"The 12 cells of Multimodal, .* are counted apart: {sum(agree[1])} agree", page, re.DOTALL
    )
