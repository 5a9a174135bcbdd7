"""`baserate prior` and `--prior-from`: what they say, in words, as JSON by the schema, and where
they refuse.
"""

import json

import numpy as np
import pytest
from tests.cli.helpers import answered, first_point, refused, told, written

import baserate as br
from baserate.cli.main import cli, commands

RNG = np.random.default_rng(5)


def probabilities(x, prior=0.2):
    odds = prior / (1 - prior) * np.exp(1.5 * x - 1.125)
    return (odds / (1 + odds)).round(6)


def scores(positives, negatives, moved=0.0):
    return probabilities(
        np.concatenate((RNG.normal(size=positives) + 1.5, RNG.normal(size=negatives) + moved))
    )


LABELS, SCORES = np.repeat([1, 0], [200, 800]), scores(200, 800)
OTHER = scores(200, 800)
FIELD, MOVED = scores(60, 940), scores(400, 600, -1.5)


@pytest.fixture
def files(tmp_path):
    rows = zip(LABELS.tolist(), SCORES.tolist(), OTHER.tolist(), strict=True)
    written(tmp_path / "scores.csv", ["y", "m", "m2"], rows)
    written(tmp_path / "field.csv", ["m", "m2"], zip(FIELD.tolist(), FIELD.tolist(), strict=True))
    written(tmp_path / "alone.csv", ["m"], ([score] for score in FIELD.tolist()))
    written(tmp_path / "moved.csv", ["m"], ([score] for score in MOVED.tolist()))
    return tmp_path


def labelled(files):
    return ["--label", "y", "--score", "m"], files / "scores.csv"


def asked(files, *more, field="field.csv"):
    columns, source = labelled(files)
    return "prior", files / field, "--from", source, *columns, *more


COUNTS = br.count(LABELS, SCORES)
ESTIMATE = br.estimate_prior(COUNTS, br.count_unlabelled(FIELD))


def test_the_words_come_first_then_the_table(capsys, files):
    done = told(capsys, *asked(files))
    assert done.status == 0
    first, _, headings, row, _, check, _, source = done.out.strip().split("\n")
    assert (
        first
        == f"Base rate: {ESTIMATE.value:.5f} (95 % from {ESTIMATE.low:.4g} to {ESTIMATE.high:.4g}),"
        " estimated from 1,000 unlabelled cases. Labelled sample: 0.2000."
    )
    assert headings.split() == ["model", "method", "how", "base", "rate", "(prior)", "95", "%"]
    assert row.startswith("m      adjusted-count  score ≥ ")
    assert check.startswith(
        "m: the unlabelled scores are consistent with a mixture of the two classes (p = "
    )
    assert source.endswith('scores.csv: 1,000 rows read, 1,000 used; positive = "1" in "y"')


def test_the_json_has_every_digit(capsys, files):
    (found,) = answered(capsys, *asked(files))["result"]["estimates"]
    assert (found["prior"], found["low"], found["high"]) == (
        ESTIMATE.value,
        ESTIMATE.low,
        ESTIMATE.high,
    )
    assert (found["method"], found["threshold"], found["cases"]) == (
        "adjusted-count",
        ESTIMATE.threshold,
        1000,
    )
    assert found["label_shift"]["p_value"] == ESTIMATE.check.p_value


def test_both_files_are_among_the_sources(capsys, files):
    sources = answered(capsys, *asked(files))["sources"]
    assert [source["path"] for source in sources] == ["scores.csv", "field.csv"]


def test_a_file_of_one_column_is_enough(capsys, files):
    assert (
        answered(capsys, *asked(files, field="alone.csv"))["result"]["estimates"]
        == answered(capsys, *asked(files))["result"]["estimates"]
    )


def test_calibrated_scores_are_estimated_by_likelihood_first(capsys, files):
    first, second = answered(
        capsys, *asked(files, "--calibrated-at", "sample", "--replicates", "200")
    )["result"]["estimates"]
    assert (first["method"], second["method"]) == ("em", "adjusted-count")
    assert first["calibrated_at"] == 0.2
    assert (
        first["prior"]
        == br.estimate_prior(
            br.count(LABELS, SCORES),
            br.count_unlabelled(FIELD),
            calibrated_at="20%",
            replicates=100,
        ).value
    )


