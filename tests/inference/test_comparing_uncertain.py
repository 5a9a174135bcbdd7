"""`compare` where base rate and costs are not known exactly."""

import numpy as np
import pytest
from tests.inference.samples import text_of
from tests.inference.two_models import grouped_models, joint, separate

import baserate as br
from baserate.inference import differences
from baserate.inference.differences import joint_p
from baserate.inference.expectation import expect
from baserate.inference.resample import FlaggedRuns, Plan, bootstrap_p, resample_counts, roc_runs

COSTS = {"fn": 20, "fp": 1}


def cheapest(counts, priors):
    """The lowest cost per case of any threshold, at each base rate."""
    order = np.argsort(-counts.scores)
    missed = 1 - np.cumsum(np.r_[0, counts.positives[order]]) / counts.total_positives
    alarms = np.cumsum(np.r_[0, counts.negatives[order]]) / counts.total_negatives
    errors = np.outer(priors * COSTS["fn"], missed) + np.outer((1 - priors) * COSTS["fp"], alarms)
    return errors.min(axis=1)


def test_what_is_believed_is_averaged_over_on_every_resample():
    at = br.Conditions(prior=br.LogUniform(0.001, 0.1), costs=COSTS)
    found = br.compare(joint(), "expected_cost", at=at, replicates=100, seed=3)
    known = np.array([at.prior.quantile((i + 0.5) / 300) for i in range(300)])
    values = [
        np.mean(cheapest(b, known) - cheapest(a, known))
        for a, b in resample_counts(joint().only(("a", "b")), Plan("stratified", 100, 3), roc_runs)
    ]
    width = found.high - found.low
    assert (found.low, found.high) == pytest.approx(
        (np.quantile(values, 0.025), np.quantile(values, 0.975)), abs=0.002 * width
    )
    below = min(np.sum(np.array(values) <= 0), np.sum(np.array(values) >= 0))
    assert found.p_value == pytest.approx(
        min(1, 2 * (below + 1) / 101), abs=2.1 / 101
    )  # one resample may lie on either side of 0
    for name, value in zip("ab", found.values, strict=True):
        assert value == pytest.approx(
            expect(joint().marginal(name), "expected_cost", at=at).value, rel=1e-5
        )
    assert found.value == found.values[1] - found.values[0]
    assert (found.at, found.method, found.better) == (at, "percentile", "lower")


def test_a_certain_lead_on_average_is_no_noise_though_base_rates_differ_widely():
    """Found in review: mixing the spread of the base rate into p called a certain lead noise."""
    labels = np.r_[np.ones(500, int), np.zeros(5000, int)]
    better, worse = (
        np.r_[np.full(n, 2), np.full(500 - n, 1), np.full(10, 2), np.full(4990, 1)]
        for n in (300, 200)
    )
    models = br.count(labels, {"worse": worse, "better": better})
    at = br.Conditions(prior=br.LogUniform(1e-5, 1e-2), costs={"fn": 100, "fp": 1})
    found = br.compare(models, "expected_cost", at=at, replicates=200)
    assert (found.favours, found.significant) == ("better", True)
    assert found.high < 0


def test_over_a_range_the_bounds_hold_at_all_of_its_places():
    at = br.Conditions(prior="0.001..0.3", costs=COSTS)
    found = br.compare(joint(), "expected_cost", at=at, replicates=200)
    priors = np.array([one.middle().prior for one in at.pinned()])
    resamples = resample_counts(joint(), Plan("stratified", 200, 0), roc_runs)
    values = np.array([cheapest(b, priors) - cheapest(a, priors) for a, b in resamples])
    assert len(priors) == 9
    assert found.low <= np.quantile(values, 0.025, axis=0).min() + 1e-12
    assert found.high >= np.quantile(values, 0.975, axis=0).max() - 1e-12
    assert found.p_value >= max(bootstrap_p(line) for line in values.T) - 1e-12
    middle = br.compare(joint(), "expected_cost", at=at.middle(), replicates=200)
    assert found.values == pytest.approx(middle.values, rel=1e-12)
    assert text_of(found, "BR588").startswith(
        "the widest bounds of 67 places across base rates from 0.1% to 30%, costs (fp = 1, fn = 20)"
    )


