"""Flagging nothing or everything is no estimate: at a given base rate what follows from it is
exact.
"""

import math

import pytest

import baserate as br

COUNTS = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
PRIOR, COSTS = 0.1, br.Costs(fp=3, fn=20)
AT = br.Conditions(PRIOR, COSTS)
NOTHING = {
    "tpr": 0,
    "fpr": 0,
    "npv": 1 - PRIOR,
    "posfrac": 0,
    "expected_cost": PRIOR * 20,
    "alerts": 0,
    "missed": 100,
}
EVERYTHING = {
    "tpr": 1,
    "fpr": 1,
    "precision": PRIOR,
    "posfrac": 1,
    "expected_cost": (1 - PRIOR) * 3,
    "alerts": 1000,
    "caught": 100,
    "lift": 1,
}


def volume(name):
    return 1000 if name in ("alerts", "caught", "missed") else None


@pytest.mark.parametrize(("threshold", "expected"), [(None, NOTHING), (-math.inf, EVERYTHING)])
def test_at_a_given_base_rate_everything_is_exact(threshold, expected):
    for name, value in expected.items():
        for side in ("both", "lower", "upper"):
            found = br.interval(
                name, COUNTS, threshold=threshold, at=AT, volume=volume(name), side=side
            )
            assert (found.low, found.high, found.method) == (found.value, found.value, "exact")
            assert found.value == pytest.approx(value, rel=1e-12)
        point = br.flag_at(COUNTS, threshold, at=AT, volume=1000)
        assert br.interval(name, point).method == "exact"
    assert repr(br.interval("tpr", COUNTS, threshold=threshold)).endswith(", exact")
    assert "exact" in br.interval("tpr", COUNTS, threshold=threshold)._repr_html_()


def test_the_base_rate_of_the_sample_is_an_estimate_and_stays_one():
    assert br.interval("npv", COUNTS, threshold=None).method == "wilson"
    positives, cases = 50, 5050
    share = br.rate_interval(cases - positives, cases)
    assert br.interval("npv", COUNTS, threshold=None).low == share.low
    cost = br.interval("expected_cost", COUNTS, threshold=None)
    assert cost.low < 50 / 5050 < cost.high
    for name in ("tpr", "fpr", "posfrac", "alerts", "caught"):
        assert br.interval(name, COUNTS, threshold=None, volume=volume(name)).method == "exact"
    assert br.interval("precision", COUNTS, threshold=-math.inf).method == "wilson"
    assert br.interval("lift", COUNTS, threshold=-math.inf).method == "exact"


def test_over_a_range_or_a_pilot_only_the_base_rate_is_in_doubt():
    span = br.interval("npv", COUNTS, threshold=None, at=br.Uncertain(prior="0.1%..10%"))
    assert (span.low, span.high) == pytest.approx((0.9, 0.999))
    assert (
        br.interval("tpr", COUNTS, threshold=None, at=br.Uncertain(prior="0.1%..10%")).method
        == "exact"
    )
    pilot = br.interval("npv", COUNTS, threshold=None, at=br.Uncertain(prior=br.Pilot(5, 5000)))
    prior = br.rate_interval(5, 5000, method="jeffreys")
    assert (pilot.low, pilot.high) == pytest.approx((1 - prior.high, 1 - prior.low), rel=1e-4)
    lower = br.interval(
        "npv", COUNTS, threshold=None, at=br.Uncertain(prior=br.Pilot(5, 5000)), side="lower"
    )
    assert lower.low == pytest.approx(1 - br.rate_interval(5, 5000, side="upper").high, rel=1e-4)


def test_a_share_at_random_has_that_share_of_either_class():
    point = br.random_classifier(COUNTS, 0.3, at=AT)
    assert (br.interval("tpr", point).low, br.interval("precision", point).high) == (0.3, PRIOR)
    here = br.interval("precision", br.random_classifier(COUNTS, 0.3))
    assert here.low < 50 / 5050 < here.high


def test_what_a_day_will_bring_is_predicted_also_of_everything():
    found = br.interval(
        "caught", COUNTS, threshold=-math.inf, at=AT, volume=1000, method="predictive"
    )
    assert found.low < 100 < found.high
    nothing = br.interval("caught", COUNTS, threshold=None, at=AT, volume=1000, method="predictive")
    assert (nothing.low, nothing.high) == (0, 0)
    with pytest.raises(br.InputError, match='BR581: there is no method "foo" for tpr'):
        br.interval("tpr", COUNTS, threshold=None, method="foo")


def test_a_threshold_beyond_the_scores_of_the_sample_is_an_estimate():
    assert br.interval("fpr", COUNTS, threshold=99).method == "clopper-pearson"
    assert br.interval("tpr", COUNTS, threshold=1).method == "clopper-pearson"


def test_weights_do_not_matter_where_the_base_rate_is_given():
    weighted = br.Counts([2, 1], positives=[1.5, 2], negatives=[2.5, 10])
    assert br.interval("expected_cost", weighted, threshold=None, at=AT).value == pytest.approx(2)
    assert br.interval("expected_cost", br.flag_at(weighted, None, at=AT)).method == "exact"
    with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
        br.interval("expected_cost", weighted, threshold=None)


def test_a_choice_has_both_baselines_and_says_which_is_not_beaten():
    models = {"a": COUNTS}
    choice = br.choose_model(models, at=AT)
    assert list(choice.baselines) == ["flag nothing", "flag everything"]
    assert choice.unbeaten is None
    assert br.choose_model(models, at=br.Conditions(1e-7)).unbeaten == "flag nothing"
    assert br.choose_model(models, at=br.Conditions(0.999)).unbeaten == "flag everything"
    assert list(br.choose_model(models, "recall >= 0.5", at=AT).baselines) == ["flag everything"]
    assert not br.choose_model(models, "alerts <= 10", at=br.Conditions(0.1), volume=1000).baselines
    assert list(br.choose_model(models, "alerts <= 10", at=AT, volume=1000).baselines) == [
        "flag nothing"
    ]
