"""What every result can do: plain values, a data frame, a notebook's table, a copy."""

import copy
import json
import pickle

import numpy as np
import pytest

import baserate as br
from baserate.numbers import VIEWS

RNG = np.random.default_rng(7)
Y = (RNG.random(1500) < 0.2).astype(int)
SCORES = {"logit": RNG.normal(Y, 1.0), "forest": RNG.normal(1.3 * Y, 1.0)}
AMOUNT = RNG.integers(1, 500, 1500)
SITE = np.array(["oslo", "bern", "rome"])[RNG.integers(0, 3, 1500)]
DAY = np.array(["2026-01-01", "2026-01-02"])[RNG.integers(0, 2, 1500)]
MODELS = br.count(Y, SCORES)
COUNTS = MODELS.marginal("logit")
AT = br.Conditions(prior="2%", costs=br.Costs(fp=1, fn=20))
RANGE = br.Conditions(prior="1%..5%", costs={"fn": 20})

MADE = {
    "OperatingPoint": lambda: br.choose(COUNTS, at=AT),
    "OperatingPoint of a budget": lambda: br.choose(COUNTS, "alerts <= 20", at=AT, volume=1000),
    "OperatingPoint of a range": lambda: br.choose(COUNTS, at=RANGE),
    "Choice": lambda: br.choose(MODELS, at=AT),
    "Choice of a range": lambda: br.choose(MODELS, at=RANGE),
    "AmountPoint": lambda: br.choose(br.count(Y, SCORES["logit"], amount=AMOUNT), review=9),
    "AmountChoice": lambda: br.choose(br.count(Y, SCORES, amount=AMOUNT), review=9),
    "Fixed": lambda: br.fix(COUNTS, "tpr = 80%", at=AT),
    "Interval": lambda: br.interval(COUNTS, "auc"),
    "Differences": lambda: br.compare(MODELS),
    "Difference": lambda: br.compare(MODELS)[0],
    "Requirement": lambda: br.require(COUNTS, "recall >= 0.5", threshold=0.5),
    "NonInferiority": lambda: br.non_inferiority(
        MODELS, baseline="logit", candidate="forest", threshold=0.5
    ),
    "Curve": lambda: br.curve(COUNTS, "broc", at=AT),
    "Curve of a range": lambda: br.curve(COUNTS, "pr", prior="1%..5%", places=[0.2, 0.5]),
    "Curves": lambda: br.curve(MODELS, "pr", at=AT),
    "ThresholdTable": lambda: br.table(MODELS, prior=[0.01, 0.1]),
    "Slices": lambda: br.segments.by_group(br.count(Y, SCORES["logit"], by=SITE), threshold=1.0),
    "Days": lambda: br.segments.by_day(br.count(Y, SCORES["logit"], day=DAY), threshold=1.0),
    "Regret": lambda: br.robustness.regret({"logit": COUNTS}, "logit", 1.0, at=RANGE),
    "Stability": lambda: br.robustness.stability({"logit": COUNTS}, at=AT),
    "WinnerMap": lambda: br.robustness.winner_map(
        {name: MODELS.marginal(name) for name in MODELS.models}
    ),
    "BestRecall": lambda: br.robustness.best_recall({"logit": COUNTS}, fdr=0.5),
    "Triage": lambda: br.robustness.triage(COUNTS, at=AT, review=0.5),
    "Triages": lambda: br.robustness.triage(MODELS, prior=0.1, review=0.5),
    "Band": lambda: br.curves.band(COUNTS, "roc", x=[0.1, 0.2], replicates=200),
    "Rates": lambda: br.solve_rates(tpr=0.9, fpr=0.1, prior=0.01),
    "Reading": lambda: br.measure(COUNTS, "precision", threshold=0.5, at=AT),
    "Undefined": lambda: br.measure(br.Confusion(tp=0, fp=0, fn=1, tn=9), "precision"),
    "InformationValue": lambda: br.robustness.value_of_information(
        {"logit": COUNTS}, at=br.Conditions(prior=br.LogUniform(0.01, 0.1), costs={"fn": 20})
    ),
    "Calibration": lambda: br.shift.calibrate(COUNTS),
    "ShiftCheck": lambda: br.shift.check_label_shift(
        COUNTS, br.count_unlabelled(SCORES["logit"][:500])
    ),
    "PriorEstimate": lambda: br.estimate_prior(
        COUNTS, br.count_unlabelled(SCORES["logit"][:500]), replicates=200
    ),
}


@pytest.fixture(scope="module", params=list(MADE))
def result(request):
    return MADE[request.param]()


def test_it_is_plain_values(result):
    found = result.to_dict()
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(found))
    assert found


def test_it_is_a_frame_of_any_library(result):
    import pandas as pd

    frame = result.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) >= 1
    other = result.to_frame(backend="polars")
    assert list(other.columns) == list(frame.columns)
    assert other.height == len(frame)


