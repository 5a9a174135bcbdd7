"""`gate`, the check that a build runs: whatever goes wrong, it is never 0."""

import pytest
from tests.cli.helpers import answered, refused, told, written
from tests.cli.helpers_gate import COMPARED, REQUIRED, USUAL, cases, graded, plain
from tests.cli.helpers_terminal import run


@pytest.fixture
def file(tmp_path):
    return tmp_path / "scores.csv"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("--label", "y"),
            "BR596: nothing to test: give a requirement, or a baseline and a candidate",
        ),
        (("--label", "y", "--baseline", "old"), "BR596: nothing to test"),
        (("--label", "y", "--candidate", "new"), "BR596: nothing to test"),
        (
            ("recall >= 0.9", "--label", "y"),
            "BR596: a requirement needs a model. Fix: --score COLUMN.",
        ),
        (("recall >= 0.9", *COMPARED), "BR596: a requirement and a comparison are two gates"),
        (
            (*COMPARED, "--score", "old"),
            "BR596: a comparison names its models by --baseline and --candidate",
        ),
        ((*COMPARED, "--prior", "1%,2%"), "BR596: a gate has one base rate"),
        ((*COMPARED, "--slice", "country"), 'has no column "country"'),
        (
            (*COMPARED, "--margin", "0"),
            "BR596: a margin is how much worse may pass, a number above 0, got 0.0",
        ),
        ((*COMPARED, "--margin", "-1"), "BR596: a margin is how much worse may pass"),
        ((*COMPARED, "--margin", "nan"), "BR596: a margin is how much worse may pass"),
        ((*COMPARED, "--margin", "1%"), "BR001: Invalid value for '--margin'"),
        ((*COMPARED, "--threshold", "m9=3"), 'BR408: --threshold "m9=3": there is no model "m9"'),
        ((*COMPARED, "--threshold", "old=3"), 'BR529: "old" is given two thresholds'),
        ((*COMPARED, "--statistic", "recal"), 'BR531: unknown measure "recal"'),
        (
            (*COMPARED, "--level", "95"),
            "BR580: a level lies between 0.5 and 1, got 95.0. Fix: --level 95%.",
        ),
        (
            (*COMPARED, "--seed", "-1"),
            "BR580: a seed is a whole number, 0 or more, got -1. Fix: --seed 0.",
        ),
        (
            (*COMPARED, "--replicates", "3"),
            "BR580: a bootstrap takes 100 to 10,000,000 replicates, got 3. Fix: --replicates 2000.",
        ),
        (
            (*COMPARED, "--statistic", "precision", "--replicates", "3"),
            "BR580: a bootstrap takes 100",
        ),
        (
            ("--label", "y", "--baseline", "old", "--candidate", "old"),
            'BR596: baseline and candidate are both "old". Fix: name two models.',
        ),
        (
            ("--label", "y", "--baseline", "gone", "--candidate", "new", "--threshold", "1"),
            "BR613: ",
        ),
        (
            ("--label", "gone", "--baseline", "old", "--candidate", "new", "--threshold", "1"),
            'has no column "gone"',
        ),
        (("recall > 0.9", "--label", "y", "--score", "old"), "BR533: "),
        (
            ("auc >= 80", "--label", "y", "--score", "old"),
            'BR533: auc lies between 0 and 1, got 80. Fix: "auc >= 80%".',
        ),
        (("auc >= high", "--label", "y", "--score", "old"), 'BR533: "high" is not a number'),
        (
            ("recall >= 0.9", "--label", "y", "--score", "old", "--seed", "-1"),
            "BR580: a seed is a whole number, 0 or more, got -1. Fix: --seed 0.",
        ),
        (("recal >= 0.9", "--label", "y", "--score", "old"), 'BR531: unknown measure "recal"'),
        (
            ("alerts <= 20", "--label", "y", "--score", "old"),
            "BR520: 20 alerts: of how many cases?",
        ),
        (("recall >= 0.9", "--label", "y", "--score", "gone"), 'has no column "gone"'),
        (
            ("recall >= 0.9", "--label", "y", "--score", "old", "--slice", "country"),
            'has no column "country"',
        ),
        (
            ("precision >= 0.9", "--label", "y", "--score", "old", "--threshold", "9"),
            "BR589: precision is undefined here (nothing flagged)",
        ),
        (("recall >= 0.9", "--label", "y", "--score", "old", "--design", "matched"), "BR532"),
    ],
)
def test_wrong_input_is_2_with_one_line_and_nothing_on_stdout(file, capsys, arguments, text):
    assert text in refused(capsys, "gate", plain(file, cases(12, 5, both=40)), *arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("", *REQUIRED), "BR533: the requirement is empty"),
        (("  ", *REQUIRED), "BR533: the requirement is empty"),
        (("recall >= 0.1", *REQUIRED, "--slice", ""), "BR613: "),
    ],
)
def test_empty_words_are_wrong_input(file, capsys, arguments, text):
    assert text in refused(capsys, "gate", graded(file, USUAL), *arguments)


