"""The same words mean the same in every command, and what people type first works."""

import random
import re
import shlex

import pytest
from tests.cli.helpers import answered, first_point, refused, told, written

import baserate as br
from baserate.cli.main import COMMANDS, cli
from baserate.views.tables import cases

COLUMNS = ("--label", "y", "--score", "a")


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    rng = random.Random("words")
    rows = []
    for case in range(600):
        y = int(case < 120)
        rows.append((y, f"{rng.gauss(2 * y, 1):.4f}", f"{rng.gauss(y, 1):.4f}", f"s{case % 3}"))
    return written(tmp_path_factory.mktemp("words") / "scores.csv", ("y", "a", "b", "site"), rows)


@pytest.mark.parametrize("word", ["--prevalence", "--base-rate"])
@pytest.mark.parametrize("command", ["show", "choose"])
def test_a_base_rate_has_the_names_that_people_give_it(scores, command, word, capsys):
    asked = (command, scores, *COLUMNS, "--cost", "fn=10")
    assert answered(capsys, *asked, word, "1%") == answered(capsys, *asked, "--prior", "1%")


def test_every_prior_is_also_a_prevalence_and_help_lists_one_name():
    for name in COMMANDS:
        command = cli.get_command(None, name)
        for option in command.params:
            if option.name == "priors":
                assert {"--prior", "--prevalence", "--base-rate"} <= set(option.opts), name


def test_help_lists_one_name_of_an_option(capsys):
    text = told(capsys, "choose", "--help").out
    assert "--prior SHARE" in text
    assert "--prevalence" not in text


@pytest.mark.parametrize(
    "asked",
    [
        ("choose",),
        ("show",),
        ("compare", "--score", "b", "--statistic", "precision"),
        ("slices", "--by", "site"),
    ],
)
def test_a_rule_stands_behind_the_file_or_after_its_option(scores, asked, capsys):
    command, *more = asked
    rule = "recall >= 0.7"
    behind = answered(capsys, command, scores, rule, *COLUMNS, *more)
    named = answered(capsys, command, scores, "--rule", rule, *COLUMNS, *more)
    assert behind == named
    assert behind != answered(capsys, command, scores, "recall >= 0.5", *COLUMNS, *more)


def test_two_rules_are_refused_where_one_is_asked_for(scores, capsys):
    for command in (("choose",), ("compare", "--score", "b", "--statistic", "precision")):
        words = (command[0], scores, "recall >= 0.7", "--rule", "fpr <= 0.5", *COLUMNS)
        assert "BR533" in refused(capsys, *words, *command[1:])


def test_a_requirement_of_a_gate_may_be_named(scores, capsys):
    words = ("gate", scores, *COLUMNS, "--threshold", "0.5")
    named = told(capsys, *words, "--require", "recall >= 0.5")
    assert named == told(capsys, "gate", scores, "recall >= 0.5", *words[2:])
    both = (*words[:2], "recall >= 0.5", *words[2:], "--require", "recall >= 0.5")
    assert "BR533" in refused(capsys, *both)


def test_a_threshold_may_be_that_of_one_model(scores, capsys):
    words = ("show", scores, *COLUMNS, "--score", "b")
    mixed = answered(capsys, *words, "--threshold", "a=0.5", "--threshold", "0.25")
    found = {
        model["name"]: [point["threshold"] for point in model["points"]]
        for model in mixed["models"]
    }
    assert found == {"a": [0.5, 0.25], "b": [0.25]}
    assert 'no model "c"' in refused(capsys, *words, "--threshold", "c=0.5")
    sites = ("slices", scores, *COLUMNS, "--by", "site")
    named = answered(capsys, *sites, "--threshold", "a=0.5")["result"]
    assert named == answered(capsys, *sites, "--threshold", "0.5")["result"]
    assert 'no model "c"' in refused(capsys, *sites, "--threshold", "c=0.5")
    field = ("prior", scores, "--from", scores, *COLUMNS, "--replicates", "100")
    named = answered(capsys, *field, "--threshold", "a=0.5")["result"]
    assert named == answered(capsys, *field, "--threshold", "0.5")["result"]