def stepped(corners, cases, rng):
    """Scores of a class whose share above each step is given."""
    shares = np.diff([0, *corners, 1])
    return rng.permutation(
        np.repeat(np.arange(len(shares), 0, -1), np.round(shares * cases).astype(int))
    )


@pytest.mark.parametrize(
    ("wide", "inside"),
    [
        ({"prior": "0.00553..0.9733"}, {"prior": 0.43}),
        (
            {"prior": 0.5, "costs": {"fn": br.Range(0.35, 5), "fp": 1}},
            {"prior": 0.5, "costs": br.Costs(fn=0.75, fp=1)},
        ),
    ],
)
def test_no_model_leads_all_over_a_range_inside_which_the_other_does(wide, inside):
    """Found in review: nine places missed where the difference bends."""
    rng = np.random.default_rng(0)
    rocs = {
        "b": ([0.10, 0.6, 0.97, 1, 1], [0, 0.02, 0.3, 0.5, 0.5]),
        "a": ([0.03, 0.56, 0.80, 0.95, 1], [0, 0.022, 0.12, 0.33, 0.8]),
    }
    labels = np.r_[np.ones(20_000, int), np.zeros(20_000, int)]
    scores = {
        name: np.r_[stepped(tpr, 20_000, rng), stepped(fpr, 20_000, rng)]
        for name, (tpr, fpr) in rocs.items()
    }
    models = br.count(labels, scores)
    there = br.compare(
        models, "expected_cost", pair=("a", "b"), at=br.Conditions(**inside), replicates=100
    )
    assert (there.favours, there.significant) == ("a", True)
    found = br.compare(
        models, "expected_cost", pair=("a", "b"), at=br.Conditions(**wide), replicates=100
    )
    assert not found.significant
    assert found.low < 0 < found.high


def test_a_rule_is_kept_at_every_place_of_a_range():
    at = br.Conditions(prior="0.01..0.2")
    found = br.compare(joint(), "precision", rule="tpr >= 0.5", at=at, replicates=100)
    ends = [
        br.compare(
            joint(), "precision", rule="tpr >= 0.5", at=br.Conditions(prior=p), replicates=100
        )
        for p in (0.01, 0.2)
    ]
    assert found.low <= min(one.low for one in ends) + 1e-12
    assert found.high >= max(one.high for one in ends) - 1e-12


def test_no_model_is_called_better_where_each_leads_in_a_part_of_the_range():
    """A leads where positives are rare, B where they are common, both beyond doubt: over the whole
    range neither does.
    """
    labels = np.r_[np.ones(2000, int), np.zeros(2000, int)]
    early = np.r_[np.full(1000, 3), np.full(1000, 1), np.full(10, 3), np.full(1990, 1)]
    late = np.r_[np.full(1900, 3), np.full(100, 1), np.full(600, 3), np.full(1400, 1)]
    models = br.count(labels, {"a": early, "b": late})
    ends = [
        br.compare(
            models,
            "expected_cost",
            at=br.Conditions(prior=p, costs=br.Costs(fp=1, fn=1)),
            replicates=200,
        )
        for p in (0.05, 0.5)
    ]
    assert [one.favours for one in ends] == ["a", "b"]
    assert all(one.significant for one in ends)
    found = br.compare(
        models,
        "expected_cost",
        at=br.Conditions(prior="0.05..0.5", costs={"fn": 1, "fp": 1}),
        replicates=200,
    )
    assert found.p_value == 1
    assert found.low < 0 < found.high


def test_p_over_a_range_is_that_of_its_worst_place_for_one_and_the_same_model():
    sure, unsure = np.full(99, 1.0), np.r_[np.full(90, 1.0), np.full(9, -1.0)]
    assert joint_p([sure]) == 2 * 1 / 100
    assert joint_p([sure, unsure]) == 2 * 10 / 100
    assert joint_p([sure, -sure]) == 1
    assert joint_p([np.zeros(99), np.zeros(99)]) == 1


