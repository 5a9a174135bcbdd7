"""The intervals of `show` and `choose` at thresholds taken as fixed, in words and in JSON."""

import json
import math
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv
from tests.cli.helpers import VALID, answered, damaged, first_point, refused, told, written
from tests.cli.helpers_intervals import (
    ONE,
    TWO,
    cells,
    sample,
    short,
    spelled,
    tables,
    weighted_file,
)

import baserate as br
from baserate.measures.confusion import CATALOGUE
from baserate.results.values import digits_apart
from baserate.views.document import FORMER


@pytest.fixture
def scores(tmp_path):
    return weighted_file(tmp_path / "scores.csv")


def test_show_gives_auc_its_interval(scores, capsys):
    done = told(capsys, "show", scores, *ONE)
    y, m, _ = sample()
    found = br.interval(br.count(y, m), br.auc)
    headings, row = (cells(line) for line in tables(done.out)[1])
    assert headings[-2:] == ["AUC", "AUC, 95 % (placements-beta)"]
    assert row[-2:] == [f"{found.value:.4f}", spelled(found)]
    summary = answered(capsys, "show", scores, *ONE)["models"][0]["summaries"]["auc"]
    assert summary == {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "level": 0.95,
        "method": found.method,
        "side": "both",
    }


def test_show_gives_a_threshold_its_intervals_as_python_does(scores, capsys):
    arguments = ("show", scores, *ONE, "--threshold", "1", "--prior", "2%", "--volume", "1000")
    point = answered(capsys, *arguments)["models"][0]["points"][0]
    y, m, _ = sample()
    ours = br.choose(br.count(y, m), threshold=1.0, at=br.Conditions(prior=0.02), volume=1000)
    assert set(point["intervals"]) == {
        "tpr", "fpr", "tnr", "fnr", "precision", "npv", "posfrac", "accuracy", "f1", "expected_cost", "normalized_cost",  # noqa: E501
        "alerts", "caught", "missed", "false_alarms", "volume_cost",
    }  # fmt: skip
    for name in ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost", "alerts", "caught"):
        found = br.interval(ours, name)
        given = point["intervals"][name]
        assert (given["low"], given["high"], given["method"], given["side"]) == (
            found.low,
            found.high,
            found.method,
            found.side,
        )
        assert given["low"] <= point[name] <= given["high"]
    assert point["intervals"]["tpr"]["method"] == "wilson"
    assert point["intervals"]["precision"]["method"] == "jeffreys-draws"


def test_show_prints_intervals_under_the_points_in_the_same_order(scores, capsys):
    done = told(capsys, "show", scores, *TWO, "--threshold", "1", "--prior", "2%,20%")
    *_, points, said, intervals = tables(done.out)
    assert said == [
        "95 % intervals (wilson, jeffreys-draws), at these thresholds, fixed in advance:"
    ]
    assert [cells(line)[:3] for line in intervals[1:]] == [cells(line)[:3] for line in points[1:]]
    assert [cells(line)[:3] for line in intervals[1:]] == [
        [prior, model, ">= 1"] for prior in ("2%", "20%") for model in "mn"
    ]
    y, m, _ = sample()
    found = br.interval(br.count(y, m), "tpr", threshold=1.0)
    assert cells(intervals[1])[3] == spelled(found)
    assert cells(intervals[0])[:6] == [
        "base rate",
        "model",
        "threshold",
        "recall (tpr)",
        "false alarm rate (fpr)",
        "precision (PPV)",
    ]


def test_the_intervals_of_several_thresholds_are_told_apart(scores, capsys):
    *_, intervals = tables(
        told(capsys, "show", scores, *ONE, "--threshold", "1", "--threshold", "1.5").out
    )
    assert [cells(line)[:2] for line in intervals] == [
        ["model", "threshold"],
        ["m", ">= 1"],
        ["m", ">= 1.5"],
    ]
    assert cells(intervals[1])[2:] != cells(intervals[2])[2:]