def test_group_is_accepted_for_by(scores, capsys):
    words = ("slices", scores, *COLUMNS, "--threshold", "0.5")
    assert told(capsys, *words, "--group", "site") == told(capsys, *words, "--by", "site")


@pytest.mark.parametrize(
    ("command", "typed", "meant"),
    [
        ("choose", "--labels", "--label"),
        ("choose", "--prevalense", "--prevalence"),
        ("choose", "--judge", "--test"),
        ("show", "--statistic", "--measure"),
    ],
)
def test_an_unknown_option_says_what_was_meant(scores, command, typed, meant, capsys):
    line = refused(capsys, command, scores, typed, "x")
    assert f"there is no option {typed}; did you mean {meant}? Fix: see baserate" in line


def test_an_option_like_no_other_suggests_none(scores, capsys):
    assert "there is no option --xyzzy. Fix" in refused(capsys, "show", scores, "--xyzzy")


@pytest.mark.parametrize("command", ["show", "choose"])
def test_measures_are_the_columns(scores, command, capsys):
    words = (command, scores, *COLUMNS, "--prior", "1%", "--cost", "fn=10")
    words = (*words, "--measure", "specificity", "--measure", "lr_positive")
    lines = told(capsys, *words).out.splitlines()
    heads = [line.split() for line in lines if line.startswith("model") and "threshold" in line]
    assert heads[0] == ["model", "threshold", "tnr", "lr_positive"]
    point = first_point(answered(capsys, *words))
    assert point["lr_positive"] == pytest.approx(point["tpr"] / point["fpr"])
    assert {"tnr", "lr_positive"} <= set(point["intervals"])


def test_a_summary_is_a_measure_of_show(scores, capsys):
    one, other = (
        answered(capsys, "show", scores, *COLUMNS, option, "average_precision")
        for option in ("--measure", "--summary")
    )
    assert one == other
    assert "average_precision" in one["models"][0]["summaries"]
    assert "BR655" in refused(capsys, "show", scores, *COLUMNS, "--measure", "precision")


@pytest.mark.parametrize(
    ("name", "fix"),
    [("weighted_auc", "weighted_auc(alpha=0.1)"), ("partial_auc", "partial_auc(fpr=0..0.1)")],
)
def test_a_summary_that_needs_more_is_spelled_as_the_command_takes_it(scores, name, fix, capsys):
    line = refused(capsys, "show", scores, *COLUMNS, "--summary", name)
    assert line.endswith(f' Fix: --summary "{fix}".\n')
    assert told(capsys, "show", scores, *COLUMNS, "--summary", fix).status == 0


def test_show_reads_the_rest_at_a_fixed_measure(scores, capsys):
    words = ("show", scores, *COLUMNS, "--fix", "specificity=90.123%", "--prior", "1%")
    between, nearest = answered(capsys, *words)["models"][0]["points"]
    counts = br.count(scores, label="y", score="a")
    fixed = br.fix(counts, "tnr = 90.123%", at=br.Conditions("1%"))
    assert between["tpr"] == fixed.interpolated.tpr
    assert between["fpr"] == pytest.approx(0.09877)
    assert nearest["threshold"] == fixed.attained.threshold
    text = told(capsys, *words).out
    assert "where tnr = 90.123% (first between two thresholds, then at the nearest one):" in text
    exact = ("show", scores, *COLUMNS, "--fix", "specificity=90%", "--prior", "1%")
    (once,) = answered(capsys, *exact)["models"][0]["points"]
    assert once["fpr"] == pytest.approx(0.1)
    assert "where tnr = 90%:" in told(capsys, *exact).out
    assert "BR533" in refused(capsys, "show", scores, *COLUMNS, "--fix", "tpr")


