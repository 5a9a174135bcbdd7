"""Rules as people write them, what is refused, and what is said where no point keeps them."""

import pytest

import baserate as br

COUNTS = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])


def assert_refused(rule, code, match, **asked):
    with pytest.raises(br.InputError, match=match) as caught:
        br.choose(COUNTS, rule, **asked)
    assert caught.value.code == code
    assert "Fix: " in str(caught.value)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("recall >= 0.8", "tpr >= 0.8"),
        ("Sensitivity>=80%", "tpr >= 0.8"),
        ("P_D ≥ 80 %", "tpr >= 0.8"),
        ("  hit rate   >=   .8  ", "tpr >= 0.8"),
        ("tpr >= 8e-1", "tpr >= 0.8"),
        ("purity >= 12.5% AND POSfrac ≤ 50%", "precision >= 0.125 and posfrac <= 0.5"),
        ("type I error <= 5% and power >= 0.1", "fpr <= 0.05 and tpr >= 0.1"),
        ("F-beta(beta=2) >= 0.1", "f_beta(beta=2) >= 0.1"),
        ("f2 >= 0.1", "f_beta(beta=2) >= 0.1"),
        (
            "weighted_accuracy(1, 1, 1, 1) >= 0.5",
            "weighted_accuracy(w1=1, w2=1, w3=1, w4=1) >= 0.5",
        ),
        ("LR+ >= 1.5", "lr_positive >= 1.5"),
        ("for <= 1%", "false_omission_rate <= 0.01"),
        ("number needed to evaluate <= 4", "nne <= 4"),
        ("tp >= 31\nand fp <= 100", "tp >= 31 and fp <= 100"),
        ("cost <= 0.5", "expected_cost <= 0.5"),
        ("informedness >= -0.5", "informedness >= -0.5"),
    ],
)
def test_rules_are_read_as_written_and_printed_by_the_one_name(written, printed):
    point = br.choose(COUNTS, written)
    assert point.rule == printed
    assert br.choose(COUNTS, printed) == point


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("alerts <= 1,000", "alerts <= 1000"),
        ("alerts <= 1 000 000", "alerts <= 1000000"),
        ("alerts <= 1k", "alerts <= 1000"),
        ("alerts <= 2.5 k per day", "alerts <= 2500"),
        ("caught >= 0.1k", "caught >= 100"),
        ("alarms <= 200/day", "alerts <= 200"),
        ("alerts <= 200 per hour", "alerts <= 200"),
        ("alerts <= 200 per a shift", "alerts <= 200"),
        ("workload <= 2e3", "alerts <= 2000"),
        ("caught >= 100 and false alerts <= 9000", "caught >= 100 and false_alarms <= 9000"),
        ("escapes <= 500", "missed <= 500"),
    ],
)
def test_rules_on_numbers_of_cases_take_a_volume(written, printed):
    assert br.choose(COUNTS, written, volume=10_000).rule == printed


@pytest.mark.parametrize(
    ("rule", "match"),
    [
        ("", "the rule is empty"),
        ("   ", "the rule is empty"),
        (0.8, "a rule is a short text, got 0.8"),
        ("tpr", 'cannot read "tpr" as a rule'),
        ("tpr 0.8", "cannot read"),
        ("tpr >=", "cannot read"),
        ("tpr >= 0.8 and", "is not a number"),
        ("tpr > 0.8", '">" in "tpr > 0.8": a limit is written >= or <='),
        ("tpr < 0.8", "a limit is written >= or <="),
        ("tpr = 0.8", "a limit is written >= or <="),
        ("tpr == 0.8", "a limit is written >= or <="),
        ("tpr => 0.8", "a limit is written >= or <="),
        ("tpr >= high", '"high" is not a number'),
        ("tpr >= 0,8", '"0,8" is not a number'),
        ("tpr >= nan", "is not a number"),
        ("tpr >= 80", 'tpr lies between 0 and 1, got 80. Fix: "tpr >= 80%"'),
        ("tpr >= 120%", "tpr lies between 0 and 1, got 120%"),
        ("tpr >= -0.1", "tpr lies between 0 and 1"),
        ("informedness >= -2", "informedness lies between -1 and 1"),
    ],
)
def test_what_is_no_rule_is_refused(rule, match):
    assert_refused(rule, "BR533", match)