def test_a_notebook_shows_a_table_and_the_notes(result):
    page = result._repr_html_()
    assert page.startswith("<table><caption>")
    notes = getattr(result, "notes", ())
    assert page.count("<li>") == len(notes)


def test_a_copy_and_what_was_pickled_are_the_same(result):
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert type(other) is type(result)
        assert other.to_dict() == result.to_dict() or repr(other) == repr(result)


def test_the_frame_of_a_copy_is_the_same(result):
    import pandas as pd

    pd.testing.assert_frame_equal(copy.copy(result).to_frame(), result.to_frame())


def test_its_notes_are_a_tuple(result):
    assert all(isinstance(note, br.types.Note) for note in result.notes)
    if isinstance(result, br.types.BestRecall | br.types.InformationValue):
        (note,) = result.notes
        assert note.text.endswith("are the same in the field (label shift)")
    if isinstance(result, br.types.Fixed):
        assert set(result.notes) == {*result.interpolated.notes, *result.attained.notes}


def test_its_words_are_few(result):
    assert len(repr(result)) < 20_000
    if isinstance(result, br.Choice):
        assert repr(result).count("\n") <= 2


@pytest.mark.parametrize(
    "name", ["Curve", "Curves", "OperatingPoint", "Choice", "AmountPoint", "WinnerMap"]
)
def test_it_is_drawn(name):
    made = MADE[name]()
    drawn = made.plot()
    assert "<svg" in drawn.svg()


def test_every_view_leads_to_a_function():
    from importlib import import_module

    for target in VIEWS.values():
        module, _, name = target.partition(":")
        assert callable(getattr(import_module(f"baserate.{module}"), name))


# ---- flags ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        (None, {"at": AT}),
        ("recall >= 0.8", {"at": AT}),
        ("alerts <= 20", {"at": AT, "volume": 1000}),
        (None, {"threshold": None}),
        (None, {"at": br.Conditions(costs=br.Costs(fn=1000))}),
    ],
)
def test_flags_are_those_that_the_point_counts(rule, options):
    point = br.choose(COUNTS, rule, **options)
    flags = point.flags(SCORES["logit"])
    assert flags.dtype == np.bool_
    assert (flags & (Y == 1)).sum() == pytest.approx(point.tp, abs=1)
    assert flags.sum() == pytest.approx(point.tp + point.fp, abs=1)


def test_of_a_tie_as_many_are_flagged_as_the_budget_says():
    scores = np.repeat([3, 2, 1], [10, 40, 50])
    labels = np.tile([1, 0], 50)
    point = br.choose(br.count(labels, scores), "alerts <= 25", volume=100)
    assert point.how == "tie"
    first = point.flags(scores)
    assert first.sum() == 25
    assert first[:10].all()
    assert not first[50:].any()
    assert (point.flags(scores) == first).all()
    assert not (point.flags(scores, seed=1) == first).all()
    keys = [f"case {i}" for i in range(100)]
    by_key = point.flags(scores, key=keys)
    order = RNG.permutation(100)
    again = point.flags(scores[order], key=[keys[i] for i in order])
    assert (again == by_key[order]).all()
    with pytest.raises(br.InputError, match="BR211: 3 keys for 100 scores"):
        point.flags(scores, key="abc")


def test_scores_that_were_negated_are_negated_again(tmp_path):
    path = tmp_path / "low.csv"
    rows = zip(Y, -SCORES["logit"], strict=True)
    path.write_text("y,s\n" + "".join(f"{label},{float(score)!r}\n" for label, score in rows))
    counts = br.count(path, label="y", score="s", lower_is_positive=True)
    point = br.choose(counts, at=AT)
    assert point.negated
    assert (point.flags(-SCORES["logit"]) == br.choose(COUNTS, at=AT).flags(SCORES["logit"])).all()
    counts.save(tmp_path / "low.counts")
    assert br.choose(br.load(tmp_path / "low.counts"), at=AT).negated


def test_a_missing_score_is_not_flagged_in_silence():
    with pytest.raises(br.InputError, match="BR201: 1 score missing or NaN"):
        br.choose(COUNTS, at=AT).flags([0.2, float("nan")])


# ---- other cases ------------------------------------------------------------------------------


def halves():
    dev = {name: scores[:800] for name, scores in SCORES.items()}
    test = {name: scores[800:] for name, scores in SCORES.items()}
    return br.count(Y[:800], dev), br.count(Y[800:], test)


def test_a_choice_is_evaluated_on_other_cases():
    dev, test = halves()
    choice = br.choose(dev, at=AT)
    there = choice.on(test)
    assert there.models == choice.models
    for name, point in there.points.items():
        assert point == choice.points[name].on(test.marginal(name))
        assert point.in_advance
        assert not [note for note in point.notes if note.code == "BR528"]
    assert there.differences
    assert there.lead_over_baseline is not None
    flags = there.flags({name: scores[800:] for name, scores in SCORES.items()})
    assert flags.sum() == there.point.tp + there.point.fp


