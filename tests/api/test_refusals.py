"""What the verbs refuse, with the code and what to write instead."""

import functools

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate.views.formats import write_sentence

Y, S = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9]
COUNTS = br.count(Y, S)
JOINT = br.count(Y, {"a": S, "b": S[::-1]})


@functools.cache
def data_frame():
    import pandas as pd

    return pd.DataFrame({"y": Y, "a": S, "b": S[::-1], "g": list("aabbcc")})


BY = br.count(Y, S, by=list("aabbcc"))
AMOUNTS = br.count(Y, S, amount=[1, 2, 3, 4, 5, 6])

REFUSED = {
    "BR408: a pair and against= are both given": lambda: br.compare(
        JOINT, pair=("a", "b"), against="a"
    ),
    "BR410: every model must be counted in the same way, got Counts and GroupedCounts": (
        lambda: br.choose({"a": COUNTS, "b": BY})
    ),
    "BR418: conditions are given twice, as at= and as costs=": lambda: br.measure(
        COUNTS, "tpr", threshold=1, at=br.Conditions(0.1), costs={"fn": 2}
    ),
    "BR419: this needs one base rate and exact costs, got base rates from 1% to 10%": (
        lambda: br.summary(COUNTS, "auprc", prior="1%..10%")
    ),
    "BR419: kind= and level= apply only to uncertain conditions": lambda: br.measure(
        COUNTS, "tpr", threshold=1, kind="varying"
    ),
    "BR419: optimize= needs one base rate": lambda: br.choose(
        COUNTS, prior="1%..10%", optimize="f1"
    ),
    "BR420: these counts are grouped to report each group": lambda: br.compare({"a": BY, "b": BY}),
    "BR421: models counted together need every case in memory": lambda: br.count(
        "a.csv", label="y", score=["a", "b"], memory="1GB"
    ),
    "BR003: a file or frame needs label= and score=": lambda: br.count(data_frame()),
    "BR003: label= names a column, and arrays are given already": lambda: br.count(
        Y, S, label="y", score="a"
    ),
    "BR003: chunks are counted within a memory limit": lambda: br.count(iter([(Y, S)])),
    "BR003: a comparison needs label= and several scores": lambda: br.compare(
        data_frame(), "auc", label="y", score="a"
    ),
    "BR429: choose needs counts, got list. Fix: choose(count(y_true, y_score), …).": (
        lambda: br.choose(Y, prior=0.1)
    ),
    'BR429: compare needs counts, got list. Fix: compare(count(y_true, {"a": scores, "b": ': (
        lambda: br.compare(Y)
    ),
    "BR410: a choice is evaluated on counts of the same models, got DataFrame. Fix: on(count(test,"
    ' label=…, score=["a", "b"])).': lambda: br.choose(JOINT).on(data_frame()),
    'BR594: "alerts <= 2" chooses the threshold of each model; what is compared there? Fix:'
    ' compare(models, "caught", rule="alerts <= 2", …).': lambda: br.compare(
        JOINT, "alerts <= 2", volume=6
    ),
    'BR594: "recall >= 0.9" chooses the threshold of each model; what is compared there? Fix:'
    ' compare(models, "specificity", rule="recall >= 0.9", …).': lambda: br.compare(
        JOINT, rule="recall >= 0.9"
    ),
    "BR201: scores are one number per case. Fix: flags(frame[column])": lambda: br.choose(
        COUNTS
    ).flags(data_frame()[["a", "b"]]),
    'BR204: y_score has 6 columns: which one? Fix: {"a": first, "b": second}': lambda: br.count(
        Y, [S, S]
    ),
    'BR418: several base rates are given where one is needed. Fix: prior="1e-06..0.0001"': (
        lambda: br.choose(COUNTS, prior=(1e-6, 1e-4))
    ),
    "BR424: by= and day= cannot be combined": lambda: br.count(Y, S, by=Y, day=Y),
    "BR424: amount= and cluster= cannot be combined": lambda: br.count(
        data_frame(), label="y", score="a", amount="b", cluster="g"
    ),
    "BR424: day= takes one score": lambda: br.count(Y, {"a": S}, day=["2026-01-01"] * 6),
    "BR002: positive= is given twice. Fix: leave pos_label= out": lambda: br.count(
        Y, S, positive=1, pos_label=1
    ),
    "BR003: weight= names a column of a file or frame, got [0.1, ": lambda: br.count(
        "a.csv", label="y", score="a", sample_weight=S
    ),
    "BR002: delimiter= has no effect on a data frame": lambda: br.count(
        data_frame(), label="y", score="a", delimiter=";"
    ),
    "BR002: tz= has no effect on arrays": lambda: br.count(Y, S, tz="UTC"),
    "BR426: these counts are grouped by day": lambda: br.choose(
        br.count(Y, S, day=["2026-01-01"] * 6)
    ),
    "BR426: a curve needs the counts of all groups": lambda: br.roc(BY),
    "BR426: a requirement is tested for each group": lambda: br.require(BY, "tpr >= 0.1"),
    "BR427: a threshold is given, so there is nothing to choose by a rule": lambda: br.choose(
        COUNTS, "tpr >= 0.5", threshold=0.5
    ),
    "BR427: a threshold is given, so optimize= has no effect": lambda: br.choose(
        COUNTS, threshold=0.5, optimize="f1"
    ),
    "BR427: an operating point has its threshold": lambda: br.measure(
        br.choose(COUNTS), "tpr", threshold=0.5
    ),
    "BR002: optimize= does not apply to amounts": lambda: br.choose(
        AMOUNTS, review=1, optimize="f1"
    ),
    "BR002: review= and recovered= need amounts": lambda: br.choose(COUNTS, review=1),
    "BR429: the data come first": lambda: br.compare("auc", JOINT),
    "BR429: curve needs counts, got list": lambda: br.curve([1, 2], "roc"),
    "BR429: these are slices of models counted together": lambda: br.compare(
        br.count(Y, {"a": S, "b": S}, by=list("aabbcc"))
    ),
    "BR003: score= names a column of a file or frame, got 5": lambda: br.count(
        data_frame(), label="y", score=5
    ),
    "BR953: rows without a label or score can be left out here, and nothing else": lambda: br.count(
        Y, S, nan_score="lowest"
    ),
    "BR002: dedupe= has no effect on arrays": lambda: br.count(Y, S, dedupe="first"),
    "BR429: table does not take GroupedCounts. Fix: table(x.total(), …).": lambda: br.table(BY),
    "BR429: table does not take Amounts. Fix: table(x.counts, …).": lambda: br.table(AMOUNTS),
    'BR429: auc takes the counts of one model, got JointCounts. Fix: summary(models, "auc")': (
        lambda: br.auc(JOINT)
    ),
    'BR531: "auc" is a summary of all thresholds, not a measure at one. Fix: summary(x, "auc").': (
        lambda: br.measure(COUNTS, "auc", threshold=0.5)
    ),
    'BR531: "recall" is a measure at a threshold, not a summary of all of them. Fix: measure(x,': (
        lambda: br.summary(COUNTS, "recall")
    ),
    "BR532: a curve of amount_cost needs review=. Fix: curve(x, ": lambda: br.curve(
        AMOUNTS, "amount_cost"
    ),
    "BR533: a measure is fixed at one value": lambda: br.fix(COUNTS, "tpr >= 0.8"),
    'BR531: there is no curve "rock"': lambda: br.curve(COUNTS, "rock"),
    "BR002: bins= has no effect on a roc curve": lambda: br.curve(COUNTS, "roc", bins=3),
    "BR002: a roc curve does not depend on base rate or costs": lambda: br.curve(
        COUNTS, "roc", prior=0.1
    ),
    "BR002: prior= has no effect along base rates": lambda: br.curve(
        COUNTS, "precision:prior", prior=0.1, threshold=0.4
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_it_is_refused_with_the_reason(text):
    with pytest.raises(br.InputError) as found:
        REFUSED[text]()
    assert str(found.value).startswith(text)
    assert "Fix: " in str(found.value)


def test_the_words_of_scikit_learn_are_those_of_count():
    weights = [1, 2, 1, 1, 3, 1]
    ours = br.count(Y, S, positive=1, weight=weights)
    assert br.count(Y, S, pos_label=1, sample_weight=weights) == ours
    assert br.count(y_true=Y, y_score=S, pos_label=1, sample_weight=weights) == ours
    frame = data_frame().assign(w=weights)
    for words in ({"positive": 1, "weight": "w"}, {"pos_label": 1, "sample_weight": "w"}):
        assert br.count(frame, label="y", score="a", **words).digest == ours.digest


def test_rows_without_a_label_or_score_are_left_out_of_arrays_as_of_frames():
    labels, scores = [0, 1, None, 0, 1, 1], [0.1, 0.9, 0.8, None, 0.7, 0.3]
    words = {"missing_label": "drop", "nan_score": "drop"}
    found = br.count(labels, scores, **words)
    assert found == br.count([0, 1, 1, 1], [0.1, 0.9, 0.7, 0.3])
    assert (found.ledger.rows_read, found.ledger.rows_used) == (6, 4)
    assert [note.code for note in found.notes][:2] == ["BR105", "BR201"]
    with pytest.raises(br.InputError, match=r"BR209|BR208.*\(index 4\)"):
        br.count(labels, [0.1, 0.9, 0.8, None, "x", 0.3], **words)
    frame = pd.DataFrame({"y": labels, "s": scores, "w": [1, 2, 3, 4, 5, 6]})
    weighted = br.count(frame, label="y", score="s", weight="w", **words)
    assert weighted.positives.tolist() == [2, 5, 6, 0]


def test_chunks_are_counted_in_every_form():
    frames = [data_frame()[:3], data_frame()[3:]]
    pairs = [(frame["y"], frame["a"]) for frame in frames]
    assert br.count(lambda: iter(pairs), memory="1GB") == COUNTS
    assert br.count(pairs, memory="1GB") == COUNTS
    assert br.count(lambda: iter(frames), label="y", score="a", memory="1GB") == COUNTS


def test_the_column_of_weights_of_a_frame_is_the_weight_of_arrays():
    weight = data_frame()["b"] + 1
    frame = data_frame().assign(w=weight)
    for score in ("a", ["a", "b"]):
        found = br.count(frame, label="y", score=score, weight="w")
        assert found == br.count(Y, frame[score], sample_weight=weight)
        assert found.weighted


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: br.count(data_frame(), "y", "a"), 'count(df, label="fraud", score="logit")'),
        (lambda: br.compare(JOINT, "a", "b"), 'compare(models, "auc", pair=("logit", "forest"))'),
        (lambda: br.fix(COUNTS, "tpr", 0.8), 'fix(counts, "tpr=80%")'),
    ],
)
def test_an_argument_too_many_names_the_call_that_was_meant(call, meant):
    with pytest.raises(TypeError, match="without a name") as found:
        call()
    assert str(found.value).endswith(meant)


