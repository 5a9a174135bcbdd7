"""`choose`, `calc` and the operating points of `show`, run as a person runs them."""

import json
import random
import re

import pytest
from tests.cli.helpers import VALID, run, told, written

import baserate as br

A = (
    [400, 300, 300, 250, 200, 150, 150, 100, 100, 50],
    [20, 40, 100, 240, 600, 2000, 5000, 10000, 20000, 60000],
)
B = (
    [500, 150, 100, 100, 150, 250, 250, 250, 150, 100],
    [10, 20, 70, 200, 700, 3000, 9000, 15000, 25000, 45000],
)
ROWS = ("--label", "fraud", "--score", "a", "--score", "b")


def scores_of(cells):
    return [
        grade for grade, count in zip(range(9, -1, -1), cells, strict=True) for _ in range(count)
    ]


@pytest.fixture(scope="module")
def frauds(tmp_path_factory):
    """USERS.md's fixture as a file of 100,000 rows."""
    path = tmp_path_factory.mktemp("frauds") / "scores.csv"
    rows = [(1, a, b) for a, b in zip(scores_of(A[0]), scores_of(B[0]), strict=True)]
    rows += [(0, a, b) for a, b in zip(scores_of(A[1]), scores_of(B[1]), strict=True)]
    path.write_text("fraud,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    return str(path)


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("y,m\n1,0.95\n1,0.8\n0,0.7\n1,0.6\n0,0.4\n0,0.3\n0,0.2\n0,0.1\n")
    return str(path)


def answered(*arguments, status=0):
    """The JSON answer, valid by the schema."""
    done = run(*arguments, "--json")
    assert done.returncode == status, done.stderr
    document = json.loads(done.stdout)
    VALID.validate(document)
    return document


def test_scenario_3_in_one_command(frauds):
    field = ("--prior", "1 in 1000", "--volume", "1,000,000")
    done = run("choose", frauds, "alerts <= 200", *ROWS, *field, "--notes")
    assert done.returncode == 0
    first = done.stdout.splitlines()[0]
    assert (
        first
        == "Use b (56.8 % of those at 9, drawn at random). At a base rate of 0.1% (1 in 1,000) and"
        " alerts <= 200 of 1,000,000, it catches 142 of 1,000 positives in 200 alerts (71 % real);"
        " a catches 99. The difference is significant (p < 0.001)."
    )
    assert (
        'note BR523: "a": the budget ends among the cases at 9: 49.5 % of them are flagged'
        in done.stderr
    )
    points = answered("choose", frauds, "alerts <= 200/day", *ROWS, *field)["result"]["points"]
    caught = {name: point["caught"] for name, point in points.items()}
    assert {name: round(value, 3) for name, value in caught.items()} == {"a": 99.040, "b": 142.070}
    point = points["a"]
    assert (
        point["threshold"],
        point["certain"],
        point["lower_threshold"],
        round(point["share"], 3),
    ) == ("none", "none", 9, 0.495)
    assert point["best"]["tp"] == 400
    assert point["worst"]["tp"] == 0
    turned = run("choose", frauds, "alerts <= 1000", *ROWS, *field)
    first = turned.stdout.splitlines()[0]
    assert first == (
        "Use a (score ≥ 8, and 3.28 % of those at 7, drawn at random). At a base rate of 0.1% (1"
        " in 1,000) and alerts <= 1000 of 1,000,000, it catches 355 of 1,000 positives in 1,000"
        " alerts (1 in 2.8 real); b catches 349. The difference is not significant (p = 0.0725)."
    )


def test_scenario_4_at_one_base_rate(frauds):
    done = run(
        "choose", frauds, *ROWS, "--prior", "0.001", "--cost", "fp=5,fn=500", "--cost", "tp=5"
    )
    assert (
        "its cost per case is 0.1921 (b 0.3035). The difference is"
        " significant (p < 0.001)." in done.stdout
    )


def test_json_says_what_python_says(frauds):
    document = answered(
        "choose", frauds, "recall >= 0.8", *ROWS, "--prior", "0.1%,1e-4", "--cost", "fn=100,fp=1"
    )
    a = br.Counts(range(9, -1, -1), *A)
    for result, prior in zip(document["result"], (0.001, 0.0001), strict=True):
        point = result["points"]["a"]
        ours = br.choose(
            a, "tpr >= 0.8", at=br.Conditions(prior=prior, costs=br.Costs(fp=1, fn=100))
        )
        assert point["rule"] == "tpr >= 0.8"
        assert point["at"] == {
            "prior": prior,
            "as_in_sample": False,
            "costs_given": True,
            "costs": {"fp": 1, "fn": 100, "tp": 0, "tn": 0},
        }
        assert point["threshold"] == ours.threshold
        assert {name: point[name] for name in ("tp", "fp", "fn", "tn")} == {
            "tp": ours.tp,
            "fp": ours.fp,
            "fn": ours.fn,
            "tn": ours.tn,
        }
        for name in ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost"):
            assert point[name] == ours[name]
    assert {note["code"] for note in document["notes"]} >= {"BR526", "BR528"}


def test_show_reads_points_at_rules_thresholds_and_conditions(small):
    arguments = ("show", small, "--label", "y", "--score", "m")
    document = answered(
        *arguments,
        "--threshold",
        "0.5",
        "--threshold",
        "none",
        "--rule",
        "recall >= 50%",
        "--prior",
        "1%",
    )
    half, none, rule = document["models"][0]["points"]
    assert (half["threshold"], half["tp"], half["fp"], half["rule"]) == (0.5, 3, 1, None)
    assert (none["threshold"], none["precision"], none["undefined"]["precision"]) == (
        "none",
        None,
        "nothing flagged",
    )
    assert (rule["threshold"], rule["rule"], rule["optimized"]) == (
        0.8,
        "tpr >= 0.5",
        "expected_cost",
    )
    shown = run(*arguments, "--threshold", "none").stdout
    assert "flag nothing" in shown
    assert "—" in shown
    by_rule = run(*arguments, "--rule", "recall >= 50%", "--notes").stderr
    assert (
        "note BR528: the threshold was chosen and evaluated on the same data, so these figures are"
        " optimistic; evaluate on held-out data: choose --test FILE\n" in by_rule
    )
    assert (
        run(*arguments, "--cost", "fn=10").stdout.count(
            "At the sample's base rate of 37.5%, costs (fp = 1, fn = 10), the cheapest threshold:"
        )
        == 1
    )


def test_show_without_conditions_shows_what_it_always_did(small):
    done = run("show", small, "--label", "y", "--score", "m")
    assert done.stdout.endswith("Conditions: base rate 37.5%, as in the sample.\n")


def test_what_cannot_be_met_exits_with_3(small):
    arguments = ("choose", small, "recall >= 0.9 and fpr <= 10%", "--label", "y", "--score", "m")
    done = run(*arguments)
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith(
        "error BR530: no threshold has tpr >= 0.9 and fpr <= 0.1: the highest tpr with fpr <= 0.1"
        " is 0.666667, at threshold 0.8"
    )
    assert answered(*arguments, status=3)["errors"][0]["code"] == "BR530"


def test_a_model_that_cannot_keep_the_rule_is_named_and_the_others_are_answered(frauds):
    done = run("choose", frauds, "precision >= 45% and tpr >= 0.3", *ROWS, "--prior", "0.1%")
    assert done.returncode == 0
    assert 'note BR530: "a": no threshold has precision >= 0.45 and tpr >= 0.3' in done.stderr
    assert done.stdout.splitlines()[0] == (
        "Use b at score ≥ 8. At a base rate of 0.1% (1 in 1,000), equal costs assumed (a miss"
        " counts like a false alarm) with precision >= 0.45 and tpr >= 0.3, its errors per case are"
        " 0.0009808."
    )
    assert "a      cannot satisfy the rule" in done.stdout
    document = answered(
        "choose", frauds, "precision >= 45% and tpr >= 0.3", *ROWS, "--prior", "0.1%"
    )
    assert document["result"]["models"] == ["b"]
    assert document["result"]["refused"]["a"].startswith(
        "no threshold has precision >= 0.45 and tpr >= 0.3"
    )
    assert any(note["code"] == "BR530" for note in document["notes"])


def test_other_goals_are_asked_for(frauds):
    goal = answered("choose", frauds, *ROWS, "--optimize", "F2")["result"]
    assert goal["optimized"] == "f_beta(beta=2)"


def test_case_control_files_need_a_base_rate(small):
    arguments = ("choose", small, "--label", "y", "--score", "m", "--design", "case-control")
    refused = run(*arguments)
    assert refused.returncode == 2
    assert refused.stderr.startswith("error BR509: the class totals were chosen")
    assert refused.stderr.endswith("Fix: --prior 0.1%.\n")
    assert answered(*arguments, "--prior", "0.1%")["result"]["at"]["prior"] == 0.001


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (("--prior", "0"), "BR503", "prior 0 means no positives ever"),
        (("--prior", "5"), "BR503", "Fix: 5% or 0.05."),
        (("--prior", "0,5%"), "BR503", "write a decimal point: 0.5%"),
        (("--prior", "often"), "BR503", 'prior "often" is not a share'),
        (("--cost", "fn=-500,tp=5"), "BR510", "if these are profits: --profit instead of --cost"),
        (("--cost", "fp=0"), "BR510", "flagging and not flagging cost the same for every negative"),
        (("--cost", "0,1,5,0"), "BR513", "--cost fn=100,fp=1"),
        (("--cost", "fnn=5"), "BR514", "did you mean fn?"),
        (("--cost", "fn=$5"), "BR514", "not a plain number"),
        (("--cost", "fn=5", "--profit", "tp=5"), "BR513", "costs and profits are given together"),
        (("--volume", "-1"), "BR520", "a volume is a number of cases above 0"),
        (("--optimize", "recal"), "BR531", 'did you mean "recall" (here: tpr)?'),
        (("--design", "matched"), "BR532", "--design case-control"),
    ],
)
def test_bad_conditions_are_one_line_that_says_what_to_write(small, options, code, text):
    done = run("choose", small, "--label", "y", "--score", "m", *options)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error {code}: ")
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("rule", "code", "text"),
    [
        (
            "alerts <= 200/day",
            "BR520",
            "200/day alerts: of how many cases? Fix: --volume 1000000, the number of cases per",
        ),
        ("recall > 0.8", "BR533", "a limit is written >= or <="),
        ("recall >= 80", "BR533", 'tpr lies between 0 and 1, got 80. Fix: "tpr >= 80%"'),
        ("recal >= 0.8", "BR531", 'did you mean "recall" (here: tpr)?'),
        ("f_beta >= 0.8", "BR532", "f_beta needs beta"),
    ],
)
def test_bad_rules_are_one_line_that_says_what_to_write(small, rule, code, text):
    done = run("choose", small, rule, "--label", "y", "--score", "m")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error {code}: ")
    assert text in done.stderr


