"""Sample sizes for AUC and for pairs: against exact sums, and against simulated test sets."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy import special, stats

import baserate as br
from baserate.errors import InputError
from baserate.inference.differences import bonett_price
from baserate.inference.intervals import interval
from baserate.inference.sample_size import cases_at_prior, cases_for_margin, power_at_prior

Z = NormalDist().inv_cdf


def mcnemar_p(one, other):
    """The exact two-sided p-value, as a fraction."""
    pairs, fewer = one + other, min(one, other)
    return min(
        Fraction(1), Fraction(2 * sum(math.comb(pairs, k) for k in range(fewer + 1)), 2**pairs)
    )


def declared(pairs, share, missed):
    """P(the test declares the better model, whose share of the discordant pairs this is)."""
    chance = Fraction(0)
    for other in range((pairs + 1) // 2):
        if mcnemar_p(pairs - other, other) < missed:
            chance += math.comb(pairs, other) * share ** (pairs - other) * (1 - share) ** other
    return float(chance)


def logit_delong_shows(ours, theirs, at_least, z):
    """Whether DeLong's one-sided bound on the logit scale meets `at_least`, case by case."""
    beaten = np.searchsorted(np.sort(theirs), ours) / len(theirs)
    beating = 1 - np.searchsorted(np.sort(ours), theirs) / len(ours)
    value, variance = (
        beaten.mean(),
        np.var(beaten, ddof=1) / len(ours) + np.var(beating, ddof=1) / len(theirs),
    )
    if value == 1:
        return True
    return math.log(value / (1 - value)) - z * math.sqrt(variance) / (
        value * (1 - value)
    ) >= math.log(at_least / (1 - at_least))


def exponential(rng, auc, positives, negatives):
    """Scores of two exponential distributions, for which Hanley and McNeil's variance is exact."""
    return rng.exponential(auc / (1 - auc), positives), rng.exponential(1, negatives)


def binormal(rng, auc, positives, negatives):
    return rng.normal(math.sqrt(2) * Z(auc), 1, positives), rng.normal(0, 1, negatives)


def hanley_mcneil(auc, positives, negatives):
    one, two = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    return (
        auc * (1 - auc) + (positives - 1) * (one - auc**2) + (negatives - 1) * (two - auc**2)
    ) / (positives * negatives)


