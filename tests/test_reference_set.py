"""baserate's answers to the reference set, scored by its own checker, and the set against its
generator.
"""

import importlib
import json
import runpy
import sys
from fractions import Fraction
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "reference"
# Sets in which a number that is given is rounded before it is used: a prior that is no float64
# (docs/develop/decisions/0010-priors-as-written.md), and sums of weights that no float64 holds.
ROUNDED = ("prior-1-in-1000", "weights-cancel", "weights-decimal")
NEAR_ONE = "prior-all-but-1-in-a-million"  # of 1 − prior ten digits are left


@pytest.fixture(scope="module")
def tools():
    """The scripts of the set, which import one another by plain names."""
    folders = [str(FOLDER), str(FOLDER / "adapters")]
    sys.path[:0] = folders
    yield {name: importlib.import_module(name) for name in ("make", "check", "baserate_answers")}
    for folder in folders:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def results(tools, tmp_path_factory):
    path = tmp_path_factory.mktemp("reference") / "answers.json"
    tools["baserate_answers"].main(path)
    return tools["check"].scored(json.loads(path.read_text())["answers"])


def numbers(value):
    if isinstance(value, list):
        for one in value:
            yield from numbers(one)
    elif value is not None:
        yield value


def close(result, relative):
    """Whether every number is within this relative error, or within that of floats next to 1."""
    if result["why"]:
        return False
    pairs = zip(numbers(result["truth"]), numbers(result["given"]), strict=True)
    return all(
        truth == given
        or abs(Fraction(given) - Fraction(truth))
        <= Fraction(relative) * abs(Fraction(truth)) + Fraction(1e-15)
        for truth, given in pairs
    )


def right(result):
    """Single measures are rounded once; curves, summaries and intervals are sums of floats."""
    if result["set"] == NEAR_ONE and "/field/" in result["path"]:
        return close(result, 1e-10)
    if not result["path"].startswith("measures/"):
        return close(result, 1e-13)
    if result["set"] in ROUNDED:
        return close(result, 1e-14)
    irrational = "." in (result["truth"] or "")
    return result["digits"] >= (15 if irrational else 16)


def test_every_answer_is_right(results):
    assert [(one["set"], one["path"]) for one in results if not right(one)] == []


@pytest.mark.parametrize(("question", "digits"), [("h_measure", 14), ("gini", 14)])
def test_summaries_keep_their_digits_also_where_they_are_close_to_0(results, question, digits):
    found = [one for one in results if one["question"].startswith(f"summaries/{question}")]
    rounded = (*ROUNDED, NEAR_ONE)
    assert min(one["digits"] for one in found if one["set"] not in rounded) >= digits


def test_the_checker_notices_a_wrong_digit_and_an_invented_number(tools):
    compared = tools["check"].compared
    assert compared("2/3", 2 / 3) == (16.0, "")
    assert compared("2/3", 0.6666666)[0] == pytest.approx(7, abs=0.01)
    assert compared(None, 0.0) == (0.0, "number for undefined")
    assert compared("0", None) == (0.0, "undefined for a number")
    assert compared([["0", "1/2"]], [[0.0, 0.5], [1.0, 1.0]]) == (0.0, "other length")
    assert compared([["0", "1/2"], ["1", None]], [[0.0, 0.5], [1.0, None]]) == (16.0, "")


@pytest.mark.parametrize(
    "name",
    [
        "fawcett-2006",
        "hanley-mcneil-1982",
        "weights-mixed",
        "scores-int64",
        "only-0",
        "prior-tiny",
        "calibrated-certain",
    ],
)
def test_the_generator_writes_the_files_again_byte_for_byte(tools, name):
    (data,) = [one for one in tools["make"].collected() if one.name == name]
    for path, content in tools["make"].files(data).items():
        assert (FOLDER / path).read_text() == content


def test_the_data_sets_are_those_of_the_generator(tools):
    sets = tools["make"].collected()
    assert tools["make"].index(sets) == (FOLDER / "index.json").read_text()
    for folder, ending in (("data", "csv"), ("answers", "json")):
        assert {path.name for path in (FOLDER / folder).iterdir()} == {
            f"{one.name}.{ending}" for one in sets
        }
    for data in sets:
        written = (FOLDER / "data" / f"{data.name}.csv").read_text().splitlines()
        assert written == [",".join(row) for row in (data.heading, *data.rows)]


def test_the_page_is_what_its_script_writes(results, tools):
    page = runpy.run_path(str(FOLDER.parent / "tools" / "docs" / "reference_set.py"))["page"]()
    assert (FOLDER.parent / "docs" / "evidence" / "reference-set.md").read_text() == page, (
        "run: make docs"
    )
    recorded = json.loads((FOLDER / "results" / "baserate.json").read_text())["questions"]
    for name, row in tools["check"].summary(results).items():
        assert (name, recorded[name]["answers"]) == (name, row["answers"])
        assert recorded[name]["least digits"] == pytest.approx(row["least digits"], abs=1)


def test_the_set_does_not_know_baserate():
    for name in ("make", "datasets", "definitions", "check"):
        assert "import baserate" not in (FOLDER / f"{name}.py").read_text()


def test_every_question_of_the_set_is_answered(tools, results):
    index = json.loads((FOLDER / "index.json").read_text())
    assert index["sets"] >= 100
    assert len(results) == index["answers"]
    assert {one["question"] for one in results} >= {
        f"{kind}/{name}"
        for kind, names in (
            ("measures", tools["make"].MEASURES),
            ("summaries", tools["make"].SUMMARIES),
            ("curves", tools["make"].CURVES),
        )
        for name in names
    }
