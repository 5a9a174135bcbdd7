"""`gate` on every slice of the cases: what falls, or cannot be evaluated, under a total that
passes.
"""

import pytest
from tests.cli.helpers import answered, told
from tests.cli.helpers_gate import COMPARED, REQUIRED, cases, graded, sliced

import baserate as br


@pytest.fixture
def file(tmp_path):
    return tmp_path / "scores.csv"


def test_scenario_7_a_slice_that_falls_under_a_flat_total_fails_and_is_named(file, capsys):
    path = sliced(file, {"night": cases(13, 1, both=36), "day": cases(3, 15, both=180, neither=2)})
    done = told(capsys, "gate", path, *COMPARED, "--slice", "site")
    assert done.status == 1
    first, second = done.out.splitlines()[:2]
    assert first == "Failed: new against old in error: worse on a slice."
    assert second == "Worse on night: error from 0.02000 to 0.2600, p = 0.00549."
    document = answered(capsys, "gate", path, *COMPARED, "--slice", "site", status=1)
    assert document["result"]["verdict"]["failed"] == ["night"]
    assert [part["slice"] for part in document["result"]["comparisons"]] == [
        "all cases",
        "day",
        "night",
    ]
    assert [part["whole"] for part in document["result"]["comparisons"]] == [True, False, False]
    assert document["result"]["comparisons"][0]["value"] == 0
    assert told(capsys, "gate", path, *COMPARED).status == 0, "the total alone is flat"


def test_p_values_over_slices_are_holms(file, capsys):
    path = sliced(
        file, {"a": cases(12, 2, both=40), "b": cases(4, 3, both=40), "c": cases(9, 9, both=40)}
    )
    done = told(capsys, "gate", path, *COMPARED, "--slice", "site")
    assert done.status == 0
    assert "p (Holm)" in done.out
    parts = answered(capsys, "gate", path, *COMPARED, "--slice", "site")["result"]["comparisons"]
    assert parts[1]["p_value"] == pytest.approx(br.planning.mcnemar_p(12, 2))
    assert parts[1]["p_adjusted"] == pytest.approx(4 * br.planning.mcnemar_p(12, 2))


def test_how_many_cases_differ_is_said_of_all_cases_only(file, capsys):
    path = sliced(file, {"A": cases(8, 4, both=40), "B": cases(7, 9, both=40)})
    done = told(capsys, "gate", path, *COMPARED, "--slice", "site")
    assert done.err.endswith(
        'note BR599: 15 cases are correct only with "old", 13 only with "new"\n'
    )
    assert done.out.count("over all cases would have been detected with 80 % power.\n") == 1


def test_a_missing_slice_is_a_slice_of_its_own(file, capsys):
    path = sliced(file, {"A": cases(2, 2, both=50), "": cases(40, 10, both=50)})
    done = told(capsys, "gate", path, *COMPARED, "--slice", "site")
    assert done.status == 1
    assert "Worse on (missing): error from " in done.out


@pytest.mark.parametrize("label", [0, 1])
def test_a_slice_of_one_class_that_falls_fails(file, capsys, label):
    path = sliced(
        file, {"only": cases(26, 0, both=74, label=label), "mixed": cases(0, 13, both=87)}
    )
    document = answered(capsys, "gate", path, *COMPARED, "--slice", "site", status=1)
    assert document["result"]["verdict"]["failed"] == ["only"]
    assert {part["method"] for part in document["result"]["comparisons"]} == {"mcnemar"}


def test_a_slice_of_one_class_has_no_auc_and_is_not_compared(file, capsys):
    path = sliced(file, {"only": cases(6, 0, both=30, label=0), "mixed": cases(0, 6, both=90)})
    done = told(capsys, "gate", path, *COMPARED[:-2], "--statistic", "auc", "--slice", "site")
    assert done.status == 0
    assert (
        'note BR596: slice "only" cannot be compared: there are no positives: models cannot be'
        " compared\n" in done.err
    )
    assert "only  " not in done.out
    parts = answered(capsys, "gate", path, *COMPARED[:-2], "--statistic", "auc", "--slice", "site")[
        "result"
    ]["comparisons"]
    assert [part["slice"] for part in parts] == ["all cases", "mixed"]


def test_a_slice_named_all_cases_hides_nothing(file, capsys):
    path = sliced(file, {"B": cases(40, 20, both=40), "all cases": cases(0, 0, both=60)})
    assert told(capsys, "gate", path, *COMPARED).status == 1
    parts = answered(capsys, "gate", path, *COMPARED, "--slice", "site", status=1)["result"][
        "comparisons"
    ]
    assert [(part["slice"], part["whole"]) for part in parts] == [
        ("all cases", True),
        ("B", False),
        ("all cases", False),
    ]
    assert parts[0]["values"] == pytest.approx([20 / 160, 40 / 160])
    assert parts[2]["values"] == [0, 0]


def test_a_slice_named_all_cases_may_fail_beside_all_cases(file, capsys):
    path = sliced(file, {"B": cases(0, 0, both=60), "all cases": cases(60, 10, both=60)})
    done = told(capsys, "gate", path, *COMPARED, "--slice", "site")
    assert done.out.splitlines()[:2] == [
        "Failed: new against old in error: worse.",
        "Worse on all cases: error from 0.07692 to 0.4615, p = 2.4e-09.",
    ]
    document = answered(capsys, "gate", path, *COMPARED, "--slice", "site", status=1)
    assert document["result"]["verdict"]["failed"] == ["all cases", "all cases"]
    assert [
        part["whole"] for part in document["result"]["comparisons"] if part["outcome"] == "worse"
    ] == [
        True,
        False,
    ]


