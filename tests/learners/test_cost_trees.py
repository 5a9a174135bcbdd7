"""The tree with four switches: each lowers the cost, none is the plain tree, and the pruning is
that of exhaustive search.
"""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from tests.inference.refusals import assert_refused
from tests.strategies import seeds

import baserate as br
from baserate import scorer
from baserate_learners import CostSensitiveTree, MovedThreshold, cost_weights
from baserate_learners.cost_tree import Shape, nodes_after_pruning, prices_to_try, weakest_links

SWITCHES = ("split", "prune", "weights", "leaf")
RATIO = 20
AT = br.Conditions(costs=br.Costs(fp=1, fn=RATIO))
# Stops where impurity falls little, as trees do by default elsewhere, and by that measure a rare
# class is worth little.
STOPPING = DecisionTreeClassifier(min_impurity_decrease=0.005, random_state=0)
T_975_29 = 2.0452  # the 97.5 % quantile of Student's t with 29 degrees of freedom


def signs(rng, cases):
    """A fifth are positive. One sign is broad (85 % of the positives, 12 % of the negatives), one
    narrow (60 % and 0.5 %), three are noise.
    """
    labels = (rng.random(cases) < 0.2).astype(int)
    columns = []
    for ours, theirs in ((0.85, 0.12), (0.6, 0.005)):
        shown = rng.random(cases) < np.where(labels == 1, ours, theirs)
        columns.append(np.where(shown, rng.random(cases), rng.random(cases) - 1))
    return np.column_stack((*columns, rng.normal(size=(cases, 3)))), labels


def clouds(rng, cases):
    """A tenth are positive, Gaussian clouds 1.2 apart in two of four directions."""
    labels = (rng.random(cases) < 0.1).astype(int)
    return rng.normal(size=(cases, 4)) + labels[:, None] * [1.2, 1.2, 0, 0], labels


def cost(labels, answers):
    return RATIO * np.mean((labels == 1) & (answers == 0)) + np.mean((labels == 0) & (answers == 1))


def differences(generator, tree, **switches):
    """Held-out cost with the switches, less that of the plain tree: 30 seeds."""
    found = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        (rows, labels), (field, truth) = generator(rng, 1000), generator(rng, 5000)
        plain = clone(tree).fit(rows, labels).predict(field)
        found.append(
            cost(truth, CostSensitiveTree(tree, AT, **switches).fit(rows, labels).predict(field))
            - cost(truth, plain)
        )
    return np.array(found)


def bounds(values):
    """The 95 % interval of the mean of 30."""
    half = T_975_29 * values.std(ddof=1) / np.sqrt(30)
    return values.mean() - half, values.mean() + half


@pytest.mark.parametrize("switch", SWITCHES)
def test_T29_each_switch_alone_lowers_the_held_out_cost(switch):
    """T29: four ways to heed costs; over 30 seeds the upper 95 % bound of the paired difference to
    the plain tree lies below 0.
    """
    assert bounds(differences(signs, STOPPING, **{switch: True}))[1] < 0


def test_T3_splits_chosen_by_weight_find_the_rare_class_where_impurity_stops():
    """T3: measures of impurity may need modifying. The plain tree stops before the broad sign pays;
    weighed cases make it split on.
    """
    rows, labels = signs(np.random.default_rng(0), 1000)
    plain, split = (
        CostSensitiveTree(STOPPING, AT).fit(rows, labels),
        CostSensitiveTree(STOPPING, AT, split=True).fit(rows, labels),
    )
    missed = [((fitted.predict(rows) == 0) & (labels == 1)).mean() for fitted in (plain, split)]
    assert missed[1] < missed[0] / 2


def test_splits_alone_do_not_pay_where_their_leaves_are_labelled_by_majority():
    """Measured, and said in the docs: on Gaussian clouds a grown tree costs more with `split`
    alone, and less once it is pruned too.
    """
    grown = DecisionTreeClassifier(random_state=0)
    assert bounds(differences(clouds, grown, split=True))[0] > 0
    assert bounds(differences(clouds, grown, split=True, prune=True))[1] < 0