def test_several_things_wrong_are_told_in_one_run(small):
    done = run("choose", small, "--label", "y", "--score", "m", "--prior", "5,0", "--cost", "fn=x")
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "error BR514",
        "error BR503",
        "error BR503",
    ]


def test_calc_derives_the_rest_or_names_the_contradiction():
    document = answered("calc", "--sensitivity", "0.90", "--specificity", "0.85", "--prior", "1%")
    rates = document["result"]["calculations"][0]["rates"]
    assert round(rates["precision"]["value"], 6) == 0.057143
    assert rates["nne"]["value"] == 17.5
    assert rates["tpr"]["given"]
    done = run("calc", "--tpr", "0.8", "--posfrac", "0.549", "--prior", "0.5", "--purity", "0.779")
    assert done.returncode == 2
    assert (
        "force precision to lie between 0.6824 and 0.7748 (about 0.7286), not at 0.779"
        in done.stderr
    )
    short = run("calc", "--tpr", "0.8", "--prior", "0.5")
    assert short.returncode == 2
    assert "error BR540: prior, tpr do not determine the rest: add 1 of fpr" in short.stderr


def test_help_of_every_command_has_examples():
    for command in ("show", "choose", "calc"):
        shown = run(command, "--help")
        assert shown.returncode == 0
        assert f"Examples:\n    baserate {command} " in shown.stdout


