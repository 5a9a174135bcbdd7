"""Resamples of counts: of each class, of all cases, of whole clusters, and of cases that several
models scored.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.resamples import (
    CASES,
    CELLS,
    CLUSTERS,
    STRATIFIED,
    at_scores,
    binomial_fit,
    distinctive,
    parts_of,
    plan,
)

import baserate as br
from baserate.inference.resample import (
    FlaggedRuns,
    Resampler,
    every_score,
    find_distinct_rows,
    make_sample,
    resample_counts,
    roc_runs,
)
from baserate.inference.statistic import replicate_values, statistic_of
from baserate.measures.registry import CATALOGUE

# Within each class, and of all cases.


CELL = st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(any)


@settings(max_examples=40)
@given(st.lists(CELL, min_size=1, max_size=12), st.integers(0, 2**40))
def test_a_stratified_resample_has_the_totals_of_the_sample_and_only_its_scores(cells, seed):
    positives, negatives = (np.array(column) for column in zip(*cells, strict=True))
    counts = br.Counts(
        np.arange(len(cells)),
        positives + (np.arange(len(cells)) == 0),
        negatives + (np.arange(len(cells)) == 0),
    )
    for part in parts_of(counts, replicates=5, seed=seed):
        assert (part.total_positives, part.total_negatives) == (
            counts.total_positives,
            counts.total_negatives,
        )
        assert (np.diff(part.scores) < 0).all()
        where = {score: i for i, score in enumerate(counts.scores.tolist())}
        places = [where[score] for score in part.scores.tolist()]
        assert not part.positives[counts.positives[places] == 0].any()
        assert not part.negatives[counts.negatives[places] == 0].any()
        assert (part.positives + part.negatives > 0).all()


def test_cells_of_a_stratified_resample_are_binomial_within_their_class():
    positives, negatives = at_scores(parts_of(CELLS, replicates=3000), CELLS.scores.tolist())
    for drawn, column in ((positives, CELLS.positives), (negatives, CELLS.negatives)):
        for cell, count in enumerate(column.tolist()):
            assert binomial_fit(drawn[:, cell], int(column.sum()), count / column.sum()) > 1e-3
    assert abs(np.corrcoef(positives[:, 0], negatives[:, 3])[0, 1]) < 0.06


def test_a_resample_of_cases_has_their_number_and_draws_the_prior_too():
    parts = parts_of(CELLS, CASES, replicates=3000)
    whole = CELLS.total_positives + CELLS.total_negatives
    assert {part.total_positives + part.total_negatives for part in parts} == {whole}
    assert (
        binomial_fit(np.array([part.total_positives for part in parts]), whole, CELLS.prior) > 1e-3
    )
    drawn = at_scores(parts, CELLS.scores.tolist())
    for cells, column in zip(drawn, (CELLS.positives, CELLS.negatives), strict=True):
        for cell, count in enumerate(column.tolist()):
            assert binomial_fit(cells[:, cell], whole, count / whole) > 1e-3
    # Cells of one multinomial draw hinder each other: the correlation is −√(p·q / ((1 − p)(1 −
    # q))).
    p, q = CELLS.negatives[3] / whole, CELLS.negatives[4] / whole
    expected = -math.sqrt(p * q / ((1 - p) * (1 - q)))
    assert math.isclose(np.corrcoef(drawn[1][:, 3], drawn[1][:, 4])[0, 1], expected, abs_tol=0.06)


def test_the_design_travels_with_a_resample():
    counts = br.count(np.arange(40) < 20, np.arange(40.0), design="case-control")
    assert {part.ledger.design for part in parts_of(counts, replicates=3)} == {"case-control"}
    assert {part.ledger.design for part in parts_of(CELLS, replicates=3)} == {"random"}


# Clusters.


def test_every_resample_of_clusters_is_a_sum_of_whole_groups():
    groups = distinctive()
    positives, negatives = at_scores(
        parts_of(groups, CLUSTERS, replicates=400), [*range(100, 112), 7]
    )
    times = positives[:, :12] // np.arange(1, 13)
    assert (times * np.arange(1, 13) == positives[:, :12]).all()
    assert (times * (2 * np.arange(12) + 1) == negatives[:, :12]).all()
    assert (times.sum(axis=1) == 12).all()
    assert (positives[:, 12] == times @ np.full(12, 2)).all()
    assert (negatives[:, 12] == times @ (3 + np.arange(12) % 4)).all()
    assert len({tuple(row) for row in times}) > 300


def test_how_often_a_group_is_drawn_is_binomial():
    positives, _ = at_scores(
        parts_of(distinctive(), CLUSTERS, replicates=3000), [*range(100, 112), 7]
    )
    for group in (0, 5, 11):
        assert binomial_fit(positives[:, group] // (group + 1), 12, 1 / 12) > 1e-3


def test_a_resample_of_clusters_is_the_sum_of_their_counts():
    groups = distinctive(6)
    for part in parts_of(groups, CLUSTERS, replicates=20):
        times = at_scores([part], [*range(100, 106), 7])[0][0, :6] // np.arange(1, 7)
        total = br.Counts.empty()
        for group, often in enumerate(times.tolist()):
            for _ in range(often):
                total = total + groups[f"g{group}"]
        assert part == total


# Several models.


def test_a_model_that_is_another_one_rescaled_has_the_same_resamples():
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.3
    scores = np.round(rng.normal(size=300) + labels, 1)
    joint = br.count(labels, {"a": scores, "same": scores.copy(), "turned": -3 * scores})
    for how in (STRATIFIED, CASES):
        for a, same, turned in resample_counts(joint, plan(how, 50)):
            assert same == a
            assert np.array_equal(turned.scores, -3 * a.scores[::-1])
            assert np.array_equal(turned.positives, a.positives[::-1])
            assert np.array_equal(turned.negatives, a.negatives[::-1])


def test_all_models_see_the_same_cases_in_every_resample():
    """One model names the case, so that what another one must have counted can be added up case by
    case.
    """
    rng = np.random.default_rng(2)
    labels = rng.random(80) < 0.4
    coarse = rng.integers(0, 5, 80)
    joint = br.count(labels, {"case": np.arange(80), "coarse": coarse})
    for case, other in resample_counts(joint, plan(STRATIFIED, 60)):
        for score in range(5):
            of_score = coarse[case.scores] == score
            place = other.scores == score
            assert other.positives[place].sum() == case.positives[of_score].sum()
            assert other.negatives[place].sum() == case.negatives[of_score].sum()
        assert not case.positives[~labels[case.scores]].any()
        assert other.total_positives == labels.sum()


def test_each_model_has_a_column_of_values():
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.3
    joint = br.count(labels, {"a": rng.normal(size=300) + labels, "b": rng.normal(size=300)})
    values = replicate_values(statistic_of(br.auc), joint, plan(STRATIFIED, 100))
    expected = [
        [br.auc(a), br.auc(b)] for a, b in resample_counts(joint, plan(STRATIFIED, 100), roc_runs)
    ]
    assert np.array_equal(values, expected)


def test_resamples_do_not_depend_on_the_order_of_cases_or_models_or_on_names():
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    a, b = (rng.integers(0, 9, 200) + 2 * y for _ in range(2))
    order = rng.permutation(200)
    first = br.compare(
        br.count(y, {"a": a, "b": b}), "expected_cost", at=br.Conditions(0.1), replicates=200
    )
    shuffled = br.compare(
        br.count(y[order], {"a": a[order], "b": b[order]}),
        "expected_cost",
        at=br.Conditions(0.1),
        replicates=200,
    )
    renamed = br.compare(
        br.count(y, {"old": a, "new": b}),
        "expected_cost",
        at=br.Conditions(0.1),
        replicates=200,
    )
    swapped = br.compare(
        br.count(y, {"b": b, "a": a}), "expected_cost", at=br.Conditions(0.1), replicates=200
    )
    assert (first.low, first.high, first.p_value) == (shuffled.low, shuffled.high, shuffled.p_value)
    assert (first.low, first.high, first.p_value) == (renamed.low, renamed.high, renamed.p_value)
    assert (first.low, first.high, first.p_value) == pytest.approx(
        (-swapped.high, -swapped.low, swapped.p_value), rel=1e-12
    )


# What is read from the arrays of a block is what the counts of each resample have.


def ranked(models=("a", "b"), rows=400, digits=1, seed=6):
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.2).astype(int)
    return (
        br.count(
            y,
            {
                name: np.round(rng.normal(size=rows) + place * 0.3 + y, digits)
                for place, name in enumerate(models)
            },
        ),
        y,
    )


OUTLOOKS = [br.Conditions(), br.Conditions(prior=0.01, costs=br.Costs(fn=30, tp=-2, tn=-0.5))]


@pytest.mark.parametrize("how", [STRATIFIED, CASES])
@pytest.mark.parametrize("at", OUTLOOKS)
@pytest.mark.parametrize("asked", ["auc", "average_precision", "expected_cost", "h_measure"])
def test_values_of_models_are_those_of_the_counts_of_each_resample(asked, at, how):
    joint, _ = ranked()
    statistic = statistic_of(asked, at=at) if asked != "auc" else statistic_of(br.auc)
    values = replicate_values(statistic, joint, plan(how, 60))
    # Of few thresholds a choice is made among all.
    runs = every_score if asked == "expected_cost" else roc_runs
    expected = [
        [statistic.tried(part) for part in parts]
        for parts in resample_counts(joint, plan(how, 60), runs)
    ]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("at", OUTLOOKS)
def test_every_measure_at_thresholds_is_that_of_the_counts_of_each_resample(at):
    """Each resample as counts of the cells that the thresholds tell apart, read by the exact
    arithmetic of one point.
    """
    joint, _ = ranked()
    cuts = {"a": 0.8, "b": 1.5}
    for name in [name for name in CATALOGUE if name not in ("f_beta", "f_measure")]:
        try:
            asked = [
                statistic_of(
                    name,
                    at=at,
                    threshold=cut,
                    volume=1000 if "volume" in str(CATALOGUE[name].parameters) else None,
                )
                for cut in cuts.values()
            ]
        except br.InputError:
            continue  # a measure that needs a parameter of its own
        values = replicate_values(asked, joint, plan(CASES, 25))
        sample = make_sample(joint, [FlaggedRuns(cut) for cut in cuts.values()])
        (drawn,) = Resampler(sample, plan(CASES, 25)).draw_blocks(25)
        for column, (one, weights) in enumerate(
            zip(asked, sample.weights_by_model(drawn), strict=True)
        ):
            for row, columns in enumerate(zip(*weights, strict=True)):
                cells = br.Counts([1, 0], *(part.astype(int) for part in columns))
                try:
                    exact = float(br.measure(cells, one.measure, threshold=1, at=at))
                except br.InputError:
                    exact = math.nan
                np.testing.assert_allclose(
                    values[row, column], exact, rtol=1e-9, atol=1e-12, err_msg=name
                )


def test_the_law_of_a_resample_does_not_depend_on_what_the_statistic_sees():
    """Mean and spread of the flagged positives and negatives of both models, from cells of every
    score, of the ROC and of thresholds.
    """
    joint, _ = ranked()
    cuts, found = {"a": 0.8, "b": 1.5}, []
    for sight in (every_score, roc_runs, [FlaggedRuns(cut) for cut in cuts.values()]):
        rows = [
            [
                *(
                    int(part.positives[part.scores >= cuts[name]].sum())
                    for name, part in zip("ab", parts, strict=True)
                )
            ]
            for parts in resample_counts(joint, plan(STRATIFIED, 4000), sight)
        ]
        found.append(np.array(rows, dtype=float))
    outcomes = [statistic_of("tpr", threshold=cut) for cut in cuts.values()]
    found.append(replicate_values(outcomes, joint, plan(STRATIFIED, 4000)) * joint.total_positives)
    positive = joint.positives > 0
    flags = np.array([joint.scores[name][positive] >= cuts[name] for name in "ab"], dtype=float)
    cases, expected = flags.shape[1], np.cov(flags, bias=True)  # of one case drawn
    for one in found:
        error = math.sqrt(cases * expected.max() / 4000)
        assert np.abs(one.mean(axis=0) - flags.sum(axis=1)).max() < 5 * error
        assert np.abs(
            np.cov(one.T) - cases * expected
        ).max() < 5 * cases * expected.max() * math.sqrt(2 / 4000)


def test_auc_of_clusters_is_that_of_the_counts_of_each_resample():
    joint, y = ranked()
    groups = br.count(y, joint.scores["a"], cluster=np.arange(len(y)) % 57)
    values = replicate_values(statistic_of(br.auc), groups, plan(CLUSTERS, 80))[:, 0]
    expected = [float(br.auc(part)) for (part,) in resample_counts(groups, plan(CLUSTERS, 80))]
    np.testing.assert_allclose(values, expected, rtol=1e-14)


def test_cases_alike_to_every_model_are_one_cell_however_many_scores_there_are():
    """Codes of three models, as one number where 64 bits hold it and row by row where they do
    not.
    """
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 3, 200) for _ in range(3)]
    for widths in ([3, 3, 3], [3, 5, 4], [2**60] * 3):
        columns[0][0] = widths[0] - 1
        first, places = find_distinct_rows(columns)
        rows = np.stack(columns, axis=1)
        assert len(first) == len(set(zip(*(column.tolist() for column in columns), strict=True)))
        assert rows[first].tolist() == sorted(rows[first].tolist())
        np.testing.assert_array_equal(rows[first][places], rows)


def test_clusters_are_added_up_at_every_score_or_as_far_as_the_roc_is_concerned():
    joint, y = ranked()
    groups = br.count(y, joint.scores["a"], cluster=np.arange(len(y)) % 23)
    one_score = br.count(
        np.ones(len(groups)), np.zeros(len(groups)), cluster=np.arange(len(groups))
    )
    (drawn,) = Resampler(make_sample(one_score), plan(CLUSTERS, 15)).draw_blocks(15)
    times = drawn.positives.astype(int)
    parts, merged = (
        [part for (part,) in resample_counts(groups, plan(CLUSTERS, 15), sight)]
        for sight in (every_score, roc_runs)
    )
    for drawn, part, roc in zip(times.tolist(), parts, merged, strict=True):
        cells = {}
        for name, often in zip(groups, drawn, strict=True):
            for score, hits, misses in zip(*groups[name]._cells, strict=True):
                cell = cells.setdefault(float(score), [0, 0])
                cell[0] += often * int(hits)
                cell[1] += often * int(misses)
        expected = sorted(((s, *c) for s, c in cells.items() if any(c)), reverse=True)
        assert list(zip(*(column.tolist() for column in part._cells), strict=True)) == expected
        assert br.auc(roc) == br.auc(part)
        assert len(roc.scores) < len(part.scores)