def test_a_model_that_the_test_data_lack_is_named():
    dev, test = halves()
    with pytest.raises(br.InputError, match='BR408: the test data have no model "forest"'):
        br.choose(dev, at=AT).on({"logit": test.marginal("logit")})


def test_amounts_are_evaluated_on_other_cases():
    dev = br.count(Y[:800], {n: s[:800] for n, s in SCORES.items()}, amount=AMOUNT[:800])
    test = br.count(Y[800:], {n: s[800:] for n, s in SCORES.items()}, amount=AMOUNT[800:])
    choice = br.choose(dev, review=9)
    there = choice.on(test)
    assert there.model == choice.model
    assert there.point == choice.point.on(test[choice.model])
    assert there.differences


# ---- intervals --------------------------------------------------------------------------------


def test_a_point_has_its_intervals():
    assert br.choose(COUNTS, at=AT).intervals["tpr"].method.startswith("optimism-corrected")
    point = br.choose(COUNTS, at=AT, intervals="fixed")
    assert point.intervals["tpr"] == br.interval(point, "tpr")
    assert point.interval("precision") == br.interval(point, "precision")
    assert br.choose(COUNTS, at=AT, intervals=None).intervals == {}


def test_resampled_intervals_allow_for_the_choice():
    point = br.choose(COUNTS, at=AT, intervals="resampled", replicates=200)
    assert "optimism-corrected" in point.intervals["expected_cost"].method
    with pytest.raises(br.InputError, match="BR580: intervals are default, fixed or resampled"):
        br.choose(COUNTS, at=AT, intervals="both")


def test_a_point_on_other_cases_has_the_intervals_of_those():
    dev, test = halves()
    point = br.choose(dev.marginal("logit"), at=AT).on(test.marginal("logit"))
    assert point.intervals["tpr"] == br.interval(point, "tpr")


# ---- all thresholds ---------------------------------------------------------------------------

# Tan et al. 2006, Fig. 5.42: ten records; the two columns under the tied .85 are no thresholds
# (ERRATA B5), and TPR at the last column but one is .2, not .4 (B4).
TAN = ([1, 0, 1, 0, 0, 0, 1, 0, 1, 1], [0.25, 0.43, 0.53, 0.76, 0.85, 0.85, 0.85, 0.87, 0.93, 0.95])


def test_the_ten_records_of_tan_are_one_table():
    table = br.table(
        br.count(*TAN), ["tp", "fp", "tn", "fn", "tpr", "fpr"], order="ascending"
    ).transposed()
    assert table.to_dict()["columns"] == {
        "threshold": [
            0.25,
            0.43,
            0.53,
            0.76,
            0.85,
            0.87,
            0.93,
            0.95,
            "none",
        ],
        "tp": [5, 4, 4, 3, 3, 2, 2, 1, 0],
        "fp": [5, 5, 4, 4, 3, 1, 0, 0, 0],
        "tn": [0, 0, 1, 1, 2, 4, 5, 5, 5],
        "fn": [0, 1, 1, 2, 2, 3, 3, 4, 5],
        "tpr": [1.0, 0.8, 0.8, 0.6, 0.6, 0.4, 0.4, 0.2, 0.0],
        "fpr": [1.0, 1.0, 0.8, 0.8, 0.6, 0.2, 0.0, 0.0, 0.0],
    }
    page = table._repr_html_()
    assert '<th scope="row">tp</th><td>5</td><td>4</td>' in page.replace("5.0", "5")
    assert table.transposed().to_frame().shape == (9, 7)


def test_a_choice_and_its_point_have_every_measure_as_an_attribute():
    models = br.count([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8], "b": [0.1, 0.2, 0.3, 0.4]})
    choice = br.choose(models, "alerts <= 60", prior=0.3, volume=100)
    assert choice.threshold == choice.point.threshold
    for name in ("recall", "sensitivity", "ppv", "mcc", "f2", "alerts", "false_alarms"):
        assert getattr(choice, name) == getattr(choice.point, name) == choice.point[name]
    assert choice.recall == choice.point.tpr
    assert pickle.loads(pickle.dumps(choice)).ppv == copy.deepcopy(choice).ppv == choice.ppv


def test_an_attribute_that_is_no_measure_suggests_one():
    models = br.count([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8], "b": [0.1, 0.2, 0.3, 0.4]})
    choice = br.choose(models, prior=0.3)
    with pytest.raises(AttributeError, match=r'Choice has no \'recal\'.*did you mean "recall"'):
        choice.recal  # noqa: B018
    with pytest.raises(AttributeError, match="alerts needs volume"):
        choice.point.alerts  # noqa: B018
    assert not hasattr(choice, "__array__")
    assert not hasattr(choice.point, "_private")
