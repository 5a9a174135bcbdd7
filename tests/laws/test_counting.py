"""What must hold for all counts."""

import math
import pickle
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests import oracle, strategies

import baserate as br


@given(strategies.cases())
def test_counts_are_those_of_the_oracle(data):
    labels, scores = data
    counts = br.count(labels, scores)
    expected = oracle.count(labels.tolist(), scores.tolist())
    assert counts.scores.tolist() == list(expected)
    assert counts.positives.tolist() == [cell[0] for cell in expected.values()]
    assert counts.negatives.tolist() == [cell[1] for cell in expected.values()]
    assert not np.signbit(counts.scores[counts.scores == 0]).any()


@given(strategies.cases())
def test_every_cell_is_an_exact_operating_point(data):
    labels, scores = data
    counts = br.count(labels, scores)
    for made in (counts, counts.condense()):
        tp, fp = np.cumsum(made.positives), np.cumsum(made.negatives)
        for threshold, hits, alarms in zip(
            made.scores.tolist(), tp.tolist(), fp.tolist(), strict=True
        ):
            assert oracle.confusion(labels.tolist(), scores.tolist(), threshold)[:2] == (
                hits,
                alarms,
            )


@given(strategies.cases(), st.integers(0, 60))
def test_counting_a_concatenation_is_adding_the_counts(data, cut):
    labels, scores = data
    parts = br.count(labels[:cut], scores[:cut]) + br.count(labels[cut:], scores[cut:])
    whole = br.count(labels, scores)
    assert parts == whole
    assert parts.digest == whole.digest
    assert parts.ledger == whole.ledger