class TestAuc:
    @pytest.mark.parametrize(
        ("auc", "at_least", "ratio"),
        [(0.85, 0.8, 1), (0.9, 0.8, 5), (0.75, 0.7, 0.5), (0.95, 0.94, 3.7)],
    )
    def test_it_is_the_first_number_with_room_enough(self, auc, at_least, ratio):
        room = (math.log(auc / (1 - auc)) - math.log(at_least / (1 - at_least))) * auc * (1 - auc)
        enough = (
            positives
            for positives in range(2, 100_000)
            if (Z(0.95) + Z(0.8)) ** 2
            * hanley_mcneil(auc, positives, math.ceil(positives * Fraction(str(ratio))))
            <= room**2
        )
        first = next(enough)
        found = br.planning.cases_for_auc(
            expect=auc, at_least=at_least, negatives_per_positive=ratio
        )
        assert found == (first, math.ceil(first * Fraction(str(ratio))))

    def test_hanley_and_mcneils_variance_is_that_of_simulated_exponential_scores(self):
        rng = np.random.default_rng(2)
        values = []
        for _ in range(4000):
            ours, theirs = exponential(rng, 0.8, 20, 40)
            values.append((np.searchsorted(np.sort(theirs), ours) / 40).mean())
        assert np.var(values) == pytest.approx(hanley_mcneil(0.8, 20, 40), rel=0.1)

    @pytest.mark.parametrize(("auc", "at_least", "ratio"), [(0.8, 0.7, 1), (0.75, 0.65, 5)])
    def test_simulated_test_sets_of_that_size_show_it_that_often(self, auc, at_least, ratio):
        positives, negatives = br.planning.cases_for_auc(
            expect=auc, at_least=at_least, negatives_per_positive=ratio
        )
        rng = np.random.default_rng(11)
        shown = [
            logit_delong_shows(*exponential(rng, auc, positives, negatives), at_least, Z(0.95))
            for _ in range(3000)
        ]
        # Planned for 80 %, to three standard errors, and not for much more.
        assert 0.8 - 3 * math.sqrt(0.16 / 3000) <= np.mean(shown) <= 0.88

    def test_a_pilot_says_what_other_distributions_need(self):
        rng = np.random.default_rng(5)
        ours, theirs = binormal(rng, 0.8, 4000, 4000)
        pilot = br.count(np.repeat([1, 0], 4000), np.concatenate((ours, theirs)))
        found = br.planning.cases_for_auc(
            expect=0.8, at_least=0.7, negatives_per_positive=4, counts=pilot
        )
        assert (
            found.positives
            < br.planning.cases_for_auc(
                expect=0.8, at_least=0.7, negatives_per_positive=4
            ).positives
        )
        shown = [logit_delong_shows(*binormal(rng, 0.8, *found), 0.7, Z(0.95)) for _ in range(3000)]
        assert 0.8 - 3 * math.sqrt(0.16 / 3000) <= np.mean(shown) <= 0.88

    def test_a_pilot_of_its_own_size_has_delongs_variance(self):
        """Two positives, three negatives, one tie: placements by hand."""
        pilot = br.Counts([3, 2, 1], positives=[1, 1, 0], negatives=[0, 1, 2])
        # Positives beat 1 and 5/6 of the negatives; negatives are beaten by 3/4, 1 and 1 of the
        # positives.
        ours, theirs = np.var([1, 5 / 6], ddof=1), np.var([3 / 4, 1, 1], ddof=1)
        needed = ((Z(0.95) + Z(0.8)) / ((math.log(9) - math.log(4)) * 0.09)) ** 2
        first = next(
            positives
            for positives in range(2, 100_000)
            if needed * (ours / positives + theirs / (2 * positives)) <= 1
        )
        found = br.planning.cases_for_auc(
            expect=0.9, at_least=0.8, negatives_per_positive=2, counts=pilot
        )
        assert found == (first, 2 * first)

    def test_more_negatives_save_positives_and_never_fewer_than_two_of_a_class_are_planned(self):
        planned = [
            br.planning.cases_for_auc(
                expect=0.8, at_least=0.7, negatives_per_positive=ratio
            ).positives
            for ratio in (0.1, 1, 10, 100)
        ]
        assert planned == sorted(planned, reverse=True)
        assert (
            br.planning.cases_for_auc(
                expect=0.999, at_least=0.5, negatives_per_positive=0.01
            ).negatives
            == 2
        )
        fewest = br.planning.cases_for_auc(expect=0.99, at_least=0.5, level=0.8, power=0.3)
        assert fewest == (2, 2)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            (
                {"expect": 0.8, "at_least": 0.8},
                "BR585: expecting AUC 0.8 does not reach 0.8 with room to spare",
            ),
            ({"expect": 1.0}, "BR585: expect is an AUC from 0.5 to below 1, got 1.0"),
            ({"at_least": 0.4}, "BR585: at_least is an AUC from 0.5 to below 1, got 0.4"),
            ({"expect": 85}, "BR585: expect must be a share between 0 and 1, got 85"),
            (
                {"negatives_per_positive": 0},
                "BR585: negatives_per_positive must be a number above 0, got 0",
            ),
            (
                {"negatives_per_positive": "many"},
                "BR585: negatives_per_positive must be a number above 0",
            ),
            (
                {"expect": 0.8000001, "at_least": 0.8},
                "BR585: AUC of 0.8 or more.* takes more than 1e10 cases",
            ),
            ({"power": 80}, "BR585: a power lies between 0 and 1, got 80. Fix: power=0.8"),
            ({"counts": [1, 2]}, "BR585: a pilot is given as Counts, got list"),
            (
                {"counts": br.Counts([2, 1], [1, 0], [0, 5])},
                "BR585: a pilot needs two cases of each class or more",
            ),
            (
                {"counts": br.Counts([2, 1], [4, 0], [0, 5])},
                "BR585: the pilot separates the classes without error",
            ),
            ({"counts": br.Counts([2, 1], [4.5, 1], [2, 5.5])}, "BR583: these cases are weighted"),
        ],
    )
    def test_what_cannot_be_planned_is_refused(self, given, match):
        with pytest.raises(InputError, match=match):
            br.planning.cases_for_auc(**{"expect": 0.85, "at_least": 0.8, **given})


def exact_power(cases, discordant, by_pairs):
    """Over the binomial number of discordant pairs, in fractions as long as they are short
    enough.
    """
    weights = [
        math.comb(cases, pairs)
        * float(discordant) ** pairs
        * float(1 - discordant) ** (cases - pairs)
        for pairs in range(cases + 1)
    ]
    return math.fsum(weight * by_pairs[pairs] for pairs, weight in enumerate(weights))