def test_the_level_is_that_asked_for(scores, capsys):
    def width(level):
        document = answered(capsys, "show", scores, *ONE, "--threshold", "1", "--level", level)[
            "models"
        ][0]
        for found in (document["summaries"]["auc"], document["points"][0]["intervals"]["tpr"]):
            assert found["level"] == pytest.approx(0.8 if level in ("80%", "0.8") else 0.99)
        return (
            document["points"][0]["intervals"]["tpr"]["high"]
            - document["points"][0]["intervals"]["tpr"]["low"]
        )

    assert width("80%") == width("0.8") < width("99%")
    done = told(capsys, "show", scores, *ONE, "--threshold", "1", "--level", "80%")
    assert "AUC, 80 %" in done.out
    assert "\n80 % intervals (" in done.out


@pytest.mark.parametrize(("missed", "method"), [(9, "clopper-pearson"), (10, "wilson")])
def test_where_fewer_than_ten_lie_on_one_side_the_interval_of_a_rate_is_exact(
    tmp_path, capsys, missed, method
):
    path = written(
        tmp_path / "x.csv",
        ["y", "m"],
        [(1, 0)] * missed + [(1, 1)] * 40 + [(0, 0)] * 30 + [(0, 1)] * 10,
    )
    found = answered(capsys, "show", path, *ONE, "--threshold", "1")["models"][0]["points"][0][
        "intervals"
    ]
    assert (found["tpr"]["method"], found["fnr"]["method"], found["fpr"]["method"]) == (
        method,
        method,
        "wilson",
    )
    if missed == 9:
        assert [found["tpr"]["low"], found["tpr"]["high"]] == pytest.approx(
            [betaincinv(40, 10, 0.025), betaincinv(41, 9, 0.975)]
        )


def test_weighted_cases_have_no_intervals(scores, capsys):
    for command, options in (("show", ("--threshold", "1")), ("choose", ())):
        done = told(capsys, command, scores, *ONE, "--weight", "w", *options)
        assert done.status == 0
        assert "intervals" not in done.out
        assert "AUC, 95 %" not in done.out
        found = answered(capsys, command, scores, *ONE, "--weight", "w", *options)
        assert first_point(found)["intervals"] == {}
        for model in found.get("models", ()):
            assert set(model["summaries"]["auc"]) == {"value"}


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_alone_has_the_intervals_of_its_own_rates_and_of_shares(tmp_path, capsys, label):
    path = written(tmp_path / "x.csv", ["y", "m"], [(label, i) for i in range(12)])
    done = told(capsys, "show", path, *ONE, "--threshold", "5", "--positive", "1")
    assert done.status == 0
    assert "AUC, 95 %" not in done.out
    *_, (_, row) = tables(done.out)
    dashes = [index for index, cell in enumerate(cells(row)) if cell == "—"]
    assert dashes == [3 if label else 2], "the rate of the class that is not there"
    (model,) = answered(capsys, "show", path, *ONE, "--threshold", "5", "--positive", "1")["models"]
    assert model["summaries"]["auc"]["value"] is None
    assert "low" not in model["summaries"]["auc"]
    found = model["points"][0]["intervals"]
    ours, other = ("tpr", "fnr") if label else ("fpr", "tnr")
    assert set(found) == {ours, other, "precision", "npv", "posfrac", "accuracy"}
    flagged = [betaincinv(7, 6, 0.025), betaincinv(8, 5, 0.975)]
    for name in (ours, "posfrac"):
        assert [found[name]["low"], found[name]["high"]] == pytest.approx(flagged), "7 of 12"
    assert {one["method"] for one in found.values()} == {"clopper-pearson"}
    assert (found["precision"]["side"], found["npv"]["side"]) == (
        ("lower", "upper") if label else ("upper", "lower")
    )


def test_a_handful_of_cases_has_wide_intervals_and_is_not_resampled(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "m"], [(0, 1), (1, 2), (0, 3), (1, 4)])
    (model,) = answered(capsys, "show", path, *ONE, "--threshold", "2")["models"]
    auc, found = model["summaries"]["auc"], model["points"][0]["intervals"]
    assert auc["high"] - auc["low"] > 0.5
    assert (found["tpr"]["side"], found["tpr"]["low"], found["tpr"]["high"]) == (
        "lower",
        pytest.approx(math.sqrt(0.05)),
        1,
    )
    assert found["fpr"]["high"] - found["fpr"]["low"] > 0.9
    assert "BR590: only 2 positives: too few to resample" in refused(
        capsys, "choose", path, *ONE, "--replicates", "100"
    )