def test_a_threshold_a_level_and_a_seed_are_heeded(capsys, files):
    options = ["--threshold", "0.5", "--level", "90%", "--seed", "3", "--replicates", "300"]
    (found,) = answered(capsys, *asked(files, *options))["result"]["estimates"]
    expected = br.estimate_prior(
        br.count(LABELS, SCORES),
        br.count_unlabelled(FIELD),
        threshold=0.5,
        level=0.9,
        seed=3,
        replicates=300,
    )
    assert (found["prior"], found["low"], found["high"], found["level"]) == (
        expected.value,
        expected.low,
        expected.high,
        0.9,
    )


def test_several_models_are_estimated_one_by_one(capsys, files):
    found = answered(capsys, *asked(files, "--score", "m2"))["result"]["estimates"]
    assert [one["model"] for one in found] == ["m", "m2"]
    assert "Base rate, by m2: " in told(capsys, *asked(files, "--score", "m2")).out


def test_saved_counts_stand_for_the_labelled_cases(capsys, files):
    columns, source = labelled(files)
    assert told(capsys, "count", source, *columns, "-o", files / "day1.counts").status == 0
    found = answered(
        capsys, "prior", files / "field.csv", "--from", files / "day1.counts", "--score", "m"
    )
    assert found["result"]["estimates"] == answered(capsys, *asked(files))["result"]["estimates"]


def test_scores_that_moved_are_told(capsys, files):
    done = told(capsys, *asked(files, field="moved.csv"))
    assert "the unlabelled scores are not a mixture of the scores of the two classes" in done.out
    assert "note BR538: " in done.err