class TestMcNemar:
    @pytest.mark.parametrize(
        ("discordant", "difference", "level", "power"),
        [
            ("0.3", "0.15", 0.95, 0.8),
            ("1", "0.4", 0.95, 0.8),
            ("0.95", "0.5", 0.9, 0.9),
            ("0.5", "0.5", 0.95, 0.9),
            ("0.6", "0.3", 0.99, 0.3),
        ],
    )
    def test_from_there_on_every_number_of_cases_has_the_power(
        self, discordant, difference, level, power
    ):
        apart, ahead = Fraction(discordant), Fraction(difference)
        missed = 1 - Fraction(str(level))
        by_pairs = [declared(pairs, (1 + ahead / apart) / 2, missed) for pairs in range(241)]
        failing = [cases for cases in range(1, 241) if exact_power(cases, apart, by_pairs) < power]
        found = br.planning.cases_for_mcnemar(
            discordant=float(apart), difference=float(ahead), level=level, power=power
        )
        assert found == failing[-1] + 1 < 200

    def test_when_only_one_model_is_ever_right_six_pairs_do(self):
        assert br.planning.cases_for_mcnemar(discordant=1, difference=1, power=0.999) == 6

    def test_simulated_pairs_find_it_that_often(self):
        cases = br.planning.cases_for_mcnemar(discordant=0.2, difference=0.08)
        rng = np.random.default_rng(4)
        drawn = rng.multinomial(cases, [0.14, 0.06, 0.8], 4000).tolist()
        found = np.mean([one > other and mcnemar_p(one, other) < 0.05 for one, other, _ in drawn])
        assert abs(found - 0.8) < 3 * math.sqrt(0.16 / 4000)

    @pytest.mark.parametrize(
        ("discordant", "difference"),
        [(0.1, 0.01), (0.05, 0.0005), (0.999, 0.01), (1, 0.01), (1e-5, 1e-5)],
    )
    def test_it_lies_a_little_above_connors_formula(self, discordant, difference):
        found = br.planning.cases_for_mcnemar(discordant=discordant, difference=difference)
        connor = (
            (Z(0.975) * math.sqrt(discordant) + Z(0.8) * math.sqrt(discordant - difference**2))
            / difference
        ) ** 2
        # The exact test costs about 2 / difference cases more, as the correction for continuity
        # says; and its steps some more again.
        assert connor - 1 < found < connor + 4 / difference

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ({"difference": 0}, "BR585: there is no difference to find"),
            (
                {"difference": 0.3},
                "BR585: where 0.2 of the pairs are discordant, the models do not differ by 0.3",
            ),
            ({"difference": -0.1}, "BR585: difference must be a share between 0 and 1, got -0.1"),
            ({"discordant": 20}, "BR585: discordant must be a share"),
            (
                {"difference": 1e-6},
                "BR585: a difference of 1e-06 takes more than 1e8 discordant pairs",
            ),
            ({"power": 0}, "BR585: a power lies between 0 and 1, got 0"),
            ({"level": 1}, "BR580"),
        ],
    )
    def test_what_cannot_be_planned_is_refused(self, given, match):
        with pytest.raises(InputError, match=match):
            br.planning.cases_for_mcnemar(**{"discordant": 0.2, "difference": 0.1, **given})


class TestSmallestDetectable:
    @pytest.mark.parametrize("pairs", [6, 17, 60, 101])
    def test_that_excess_is_declared_with_just_the_power(self, pairs):
        found = br.planning.smallest_detectable(pairs, power=0.8, cases=1000)
        share = Fraction(1 + found.excess / pairs) / 2
        assert declared(pairs, share, Fraction(1, 20)) == pytest.approx(0.8, rel=1e-9)
        assert found.share == found.excess / 1000

    @pytest.mark.parametrize("pairs", range(6, 70))
    def test_what_must_be_observed_is_where_the_test_begins_to_reject(self, pairs):
        ahead = br.planning.smallest_detectable(pairs).declared
        one = (pairs + ahead) // 2
        assert mcnemar_p(one, pairs - one) < Fraction(1, 20) <= mcnemar_p(one - 1, pairs - one + 1)

    def test_the_gates_own_numbers(self):
        assert br.planning.smallest_detectable(60).declared <= 40 - 20
        assert br.planning.smallest_detectable(17).declared > 12 - 5

    @pytest.mark.parametrize("pairs", range(6))
    def test_fewer_than_six_pairs_could_have_shown_nothing(self, pairs):
        found = br.planning.smallest_detectable(pairs, cases=100)
        assert math.isnan(found.excess)
        assert found.excess.reason == f"{pairs} discordant pairs show nothing at this level"
        assert math.isnan(found.share)
        assert found.declared is None
        assert br.planning.smallest_detectable(pairs).share is None

    def test_a_power_so_small_that_no_excess_is_needed_asks_for_none(self):
        assert br.planning.smallest_detectable(100, power=0.001).excess == 0

    def test_what_is_no_number_of_pairs_is_refused(self):
        with pytest.raises(
            InputError, match="BR585: pairs must be a whole number, 0 or more, got -1"
        ):
            br.planning.smallest_detectable(-1)
        with pytest.raises(InputError, match="BR585: of 50 cases, 60 cannot be discordant"):
            br.planning.smallest_detectable(60, cases=50)