def test_fixed_thresholds_of_each_model_at_a_pilot_s_base_rate():
    at = br.Conditions(prior=br.Pilot(12, 400))
    cuts = {"a": 1.0, "b": 1.2}
    found = br.compare(joint(), "precision", threshold=cuts, at=at, replicates=120)
    drawn = at.draw(np.random.default_rng((0, 0xC0DE)), 120)
    values = []
    two, plan = joint().only(("a", "b")), Plan("stratified", 120, 0)
    for row, parts in enumerate(
        resample_counts(two, plan, [FlaggedRuns(cut) for cut in cuts.values()])
    ):
        conditions = at.given(**drawn.row(row)._asdict())
        read = [
            br.measure(part, "precision", threshold=cuts[name], at=conditions)
            for name, part in zip("ab", parts, strict=True)
        ]
        values.append(read[1] - read[0])
    assert (found.low, found.high) == pytest.approx(
        (np.quantile(values, 0.025), np.quantile(values, 0.975)), abs=1e-12
    )


def test_what_does_not_depend_on_conditions_is_compared_as_ever():
    at = br.Conditions(prior=br.Range(0.001, 0.01))
    assert br.compare(joint(), br.auc, at=at) == br.compare(joint(), br.auc)
    assert br.compare(joint(), "tpr", threshold=1, at=at).method == "mcnemar"


def test_several_models_clusters_and_different_cases():
    at = br.Conditions(prior=br.Pilot(5, 1000), costs=COSTS)
    several = br.compare(joint("abc"), "expected_cost", at=at, replicates=800)
    assert [one.models for one in several] == [("a", "b"), ("a", "c"), ("b", "c")]
    clusters = br.compare(grouped_models(), "expected_cost", at=at, replicates=120)
    apart = br.compare(separate(), "expected_cost", at=at, replicates=800, paired=False)
    assert clusters.paired
    assert not apart.paired
    assert apart.high - apart.low > several[0].high - several[0].low


def test_the_same_seed_gives_the_same_answer_and_identical_models_do_not_differ():
    at = br.Conditions(prior="0.01..0.1", costs=COSTS)
    first, second = (
        br.compare(joint(), "expected_cost", at=at, replicates=100, seed=7) for _ in range(2)
    )
    assert first == second
    labels = [0] * 60 + [1] * 40
    twins = br.count(labels, {"a": range(100), "b": range(100)})
    found = br.compare(twins, "expected_cost", at=at, replicates=100)
    assert (found.value, found.low, found.high, found.p_value, found.favours) == (0, 0, 0, 1, None)


def test_a_method_for_known_conditions_is_refused():
    at = br.Conditions(prior="0.01..0.1", costs=COSTS)
    with pytest.raises(
        br.InputError, match='there is no method "mcnemar" to compare expected_cost'
    ):
        br.compare(joint(), "expected_cost", at=at, method="mcnemar")
    with pytest.raises(br.InputError, match="do not say which cases are the same"):
        br.compare(separate(), "expected_cost", at=at)


def test_a_range_is_looked_at_more_closely_between_the_neighbours_of_a_place():
    whole = br.Range(1.0, 9.0)
    grid = list(whole.grid(5))
    for place, value in enumerate(grid):
        closer = differences._about(whole, value * 1.01, 5)
        assert (closer.low, closer.high) == (grid[max(0, place - 1)], grid[min(4, place + 1)])


def test_resamples_without_a_difference_count_for_either_side():
    """One of 99 is 0: it is not above, and not below either."""
    above = np.array([0.0, 1.0, 2.0] + [1.0] * 96)
    assert joint_p([above]) == pytest.approx(2 * 2 / 100)
    assert joint_p([-above]) == pytest.approx(2 * 2 / 100)
    assert joint_p([above, above[1:]]) == pytest.approx(2 * 2 / 100)
    assert joint_p([above, -above]) == 1.0
    assert joint_p([np.zeros(99)]) == 1.0