def test_a_slice_named_missing_hides_nothing(file, capsys):
    path = sliced(file, {"": cases(40, 20, both=40), "(missing)": cases(0, 0, both=60)})
    document = answered(capsys, "gate", path, *COMPARED, "--slice", "site", status=1)
    assert document["result"]["verdict"]["failed"] == ["all cases", "((missing))"]
    values = {
        part["slice"]: part["values"]
        for part in document["result"]["comparisons"]
        if not part["whole"]
    }
    assert values == {"((missing))": pytest.approx([0.2, 0.4]), "(missing)": [0, 0]}


SITES = {
    "A": (18, 2, 1497, 8483),
    "B": (18, 2, 297, 1683),
    "C": (18, 2, 57, 323),
    "D": (360, 40, 315, 1785),
}


def test_scenario_11_sites_whose_bound_misses_the_requirement_are_flagged(file, capsys):
    path = graded(file, SITES)
    done = told(capsys, "gate", path, "recall >= 0.85", *REQUIRED, "--slice", "site")
    assert done.status == 1
    assert [line.partition(":")[0] for line in done.out.splitlines()[1:4]] == [
        f"m, slice {site}" for site in "ABC"
    ]
    checks = answered(
        capsys,
        "gate",
        path,
        "recall >= 0.85 and precision >= 1%",
        *REQUIRED,
        "--slice",
        "site",
        status=1,
    )["result"]["verdict"]["checks"]
    assert [check["slice"] for check in checks][::2] == ["all cases", "A", "B", "C", "D"]
    assert {check["value"] for check in checks[::2]} == {0.9}
    assert [check["outcome"] == "demonstrated" for check in checks[::2]] == [
        True,
        False,
        False,
        False,
        True,
    ]
    assert [check["value"] for check in checks[3::2]] == pytest.approx(
        [0.011881, 0.057143, 0.24, 0.533333], abs=1e-6
    )
    assert [check["at"]["prior"] for check in checks[3::2]] == [0.002, 0.01, 0.05, 0.16]


UNJUDGED = {
    "recall >= 0.5": (
        (0, 0, 3, 50),
        "tpr is undefined here (no positives), and so is its interval",
    ),
    "recall >= 0.5 and fpr <= 50%": (
        (0, 0, 3, 50),
        "tpr is undefined here (no positives), and so is its interval",
    ),
    "precision >= 0.5": (
        (0, 4, 0, 50),
        "precision is undefined here (nothing flagged), and so is its interval",
    ),
    "auc >= 0.5": ((0, 0, 3, 50), "no positives: AUC is undefined, and so is its interval"),
}


@pytest.mark.parametrize("more", [(), ("--accept-observed",)], ids=["shown", "observed"])
@pytest.mark.parametrize("requirement", UNJUDGED)
def test_a_slice_that_cannot_be_judged_fails_and_is_named(file, capsys, requirement, more):
    cells, reason = UNJUDGED[requirement]
    path = graded(file, {"x": (95, 5, 10, 890), "odd one": cells})
    threshold = () if requirement.startswith("auc") else REQUIRED[-2:]
    arguments = ("gate", path, requirement, *REQUIRED[:-2], *threshold, "--slice", "site", *more)
    done = told(capsys, *arguments)
    assert done.status == 1
    assert done.out.splitlines()[:3] == [
        "Failed.",
        f"m, slice odd one: cannot be evaluated: {reason}.",
        "",
    ]
    (row,) = [
        line for line in done.out.splitlines() if line.startswith("m  ") and "odd one" in line
    ]
    assert row.split() == ["m", "odd", "one", "—", "—", "—", "cannot", "be", "evaluated"]
    verdict = answered(capsys, *arguments, status=1)["result"]["verdict"]
    assert verdict["passed"] is False
    assert verdict["unjudged"] == [{"model": "m", "slice": "odd one", "reason": reason}]
    assert {check["outcome"] for check in verdict["checks"]} == {"demonstrated"}
    assert {(check["slice"], check["whole"]) for check in verdict["checks"]} == {
        ("all cases", True),
        ("x", False),
    }


def test_slices_of_a_requirement_are_sorted_and_told_from_all_cases_and_from_the_missing(
    file, capsys
):
    sites = {
        "b": (9, 1, 1, 9),
        "(missing)": (8, 2, 1, 9),
        "all cases": (6, 4, 1, 9),
        "": (7, 3, 1, 9),
        "a": (5, 5, 1, 9),
    }
    checks = answered(
        capsys, "gate", graded(file, sites), "recall >= 0.1", *REQUIRED, "--slice", "site"
    )["result"]["verdict"]["checks"]
    assert [(check["slice"], check["whole"], check["value"]) for check in checks] == [
        ("all cases", True, 0.7),
        ("((missing))", False, 0.7),
        ("(missing)", False, 0.8),
        ("a", False, 0.5),
        ("all cases", False, 0.6),
        ("b", False, 0.9),
    ]
