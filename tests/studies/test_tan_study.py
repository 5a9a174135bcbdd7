"""Tan, Steinbach & Kumar §5.7, claim by claim: T0 to T39; what is learned, in full, is a campaign
(benchmarks/README.md).
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier
from tests.studies.rehearsals import rehearsed

import baserate as br
from baserate_studies.claims import AGREEING
from baserate_studies.tan import costs, curves, measures, samples, trees

ERRATA = {
    "eq-5.77-by-counts": "B1",
    "weights-of-tpr": "B2",
    "weights-of-precision": "B2",
    "weights-of-f_beta": "B2",
    "fpr-of-random-guessing": "B3",
    "procedure-last-step": "B5b",
    "fig-5.42-classes": "B4",
    "fig-5.42-column-6": "B5",
    "fig-5.42-column-7": "B5",
    "fig-5.42-column-10": "B4",
    "fig-5.43-area-of-the-columns": "B5",
    "example-5.9-one-test-set": "B10c",
    "leaf-shares": "B10b",
    "eq-5.83-table-5.7": "B10",
    "eq-5.83-a-leaf-between": "B10",
}
FIGURES = ["fig-5.41", "fig-5.43", "fig-5.44", "fig-5.45"]


def fixed():
    """The claims in which nothing is learned by chance."""
    return [*measures.claims(), *curves.claims(), *costs.claims()]


def test_what_is_computed_is_reproduced_but_for_the_errata_of_the_book():
    verdicts = {claim.id: claim.verdict for claim in fixed()}
    assert {name for name, verdict in verdicts.items() if verdict == "erratum"} == set(ERRATA)
    others = {
        name: verdict for name, verdict in verdicts.items() if verdict not in ("erratum", *AGREEING)
    }
    assert others == {
        "orphan-columns": "not_a_claim",
        "table-5.8-m2": "not_a_claim",
        "fig-5.41-crossing": "not_reproducible",
    }
    assert {claim.id: claim.errata[0] for claim in fixed() if claim.verdict == "erratum"} == ERRATA


def test_every_figure_is_drawn_and_every_part_of_sampling_is_claimed():
    study = rehearsed("tan")
    assert [figure.name for figure in study.figures] == FIGURES
    assert all(figure.drawing.svg().startswith("<svg") for figure in study.figures)
    assert {
        "three-ways-to-sample",
        "undersampling",
        "focused-undersampling",
        "replicating",
        "fig-5.45a",
    } <= {one.id for one in study.claims}


def test_T8_the_memoriser_flags_what_equals_a_positive_training_record():
    """T8: seed and draws as the study has them, case by case."""
    rng = np.random.default_rng(8)
    positive_kinds, kinds = rng.random(10_000) < 0.05, rng.integers(0, 10_000, 12_000)
    labels = [
        bool(positive_kinds[kind]) != (noise < 0.001)
        for kind, noise in zip(kinds, rng.random(12_000), strict=True)
    ]
    known = {kind for kind, label in zip(kinds[:2000], labels[:2000], strict=True) if label}
    flagged = [
        (kind in known, label) for kind, label in zip(kinds[2000:], labels[2000:], strict=True)
    ]
    found = measures.memoriser()
    assert (found.tp, found.fp) == (flagged.count((True, True)), flagged.count((True, False)))
    assert (found.fn, found.tn) == (flagged.count((False, True)), flagged.count((False, False)))


def test_T18_the_stand_in_crosses_once_where_the_text_says():
    """T18: nowhere else between the corners."""
    found = br.curves.superiority(*curves.crossing_models().values())
    assert [round(crossing.fpr, 12) for crossing in found.crossings] == [0.36]


def test_T19_dominance_is_told_by_every_place():
    """T19: counted again by comparing the two staircases at every rate."""
    rng, labels = np.random.default_rng(19), np.repeat([1, 0], [6, 8])
    dominated = 0
    for _ in range(60):
        pair = [
            br.Points.of(br.count(labels, rng.integers(0, 6, 14) + 2 * labels)) for _ in range(2)
        ]
        grid = np.unique(np.concatenate([points.fpr for points in pair]))
        places = np.unique(np.concatenate((grid, (grid[1:] + grid[:-1]) / 2)))
        first, second = ([_height(points, x) for x in places] for points in pair)
        above = [a - b for a, b in zip(first, second, strict=True)]
        dominated += (min(above) >= -1e-12 and max(above) > 1e-12) or (
            max(above) <= 1e-12 and min(above) < -1e-12
        )
    assert curves.dominance(60)[0] == dominated


def _height(points, x):
    """The highest tpr at this fpr, between points on a straight line."""
    there = points.tpr[points.fpr == x]
    return float(there.max()) if len(there) else float(np.interp(x, points.fpr, points.tpr))


def test_T28_the_boundary_of_the_study_is_where_the_cost_threshold_is_reached():
    """T28, Fig 5.44: points on B1 and on B2 have the posterior at which labelling them positive
    starts to pay.
    """
    from baserate_learners import LDC

    found = costs.boundaries()
    learner = LDC().fit(found.x, found.labels)
    for (across, up), cut in zip(found.lines.values(), (1 / 2, 1 / 11), strict=True):
        assert learner.predict_proba(np.stack((across, up), axis=1))[:, 1] == pytest.approx(
            [cut, cut], rel=1e-9
        )


def test_T31_the_label_of_a_leaf_is_the_cheaper_one():
    """T31: counted leaf by leaf in plain floats."""
    for rates in (br.Costs(1, 5), costs.REWARDED):
        cheaper = [
            leaf
            for leaf in costs.leaves()
            if leaf[0] * rates.tp + leaf[1] * rates.fp < leaf[0] * rates.fn + leaf[1] * rates.tn
        ]
        assert costs.labelled(costs.leaves(), rates) == (
            sum(pos for pos, _ in cheaper),
            sum(neg for _, neg in cheaper),
        )


@pytest.mark.parametrize("way", trees.WAYS)
def test_T29_T3_what_a_way_saves_is_the_cost_of_the_plain_tree_less_that_of_the_other(way):
    """T29, T3: one seed, every case of the test set priced by itself."""
    from baserate_learners import CostSensitiveTree

    at, tree = (
        br.Conditions(costs=trees.COSTS),
        DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    )
    train, (x, labels) = samples.records(0), samples.records(1000, times=5)
    totals = []
    for learner in (tree, CostSensitiveTree(tree, at, **{way: True})):
        flagged = learner.fit(*train).predict(x).astype(bool)
        totals.append(
            sum(
                20 if label and not flag else int(flag and not label)
                for label, flag in zip(labels, flagged, strict=True)
            )
        )
    assert trees.saved(way, 1)[0] == pytest.approx((totals[0] - totals[1]) / len(labels), rel=1e-12)


def test_T4_rules_are_counted_along_the_way_from_the_root():
    """T4: conditions of a rule are the splits between the root and its leaf, walked by hand."""
    (x, labels), (unseen, _) = trees.boxed(3), trees.boxed(1003)
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(x, labels)
    depths = [_depth(tree.tree_, case) for case in unseen[:200]]
    assert depths == (np.asarray(tree.decision_path(unseen[:200]).sum(axis=1)).ravel() - 1).tolist()
    deep, shallow, few, many, accuracy, precision = trees.rules(3, 0.0)
    assert deep > shallow
    assert few < many
    assert precision < accuracy


def _depth(nodes, case):
    node = depth = 0
    while nodes.feature[node] >= 0:
        left = np.float32(case[nodes.feature[node]]) <= nodes.threshold[node]
        node, depth = (nodes.children_left if left else nodes.children_right)[node], depth + 1
    return depth


def test_T36_the_interval_of_differences_is_students():
    """T36: as scipy gives it."""
    from scipy.stats import ttest_1samp

    differences = np.array([0.1, 0.3, -0.05, 0.2, 0.15])
    mean, low, high = samples.spread(differences)
    theirs = ttest_1samp(differences, 0.0).confidence_interval(0.95)
    assert (mean, low, high) == pytest.approx(
        (differences.mean(), theirs.low, theirs.high), rel=1e-12
    )


def test_T39_the_outlines_hold_what_the_tree_labels_positive_and_nothing_else():
    """T39: every point of a grid lies within an outline exactly where the tree says positive."""
    found = samples.middle()
    for tree, regions in ((found.plain, 1), (found.oversampled, 2)):
        across, up = samples.outlines(tree, found.x)
        assert sum(map(math.isnan, across)) == regions
        boxes = [(across[i], across[i + 1], up[i], up[i + 2]) for i in range(0, len(across), 6)]
        for x, y in itertools.product(np.linspace(0.31, 5.7, 23), np.linspace(0.21, 4.9, 19)):
            within = any(left < x < right and low < y < high for left, right, low, high in boxes)
            assert within == bool(tree.predict([[x, y]])[0])


def test_B10b_a_share_of_a_node_is_of_its_records_and_not_of_a_class():
    (claim,) = [claim for claim in costs.claims() if claim.id == "leaf-shares"]
    assert claim.note.startswith(
        "printed: the share of class i that is in node t; meant: the share of node t that is of"
        " class i"
    )
    in_class, in_node = (Fraction(30, 40), Fraction(60, 160)), (Fraction(30, 90), Fraction(60, 90))
    assert (
        (claim.published, claim.ours) == (float(sum(in_class)), float(sum(in_node))) == (1.125, 1.0)
    )
    assert claim.verdict == "erratum"
