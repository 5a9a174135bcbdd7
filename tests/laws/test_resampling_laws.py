"""Resamples have the laws of the bootstrap. Seeds are fixed, so that a test that passes goes on
passing.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from baserate.kernels import Urn, best

LEAST_P = 1e-4
MOST_DEVIATIONS = 4.5


def resamples(urn, size, replicates, seed=20, stream=0):
    out = np.empty((replicates, len(urn)), dtype=np.int64)
    best.draw(urn, np.full(replicates, size), seed, 0, stream, out)
    return out


def is_plausible(observed, expected):
    """Chi-square over outcomes, those expected fewer than ten times together."""
    rare = expected < 10
    groups = [np.append(values[~rare], values[rare].sum()) for values in (observed, expected)]
    seen, wanted = (values[: len(values) - (groups[1][-1] < 1)] for values in groups)
    return stats.chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue > LEAST_P


@pytest.mark.parametrize("slack", [0.0, 1.0, 2.0, 1000.0])
@pytest.mark.parametrize(
    ("cells", "size"),
    [([1, 2, 3], 6), ([1, 1, 1, 1], 4), ([5, 0, 1], 3), ([2, 1], 9), ([1, 2, 3], 0)],
)
def test_every_outcome_is_as_frequent_as_the_multinomial_law_says(cells, size, slack):
    replicates = 100_000
    urn = Urn(cells, least=size, slack=slack)
    radix = size + 1
    codes = resamples(urn, size, replicates) @ radix ** np.arange(len(cells))
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
    urn = Urn([1, 7, 300, 5_000, 70_000, 1_000_000])
    replicates = 50_000
    drawn = resamples(urn, urn.total, replicates)[:, cell]
    law = stats.binom(urn.total, urn.counts[cell] / urn.total)
    cuts = np.unique(law.ppf(np.linspace(0.02, 0.98, 49)))
    expected = replicates * np.diff(law.cdf(cuts), prepend=0.0, append=1.0)
    observed = np.bincount(np.searchsorted(cuts, drawn, side="left"), minlength=len(expected))
    assert is_plausible(observed, expected)


@pytest.mark.parametrize("share", [0.5, 1.0, 1.5])
def test_means_and_covariances_are_those_of_the_multinomial_law(share):
    cells = np.array([1, 1, 2, 40, 0, 300, 17, 900, 1])
    size, replicates = int(share * cells.sum()), 60_000
    drawn = resamples(Urn(cells, least=size), size, replicates)
    chances = cells / cells.sum()
    exact = size * (np.diag(chances) - np.outer(chances, chances))
    mean_error = np.sqrt(np.diag(exact) / replicates)
    assert (np.abs(drawn.mean(axis=0) - size * chances) <= MOST_DEVIATIONS * mean_error).all()
    centred = drawn - size * chances
    products = centred[:, :, None] * centred[:, None, :]
    error = products.std(axis=0) / np.sqrt(replicates)
    assert (np.abs(products.mean(axis=0) - exact) <= MOST_DEVIATIONS * error).all()


def test_resamples_of_many_single_cases_have_their_moments():
    """The table of pairs: neighbours in a pair are as little related as any two cells."""
    cells, replicates = 1000, 20_000
    drawn = resamples(Urn(np.ones(cells, dtype=np.int64)), cells, replicates).astype(np.float64)
    frequencies = np.bincount(drawn.astype(np.int64).ravel(), minlength=12)[:12] / drawn.size
    assert np.abs(frequencies - stats.binom.pmf(np.arange(12), cells, 1 / cells)).max() < 1e-3
    pairs = [np.corrcoef(drawn[:, i], drawn[:, i + 1])[0, 1] for i in range(0, cells, 2)]
    assert abs(np.mean(pairs) + 1 / (cells - 1)) < MOST_DEVIATIONS / np.sqrt(
        replicates * len(pairs)
    )


def test_streams_seeds_and_replicates_are_independent():
    urn, replicates = Urn([30, 50, 20]), 40_000
    one, other, reseeded = (
        resamples(urn, 100, replicates, seed, stream)[:, 0]
        for seed, stream in ((5, 0), (5, 1), (6, 0))
    )
    bound = MOST_DEVIATIONS / np.sqrt(replicates)
    for a, b in (
        (one, other),
        (one, reseeded),
        (other, reseeded),
        (one[:-1], one[1:]),
        (one[:-1], other[1:]),
    ):
        assert abs(np.corrcoef(a, b)[0, 1]) < bound
    rows = resamples(Urn(np.ones(50, dtype=np.int64)), 50, 2000)
    assert len(np.unique(rows, axis=0)) == 2000


def test_the_mean_and_variance_of_the_resampled_auc_are_those_of_the_formula():
    """Over all resamples AUC has its own value as mean, and the variance of a two-sample
    U-statistic of the empirical laws.
    """
    rng = np.random.default_rng(2)
    positives, negatives = rng.integers(0, 3, 60), rng.integers(0, 6, 60)[::-1].copy()
    ours, theirs, replicates = int(positives.sum()), int(negatives.sum()), 100_000
    wins = best.wins_again(
        Urn(positives),
        Urn(negatives),
        np.full(replicates, ours),
        np.full(replicates, theirs),
        11,
        0,
    )
    resampled = wins / (2 * ours * theirs)
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
    """One urn for all sizes: which size a replicate has bears on nothing else."""
    cells = np.array([50, 150, 300])
    sizes = np.tile(np.array([440, 500, 560]), 20_000)
    out = np.empty((len(sizes), 3), dtype=np.int64)
    best.draw(Urn(cells, least=440), sizes, 3, 0, 2, out)
    for size in (440, 500, 560):
        drawn = out[sizes == size, 0]
        law = stats.binom(size, 0.1)
        expected = len(drawn) * law.pmf(np.arange(size + 1))
        assert is_plausible(np.bincount(drawn, minlength=size + 1), expected)
