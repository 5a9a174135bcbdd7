"""The check of label shift: its level where the assumption holds, its power where it does not, and
what it cannot see.
"""

import numpy as np
import pytest
from tests.inference.refusals import assert_refused

import baserate as br


def scores(rng, positives, negatives, moved=0.0, spread=1.0):
    return np.concatenate(
        (rng.normal(size=positives) + 1.5, rng.normal(size=negatives) * spread + moved)
    )


def labelled(rng, positives=200, negatives=800):
    return br.count(np.repeat([1, 0], [positives, negatives]), scores(rng, positives, negatives))


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
def test_the_level_is_kept_at_any_share_of_positives(share):
    rng, found = np.random.default_rng(int(100 * share)), 0
    for _ in range(400):
        positives = int(rng.binomial(600, share))
        found += br.shift.check_label_shift(
            labelled(rng), br.count_unlabelled(scores(rng, positives, 600 - positives))
        ).moved
    assert found / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(("moved", "spread"), [(-1.0, 1.0), (0.0, 0.6), (0.0, 1.6)])
def test_negatives_that_moved_are_seen(moved, spread):
    rng, found = np.random.default_rng(2), 0
    for _ in range(50):
        check = br.shift.check_label_shift(
            labelled(rng), br.count_unlabelled(scores(rng, 60, 1140, moved, spread))
        )
        found += check.moved
        assert check.moved == bool(check.notes)
    assert found >= 45


def test_what_is_seen_is_said_with_the_estimate():
    rng = np.random.default_rng(3)
    found = br.estimate_prior(
        labelled(rng), br.count_unlabelled(scores(rng, 60, 1140, -1.0)), replicates=100
    )
    assert found.check.moved
    assert "not a mixture of the two classes" in next(
        note.text for note in found.notes if note.code == "BR538"
    )


def test_a_change_that_looks_like_more_positives_stays_hidden():
    """Negatives that become positives in every respect are positives: no unlabelled score can
    tell.
    """
    counts = br.Counts([3, 2, 1], [100, 60, 40], [10, 100, 890])
    field = br.count_unlabelled([3] * 100 + [2] * 60 + [1] * 40)
    assert not br.shift.check_label_shift(counts, field).moved


def test_the_statistic_is_the_least_over_all_mixtures():
    rng = np.random.default_rng(4)
    counts, field = labelled(rng), br.count_unlabelled(scores(rng, 100, 900))
    found = br.shift.check_label_shift(counts, field)
    assert found.degrees == 10
    assert 0 < found.prior < 1
    from scipy.stats import chi2

    assert found.p_value == pytest.approx(chi2(found.degrees).sf(found.statistic), rel=1e-9)


def test_three_cells_by_hand():
    """Shares 0.5/0.3/0.2 and 0.1/0.2/0.7, unlabelled 0.2/0.4/0.4: least squares on a grid, written
    out.
    """
    counts = br.Counts([3, 2, 1], [100, 60, 40], [100, 200, 700])
    field = br.count_unlabelled([3] * 200 + [2] * 400 + [1] * 400)
    ours, theirs, seen = (
        np.array(part, dtype=float) for part in ([0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.2, 0.4, 0.4])
    )

    def spread(shares, cases):
        return (np.diag(shares) - np.outer(shares, shares))[:2, :2] / cases

    def distance(prior, held):
        mixed = held * ours + (1 - held) * theirs
        covariance = (
            spread(mixed, 1000)
            + held**2 * spread(ours, 200)
            + (1 - held) ** 2 * spread(theirs, 1000)
        )
        off = (seen - prior * ours - (1 - prior) * theirs)[:2]
        return off @ np.linalg.inv(covariance) @ off

    held, grid = 0.5, np.linspace(0, 1, 100_001)
    for _ in range(20):
        held = grid[np.argmin([distance(prior, held) for prior in grid[::100]]) * 100]
    found = br.shift.check_label_shift(counts, field)
    assert found.degrees == 1
    assert found.prior == pytest.approx(held, abs=2e-3)
    assert found.statistic == pytest.approx(distance(found.prior, found.prior), rel=1e-6)
    assert found.moved


def test_hard_labels_leave_nothing_to_check():
    check = br.shift.check_label_shift(
        br.Counts([1, 0], [50, 20], [10, 90]), br.count_unlabelled([1] * 30 + [0] * 70)
    )
    assert np.isnan(check.p_value)
    assert check.p_value.reason == "too few cells to tell a mixture from anything else"
    assert not check.moved
    assert [note.code for note in check.notes] == ["BR538"]
    assert "too few cells" in repr(check)


def test_what_cannot_be_checked_is_refused():
    field = br.count_unlabelled([1, 2, 3])
    assert_refused(
        "BR552", "both classes", lambda: br.shift.check_label_shift(br.count([0, 0], [1, 2]), field)
    )
    assert_refused(
        "BR590",
        "no unlabelled cases",
        lambda: br.shift.check_label_shift(br.count([0, 1], [1, 2]), br.count_unlabelled([])),
    )
    assert_refused(
        "BR580",
        "a level lies",
        lambda: br.shift.check_label_shift(br.count([0, 1], [1, 2]), field, level=2),
    )


def test_a_verdict_is_readable():
    rng = np.random.default_rng(6)
    assert repr(
        br.shift.check_label_shift(labelled(rng), br.count_unlabelled(scores(rng, 60, 1140, -1.0)))
    ).startswith("ShiftCheck: the scores of the classes moved, chi-square")
