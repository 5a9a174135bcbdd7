"""`baserate curve`, run as a person runs it."""

import csv
import io
import json

import numpy as np
import pytest
from tests.cli.helpers import VALID, run

import baserate as br
from baserate.curves import band, ideal_baseline, isoline
from baserate.curves.named import CURVES

LABELS, SCORES = [1, 1, 0, 1, 0, 0, 0, 0], [0.95, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1]
COUNTS = br.count(LABELS, SCORES)


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "y,m,=n\n" + "".join(f"{y},{s},{s / 2}\n" for y, s in zip(LABELS, SCORES, strict=True))
    )
    return str(path)


def answered(*arguments):
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    VALID.validate(document)
    return document


@pytest.mark.parametrize("name", CURVES)
def test_json_holds_what_python_gives(scores, name):
    (curve,) = answered(
        "curve", name, scores, "--label", "y", "--score", "m", "--prior", "1%", "--cost", "fn=10"
    )["result"]["curves"]
    at = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=10))
    ours = (
        CURVES[name].make(COUNTS, at=at) if CURVES[name].conditions else CURVES[name].make(COUNTS)
    )
    for column in ("x", "y"):
        values = [np.nan if value is None else value for value in curve[column]]
        np.testing.assert_array_equal(values, getattr(ours, column))
    assert (curve["x_label"], curve["y_label"], curve["name"]) == (
        ours.x_label,
        ours.y_label,
        ours.name,
    )
    assert (curve["at"] is None) == (ours.at is None)
    assert curve["digest"] == COUNTS.digest


def test_a_curve_at_several_base_rates_is_one_curve_each_as_csv(scores):
    done = run(
        "curve",
        "broc",
        scores,
        "--label",
        "y",
        "--score",
        "m",
        "--score",
        "=n",
        "--prior",
        "50%,0.1%",
        "--csv",
    )
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {(row["model"], row["prior"]) for row in rows} == {
        ("m", "0.5"),
        ("m", "0.001"),
        ("'=n", "0.5"),
        ("'=n", "0.001"),
    }
    first = [row for row in rows if row["model"] == "m" and row["prior"] == "0.001"]
    ours = br.broc(COUNTS, at=br.Conditions(prior=0.001))
    assert [float(row["fdr"]) for row in first] == ours.x.tolist()
    assert first[0]["threshold"] == ""
    assert done.stderr == (
        "note BR526: computed for base rates of 50%, 0.1% (sample: 37.5%); this assumes that the"
        " scores within each class are the same in the field (label shift)\n"
    )


def test_any_two_measures_are_a_curve_and_undefined_is_a_dash(scores):
    done = run("curve", "precision:recall", scores, "--label", "y", "--score", "m", "--every")
    assert done.stdout.startswith(
        "m, precision:recall: precision against tpr, at the sample's base rate of 37.5%"
    )
    assert "   none   0.000          —\n" in done.stdout
    assert len(done.stdout.splitlines()) == 3 + len(SCORES) + 1


def test_long_curves_are_shortened_and_say_so(scores):
    done = run("curve", "pr", scores, "--label", "y", "--score", "m", "--dense", "200")
    assert "(25 of " in done.stdout
    assert "all with --csv)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("rocc",), 'error BR531: there is no curve "rocc"; did you mean roc?'),
        (
            ("precision:recal",),
            'error BR531: unknown measure "recal"; did you mean "recall" (here: tpr)?',
        ),
        (("roc", "--dense", "1"), "error BR542: pixels must be a whole number from 2"),
        (("decision", "--prior", "0"), "error BR503"),
    ],
)
def test_what_is_wrong_is_one_line(scores, arguments, text):
    done = run("curve", arguments[0], scores, "--label", "y", "--score", "m", *arguments[1:])
    assert done.returncode == 2
    assert done.stderr.startswith(text)
    assert done.stderr.count("\n") == 1