def test_a_percentage_of_cases_is_refused():
    assert_refused(
        "alerts <= 5%",
        "BR533",
        "alerts counts cases, got a percentage. Fix: limit posfrac",
        volume=1000,
    )


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("recall > 80%", '"recall >= 80%"'),
        ("recall = 80%", '"recall >= 80%"'),
        ("recall == 0.8", '"recall >= 0.8"'),
        ("fall-out < 5%", '"fall-out <= 5%"'),
        ("fpr =< 0.05", '"fpr <= 0.05"'),
    ],
)
def test_a_sign_that_is_none_is_mended_in_the_words_of_the_rule(written, fix):
    assert_refused(written, "BR533", f"Fix: {fix}")


@pytest.mark.parametrize("volume", [None, 1000])
@pytest.mark.parametrize(
    "rule", ["alerts(volume=1000) <= 200", "caught(volume=1000) >= 5", "workload(1000) <= 200"]
)
def test_a_volume_is_said_beside_the_rule_and_not_inside(rule, volume):
    assert_refused(rule, "BR533", "give the volume once, beside the rule", volume=volume)


@pytest.mark.parametrize("limit", ["1e201", "-1e201", "1e300", "1e400"])
def test_limits_beyond_every_cost_are_refused(limit):
    assert_refused(f"cost <= {limit}", "BR533", "expected_cost lies between|is not a number")


@pytest.mark.parametrize("limit", ["1e30", "1e79", "1e80", "1e199"])
def test_a_rule_with_a_large_limit_prints_as_what_parses_back(limit):
    printed = br.choose(COUNTS, f"cost <= {limit}").rule
    assert br.choose(COUNTS, printed).rule == printed


def test_nns_is_no_synonym_any_more():
    assert_refused("NNS <= 4", "BR531", 'unknown measure "NNS"')


@pytest.mark.parametrize(
    "rule",
    [
        "tpr >= " + "9" * 100_000,
        "tpr" * 100_000,
        "tpr >= 0.5" + " and tpr >= 0.5" * 10_000,
        "(" * 100_000 + " >= 1",
        "tpr >= 0.5 and" + " " * 100_000 + "fpr <= 1",
        "f_beta(" + "beta=2," * 20_000 + ") >= 0.5",
        " " * 100_000,
    ],
)
def test_rules_of_any_length_are_refused_at_once(rule):
    assert_refused(rule, "BR533", "a rule is a short text|the rule is empty")


def test_unknown_measures_in_rules_are_refused_with_a_hint():
    assert_refused(
        "recal >= 0.8", "BR531", r'unknown measure "recal"; did you mean "recall" \(here: tpr\)\?'
    )
    assert_refused("zzzz >= 0.8", "BR531", "unknown measure")
    assert_refused("tpr >= 0.8, fpr <= 0.1", "BR533", 'join several by "and"')
    assert_refused("0.1 <= tpr <= 0.9", "BR533", 'join several by "and"')
    assert_refused("f_beta >= 0.8", "BR532", "f_beta needs beta")


def test_row_82_budgets_need_a_volume():
    assert_refused(
        "alerts <= 200",
        "BR520",
        r"200 alerts: of how many cases\? Fix: volume=1_000_000, the number of cases per day",
    )
    assert_refused("alerts <= 200/hour", "BR520", "the number of cases per hour")
    assert_refused("caught >= 5", "BR520", "5 caught: of how many cases")


@pytest.mark.parametrize("budget", ["0", "-1", "0.5"])
def test_row_82_a_budget_below_one_alert_is_refused(budget):
    assert_refused(
        f"alerts <= {budget}", "BR521", f"a budget is at least 1 alert, got {budget}", volume=1000
    )


def infeasible(rule, counts=COUNTS, **asked):
    with pytest.raises(br.Infeasible, match="BR530") as caught:
        br.choose(counts, rule, **asked)
    assert isinstance(caught.value, br.InputError)
    return caught.value.problems[0].text


def test_row_86_an_infeasible_rule_says_what_is_feasible_both_ways():
    text = infeasible("tpr >= 0.8 and posfrac <= 1%", at=br.Conditions(0.01))
    assert (
        text
        == "no threshold has tpr >= 0.8 and posfrac <= 0.01: the highest tpr with posfrac <= 0.01"
        " is 0, flagging nothing; the lowest posfrac with tpr >= 0.8 is 0.108, at threshold 0.6"
    )