@given(strategies.cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(data, random):
    labels, scores = data
    order = list(range(len(labels)))
    random.shuffle(order)
    assert br.count(labels[order], scores[order]) == br.count(labels, scores)


@given(strategies.cases(), st.data())
def test_whole_weights_are_repetition(data, draws):
    labels, scores = data
    weights = np.array(
        draws.draw(st.lists(st.integers(0, 4), min_size=len(labels), max_size=len(labels))),
        dtype=np.int64,
    )
    for members in (labels, ~labels):
        weights[np.flatnonzero(members)[:1]] += 1
    weighted = br.count(labels, scores, sample_weight=weights)
    repeated = br.count(np.repeat(labels, weights), np.repeat(scores, weights))
    assert np.array_equal(weighted.scores, repeated.scores)
    assert np.array_equal(weighted.positives, repeated.positives)
    assert np.array_equal(weighted.negatives, repeated.negatives)


@given(strategies.cases(weighted=True), st.randoms(use_true_random=False))
def test_masses_are_correctly_rounded_whatever_the_order(data, random):
    labels, scores, weights = data
    order = list(range(len(labels)))
    random.shuffle(order)
    counts = br.count(labels, scores, sample_weight=weights)
    assert (
        br.count(labels[order], scores[order], sample_weight=weights[order]).digest == counts.digest
    )
    expected = oracle.count(labels.tolist(), scores.tolist(), weights)
    assert counts.scores.tolist() == list(expected)
    assert counts.positives.tolist() == [oracle.rounded(cell[0]) for cell in expected.values()]
    assert counts.negatives.tolist() == [oracle.rounded(cell[1]) for cell in expected.values()]
    assert counts.total_positives == oracle.rounded(
        sum((Fraction(p) for p in counts.positives.tolist()), Fraction(0))
    )


@given(strategies.cases(weighted=True, zeros=False), st.integers(0, 60))
def test_added_masses_agree_with_the_whole_to_one_ulp(data, cut):
    labels, scores, weights = data
    whole = br.count(labels, scores, sample_weight=weights)
    parts = br.count(labels[:cut], scores[:cut], sample_weight=weights[:cut]) + br.count(
        labels[cut:], scores[cut:], sample_weight=weights[cut:]
    )
    assert np.array_equal(parts.scores, whole.scores)
    for ours, theirs in ((parts.positives, whole.positives), (parts.negatives, whole.negatives)):
        assert (np.abs(ours - theirs) <= np.spacing(np.maximum(ours, theirs))).all()


@given(strategies.cases(), st.integers(0, 60), st.data())
def test_added_dyadic_masses_are_exact(data, cut, draws):
    labels, scores = data
    weights = (
        np.array(
            draws.draw(st.lists(st.integers(1, 4096), min_size=len(labels), max_size=len(labels)))
        )
        / 64
    )
    whole = br.count(labels, scores, sample_weight=weights)
    parts = br.count(labels[:cut], scores[:cut], sample_weight=weights[:cut]) + br.count(
        labels[cut:], scores[cut:], sample_weight=weights[cut:]
    )
    assert parts.digest == whole.digest


@given(strategies.cases())
def test_a_monotone_map_of_the_scores_leaves_the_cells_alone(data):
    labels, scores = data
    mapped = np.searchsorted(np.unique(scores), scores)
    before, after = br.count(labels, scores), br.count(labels, mapped)
    assert np.array_equal(before.positives, after.positives)
    assert np.array_equal(before.negatives, after.negatives)


@given(strategies.cases(both=True))
def test_swapping_the_classes_and_negating_the_scores_mirrors(data):
    labels, scores = data
    scores = (
        np.maximum(scores, -(2**63) + 1) if scores.dtype == np.int64 else scores
    )  # the least integer has no opposite
    counts, mirror = br.count(labels, scores), br.count(~labels, -scores)
    assert np.array_equal(mirror.scores, -counts.scores[::-1] + 0)
    assert np.array_equal(mirror.positives, counts.negatives[::-1])
    assert np.array_equal(mirror.negatives, counts.positives[::-1])
    assert br.auc(mirror) == br.auc(counts)


@given(strategies.cases(both=True))
def test_auc_is_exact_then_rounded_once(data):
    labels, scores = data
    truth = oracle.auc(labels.tolist(), scores.tolist())
    assert br.auc(br.count(labels, scores)) == truth.numerator / truth.denominator


@given(strategies.cases(weighted=True, both=True))
def test_auc_of_masses_is_right_to_a_few_ulp(data):
    labels, scores, weights = data
    truth = oracle.auc(labels.tolist(), scores.tolist(), weights)
    got = br.auc(br.count(labels, scores, sample_weight=weights))
    assert math.isclose(got, truth.numerator / truth.denominator, rel_tol=1e-14, abs_tol=1e-14)


@given(strategies.cases(both=True))
def test_condensing_keeps_auc_and_every_positive_score(data):
    labels, scores = data
    full = br.count(labels, scores)
    condensed = full.condense()
    expected = oracle.condense(oracle.count(labels.tolist(), scores.tolist()))
    assert dict(
        zip(
            condensed.scores.tolist(),
            zip(condensed.positives.tolist(), condensed.negatives.tolist(), strict=True),
            strict=True,
        )
    ) == {score: tuple(cell) for score, cell in expected.items()}
    assert br.count(labels, scores, keep="positives") == condensed
    assert condensed.condense() == condensed
    assert br.auc(condensed) == br.auc(full)


@given(strategies.large_cases())
def test_the_rare_path_condenses_as_the_full_one_does(data):
    labels, scores = data
    quick, full = br.count(labels, scores, keep="positives"), br.count(labels, scores).condense()
    assert quick == full
    assert quick.digest == full.digest


@given(strategies.cases(), st.integers(0, 60))
def test_condensed_parts_with_the_same_positive_scores_add_up(data, cut):
    labels, scores = data
    negatives = scores[~labels]
    positives = scores[labels]
    parts = [
        br.count(
            np.repeat([True, False], [len(positives), len(part)]),
            np.concatenate((positives, part)),
            keep="positives",
        )
        for part in (negatives[:cut], negatives[cut:])
    ]
    everything = np.concatenate((positives, positives, negatives))
    flags = np.repeat([True, False], [2 * len(positives), len(negatives)])
    assert parts[0] + parts[1] == br.count(flags, everything, keep="positives")


@given(strategies.cases(weighted=True), st.sampled_from(["full", "condensed", "weighted"]))
def test_saving_and_loading_changes_nothing(tmp_path_factory, data, kind):
    labels, scores, weights = data
    made = {
        "full": lambda: br.count(labels, scores),
        "condensed": lambda: br.count(labels, scores, keep="positives"),
        "weighted": lambda: br.count(labels, scores, sample_weight=weights),
    }[kind]()
    path = tmp_path_factory.mktemp("saved") / "x.counts"
    made.save(path)
    back = br.load(path)
    assert back == made
    assert back.digest == made.digest
    assert back.ledger == made.ledger
    assert [(note.code, note.text) for note in back.notes] == [
        (note.code, note.text) for note in made.notes
    ]
    assert pickle.loads(pickle.dumps(made)) == made


@given(strategies.cases(), st.data())
def test_groups_hold_the_counts_of_their_rows(data, draws):
    labels, scores = data
    groups = draws.draw(
        st.lists(st.sampled_from(["a", "b", 3, None]), min_size=len(labels), max_size=len(labels))
    )
    grouped = br.count(labels, scores, by=groups)
    assert set(grouped) == set(groups)
    for name, counts in grouped.items():
        rows = [i for i, group in enumerate(groups) if group == name]
        assert counts == br.count(labels[rows], scores[rows])
    assert grouped.total() == br.count(labels, scores)


@given(strategies.cases(), st.data(), st.integers(0, 60))
def test_grouped_parts_add_up(data, draws, cut):
    labels, scores = data
    groups = np.array(
        draws.draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels))),
        dtype=np.int64,
    )
    parts = [
        br.count(labels[part], scores[part], by=groups[part])
        for part in (slice(cut), slice(cut, None))
    ]
    whole = br.count(labels, scores, by=groups)
    assert parts[0] + parts[1] == whole
    assert (parts[0] + parts[1]).digest == whole.digest


@given(strategies.cases(), st.integers(0, 60))
def test_marginals_of_joint_counts_are_the_counts_of_each_model(data, cut):
    labels, scores = data
    other = np.round(np.arange(len(labels)) / 4)
    joint = br.count(labels, {"one": scores, "two": other})
    assert joint.marginal("one") == br.count(labels, scores)
    assert joint.canonical().marginal("one") == br.count(labels, scores)
    assert joint.marginal("two") == br.count(labels, other)
    parts = [
        br.count(labels[part], {"two": other[part], "one": scores[part]})
        for part in (slice(cut), slice(cut, None))
    ]
    assert parts[0] + parts[1] == joint
    assert (parts[0] + parts[1]).digest == joint.digest
