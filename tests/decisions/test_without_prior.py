"""Where the sample has no prior (case-control counts, published rates), what needs none is answered
and what needs one is refused.
"""

import math

import pytest

import baserate as br

CASES = br.count([0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9], design="case-control")
RATES = br.Points.from_rates([0.1, 0.5], [0.5, 0.9])
NO_PRIOR = pytest.mark.parametrize("counts", [CASES, RATES], ids=["case-control", "rates"])
NEEDS = ("precision", "npv", "posfrac", "accuracy", "f1", "expected_cost", "mcc", "lift")


@NO_PRIOR
def test_a_choice_that_needs_no_prior_is_made_without_one(counts):
    point = br.choose(counts, "tnr >= 0.8", optimize="tpr")
    assert point.at.prior is None
    assert point.tnr >= 0.8
    points = br.Points.of(counts)
    assert point.tpr == max(
        tpr for tpr, fpr in zip(points.tpr, points.fpr, strict=True) if fpr <= 0.2
    )
    assert point == br.choose(counts, "tnr >= 0.8", optimize="tpr", at=br.Conditions())
    assert "BR526" not in [note.code for note in point.notes]


@NO_PRIOR
def test_the_choice_is_the_one_made_at_any_prior(counts):
    without = br.choose(counts, "fpr <= 0.5", optimize="informedness")
    for prior in (0.001, 0.5, 0.9):
        assert (
            br.choose(
                counts, "fpr <= 0.5", optimize="informedness", at=br.Conditions(prior)
            ).threshold
            == without.threshold
        )


@NO_PRIOR
@pytest.mark.parametrize("name", NEEDS)
def test_what_needs_a_prior_is_refused_at_such_a_point(counts, name):
    point = br.choose(counts, "tnr >= 0.8", optimize="tpr")
    with pytest.raises(
        br.InputError, match="BR509: .*, so a prior must be given. Fix: at=Conditions"
    ):
        _ = point[name]
    assert not math.isnan(point["informedness"])


@NO_PRIOR
@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"rule": "tpr >= 0.5"},
        {"rule": "precision >= 0.5", "optimize": "tpr"},
        {"optimize": "f1"},
    ],
)
def test_a_choice_that_needs_a_prior_is_refused(counts, asked):
    with pytest.raises(br.InputError, match="BR509"):
        br.choose(counts, **asked)
    assert br.choose(counts, **asked, at=br.Conditions(0.3)).at.prior == 0.3


@NO_PRIOR
def test_a_budget_needs_a_prior(counts):
    with pytest.raises(br.InputError, match="BR509"):
        br.choose(counts, "alerts <= 10", volume=100)


@NO_PRIOR
def test_an_infeasible_rule_is_refused_without_a_prior(counts):
    with pytest.raises(br.Infeasible, match="BR530: no threshold has tpr >= 0.95 and fpr <= 0.05"):
        br.choose(counts, "tpr >= 0.95 and fpr <= 0.05", optimize="tpr")


@NO_PRIOR
def test_a_point_without_a_prior_can_be_printed(counts):
    shown = repr(br.choose(counts, "tnr >= 0.8", optimize="tpr"))
    assert shown.startswith("OperatingPoint: score ≥ ")
    assert "as in the sample" not in shown
    assert repr(br.choose(counts, threshold=0.8)).startswith("OperatingPoint: ")
    assert repr(br.curves.random_classifier(counts, 0.5)).startswith(
        "OperatingPoint: flag 50 % of the cases at random"
    )


@NO_PRIOR
def test_a_point_without_a_prior_is_read_on_other_cases(counts):
    point = br.choose(counts, "tnr >= 0.8", optimize="tpr")
    random = br.count([0, 1, 1, 0], [0.1, 0.9, 0.5, 0.3])
    assert point.on(random).at.prior == 0.5
    again = point.on(counts)
    assert (again.tpr, again.in_advance) == (point.tpr, True)


def test_a_threshold_chosen_at_a_prior_is_not_read_at_that_of_chosen_totals():
    point = br.choose(br.count([0, 1], [0.1, 0.9])).on(CASES, br.Conditions(0.01))
    assert point.at.prior == 0.01


@NO_PRIOR
def test_several_models_are_compared_without_a_prior(counts):
    choice = br.choose({"a": counts, "b": counts}, "tnr >= 0.8", optimize="tpr")
    assert choice.models == ("a", "b")
    with pytest.raises(br.InputError, match="BR509"):
        br.choose({"a": counts, "b": counts})
