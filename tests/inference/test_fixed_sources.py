"""What an interval at a fixed point may be asked of: points, confusions, counts at a threshold."""

import numpy as np
import pytest
from tests.inference.oracle_fixed import MIDDLE, codes

import baserate as br
from baserate.inference import fixed_point


def tied_counts():
    return br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])


def test_cases_that_were_chosen_by_class_need_a_prior():
    rng = np.random.default_rng(0)
    labels = np.arange(200) < 100
    counts = br.count(labels, rng.normal(size=200) + labels, design="case-control")
    for asked in (
        lambda: br.interval(counts, "precision", threshold=0.5),
        lambda: br.interval(counts, "f1", threshold=0.5),
        lambda: br.interval(
            counts, "expected_cost", threshold=0.5, at=br.Conditions(costs={"fn": br.Range(1, 2)})
        ),
        lambda: br.interval(counts, "alerts", threshold=0.5, volume=10, method="predictive"),
        lambda: br.interval(br.choose(counts, threshold=0.5), "precision"),
    ):
        with pytest.raises(br.InputError, match="BR509: the class totals were chosen"):
            asked()
    assert br.interval(counts, "tpr", threshold=0.5).method == "wilson"
    assert (
        br.interval(counts, "precision", threshold=0.5, at=br.Conditions(prior=0.01)).method
        == "jeffreys-draws"
    )


def test_weights_and_published_rates_do_not_say_how_many_cases_were_seen():
    labels, scores = [0, 1] * 20, list(range(40))
    weighted = br.count(labels, scores, sample_weight=[0.3] * 40)
    rates = br.Points.from_rates([0.1], [0.8], thresholds=[0.5])
    for source in (br.choose(weighted, threshold=10), br.Confusion(tp=0.5, fp=1, fn=2, tn=3)):
        with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
            br.interval(source, "tpr")
    with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
        br.interval(weighted, "tpr", threshold=10)
    with pytest.raises(br.InputError, match="BR583: only rates are known"):
        br.interval(br.choose(rates, threshold=0.5), "tpr")


def test_weights_that_are_whole_numbers_are_weights_still():
    weighted = br.count([0, 1] * 20, list(range(40)), sample_weight=[2.0] * 40)
    with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
        br.interval(br.choose(weighted, threshold=10), "tpr")


@pytest.mark.parametrize("name", ["tpr", "precision", "posfrac"])
def test_a_part_of_a_tie_has_expected_values_and_no_interval_but_by_its_rule(name):
    at = br.Conditions(prior=0.01)
    point = br.choose(tied_counts(), "alerts <= 50", at=at, volume=10_000)
    assert point.how == "tie"
    for source in (point, point.confusion):
        with pytest.raises(
            br.InputError,
            match=(
                "BR583: a share of a tie is flagged: its outcomes are expected values.*give the"
                " rule"
            ),
        ):
            br.interval(source, name, at=at)
    found = br.interval(
        tied_counts(), name, rule="alerts <= 50", at=at, volume=10_000, replicates=200
    )
    assert found.value == point[name]
    assert found.low < found.value < found.high
    if (
        name == "posfrac"
        # what the budget holds in place is not moved: from the whole cases below the expected ones to  # noqa: E501
        # those above
    ):
        near = [
            br.Confusion(tp=tp, fp=fp, fn=50 - tp, tn=5000 - fp)
            for tp, fp in ((int(point.tp), int(point.fp)), (int(point.tp) + 1, int(point.fp) + 1))
        ]
        low, high = (br.interval(one, name, at=at) for one in near)
        assert found.low <= low.low
        assert found.high >= high.high - 1e-12
    assert fixed_point.point_intervals(point, [name]) == {}


