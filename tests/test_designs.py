"""Case-control samples: where class totals were chosen, the sample's prior is not a base rate, and
nothing reads it as one.
"""

import pytest

import baserate as br
from baserate.measures.registry import CATALOGUE

Y, S = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.5, 0.9]
CHOSEN = br.count(Y, S, design="case-control")
PARAMETERS = {"f_beta": "(2)", "weighted_accuracy": "(1,1,1,1)"} | dict.fromkeys(
    ("alerts", "caught", "missed", "false_alarms", "volume_cost"), "(100)"
)


def assert_needs_a_prior(counts, threshold=0.5):
    with pytest.raises(
        br.InputError, match="class totals were chosen .* so a prior must be given"
    ) as caught:
        br.measure(counts, "precision", threshold=threshold)
    assert caught.value.code == "BR509"
    assert br.measure(counts, "tpr", threshold=threshold) == pytest.approx(2 / 3)


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_chosen_sample_makes_the_prior_mandatory_exactly_where_it_matters(name):
    measure = br.Measure.parse(name + PARAMETERS.get(name, ""))
    if measure.depends_on_prior:
        with pytest.raises(br.InputError, match="so a prior must be given") as caught:
            br.measure(CHOSEN, measure, threshold=0.4)
        assert caught.value.code == "BR509"
    else:
        assert br.measure(CHOSEN, measure, threshold=0.4) == br.measure(
            br.count(Y, S), measure, threshold=0.4
        )
    at = br.Conditions(prior=0.01)
    assert br.measure(CHOSEN, measure, threshold=0.4, at=at) == br.measure(
        br.count(Y, S), measure, threshold=0.4, at=at
    )


def test_the_samples_own_prior_by_name_is_refused_too():
    with pytest.raises(br.InputError, match="so a prior must be given"):
        br.measure(CHOSEN, "precision", threshold=0.5, at=br.Conditions(prior="sample"))


def test_a_number_at_the_prior_of_a_chosen_sample_still_assumes_label_shift():
    reading = br.measure(CHOSEN, "precision", threshold=0.5, at=br.Conditions(prior=0.5))
    assert "BR526" in [note.code for note in reading.notes]


def test_the_design_travels_through_sums():
    plain = br.count([0, 1], [0.2, 0.7])
    for total in (
        CHOSEN + plain,
        plain + CHOSEN,
        CHOSEN + br.Counts.empty(),
        sum([CHOSEN, CHOSEN], br.Counts.empty()),
    ):
        assert total.ledger.design == "case-control"
        with pytest.raises(br.InputError, match="so a prior must be given"):
            br.measure(total, "precision", threshold=0.5)


def test_the_design_travels_through_a_file(tmp_path):
    CHOSEN.save(tmp_path / "chosen")
    assert_needs_a_prior(br.load(tmp_path / "chosen"))


def test_the_design_travels_through_merging():
    assert_needs_a_prior(CHOSEN.condense(), threshold=0.8)


def test_the_design_travels_through_groups(tmp_path):
    groups = br.count([*Y, *Y], [*S, *S], by=["a"] * 6 + ["b"] * 6, design="case-control")
    groups.save(tmp_path / "groups")
    for source in (groups, br.load(tmp_path / "groups"), groups + groups):
        assert source.ledger.design == "case-control"
        assert_needs_a_prior(source["a"])


def test_the_design_travels_through_joint_counts(tmp_path):
    joint = br.count(Y, {"m": S, "n": S[::-1]}, design="case-control")
    joint.save(tmp_path / "joint")
    for source in (joint, br.load(tmp_path / "joint"), joint + joint):
        assert_needs_a_prior(source.marginal("m"))


def test_the_design_travels_to_points_and_their_hull():
    points = br.Points.of(CHOSEN)
    for source in (points, points.hull()):
        assert_needs_a_prior(source, threshold=0.8)


def test_an_unknown_design_is_refused():
    with pytest.raises(br.InputError, match="'random' or 'case-control', got \"cohort\"") as caught:
        br.count(Y, S, design="cohort")
    assert caught.value.code == "BR532"
