"""Resamples have the laws of the bootstrap. Seeds are fixed, so that a test that passes goes on
passing.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

import baserate as br
from baserate.inference import resample
from baserate.inference.resample import AreaUnderRoc, Plan, make_sample, make_sampler, replicate

LEAST_P = 1e-4
MOST_DEVIATIONS = 4.5


def resamples(cells, size, replicates, seed=20):
    """Resamples of cells that have cases; `size` may be one for each."""
    sampler = make_sampler(np.array(cells), np.random.SeedSequence(seed))
    return sampler.draw(np.broadcast_to(size, replicates)).astype(np.int64)


def is_plausible(observed, expected):
    """Chi-square over outcomes, those expected fewer than ten times together."""
    rare = expected < 10
    groups = [np.append(values[~rare], values[rare].sum()) for values in (observed, expected)]
    seen, wanted = (values[: len(values) - (groups[1][-1] < 1)] for values in groups)
    return stats.chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue > LEAST_P


# Cases are drawn one by one, or their number in each cell.
@pytest.fixture(params=[0, 10**9], ids=str)
def way(request, monkeypatch):
    monkeypatch.setattr(resample, "FEW_CASES_PER_CELL", request.param)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    ("cells", "size"),
    [([1, 2, 3], 6), ([1, 1, 1, 1], 4), ([5, 1], 3), ([2, 1], 9), ([1, 2, 3], 0)],
)
def test_every_outcome_is_as_frequent_as_the_multinomial_law_says(cells, size):
    replicates = 100_000
    radix = size + 1
    codes = resamples(cells, size, replicates) @ radix ** np.arange(len(cells))
    outcomes = np.array(
        [
            outcome
            for outcome in itertools.product(range(radix), repeat=len(cells))
            if sum(outcome) == size
        ]
    )
    observed = np.bincount(codes, minlength=radix ** len(cells))[
        outcomes @ radix ** np.arange(len(cells))
    ]
    assert observed.sum() == replicates
    expected = replicates * stats.multinomial.pmf(outcomes, size, np.array(cells) / sum(cells))
    assert (observed[expected == 0] == 0).all()
    assert len(outcomes) == 1 or is_plausible(observed, expected)


@pytest.mark.parametrize("cell", range(6))
def test_a_cell_alone_follows_the_binomial_law(cell):
    cells = [1, 7, 300, 5_000, 70_000, 1_000_000]
    replicates, total = 50_000, sum(cells)
    drawn = resamples(cells, total, replicates)[:, cell]
    law = stats.binom(total, cells[cell] / total)
    cuts = np.unique(law.ppf(np.linspace(0.02, 0.98, 49)))
    expected = replicates * np.diff(law.cdf(cuts), prepend=0.0, append=1.0)
    observed = np.bincount(np.searchsorted(cuts, drawn, side="left"), minlength=len(expected))
    assert is_plausible(observed, expected)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("share", [0.5, 1.5])
def test_means_and_covariances_are_those_of_the_multinomial_law(share):
    cells = np.array([1, 1, 2, 40, 300, 17, 900, 1])
    size, replicates = int(share * cells.sum()), 20_000
    drawn = resamples(cells, size, replicates)
    chances = cells / cells.sum()
    exact = size * (np.diag(chances) - np.outer(chances, chances))
    mean_error = np.sqrt(np.diag(exact) / replicates)
    assert (np.abs(drawn.mean(axis=0) - size * chances) <= MOST_DEVIATIONS * mean_error).all()
    centred = drawn - size * chances
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(replicates)
    assert (np.abs(products.mean(axis=0) - exact) <= MOST_DEVIATIONS * error).all()


def test_resamples_of_many_single_cases_have_their_moments():
    cells, replicates = 1000, 20_000
    drawn = resamples(np.ones(cells, dtype=np.int64), cells, replicates).astype(np.float64)
    frequencies = np.bincount(drawn.astype(np.int64).ravel(), minlength=12)[:12] / drawn.size
    assert np.abs(frequencies - stats.binom.pmf(np.arange(12), cells, 1 / cells)).max() < 1e-3
    pairs = [np.corrcoef(drawn[:, i], drawn[:, i + 1])[0, 1] for i in range(0, cells, 2)]
    assert abs(np.mean(pairs) + 1 / (cells - 1)) < MOST_DEVIATIONS / np.sqrt(
        replicates * len(pairs)
    )


def test_classes_seeds_and_replicates_are_independent():
    counts, replicates = br.Counts([3, 2, 1], [30, 50, 20], [30, 50, 20]), 40_000
    one, reseeded = (
        replicate(
            make_sample(counts),
            lambda weights: np.concatenate(weights, axis=1),
            Plan("stratified", replicates, seed),
        )
        for seed in (5, 6)
    )
    positives, negatives, others = one[:, 0], one[:, 3], reseeded[:, 0]
    bound = MOST_DEVIATIONS / np.sqrt(replicates)
    for a, b in (
        (positives, negatives),
        (positives, others),
        (negatives, others),
        (positives[:-1], positives[1:]),
        (positives[:-1], negatives[1:]),
    ):
        assert abs(np.corrcoef(a, b)[0, 1]) < bound
    rows = resamples(np.ones(50, dtype=np.int64), 50, 2000)
    assert len(np.unique(rows, axis=0)) == 2000


def test_the_mean_and_variance_of_the_resampled_auc_are_those_of_the_formula():
    """Over all resamples AUC has its own value as mean, and the variance of a two-sample
    U-statistic of the empirical laws.
    """
    rng = np.random.default_rng(2)
    positives, negatives = rng.integers(0, 3, 60), rng.integers(0, 6, 60)[::-1].copy()
    ours, theirs, replicates = int(positives.sum()), int(negatives.sum()), 100_000
    kept = positives + negatives > 0
    counts = br.Counts(np.arange(60)[::-1][kept], positives[kept], negatives[kept])
    plan = Plan("stratified", replicates, 11)
    resampled = replicate(make_sample(counts), AreaUnderRoc(), plan)
    order = np.arange(60)
    kernel = (order[:, None] < order) + 0.5 * (
        order[:, None] == order
    )  # rows: positives; a lower index is a higher score
    p, n = positives / ours, negatives / theirs
    auc = p @ kernel @ n
    whole, by_positive, by_negative = (
        p @ kernel**2 @ n - auc**2,
        p @ (kernel @ n) ** 2 - auc**2,
        (p @ kernel) ** 2 @ n - auc**2,
    )
    variance = (whole + (theirs - 1) * by_positive + (ours - 1) * by_negative) / (ours * theirs)
    assert abs(resampled.mean() - auc) < MOST_DEVIATIONS * np.sqrt(variance / replicates)
    squares = (resampled - auc) ** 2
    assert abs(squares.mean() - variance) < MOST_DEVIATIONS * squares.std() / np.sqrt(replicates)


def test_sizes_that_vary_give_the_law_of_each_size():
    """Which size a resample has bears on nothing else."""
    sizes = np.tile(np.array([440, 500, 560]), 20_000)
    out = resamples([50, 150, 300], sizes, len(sizes))
    for size in (440, 500, 560):
        drawn = out[sizes == size, 0]
        law = stats.binom(size, 0.1)
        expected = len(drawn) * law.pmf(np.arange(size + 1))
        assert is_plausible(np.bincount(drawn, minlength=size + 1), expected)