def test_T4_a_grown_tree_is_noise_that_pruning_by_cost_removes():
    """T4: models of rare classes are over-specialised. Of a fully grown tree cost-based pruning
    leaves a fraction, at a lower cost.
    """
    rows, labels = clouds(np.random.default_rng(1), 1000)
    field, truth = clouds(np.random.default_rng(2), 5000)
    grown, pruned = (
        CostSensitiveTree(at=AT, prune=prune).fit(rows, labels) for prune in (False, True)
    )
    assert len(np.unique(pruned.apply(rows))) < len(np.unique(grown.apply(rows))) / 4
    assert cost(truth, pruned.predict(field)) < 0.7 * cost(truth, grown.predict(field))


@pytest.mark.parametrize(
    "tree",
    [
        DecisionTreeClassifier(random_state=3),
        STOPPING,
        DecisionTreeClassifier(max_leaf_nodes=9, criterion="entropy", random_state=0),
    ],
)
def test_without_switches_it_is_the_plain_tree(tree):
    rows, labels = clouds(np.random.default_rng(3), 800)
    words = np.where(labels == 1, "fraud", "legit")
    for names, positive in ((labels, None), (words, "fraud"), (words, "legit")):
        ours, theirs = (
            CostSensitiveTree(tree, AT, pos_label=positive).fit(rows, names),
            clone(tree).fit(rows, names),
        )
        assert np.array_equal(ours.predict(rows), theirs.predict(rows))
        assert np.array_equal(ours.predict_proba(rows), theirs.predict_proba(rows))
        assert np.array_equal(ours.apply(rows), theirs.apply(rows))


def leaves_by_hand(tree, rows, labels, at):
    """Of each leaf the share of positives, and the label that costs least, in fractions."""
    found, nodes = {}, tree.apply(rows)
    for node in np.unique(nodes):
        here = labels[nodes == node]
        share = Fraction(int(here.sum()), len(here))
        found[node] = (
            share,
            share * (Fraction(at.costs.fn) - Fraction(at.costs.tp))
            > (1 - share) * (Fraction(at.costs.fp) - Fraction(at.costs.tn)),
        )
    return found


@pytest.mark.parametrize(
    "costs",
    [br.Costs(fp=1, fn=RATIO), br.Costs(fp=1, fn=100, tp=-1), br.Costs(fp=4, fn=3), br.Costs()],
)
def test_T31_a_leaf_answers_what_costs_least(costs):
    """T31 at the leaves, T30: of equal costs the negative class."""
    rows, labels = clouds(np.random.default_rng(4), 600)
    at, tree = (
        br.Conditions(costs=costs),
        DecisionTreeClassifier(min_samples_leaf=12, random_state=0),
    )
    fitted = CostSensitiveTree(tree, at, leaf=True).fit(rows, labels)
    by_hand = leaves_by_hand(clone(tree).fit(rows, labels), rows, labels, at)
    assert fitted.predict(rows).tolist() == [int(by_hand[node][1]) for node in fitted.apply(rows)]
    assert np.array_equal(
        fitted.predict_proba(rows), clone(tree).fit(rows, labels).predict_proba(rows)
    )


def test_T30_a_leaf_at_the_threshold_is_negative():
    """T30: strictly. One positive among six at costs 1:5, and half and half at equal costs; also
    where the positive class comes first.
    """
    for positives, fn in ((1, 5), (3, 1)):
        rows, labels = np.zeros((6, 1)), np.repeat([0, 1], [6 - positives, positives])
        at = br.Conditions(costs=br.Costs(fp=1, fn=fn))
        assert not CostSensitiveTree(at=at, leaf=True).fit(rows, labels).predict(rows).any()
        turned = CostSensitiveTree(at=at, leaf=True, pos_label="a").fit(
            rows, np.where(labels == 1, "a", "b")
        )
        assert set(turned.predict(rows)) == {"b"}


