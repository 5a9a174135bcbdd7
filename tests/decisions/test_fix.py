"""One measure fixed, the rest read: between two thresholds, and at the nearest one."""

import math
import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle

import baserate as br

COUNTS = br.Counts([3, 2, 1], [6, 3, 1], [1, 4, 15])
NAMES = (*oracle.PARTS, "expected_cost")


def exactly(point):
    return tuple(map(Fraction, point.confusion))


def rates(counted):
    tp, fp, fn, tn = counted
    return tp / (tp + fn), fp / (fp + tn)


@pytest.mark.parametrize("name", NAMES)
def test_both_readings_are_those_of_the_oracle(name):
    rng = random.Random(name)
    for _ in range(80):
        data = generated.cells(rng, both=True)
        at, truth = generated.at(rng, known=True)
        written = rng.randint(0, 20) / 20
        term = oracle.Term(name, "=", Fraction(str(written)), {})
        expected = oracle.fix(data, term, truth)
        if expected is None:
            with pytest.raises(br.Infeasible, match=f"BR530: {name} never is "):
                br.fix(generated.counts(data), f"{name} = {written}", at=at)
            continue
        fixed = br.fix(generated.counts(data), f"{name} = {written}", at=at)
        assert rates(exactly(fixed.interpolated)) == expected
        assert oracle.value(name, exactly(fixed.interpolated), truth) == term.limit
        threshold, counted = oracle.nearest(data, term, truth)
        assert (fixed.attained.threshold, exactly(fixed.attained)) == (threshold, counted)


@pytest.mark.parametrize("name", ["tpr", "fpr", "posfrac", "precision", "f1"])
def test_a_value_that_a_threshold_has_is_read_there(name):
    rng = random.Random(f"attained {name}")
    for _ in range(60):
        data = generated.cells(rng, both=True)
        counts = generated.counts(data)
        _threshold, counted = rng.choice(oracle.points(data)[1:])
        value = oracle.value(name, counted, oracle.At())
        if value is None or Fraction(repr(float(value))) != value:
            continue
        fixed = br.fix(counts, f"{name} = {float(value)!r}")
        assert oracle.value(name, exactly(fixed.interpolated), oracle.At()) == value
        assert oracle.value(name, exactly(fixed.attained), oracle.At()) == value
        assert fixed.attained.confusion.tp >= counted[0]


def test_each_reading_says_which_it_is():
    fixed = br.fix(COUNTS, "tpr = 0.8")
    assert fixed.interpolated.how == "interpolated"
    assert fixed.attained.how == "nearest"
    assert fixed.interpolated.rule == fixed.attained.rule == "tpr = 0.8"
    assert (fixed.interpolated.threshold, fixed.interpolated.lower_threshold) == (3, 2)
    assert fixed.interpolated.share == pytest.approx(2 / 3)
    assert tuple(fixed) == (fixed.interpolated, fixed.attained)


def test_on_a_vertical_run_a_fixed_fpr_reads_the_highest_tpr():
    counts = br.Counts([5, 4, 3, 2, 1], [1, 2, 0, 3, 4], [0, 0, 5, 0, 5])
    assert br.fix(counts, "fpr = 0").interpolated.tp == 3
    assert br.fix(counts, "fpr = 0.5").interpolated.tp == 6


def test_on_a_horizontal_run_a_fixed_tpr_reads_the_lowest_fpr():
    counts = br.Counts([5, 4, 3, 2], [5, 0, 0, 5], [1, 3, 3, 3])
    fixed = br.fix(counts, "tpr = 0.5")
    assert (fixed.interpolated.fp, fixed.interpolated.threshold, fixed.interpolated.share) == (
        1,
        5,
        1,
    )
    assert (fixed.attained.fp, fixed.attained.threshold) == (1, 5)
    assert br.fix(counts, "tpr = 0").interpolated.threshold is None
    assert br.fix(counts, "tpr = 1").interpolated.threshold == 2


def test_a_fixed_posfrac_of_0_flags_nothing_and_of_1_everything():
    assert br.fix(COUNTS, "posfrac = 0").interpolated.threshold is None
    assert br.fix(COUNTS, "posfrac = 1").interpolated.threshold == 1


def test_a_fixed_precision_reads_the_highest_tpr_that_has_it():
    counts = br.Counts([4, 3, 2, 1], [1, 1, 2, 1], [1, 3, 0, 20])
    fixed = br.fix(counts, "precision = 0.5")
    assert fixed.interpolated.tp == 4
    assert fixed.interpolated.precision == 0.5


def test_precision_on_the_first_edge_is_that_of_its_end():
    counts = br.Counts([2, 1], [3, 1], [1, 9])
    fixed = br.fix(counts, "precision = 75%")
    assert (fixed.interpolated.tp, fixed.interpolated.fp) == (3, 1)


@pytest.mark.parametrize("name", ["npv", "false_omission_rate"])
def test_npv_on_the_last_edge_is_read_where_it_is_defined(name):
    counts = br.Counts([2, 1], [6, 2], [2, 6])
    fixed = br.fix(counts, f"{name} = {0.75 if name == 'npv' else 0.25}")
    assert fixed.interpolated[name] == (0.75 if name == "npv" else 0.25)
    assert fixed.interpolated.tn > 0


