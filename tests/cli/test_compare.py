"""`compare`, run as a person runs it (in this process, as a start costs more than the answer)."""

from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.cli.helpers import VALID, answered, refused, told, written
from tests.cli.helpers_terminal import run

import baserate as br


def three_models(cases=240):
    rng = np.random.default_rng(12)
    y = (np.arange(cases) % 3 == 0).astype(int)
    a = rng.normal(size=cases) + y
    b = a + 0.3 * rng.normal(size=cases) + 0.5 * y
    return y, np.round(a, 3), np.round(b, 3), np.round(rng.normal(size=cases), 3)


@pytest.fixture
def three(tmp_path):
    return written(
        tmp_path / "scores.csv",
        ["y", "a", "b", "noise"],
        zip(*(column.tolist() for column in three_models()), strict=True),
    )


@pytest.fixture
def pairs(tmp_path):
    """Forty cases that only the old model has right, twenty that only the new one has, and forty
    that both have.
    """
    right = [(1, 0)] * 40 + [(0, 1)] * 20 + [(1, 1)] * 40
    rows = [(i % 2, int(old == i % 2), int(new == i % 2)) for i, (old, new) in enumerate(right)]
    return written(tmp_path / "pairs.csv", ["y", "old", "new"], rows)


TWO = ("--label", "y", "--score", "a", "--score", "b")
PAIR = ("--label", "y", "--score", "old", "--score", "new")


def test_the_answer_is_one_sentence_above_what_was_read(three, capsys):
    done = told(capsys, "compare", three, *TWO)
    y, a, b, _ = three_models()
    found = br.compare(br.count(y, {"a": a, "b": b}), br.auc)
    answer, blank, read = done.out.splitlines()
    assert read == f'{three}: 240 rows read, 240 used; positive = "1" in "y"'
    assert blank == ""
    assert answer == (
        f"b is significantly better in AUC: b {found.values[1]:#.4g}, a {found.values[0]:#.4g};"
        f" difference {found.value:#.4g} (95 % {found.low:#.4g} to {found.high:#.4g}), p ="
        f" {found.p_value:.3g} (delong-t)."
    )
    assert done.status == 0
    assert done.err == "2 notes: --notes\n"


def test_json_says_what_python_says(three, capsys):
    document = answered(capsys, "compare", three, *TWO, "--seed", "5")
    y, a, b, _ = three_models()
    found = br.compare(br.count(y, {"a": a, "b": b}), br.auc)
    assert document["result"]["comparisons"] == [
        {
            "statistic": "auc",
            "models": ["a", "b"],
            "values": list(found.values),
            "at": None,
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "level": 0.95,
            "p_value": found.p_value,
            "p_adjusted": None,
            "z": found.statistic,
            "method": "delong-t",
            "paired": True,
            "better": "higher",
            "favours": "b",
            "significant": True,
            "replicates": None,
        }
    ]
    assert (
        document["command"],
        document["request"]["seed"],
        document["sources"][0]["path"],
    ) == ("compare", 5, Path(three).name)


def test_scenario_6_in_one_command(shared, capsys):
    path = shared / "scores" / "pROC_aSAH.csv"
    document = answered(
        capsys,
        "compare",
        path,
        "--label",
        "class",
        "--score",
        "s100b",
        "--score",
        "wfns",
        "--method",
        "delong",
    )
    (found,) = document["result"]["comparisons"]
    assert found["z"] == pytest.approx(2.20898359144091, abs=1e-12)
    assert found["p_value"] == pytest.approx(0.0271757822291882, abs=1e-12)


def test_thresholds_compare_errors_by_mcnemar(pairs, capsys):
    done = told(capsys, "compare", pairs, *PAIR, "--threshold", "0.5")
    assert done.out.splitlines()[0] == (
        "old is significantly better in error: old 0.2000, new 0.4000; difference -0.2000 (95 %"
        " -0.3425 to -0.04964), p = 0.0135 (mcnemar)."
    )
    assert done.err.endswith(
        'note BR599: 40 cases are correct only with "old", 20 only with "new"\n'
    )
    (found,) = answered(capsys, "compare", pairs, *PAIR, "--threshold", "0.5")["result"][
        "comparisons"
    ]
    assert found["p_value"] == pytest.approx(0.0134893, abs=1e-7)
    assert (found["statistic"], found["better"], found["favours"]) == ("error", "lower", "old")