def test_T29_split_weighs_the_choice_and_not_the_shares():
    rows, labels = clouds(np.random.default_rng(5), 600)
    tree = DecisionTreeClassifier(min_samples_leaf=12, random_state=0)
    fitted = CostSensitiveTree(tree, AT, split=True).fit(rows, labels)
    weighted = clone(tree).fit(rows, labels, sample_weight=cost_weights(labels, at=AT))
    assert np.array_equal(fitted.apply(rows), weighted.apply(rows))
    by_hand = leaves_by_hand(weighted, rows, labels, AT)
    assert fitted.predict_proba(rows)[:, 1].tolist() == [
        float(by_hand[node][0]) for node in fitted.apply(rows)
    ]
    assert fitted.calibrated_at_ == pytest.approx(labels.mean())


def test_T29_weights_are_those_of_the_learner_and_costs_count_once():
    rows, labels = clouds(np.random.default_rng(6), 600)
    tree = DecisionTreeClassifier(min_samples_leaf=12, random_state=0)
    fitted = CostSensitiveTree(tree, AT, weights=True).fit(rows, labels)
    theirs = clone(tree).fit(rows, labels, sample_weight=np.where(labels == 1, RATIO, 1))
    assert np.array_equal(fitted.predict(rows), theirs.predict(rows))
    assert fitted.predict_proba(rows) == pytest.approx(theirs.predict_proba(rows), rel=1e-12)
    assert fitted.calibrated_at_ == pytest.approx(
        RATIO * labels.sum() / (RATIO * labels.sum() + (1 - labels).sum())
    )
    both = CostSensitiveTree(tree, AT, weights=True, leaf=True).fit(rows, labels)
    assert np.array_equal(both.predict(rows), fitted.predict(rows))


def test_the_base_rate_of_the_field_enters_like_costs():
    rows, labels = clouds(np.random.default_rng(7), 1000)
    share = Fraction(int(labels.sum()), 1000)
    prior = Fraction(1, 2)
    shifted = (
        prior / share / ((1 - prior) / (1 - share))
    )  # so much dearer is a miss, as there are more to be missed
    for switches in ({"leaf": True}, {"weights": True}, {"prune": True}):
        tree = DecisionTreeClassifier(min_samples_leaf=15, random_state=0)
        by_prior = CostSensitiveTree(tree, br.Conditions(prior=prior), **switches).fit(rows, labels)
        by_cost = CostSensitiveTree(
            tree, br.Conditions(costs=br.Costs(fp=1, fn=float(shifted))), **switches
        ).fit(rows, labels)
        assert np.array_equal(by_prior.predict(rows), by_cost.predict(rows))


def test_a_moved_threshold_takes_what_the_tree_knows():
    rows, labels = clouds(np.random.default_rng(8), 800)
    tree = DecisionTreeClassifier(min_samples_leaf=15, random_state=0)
    leaf = CostSensitiveTree(tree, AT, leaf=True).fit(rows, labels)
    for switches in ({}, {"weights": True}):
        moved = MovedThreshold(CostSensitiveTree(tree, AT, **switches), AT).fit(rows, labels)
        assert np.array_equal(
            moved.predict(rows),
            CostSensitiveTree(tree, AT, leaf=True, **switches).fit(rows, labels).predict(rows),
        )
    assert np.array_equal(
        MovedThreshold(leaf, AT).fit(rows, labels).predict(rows), leaf.predict(rows)
    )
    # One in four at the threshold 1/4 is a tie, also where the tree knows its base rate, a third,
    # as a float only.
    groups, few = np.repeat([0, 1], [4, 8])[:, None], np.repeat([1, 0, 1, 0], [1, 3, 3, 5])
    tied = MovedThreshold(CostSensitiveTree(), br.Conditions(costs=br.Costs(fp=1, fn=3))).fit(
        groups, few
    )
    assert tied.predict([[0], [1]]).tolist() == [0, 1]