def test_several_files_are_joined(tmp_path):
    for name in ("a", "b"):
        data_frame().assign(id=range(6))[["id", "y", name]].to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    assert br.count(paths, label="y", score=["a", "b"], id="id") == JOINT


def test_files_and_frames_are_counted_and_compared(tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    frame = type(data_frame())({"y": y, "a": rng.normal(y, 1), "b": rng.normal(y, 2)})
    path = tmp_path / "s.csv"
    frame.to_csv(path, index=False)
    counted = br.compare(br.count(frame, label="y", score=["a", "b"]))
    for found in (
        br.compare(frame, "auc", label="y", score=["a", "b"]),
        br.compare(path, "auc", label="y", score=["a", "b"]),
    ):
        assert found.value == pytest.approx(counted.value)
        assert found.p_value == pytest.approx(counted.p_value)


def test_conditions_are_exact_or_not():
    assert br.Conditions("0.1%").is_exact
    assert not br.Conditions("0.1%..1%").is_exact
    assert br.Conditions("0.1%..1%").has_range
    assert not br.Conditions("1e-5..1e-3 log-uniform").has_range
    assert br.Conditions("1e-5..1e-3 log-uniform").prior == br.LogUniform(1e-5, 1e-3)
    assert br.Conditions(0.1, {"fn": 100}) == br.Conditions(0.1, br.Costs(fn=100))
    assert not br.Conditions(0.1, {"fn": br.Range(50, 100)}).is_exact
    assert br.Conditions(br.Pilot(12, 5000)).middle().is_exact
    assert br.Conditions("12/5000").prior == 0.0024
    assert br.Conditions("0.05%..0.3%").prior_text == "0.05%..0.3%"


def test_the_role_of_groups_is_kept(tmp_path):
    import copy
    import pickle

    clusters = br.count(Y, S, cluster=list("aabbcc"))
    for other in (copy.copy(clusters), pickle.loads(pickle.dumps(clusters)), clusters + clusters):
        assert other.role == "cluster"
    assert clusters == BY
    clusters.save(tmp_path / "c.counts")
    assert br.load(tmp_path / "c.counts").role == ""


def test_at_every_group_the_rule_holds():
    rng = np.random.default_rng(5)
    y, site = rng.integers(0, 2, 600), rng.integers(0, 3, 600)
    groups = br.count(y, rng.normal(y, 1), by=site)
    point = br.choose(groups, "tpr >= 0.8")
    by_site = br.measure(groups, "tpr", threshold=point.threshold)
    assert min(by_site.values()) >= 0.8


def test_a_threshold_of_yours_is_an_operating_point():
    point = br.choose(COUNTS, threshold=0.35, prior=0.1)
    assert point.threshold == 0.35
    assert br.measure(point, "precision") == br.measure(
        COUNTS, "precision", threshold=0.35, prior=0.1
    )
    choice = br.choose(JOINT, threshold={"a": 0.35, "b": 0.5}, prior=0.1)
    assert choice.points["b"].threshold == 0.5
    assert choice.differences


MEANT = {
    "choose() got an unexpected keyword argument 'cost'; did you mean costs=": (
        lambda: br.choose(COUNTS, cost={"fn": 2})
    ),
    "measure() got an unexpected keyword argument 'prevalence'; did you mean prior=": (
        lambda: br.measure(COUNTS, "precision", prevalence=0.1)
    ),
    "count() got an unexpected keyword argument 'group'; did you mean by=": (
        lambda: br.count(Y, S, group=list("aabbcc"))
    ),
    "choose() got an unexpected keyword argument 'budget'; did you mean rule='alerts <= 500'": (
        lambda: br.choose(COUNTS, budget=5)
    ),
    "choose() got an unexpected keyword argument 'label'; columns are named where": (
        lambda: br.choose(data_frame(), label="y")
    ),
    "interval() got an unexpected keyword argument 'treshold'; did you mean threshold=": (
        lambda: br.interval(COUNTS, "tpr", treshold=0.5)
    ),
    "require() got an unexpected keyword argument 'x'; its keywords are ": (
        lambda: br.require(COUNTS, "tpr >= 0.5", x=1)
    ),
    "report() takes 1 argument without a name, got 2; to write the page: report(": (
        lambda: br.report(JOINT, "r.html")
    ),
}


@pytest.mark.parametrize("text", MEANT)
def test_an_argument_that_a_verb_does_not_have_is_refused_with_the_one_that_was_meant(text):
    with pytest.raises(TypeError) as found:
        MEANT[text]()
    assert str(found.value).startswith(text)


def test_a_choice_flags_the_column_of_its_model_in_a_frame():
    choice = br.choose(JOINT)
    assert (choice.flags(data_frame()) == choice.flags(data_frame()[choice.model])).all()


def test_printing_a_choice_shows_its_foremost_notes():
    for found in (br.choose(JOINT, prior=0.01), br.choose(COUNTS, prior=0.01)):
        first, *rest = str(found).splitlines()
        assert first == write_sentence(found)
        notes = [line for line in rest if line.startswith("  note BR")]
        assert any("BR526: computed for a base rate of 1%" in str(note) for note in found.notes)
        assert 1 <= len(notes) <= 3
