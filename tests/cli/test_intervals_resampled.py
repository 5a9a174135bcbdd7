"""The intervals of `show` and `choose` at chosen thresholds, corrected for choosing them, and what
cannot be resampled.
"""

import pytest
from tests.cli.helpers import answered, first_point, refused, told, written
from tests.cli.helpers_intervals import ONE, TWO, cells, sample, tables, weighted_file

import baserate as br


@pytest.fixture
def scores(tmp_path):
    return weighted_file(tmp_path / "scores.csv")


@pytest.mark.parametrize(
    "arguments",
    [("choose", "recall >= 0.8"), ("show", "--rule", "recall >= 0.8")],
    ids=["choose", "show"],
)
def test_intervals_of_chosen_thresholds_are_those_of_their_field_value(scores, capsys, arguments):
    command, *rule = arguments
    asked = (command, scores, *rule, *ONE, "--prior", "5%")
    done = told(capsys, *asked)
    said = "), corrected for choosing the thresholds on the same data (400 resamples):\n"
    assert said in done.out
    point = first_point(answered(capsys, *asked))
    y, m, _ = sample()
    counts, at = br.count(y, m), br.Conditions(prior=0.05)
    for name in ("tpr", "fpr", "precision", "expected_cost"):
        ours = br.interval(counts, name, rule="tpr >= 0.8", at=at, replicates=400)
        given = point["intervals"][name]
        assert (given["low"], given["high"], given["method"]) == (
            pytest.approx(ours.low),
            pytest.approx(ours.high),
            ours.method,
        )
    assert point["intervals"]["tpr"]["low"] < 0.8, "in the field the rule may be broken"
    assert point["intervals"]["precision"]["method"] == "optimism-corrected jeffreys-draws"


def test_no_replicates_treat_the_thresholds_as_fixed_in_advance(scores, capsys):
    asked = ("choose", scores, *ONE, "--prior", "5%", "--cost", "fn=10", "--replicates", "0")
    said = "), ignoring that the thresholds were chosen on the same data:"
    assert f"{said}\n" in told(capsys, *asked).out
    found = first_point(answered(capsys, *asked))["intervals"]
    y, m, _ = sample()
    ours = br.interval(
        br.choose(br.count(y, m), at=br.Conditions(0.05, br.Costs(fn=10))), "expected_cost"
    )
    assert (found["expected_cost"]["low"], found["expected_cost"]["method"]) == (
        ours.low,
        "jeffreys-draws",
    )


def test_too_few_cases_to_resample_are_said_and_thresholds_treated_as_fixed(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "m"], [(0, 1), (1, 2), (0, 3), (1, 4)] * 2)
    done = told(capsys, "choose", path, *ONE)
    assert (
        "note BR626: only 4 positives: too few to resample, so intervals treat the thresholds as"
        " fixed in advance\n" in done.err
    )
    assert "), ignoring that the thresholds were chosen on the same data:\n" in done.out


def test_fewer_than_fifty_positives_are_noted_once(tmp_path, capsys):
    y = [int(i % 4 == 0) for i in range(120)]
    path = written(
        tmp_path / "x.csv", ["y", "m"], [(label, i % 17 + 6 * label) for i, label in enumerate(y)]
    )
    assert told(capsys, "choose", path, *ONE).err.count("note BR625: only 30 positives") == 1


def test_resamples_without_a_false_alarm_do_not_make_precision_certain(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ["y", "m"], [(0, 0)] * 40 + [(1, 1)] * 8 + [(1, 0)] * 2)
    found = first_point(answered(capsys, "choose", path, *ONE, "--prior", "1%"))["intervals"]
    assert (found["fpr"]["side"], found["fpr"]["low"]) == ("upper", 0)
    assert 0.05 < found["fpr"]["high"] < 0.2
    assert (found["precision"]["side"], found["precision"]["high"]) == ("lower", 1)
    assert found["precision"]["low"] < 0.2


def test_a_choice_follows_what_was_made_best(scores, capsys):
    asked = ("choose", scores, "fpr <= 10%", *ONE, "--optimize", "f1")
    point = first_point(answered(capsys, *asked))
    assert point["optimized"] == "f1"
    y, m, _ = sample()
    ours = br.interval(br.count(y, m), "f1", rule="fpr <= 10%", optimize="f1", replicates=400)
    assert point["intervals"]["f1"]["low"] == pytest.approx(ours.low)
    budget = answered(
        capsys, "choose", scores, "alerts <= 100", *ONE, "--prior", "5%", "--volume", "1000"
    )
    shared = first_point(budget)
    assert shared["intervals"]["alerts"]["low"] < 100 < shared["intervals"]["alerts"]["high"]
    assert (
        shared["intervals"]["caught"]["low"]
        < shared["caught"]
        < shared["intervals"]["caught"]["high"]
    )


def test_a_budget_that_ends_in_a_tie_has_intervals_too(tmp_path, capsys):
    path = written(
        tmp_path / "x.csv", ["y", "m", "n"], [(int(i % 3 == 0), i % 5, i) for i in range(60)]
    )
    arguments = ("choose", path, "alerts <= 10", *TWO, "--volume", "60")
    points = answered(capsys, *arguments)["result"]["points"]
    tied, cut = points["m"], points["n"]
    assert (tied["how"], cut["how"]) == ("tie", "threshold")
    for point in (tied, cut):
        assert point["intervals"]["tpr"]["low"] < point["tpr"] < point["intervals"]["tpr"]["high"]
        assert point["intervals"]["alerts"]["low"] < 10 < point["intervals"]["alerts"]["high"]
    fixed = answered(capsys, *arguments, "--replicates", "0")["result"]["points"]["m"]
    assert fixed["intervals"] == {}