def test_a_guarantee_that_flags_nearly_everything_says_so_first(tmp_path, capsys):
    rows = [(1, 0.9)] * 40 + [(1, 0.01)] + [(0, 0.02 + i / 1000) for i in range(59)] + [(0, 0.001)]
    path = written(tmp_path / "weak.csv", ("y", "s"), rows)
    words = ("choose", path, "--label", "y", "--score", "s", "--guarantee")
    first = told(capsys, *words, "recall >= 0.9").out.splitlines()[0]
    assert first.startswith(
        "These 41 positives can guarantee tpr >= 0.9 with 95 % confidence only by flagging 99.01 %"
        " of all cases. Use s at score ≥ "
    )
    assert "only by" not in told(capsys, *words, "precision >= 0.1").out


def test_the_interval_of_what_is_guaranteed_is_the_bound_that_meets_it(tmp_path, capsys):
    rows = [(1, 1 + i) for i in range(100)] + [(0, i / 10) for i in range(100)]
    path = written(tmp_path / "scores.csv", ("y", "s"), rows)
    words = ("choose", path, "--label", "y", "--score", "s", "--guarantee", "recall >= 0.9")
    done, found = told(capsys, *words), answered(capsys, *words)
    bound = first_point(found)["guarantee"]["requirements"][0]["bound"]
    title, _, table = done.out.partition("95 % intervals (")[2].partition("\n\n")
    assert title.endswith("; of what is guaranteed the one-sided bound:")
    shown = re.search(r">= (0\.9\d*)", table)
    assert float(shown[1]) <= bound < float(shown[1]) + 0.001
    assert bound >= 0.9


def test_a_rule_met_only_because_no_false_alarm_was_seen_says_so_first(tmp_path, capsys):
    rows = [(1, 0.9)] * 20 + [(0, i / 1000) for i in range(200)]
    path = written(tmp_path / "scores.csv", ("y", "s"), rows)
    words = ("choose", path, "--label", "y", "--score", "s", "--prior", "1e-5")
    first = told(capsys, *words, "--rule", "precision >= 0.5").out.splitlines()[0]
    found = first_point(answered(capsys, *words, "--rule", "precision >= 0.5"))
    low = found["intervals"]["precision"]["low"]
    assert (
        "where precision >= 0.5 is met only because no false alarm was seen among 200 negatives:"
        f" it may be as low as {low:.3g} (95 %)." in first.replace("0000", "")
    )
    assert "only because" not in told(capsys, *words, "--rule", "recall >= 0.5").out


def test_the_volume_stands_behind_the_budget_it_belongs_to(scores, capsys):
    words = ("choose", scores, "alerts <= 500 and recall >= 0.01", *COLUMNS, "--volume", "10000")
    assert "alerts <= 500 of 10,000 and tpr >= 0.01, it catches " in told(capsys, *words).out


def test_a_difference_that_is_not_significant_names_the_other_method(scores, capsys):
    words = ("choose", scores, "--label", "y", "--score", "a", "--score", "b", "--prior", "1%")
    hint = " (a formula that allows for choosing; --replicates 2000 resamples)"
    close = not answered(capsys, *words)["result"]["differences"][0]["significant"]
    assert close
    assert hint in told(capsys, *words).out
    assert hint not in told(capsys, *words, "--replicates", "100").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rule", "recall >= 0.5", "--rule", "fpr <= 0.1"], "BR533: two rules are given"),
        (["recall >= 0.5", "fpr <= 0.1"], "BR533: two rules are given"),
        (["--volume", "100", "--volume", "200"], "BR001: --volume is given twice"),
        (["--level", "90%", "--level", "95%"], "BR001: --level is given twice"),
    ],
)
def test_nothing_that_is_given_twice_is_dropped(scores, words, said, capsys):
    assert said in refused(capsys, "choose", scores, *COLUMNS, *words)


