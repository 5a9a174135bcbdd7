"""What so many cases can show, against binomial sums in whole numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.errors import InputError

TWENTIETH = Fraction(1, 20)


def tail(errors, cases, rate):
    """P(so many errors or fewer), exactly."""
    a, b = rate.numerator, rate.denominator
    return Fraction(
        sum(math.comb(cases, k) * a**k * (b - a) ** (cases - k) for k in range(errors + 1)),
        b**cases,
    )


def most_allowed(cases, limit, missed):
    """The most errors with which the bound still meets the limit; -1 for none. P(x or fewer) <=
    missed, summed term by term.
    """
    a, b = limit.numerator, limit.denominator
    whole, sum_so_far, allowed = b**cases, 0, -1
    for errors in range(cases):
        sum_so_far += math.comb(cases, errors) * a**errors * (b - a) ** (cases - errors)
        if sum_so_far * missed.denominator > missed.numerator * whole:
            return allowed
        allowed = errors
    return allowed


def numbers_that_fail(limit, rate, missed, power, most):
    """For every number of cases up to `most`: whether errors at just the rate fail to show it, and
    whether the power is too low.
    """
    at_rate, in_power = [], []
    for cases in range(1, most + 1):
        allowed = most_allowed(cases, limit, missed)
        if math.ceil(rate * cases) > allowed:
            at_rate.append(cases)
        if allowed < 0 or tail(allowed, cases, rate) < power:
            in_power.append(cases)
    return at_rate, in_power


class TestSupport:
    def test_none_in_forty_thousand_shows_no_less_than_the_rule_of_three_says(self):
        found = br.planning.sample_support(br.Confusion(tp=95, fp=0, fn=5, tn=40_000))
        assert (found.positives, found.negatives, found.misses, found.false_alarms) == (
            100,
            40_000,
            5,
            0,
        )
        assert f"{found.smallest_fpr_shown:.6g}" == "7.48905e-05"
        assert found.smallest_fpr_shown == pytest.approx(1 - 0.05 ** (1 / 40_000), rel=1e-11)
        assert found.smallest_fnr_shown == pytest.approx(1 - 0.05 ** (1 / 100), rel=1e-13)

    def test_few_errors_are_said_with_what_is_known_of_the_rate(self):
        misses, alarms = br.planning.sample_support(
            br.Confusion(tp=95, fp=0, fn=5, tn=40_000)
        ).notes
        assert (
            str(misses)
            == "BR587: fnr 0.05 rests on 5 misses among 100 positives: 95 % from 0.01643 to 0.1128"
            " (clopper-pearson)"
        )
        assert (
            str(alarms)
            == "BR587: fpr 0 rests on no false alarms among 40,000 negatives: 95 % at most"
            " 7.489e-05 (clopper-pearson)"
        )

    def test_one_of_each_is_said_in_the_singular(self):
        misses, alarms = br.planning.sample_support(br.Confusion(tp=9, fp=1, fn=1, tn=99)).notes
        assert misses.text.startswith("fnr 0.1 rests on 1 miss among 10 positives: ")
        assert alarms.text.startswith("fpr 0.01 rests on 1 false alarm among 100 negatives: ")

    def test_ten_errors_of_each_kind_need_no_note(self):
        assert br.planning.sample_support(br.Confusion(tp=90, fp=10, fn=10, tn=90)).notes == ()

    def test_a_class_without_cases_rules_nothing_out(self):
        found = br.planning.sample_support(br.Confusion(tp=0, fp=20, fn=0, tn=90))
        assert found.smallest_fnr_shown == 1
        assert found.notes[0].text == "no positives: nothing is known of fnr"

    def test_counts_have_totals_and_no_errors_yet(self):
        found = br.planning.sample_support(
            br.Counts([2, 1], positives=[3, 1], negatives=[0, 40]), level=0.9
        )
        assert (
            found.positives,
            found.negatives,
            found.misses,
            found.false_alarms,
            found.level,
        ) == (4, 40, None, None, 0.9)
        assert found.smallest_fpr_shown == pytest.approx(1 - 0.1 ** (1 / 40), rel=1e-13)

    def test_a_point_is_read_by_its_confusion(self):
        counts = br.Counts([2, 1], positives=[30, 10], negatives=[20, 400])
        assert br.planning.sample_support(
            br.choose(counts, threshold=2)
        ) == br.planning.sample_support(br.Confusion(tp=30, fp=20, fn=10.0, tn=400.0))

    def test_masses_rates_and_shares_of_ties_are_refused(self):
        weighted = br.Counts([2, 1], positives=[2.0, 1.0], negatives=[1.0, 4.0])
        for source in (
            weighted,
            br.choose(weighted, threshold=2),
            br.Confusion(tp=1.5, fp=1, fn=1, tn=1),
        ):
            with pytest.raises(
                InputError,
                match="BR583: these cases are weighted: .* need whole cases, not weights",
            ):
                br.planning.sample_support(source)
        published = br.choose(
            br.Points.from_rates([0.1], [0.8]), threshold=-1, at=br.Conditions(prior=0.1)
        )
        with pytest.raises(InputError, match="BR583: only rates are known"):
            br.planning.sample_support(published)
        tie = br.choose(br.Counts([1, 0], [5, 5], [5, 5]), "alerts <= 4", volume=20)
        between = br.fix(br.Counts([2, 1], [8, 8], [4, 4]), "tpr = 0.75").interpolated
        for source in (
            tie,
            between,
            br.curves.random_classifier(br.Counts([2, 1], [8, 8], [4, 4]), 0.5),
            br.Confusion(tp=Fraction(1, 2), fp=1, fn=1, tn=1),
        ):
            with pytest.raises(InputError, match="BR583: this point flags a share of some cases"):
                br.planning.sample_support(source)

    def test_anything_else_is_refused(self):
        with pytest.raises(InputError, match="BR551: this needs one operating point, got list"):
            br.planning.sample_support([1, 2])


class TestSmallestRateShown:
    @pytest.mark.parametrize("cases", [1, 7, 100, 10**9])
    def test_it_is_the_bound_of_none_seen(self, cases):
        assert br.planning.smallest_rate_shown(cases, level=0.9) == pytest.approx(
            -math.expm1(math.log(0.1) / cases), rel=1e-12
        )

    def test_no_cases_are_refused(self):
        with pytest.raises(InputError, match="BR551"):
            br.planning.smallest_rate_shown(0)


class TestCasesNeeded:
    def test_a_small_false_positive_rate_takes_this_many_negatives(self):
        assert br.planning.cases_needed("fpr <= 1e-5") == 299_572
        assert 299_571 * math.log1p(-1e-5) > math.log(0.05) >= 299_572 * math.log1p(-1e-5)

    @pytest.mark.parametrize(
        ("requirement", "cases"),
        [("recall >= 0.9", 29), ("specificity >= 99%", 299), ("miss rate <= 5%", 59)],
    )
    def test_none_seen_in_small_samples(self, requirement, cases):
        assert br.planning.cases_needed(requirement) == cases

    def test_a_tie_is_shown(self):
        assert (
            br.planning.cases_needed("fpr <= 0.95") == 1
        )  # 1 of 20 times none is seen in one case: just 5 %
        assert br.planning.cases_needed("fpr <= 0.5", level=0.75) == 2
        assert br.planning.power_to_show("fpr <= 0.95", expect=0.25, cases=1) == 0.75

    def test_ninety_five_of_a_hundred_do_not_show_nine_in_ten_but_twice_as_many_do(self):
        tenth = Fraction(1, 10)
        assert tail(5, 100, tenth) > TWENTIETH
        assert tail(10, 200, tenth) <= TWENTIETH
        assert (
            br.rate_interval(95, 100, side="lower").low
            < 0.9
            <= br.rate_interval(190, 200, side="lower").low
        )
        assert 100 < br.planning.cases_needed("recall >= 0.9", expect=0.95, power=None) <= 200

    def test_at_the_same_rate_some_smaller_numbers_do_and_larger_ones_fail_again(self):
        failing, _ = numbers_that_fail(Fraction(1, 10), TWENTIETH, TWENTIETH, 0, 400)
        fewest = min(set(range(1, 400)) - set(failing))
        exactly_at_the_rate = min(cases for cases in range(20, 400, 20) if cases not in failing)
        assert (fewest, exactly_at_the_rate, max(failing) + 1) == (116, 120, 142)
        assert 121 in failing
        assert br.planning.cases_needed("recall >= 0.9", expect="95%", power=None) == 142

    @pytest.mark.parametrize(
        ("limit", "rate", "level", "power"),
        [
            ("0.1", "0.05", "0.95", 0.8),
            ("0.2", "0.15", "0.9", 0.5),
            ("0.5", "0.3", "0.95", 0.9),
            ("0.05", "0.01", "0.95", 0.8),
            ("0.9", "0.8", "0.75", 0.7),
        ],
    )
    def test_from_there_on_every_number_of_cases_will_do(self, limit, rate, level, power):
        missed = 1 - Fraction(level)
        at_rate, in_power = numbers_that_fail(Fraction(limit), Fraction(rate), missed, power, 420)
        assert (
            br.planning.cases_needed(
                f"fpr <= {limit}", expect=float(rate), level=float(level), power=None
            )
            == at_rate[-1] + 1
            < 350
        )
        assert (
            br.planning.cases_needed(
                f"fpr <= {limit}", expect=float(rate), level=float(level), power=power
            )
            == in_power[-1] + 1
            < 350
        )

    @pytest.mark.parametrize(
        ("requirement", "mirrored"),
        [("tpr >= 0.9", "fnr <= 0.1"), ("tnr >= 99.9%", "fpr <= 0.001")],
    )
    def test_a_rate_and_its_complement_need_the_same(self, requirement, mirrored):
        assert br.planning.cases_needed(requirement) == br.planning.cases_needed(mirrored)
        better = 1 - br.planning.cases_needed(requirement) ** -1 / 10
        ours, theirs = (
            br.planning.cases_needed(*ask, power=0.9, expect=rate)
            for ask, rate in (([requirement], better), ([mirrored], 1 - better))
        )
        assert ours == theirs

    def test_expecting_no_error_at_all_is_like_seeing_none(self):
        assert (
            br.planning.cases_needed("recall >= 0.9", expect=1)
            == br.planning.cases_needed("recall >= 0.9", expect=1.0, power=0.99)
            == 29
        )

    def test_little_power_is_reached_as_soon_as_anything_is_shown(self):
        assert br.planning.cases_needed("fpr <= 0.1", expect=1e-6, power=0.5) == 29

    @pytest.mark.parametrize(("limit", "rate"), [(1e-6, 9e-7), (1e-8, 2e-9), (1e-3, 9.5e-4)])
    def test_up_to_a_billion_cases_the_steps_are_exact(self, limit, rate):
        ask = f"fpr <= {limit}"
        cases = br.planning.cases_needed(ask, expect=rate, power=0.9)
        assert (
            br.planning.power_to_show(ask, expect=rate, cases=cases - 1)
            < 0.9
            <= br.planning.power_to_show(ask, expect=rate, cases=cases)
        )
        further = [
            br.planning.power_to_show(ask, expect=rate, cases=cases + round(step / limit / 7))
            for step in range(60)
        ]
        assert min(further) >= 0.9
        steps = br.planning.cases_needed(ask, expect=rate, power=None)
        for later in (0, 1, 17, 1000):
            errors = math.ceil(Fraction(str(rate)) * (steps + later))
            assert br.rate_interval(errors, steps + later, side="upper").high <= limit * (1 + 1e-9)

    def test_large_numbers_stay_what_they_were(self):
        assert br.planning.cases_needed("fpr <= 1e-6", expect=9e-7, power=0.9) == 833_705_393
        assert br.planning.cases_needed("fpr <= 1e-8", expect=5e-9, power=None) == 1_443_464_969

    def test_a_number_that_fails_far_behind_the_first_that_does_is_found(self):
        """Looked for among all numbers of cases, once: near 1, whole errors make the power go up
        and down for long.
        """
        ask = {"expect": 0.96895, "level": 0.999}
        cases = br.planning.cases_needed("fpr <= 0.976", **ask, power=0.8)
        assert cases == 8338
        power = [
            br.planning.power_to_show("fpr <= 0.976", **ask, cases=cases + later)
            for later in range(-1, 400)
        ]
        assert power[0] < 0.8 <= min(power[1:])


class TestPowerToShow:
    @pytest.mark.parametrize("cases", [28, 29, 45, 46, 100, 142, 203])
    def test_it_is_the_binomial_sum(self, cases):
        limit, rate = Fraction(1, 10), TWENTIETH
        allowed = most_allowed(cases, limit, TWENTIETH)
        exact = float(tail(allowed, cases, rate)) if allowed >= 0 else 0
        assert br.planning.power_to_show(
            "recall >= 0.9", expect=0.95, cases=cases
        ) == pytest.approx(exact, rel=1e-12)

    def test_at_the_limit_itself_it_is_at_most_what_the_level_leaves(self):
        found = [
            br.planning.power_to_show("tnr >= 0.8", expect=0.8, cases=cases)
            for cases in range(1, 200)
        ]
        assert 0.03 < max(found) <= 0.05

    def test_it_is_how_often_simulated_test_sets_show_it(self):
        errors = np.random.default_rng(6).binomial(150, 0.05, 4000)
        shown = np.mean(
            [br.rate_interval(150 - int(seen), 150, side="lower").low >= 0.9 for seen in errors]
        )
        power = br.planning.power_to_show("recall >= 0.9", expect=0.95, cases=150)
        assert abs(shown - power) < 4 * math.sqrt(power * (1 - power) / 4000)


class TestRefusals:
    @pytest.mark.parametrize(
        ("requirement", "match"),
        [
            (
                "precision >= 0.2",
                (
                    "BR585: precision is not a rate within one class.* Fix: require a rate within"
                    " one class"
                ),
            ),
            ("alerts <= 200", "BR585: alerts is not a rate"),
            ("fpr <= 1% and tpr >= 0.9", "BR585: one requirement at a time"),
            (None, "BR585: one requirement at a time"),
            (
                "tpr <= 0.9",
                'BR585: tpr <= 0.9 limits the rate from the wrong side. Fix: "tpr >= …"',
            ),
            ("fpr >= 0.1", "BR585: fpr >= 0.1 limits the rate from the wrong side"),
            (
                "recall >= 1",
                (
                    "BR585: tpr >= 1 is demonstrated by no number of cases: .* Fix: leave room for"
                    ' a few: "tpr >= 0.999"'
                ),
            ),
            (
                "fpr <= 0",
                'BR585: fpr <= 0 is demonstrated by no number of cases: .* "fpr <= 0.001"',
            ),
            ("fpr <= 1", "BR585: fpr <= 1 holds for any cases"),
            ("fpr <= 1e-16", "BR585: fpr <= 1e-16 takes more than 1e15 cases"),
            ("recal >= 0.9", "did you mean"),
            ("recall is good", "BR533"),
            (7, "BR533"),
        ],
    )
    def test_requirements(self, requirement, match):
        with pytest.raises(InputError, match=match):
            br.planning.cases_needed(requirement)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"power": 0.9}, "BR585: power depends on the true rate"),
            (
                {"expect": 0.9},
                "BR585: expecting 0.9 does not satisfy tpr >= 0.9 with room to spare",
            ),
            ({"expect": 0.5}, "BR585: expecting 0.5 does not satisfy"),
            (
                {"expect": 95},
                (
                    "BR585: expecting, the tpr that you count on, must be a share between 0 and 1,"
                    " got 95"
                ),
            ),
            ({"expect": "many"}, "BR585: expecting.* must be a share"),
            ({"expect": math.nan}, "BR585: expecting.* must be a share"),
            (
                {"expect": 0.95, "power": 80},
                "BR585: a power lies between 0 and 1, got 80. Fix: power=0.8",
            ),
            ({"expect": 0.95, "power": 1}, "BR585: a power lies between 0 and 1, got 1"),
            ({"expect": 0.95, "power": "high"}, "BR585: a power lies between 0 and 1"),
            ({"expect": 0.95, "power": True}, "BR585: a power lies between 0 and 1"),
            (
                {"expect": 0.900001, "power": 0.8},
                "BR585: tpr >= 0.9, with errors at 0.099999, takes more than 1e10 cases",
            ),
            ({"level": 95}, "BR580: a level lies between 0.5 and 1"),
        ],
    )
    def test_plans(self, given, match):
        with pytest.raises(InputError, match=match):
            br.planning.cases_needed("recall >= 0.9", **given)

    @pytest.mark.parametrize("cases", [0, -3, 2.5, True, "many"])
    def test_numbers_of_cases(self, cases):
        with pytest.raises(InputError, match="BR585: cases must be a whole number, 1 or more"):
            br.planning.power_to_show("recall >= 0.9", expect=0.95, cases=cases)
