"""What a review of the merged answers found: each was printed, and each contradicted another number
of the same answer.
"""

import numpy as np
import pytest
from tests.cli.helpers import answered, told

import baserate as br
from baserate.inference.decide import decide


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(7)
    y = (np.arange(6000) < 90).astype(int)
    return y, {"a": rng.normal(1.6 * y, 1).round(3), "b": rng.normal(1.4 * y, 1).round(3)}


@pytest.fixture(scope="module")
def unlabelled(sample, tmp_path_factory):
    """Three of four labels are missing below a score of 1, few above it."""
    y, scores = sample
    rng = np.random.default_rng(8)
    known = rng.random(len(y)) < np.where(scores["a"] > 1, 0.9, 0.25)
    path = tmp_path_factory.mktemp("labels") / "scores.csv"
    rows = zip(y, known, scores["a"], scores["b"], strict=True)
    path.write_text(
        "y,a,b\n" + "".join(f"{label if seen else ''},{a},{b}\n" for label, seen, a, b in rows)
    )
    return path


LABELS = ("--label", "y", "--score", "a", "--missing-label", "drop")


def test_a_budget_is_counted_among_all_scored_cases(unlabelled, sample, capsys):
    """It was searched among labelled cases: a third of the alerts were used, beside an interval of
    another population.
    """
    document = answered(capsys, "choose", unlabelled, "alerts <= 300", *LABELS, "--volume", "6000")
    point = document["result"]["points"]["a"]
    flagged = int((sample[1]["a"] >= point["threshold"]).sum())
    assert (
        flagged
        <= 300
        < int((sample[1]["a"] >= np.nextafter(point["threshold"], -np.inf)).sum()) + 5
    )
    assert point["counted"] == {"flagged": flagged, "cases": 6000}
    assert point["alerts"] == pytest.approx(flagged)
    assert point["intervals"]["alerts"]["low"] < flagged < point["intervals"]["alerts"]["high"]
    share = br.rate_interval(flagged, 6000)
    assert (
        point["intervals"]["posfrac"]["low"],
        point["intervals"]["posfrac"]["high"],
    ) == pytest.approx((share.low, share.high))


def test_a_gate_judges_the_alerts_that_it_shows(unlabelled, capsys):
    """It said "missed: 180 observed" of at most 250, because the labelled cases alone had more."""
    asked = ("gate", unlabelled, "alerts <= 1500", *LABELS, "--threshold", "1", "--volume", "6000")
    done = told(capsys, *asked)
    assert (done.status, "Passed: every requirement is demonstrated." in done.out) == (0, True)
    strict = told(
        capsys, *(word.replace("1500", "100") if isinstance(word, str) else word for word in asked)
    )
    assert strict.status == 1


def test_thresholds_of_a_guarantee_and_estimated_base_rates_are_not_tested(sample):
    """As if fixed in advance, two equal models were called different in 81 % of simulated sets."""
    y, scores = sample
    joint = br.count(y, scores)
    choice = br.choose(joint, guarantee="recall >= 0.5")
    assert (choice.differences, choice.indistinguishable) == ((), None)
    assert choice.untested == "no test is available for guaranteed thresholds"
    first = joint.marginal("a")
    at = br.Conditions(
        br.estimate_prior(first, br.count_unlabelled(scores["a"])), br.Costs(fp=1, fn=20)
    )
    assert br.choose(joint, at=at).untested == "the base rate is an estimate"


def test_decide_and_choose_test_the_same_thing_under_a_budget(sample, tmp_path, capsys):
    """`decide` tested equal costs that nobody gave."""
    y, scores = sample
    path = tmp_path / "scores.csv"
    path.write_text(
        "y,a,b\n"
        + "".join(
            f"{label},{a},{b}\n" for label, a, b in zip(y, scores["a"], scores["b"], strict=True)
        )
    )
    asked = (
        "--label",
        "y",
        "--score",
        "a",
        "--score",
        "b",
        "--rule",
        "alerts <= 200",
        "--prior",
        "1%",
        "--volume",
        "6000",
    )
    at = br.Conditions(prior="1%")
    decided = decide(br.count(y, scores), "alerts <= 200", at=at, volume=6000).differences
    chosen = answered(capsys, "choose", path, *asked)["result"]["differences"]
    assert {one.name for one in decided} | {one["statistic"] for one in chosen} == {"caught"}
    values = {one.models: one.value for one in decided}
    assert values[tuple(chosen[0]["models"])] == pytest.approx(chosen[0]["value"])


def test_a_model_that_flags_nothing_is_as_exact_as_flagging_nothing():
    counts = br.Counts([3, 2, 1], positives=[5, 20, 25], negatives=[40, 400, 4560])
    at = br.Conditions(prior=1e-6, costs=br.Costs(fp=1, fn=10))
    assert br.choose(counts, at=at).regardless == 0
    for name in ("tpr", "fpr", "expected_cost", "posfrac"):
        found = br.interval(counts, name, at=at)
        assert (found.method, found.low, found.high) == ("exact", found.value, found.value)


def test_a_difference_stays_within_what_differences_can_be():
    y, a, b = [1] * 6 + [0] * 6, [*range(12)], [*range(11, -1, -1)]
    for difference in br.choose(br.count(y, {"a": a, "b": b}), "recall >= 0.8").differences:
        assert -1 <= difference.low <= difference.high <= 1
