"""`gate` of a requirement: what is demonstrated passes, what is met in this sample passes where
that is accepted, what is not met never does.
"""

from pathlib import Path

import pytest
from scipy.special import betaincinv
from tests.cli.helpers import answered, told, written
from tests.cli.helpers_gate import COMPARED, REQUIRED, USUAL, cases, graded, plain


@pytest.fixture
def file(tmp_path):
    return tmp_path / "scores.csv"


def test_scenario_5_in_one_command(file, capsys):
    done = told(capsys, "gate", graded(file, USUAL), "recall >= 0.9", *REQUIRED)
    assert done.status == 1
    verdict, why, _, headings, row, _, source = done.out.splitlines()
    assert verdict == "Failed."
    assert (
        why
        == "m: tpr >= 0.9 is met in this sample (0.9500) but not demonstrated: the lower bound is"
        " 0.8977. 142 positives at the same rate would demonstrate it."
    )
    assert headings.split("  ")[0] == "model"
    assert headings.endswith("in this sample  95 % bound                verdict")
    assert row.split() == [
        "m",
        "tpr",
        ">=",
        "0.9",
        "0.9500",
        ">=",
        "0.8977",
        "met,",
        "not",
        "demonstrated",
    ]
    assert source == f'{file}: 1,000 rows read, 1,000 used; positive = "1" in "y"'
    shown = told(
        capsys, "gate", graded(file, {"x": (190, 10, 10, 890)}), "recall >= 0.9", *REQUIRED
    )
    assert shown.status == 0
    assert shown.out.startswith("Passed: every requirement is demonstrated.\n")
    assert ">= 0.9167" in shown.out


def test_what_is_observed_passes_only_where_that_is_accepted(file, capsys):
    path = graded(file, USUAL)
    assert told(capsys, "gate", path, "recall >= 0.9", *REQUIRED).status == 1
    accepted = told(capsys, "gate", path, "recall >= 0.9", *REQUIRED, "--accept-observed")
    assert accepted.status == 0
    assert accepted.out.startswith("Passed.\nm: tpr >= 0.9 is met in this sample (0.9500) but not")
    missed = told(capsys, "gate", path, "recall >= 0.96", *REQUIRED, "--accept-observed")
    assert missed.status == 1
    assert "m: tpr >= 0.96 is not met: 0.9500 in this sample.\n" in missed.out


def test_json_of_a_requirement_says_what_python_says(file, capsys):
    path = graded(file, USUAL)
    document = answered(
        capsys, "gate", path, "recall >= 0.9 and auc >= 0.8", *REQUIRED, "--prior", "1%", status=1
    )
    auc, recall = document["result"]["verdict"]["checks"]
    assert recall == {
        "model": "m",
        "slice": "all cases",
        "whole": True,
        "requirement": "tpr >= 0.9",
        "outcome": "met, not demonstrated",
        "value": 0.95,
        "bound": recall["low"],
        "low": pytest.approx(0.897747, abs=1e-6),
        "high": 1.0,
        "level": 0.95,
        "method": "clopper-pearson",
        "side": "lower",
        "cases_needed": 142,
        "threshold": 1,
        "at": {
            "prior": 0.01,
            "as_in_sample": False,
            "costs": {"fp": 1, "fn": 1, "tp": 0, "tn": 0},
            "costs_given": False,
        },
    }
    assert (auc["requirement"], auc["outcome"], auc["cases_needed"]) == (
        "auc >= 0.8",
        "demonstrated",
        None,
    )
    assert (document["result"]["verdict"]["passed"], document["result"]["verdict"]["unjudged"]) == (
        False,
        [],
    )
    assert document["command"] == "gate"


def test_json_of_a_requirement_names_its_source_and_seed(file, capsys):
    path = graded(file, USUAL)
    document = answered(
        capsys, "gate", path, "precision >= 0.1", *REQUIRED, "--prior", "10%", "--seed", "3"
    )
    assert document["result"]["seed"] == 3
    assert [source["path"] for source in document["sources"]] == [Path(path).name]


@pytest.mark.parametrize(
    "requirement", ["auc >= 0.8", "AUC >= 0.8", "Auc >= 80%", " auc  >=  80 % "]
)
def test_auc_may_be_required_by_any_spelling_of_its_name(file, capsys, requirement):
    path = graded(file, USUAL)
    (check,) = answered(capsys, "gate", path, requirement, *REQUIRED[:-2])["result"]["verdict"][
        "checks"
    ]
    assert (check["requirement"], check["threshold"], check["at"]) == ("auc >= 0.8", None, None)
    assert check["value"] == pytest.approx((0.95 + 890 / 900) / 2)


def test_every_model_is_judged(file, capsys):
    rows = [(i % 2, i % 2, (i // 2) % 2) for i in range(400)]
    path = written(file, ["y", "good", "bad"], rows)
    done = told(
        capsys,
        "gate",
        path,
        "recall >= 0.9",
        "--label",
        "y",
        "--score",
        "good",
        "--score",
        "bad",
        "--threshold",
        "1",
    )
    assert done.status == 1
    assert "bad: tpr >= 0.9 is not met: 0.5000 in this sample.\n" in done.out
    assert "good:" not in done.out
    assert done.out.count("rows read") == 1, "one file, said once"


def test_a_requirement_at_another_base_rate_is_judged_there_and_says_what_that_assumes(
    file, capsys
):
    path = graded(file, USUAL)
    assert told(capsys, "gate", path, "precision >= 0.5", *REQUIRED).status == 0
    rare = told(capsys, "gate", path, "precision >= 0.5", *REQUIRED, "--prior", "1 in 1000")
    assert rare.status == 1
    assert "precision >= 0.5 is not met: 0.07884 in this sample." in rare.out
    assert "note BR526: computed for a base rate of 0.1%" in rare.err


def test_the_level_is_that_of_the_bound(file, capsys):
    path = graded(file, USUAL)
    done = told(capsys, "gate", path, "recall >= 0.9", *REQUIRED, "--level", "80%")
    assert done.status == 0
    assert "80 % bound" in done.out
    assert f">= {betaincinv(95, 6, 0.2):.4f}" in done.out


def test_without_a_threshold_half_of_the_cases_chooses_it_and_the_other_half_judges(file, capsys):
    done = told(
        capsys, "gate", graded(file, {"x": (760, 40, 40, 3560)}), "recall >= 0.9", *REQUIRED[:-2]
    )
    assert done.status == 0
    assert (
        "note BR593: no threshold is given: 1 was chosen on a random half of the cases, and"
        " evaluated on the other half\n" in done.err
    )


def test_a_requirement_says_which_class_it_took_for_positive(file, capsys):
    path = written(file, ["y", "m"], [("yes" if i % 2 else "no", i % 2) for i in range(100)])
    assert "note BR101:" in told(capsys, "gate", path, "recall >= 0.5", *REQUIRED).err


def test_tiny_data_are_judged_and_pass_nothing_that_they_do_not_show(file, capsys):
    path = plain(file, cases(1, 0, both=3))
    assert told(capsys, "gate", path, *COMPARED).status == 0
    required = told(
        capsys,
        "gate",
        path,
        "recall >= 0.9",
        "--label",
        "y",
        "--score",
        "old",
        "--threshold",
        "0.5",
    )
    assert (
        required.status,
        "but not demonstrated: the lower bound is 0.2236. 29 positives" in required.out,
    ) == (1, True)