def test_of_two_rules_the_fix_is_one_that_the_command_accepts(scores, capsys):
    rules = ("recall >= 0.5", "fpr <= 0.1")
    assert 'Fix: join them by "and".' in refused(capsys, "choose", scores, *COLUMNS, *rules)
    show = refused(capsys, "show", scores, *COLUMNS, *rules)
    assert 'Fix: join them by "and", or give each by --rule.' in show
    each = [word for rule in rules for word in ("--rule", rule)]
    assert told(capsys, "show", scores, *COLUMNS, *each).status == 0


MODELS = ("--label", "y", "--score", "a", "--score", "b")
FIELD = ("--prior", "1%", "--volume", "10000")


@pytest.mark.parametrize("command", ["choose", "compare", "show"])
def test_a_budget_is_the_rule_on_alerts(scores, command, capsys):
    asked = (command, scores, *MODELS, *FIELD)
    expected = answered(capsys, *asked, "--rule", "alerts <= 200")
    for words in (("--budget", "200"), ("--max-alerts", "0.2k")):
        assert answered(capsys, *asked, *words) == expected


@pytest.mark.parametrize("command", ["choose", "compare"])
def test_a_budget_joins_the_rule_that_is_given(scores, command, capsys):
    asked = (command, scores, *MODELS, *FIELD)
    expected = answered(capsys, *asked, "--rule", "recall >= 0.1 and alerts <= 900")
    assert answered(capsys, *asked, "recall >= 0.1", "--budget", "900") == expected
    assert answered(capsys, *asked, "--rule", "recall >= 0.1", "--budget", "900") == expected


def test_a_budget_needs_a_volume_and_a_number(scores, capsys):
    asked = ("choose", scores, *MODELS, "--prior", "1%")
    assert "Fix: --volume 1000000 beside it." in refused(capsys, *asked, "--budget", "200")
    wrong = refused(capsys, *asked, "--volume", "1e4", "--budget", "few")
    assert 'a budget is a number of alerts, got "few"' in wrong


def test_several_scores_may_be_comma_separated(scores, capsys):
    expected = answered(capsys, "choose", scores, *MODELS)
    found = answered(capsys, "choose", scores, "--label", "y", "--score", "a, b")
    assert found["result"] == expected["result"]


@pytest.mark.parametrize(
    "asked", [("show", "--threshold", "1"), ("choose",), ("table", "--threshold", "1")]
)
def test_several_measures_may_be_comma_separated(scores, asked, capsys):
    command, *words = asked
    names = ("specificity", "lr+", "f_beta(beta=2)")
    each = [word for name in names for word in ("--measure", name)]
    expected = answered(capsys, command, scores, *COLUMNS, *words, *each)
    assert answered(capsys, command, scores, *COLUMNS, *words, "--measure", ",".join(names)) == (
        expected
    )


def test_a_column_whose_name_has_a_comma_is_one_score(tmp_path, capsys):
    path = written(tmp_path / "odd.csv", ("y", "a,b"), [(i % 2, i) for i in range(20)])
    found = answered(capsys, "show", path, "--label", "y", "--score", "a,b")
    assert [model["name"] for model in found["models"]] == ["a,b"]


def test_what_is_missing_is_named_at_once(scores, capsys):
    said = refused(capsys, "show", scores)
    assert (
        "--label and --score are missing: which column says which cases are positive, and" in said
    )
    assert said.endswith("(y, a, b, site)? Fix: --label COLUMN --score COLUMN.\n")
    pair = refused(capsys, "gate", scores, "--baseline", "a", "--candidate", "b")
    assert "--label is missing" in pair


def test_compare_takes_a_measure_and_suggests_one_that_the_rule_leaves_open(scores, capsys):
    asked = ("compare", scores, *MODELS)
    expected = answered(capsys, *asked, "recall >= 0.7", "--statistic", "specificity")
    assert answered(capsys, *asked, "recall >= 0.7", "--measure", "specificity") == expected
    assert "Fix: --statistic specificity." in refused(capsys, *asked, "recall >= 0.7")
    assert "Fix: --statistic recall." in refused(capsys, *asked, "fpr <= 0.1")