RATES = {"tpr": 0.9, "fpr": 0.02}


def fewest_hits(name, limit, at, cases, alarms, side):
    """The fewest hits with which `interval` itself demonstrates it."""
    low, high = 0, cases.positives + 1
    while high - low > 1:
        hits = (low + high) // 2
        one = br.Confusion(
            tp=hits, fp=alarms, fn=cases.positives - hits, tn=cases.negatives - alarms
        )
        found = interval(statistic=name, counts=one, at=at, side=side)
        shown = found.low >= limit if side == "lower" else found.high <= limit
        low, high = (low, hits) if shown else (hits, high)
    return high


class TestAtPrior:
    @pytest.mark.parametrize(
        ("name", "sense", "limit", "at", "ratio"),
        [
            ("precision", ">=", 0.1, br.Conditions(0.01), 4),
            ("npv", ">=", 0.99, br.Conditions(0.05), 1),
            ("expected_cost", "<=", 0.2, br.Conditions(0.01, br.Costs(fn=100, fp=2)), 2),
        ],
    )
    def test_simulated_test_sets_succeed_as_often_as_promised(self, name, sense, limit, at, ratio):
        text, side = f"{name} {sense} {limit}", "lower" if sense == ">=" else "upper"
        cases = cases_at_prior(text, expect=RATES, at=at, negatives_per_positive=ratio)
        promised = power_at_prior(text, expect=RATES, at=at, **cases._asdict())
        assert promised >= 0.8
        rng = np.random.default_rng(0)
        hits = rng.binomial(cases.positives, RATES["tpr"], 4000)
        alarms = rng.binomial(cases.negatives, RATES["fpr"], 4000)
        needed = {
            one: fewest_hits(name, limit, at, cases, one, side)
            for one in np.unique(alarms).tolist()
        }
        seen = np.mean([h >= needed[a] for h, a in zip(hits, alarms.tolist(), strict=True)])
        assert seen == pytest.approx(promised, abs=0.02)

    def test_one_positive_less_may_fail_and_more_cases_of_either_class_help(self):
        at, asked = br.Conditions(0.01), {"expect": RATES, "at": br.Conditions(0.01)}
        equal = cases_at_prior("precision >= 0.1", **asked)
        many = cases_at_prior("precision >= 0.1", negatives_per_positive=20, **asked)
        assert equal.negatives == equal.positives > many.positives
        assert many.negatives == 20 * many.positives
        powers = [
            power_at_prior(
                "precision >= 0.1", expect=RATES, at=at, positives=100, negatives=negatives
            )
            for negatives in (200, 400, 800, 1600, 1_000_000)
        ]
        assert powers == sorted(powers)
        assert powers[-1] > 0.999

    def test_a_large_plan_agrees_with_the_normal_formula(self):
        """(z + z')²·[(1 − tpr)/tpr + (1 − fpr)/(r·fpr)] / (difference of the logits)², of Mercaldo,
        Lau & Zhou's variance; the plan's bound is a little more careful.
        """
        at, tpr, fpr, least = br.Conditions(0.01), 0.9, 0.02, 0.3
        real = at.prior * tpr / (at.prior * tpr + (1 - at.prior) * fpr)
        gap = math.log(real / (1 - real)) - math.log(least / (1 - least))
        spread = (1 - tpr) / tpr + (1 - fpr) / (2 * fpr)
        formula = (Z(0.95) + Z(0.8)) ** 2 * spread / gap**2
        found = cases_at_prior(
            f"precision >= {least}", expect=RATES, at=at, negatives_per_positive=2
        )
        assert formula > 5000
        assert found.positives == pytest.approx(formula, rel=0.03)

    def test_complements_are_the_same_plan(self):
        asked = {"expect": {"recall": "90%", "specificity": 0.98}, "at": br.Conditions("1%")}
        assert cases_at_prior("fdr <= 90%", **asked) == cases_at_prior("PPV >= 0.1", **asked)
        assert cases_at_prior("error <= 4%", **asked) == cases_at_prior("accuracy >= 96%", **asked)

    @pytest.mark.parametrize(
        ("requirement", "more", "says"),
        [
            ("precision >= 0.5", {}, "do not satisfy precision >= 0.5 with room to spare"),
            ("posfrac <= 0.2", {}, "is not demonstrated by more hits"),
            ("mcc >= 0.2", {}, "mcc cannot be planned for"),
            ("tpr >= 0.2", {}, "tpr cannot be planned for"),
            ("precision >= 0.1", {"at": br.Conditions()}, "depends on the base rate"),
            ("precision >= 0.1", {"expect": {"tpr": 0.9}}, "a recall and a false positive rate"),
            ("precision >= 0.1", {"power": 80}, "a power lies between 0 and 1"),
            ("precision >= 0.3", {"negatives_per_positive": 1e-6}, "takes more than 1e10 cases"),
        ],
    )
    def test_what_cannot_be_planned_is_refused(self, requirement, more, says):
        with pytest.raises(InputError, match=says) as refused:
            cases_at_prior(requirement, **{"expect": RATES, "at": br.Conditions(0.01), **more})
        assert refused.value.code == "BR585"