KEPT_AT_30 = "precision >= 0.5 and tpr >= 0.9"


def test_a_rule_that_one_of_several_base_rates_forbids_says_at_which_and_answers_the_others(small):
    arguments = ("choose", small, KEPT_AT_30, "--label", "y", "--score", "m", "--prior", "0.1%,30%")
    done = run(*arguments)
    assert done.returncode == 0
    first, second = done.stdout.splitlines()[:2]
    assert first == "At a base rate of 0.1% (1 in 1,000): no model can satisfy the rule."
    assert second == (
        "Use m at score ≥ 0.6, the threshold with the fewest errors. At a base rate of 30%, equal"
        " costs assumed (a miss counts like a false alarm) with precision >= 0.5 and tpr >= 0.9,"
        " its errors per case are 0.1400."
    )
    assert (
        "note BR530: at a base rate of 0.1% (1 in 1,000): no threshold has precision >= 0.5 and"
        " tpr >= 0.9" in done.stderr
    )
    document = answered(*arguments)
    assert document["result"][0]["refused"][0]["code"] == "BR530"
    assert document["result"][1]["points"]["m"]["at"]["prior"] == 0.3
    assert document["notes"][0]["text"].startswith(
        "at a base rate of 0.1% (1 in 1,000): no threshold has"
    )


