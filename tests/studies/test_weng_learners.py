"""The stand-ins for Weka's learners: each against a naive form of its own definition, or a peer
where definitions coincide.
"""

import math

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from baserate_studies.generators import balance_scale, highleyman
from baserate_studies.weng.learners import LEAST, bayes_scores, machine_scores, neighbour_scores
from baserate_studies.weng.splits import Sample, best_split
from baserate_studies.weng.trees import (
    CONFIDENCE,
    Node,
    collapse,
    estimated_errors,
    grown,
    more_errors,
    prune,
    tree_scores,
)

NAN = math.nan
# The weather of Quinlan 1986: outlook (sunny, overcast, rain), temperature, humidity, windy; play
# or not.
WEATHER = np.array(
    [
        (0, 85, 85, 0), (0, 80, 90, 1), (1, 83, 78, 0), (2, 70, 96, 0), (2, 68, 80, 0), (2, 65, 70, 1), (1, 64, 65, 1),  # noqa: E501
        (0, 72, 95, 0), (0, 69, 70, 0), (2, 75, 80, 0), (0, 75, 70, 1), (1, 72, 90, 1), (1, 81, 75, 0), (2, 71, 80, 1),  # noqa: E501
    ],
    dtype=float,
)  # fmt: skip
PLAY = np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0], dtype=bool)
SIZES = (3, 0, 0, 2)


def entropy(labels):
    shares = [labels.count(value) / len(labels) for value in set(labels)]
    return -sum(share * math.log2(share) for share in shares)


def sample(x=WEATHER, y=PLAY):
    return Sample(x, y.astype(np.intp), np.ones(len(y)))


def test_bayes_multiplies_laplace_shares_and_normal_intervals():
    x, y = WEATHER[:, [0, 2]], PLAY
    case = np.array([[0.0, 80.0]])
    expected = math.log((9 + 1) / (5 + 1))
    gap = np.diff(np.unique(x[:, 1])).mean()
    for of_class, sign in ((y, 1), (~y, -1)):
        laplace = (np.count_nonzero(x[of_class, 0] == 0) + 1) / (of_class.sum() + 3)
        values = np.rint(x[of_class, 1] / gap) * gap
        mean, deviation = values.mean(), max(values.std(), gap / 6)
        at = round(80 / gap) * gap
        edges = [(at + half - mean) / deviation / math.sqrt(2) for half in (gap / 2, -gap / 2)]
        expected += sign * math.log(laplace * (math.erf(edges[0]) - math.erf(edges[1])) / 2)
    assert bayes_scores(x, y, case, (3, 0))[0] == pytest.approx(expected, rel=1e-9)


def test_a_missing_value_says_nothing_to_bayes_and_no_attribute_says_too_much():
    x, y = WEATHER, PLAY
    alone = bayes_scores(x[:, :1], y, np.array([[1.0]]), (3,))
    assert bayes_scores(x, y, np.array([[1.0, NAN, NAN, NAN]]), SIZES) == pytest.approx(alone)
    far = bayes_scores(x[:, 1:2], y, np.array([[1e9]]), (0,))
    assert far[0] == pytest.approx(math.log(10 / 6))
    assert LEAST == 1e-75


def test_the_linear_machine_is_scikit_learns_on_scaled_attributes():
    drawn = highleyman(60, 60, seed=1)
    scaler = MinMaxScaler().fit(drawn.x[::2])
    peer = (
        SVC(kernel="linear", C=1.0)
        .fit(scaler.transform(drawn.x[::2]), drawn.target[::2])
        .predict(scaler.transform(drawn.x[1::2]))
    )
    ours = machine_scores(drawn.x[::2], drawn.target[::2], drawn.x[1::2], (0, 0))
    assert ours.tolist() == peer.astype(float).tolist()
    assert set(ours) <= {0.0, 1.0}


