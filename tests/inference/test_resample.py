"""The resampling engine against a naive resampler, and against counts made of every resample."""

import math
import time

import numpy as np
import pytest
from tests.inference.resamples import (
    CASES,
    CELLS,
    CLUSTERS,
    STRATIFIED,
    binomial_fit,
    distinctive,
    normal_counts,
    parts_of,
)

import baserate as br
from baserate.counts.grouped import GroupedCounts
from baserate.inference import resample
from baserate.inference.resample import (
    AreaUnderRoc,
    AveragePrecision,
    KolmogorovSmirnov,
    Plan,
    Resampler,
    Weights,
    make_sample,
    replicate,
)
from baserate.inference.statistic import statistic_of


def draw_weights(counts, *, replicates=3000, seed=0, draw_prior=False):
    """All resamples at once."""
    sample, how = make_sample(counts), CASES if draw_prior else STRATIFIED
    if isinstance(counts, GroupedCounts):
        how = CLUSTERS
    blocks = [
        sample.weights_by_model(drawn)[0]
        for drawn in Resampler(sample, Plan(how, replicates, seed)).draw_blocks(replicates)
    ]
    return Weights(*(np.concatenate(column) for column in zip(*blocks, strict=True)))


def assert_same_quantiles(values, others):
    """At each quantile of the one, as many of the other lie below, within three standard errors."""
    for share in (0.025, 0.5, 0.975):
        below = np.mean(others <= np.quantile(values, share))
        error = math.sqrt(share * (1 - share) * (1 / len(values) + 1 / len(others)))
        assert abs(below - share) <= 3 * error


# ---- weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize("draw_prior", [False, True])
@pytest.mark.parametrize("few", [0, 100])
def test_weights_of_cells_are_binomial(monkeypatch, draw_prior, few):
    """Drawn cell by cell or case by case."""
    monkeypatch.setattr(resample, "FEW_CASES_PER_CELL", few)
    weights = draw_weights(CELLS, draw_prior=draw_prior)
    whole = CELLS.total_positives + CELLS.total_negatives
    for drawn, column in zip(weights, (CELLS.positives, CELLS.negatives), strict=True):
        total = whole if draw_prior else column.sum()
        for cell, number in enumerate(column):
            assert binomial_fit(drawn[:, cell].astype(int), total, number / total) > 1e-4
    drawn = sum(column.sum(axis=1) for column in weights)
    assert (drawn == whole).all()
    assert (len(set(weights.positives.sum(axis=1))) > 1) == draw_prior


def test_cells_without_cases_are_never_drawn():
    positives, negatives = np.array([0, 5, 0, 900, 0]), np.array([10, 0, 10_000, 0, 1])
    weights = draw_weights(br.Counts([5, 4, 3, 2, 1], positives=positives, negatives=negatives))
    assert not weights.positives[:, positives == 0].any()
    assert not weights.negatives[:, negatives == 0].any()


def test_groups_are_drawn_whole():
    groups = distinctive()
    weights = draw_weights(groups)
    # Scores 111 down to 100 are those of one group each, and 7 is that of all.
    times = weights.positives[:, :12][:, ::-1] / np.arange(1, 13)
    assert (times == times.round()).all()
    assert (times.sum(axis=1) == 12).all()
    assert np.array_equal(weights.negatives[:, :12][:, ::-1], times * (2 * np.arange(12) + 1))
    assert np.array_equal(weights.positives[:, 12], times @ np.full(12, 2))
    assert np.array_equal(weights.negatives[:, 12], times @ (3 + np.arange(12) % 4))
    assert binomial_fit(times[:, 4].astype(int), 12, 1 / 12) > 1e-3


@pytest.mark.parametrize("draw_prior", [False, True])
@pytest.mark.parametrize("counts", [CELLS, normal_counts(), distinctive()])
def test_blocks_change_nothing_and_more_resamples_begin_with_the_same_ones(
    monkeypatch, counts, draw_prior
):
    options = {"draw_prior": draw_prior, "seed": 3}
    whole = draw_weights(counts, replicates=50, **options)
    begin = draw_weights(counts, replicates=20, **options)
    monkeypatch.setattr(resample, "BLOCK_SIZE", 40)
    blocks = draw_weights(counts, replicates=50, **options)
    for one, first, same in zip(whole, begin, blocks, strict=True):
        assert np.array_equal(one[:20], first)
        assert np.array_equal(one, same)
    other = draw_weights(counts, replicates=50, **(options | {"seed": 4}))
    assert not np.array_equal(whole.positives, other.positives)