def test_beside_a_rule_fixed_thresholds_keep_their_intervals_and_the_chosen_ones_are_resampled(
    scores, capsys
):
    arguments = ("show", scores, *ONE, "--threshold", "1", "--rule", "recall >= 0.8")
    (fixed, _), (still, resampled) = (
        (
            point["intervals"]["fpr"]
            for point in answered(capsys, *arguments, *more)["models"][0]["points"]
        )
        for more in (("--replicates", "0"), ("--replicates", "100"))
    )
    assert fixed == still
    assert (still["method"], resampled["method"]) == (
        "wilson",
        "optimism-corrected clopper-pearson",
    )


def test_the_same_seed_gives_the_same_intervals_and_is_in_the_document(scores, capsys):
    def found(*options):
        document = answered(
            capsys, "choose", scores, *ONE, "--prior", "5%", "--cost", "fn=10", *options
        )
        seed = document["request"]["seed"]
        return seed, first_point(document)["intervals"]["expected_cost"]

    for resampled in ((), ("--replicates", "100")):
        one, again, other = (found("--seed", seed, *resampled) for seed in ("3", "3", "4"))
        assert one == again
        assert one[0] == 3
        assert one[1] != other[1]


@pytest.mark.parametrize("command", ["show", "choose"])
@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--level", "95"), "BR580: a level lies between 0.5 and 1, got 95"),
        (("--level", "abc"), 'BR580: a level is a share, got "abc"'),
        (("--replicates", "5"), "BR580: a bootstrap takes 100 to 10,000,000 replicates, got 5"),
        (("--replicates", "-1"), "BR580: a bootstrap takes 100 to 10,000,000 replicates, got -1"),
        (("--replicates", "x"), "BR001: Invalid value for '--replicates'"),
        (
            ("--replicates", "100", "--seed", "-1"),
            "BR580: a seed is a whole number, 0 or more, got -1",
        ),
        (("--weight", "w", "--replicates", "100"), "BR583: these cases are weighted"),
    ],
)
def test_what_is_no_interval_is_refused_and_nothing_is_printed(
    scores, capsys, command, options, text
):
    assert text in refused(capsys, command, scores, *ONE, "--prior", "5%", *options)


@pytest.mark.parametrize("command", ["show", "choose"])
def test_a_negative_seed_is_refused_without_resamples_too(scores, capsys, command):
    assert "BR580" in refused(capsys, command, scores, *ONE, "--prior", "5%", "--seed", "-1")


def test_replicates_that_cannot_matter_are_refused(scores, capsys):
    assert "BR580: a bootstrap takes" in refused(
        capsys, "show", scores, *ONE, "--threshold", "1", "--replicates", "-1"
    )
    error = refused(capsys, "show", scores, *ONE, "--threshold", "1", "--replicates", "100")
    assert (
        error
        == "error BR594: --replicates is for chosen thresholds, and none is chosen here. Fix: leave"
        " it out, or give --rule.\n"
    )


@pytest.mark.parametrize("command", ["show", "choose"])
@pytest.mark.parametrize("options", [("--seed", "-1"), ("--replicates", "3")])
def test_seeds_and_replicates_are_checked_before_the_file_is_read(
    tmp_path, capsys, command, options
):
    assert "error BR580: " in refused(capsys, command, tmp_path / "nowhere.csv", *ONE, *options)


def test_what_cannot_be_met_is_3_with_or_without_resamples(scores, capsys):
    for more in ((), ("--replicates", "100")):
        error = refused(
            capsys, "choose", scores, "recall >= 0.99 and fpr <= 1%", *ONE, *more, status=3
        )
        assert error.startswith("error BR530: no threshold has tpr >= 0.99 and fpr <= 0.01")


def test_a_model_that_cannot_keep_the_rule_leaves_the_intervals_of_the_others(scores, capsys):
    y, _, n = sample()
    reachable = max(
        br.choose(br.count(y, n), threshold=float(cut)).tpr
        for cut in n
        if br.choose(br.count(y, n), threshold=float(cut)).fpr <= 0.1
    )
    rule = f"fpr <= 10% and recall >= {reachable + 0.01:.3f}"
    done = told(capsys, "choose", scores, rule, *TWO, "--replicates", "100")
    assert done.status == 0
    *_, table = tables(done.out)
    rows = {cells(line)[0]: line for line in table}
    assert " to " in rows["m"]
    assert " to " not in rows["n"]


def test_notes_stay_on_stderr(scores, capsys):
    done = told(capsys, "choose", scores, *ONE, "--prior", "1%", "--replicates", "100")
    assert "note BR528: the threshold was chosen and evaluated on the same data" in done.err
    assert "note" not in done.out
    assert "resampling" not in done.err, "progress is for terminals only"


def test_the_intervals_of_baselines_have_the_level_that_is_requested(scores, capsys):
    asked = ("choose", scores, *ONE, "--prior", "5%", "--cost", "fn=10", "--level", "90%")
    verdict = answered(capsys, *asked)["result"]
    levels = [
        one["level"] for base in verdict["baselines"].values() for one in base["intervals"].values()
    ]
    assert set(levels) == {0.9}
