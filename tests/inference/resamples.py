"""Counts to resample, and what their resamples hold."""

import numpy as np
from scipy import stats

import baserate as br
from baserate.inference.resample import Plan, resample_counts

CELLS = br.Counts([5, 4, 3, 2, 1], positives=[12, 9, 6, 2, 1], negatives=[3, 10, 20, 67, 100])
STRATIFIED, CASES, CLUSTERS = "stratified", "cases", "clusters"


def plan(how=STRATIFIED, replicates=300, seed=0, progress=None):
    return Plan(how, replicates, seed, progress)


def parts_of(source, how=STRATIFIED, **options):
    """The counts of each resample, of a source with one model."""
    return [part for (part,) in resample_counts(source, plan(how, **options))]


def at_scores(parts, scores):
    """The positives and negatives of each resample at each of these scores: two arrays, a row a
    resample.
    """
    out = np.zeros((2, len(parts), len(scores)), dtype=np.int64)
    place = {score: i for i, score in enumerate(scores)}
    for row, part in enumerate(parts):
        for score, positives, negatives in zip(
            part.scores.tolist(), part.positives.tolist(), part.negatives.tolist(), strict=True
        ):
            out[:, row, place[score]] = positives, negatives
    return out


def normal_counts(positives=60, negatives=600, seed=3, digits=6):
    rng = np.random.default_rng(seed)
    labels = np.arange(positives + negatives) < positives
    return br.count(labels, np.round(rng.normal(size=len(labels)) + 1.2 * labels, digits))


def binomial_fit(sample, cases, chance):
    """The p-value of Pearson's test of a sample against a binomial law, of values joined so that
    five or more are expected.
    """
    values = np.arange(cases + 1)
    expected, seen = (
        stats.binom.pmf(values, cases, chance) * len(sample),
        np.bincount(sample, minlength=cases + 1),
    )
    joined = [[0.0, 0.0]]
    for one, other in zip(expected, seen, strict=True):
        if joined[-1][0] >= 5:
            joined.append([0.0, 0.0])
        joined[-1][0] += one
        joined[-1][1] += other
    last = joined.pop()
    joined[-1] = [joined[-1][0] + last[0], joined[-1][1] + last[1]]
    expected, seen = np.array(joined).T
    return stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue


def own_auc(part):
    """AUC as a function that nothing is known of."""
    return br.auc(part)


def distinctive(groups=12):
    """Every group has a score of its own, so that a resample shows how often it was drawn, and one
    that it shares with all.
    """
    labels, scores, names = [], [], []
    for group in range(groups):
        for score, positives, negatives in (
            (100 + group, group + 1, 2 * group + 1),
            (7, 2, 3 + group % 4),
        ):
            labels += [1] * positives + [0] * negatives
            scores += [score] * (positives + negatives)
            names += [f"g{group}"] * (positives + negatives)
    return br.count(np.array(labels), np.array(scores), cluster=names)