class TestMargin:
    @pytest.mark.parametrize(
        ("apart", "margin", "worse"), [(0.1, 0.03, 0.0), (0.05, 0.02, 0.005), (0.2, 0.1, 0.02)]
    )
    def test_simulated_pairs_lie_within_the_margin_as_often_as_planned(self, apart, margin, worse):
        cases = cases_for_margin(discordant=apart, margin=margin, difference=worse)
        shares = [(apart + worse) / 2, (apart - worse) / 2, 1 - apart]
        drawn = np.random.default_rng(0).multinomial(cases, shares, 4000)
        within = [bonett_price(b, c, cases, 0.95)[1] <= margin for b, c, _ in drawn.tolist()]
        assert np.mean(within) == pytest.approx(0.8, abs=0.02)

    def test_it_is_the_sum_over_all_pairs(self):
        """Case by case for a small plan: the number found has the power, the one before has not."""

        def power(cases):
            total = 0.0
            for pairs in range(cases + 1):
                chance = math.comb(cases, pairs) * 0.3**pairs * 0.7 ** (cases - pairs)
                lost = sum(
                    math.comb(pairs, b)
                    for b in range(pairs + 1)
                    if bonett_price(b, pairs - b, cases, 0.95)[1] <= 0.25
                )
                total += chance * lost / 2**pairs
            return total

        cases = cases_for_margin(discordant=0.3, margin=0.25)
        assert power(cases) >= 0.8 > power(cases - 1)

    def test_it_is_near_the_normal_formula(self):
        for apart, margin in ((0.1, 0.01), (0.3, 0.02)):
            formula = (Z(0.975) + Z(0.8)) ** 2 * apart / margin**2
            found = cases_for_margin(discordant=apart, margin=margin)
            assert found == pytest.approx(formula, rel=0.01)

    @pytest.mark.parametrize(
        ("asked", "says"),
        [
            ({"discordant": 0.1, "margin": 0.02, "difference": 0.02}, "is not within 0.02"),
            ({"discordant": 0.01, "margin": 0.05, "difference": 0.02}, "do not differ by 0.02"),
            ({"discordant": 0, "margin": 0.05}, "do not differ"),
            ({"discordant": 0.5, "margin": 1e-6}, "discordant pairs"),
        ],
    )
    def test_what_cannot_be_planned_is_refused(self, asked, says):
        with pytest.raises(InputError, match=says):
            cases_for_margin(**asked)


def fewest_that_show(fp, cases, line):
    """The fewest hits with which P(tpr < start + slope · fpr) is at most 5 %, of rates drawn as
    Clopper and Pearson bound them, over a fine grid of the false positive rate.
    """
    fpr = special.betaincinv(fp + 1, max(cases[1] - fp, 1e-9), (np.arange(1000) + 0.5) / 1000)
    least = np.clip(line[0] + line[1] * fpr, 0, 1)
    hits = np.arange(cases[0] + 1)
    shape = np.maximum(hits, 1e-9)[:, None], cases[0] - hits[:, None] + 1
    fails = special.betainc(*shape, least).mean(axis=1)
    return min(hits[fails <= 0.05].tolist(), default=cases[0] + 1)