# ---- statistics -------------------------------------------------------------------------------


@pytest.mark.parametrize("draw_prior", [False, True])
@pytest.mark.parametrize("prior", [None, 0.01, 0.7])
@pytest.mark.parametrize("name", ["auc", "average_precision", "ks"])
def test_a_statistic_of_weights_is_that_of_the_counts_of_each_resample(name, prior, draw_prior):
    counts = normal_counts(25, 80, digits=1)
    statistic = statistic_of(name, at=br.Conditions(prior) if name == "average_precision" else None)
    weights = draw_weights(counts, replicates=40, draw_prior=draw_prior)
    expected = [
        statistic(br.Counts(counts.scores, *row))
        for row in zip(*(column.astype(int) for column in weights), strict=True)
    ]
    np.testing.assert_allclose(statistic.of_weights(weights), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "statistic",
    [AreaUnderRoc(), AveragePrecision(None), KolmogorovSmirnov()],
)
def test_a_statistic_is_undefined_where_a_class_is_missing(statistic):
    weights = Weights(np.array([[1.0, 0], [0, 0], [2, 1]]), np.array([[0.0, 1], [1, 2], [0, 0]]))
    assert np.isnan(statistic(weights)).tolist() == [False, True, True]


def naive_average_precision(scores, labels):
    """The mean over the positives of the precision at their own score."""
    flagged = scores[:, np.newaxis] >= scores[labels]
    return float(np.mean((flagged & labels[:, np.newaxis]).sum(axis=0) / flagged.sum(axis=0)))


def naive_ks(scores, labels):
    flagged = scores[:, np.newaxis] >= np.unique(scores)
    return float((flagged[labels].mean(axis=0) - flagged[~labels].mean(axis=0)).max())


@pytest.mark.parametrize("draw_prior", [False, True])
@pytest.mark.parametrize(
    ("statistic", "naive"),
    [(AveragePrecision(None), naive_average_precision), (KolmogorovSmirnov(), naive_ks)],
)
def test_replicates_have_the_quantiles_of_a_naive_resampler(statistic, naive, draw_prior):
    rng = np.random.default_rng(8)
    labels = np.arange(120) < 40
    scores = np.round(rng.normal(size=120) + labels, 1)
    values = []
    for _ in range(4000):
        cases = rng.integers(120, size=120)
        if not draw_prior:
            cases = np.concatenate((rng.integers(40, size=40), rng.integers(40, 120, size=80)))
        values.append(naive(scores[cases], labels[cases]))
    counts = br.count(labels, scores)
    plan = Plan(CASES if draw_prior else STRATIFIED, 4000, 1)
    found = replicate(make_sample(counts), statistic, plan)
    assert_same_quantiles(np.array(values), found)


@pytest.mark.parametrize("how", [STRATIFIED, CASES])
@pytest.mark.parametrize("name", ["average_precision", "ks"])
def test_replicates_have_the_quantiles_of_resampled_counts(name, how):
    counts, statistic = normal_counts(digits=2), statistic_of(name)
    expected = [statistic(part) for part in parts_of(counts, how, replicates=1500)]
    found = replicate(make_sample(counts), statistic.of_weights, Plan(how, 1500, 0))
    assert_same_quantiles(np.array(expected), found)


# ---- work -------------------------------------------------------------------------------------


def test_cases_beyond_number_take_no_longer_than_their_cells():
    counts = br.Counts([3, 2, 1], positives=[2 * 10**11, 10**11, 10**10], negatives=[10**10] * 3)
    start = time.process_time()
    found = br.interval(counts, "average_precision", replicates=1000)
    assert time.process_time() - start < 2
    assert found.low < found.value < found.high
    assert found.high - found.low < 1e-5


def test_a_resample_keeps_the_numbers_of_cases_of_cells_that_have_many_and_few():
    positives = np.array([900, 1, 0, 1, 2, 3000, 1, 1, 1])
    counts = br.Counts(np.arange(9)[::-1], positives=positives, negatives=np.full(9, 40))
    weights = draw_weights(counts)
    assert (weights.positives.sum(axis=1) == positives.sum()).all()
    mean = weights.positives.mean(axis=0)
    error = np.sqrt(positives * (1 - positives / positives.sum()) / 3000)
    assert (np.abs(mean - positives) <= 4.5 * error).all()
