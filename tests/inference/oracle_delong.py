"""DeLong's variances as fractions, by loops over every pair of cases."""

from fractions import Fraction

from hypothesis import strategies as st

import baserate as br

SCORES = st.integers(0, 5)


@st.composite
def scored(draw, least=2, most=10):
    """Scores of two models for the positives, and for the negatives."""
    sizes = draw(st.tuples(st.integers(least, most), st.integers(least, most)))
    return tuple(
        draw(st.lists(st.tuples(SCORES, SCORES), min_size=size, max_size=size)) for size in sizes
    )


def joint_of(positives, negatives):
    labels = [1] * len(positives) + [0] * len(negatives)
    a, b = zip(*positives, *negatives, strict=True)
    return br.count(labels, {"a": a, "b": b})


def placements(positives, negatives):
    """The share of negatives below each positive, and of positives above each negative; a tie
    counts one half.
    """
    won = [[Fraction(2 * (p > n) + (p == n), 2) for n in negatives] for p in positives]
    ours = [sum(row, Fraction(0)) / len(negatives) for row in won]
    return ours, [sum(column, Fraction(0)) / len(positives) for column in zip(*won, strict=True)]


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def covariance(one, other):
    return sum(
        ((a - mean(one)) * (b - mean(other)) for a, b in zip(one, other, strict=True)), Fraction(0)
    ) / (len(one) - 1)


def matrix(columns):
    return [[covariance(one, other) for other in columns] for one in columns]


def naive_pair(positives, negatives):
    """DeLong 1988, equations 4 to 7: AUCs, and what each class adds to the variance of their
    difference, by 2 × 2 matrices.
    """
    columns = [placements([s[k] for s in positives], [s[k] for s in negatives]) for k in (0, 1)]
    parts = []
    for side, cases in ((0, positives), (1, negatives)):
        s = matrix([columns[0][side], columns[1][side]])
        parts.append((s[0][0] - s[0][1] - s[1][0] + s[1][1]) / len(cases))
    return [mean(ours) for ours, _ in columns], parts


def welch(parts):
    """Satterthwaite's degrees of freedom of (variance, degrees) that add up."""
    return float(sum(v for v, _ in parts) ** 2 / sum(v**2 / d for v, d in parts))


def counts_of(positives, negatives):
    return br.count([1] * len(positives) + [0] * len(negatives), [*positives, *negatives])


def naive_unpaired(parts):
    """AUCs, and (variance of the mean placement, cases) of each class of each sample."""
    a, b = placements(*parts[:2]), placements(*parts[2:])
    return [mean(ours) for ours, _ in (a, b)], [
        (covariance(side, side) / len(side), len(side)) for side in (*a, *b)
    ]


def naive(positives, negatives):
    """AUC, and the placements of either class, as fractions: each pair looked at once."""
    ours, theirs = placements(positives, negatives)
    return mean(ours), ours, theirs


def sample_variance(values):
    return covariance(values, values) if len(values) > 1 else Fraction(0)


def naive_variance(positives, negatives):
    _, ours, theirs = naive(positives, negatives)
    return sample_variance(ours) / len(ours) + sample_variance(theirs) / len(theirs)