def test_a_threshold_chosen_on_the_same_cases_is_said_to_be():
    counts, at = tied_counts(), br.Conditions(prior=0.01)
    chosen = br.choose(counts, "tpr >= 0.5", at=at)
    assert "BR593" in codes(br.interval(chosen, "precision"))
    assert "BR593" in codes(br.interval(chosen, "tpr"))
    assert "BR593" not in codes(br.interval(chosen.on(counts), "precision"))
    assert "BR593" not in codes(br.interval(br.choose(counts, threshold=3, at=at), "precision"))
    assert br.interval(chosen, "precision").low == br.interval(chosen.on(counts), "precision").low


def test_a_point_is_read_at_its_own_conditions_and_volume_or_at_others():
    point = br.choose(tied_counts(), threshold=3, at=br.Conditions(prior=0.01), volume=500)
    assert br.interval(point, "alerts").value == point["alerts"]
    assert br.interval(point, "precision") == br.interval(
        point.confusion, "precision", at=br.Conditions(prior=0.01)
    )
    other = br.interval(point, "precision", at=br.Conditions(prior=0.2))
    assert other.value == br.measure(point.confusion, "precision", at=br.Conditions(prior=0.2))
    assert (
        br.interval(
            br.choose(tied_counts(), threshold=3, at=br.Conditions(prior=0.01)), "alerts", volume=9
        ).name
        == "alerts(volume=9)"
    )


def test_counts_at_a_threshold_are_the_confusion_there():
    counts, at = tied_counts(), br.Conditions(prior=0.01)
    by_hand = br.interval(br.Confusion(tp=49, fp=200, fn=1, tn=4800), "precision", at=at)
    assert br.interval(counts, "precision", threshold=2, at=at) == by_hand
    beyond = br.interval(counts, "tpr", threshold=9)
    assert (beyond.value, beyond.side) == (0.0, "upper")
    assert "BR529" in codes(beyond)


def test_an_unknown_method_is_refused_with_those_there_are():
    at = br.Conditions(prior=0.1)
    with pytest.raises(
        br.InputError,
        match=(
            r'BR581: there is no method "wilson" for precision at this base rate.*'
            r" jeffreys-draws.*mercaldo"
        ),
    ):
        br.interval(MIDDLE, "precision", at=at, method="wilson")
    with pytest.raises(
        br.InputError,
        match=r'BR581: there is no method "magic" for posfrac at this base rate\. Fix: [^.]*bca\.',
    ):
        br.interval(MIDDLE, "posfrac", at=at, method="magic")
    with pytest.raises(br.InputError, match='BR581: there is no method "magic" for a rate'):
        br.interval(MIDDLE, "tpr", method="magic")


def test_intervals_of_several_measures_leave_out_what_is_undefined():
    point = br.choose(tied_counts(), threshold=None, at=br.Conditions(prior=0.01))
    found = fixed_point.point_intervals(point, ["tpr", "precision", "posfrac", "alerts"])
    assert list(found) == ["tpr", "posfrac"]
    known = fixed_point.point_intervals(
        br.choose(tied_counts(), threshold=2, volume=10),
        ["tpr", "precision", "alerts"],
        level=0.8,
        seed=4,
    )
    alone = br.interval(tied_counts(), "precision", threshold=2, level=0.8)
    assert (known["precision"].low, known["precision"].high, known["precision"].level) == (
        alone.low,
        alone.high,
        0.8,
    )
    assert list(known) == ["tpr", "precision", "alerts"]


@pytest.mark.parametrize(
    ("confusion", "name", "fix"),
    [
        (br.Confusion(tp=0, fp=0, fn=5, tn=10), "precision", "choose another threshold"),
        (br.Confusion(tp=0, fp=2, fn=0, tn=10), "tpr", "give cases of both classes"),
    ],
)
def test_what_would_define_an_undefined_measure_is_said(confusion, name, fix):
    with pytest.raises(
        br.InputError, match=f"BR589: {name} is undefined here.*and so is its interval. Fix: {fix}"
    ):
        br.interval(confusion, name)