@pytest.mark.parametrize("name", ["roc", "precision:recall"])
def test_a_curve_is_named_before_or_behind_the_file(scores, name, capsys):
    expected = answered(capsys, "curve", name, scores, *COLUMNS)
    assert answered(capsys, "curve", scores, name, *COLUMNS) == expected


@pytest.mark.parametrize(("letter", "option"), [("-l", "--label"), ("-s", "--score")])
def test_a_letter_for_an_option_suggests_its_name(scores, letter, option, capsys):
    assert f"did you mean {option}?" in refused(capsys, "show", scores, letter, "y")


def test_net_benefit_is_read_at_the_probability_that_is_given(scores, capsys):
    asked = ("show", scores, *COLUMNS, "--threshold", "1", "--measure")
    by_name = answered(capsys, *asked, "net_benefit(t=0.02)")
    by_costs = answered(capsys, *asked, "net_benefit", "--cost", "fn=49,fp=1")
    (first,), (second,) = (found["models"][0]["points"] for found in (by_name, by_costs))
    assert first["net_benefit(t=0.02)"] == pytest.approx(second["net_benefit"])


@pytest.mark.parametrize(
    "asked",
    [("show", "--threshold", "1", "--measure"), ("choose", "--optimize"), ("choose", "--measure")],
)
def test_net_benefit_without_a_probability_or_costs_is_refused(scores, asked, capsys):
    command, *words = asked
    said = refused(capsys, command, scores, *COLUMNS, *words, "net_benefit")
    assert "net benefit needs the probability at which one would act" in said
    assert 'Fix: "net_benefit(t=0.02)", or --cost fn=49,fp=1.' in said


def test_over_a_range_the_usual_columns_are_shown_at_both_ends(scores, capsys):
    asked = ("show", scores, *COLUMNS, "--threshold", "1", "--volume", "10000")
    out = told(capsys, *asked, "--prior", "0.1%..1%").out
    for end in ("0.1%", "1%"):
        (line,) = (
            line
            for line in told(capsys, *asked, "--prior", end).out.splitlines()
            if ">= 1 " in line
            if " to " not in line
        )
        cells = line.split()[1:]
        (same,) = (
            row for row in out.splitlines() if row.split()[:1] == [end] and " to " not in row
        )
        assert same.split()[2:] == cells
    assert out.index("recall (tpr)") < out.index("At base rates from 0.1% to 1%")


def test_alerts_over_a_range_have_no_worst(scores, capsys):
    asked = ("show", scores, *COLUMNS, "--threshold", "1", "--volume", "10000")
    out = told(capsys, *asked, "--prior", "0.1%..1%", "--measure", "alerts").out
    assert re.search(r"a: alerts from [\d,]+ to [\d,]+, over the range\.", out)
    assert "worst" not in out


def test_with_costs_and_a_volume_the_sentence_counts(scores, capsys):
    asked = ("choose", scores, *MODELS, *FIELD, "--cost", "fn=100,fp=1")
    out = told(capsys, *asked).out
    point = first_point(answered(capsys, *asked))
    cost, caught, missed, alerts = (
        point[name] for name in ("volume_cost", "caught", "missed", "alerts")
    )
    said = (
        f", {cost:,.0f} per 10,000 cases, catching {caught:.0f} of {caught + missed:.0f} positives"
    )
    assert f"{said} in {alerts:,.0f} alerts (1 in " in out
    assert "catching" not in told(capsys, "choose", scores, *MODELS, *FIELD).out


def test_where_nothing_is_uncertain_no_table_of_intervals_is_shown(scores, capsys):
    out = told(capsys, "choose", scores, *COLUMNS, "--lower-is-positive", "--prior", "1%").out
    assert out.startswith("Flag nothing")
    assert "intervals (" not in out