def test_a_rule_that_the_samples_own_base_rate_forbids_says_so(small):
    arguments = (
        "choose",
        small,
        "posfrac <= 30% and tpr >= 0.9",
        "--label",
        "y",
        "--score",
        "m",
        "--prior",
        "sample,1%",
    )
    done = run(*arguments)
    assert done.returncode == 0
    assert "note BR530: at the sample's base rate: no threshold has" in done.stderr


def test_a_rule_that_every_base_rate_forbids_exits_with_3_and_names_each(small):
    done = run(
        "choose",
        small,
        "precision >= 99% and tpr >= 0.9",
        "--label",
        "y",
        "--score",
        "m",
        "--prior",
        "0.1%,1%",
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert [line.partition(": no threshold")[0] for line in done.stderr.splitlines()] == [
        "error BR530: at a base rate of 0.1% (1 in 1,000)",
        "error BR530: at a base rate of 1%",
    ]


def test_json_says_which_model_was_chosen_and_by_what(frauds):
    document = answered(
        "choose", frauds, "alerts <= 200", *ROWS, "--prior", "0.1%", "--volume", "1e6"
    )
    verdict = document["result"]
    assert (verdict["models"], verdict["rule"], verdict["optimized"], verdict["refused"]) == (
        ["b"],
        "alerts <= 200",
        "tpr",
        {},
    )
    assert set(verdict["values"]) == {"a", "b"}
    assert verdict["values"]["b"] == verdict["points"]["b"]["tpr"]
    assert verdict["at"] == verdict["points"]["a"]["at"]
    twins = answered(
        "choose", frauds, "--label", "fraud", "--score", "a", "--score", "b", "--prior", "1e-9"
    )
    assert twins["result"]["models"] == ["a", "b"], "flagging nothing costs both the same"


@pytest.mark.parametrize("extra", ["\x1b[31mred", "\x1b]0;title\x07", "\u202eevil"])
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_what_a_terminal_would_obey_is_escaped_in_messages(small, extra, as_json):
    for arguments in (
        ("choose", small, "tpr >= 0.5", extra),
        ("choose", small, f"tpr {extra} >= 0.5"),
        ("choose", small, "--optimize", extra),
    ):
        done = run(*arguments, "--label", "y", "--score", "m", *as_json)
        assert done.returncode == 2
        assert not any(character in done.stderr + done.stdout for character in "\x1b\x07\u202e")


@pytest.mark.parametrize(
    "volume", ["0,5", "0,500", "-5", "0", "many", "1e19", "inf", "nan", "5%", "9" * 1000]
)
def test_a_volume_is_a_number_of_cases(small, volume):
    done = run("choose", small, "--label", "y", "--score", "m", "--volume", volume)
    assert done.returncode == 2
    assert done.stderr.startswith("error BR520: a volume is a number of cases above 0, got ")


@pytest.mark.parametrize("threshold", ["1e400", "-1e400", "1e99999", "nan", "high", "9" * 1000, ""])
def test_a_threshold_is_a_number_that_floats_can_hold(small, threshold):
    done = run("show", small, "--label", "y", "--score", "m", f"--threshold={threshold}")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error BR529: a threshold is a number, or none to flag nothing; got "
    )