def test_one_positive_and_one_negative_are_no_failure(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "m"], [(0, 1), (1, 2)])
    for arguments in (
        ("show", path, *ONE),
        ("show", path, *ONE, "--threshold", "2", "--prior", "1%"),
        ("choose", path, *ONE),
    ):
        answered(capsys, *arguments)
        assert told(capsys, *arguments).status == 0


def test_where_none_was_flagged_falsely_the_interval_has_one_side(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "m"], [(0, 0)] * 90 + [(1, 1)] * 8 + [(1, 0)] * 2)
    arguments = ("show", path, *ONE, "--threshold", "1", "--prior", "1%")
    found = answered(capsys, *arguments)["models"][0]["points"][0]["intervals"]
    assert (found["fpr"]["side"], found["fpr"]["low"]) == ("upper", 0)
    assert found["fpr"]["high"] == pytest.approx(1 - 0.05 ** (1 / 90))
    assert (found["precision"]["side"], found["precision"]["high"]) == ("lower", 1)
    intervals = tables(told(capsys, *arguments).out)[-1]
    assert cells(intervals[1])[3:5] == [
        f"<= {short(found['fpr']['high'])}",
        f">= {short(found['precision']['low'])}",
    ]


def test_what_is_undefined_has_no_interval_and_a_dash(scores, capsys):
    arguments = ("show", scores, *ONE, "--threshold", "none")
    (point,) = answered(capsys, *arguments)["models"][0]["points"]
    assert "precision" not in point["intervals"]
    assert point["undefined"]["precision"] == "nothing flagged"
    assert (
        point["intervals"]["tpr"]["low"],
        point["intervals"]["tpr"]["high"],
        point["intervals"]["tpr"]["method"],
    ) == (0, 0, "exact")
    row = cells(tables(told(capsys, *arguments).out)[-1][1])
    assert (row[1], row[2], row[4]) == ("flag nothing", "exact", "—")


def test_chosen_totals_have_intervals_only_for_what_needs_no_base_rate(scores, capsys):
    arguments = ("show", scores, *ONE, "--design", "case-control", "--threshold", "1")
    (point,) = answered(capsys, *arguments)["models"][0]["points"]
    assert set(point["intervals"]) == {"tpr", "fpr", "tnr", "fnr"}


def test_names_in_the_table_of_intervals_are_safe(tmp_path, capsys):
    name = '<script>\n"x"\x1b[2J'
    path = written(tmp_path / "x.csv", ["y", name], [(i % 2, i) for i in range(30)])
    done = told(capsys, "show", path, "--label", "y", "--score", name, "--threshold", "10")
    assert done.status == 0
    assert "\x1b" not in done.out
    assert done.out.splitlines()[-1].startswith('<script>\\n"x"\\x1b[2J  ')


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("summaries", "auc", "method"), None),
        (("summaries", "auc", "low"), None),
        (("summaries", "auc", "side"), "left"),
        (("points", 0, "intervals", "tpr", "level"), None),
        (("points", 0, "intervals", "tpr", "level"), 95),
        (("points", 0, "intervals", "tpr", "low"), "0.5"),
        (("points", 0, "intervals", "tpr", "extra"), 1),
        (
            ("points", 0, "intervals", "recall"),
            {"low": 0.1, "high": 0.2, "level": 0.95, "method": "x", "side": "both"},
        ),
        (("points", 0, "intervals", "tpr"), [0.1, 0.2]),
        (("points", 0, "intervals"), None),
    ],
)
def test_the_schema_wants_every_part_of_an_interval(scores, capsys, path, value):
    document = answered(capsys, "show", scores, *ONE, "--threshold", "1")
    with pytest.raises(
        jsonschema.ValidationError, match="is not valid under any of the given schemas"
    ):
        VALID.validate(damaged(document, "models", 0, *path, value=value))