def test_amounts_decide_at_the_leaves():
    """A leaf flags where the money on its positives exceeds the nuisance of its negatives."""
    rows, labels = clouds(np.random.default_rng(9), 800)
    amounts = np.random.default_rng(10).lognormal(1, 1.5, 800).round(2)
    tree = DecisionTreeClassifier(min_samples_leaf=15, random_state=0)
    fitted = CostSensitiveTree(
        tree, br.Conditions(costs=br.Costs(fp=2, fn=50, tp=1)), leaf=True
    ).fit(rows, labels, amounts=amounts)
    nodes, answers = fitted.apply(rows), fitted.predict(rows)
    for node in np.unique(nodes):
        here = nodes == node
        money = sum(Fraction(str(amount)) - 1 for amount in amounts[here & (labels == 1)])
        assert set(answers[here]) == {int(money > 2 * int((here & (labels == 0)).sum()))}


# ---- pruning ----------------------------------------------------------------------------------


def random_tree(rng, nodes):
    """A tree in the order of scikit-learn's, with whole costs of each node as a leaf of its own,
    and of leaves as they are.
    """
    left, right = [-1], [-1]
    while len(left) < nodes:
        node = int(rng.choice([n for n in range(len(left)) if left[n] < 0]))
        left[node], right[node] = len(left), len(left) + 1
        left += [-1, -1]
        right += [-1, -1]
    alone = rng.integers(0, 40, len(left)).astype(float)
    return (
        Shape(np.array(left), np.array(right)),
        alone,
        np.where(np.array(left) < 0, alone + rng.integers(0, 10, len(left)), alone),
    )


def cheapest_tree(shape, alone, labelled, price, node=0):
    """By trying both at every node: its cost with a price a leaf, and its leaves. Of equals the
    smaller tree.
    """
    if shape.left[node] < 0:
        return Fraction(int(labelled[node])) + price, {node}
    parts = [
        cheapest_tree(shape, alone, labelled, price, int(child))
        for child in (shape.left[node], shape.right[node])
    ]
    apart, together = parts[0][0] + parts[1][0], Fraction(int(alone[node])) + price
    return (together, {node}) if together <= apart else (apart, parts[0][1] | parts[1][1])


@pytest.mark.parametrize("seed", seeds(40))
def test_weakest_links_are_those_of_an_exhaustive_search(seed):
    rng = np.random.default_rng(seed)
    shape, alone, labelled = random_tree(rng, int(rng.integers(1, 60)))
    prices = weakest_links(shape, alone, labelled)
    assert (prices >= 0).all()
    for price in (Fraction(0), *(Fraction(int(rng.integers(1, 3000)), 97) for _ in range(12))):
        ends = nodes_after_pruning(shape, prices, float(price))
        kept = {int(ends[node]) for node in range(len(alone)) if shape.left[node] < 0}
        assert kept == cheapest_tree(shape, alone, labelled, price)[1]


def test_at_price_nothing_go_subtrees_that_are_no_cheaper_than_a_leaf():
    """Both leaves answer alike, so the split saves nothing: pruned, and the answer stays."""
    shape = Shape(np.array([1, -1, -1]), np.array([2, -1, -1]))
    equal = weakest_links(shape, np.array([5.0, 2.0, 3.0]), np.array([5.0, 2.0, 3.0]))
    cheaper = weakest_links(shape, np.array([5.0, 2.0, 2.0]), np.array([5.0, 2.0, 2.0]))
    assert nodes_after_pruning(shape, equal, 0.0).tolist() == [0, 0, 0]
    assert nodes_after_pruning(shape, cheaper, 0.0).tolist() == [0, 1, 2]
    assert nodes_after_pruning(shape, cheaper, 1.0).tolist() == [0, 0, 0]