def test_costs_beyond_the_whole_numbers_of_floats_are_numbers_in_json(small):
    document = answered(
        "choose", small, "--label", "y", "--score", "m", "--cost", "fn=9007199254740993"
    )
    assert document["result"]["at"]["costs"] == {
        "fp": 1,
        "fn": 9007199254740992.0,
        "tp": 0,
        "tn": 0,
    }
    assert (
        answered("show", small, "--label", "y", "--score", "m", "--cost", "fn=1e99")["models"][0][
            "points"
        ][0]["at"]["costs"]["fn"]
        == 1e99
    )


def test_a_large_limit_is_shown(small):
    done = run("choose", small, "cost <= 1e90", "--label", "y", "--score", "m")
    assert done.returncode == 0


def test_the_former_name_of_the_false_omission_rate_stays_in_json():
    document = answered("calc", "--tpr", "0.9", "--tnr", "0.9", "--prior", "10%")
    rates = document["result"]["calculations"][0]["rates"]
    assert rates["fomr"] == rates["false_omission_rate"]
    assert (
        "false_omission_rate" in run("calc", "--tpr", "0.9", "--fomr", "1%", "--prior", "9%").stdout
    )


def test_calc_at_several_base_rates_is_a_column_each():
    arguments = ("calc", "--sensitivity", "90%", "--specificity", "85%", "--prior", "0.2%,1%,5%")
    done = run(*arguments)
    assert done.returncode == 0
    first, _, *lines = done.stdout.splitlines()
    assert first.startswith("At a base rate of 0.2% (1 in 500), 1.19 % of the positive results are")
    rows = {line.split()[0]: line.split()[1:] for line in lines}
    assert rows["prior"] == ["0.002000", "0.01000", "0.05000"]
    assert rows["precision"] == ["0.01188", "0.05714", "0.2400"]
    assert rows["nne"] == ["84.17", "17.50", "4.167"]
    document = answered(*arguments)
    assert [part["rates"]["prior"]["value"] for part in document["result"]["calculations"]] == [
        0.002,
        0.01,
        0.05,
    ]


def test_calc_refuses_a_decimal_comma_as_the_other_commands_do():
    done = run("calc", "--tpr", "0.9", "--tnr", "0.85", "--prior", "0,5%")
    assert done.returncode == 2
    assert "write a decimal point: 0.5%" in done.stderr