def test_the_schema_lets_a_bound_be_open_only_on_the_side_that_says_nothing(scores, capsys):
    document = answered(capsys, "show", scores, *ONE, "--threshold", "1")
    found = document["models"][0]["points"][0]["intervals"]["expected_cost"]
    found.update(side="lower", high=None)
    VALID.validate(document)
    found.update(side="both")
    with pytest.raises(jsonschema.ValidationError, match="is not valid under"):
        VALID.validate(document)


def test_the_ends_of_an_interval_are_told_apart(tmp_path, capsys):
    """Before, "npv 1 to 1": rounded to three digits, both ends were 1."""
    rows = [(1, 0.9)] * 40 + [(1, 0.1)] * 10 + [(0, 0.9)] * 20 + [(0, 0.1)] * 980
    (tmp_path / "scores.csv").write_text("y,m\n" + "".join(f"{y},{score}\n" for y, score in rows))
    done = told(
        capsys,
        "show",
        tmp_path / "scores.csv",
        "--label",
        "y",
        "--score",
        "m",
        "--threshold",
        "0.9",
        "--prior",
        "0.001%",
    )
    ends = [
        cell.strip().split(" to ")
        for line in done.out.splitlines()
        for cell in line.split("  ")
        if " to " in cell and ":" not in cell
    ]
    assert len(ends) > 5
    assert all(low != high for low, high in ends)


def test_conditions_are_those_of_the_summaries(tmp_path, capsys):
    """Before, the table said prior 0.005 and the last line the sample's."""
    (tmp_path / "scores.csv").write_text("y,m\n1,3\n0,2\n1,2\n0,1\n")
    asked = (
        "--summary",
        "average_precision",
        "--summary",
        "weighted_auc(alpha=0.995)",
        "--prior",
        "0.5%",
        "--cost",
        "fn=9,fp=1",
    )
    done = told(capsys, "show", tmp_path / "scores.csv", "--label", "y", "--score", "m", *asked)
    said = "Conditions: base rate 0.5% (1 in 200); in the sample 50%; costs (fp = 1, fn = 9)."
    assert said in done.out
    (row,) = [line for line in done.out.splitlines() if line.startswith("weighted_auc")]
    assert (
        row.split()[-1] == f"{br.curves.weighted_auc_chance(0.995):#.4g}"
    )  # a weighted AUC stands beside its chance level


@given(st.floats(1e-12, 1), st.floats(1e-12, 1))
def test_as_many_digits_as_tell_two_numbers_apart(low, high):
    def clear(count):
        shown = f"{low:.{count}g}", f"{high:.{count}g}"
        return (low == high or shown[0] != shown[1]) and all(
            text != "1" or end >= 1 - 1e-12 for text, end in zip(shown, (low, high), strict=True)
        )

    count = digits_apart(low, high)
    assert clear(count) or count == 17
    assert count == 4 or not clear(count - 1)


def test_an_end_below_1_is_not_shown_as_1():
    assert digits_apart(0.99949, 0.99955, least=3) == 4
    assert digits_apart(0.9, 1.0, least=3) == 3
    assert digits_apart(0.02, 1.0000000000000002, least=3) == 3  # 1, but for rounding


def test_the_schema_names_every_measure_that_may_have_an_interval():
    schema = json.loads(
        (Path(__file__).parents[2] / "docs" / "reference" / "schema.json").read_text()
    )
    pattern = schema["$defs"]["point"]["properties"]["intervals"]["propertyNames"]["pattern"]
    assert pattern == f"^({'|'.join(sorted({*CATALOGUE, *FORMER.values()}))})(\\(.*\\))?$"


def test_a_threshold_read_off_these_cases_is_not_called_fixed_in_advance(scores, capsys):
    done = told(capsys, "show", scores, *TWO, "--fix", "tpr=60%", "--prior", "2%")
    said = next(line for line in done.out.splitlines() if "intervals (" in line)
    assert said.endswith("ignoring that the thresholds were chosen on the same data:")