def test_the_machine_takes_a_missing_value_for_the_mean_or_the_mode():
    filled = WEATHER.copy()
    holes = np.array([[NAN, NAN, 80.0, NAN]])
    means = np.array(
        [[2.0, filled[:, 1].mean(), 80.0, 0.0]]
    )  # rain is as common as sun, and comes last; sun is the first of the most common
    means[0, 0] = 0.0
    assert (
        machine_scores(filled, PLAY, holes, SIZES).tolist()
        == machine_scores(filled, PLAY, means, SIZES).tolist()
    )


def test_three_neighbours_are_scikit_learns_where_nothing_ties():
    drawn = highleyman(50, 50, seed=2)
    train, test = drawn.x[::2], drawn.x[1::2]
    low, span = train.min(axis=0), np.ptp(train, axis=0)
    peer = (
        KNeighborsClassifier(3)
        .fit((train - low) / span, drawn.target[::2])
        .predict_proba((test - low) / span)[:, 1]
    )
    more = 1 / len(train)
    assert neighbour_scores(train, drawn.target[::2], test, (0, 0)) == pytest.approx(
        (3 * peer + more) / (3 + 2 * more)
    )


def test_every_neighbour_as_near_as_the_third_votes():
    train, target = (
        np.array([[0.0], [1.0], [1.0], [1.0], [2.0]]),
        np.array([True, False, True, False, False]),
    )
    assert neighbour_scores(train, target, np.array([[0.0]]), (3,)) == pytest.approx(
        (1 + 0.2 + 1) / (5 + 0.4)
    )


def test_a_missing_number_is_as_far_away_as_it_can_be():
    train, target = np.array([[0.0], [1.0], [NAN], [0.4]]), np.array([True, False, False, True])
    # From 0.25: .25, .75, at most .75, .15; the third nearest ties with the missing one.
    assert neighbour_scores(train, target, np.array([[0.25]]), (0,)) == pytest.approx(
        (2 + 0.25) / (4 + 0.5)
    )


def test_the_first_question_of_the_weather_is_the_outlook():
    found = best_split(sample(), SIZES, 14)
    labels = PLAY.tolist()
    parts = [
        [label for label, row in zip(labels, WEATHER, strict=True) if row[0] == value]
        for value in range(3)
    ]
    gain = entropy(labels) - sum(len(part) / 14 * entropy(part) for part in parts)
    spread = entropy(WEATHER[:, 0].tolist())
    assert (found.column, found.size) == (0, 3)
    assert found.gain == pytest.approx(gain, rel=1e-12)
    assert found.ratio == pytest.approx(gain / spread, rel=1e-12)


def test_a_numeric_question_pays_for_the_choice_of_its_threshold():
    values, labels = np.arange(10.0), np.arange(10) >= 6
    found = best_split(sample(values[:, None], labels), (0,), 10)
    gain = (
        entropy(labels.tolist()) - math.log2(7) / 10
    )  # seven thresholds leave two cases on each side
    assert found.threshold == 5
    assert found.gain == pytest.approx(gain, rel=1e-12)
    assert best_split(sample(values[:, None], values % 2 == 0), (0,), 10) is None


def test_cases_with_a_missing_value_go_everywhere_in_parts():
    x = WEATHER.copy()
    x[11, 0] = NAN
    found = best_split(sample(x), SIZES, 14)
    parts = found.parts(sample(x))
    assert [part.total for part in parts] == pytest.approx([5 * 14 / 13, 3 * 14 / 13, 5 * 14 / 13])
    assert sum(part.total for part in parts) == pytest.approx(14)
    known = [row for place, row in enumerate(PLAY.tolist()) if place != 11]
    table = [
        [label for label, row in zip(PLAY.tolist(), x, strict=True) if row[0] == value]
        for value in range(3)
    ]
    gain = 13 / 14 * (entropy(known) - sum(len(part) / 13 * entropy(part) for part in table))
    assert found.gain == pytest.approx(gain, rel=1e-12)