def test_calc_notes_odds_and_refuses_what_is_nothing_out_of_nothing():
    done = run("calc", "--tpr", "0.9", "--fpr", "0.1", "--prior", "1:99")
    assert done.stderr.startswith('note BR508: "1:99" is read as odds')
    assert run("calc", "--tpr", "0", "--fpr", "0", "--precision", "0.5").returncode == 2
    twice = run("calc", "--tpr", "0.9", "--recall", "0.9", "--prior", "1%")
    assert (twice.returncode, twice.stderr) == (
        2,
        "error BR542: tpr is given twice. Fix: give it once.\n",
    )


def test_show_of_chosen_totals_gives_no_base_rate(small):
    arguments = ("show", small, "--label", "y", "--score", "m", "--design", "case-control")
    done = run(*arguments)
    assert done.returncode == 0
    assert "base rate (prior)" not in done.stdout
    assert "positives (chosen)" in done.stdout
    assert "Conditions: no base rate, as the class totals were chosen (give --prior)" in done.stdout
    at = answered(*arguments)["models"][0]["at"]
    assert (at["prior"], at["as_in_sample"]) == (None, False)


def test_thresholds_of_chosen_totals_are_read_without_a_base_rate(small):
    arguments = (
        "show",
        small,
        "--label",
        "y",
        "--score",
        "m",
        "--design",
        "case-control",
        "--threshold",
        "0.5",
    )
    shown = run(*arguments).stdout
    assert "as in the sample" not in shown
    (point,) = answered(*arguments)["models"][0]["points"]
    assert (point["tpr"], point["precision"], point["at"]["prior"]) == (1.0, None, None)
    assert "so a prior must be given" in point["undefined"]["precision"]


def test_a_choice_that_needs_no_base_rate_is_made_on_chosen_totals(small):
    done = run(
        "choose",
        small,
        "tnr >= 0.95",
        "--label",
        "y",
        "--score",
        "m",
        "--design",
        "case-control",
        "--optimize",
        "recall",
    )
    assert done.returncode == 0
    assert done.stdout.startswith(
        "Use m at score ≥ 0.8, the threshold with the highest recall (tpr). With tnr >= 0.95, its"
        " recall (tpr) is 0.6667. The difference to flagging nothing (recall (tpr) 0.000) was not"
        " tested (only 3 positives: too few to resample).\n"
    )


def test_profits_are_told_as_profits(tmp_path, capsys):
    path = written(
        tmp_path / "loans.csv",
        ("default", "risk"),
        [(int(i % 10 == 0), 1 if i % 10 == 0 and i > 10 else i / 100) for i in range(100)],
    )
    words = ("choose", path, "--label", "default", "--score", "risk", "--prior", "5%")
    earned, spent = (
        told(capsys, *words, "--profit", "tn=40,fn=-600"),
        told(capsys, *words, "--cost", "tn=-40,fn=600,fp=0"),
    )
    assert earned.out.startswith(
        "Use risk at score ≥ 1, the most profitable threshold. At a base rate of 5%, profits (tn ="
        " 40, fn = -600), its profit per case is 32.00.\n"
    )
    assert "profit per case" in earned.out
    assert "cost" not in earned.out
    gained, cost = (
        next(line for line in done.out.splitlines() if line.startswith("flag nothing")).split()[-1]
        for done in (earned, spent)
    )
    assert float(gained) == -float(cost)


@pytest.fixture
def alike(tmp_path):
    """Three models of which two are equally good, and one is no better than chance."""
    rng = random.Random("alike")
    rows = []
    for case in range(1200):
        y, common = int(case < 200), rng.gauss(0, 1)
        forest, gbm = (1.5 * y + 0.7 * common + 0.7 * rng.gauss(0, 1) for _ in range(2))
        rows.append(f"{y},{forest:.6f},{gbm:.6f},{rng.random():.6f}\n")
    path = tmp_path / "alike.csv"
    path.write_text("y,forest,gbm,coin\n" + "".join(rows))
    return str(path)


THREE = ("--label", "y", "--score", "forest", "--score", "gbm", "--score", "coin")


