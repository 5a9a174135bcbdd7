"""Wrong labels and missing reviews: against outcomes that were mislabelled, or left unreviewed, by
hand.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.oracle import in_cells

import baserate as br
from baserate.errors import InputError

COUNT = st.integers(1, 500)
PERCENT = st.integers(0, 30)


def mislabelled(truth, hidden_positives, spurious_positives):
    """The outcomes under wrong labels: shares of the true positives called negative, and of the
    true negatives called positive.
    """
    tp, fp, fn, tn = map(Fraction, truth)
    h, s = hidden_positives, spurious_positives
    return br.Confusion(
        tp=tp * (1 - h) + fp * s,
        fp=fp * (1 - s) + tp * h,
        fn=fn * (1 - h) + tn * s,
        tn=tn * (1 - s) + fn * h,
    )


class TestLabelErrors:
    @given(COUNT, COUNT, COUNT, COUNT, PERCENT, PERCENT)
    def test_what_was_mislabelled_is_found_again_exactly(self, tp, fp, fn, tn, lost, gained):
        """Labels were spoiled independently of the flag; the shares among the labelled ones are
        what one would be told.
        """
        h, s = Fraction(lost, 100), Fraction(gained, 100)
        seen = mislabelled((tp, fp, fn, tn), h, s)
        hidden = h * (tp + fn) / (seen.fp + seen.tn)
        spurious = s * (fp + tn) / (seen.tp + seen.fn)
        assume(hidden + spurious < 1)
        found = br.robustness.under_label_errors(seen, hidden=hidden, spurious=spurious)
        assert found.confusion == br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)
        assert found.precision == br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn)["precision"]
        assert found.prior == (tp + fn) / (tp + fp + fn + tn)
        assert (found.apparent_tpr, found.apparent_fpr, found.apparent_precision) == (
            seen["tpr"],
            seen["fpr"],
            seen["precision"],
        )
        assert hidden <= found.largest_hidden * (1 + 1e-12)
        assert spurious <= found.largest_spurious * (1 + 1e-12)

    @given(COUNT, COUNT, COUNT, COUNT, PERCENT)
    def test_the_largest_share_is_where_a_rate_leaves_its_range(self, tp, fp, fn, tn, spurious):
        source, rest = br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), Fraction(spurious, 1000)
        tpr, fpr = Fraction(tp, tp + fn), Fraction(fp, fp + tn)
        assume(rest * fpr <= tpr and rest * (1 - fpr) <= 1 - tpr)  # so that spurious alone can be
        largest = br.robustness.under_label_errors(source, spurious=rest).largest_hidden
        assume(largest + rest < 1 - Fraction(1, 10**12))
        found = br.robustness.under_label_errors(source, hidden=largest, spurious=rest)
        assert min(abs(rate - end) for rate in (found.tpr, found.fpr) for end in (0, 1)) < 1e-9
        with pytest.raises(InputError, match="BR586"):
            br.robustness.under_label_errors(source, hidden=largest + 1e-9, spurious=rest)

    @pytest.mark.parametrize("fp", [0, 1, 80, 500])
    def test_as_many_hidden_as_labelled_positives_halve_the_apparent_precision(self, fp):
        """The labelled negatives hold 100 more positives, a share as large as the prior is (1 %, as
        odds): exactly half is seen.
        """
        truth = br.Confusion(tp=160, fp=fp, fn=40, tn=9_800 - fp)
        seen = mislabelled(truth, Fraction(1, 2), 0)
        assert (seen.tp + seen.fn, seen.fp + seen.tn) == (100, 9_900)
        found = br.robustness.under_label_errors(seen, hidden=Fraction(100, 9_900))
        assert found.confusion == truth
        assert found.precision == 2 * found.apparent_precision
        assert found.apparent_tpr == found.tpr  # what hides does not touch the tpr

    def test_simulated_labels_give_back_the_true_rates(self):
        rng = np.random.default_rng(3)
        truth = rng.random(400_000) < 0.05
        flagged = rng.random(400_000) < np.where(truth, 0.7, 0.02)
        label = np.where(truth, rng.random(400_000) > 0.2, rng.random(400_000) < 0.004)
        seen = br.Confusion(
            **in_cells(
                *(
                    int(np.sum(a & b))
                    for a, b in (
                        (flagged, label),
                        (flagged, ~label),
                        (~flagged, label),
                        (~flagged, ~label),
                    )
                )
            )
        )
        found = br.robustness.under_label_errors(
            seen, hidden=np.mean(truth[~label]), spurious=np.mean(~truth[label])
        )
        assert found.tpr == pytest.approx(0.7, abs=0.01)
        assert found.fpr == pytest.approx(0.02, abs=0.001)
        assert found.apparent_tpr < 0.66
        assert found.apparent_fpr > 0.025

    def test_right_labels_change_nothing(self):
        source = br.Confusion(tp=40, fp=10, fn=10, tn=90)
        found = br.robustness.under_label_errors(source)
        assert found.confusion == found.apparent == source
        assert (found.hidden, found.spurious) == (0, 0)
        assert found.largest_hidden == 0.125  # 0.1 / 0.8
        assert found.largest_spurious == pytest.approx(0.2 / 0.9, rel=1e-15)
        assert "does not depend on the score" in found.notes[0].text

    def test_any_measure_is_read_and_any_base_rate(self):
        source = br.Confusion(tp=80, fp=160, fn=20, tn=9_840)
        at = br.Conditions(prior="1 in 1000")
        found = br.robustness.under_label_errors(source, hidden="1%", at=at)
        true = br.measure(found.confusion, "precision", at=at)
        assert found.precision == found["precision"] == true
        assert found.apparent_precision == br.measure(source, "precision", at=at) < true
        assert found["tnr"] == pytest.approx(1 - found.fpr)
        assert found.apparent_prior == source.prior < found.prior

    def test_a_point_brings_its_base_rate_but_not_the_priors_of_wrong_labels(self):
        counts = br.Counts([2, 1], positives=[80, 20], negatives=[160, 9_840])
        elsewhere = br.choose(counts, threshold=2, at=br.Conditions(prior=0.001))
        assert (
            br.robustness.under_label_errors(elsewhere, hidden=0.01).precision
            == br.robustness.under_label_errors(
                elsewhere.confusion, hidden=0.01, at=br.Conditions(prior=0.001)
            ).precision
        )
        here = br.choose(counts, threshold=2)
        assert (
            br.robustness.under_label_errors(here, hidden=0.01).precision
            == br.robustness.under_label_errors(here.confusion, hidden=0.01).precision
            == 180 / 270
        )

    def test_published_rates_are_corrected_and_keep_their_prior_unknown(self):
        published = br.choose(
            br.Points.from_rates([0.0625], [0.75]), threshold=-1, at=br.Conditions(prior=0.1)
        )
        found = br.robustness.under_label_errors(published.confusion, hidden=0.0625, spurious=0.25)
        assert (found.tpr, found.fpr) == (1.0, 0.0) == (found["tpr"], found["fpr"])
        with pytest.raises(InputError, match="BR509"):
            _ = found.precision
        assert br.robustness.under_label_errors(published, hidden=0.01).at.prior == 0.1

    def test_it_prints_both_rates(self):
        found = br.robustness.under_label_errors(
            br.Confusion(tp=80, fp=160, fn=20, tn=9_840), hidden="1%"
        )
        assert (
            repr(found)
            == "LabelErrors: hidden 0.01, spurious 0; tpr 0.8 (apparent 0.8), fpr 0.008081"
            " (apparent 0.016)"
        )

    @pytest.mark.parametrize(
        ("shares", "match"),
        [
            ({"hidden": 0.6, "spurious": 0.4}, "BR586: hidden 0.6 and spurious 0.4 make 1 or more"),
            ({"hidden": -0.1}, "BR586: hidden must be a share between 0 and 1, got -0.1"),
            ({"spurious": 5}, "BR586: spurious must be a share between 0 and 1, got 5"),
            ({"hidden": "many"}, "BR586: hidden must be a share"),
            ({"hidden": math.nan}, "BR586: hidden must be a share"),
            (
                {"hidden": 0.2},
                (
                    "BR586: hidden 0.2 and spurious 0 cannot be: .* hidden at most 0.125 with that"
                    " spurious, spurious at most 0.222222 without"
                ),
            ),
            (
                {"spurious": 0.3},
                "hidden at most 0.125 without spurious, spurious at most 0.222222 with that hidden",
            ),
            (
                {"hidden": 0.3, "spurious": 0.4},
                "hidden at most 0.125 without spurious, spurious at most 0.222222 without hidden",
            ),
        ],
    )
    def test_shares_that_cannot_be_are_refused_with_what_can(self, shares, match):
        with pytest.raises(InputError, match=match):
            br.robustness.under_label_errors(br.Confusion(tp=40, fp=10, fn=10, tn=90), **shares)

    def test_what_a_refusal_allows_is_allowed(self):
        source = br.Confusion(tp=3, fp=1, fn=4, tn=6)
        with pytest.raises(InputError, match="hidden at most 0.333333 with"):
            br.robustness.under_label_errors(source, hidden=0.5)
        assert br.robustness.under_label_errors(source, hidden=0.333333).fpr < 1e-6

    def test_a_tpr_of_one_leaves_no_room_for_spurious_positives(self):
        perfect = br.Confusion(tp=10, fp=1, fn=0, tn=9)
        found = br.robustness.under_label_errors(perfect, hidden=0.05)
        assert (found.largest_hidden, found.largest_spurious) == (0.1, 0)
        with pytest.raises(
            InputError,
            match="hidden at most 0.1 without spurious, spurious at most 0 with that hidden",
        ):
            br.robustness.under_label_errors(perfect, spurious=0.01)

    def test_one_class_or_no_point_is_refused(self):
        with pytest.raises(InputError, match="BR552: no positives"):
            br.robustness.under_label_errors(br.Confusion(tp=0, fp=1, fn=0, tn=6))
        with pytest.raises(InputError, match="BR552: no negatives"):
            br.robustness.under_verification(br.Confusion(tp=1, fp=0, fn=1, tn=0), passed=0.1)
        with pytest.raises(InputError, match="BR551"):
            br.robustness.under_label_errors(br.Counts([1], [1], [1]))


class TestTable:
    def test_it_goes_from_none_to_all_false_alarms_in_quarters(self):
        rows = br.robustness.label_error_table(br.Confusion(tp=80, fp=160, fn=20, tn=9_840))
        assert [row.hidden for row in rows] == [0, 0.005, 0.01, 0.015, 0.02]
        assert (rows[-1].fpr, rows[-1].precision) == (0, 1)

    def test_shares_may_be_given(self):
        rows = br.robustness.label_error_table(
            br.Confusion(tp=80, fp=160, fn=20, tn=9_840), hidden=["1 in 1000", 0.01], spurious=0.1
        )
        assert [(row.hidden, row.spurious) for row in rows] == [(0.001, 0.1), (0.01, 0.1)]

    def test_a_coin_stays_a_coin_and_all_wrong_is_left_out(self):
        rows = br.robustness.label_error_table(br.Confusion(tp=5, fp=50, fn=5, tn=50))
        assert [row.hidden for row in rows] == [0, 0.25, 0.5, 0.75]
        assert {(row.tpr, row.fpr) for row in rows} == {(0.5, 0.5)}

    @pytest.mark.parametrize("hidden", ["1%", 0.01])
    def test_one_share_is_no_table(self, hidden):
        with pytest.raises(InputError, match="BR586: several shares are needed, got"):
            br.robustness.label_error_table(
                br.Confusion(tp=80, fp=160, fn=20, tn=9_840), hidden=hidden
            )


class TestVerification:
    def test_begg_and_greenes_give_back_what_was_not_reviewed(self):
        found = br.robustness.under_verification(
            br.Confusion(tp=45, fp=55, fn=10, tn=990), flagged=0.5, passed="1%"
        )
        assert found.confusion == br.Confusion(tp=90, fp=110, fn=1000, tn=99_000)
        assert (found.tpr, found.apparent_tpr) == (90 / 1090, 45 / 55)
        assert (found.fpr, found.apparent_fpr) == (110 / 99_110, 55 / 1045)
        assert found.precision == found.apparent_precision == 0.45
        assert (found.prior, found.apparent_prior) == (1090 / 100_200, 55 / 1100)
        assert "depends on nothing but the flag" in found.notes[0].text
        assert repr(found).startswith(
            "Verified: 0.5 of the flagged cases reviewed, 0.01 of the passed; tpr 0.08257 (apparent"
            " 0.8182), fpr"
        )

    def test_reviewing_everything_changes_nothing(self):
        source = br.Confusion(tp=45, fp=55, fn=10, tn=990)
        assert br.robustness.under_verification(source, passed=1).confusion == source

    def test_simulated_reviews_give_back_the_true_rates(self):
        rng = np.random.default_rng(8)
        truth = rng.random(500_000) < 0.05
        flagged = rng.random(500_000) < np.where(truth, 0.6, 0.03)
        seen = rng.random(500_000) < np.where(flagged, 0.9, 0.1)
        tp, fp, fn, tn = (
            int(np.sum(seen & a & b))
            for a, b in ((flagged, truth), (flagged, ~truth), (~flagged, truth), (~flagged, ~truth))
        )
        found = br.robustness.under_verification(
            br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn), flagged=0.9, passed=0.1
        )
        assert found.apparent_tpr > 0.9
        assert found.tpr == pytest.approx(0.6, abs=0.02)
        assert found.fpr == pytest.approx(0.03, abs=0.002)
        assert found.prior == pytest.approx(0.05, abs=0.002)

    @pytest.mark.parametrize(
        ("shares", "match"),
        [
            (
                {"passed": 0},
                (
                    "BR586: no passed case was reviewed: precision, but not tpr, can be known. Fix:"
                    " review some passed cases"
                ),
            ),
            (
                {"passed": 0.1, "flagged": 0},
                "BR586: no flagged case was reviewed: neither tpr nor precision can be known",
            ),
            ({"passed": 1.5}, "BR586: passed must be a share between 0 and 1, got 1.5"),
        ],
    )
    def test_reviews_that_say_nothing_are_refused(self, shares, match):
        with pytest.raises(InputError, match=match):
            br.robustness.under_verification(br.Confusion(tp=45, fp=55, fn=10, tn=990), **shares)