def test_each_model_may_have_its_own_threshold(three, capsys):
    found = answered(
        capsys, "compare", three, *TWO, "--threshold", "b=0.9", "--threshold", "a=0.5"
    )["result"]["comparisons"][0]
    y, a, b, _ = three_models()
    ours = br.compare(br.count(y, {"a": a, "b": b}), "error", threshold={"a": 0.5, "b": 0.9})
    assert (found["value"], found["p_value"]) == (ours.value, ours.p_value)
    assert (
        "No difference in error: "
        in told(capsys, "compare", three, *TWO, "--threshold", "none").out
    )


def test_a_model_whose_name_holds_an_equals_sign_has_a_threshold_too(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "k=1", "k=2"], [(i % 2, i % 2, 0) for i in range(40)])
    done = told(
        capsys,
        "compare",
        path,
        "--label",
        "y",
        "--score",
        "k=1",
        "--score",
        "k=2",
        "--threshold",
        "k=1=1",
        "--threshold",
        "k=2=1",
    )
    assert done.status == 0
    assert done.out.startswith(
        "k=1 is significantly better in error: k=1 0.000, k=2 0.5000; difference -0.5000 (95 %"
        " -0.6410 to -0.3114), p = 1.91e-06 "
    )


def test_what_is_usual_depends_on_what_is_given(three, capsys):
    def statistic(*options):
        return answered(capsys, "compare", three, *TWO, *options)["result"]["comparisons"][0][
            "statistic"
        ]

    few = ("--replicates", "100")
    assert statistic() == "auc"
    assert statistic("--cost", "fn=10", *few) == "expected_cost"
    assert statistic("--prior", "5%", *few) == "expected_cost", "as choose does"
    assert statistic("--threshold", "0.5") == "error"
    assert statistic(
        "--rule", "alerts <= 100", "--volume", "1000", "--prior", "5%", *few
    ).startswith("caught")
    assert (
        'BR594: "recall >= 0.5" chooses the threshold of each model; what is compared there? Fix:'
        " --statistic specificity."
        in refused(capsys, "compare", three, *TWO, "--rule", "recall >= 0.5")
    )


@pytest.mark.parametrize("name", ["recall", "sensitivity", "TPR", "tpr"])
def test_a_statistic_goes_by_any_of_its_names(pairs, capsys, name):
    (found,) = answered(capsys, "compare", pairs, *PAIR, "--threshold", "0.5", "--statistic", name)[
        "result"
    ]["comparisons"]
    assert (found["statistic"], found["method"]) == ("tpr", "mcnemar")
    assert found["values"] == [0.8, 0.6]


def test_a_summary_may_have_parameters(three, capsys):
    options = ("--statistic", "partial_auc(fpr=0..0.1)", "--replicates", "100")
    (found,) = answered(capsys, "compare", three, *TWO, *options)["result"]["comparisons"]
    assert found["statistic"] == "partial_auc(fpr=0.0..0.1)"
    y, a, b, _ = three_models()
    assert found["values"] == pytest.approx(
        [br.curves.partial_auc(br.count(y, scores), fpr=(0, 0.1)) for scores in (a, b)]
    )
    assert found["replicates"] == 100
    done = told(capsys, "compare", three, *TWO, *options)
    assert (
        "note BR598: 100 resamples (stratified): approximate, coverage is not guaranteed, and p"
        " cannot be below 0.02\n" in done.err
    )


def test_several_base_rates_are_a_sentence_each_and_a_table(three, capsys):
    options = (
        "--statistic",
        "precision",
        "--threshold",
        "0.5",
        "--prior",
        "1%,10%",
        "--replicates",
        "1000",
    )
    done = told(capsys, "compare", three, *TWO, *options)
    sentences = done.out.splitlines()[:2]
    assert [line.partition(": ")[0] for line in sentences] == [
        "b is significantly better in precision at a base rate of 1%",
        "b is significantly better in precision at a base rate of 10%",
    ]
    assert all(" in precision at a base rate of 1" in line for line in sentences)
    assert ["b 0.02782, a 0.02352;" in sentences[0], "b 0.2394, a 0.2095;" in sentences[1]] == [
        True,
        True,
    ]
    rows = [line.split() for line in done.out.splitlines()[3:6]]
    assert rows[0][:3] == ["base", "rate", "difference"]
    assert [row[0] for row in rows[1:]] == ["1%", "10%"]
    document = answered(capsys, "compare", three, *TWO, *options)
    assert [found["at"]["prior"] for found in document["result"]["comparisons"]] == [0.01, 0.1]
    assert {found["method"] for found in document["result"]["comparisons"]} == {"percentile"}