def test_the_weather_tree_is_quinlans_and_is_not_pruned():
    """Sunny: humidity over 75; overcast: play; rain: windy. Every leaf is pure."""
    scores = tree_scores(WEATHER, PLAY, WEATHER, SIZES)
    assert scores.tolist() == PLAY.astype(float).tolist()
    unseen = np.array([[0, 60, 60, 1], [0, 60, 90, 0], [1, 99, 99, 1], [2, 70, 70, 1]], dtype=float)
    assert tree_scores(WEATHER, PLAY, unseen, SIZES).tolist() == [1, 0, 1, 0]


def test_a_missing_value_is_answered_by_all_branches():
    share = tree_scores(WEATHER, PLAY, np.array([[NAN, 70, 70, 0.0]]), SIZES)
    assert share[0] == pytest.approx(1.0)
    share = tree_scores(WEATHER, PLAY, np.array([[NAN, 70, 90, 1.0]]), SIZES)
    assert share[0] == pytest.approx(4 / 14)


@pytest.mark.parametrize(
    ("cases", "errors", "expected"),
    [(6, 0, 6 * (1 - 0.25 ** (1 / 6))), (9, 0, 9 * (1 - 0.25 ** (1 / 9))), (1, 0, 0.75)],
)
def test_a_leaf_without_errors_is_charged_quinlans_bound(cases, errors, expected):
    """Quinlan 1993, §4.2: U(0, 6) = .206, U(0, 9) = .143, U(0, 1) = .750."""
    assert more_errors(cases, errors) == pytest.approx(expected)
    assert CONFIDENCE == 0.25


def test_errors_are_charged_between_their_count_and_all_cases():
    for wrong in (0.0, 0.4, 1.0, 3.0, 9.5, 10.0):
        charged = estimated_errors(np.array([20 - wrong, wrong]))
        assert wrong < charged <= 20
    assert estimated_errors(np.zeros(2)) == 0
    assert more_errors(4, 3.8) == pytest.approx(0.2)
    halves = [more_errors(10, errors) for errors in (0.0, 0.5, 1.0)]
    assert halves[1] == pytest.approx((halves[0] + halves[2]) / 2)


def test_noise_is_pruned_away():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 3, (300, 4)).astype(float), rng.random(300) < 0.1
    whole = grown(sample(x, y), (3,) * 4, 300)
    assert whole.split is not None
    prune(whole, sample(x, y))
    assert whole.split is None
    assert tree_scores(x, y, x[:5], (3,) * 4) == pytest.approx(np.full(5, y.mean()))


def test_branches_that_do_not_lower_the_training_error_collapse():
    node = Node(
        np.array([6.0, 2.0]),
        best_split(sample(), SIZES, 14),
        [Node(np.array([3.0, 1.0])), Node(np.array([3.0, 1.0])), Node(np.zeros(2))],
    )
    collapse(node)
    assert node.split is None


def test_the_largest_branch_takes_the_place_of_a_question_that_does_not_help():
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.5
    good = np.where(rng.random(400) < 0.95, y, ~y).astype(float)
    rare = (rng.random(400) < 0.02).astype(float)
    x = np.stack((rare, good), axis=1)
    node = Node(sample(x, y).counts, None)
    rows = sample(x, y)
    split = best_split(Sample(x[:, :1], rows.y, rows.weights), (2,), 400) or best_split(
        rows, (2, 2), 400
    )
    node.split = split
    node.branches = [grown(part, (2, 2), 400) for part in split.parts(rows)]
    prune(node, rows)
    assert node.split.column == 1
    assert sum(branch.counts.sum() for branch in node.branches) == pytest.approx(400)


def test_all_of_them_rank_the_balance_scale_better_than_chance():
    scale = balance_scale()
    target, train = scale.classes == "L", np.arange(625) % 2 == 0
    for learner in (bayes_scores, tree_scores, machine_scores, neighbour_scores):
        scores = learner(scale.x[train], target[train], scale.x[~train], (0,) * 4)
        assert np.corrcoef(scores, target[~train])[0, 1] > 0.5