def test_models_that_cannot_be_distinguished_are_named_together(alike):
    field = ("--prior", "1%", "--cost", "fn=30,fp=1")
    first = run("choose", alike, *THREE, *field).stdout.splitlines()[0]
    assert first == (
        "Use gbm at score ≥ 1.372. At a base rate of 1%, costs (fp = 1, fn = 30), its cost per case"
        " is 0.1933 (forest 0.1959, coin 0.2995). The difference to forest is not significant (p ="
        " 0.87); coin is significantly worse (p < 0.001)."
    )
    verdict = answered("choose", alike, *THREE, *field)["result"]
    choice = br.choose(
        br.count(alike, label="y", score=["forest", "gbm", "coin"]),
        at=br.Conditions(0.01, br.Costs(fn=30, fp=1)),
    )
    assert verdict["indistinguishable"] == ["forest", "gbm"] == list(choice.indistinguishable)
    assert verdict["untested"] is None
    for one, ours in zip(verdict["differences"], choice.differences, strict=True):
        assert one["models"] == list(ours.models)
        assert (one["value"], one["low"], one["high"], one["p_value"]) == (
            ours.value,
            ours.low,
            ours.high,
            ours.p_value,
        )
        assert (one["p_adjusted"], one["significant"], one["paired"]) == (
            ours.p_adjusted,
            ours.significant,
            True,
        )


def test_the_lead_is_in_a_table_with_its_interval(alike):
    shown = run("choose", alike, *THREE, "--optimize", "f1").stdout
    header = next(line for line in shown.splitlines() if line.startswith("model"))
    assert re.split("  +", header)[-2:] == ["lead of the best in f1", "p (Holm)"]
    assert "; the lead by delta (a formula that allows for choosing" in shown
    coin = next(line for line in shown.splitlines() if line.startswith("coin"))
    assert re.search(r"0\.\d+ \(0\.\d+ to 0\.\d+\) +< 1e-06$", coin)


def test_what_was_not_tested_says_why_and_what_to_type(alike, tmp_path):
    done = run("choose", alike, *THREE[:6], "--prior", "1%", "--cost", "fn=30", "--memory", "1GB")
    first = done.stdout.splitlines()[0]
    assert first == (
        "Use gbm at score ≥ 1.372. At a base rate of 1%, costs (fp = 1, fn = 30), its cost per case"
        " is 0.1933 (forest 0.1959). The difference was not tested (the models were counted"
        " separately, not on the same cases)."
    )
    lines = done.stdout.splitlines()
    place = lines.index("To test this difference, with all cases in memory:")
    command = lines[place + 1].removeprefix("baserate ")
    assert (
        command == f"compare {alike} --label y --score forest --score gbm"
        " --statistic expected_cost --prior 1% --cost fn=30"
    )
    assert run(*command.split(), "--replicates", "100").returncode == 0
    weighted = tmp_path / "weighted.csv"
    weighted.write_text(
        "y,w,a,b\n" + "".join(f"{i % 2},{1 + i % 3},{i % 7},{i % 5}\n" for i in range(60))
    )
    verdict = answered(
        "choose", str(weighted), "--label", "y", "--weight", "w", "--score", "a", "--score", "b"
    )["result"]
    assert (verdict["differences"], verdict["indistinguishable"]) == ([], None)
    assert "weighted" in verdict["untested"]


def test_saved_counts_of_several_models_are_tested_too(alike, tmp_path):
    saved = str(tmp_path / "alike.counts")
    assert run("count", alike, *THREE, "--output", saved).returncode == 0
    from_file, from_counts = (
        answered("choose", *words, "--prior", "1%")["result"]
        for words in ((alike, *THREE), (saved,))
    )
    assert from_file["differences"] == from_counts["differences"]
    two = answered("choose", saved, "--score", "forest", "--score", "coin", "--prior", "1%")[
        "result"
    ]
    assert [one["models"] for one in two["differences"]] == [["coin", "forest"]]


WITHIN = ("--rule", "fdr <= 80%", "--optimize", "tpr", "--all-priors")