@pytest.mark.parametrize(
    "options",
    [
        ("--statistic", "AUC"),
        ("--statistic", "recall", "--threshold", "0.5"),
        ("--statistic", "ks", "--replicates", "100"),
    ],
)
def test_what_no_base_rate_changes_is_said_once(three, capsys, options):
    asked = ("compare", three, *TWO, *options, "--prior", "1%,10%")
    assert len(answered(capsys, *asked)["result"]["comparisons"]) == 1
    assert "BR526" not in told(capsys, *asked).err


@pytest.mark.parametrize(
    "options",
    [
        ("--statistic", "AUC"),
        ("--statistic", "recall", "--threshold", "0.5"),
        ("--statistic", "ks", "--replicates", "100"),
    ],
)
def test_what_no_base_rate_changes_is_not_said_of_one_of_them(three, capsys, options):
    said = told(capsys, "compare", three, *TWO, *options, "--prior", "1%,10%").out
    assert "base rate" not in said


def test_another_base_rate_comes_with_its_assumption(three, capsys):
    options = (
        "--statistic",
        "precision",
        "--threshold",
        "0.5",
        "--prior",
        "1%",
        "--replicates",
        "100",
    )
    assert (
        "note BR526: computed for a base rate of 1% (sample: 33.33%); this assumes that the scores"
        " within each class are the same in the field (label shift)\n"
        in told(capsys, "compare", three, *TWO, *options).err
    )
    several = told(
        capsys, "compare", three, *TWO, *options[:-4], "--prior", "1%,10%", "--replicates", "100"
    ).err
    assert (
        "note BR526: computed for base rates of 1%, 10% (sample: 33.33%); this assumes that the"
        " scores within each class are the same in the field (label shift)\n" in several
    )
    assert several.count("BR526") == 1


def test_three_models_are_compared_in_pairs_with_holm(three, capsys):
    everyone = (*TWO, "--score", "noise")
    found = answered(capsys, "compare", three, *everyone)["result"]["comparisons"]
    assert [pair["models"] for pair in found] == [["a", "b"], ["a", "noise"], ["b", "noise"]]
    raw = [pair["p_value"] for pair in found]
    order = np.argsort(raw)
    expected = np.minimum(1, np.maximum.accumulate(np.sort(raw) * [3, 2, 1]))
    assert [found[i]["p_adjusted"] for i in order] == pytest.approx(expected.tolist())
    done = told(capsys, "compare", three, *everyone)
    assert done.out.count(" after Holm (") == 3
    heading = done.out.splitlines()[4]
    assert heading.split("  ")[0] == "difference"
    assert heading.split()[-3:] == ["p", "(Holm)", "method"]
    assert "noise - a" in done.out


def test_every_other_model_is_compared_against_one(three, capsys):
    found = answered(capsys, "compare", three, *TWO, "--score", "noise", "--against", "noise")[
        "result"
    ]["comparisons"]
    assert [pair["models"] for pair in found] == [["noise", "a"], ["noise", "b"]]
    assert all(pair["p_adjusted"] >= pair["p_value"] for pair in found)
    assert 'BR408: there is no model "z". Fix: one of "a", "b".' in refused(
        capsys, "compare", three, *TWO, "--against", "z"
    )


def test_identical_scores_do_not_differ(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "a", "b"], [(i % 2, i, i) for i in range(40)])
    done = told(capsys, "compare", path, *TWO)
    assert (
        "No difference in AUC: b 0.5250, a 0.5250; difference 0.000 (95 % 0.000 to 0.000), p = 1"
        " (delong).\n" in done.out
    )
    (found,) = answered(capsys, "compare", path, *TWO)["result"]["comparisons"]
    assert (found["value"], found["p_value"], found["favours"], found["significant"]) == (
        0,
        1,
        None,
        False,
    )


@pytest.mark.parametrize("level", ["90%", "0.9", "90 %"])
def test_a_level_is_a_share(three, capsys, level):
    done = told(capsys, "compare", three, *TWO, "--level", level)
    assert "; difference 0.07316 (90 % 0.05327 to 0.09306), p = 1.15e-08 (" in done.out
    assert (
        answered(capsys, "compare", three, *TWO, "--level", level)["result"]["comparisons"][0][
            "level"
        ]
        == 0.9
    )