def test_the_answer_goes_into_a_file(capsys, files):
    assert told(capsys, *asked(files, "-o", files / "out.json")).status == 0
    assert json.loads((files / "out.json").read_text())["command"] == "prior"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--threshold", "none"], "BR529"),
        (["--threshold", "high"], "BR529"),
        (["--replicates", "7"], "BR580"),
        (["--level", "200%"], "BR580"),
        (["--missing-label", "drop"], "BR612"),
        (["--calibrated-at", "often"], "BR503"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(capsys, files, more, code):
    assert refused(capsys, *asked(files, *more)).startswith(f"error {code}")


def test_an_unknown_column_of_the_field_is_refused(capsys, files):
    written(files / "other.csv", ["x", "z"], [(1, 2)])
    assert refused(capsys, *asked(files, field="other.csv")).startswith("error BR613")


# ---- --prior-from -----------------------------------------------------------------------------


def conditioned(command, files, *more, field="field.csv"):
    columns, source = labelled(files)
    return command, source, *columns, "--prior-from", files / field, *more


@pytest.mark.parametrize("command", ["show", "choose"])
def test_points_are_read_at_the_estimate_and_say_so(capsys, files, command):
    found = answered(capsys, *conditioned(command, files, "--cost", "fn=20,fp=1"))
    plain = answered(
        capsys,
        command,
        labelled(files)[1],
        *labelled(files)[0],
        "--prior",
        repr(ESTIMATE.value),
        "--cost",
        "fn=20,fp=1",
    )
    ours, theirs = map(first_point, (found, plain))
    for name in ("threshold", "tp", "fp", "tpr", "precision", "npv", "expected_cost"):
        assert ours[name] == theirs[name]
    (note,) = [note for note in found["notes"] if note["code"] == "BR544"]
    assert f"the base rate {ESTIMATE.value:.4g}" in note["text"]
    assert "BR544" not in [note["code"] for note in plain["notes"]]


@pytest.mark.parametrize("command", ["show", "choose"])
def test_intervals_take_the_error_of_the_estimate_together_with_that_of_the_rates(
    capsys, files, command
):
    words = conditioned(command, files, "--cost", "fn=20,fp=1", "--volume", "1000")
    point = first_point(answered(capsys, *words))
    at = br.Conditions(prior=ESTIMATE, costs=br.Costs(fn=20))
    for name in ("precision", "npv", "expected_cost", "caught"):
        volume = {"volume": 1000} if name == "caught" else {}
        joint = br.interval(COUNTS, name, threshold=point["threshold"], at=at, **volume)
        assert (point["intervals"][name]["low"], point["intervals"][name]["high"]) == (
            joint.low,
            joint.high,
        )
        assert point["intervals"][name]["method"] == joint.method == "joint-draws"
    known = br.interval(
        COUNTS, "precision", threshold=point["threshold"], at=br.Conditions(prior=ESTIMATE.value)
    )
    assert (
        point["intervals"]["precision"]["low"]
        < known.low
        < known.high
        < point["intervals"]["precision"]["high"]
    )


def test_alerts_are_counted_in_the_field_and_not_computed(capsys, files):
    asked = ["--threshold", "0.3", "--volume", "1000", "--score", "m2"]
    flagged = int((FIELD >= 0.3).sum())
    for model in answered(capsys, *conditioned("show", files, *asked))["models"]:
        (point,) = model["points"]
        assert point["counted"] == {"flagged": flagged, "cases": 1000}
        assert (point["alerts"], point["posfrac"]) == (flagged, flagged / 1000)
        expected = br.rate_interval(flagged, 1000)
        assert point["intervals"]["alerts"]["low"] == pytest.approx(1000 * expected.low)
        assert point["intervals"]["posfrac"]["high"] == pytest.approx(expected.high)


def test_another_model_is_drawn_in_pairs_with_the_one_that_gave_the_base_rate(capsys, files):
    """The same column under two names: what is known of the second is what is known of the
    first.
    """
    rows = zip(LABELS.tolist(), SCORES.tolist(), SCORES.tolist(), strict=True)
    source = written(files / "twice.csv", ["y", "m", "m2"], rows)
    asked = [
        "show",
        source,
        "--label",
        "y",
        "--score",
        "m",
        "--score",
        "m2",
        "--threshold",
        "0.3",
        "--prior-from",
        files / "field.csv",
    ]
    first, second = (
        model["points"][0]["intervals"] for model in answered(capsys, *asked)["models"]
    )
    assert first == second
    assert first["precision"]["method"] == "joint-draws"


def test_a_comparison_is_refused_and_told_the_range(capsys, files):
    line = refused(capsys, *conditioned("compare", files, "--score", "m2", "--replicates", "200"))
    assert line.startswith(f"error BR647: the base rate {ESTIMATE.value:.4g} is an estimate")
    fix = line.split("--prior ")[1].strip().removesuffix(".")
    assert answered(
        capsys,
        "compare",
        files / "scores.csv",
        "--label",
        "y",
        "--score",
        "m",
        "--score",
        "m2",
        "--prior",
        fix,
        "--replicates",
        "100",
    )
    assert (
        answered(capsys, *conditioned("compare", files, "--score", "m2", "--statistic", "auc"))[
            "result"
        ]["comparisons"][0]["at"]
        is None
    )


def test_a_curve_is_traced_at_the_estimate(capsys, files):
    columns, source = labelled(files)
    found = answered(capsys, "curve", "broc", source, *columns, "--prior-from", files / "field.csv")
    plain = answered(capsys, "curve", "broc", source, *columns, "--prior", repr(ESTIMATE.value))
    assert found["result"]["curves"] == plain["result"]["curves"]
    assert "BR544" in [note["code"] for note in found["notes"]]


def test_a_requirement_is_judged_by_a_bound_that_includes_the_error_of_the_estimate(capsys, files):
    columns, source = labelled(files)
    asked = ["gate", source, "precision >= 0.05", *columns, "--threshold", "0.3"]
    found = answered(capsys, *asked, "--prior-from", files / "field.csv", status=1)
    (check,) = found["result"]["verdict"]["checks"]
    joint = br.interval(
        COUNTS, "precision", threshold=0.3, at=br.Conditions(prior=ESTIMATE), side="lower"
    )
    assert check["low"] == joint.low
    # Half of the error is spared: the bound lies where the two-sided interval of the same level
    # ends.
    assert (
        joint.low
        == br.interval(COUNTS, "precision", threshold=0.3, at=br.Conditions(prior=ESTIMATE)).low
    )
    known = br.interval(
        COUNTS, "precision", threshold=0.3, at=br.Conditions(prior=ESTIMATE.value), side="lower"
    )
    assert joint.low < known.low
    assert {"BR544", "BR649"} <= {note["code"] for note in found["notes"]}


def test_a_gate_that_would_take_the_estimate_as_known_is_refused(capsys, files):
    columns, source = labelled(files)
    field = ["--prior-from", files / "field.csv"]
    assert refused(capsys, "gate", source, "precision >= 0.05", *columns, *field).startswith(
        "error BR647: "
    )
    models = [
        "--label",
        "y",
        "--baseline",
        "m",
        "--candidate",
        "m2",
        "--statistic",
        "expected_cost",
        "--threshold",
        "0.3",
    ]
    assert refused(capsys, "gate", source, *models, *field).startswith("error BR647: ")
    both = [*columns, "--score", "m2", "--threshold", "0.3"]
    assert refused(capsys, "gate", source, "precision >= 0.05", *both, *field).startswith(
        "error BR648: "
    )
    assert answered(capsys, "gate", source, "tpr >= 0.1", *columns, "--threshold", "0.3", *field)[
        "result"
    ]["verdict"]["passed"]


def test_settings_say_their_own_base_rate(capsys, files):
    assert refused(capsys, "gate", "--prior-from", files / "field.csv").startswith(
        "error BR596: --prior-from applies to a FILE"
    )


def test_a_summary_says_that_the_base_rate_could_not_be_had(capsys, files):
    columns, source = labelled(files)
    summary = files / "summary.md"
    done = told(
        capsys,
        "gate",
        source,
        "tpr >= 0.5",
        *columns,
        "--prior-from",
        files / "gone.csv",
        "--markdown",
        summary,
    )
    assert done.status == 2
    assert "gone.csv" in summary.read_text()


def test_sites_are_refused_an_estimate(capsys, files):
    rows = zip(LABELS.tolist(), SCORES.tolist(), (["a", "b"] * 500), strict=True)
    source = written(files / "sites.csv", ["y", "m", "site"], rows)
    asked = ["--label", "y", "--score", "m", "--group", "site", "--threshold", "0.3"]
    assert refused(
        capsys, "slices", source, *asked, "--prior-from", files / "field.csv"
    ).startswith("error BR647: ")


def test_a_report_is_refused_an_estimate(capsys, files):
    assert refused(capsys, *conditioned("report", files, "-o", files / "report.html")).startswith(
        "error BR647: "
    )


WITHIN = ("--rule", "fdr <= 90%", "--optimize", "tpr", "--all-priors")
FORWARD = [["choose", *WITHIN], ["triage", "--review", "2", "--cost", "fn=100,fp=5"]]


@pytest.mark.parametrize("asked", FORWARD, ids=lambda asked: asked[0])
def test_leaders_and_triage_read_the_estimate(capsys, files, asked):
    found = answered(capsys, *conditioned(asked[0], files, *asked[1:]))
    plain = answered(
        capsys,
        asked[0],
        labelled(files)[1],
        *labelled(files)[0],
        "--prior",
        repr(ESTIMATE.value),
        *asked[1:],
    )
    if asked[0] == "choose":
        assert {**found["result"], "notes": []} == {**plain["result"], "notes": []}
    else:
        assert found["result"]["models"] == plain["result"]["models"]
    assert "BR544" in [note["code"] for note in found["notes"]]


def test_leaders_test_no_difference_at_an_estimate(capsys, files):
    """A p-value at the estimate would take it as known."""
    two = ("--score", "m2", *WITHIN)
    found = answered(capsys, *conditioned("choose", files, *two))["result"]
    assert (
        found["untested"] == "the difference was not tested, because the base rate is an estimate"
    )
    assert "differences" not in found["at"][0]
    assert found["untested"] in told(capsys, *conditioned("choose", files, *two)).out
    columns, source = labelled(files)
    known = answered(capsys, "choose", source, *columns, *two, "--prior", "10%")["result"]
    assert known["untested"] is None
    assert known["at"][0]["differences"]


# Every command with --prior-from, and what it does about the error of the estimate.
JOINT = {"show", "choose", "gate"}
OVER_ITS_INTERVAL = {"choose", "show"}  # with --kind, or a range of costs
NO_INTERVALS = {"curve", "triage"}
REFUSED = {"compare", "slices", "report"}
GIVEN_ONLY = {"calc", "table", "plan"}  # a base rate that is given, never one that is estimated


def test_no_command_takes_the_estimate_as_known():
    """Each of these kinds is tested here: together in the intervals, over the whole interval,
    without any interval, or refused.
    """
    every = {
        name: {parameter.name for parameter in cli.get_command(None, name).params}
        for name in commands()
    }
    taking = {name for name, there in every.items() if "prior_from" in there}
    assert taking == JOINT | OVER_ITS_INTERVAL | NO_INTERVALS | REFUSED
    others = {name for name, there in every.items() if "priors" in there} - taking
    assert others == GIVEN_ONLY


# One call of every command with --prior-from: m is the model that the base rate is estimated with.
EVERY = {
    "show": ("show", "FILE", "--threshold", "0.3"),
    "choose": ("choose", "FILE", "--rule", "tpr >= 0.5"),
    "gate": ("gate", "FILE", "precision >= 0.05", "--threshold", "0.3"),
    "choose, over it": ("choose", "FILE", "--cost", "fn=20,fp=1", "--kind", "unknown"),
    "choose, alerts over it": (
        "choose",
        "FILE",
        *("--rule", "alerts <= 100", "--volume", "1000", "--kind", "unknown"),
    ),
    "show, over it": (
        "show",
        "FILE",
        *("--measure", "precision", "--threshold", "0.3", "--kind", "unknown"),
    ),
    "show, alerts over it": (
        "show",
        "FILE",
        "--kind",
        "unknown",
        "--measure",
        "alerts",
        "--threshold",
        "0.3",
        "--volume",
        "1000",
    ),
    "show, a rule on alerts over it": (
        "show",
        "FILE",
        "--kind",
        "unknown",
        "--measure",
        "precision",
        "--rule",
        "alerts <= 100",
        "--volume",
        "1000",
    ),
    "curve": ("curve", "broc", "FILE"),
    "curve, decision": ("curve", "decision", "FILE"),
    "choose, all base rates": ("choose", "FILE", *WITHIN),
    "triage": ("triage", "FILE", "--review", "2", "--cost", "fn=100,fp=5"),
    "compare": ("compare", "FILE", "--score", "m2", "--replicates", "100"),
    "slices": ("slices", "FILE", "--group", "m2", "--threshold", "0.3"),
    "report": ("report", "FILE", "-o", "OUT"),
}


def test_every_command_that_takes_an_estimate_is_called_here():
    assert {
        asked[0] for asked in EVERY.values()
    } == JOINT | OVER_ITS_INTERVAL | NO_INTERVALS | REFUSED


@pytest.mark.parametrize("asked", EVERY.values(), ids=EVERY)
def test_the_error_of_the_estimate_is_in_every_answer_or_it_is_refused_or_told(
    capsys, files, asked
):
    """Precision is wider than at the same base rate taken as known; or the answer covers the
    interval; or it says that it does not.
    """
    given = [
        {"FILE": files / "scores.csv", "OUT": files / "out.html"}.get(part, part) for part in asked
    ]
    columns, _ = labelled(files)
    done = told(
        capsys,
        *given,
        *columns,
        "--prior-from",
        files / "field.csv",
        *(["--json"] if asked[0] != "report" else []),
    )
    if asked[0] in REFUSED or any("alerts" in part for part in asked):
        assert done.status == 2
        assert "BR647" in done.out + done.err
        return
    found = json.loads(done.out)
    note = next(note["text"] for note in found["notes"] if note["code"] == "BR544")
    over = "--kind" in asked
    if asked[0] in JOINT and not over and "--all-priors" not in asked:
        known = json.loads(
            told(capsys, *given, *columns, "--prior", repr(ESTIMATE.value), "--json").out
        )
        assert widths_of(found, "precision") > 1.05 * widths_of(known, "precision")
        assert "intervals include its error" in note
    elif over:
        assert asked[0] in OVER_ITS_INTERVAL
        low, high = max(ESTIMATE.low, 0.5 / 1000), ESTIMATE.high
        assert f"the answer covers all base rates from {low:.4g} to {high:.4g}" in note
        answer = found["result"] if asked[0] == "choose" else found["expectations"][0]
        prior = answer["at"]["prior"]
        assert prior == {"low": low, "high": high, "kind": "range"}
    else:
        assert asked[0] in NO_INTERVALS or "--all-priors" in asked
        assert (
            f"does not include its error: read it at {max(ESTIMATE.low, 0.5 / 1000):.4g} and at"
            f" {ESTIMATE.high:.4g}, too" in note
        )


def widths_of(found, measure):
    """The width of the interval of a measure, or how far the bound of a requirement lies from what
    was observed.
    """
    if found["command"] == "gate":
        (check,) = found["result"]["verdict"]["checks"]
        return check["value"] - check["bound"]
    point = first_point(found)
    return point["intervals"][measure]["high"] - point["intervals"][measure]["low"]


OVER = ("--cost", "fn=20,fp=1", "--kind", "unknown")


def test_a_range_and_the_note_that_tells_it_agree_where_none_may_be_positive(capsys, files):
    """The range began at 0.0005 and the note said 0."""
    negatives = np.sort(SCORES[LABELS == 0])
    few = np.concatenate((negatives, negatives[-12:], SCORES[LABELS == 1][:4]))
    written(files / "few.csv", ["m"], ([score] for score in few.tolist()))
    found = answered(capsys, *conditioned("choose", files, *OVER, field="few.csv"))
    note = next(note["text"] for note in found["notes"] if note["code"] == "BR544")
    low = found["result"]["decision"]["at"]["prior"]["low"]
    assert low == 0.5 / len(few)
    assert f"from {low:.4g} to " in note.partition("the answer covers")[2]
    assert f"(half a case in {len(few)} stands for 0)" in note


def bounds_in(part):
    """Every interval in a document."""
    if isinstance(part, list):
        return [found for one in part for found in bounds_in(one)]
    if not isinstance(part, dict):
        return []
    return ([part] if "level" in part else []) + [
        found for one in part.values() for found in bounds_in(one)
    ]


@pytest.mark.parametrize(
    "asked",
    [
        ("curve", "broc"),
        ("choose", *WITHIN),
        ("triage", "--review", "2", "--cost", "fn=100,fp=5"),
    ],
    ids=lambda asked: asked[0],
)
def test_what_prints_no_interval_needs_none(capsys, files, asked):
    columns, source = labelled(files)
    given = ("curve", "broc", source) if asked[0] == "curve" else (asked[0], source, *asked[1:])
    found = answered(capsys, *given, *columns, "--prior-from", files / "field.csv")
    assert bounds_in(found) == []
    assert "BR544" in [note["code"] for note in found["notes"]]


def test_what_is_expected_is_told_over_the_whole_interval(capsys, files):
    found = answered(
        capsys,
        *conditioned(
            "show", files, "--measure", "precision", "--threshold", "0.3", "--kind", "unknown"
        ),
    )
    assert found["expectations"][0]["at"]["prior"] == {
        "low": max(ESTIMATE.low, 0.5 / 1000),
        "high": ESTIMATE.high,
        "kind": "range",
    }


@pytest.mark.parametrize(
    "more",
    [["--replicates", "100", "--rule", "tpr >= 0.5"], ["--cluster", "m2", "--threshold", "0.3"]],
)
def test_other_ways_to_an_interval_are_refused_beside_an_estimate(capsys, files, more):
    assert refused(capsys, *conditioned("show", files, *more)).split(":")[0] in (
        "error BR002",
        "error BR647",
    )


def test_a_decision_is_made_over_the_whole_interval(capsys, files):
    done = told(capsys, *conditioned("choose", files, *OVER))
    low = max(ESTIMATE.low, 0.5 / 1000)
    assert done.out.startswith("Use m at score ≥ ")
    assert (
        f" At base rates from {100 * low:.4g}% to {100 * ESTIMATE.high:.4g}%, costs (fp = 1, fn ="
        " 20), "
    ) in done.out
    assert "note BR544: " in done.err


def test_scores_that_moved_are_told_beside_the_choice(capsys, files):
    found = answered(capsys, *conditioned("choose", files, field="moved.csv"))
    assert {"BR538", "BR544"} <= {note["code"] for note in found["notes"]}


def test_no_positives_seen_is_no_base_rate_to_plan_for(capsys, files):
    written(
        files / "none.csv",
        ["m"],
        ([score] for score in np.sort(SCORES[LABELS == 0])[:300].tolist()),
    )
    line = refused(capsys, *conditioned("choose", files, field="none.csv"), status=3)
    assert line.startswith("error BR537: --prior-from: the estimate is 0 (95 % from 0 to ")


def test_no_input_is_overwritten(capsys, files):
    assert told(capsys, *asked(files, "-o", files / "scores.csv", "--force")).err.startswith(
        "error BR804"
    )
    done = told(capsys, *conditioned("choose", files, "-o", files / "field.csv", "--force"))
    assert done.err.startswith("error BR804")


@pytest.mark.parametrize("command", ["show", "choose", "compare"])
def test_two_base_rates_are_refused(capsys, files, command):
    assert refused(capsys, *conditioned(command, files, "--prior", "1%")).startswith(
        "error BR503: a base rate and a sample to estimate it from are both given"
    )


def test_a_pilot_beside_an_estimate_is_refused(capsys, files):
    assert refused(capsys, *conditioned("choose", files, "--pilot", "1/50")).startswith(
        "error BR503: a base rate and a sample to estimate it from are both given"
    )


def test_flagging_nothing_or_everything_flags_exactly_that_of_the_field(capsys, files):
    columns, source = labelled(files)
    field = ("--prior-from", files / "field.csv", "--cost", "fn=20,fp=1", "--volume", "1000")
    found = answered(capsys, "choose", source, *columns, *field)
    rows = found["result"]["baselines"]
    for name, share in (("flag nothing", 0), ("flag everything", 1)):
        known = rows[name]["intervals"]["posfrac"]
        assert (known["low"], known["high"], known["method"]) == (share, share, "exact")
