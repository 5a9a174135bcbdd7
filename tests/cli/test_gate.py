"""`gate` of a candidate against a baseline: over all cases it must not be worse than chance
explains, nor than a margin allows.
"""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.helpers import answered, told, written
from tests.cli.helpers_gate import COMPARED, cases, plain

import baserate as br


@pytest.fixture
def file(tmp_path):
    return tmp_path / "scores.csv"


def test_scenario_7_twelve_against_five_passes(file, capsys):
    done = told(capsys, "gate", plain(file, cases(12, 5, both=200)), *COMPARED)
    assert done.status == 0
    verdict, detectable, _, headings, row, _, source = done.out.splitlines()
    smallest = br.planning.smallest_detectable(17, cases=217).share
    assert verdict == "Passed: new against old in error: worse, not significant."
    assert detectable == (
        f"A difference of {smallest:#.3g} over all cases would have been detected with 80 % power."
    )
    assert headings.split() == ["cases", "old", "new", "difference", "p", "detectable", "verdict"]
    assert row.split() == [
        "all",
        "cases",
        "0.02304",
        "0.05530",
        "0.03226",
        "0.143",
        f"{smallest:.4f}",
        "worse,",
        "not",
        "significant",
    ]
    assert source == f'{file}: 217 rows read, 217 used; positive = "1" in "y"'
    assert done.err.endswith(
        'note BR599: 12 cases are correct only with "old", 5 only with "new"\n'
    )


def test_scenario_7_forty_against_twenty_fails(file, capsys):
    path = plain(file, cases(40, 20, both=200))
    done = told(capsys, "gate", path, *COMPARED)
    assert done.status == 1
    assert done.out.startswith("Failed: new against old in error: worse.\n")
    document = answered(capsys, "gate", path, *COMPARED, status=1)
    assert document["result"]["verdict"] == {
        "passed": False,
        "outcome": "worse",
        "margin": None,
        "failed": ["all cases"],
    }
    (part,) = document["result"]["comparisons"]
    assert (part["slice"], part["whole"], part["outcome"], part["method"]) == (
        "all cases",
        True,
        "worse",
        "mcnemar",
    )
    assert part["p_value"] == part["p_adjusted"] == pytest.approx(0.0134893, abs=1e-7)
    assert part["detectable"] == pytest.approx(br.planning.smallest_detectable(60, cases=260).share)
    assert (document["command"], document["result"]["seed"], document["sources"][0]["path"]) == (
        "gate",
        0,
        Path(path).name,
    )


def test_a_difference_that_nothing_could_have_shown_is_not_spoken_of(file, capsys):
    done = told(capsys, "gate", plain(file, cases(0, 0, both=40)), *COMPARED)
    assert done.out.startswith("Passed: new against old in error: no difference.\n\n")
    assert "would have been detected" not in done.out
    assert done.out.splitlines()[3].split()[-3:] == ["—", "no", "difference"]


def test_a_margin_passes_only_what_is_shown_to_be_hardly_worse(file, capsys):
    path = plain(file, cases(12, 5, both=600))
    wide, narrow = (
        told(capsys, "gate", path, *COMPARED, "--margin", margin) for margin in ("0.05", "0.01")
    )
    assert (wide.status, narrow.status) == (0, 1)
    assert wide.out.startswith("Passed: new against old in error: worse, not significant.\n")
    assert narrow.out.startswith(
        "Failed: new against old in error: worse, not significant, but not demonstrated to be"
        " within the margin.\n"
    )
    assert wide.out.splitlines()[1].startswith("Margin 0.05: at most 0.02")
    assert narrow.out.splitlines()[1].endswith("not demonstrated to be within the margin of 0.01.")
    document = answered(capsys, "gate", path, *COMPARED, "--margin", "0.01", status=1)
    assert document["result"]["verdict"] == {
        "passed": False,
        "outcome": "worse, not significant",
        "margin": 0.01,
        "failed": [],
    }


def test_what_is_worse_is_not_said_to_fail_by_its_margin_alone(file, capsys):
    done = told(capsys, "gate", plain(file, cases(40, 20, both=600)), *COMPARED, "--margin", "0.01")
    assert done.status == 1
    assert done.out.startswith("Failed: new against old in error: worse.\nMargin 0.01: at most ")


def test_each_model_may_have_its_own_threshold(file, capsys):
    y = np.arange(200) % 2
    path = written(file, ["y", "old", "new"], [(label, label, 100 * label) for label in y.tolist()])
    arguments = ("gate", path, "--label", "y", "--baseline", "old", "--candidate", "new")
    assert told(capsys, *arguments, "--threshold", "old=1", "--threshold", "new=100").status == 0
    assert told(capsys, *arguments, "--threshold", "old=1", "--threshold", "new=101").status == 1


def test_without_thresholds_each_models_own_is_taken_and_said(file, capsys):
    done = told(capsys, "gate", plain(file, cases(3, 2, both=60)), *COMPARED[:-2])
    assert done.status == 0
    assert (
        'note BR593: no thresholds are given: "old" (score ≥ 1), "new" (score ≥ 1), each the one'
        " with the fewest errors on these cases" in done.err
    )


def wide_scores(file):
    rng = np.random.default_rng(6)
    y = (np.arange(300) % 3 == 0).astype(int)
    rows = zip(
        y.tolist(),
        (rng.normal(size=300) + 1.5 * y).round(3).tolist(),
        (rng.normal(size=300) + 0.5 * y).round(3).tolist(),
        strict=True,
    )
    return written(file, ["y", "old", "new"], rows)


@pytest.mark.parametrize(
    ("options", "statistic"),
    [
        (("--statistic", "auc"), "auc"),
        (("--statistic", "average_precision"), "average_precision"),
        (
            (
                "--statistic",
                "expected_cost",
                "--cost",
                "fn=10",
                "--prior",
                "5%",
                "--threshold",
                "0.5",
            ),
            "expected_cost",
        ),
        (("--statistic", "recall", "--threshold", "0.5"), "tpr"),
        (("--statistic", "precision", "--rule", "recall >= 0.6"), "precision"),
    ],
)
def test_any_statistic_may_be_what_a_candidate_must_not_be_worse_by(
    file, capsys, options, statistic
):
    arguments = ("gate", wide_scores(file), *COMPARED[:-2], *options, "--replicates", "200")
    document = answered(capsys, *arguments, status=1)
    (part,) = document["result"]["comparisons"]
    assert (part["statistic"], part["outcome"], part["favours"]) == (statistic, "worse", "old")
    named = {"expected_cost": "cost per case", "auc": "AUC"}.get(statistic, statistic)
    assert told(capsys, *arguments).out.startswith(f"Failed: new against old in {named}: worse.\n")