def test_row_86_exact_numbers_of_the_nearest_feasible_at_the_samples_prior():
    text = infeasible("recall >= 0.7 and precision >= 50%")
    assert "the highest tpr with precision >= 0.5 is 0.6, at threshold 0.9" in text
    assert f"the highest precision with tpr >= 0.7 is {45 / 145:.6g}, at threshold 0.6" in text


def test_row_86_one_impossible_term_names_its_own_limit():
    assert (
        infeasible("precision >= 0.99")
        == "no threshold has precision >= 0.99: the highest precision is 0.75, at threshold 0.9"
    )
    text = infeasible("precision >= 0.99 and tpr >= 0.9")
    assert "the highest precision with tpr >= 0.9 is 0.310345, at threshold 0.6" in text
    assert "highest tpr" not in text


def test_row_86_terms_of_which_none_can_be_relaxed_alone_say_how_far_each_goes_by_itself():
    assert infeasible("tpr <= 0 and tpr >= 1 and precision >= 0.99").endswith(
        ": each for itself, the lowest tpr is 0, flagging nothing; the highest tpr is 1, at"
        " threshold 0.3; the highest precision is 0.75, at threshold 0.9"
    )


def test_row_86_recall_against_a_budget_says_the_alerts_it_needs():
    text = infeasible("tpr >= 0.9 and alerts <= 200", at=br.Conditions(0.01), volume=100_000)
    assert "the lowest alerts with tpr >= 0.9 is 10800, at threshold 0.6" in text
    assert "the highest tpr with alerts <= 200" in text


def test_row_86_the_nearest_feasible_under_a_budget_uses_the_tie_too():
    """200 of the 1,590 alerts at 0.9 catch 200/1590 of its 600 in 1,000: what `choose` itself would
    answer.
    """
    best = br.choose(COUNTS, "alerts <= 200", at=br.Conditions(0.01), volume=100_000).tpr
    text = infeasible("tpr >= 0.9 and alerts <= 200", at=br.Conditions(0.01), volume=100_000)
    assert f"the highest tpr with alerts <= 200 is {best:.6g}" in text


def test_two_budgets_are_both_kept():
    point = br.choose(
        COUNTS, "alerts <= 200 and alerts <= 100", at=br.Conditions(0.01), volume=100_000
    )
    assert point["alerts"] == pytest.approx(100)


def test_a_rule_that_holds_where_the_objective_is_undefined_is_not_called_impossible():
    text = infeasible("posfrac <= 0", optimize="precision")
    assert "no threshold has posfrac <= 0" not in text
    assert "precision is defined at no threshold" in text


@pytest.mark.parametrize(("rule", "value"), [("tpr >= 0.9", 0.6), ("fnr <= 0.1", 0.4)])
def test_a_share_of_a_tie_is_told_as_the_nearest_feasible_only_where_it_is_nearer(rule, value):
    """The budget ends among negatives alone, of which any share finds as many positives."""
    counts = br.Counts([3, 2, 1], positives=[6, 0, 4], negatives=[0, 50, 40])
    text = infeasible(f"{rule} and alerts <= 20", counts, volume=100)
    nearest = text.partition(": ")[2].partition(";")[0]
    assert nearest.endswith(f"{value}, at threshold 3")


@pytest.mark.parametrize(
    ("limit", "printed"),
    [
        (10**15 - 1, "999999999999999"),
        (10**15, "1000000000000000.0"),
        (-(10**15), "-1000000000000000.0"),
        (0.5, "0.5"),
    ],
)
def test_limits_are_printed_as_whole_numbers_up_to_what_floats_hold(limit, printed):
    assert br.choose(COUNTS, f"cost >= {-abs(limit)}").rule == (
        f"expected_cost >= -{printed.removeprefix('-')}"
    )


def test_a_measure_that_is_defined_nowhere_is_said_to_be():
    only = br.Counts([2, 1], positives=[3, 4], negatives=[0, 0])
    assert infeasible("fpr <= 0.1", only) == ("no threshold has fpr <= 0.1: fpr is defined nowhere")
    assert infeasible("fpr <= 0.1 and tnr >= 0.5", only).endswith(
        ": each for itself, fpr is defined nowhere; tnr is defined nowhere"
    )