def test_notes_on_the_counts_are_told_with_a_curve_and_one_class_has_none_at_another_prior(
    tmp_path,
):
    path = tmp_path / "one.csv"
    path.write_text("y,m\n1,0.5\n1,0.25\n")
    arguments = (str(path), "--label", "y", "--score", "m")
    assert "note BR104: no negatives" in run("curve", "roc", *arguments).stderr
    refused = run("curve", "pr", *arguments, "--prior", "10%")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error BR552: no negatives in the sample")


@pytest.mark.parametrize("label", [0, 1])
def test_of_one_class_a_decision_curve_is_told_and_a_hull_is_refused(tmp_path, label):
    path = tmp_path / "one.csv"
    path.write_text(f"y,m\n{label},0.5\n{label},0.25\n")
    arguments = (str(path), "--label", "y", "--score", "m", "--positive", "1")
    told = run("curve", "decision", *arguments)
    assert told.returncode == 0
    assert f"net benefit per case at a base rate of {100 * label}%" in told.stdout
    (curve,) = answered("curve", "decision", *arguments)["result"]["curves"]
    assert curve["y"] == ([1.0, 0.5] if label else [-1 / 3, -0.5])
    summaries = ("--summary", "brier", "--summary", "calibration_error")
    shown = run("show", *arguments, *summaries)
    assert shown.returncode == 0
    assert [line.split()[-1] for line in shown.stdout.splitlines() if "as in the" in line][:2] == [
        "0.4062" if label else "0.1562",
        "—",
    ]
    for name in ("roc_hull", "broc"):
        refused = run("curve", name, *arguments)
        assert refused.returncode == 2
        assert refused.stderr.startswith("error BR552: a ROC hull needs cases of both classes")