FIXED = ("recall >= 0.1", "--label", "y", "--score", "old", "--threshold", "0.5")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            (*FIXED, "--margin", "0.1"),
            "BR002: --margin has no effect on a requirement. Fix: leave it out.",
        ),
        ((*FIXED, "--statistic", "auc"), "BR002: --statistic has no effect on a requirement"),
        ((*FIXED, "--rule", "precision >= 0.9"), "BR002: --rule has no effect on a requirement"),
        ((*FIXED, "--replicates", "100"), "BR002: --replicates has no effect on a requirement"),
        (
            (*COMPARED, "--accept-observed"),
            "BR002: --accept-observed has no effect on a comparison. Fix: leave it out.",
        ),
        (
            (*COMPARED, "--statistic", "auc"),
            "BR594: auc is a number of all cases: a threshold or rule has no effect on it",
        ),
        (
            (*COMPARED[:-2], "--statistic", "auc", "--rule", "recall >= 0.5"),
            "BR594: a rule or threshold belongs to a measure",
        ),
        (
            (*COMPARED[:-2], "--statistic", "partial_auc(fpr=0..0.1)", "--rule", "recall >= 0.5"),
            "BR594: a rule or threshold belongs to a measure",
        ),
        (
            (
                *COMPARED,
                "--statistic",
                "precision",
                "--rule",
                "recall >= 0.5",
                "--replicates",
                "100",
            ),
            "BR594: a rule and a threshold are both given. Fix: give one of them.",
        ),
    ],
)
def test_options_that_cannot_matter_are_refused(file, capsys, arguments, text):
    assert text in refused(capsys, "gate", plain(file, cases(12, 5, both=40)), *arguments)


@pytest.mark.parametrize("cell", ["NaN", "", "x"])
@pytest.mark.parametrize("kind", ["comparison", "requirement"])
def test_a_score_that_is_no_number_is_2(file, capsys, cell, kind):
    path = plain(file, [*cases(12, 5, both=40), (1, cell, 1)])
    arguments = (
        COMPARED
        if kind == "comparison"
        else ("recall >= 0.1", "--label", "y", "--score", "old", "--threshold", "0.5")
    )
    assert "line 59" in refused(capsys, "gate", path, *arguments)


def test_a_file_that_is_not_there_or_empty_is_2(tmp_path, capsys):
    assert "BR600" in refused(capsys, "gate", str(tmp_path / "gone.csv"), *COMPARED)
    (tmp_path / "empty.csv").write_text("")
    assert "BR602" in refused(capsys, "gate", str(tmp_path / "empty.csv"), *COMPARED)
    (tmp_path / "header.csv").write_text("y,old,new\n")
    assert "BR602" in refused(capsys, "gate", str(tmp_path / "header.csv"), *COMPARED)


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (ZeroDivisionError("oops"), 70, "BR999"),
        (MemoryError(), 74, "BR701"),
        (OSError(5, "Input/output error"), 74, "BR700"),
    ],
)
@pytest.mark.parametrize("reader", ["read_models", "count_scores"])
def test_a_failure_of_ours_is_never_0(file, capsys, monkeypatch, failure, status, code, reader):
    def broken(*_, **__):
        raise failure

    monkeypatch.setattr(f"baserate.gates.checks.{reader}", broken)
    path = plain(file, cases(12, 5, both=40))
    arguments = (
        COMPARED if reader == "read_models" else ("recall >= 0.1", "--label", "y", "--score", "old")
    )
    done = told(capsys, "gate", path, *arguments)
    assert (done.status, done.out) == (status, "")
    assert done.err.startswith(f"error {code}: ")


def test_an_interrupt_is_never_0(file, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("baserate.gates.checks.non_inferiority", interrupted)
    assert told(capsys, "gate", plain(file, cases(12, 5, both=40)), *COMPARED).status == 130


def test_names_are_shown_safely_and_kept_as_they_are_in_json(file, capsys):
    old, new, site = "<b>old</b>", 'new\n"one"', "\x1b[31mnight\n"
    rows = [(*row, site) for row in cases(40, 5, both=50)] + [
        (*row, "day") for row in cases(5, 40, both=50)
    ]
    path = written(file, ["y", old, new, "where"], rows)
    arguments = (
        "gate",
        path,
        "--label",
        "y",
        "--baseline",
        old,
        "--candidate",
        new,
        "--threshold",
        "0.5",
        "--slice",
        "where",
    )
    done = told(capsys, *arguments)
    assert done.status == 1
    assert done.out.startswith(
        'Failed: new\\n"one" against <b>old</b> in error: worse on a slice.\n'
    )
    assert "Worse on \\x1b[31mnight\\n: error from" in done.out
    assert "\x1b" not in done.out + done.err
    assert answered(capsys, *arguments, status=1)["result"]["verdict"]["failed"] == [site]
    required = told(
        capsys,
        "gate",
        path,
        "recall >= 0.9",
        "--label",
        "y",
        "--score",
        new,
        "--threshold",
        "0.5",
        "--slice",
        "where",
    )
    assert required.status == 1
    assert 'new\\n"one", slice \\x1b[31mnight\\n: tpr >= 0.9 is' in required.out
    assert "\x1b" not in required.out + required.err


def test_it_runs_as_a_program_of_its_own(file):
    path = plain(file, cases(40, 20, both=200))
    assert run("gate", path, *COMPARED).returncode == 1
    assert (
        run(
            "gate", path, "recall >= 0.5", "--label", "y", "--score", "old", "--threshold", "0.5"
        ).returncode
        == 0
    )
    assert "\n  Examples:\n    baserate gate scores.csv " in run("gate", "--help").stdout


HEADER, ROWS = ("y", "m"), [(0, 0.1), (1, 0.9), (0, 0.4), (1, 0.3)]
ONE = ("--label", "y", "--score", "m")


def test_a_summary_of_a_run_that_was_killed_does_not_say_passed(tmp_path, capsys, monkeypatch):
    path, summary = written(tmp_path / "a.csv", HEADER, ROWS), tmp_path / "s.md"
    words = (
        "gate",
        path,
        "recall >= 0.1",
        *ONE,
        "--threshold",
        "0.05",
        "--markdown",
        summary,
        "--accept-observed",
    )
    assert told(capsys, *words).status == 0
    assert "Passed" in summary.read_text()

    def killed(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("baserate.gates.checks.judge", killed)
    assert told(capsys, *words).status == 130
    assert "Passed" not in summary.read_text()
    assert "did not come to an end" in summary.read_text()