@pytest.mark.parametrize(
    ("requirement", "line", "costs", "rates", "cases"),
    [
        # precision >= 0.5 at 20 %: 0.2 tpr >= 0.8 fpr
        ("precision >= 0.5", (0.0, 4.0), None, (0.8, 0.05), (25, 40)),
        ("precision >= 0.02", (0.0, 4 / 49), None, (0.1, 0.02), (10, 30)),
        ("precision >= 0.02", (0.0, 4 / 49), None, (0.4, 0.3), (20, 1)),
        # 0.2 · 3 · (1 - tpr) + 0.8 · 2 · fpr <= 0.4
        ("expected_cost <= 0.4", (1 / 3, 8 / 3), {"fn": 3, "fp": 2}, (0.85, 0.1), (20, 30)),
        # 0.2 tpr + 0.8 (1 - fpr) >= 0.8
        ("accuracy >= 0.8", (0.0, 4.0), None, (0.9, 0.02), (12, 60)),
        ("accuracy >= 0.8", (0.0, 4.0), None, (0.6, 0.0), (4, 20)),
        ("accuracy >= 0.8", (0.0, 4.0), None, (1.0, 0.1), (12, 30)),
        # 0.2 tpr + 0.8 (1 - fpr) >= 0.15
        ("accuracy >= 0.15", (-3.25, 4.0), None, (0.7, 0.5), (10, 4)),
        # 0.2 tpr + 0.8 (1 - fpr) >= 0.05
        ("accuracy >= 0.05", (-3.75, 4.0), None, (0.6, 1.0), (10, 4)),
    ],
)
def test_the_power_at_a_prior_is_the_sum_over_hits_and_false_alarms(
    requirement, line, costs, rates, cases
):
    shown = sum(
        stats.binom.pmf(fp, cases[1], rates[1])
        * stats.binom.sf(fewest_that_show(fp, cases, line) - 1, cases[0], rates[0])
        for fp in range(cases[1] + 1)
    )
    found = power_at_prior(
        requirement,
        expect=dict(zip(("tpr", "fpr"), rates, strict=True)),
        at=br.Conditions(0.2, None if costs is None else br.Costs(**costs)),
        positives=cases[0],
        negatives=cases[1],
    )
    assert found == pytest.approx(shown, abs=1e-6)
    assert 0.05 < found < 0.999


@pytest.mark.parametrize("requirement", ["npv >= 0", "precision >= 0", "fdr <= 100%"])
def test_what_holds_for_any_cases_is_not_planned(requirement):
    with pytest.raises(InputError, match="BR585.*is not demonstrated by more hits"):
        cases_at_prior(requirement, expect=RATES, at=br.Conditions(0.01))


@pytest.mark.parametrize(
    ("requirement", "prior", "rates", "ratio"),
    [
        ("precision >= 0.5", 0.2, (0.8, 0.1), 3),
        ("precision >= 0.5", 0.2, (0.9, 0.1), 3),
        ("accuracy >= 0.8", 0.3, (0.8, 0.02), 3),
        ("accuracy >= 0.8", 0.3, (0.8, 0.05), 0.3),
        ("accuracy >= 0.8", 0.3, (0.97, 0.05), 1),
        ("npv >= 0.8", 0.3, (0.8, 0.02), 0.3),
    ],
)
def test_whole_cases_make_the_power_go_up_and_down_and_the_plan_holds_from_there_on(
    requirement, prior, rates, ratio
):
    asked = {
        "expect": dict(zip(("tpr", "fpr"), rates, strict=True)),
        "at": br.Conditions(prior),
    }
    found = cases_at_prior(requirement, negatives_per_positive=ratio, **asked)

    def power(positives):
        negatives = max(2, math.ceil(positives * Fraction(str(ratio))))
        return power_at_prior(requirement, positives=positives, negatives=negatives, **asked)

    before = [power(found.positives - less) >= 0.8 for less in (1, 2)]
    assert before == [False, True], "one number fewer fails, though two fewer would do"
    assert all(power(found.positives + more) >= 0.8 for more in range(9))
    assert found.negatives == max(2, math.ceil(found.positives * Fraction(str(ratio))))