def test_infinite_and_huge_scores_keep_their_place_or_say_that_they_do_not(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("y,m\n1,inf\n0,0.5\n1,0.25\n0,-inf\n")
    (curve,) = answered("curve", "ks", str(path), "--label", "y", "--score", "m")["result"][
        "curves"
    ]
    assert curve["x"] == ["inf", 0.5, 0.25, "-inf"]
    path.write_text("".join(["y,m\n", *(f"{i % 2},{2**60 + i}\n" for i in range(4))]))
    assert "BR572" in [
        note["code"]
        for note in answered("curve", "roc", str(path), "--label", "y", "--score", "m")["notes"]
    ]


def test_a_prior_free_trace_is_shown_once_and_csv_names_no_column_twice(scores):
    arguments = (scores, "--label", "y", "--score", "m")
    assert (
        run("curve", "tpr:fpr", *arguments, "--prior", "10%,1%").stdout.count("tpr against fpr")
        == 1
    )
    assert (
        run("curve", "ks", *arguments, "--csv").stdout.splitlines()[0]
        == "model,prior,threshold,informedness"
    )
    both = run("curve", "roc", *arguments, "--csv", "--json")
    assert both.returncode == 2


DATA = ("--label", "y", "--score", "m")


def test_isolines_without_values_are_those_of_usual_precisions(scores):
    asked = ("curve", "roc", scores, *DATA, "--prior", "10%")
    expected = answered(*asked, "--isolines", "precision=0.1,0.5,0.9", "--baseline")
    found = answered(*asked, "--isolines", "--baseline")
    assert found == {
        **expected,
        "request": {**expected["request"], "isolines": found["request"]["isolines"]},
    }
    (problem,) = json.loads(run(*asked, "--json", "--isolines", "npv").stdout)["errors"]
    assert problem["text"] == 'isolines are MEASURE=VALUES, got "npv"'
    assert problem["fix"] == "--isolines precision=0.1,0.5,0.9"


def test_isolines_and_a_baseline_are_drawn_and_in_json(scores, tmp_path):
    asked = ("curve", "roc", scores, *DATA, "--prior", "10%", "--cost", "fn=5,fp=1")
    more = ("--isolines", "precision=0.1,50%", "--isolines", "npv=0.99", "--baseline")
    document = answered(*asked, *more)
    at = br.Conditions(0.1, br.Costs(fn=5, fp=1))
    assert [(line["measure"], line["value"]) for line in document["result"]["isolines"]] == [
        ("precision", 0.1),
        ("precision", 0.5),
        ("npv", 0.99),
    ]
    assert (
        document["result"]["isolines"][1]["angle"]
        == isoline(measure="precision", at=at, value=0.5).angle
    )
    base = ideal_baseline(at)
    assert document["result"]["baseline"] == {
        "slope": base.slope,
        "intercept": base.intercept,
        "answer": base.answer,
    }
    drawing = tmp_path / "roc.svg"
    assert run(*asked, *more, "--log", "--svg", str(drawing)).returncode == 0
    text = drawing.read_text()
    assert "precision isolines at base rate 0.1" in text
    assert "ideal baseline" in text
    plain = tmp_path / "plain.svg"
    assert run(*asked, "--svg", str(plain)).returncode == 0
    assert "isolines" not in plain.read_text()
    assert not {"isolines", "baseline", "bands"} & set(answered(*asked)["result"])


@pytest.mark.parametrize("name", ["roc", "pr", "det", "posfrac", "gain", "lift", "cost"])
def test_a_band_is_that_of_the_library_and_is_drawn(tmp_path, name):
    rng = np.random.default_rng(3)
    labels = rng.random(200) < 0.3
    values = rng.normal(size=200) + labels
    rows = "".join(f"{int(y)},{s}\n" for y, s in zip(labels, values, strict=True))
    path = tmp_path / "many.csv"
    path.write_text(f"y,m\n{rows}")
    asked = ("curve", name, str(path), *DATA, "--prior", "10%", "--band", "--level", "90%")
    (found,) = answered(*asked, "--replicates", "100", "--seed", "4")["result"]["bands"]
    at = {"at": br.Conditions(0.1)} if CURVES[name].conditions else {}
    counts = br.count(labels, values)
    ours = band(curve=name, counts=counts, level=0.9, replicates=100, seed=4, **at)
    for column in ("x", "y", "low", "high"):
        read = [np.nan if value is None else value for value in found[column]]
        np.testing.assert_array_equal(read, getattr(ours, column))
    drawing = tmp_path / "drawn.svg"
    assert run(*asked, "--replicates", "100", "--svg", str(drawing)).returncode == 0
    plain = tmp_path / "plain.svg"
    assert run(*asked[:-3], "--svg", str(plain)).returncode == 0
    assert len(drawing.read_text()) > len(plain.read_text())


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        (
            "gain",
            ("--isolines", "precision=0.1", "--json"),
            "isolines= has no effect on a gain curve",
        ),
        ("pr", ("--baseline", "--json"), "baseline= has no effect on a pr curve"),
        ("pr", ("--log", "--svg", "x.svg"), '--log has no effect on the curve "pr"'),
        ("roc_hull", ("--band", "--json"), "band= has no effect on a roc_hull curve"),
        ("roc", ("--log",), "--log only affects the drawing. Fix: add --svg FILE"),
        ("roc", ("--level", "90%"), "level= has no effect on a roc curve"),
        ("roc", ("--isolines", "precision", "--json"), "isolines are MEASURE=VALUES"),
        ("roc", ("--isolines", "tpr=0.5", "--json"), "isolines are drawn for precision and npv"),
        ("roc", ("--baseline", "--prior", "1%,2%", "--json"), "one base rate"),
        (
            "pr",
            ("--band", "--prior", "1%..2%"),
            "band= has no effect over uncertain base rates",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(scores, name, more, says):
    done = run("curve", name, scores, *DATA, *more)
    assert done.returncode == 2
    assert says in (done.stdout + done.stderr).replace('\\"', '"')