def test_prices_lie_between_those_at_which_the_tree_changes():
    assert prices_to_try(np.array([np.inf, 4.0, 1.0, np.inf])).tolist() == [0.0, 2.0, 4.0]
    assert len(prices_to_try(np.linspace(1, 2, 1000))) == 50
    assert prices_to_try(np.array([np.inf])).tolist() == [0.0]


def grown_by_hand(tree, rows, labels):
    """The tree, its shape, what each answer costs in each node, the majority there, and from which
    price on it is a leaf.
    """
    part = clone(tree).fit(rows, labels)
    path = part.decision_path(rows).toarray().astype(bool)
    flagged, left = (
        (path & (labels == code)[:, None]).sum(axis=0) * factor / len(labels)
        for code, factor in ((0, 1), (1, RATIO))
    )
    shape, majority = (
        Shape(part.tree_.children_left, part.tree_.children_right),
        part.tree_.value[:, 0, 1] > 0.5,
    )
    return (
        part,
        shape,
        flagged < left,
        majority,
        weakest_links(shape, np.minimum(flagged, left), np.where(majority, flagged, left)),
    )


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_the_price_is_the_cheapest_on_the_folds(seed):
    """Of all prices at which the whole tree changes, judged by hand on trees that did not see the
    fold; of equals the highest.
    """
    rows, labels = clouds(np.random.default_rng(seed), 300)
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    fitted = CostSensitiveTree(tree, AT, prune=True, cv=3).fit(rows, labels)

    def judged(price):
        total = 0
        for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(rows, labels):
            part, shape, cheap, majority, prices = grown_by_hand(tree, rows[train], labels[train])
            ends = nodes_after_pruning(shape, prices, price)[part.apply(rows[test])]
            answers = np.where(prices[ends] <= price, cheap[ends], majority[ends])
            total += round(cost(labels[test], answers) * len(test))
        return total

    tried = prices_to_try(grown_by_hand(tree, rows, labels)[-1])
    costs = np.array([judged(price) for price in tried])
    assert fitted.price_ == pytest.approx(tried[np.flatnonzero(costs == costs.min())[-1]])
    assert costs.min() < costs.max()


def test_a_class_of_one_case_has_no_folds_and_is_pruned_at_no_price():
    rows, labels = np.arange(20.0)[:, None], np.repeat([0, 1], [19, 1])
    assert CostSensitiveTree(at=AT, prune=True).fit(rows, labels).price_ == 0


# ---- the rest ---------------------------------------------------------------------------------


def test_it_is_tuned_cloned_and_sent_like_any_estimator():
    rows, labels = clouds(np.random.default_rng(12), 400)
    tree = CostSensitiveTree(DecisionTreeClassifier(random_state=0), AT, leaf=True)
    grid = {"estimator__min_samples_leaf": [1, 20], "prune": [False, True]}
    found = GridSearchCV(
        tree, grid, scoring=scorer("expected_cost", threshold=0.5, at=AT), cv=3
    ).fit(rows, labels)
    again = pickle.loads(pickle.dumps(found.best_estimator_))
    assert np.array_equal(again.predict(rows), found.predict(rows))
    assert clone(tree).get_params(deep=False)["leaf"] is True


def test_what_is_no_tree_is_refused():
    rows, labels = clouds(np.random.default_rng(13), 50)
    assert_refused(
        "BR850",
        "made of a DecisionTreeClassifier",
        lambda: CostSensitiveTree(LogisticRegression()).fit(rows, labels),
    )
    assert_refused(
        "BR901",
        "Only binary classification",
        lambda: CostSensitiveTree(at=AT).fit(rows, np.arange(50) % 3),
    )
    assert_refused(
        "BR102",
        "cannot tell which is positive",
        lambda: CostSensitiveTree(at=AT).fit(rows, np.where(labels == 1, "a", "b")),
    )
    assert_refused("BR513", "costs must be Costs", lambda: br.Conditions(costs=[[0, 1], [5, 0]]))