def test_leaders_say_whether_the_lead_is_more_than_chance(alike):
    done = run("choose", alike, *THREE[:6], *WITHIN, "--prior", "1%")
    assert done.stdout.splitlines()[0] == (
        "With at most 80 % false alerts at a base rate of 1%, gbm has the highest recall: 0.3550"
        " (forest 0.2200); the difference to forest is not significant (p = 0.778)."
    )
    at = answered("choose", alike, *THREE[:6], *WITHIN, "--prior", "1%")["result"]["at"][0]
    assert set(at["indistinguishable"]) == {"forest", "gbm"}
    assert at["differences"][0]["statistic"] == "tpr"
    assert max(at["tpr"].values()) == pytest.approx(at["differences"][0]["values"][1])


def test_leaders_along_base_rates_are_tested_at_a_few_of_them(alike):
    done = run("choose", alike, *THREE[:6], *WITHIN)
    second = done.stdout.splitlines()[1]
    assert second.startswith("Tested at base rates of ")
    assert second.endswith(
        " (one level for all of them), no difference is significant (p = 1); --prior tests one base"
        " rate alone."
    )
    found = answered("choose", alike, *THREE[:6], *WITHIN)["result"]
    assert found["untested"] is None
    assert len(found["at"]) == 6
    assert all(not one["significant"] for at in found["at"] for one in at["differences"])
    assert all(len(at["indistinguishable"]) == 2 for at in found["at"])
    alone = answered("choose", alike, *THREE[:6], *WITHIN, "--prior", repr(found["at"][3]["prior"]))
    assert alone["result"]["at"][0]["differences"][0]["p_value"] == pytest.approx(
        found["at"][3]["differences"][0]["p_value"], rel=1e-6
    )


@pytest.fixture
def weak(tmp_path):
    """A score that is hardly worth anything, twice."""
    draw = random.Random(5)
    rows = [(int(i < 40), round(draw.gauss(0.3 * (i < 40), 1), 3)) for i in range(600)]
    return written(
        tmp_path / "weak.csv", ("y", "m", "again"), [(y, score, score) for y, score in rows]
    )


def test_an_answer_that_is_not_better_than_flagging_nothing_says_so_first(weak):
    asked = ("--label", "y", "--score", "m", "--cost", "fn=14,fp=1")
    first = run("choose", weak, *asked).stdout.splitlines()[0]
    assert first == (
        "Use m at score ≥ -0.324, the cheapest threshold. At the sample's base rate of 1 in 15,"
        " costs (fp = 1, fn = 14), its cost per case is 0.7983. m is not significantly better than"
        " flagging nothing (cost per case 0.9333; p = 0.357)."
    )
    verdict = answered("choose", weak, *asked)["result"]
    lead = verdict["lead_over_baseline"]
    assert verdict["unbeaten"] is None
    assert (
        lead["models"][0] in first.replace("flagging", "flag"),
        lead["models"][1],
        lead["significant"],
    ) == (True, "m", False)
    assert lead["low"] < 0 < lead["high"]


def test_an_answer_that_is_better_than_flagging_nothing_says_nothing_of_it(alike):
    done = run("choose", alike, *THREE, "--prior", "1%", "--cost", "fn=100,fp=1")
    assert "significantly better than flagging" not in done.stdout
    assert answered("choose", alike, *THREE, "--prior", "1%", "--cost", "fn=100,fp=1")["result"][
        "lead_over_baseline"
    ]["significant"]


def test_choose_names_columns_that_are_the_same(weak):
    said = (
        'note BR406: "m" and "again" have the same score for every case: is one of them the wrong'
        " column?"
    )
    both = ("--label", "y", "--score", "m", "--score", "again")
    assert [
        said in run(command, weak, *both, "--prior", "1%").stderr
        for command in ("choose", "compare")
    ] == [True, True]
    assert any(note["code"] == "BR406" for note in answered("choose", weak, *both)["notes"])