def test_of_two_thresholds_as_near_the_better_one_is_read():
    counts = br.Counts(range(10, 0, -1), [1] * 10, [1] * 10)
    for tenth in range(1, 10):
        assert br.fix(counts, f"tpr = {tenth}0%").attained.tp == tenth
    halves = br.Counts([3, 2, 1], [6, 2, 2], [0, 5, 5])
    assert br.fix(halves, "tpr = 0.7").attained.tp == 8
    assert br.fix(halves, "fnr = 0.3").attained.tp == 8
    assert br.fix(halves, "fpr = 0.25").attained.fp == 0


def test_ways_of_writing_the_value():
    assert (
        br.fix(COUNTS, "tpr = 80%").interpolated.tp == br.fix(COUNTS, "tpr = 0.8").interpolated.tp
    )
    assert br.fix(COUNTS, "posfrac = 1 in 10").interpolated.posfrac == pytest.approx(0.1)
    assert br.fix(COUNTS, "alerts = 600", volume=1000).interpolated["alerts"] == 600


def test_a_published_roc_is_read_at_a_stated_prior():
    points = br.Points.from_rates([0.1, 0.5], [0.5, 0.75])
    fixed = br.fix(points, "tpr = 0.625", at=br.Conditions(0.5))
    assert fixed.interpolated.fpr == pytest.approx(0.3)
    assert br.fix(points, "tpr = 0.625").interpolated.fpr == pytest.approx(0.3), (
        "tpr and fpr need no prior"
    )
    with pytest.raises(br.InputError, match="BR509"):
        br.fix(points, "precision = 0.625")


def test_readings_carry_what_there_is_to_know():
    fixed = br.fix(COUNTS, "tpr = 0.8", at=br.Conditions("1:99"))
    for point in fixed:
        assert {"BR508", "BR526"} <= {note.code for note in point.notes}
        assert "BR528" not in [note.code for note in point.notes]


def test_what_cannot_be_fixed_is_refused():
    for text in ("tpr", "tpr >= 0.8", "tpr = 0.8 and fpr = 0.1", "", 0.8):
        with pytest.raises(br.InputError, match="BR533: a measure is fixed at one value"):
            br.fix(COUNTS, text)
    assert br.fix(COUNTS, "recall = 0.8") == br.fix(COUNTS, "tpr = 0.8")
    with pytest.raises(br.InputError, match="BR531: unknown measure"):
        br.fix(COUNTS, "tprr = 0.8")
    with pytest.raises(
        br.InputError,
        match="BR534: mcc is not monotone between two thresholds, so it cannot be fixed",
    ):
        br.fix(COUNTS, "mcc = 0.2")
    with pytest.raises(br.InputError, match="BR532: alerts needs volume"):
        br.fix(COUNTS, "alerts = 5")


@pytest.mark.parametrize("value", [80, -0.1, "high", math.nan, math.inf, None, True, "120%"])
def test_values_outside_the_range_are_refused(value):
    with pytest.raises(br.InputError, match="BR533: tpr lies between 0 and 1, got"):
        br.fix(COUNTS, f"tpr = {value}")


def test_values_that_are_never_reached_say_what_is():
    with pytest.raises(
        br.Infeasible, match=r"BR530: precision never is 0\.99: it runs from 0\.333333 to 0\.857143"
    ):
        br.fix(COUNTS, "precision = 0.99")
    with pytest.raises(
        br.Infeasible, match="BR530: fpr never is 0.5: it is defined at no threshold"
    ):
        br.fix(br.Counts([1], [5], [0]), "fpr = 0.5")


def test_a_volume_that_is_none_is_refused():
    with pytest.raises(br.InputError, match="BR520: a volume is a number of cases above 0"):
        br.fix(COUNTS, "tpr = 0.8", volume=-1)


def test_a_measure_may_be_fixed_at_0_between_two_thresholds():
    """Recall gain is 0 where recall is the base rate, here between recalls of 0.4 and 0.6."""
    counts = br.Counts([3, 2, 1], positives=[2, 1, 2], negatives=[1, 1, 3])
    fixed = br.fix(counts, "recall_gain = 0")
    assert (fixed.interpolated.tpr, fixed.interpolated.threshold) == (0.5, 3)
    assert fixed.attained.tpr == 0.6  # a gain of 1/3, against -1/2


@pytest.mark.parametrize("step", range(30, 60, 3))
def test_of_thresholds_with_one_value_that_with_the_highest_tpr_is_read(step):
    """The first two scores have one precision, which floats round differently at some priors."""
    counts = br.Counts([3, 2, 1], positives=[1, 2, 7], negatives=[1, 2, 97])
    for part in range(7):
        at = br.Conditions(Fraction(7 * step + part, 707))
        fixed = br.fix(counts, "precision = 0.8", at=at)
        assert fixed.attained.threshold == 2