def test_one_threshold_for_groups_speaks_of_groups(scores, capsys):
    done = told(capsys, "choose", scores, *MODELS, "--prior", "1%", "--by", "site")
    assert "the worst case is a base rate of 1% in group" in done.out
    assert "no test is available for one threshold over several groups" in done.out
    assert " at site" not in done.out


def test_notes_are_not_called_more_where_none_is_shown(tmp_path, capsys):
    rows = [(i % 2, 10 + i % 2 + i % 7) for i in range(80)]
    path = written(tmp_path / "percent.csv", ("y", "p"), rows)
    err = told(capsys, "show", path, "--label", "y", "--score", "p").err
    assert re.fullmatch(r"\d notes?: --notes\n", err)


@pytest.mark.parametrize(
    ("measure", "sign", "costs"),
    [("precision", ">=", ()), ("expected_cost", "<=", ("--cost", "fp=1,fn=10"))],
)
def test_a_gate_that_mixes_classes_prints_the_plan_of_its_cases(
    scores, measure, sign, costs, capsys
):
    def asked(limit):
        options = ("--threshold", "1", "--prior", "10%", *costs)
        return ("gate", scores, f"{measure} {sign} {limit}", *COLUMNS, *options)

    (check,) = answered(capsys, *asked(0 if sign == ">=" else 9))["result"]["verdict"]["checks"]
    done = told(capsys, *asked(f"{(check['value'] + check['bound']) / 2:.4f}"))
    assert "but not demonstrated: the " in done.out
    (line,) = (line for line in done.out.splitlines() if line.startswith("How many cases"))
    plan = told(capsys, *shlex.split(line.partition(": ")[2])[1:])
    assert plan.status == 0
    assert plan.out.split()[1] == "positives"


@pytest.mark.parametrize("volume", ["137", "20000"])
@pytest.mark.parametrize(
    ("words", "of_cases"),
    [
        (
            ("choose", "--rule", "alerts <= 60"),
            r"catches ([\d.,]+) of ([\d.,]+) .* ([\d.,]+) alerts",
        ),
        (
            ("compare", "--rule", "alerts <= 60", "--replicates", "100"),
            r"a ([\d.,]+), b ([\d.,]+); difference ([\d.,]+) \(95 % ([\d.,]+) to ([\d.,]+)\)",
        ),
        (("show", "--threshold", "1"), r"a +>= 1 .* ([\d.,]+) +([\d.,]+) +([\d.,]+)\n"),
    ],
    ids=("choose", "compare", "show"),
)
def test_numbers_of_cases_are_whole_or_have_one_decimal(scores, words, of_cases, volume, capsys):
    asked = (scores, *MODELS, *words[1:], "--prior", "1%", "--volume", volume)
    found = re.search(of_cases, told(capsys, words[0], *asked).out).groups()
    for number in found:
        whole, _, decimals = number.rstrip(",").replace(",", "").partition(".")
        assert len(decimals) <= (0 if int(whole) >= 10 else 1), number


@pytest.mark.parametrize(
    ("value", "said"),
    [(1594.8, "1,595"), (86.46, "86"), (9.96, "10"), (7.37, "7.4"), (3.0, "3"), (0.0, "0")]
    + [(0.034, "0.03"), (-7.37, "-7.4")],
)
def test_a_number_of_cases_in_words(value, said):
    assert cases(value) == said


@pytest.mark.parametrize("prior", ["0.5%", "1e-5"])
def test_a_plan_has_the_base_rate_in_the_words_of_the_others(prior, capsys):
    said = {
        "0.5%": "a base rate of 0.5% (1 in 200)",
        "1e-5": "a base rate of 0.001% (1 in 100,000)",
    }
    one = told(capsys, "plan", "recall >= 0.9", "--expect", "0.95", "--prior", prior).out
    rates = ("--expect", "tpr=0.9,fpr=0.000001", "--prior", prior)
    other = told(capsys, "plan", "precision >= 0.2", *rates).out
    assert said[prior] in one
    assert said[prior] in other