@pytest.mark.parametrize(
    ("level", "text"),
    [
        ("abc", 'BR580: a level is a share, got "abc". Fix: --level 95%.'),
        ("", 'BR580: a level is a share, got ""'),
        ("nan", 'BR580: a level is a share, got "nan"'),
        ("95", "BR580: a level lies between 0.5 and 1, got 95.0. Fix: --level 95%."),
        ("100%", "BR580: a level lies between 0.5 and 1, got 1"),
        ("20%", "BR580: a level lies between 0.5 and 1, got 0.2"),
        ("-5%", "BR580: a level"),
    ],
)
def test_what_is_no_level_is_refused(three, capsys, level, text):
    assert text in refused(capsys, "compare", three, *TWO, f"--level={level}")


def test_the_same_seed_gives_the_same_answer_and_another_seed_another(three, capsys):
    def found(seed):
        options = ("--statistic", "average_precision", "--replicates", "100", "--seed", seed)
        return answered(capsys, "compare", three, *TWO, *options)["result"]["comparisons"][0]["low"]

    assert found("3") == found("3") != found("4")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ("--statistic", "recal"),
            'BR531: unknown measure "recal"; did you mean "recall" (here: tpr)?',
        ),
        (("--statistic", "partial_auc(fpr=2)"), "BR5"),
        (
            ("--statistic", "precision", "--replicates", "5"),
            "BR580: a bootstrap takes 100 to 10,000,000 replicates, got 5. Fix: --replicates 2000.",
        ),
        (
            ("--replicates", "5"),
            "BR580: a bootstrap takes 100 to 10,000,000 replicates, got 5. Fix: --replicates 2000.",
        ),
        (("--statistic", "precision", "--replicates", "-5"), "BR580: a bootstrap takes 100"),
        (("--replicates", "many"), "BR001: Invalid value for '--replicates'"),
        (("--seed", "-1"), "BR580: a seed is a whole number, 0 or more, got -1. Fix: --seed 0."),
        (("--seed", "x"), "BR001: Invalid value for '--seed'"),
        (("--method", "t-test"), 'BR581: there is no method "t-test" to compare auc'),
        (("--method", "mcnemar"), "BR581: McNemar's test compares tpr"),
        (("--threshold", "a=0.5"), 'BR529: no threshold is given for "b". Fix: --threshold b=0.5.'),
        (("--threshold", "c=0.5"), 'BR408: --threshold "c=0.5": there is no model "c"'),
        (("--threshold", "0.5", "--threshold", "a=0.4"), 'BR529: "a" is given two thresholds'),
        (
            ("--threshold", "a=high", "--threshold", "b=1"),
            'BR529: a threshold is a number, or none to flag nothing; got "high"',
        ),
        (
            ("--threshold", "0.5", "--statistic", "auc"),
            "BR594: a rule or threshold belongs to a measure",
        ),
        (
            ("--rule", "recall >= 0.5", "--statistic", "auc"),
            "BR594: a rule or threshold belongs to a measure",
        ),
        (("--rule", "alerts <= 200"), "BR520: 200 alerts: of how many cases?"),
        (("--prior", "5"), "BR503"),
        (("--weight", "noise"), "BR001: there is no option --weight. Fix"),
        (("--score", "c"), 'has no column "c"'),
        (("--score", "a"), "BR407: "),
        (("--design", "matched"), "BR532"),
        (
            ("--design", "case-control", "--statistic", "precision", "--threshold", "0.5"),
            "BR509: the class totals were chosen",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_nothing_on_stdout(three, capsys, options, text):
    assert text in refused(capsys, "compare", three, *TWO, *options)


def test_one_model_is_nothing_to_compare(three, capsys):
    error = refused(capsys, "compare", three, "--label", "y", "--score", "a")
    assert (
        error == "error BR595: a comparison needs two models. Fix: --score COLUMN --score COLUMN.\n"
    )


def test_a_rule_and_thresholds_contradict_each_other(three, capsys):
    options = (
        "--statistic",
        "precision",
        "--rule",
        "recall >= 0.5",
        "--threshold",
        "0.5",
        "--replicates",
        "100",
    )
    assert refused(capsys, "compare", three, *TWO, *options) == (
        "error BR594: give a rule or a threshold for precision, not both. Fix: give one of them.\n"
    )


@pytest.mark.parametrize("cell", ["NaN", "", "x"])
def test_a_score_that_is_no_number_is_refused_with_its_line(tmp_path, capsys, cell):
    path = written(tmp_path / "x.csv", ["y", "a", "b"], [(0, 1, 1), (1, cell, 2), (0, 3, 3)])
    error = refused(capsys, "compare", path, *TWO)
    assert "line 3" in error
    assert '"a" has 1' in error


@pytest.mark.parametrize("label", [0, 1])
def test_cases_of_one_class_are_not_compared_except_by_their_errors(tmp_path, capsys, label):
    path = written(tmp_path / "x.csv", ["y", "a", "b"], [(label, i, 20 - i) for i in range(20)])
    missing = "positives" if label == 0 else "negatives"
    assert f"BR552: there are no {missing}: models cannot be compared" in refused(
        capsys, "compare", path, *TWO, "--positive", "1"
    )
    done = told(capsys, "compare", path, *TWO, "--positive", "1", "--threshold", "15")
    assert done.status == 0
    assert "(mcnemar)" in done.out


def test_a_handful_of_cases_is_compared_roughly_or_not_at_all(tmp_path, capsys):
    path = written(
        tmp_path / "x.csv",
        ["y", "a", "b"],
        [(0, 1, 1), (1, 2, 3), (0, 3, 2), (1, 4, 4), (0, 2, 5), (1, 1, 0)],
    )
    done = told(capsys, "compare", path, *TWO)
    assert done.status == 0
    assert (
        "note BR591: only 3 cases of the smaller class: a test with so few cases is approximate\n"
        in done.err
    )
    assert "BR590: only 3 positives: too few to resample" in refused(
        capsys, "compare", path, *TWO, "--statistic", "average_precision"
    )


def test_names_are_shown_safely_and_kept_as_they_are_in_json(tmp_path, capsys):
    first, second = "<img src=x onerror=alert(1)>", 'a "quoted"\n\x1b[31mname'
    path = written(
        tmp_path / "x.csv", ["y", first, second], [(i % 2, i, (i * 7) % 40) for i in range(40)]
    )
    arguments = ("compare", path, "--label", "y", "--score", first, "--score", second)
    done = told(capsys, *arguments, "--threshold", "20")
    assert done.status == 0
    assert "\x1b" not in done.out + done.err
    assert 'No difference in error: a "quoted"\\n\\x1b[31mname 0.' in done.out
    assert f", {first} 0." in done.out
    assert answered(capsys, *arguments)["result"]["comparisons"][0]["models"] == [first, second]


def test_notes_go_to_stderr_and_into_the_json(tmp_path, capsys):
    path = written(
        tmp_path / "x.csv",
        ["y", "a", "b"],
        [("yes" if i % 2 else "no", i, i + i % 3) for i in range(60)],
    )
    done = told(capsys, "compare", path, *TWO, "--notes")
    assert done.err.startswith(
        'note BR101: "y": positive = "yes", negative = "no". Override: --positive no\nnote BR202:'
        ' "a": scores range from 0 to '
    )
    notes = answered(capsys, "compare", path, *TWO)["notes"]
    assert [note["code"] for note in notes] == ["BR101", "BR202", "BR202"]
    assert notes[0]["text"] == '"y": positive = "yes", negative = "no". Override: --positive no'


def test_a_bug_of_ours_is_never_an_answer(three, capsys, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("baserate.cli.compare.count_files_jointly", broken)
    done = told(capsys, "compare", three, *TWO)
    assert (done.status, done.out) == (70, "")
    assert "error BR999: a bug in baserate: ZeroDivisionError: oops" in done.err


def test_it_runs_as_a_program_of_its_own(pairs):
    done = run("compare", pairs, *PAIR, "--threshold", "0.5")
    assert done.returncode == 0
    assert done.stdout.startswith("old is significantly better in error: ")
    assert (
        "\n  Examples:\n    baserate compare scores.csv --label fraud"
        in run("compare", "--help").stdout
    )


@pytest.mark.parametrize(
    "key", ["p_value", "models", "low", "high", "level", "method", "favours", "significant", "at"]
)
def test_the_schema_wants_every_part_of_a_comparison(pairs, capsys, key):
    document = answered(capsys, "compare", pairs, *PAIR, "--threshold", "0.5")
    del document["result"]["comparisons"][0][key]
    with pytest.raises(
        jsonschema.ValidationError, match=f"'{key}' is a required property|is not valid under any"
    ):
        VALID.validate(document)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [("p_value", 1.5), ("level", 95), ("better", "up"), ("models", ["a"]), ("value", None)],
)
def test_the_schema_wants_sensible_numbers_of_a_comparison(pairs, capsys, key, wrong):
    document = answered(capsys, "compare", pairs, *PAIR, "--threshold", "0.5")
    document["result"]["comparisons"][0][key] = wrong
    with pytest.raises(
        jsonschema.ValidationError,
        match=(
            "is not valid under any|too short|is not one of|maximum|is not of type|less"
            " than|greater"
        ),
    ):
        VALID.validate(document)
