"""Several models on the same cases."""

import pickle

import numpy as np
import pytest

import baserate as br
from baserate.read.cases import check_named

Y = [0, 0, 1, 1, 1]
MODELS = {"logit": [0.1, 0.4, 0.35, 0.8, 0.8], "forest": [0, 1, 1, 3, 3]}


def assert_refused(match, call, code):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


def test_joint_counts_keep_each_model_and_the_pairing():
    joint = br.count(Y, MODELS)
    assert repr(joint) == "JointCounts: 2 models (logit, forest), 3 positives, 2 negatives, 5 cells"
    assert joint.marginal("logit") == br.count(Y, MODELS["logit"])
    assert {name: joint[name] for name in joint} == {
        name: br.count(Y, scores) for name, scores in MODELS.items()
    }
    assert joint.marginal("forest").scores.dtype == np.int64
    assert joint.prior == 0.6
    assert joint.canonical().positives.tolist() == [2, 0, 1, 0]


def test_joint_counts_know_one_zero():
    for zero in (-0.0, np.float32(-0.0)):
        joint = br.count([0, 1], {"m": np.array([zero, 1.0], dtype=type(zero))})
        assert not np.signbit(joint.scores["m"]).any()
        assert joint.scores["m"].dtype == np.float64
        assert joint.digest == br.count([0, 1], {"m": [0.0, 1.0]}).digest
    grouped = br.count([0, 1], [-0.0, 0.0], by=["a", "a"], sample_weight=[0.5, 0.25])
    assert grouped["a"].scores.tolist() == [0.0]
    assert not np.signbit(grouped["a"].scores).any()


def test_joint_counts_of_some_models_keep_the_cases_and_their_pairing():
    joint = br.count(Y, MODELS)
    assert joint.only(["forest"]) == br.count(Y, {"forest": MODELS["forest"]})
    assert joint.only(["forest", "logit"]).marginal("logit") == joint.marginal("logit")


def test_counts_that_were_made_already_are_not_made_again():
    joint, known = br.count(Y, MODELS), br.count(Y, MODELS["logit"])
    assert joint.counted_as({"logit": known}).marginal("logit") is known


def test_joint_counts_add_up_and_compare_by_value():
    first, second = (
        br.count(Y[:2], {k: v[:2] for k, v in MODELS.items()}),
        br.count(Y[2:], {k: v[2:] for k, v in MODELS.items()}),
    )
    whole = br.count(Y, MODELS)
    assert first + second == second + first == whole
    assert hash(first + second) == hash(whole)
    assert len((first + second).positives) == 5
    assert whole != first
    assert whole != "joint"
    assert (first + second).ledger == whole.ledger
    assert pickle.loads(pickle.dumps(whole)) == whole


def test_joint_counts_of_no_cases_add_to_any_type():
    big = br.count([0, 1], {"m": [2**53, 2**53 + 1]})
    for nothing in (
        br.count([], {"m": []}),
        br.count([], {"m": []}, sample_weight=[]),
    ):
        assert nothing + big == big + nothing == big
    mixed = br.count(Y, MODELS) + br.count(
        [0], {"logit": [1], "forest": [0.5]}, sample_weight=[0.5]
    )
    assert mixed.marginal("logit") == br.count(Y, MODELS["logit"]) + br.count(
        [0], [1.0], sample_weight=[0.5]
    )
    empty = br.count([], {"logit": [], "forest": []})
    assert (empty + br.count(Y, MODELS)).digest == br.count(Y, MODELS).digest
    assert repr(empty.prior) == "nan (no cases)"


def test_joint_counts_may_be_weighted():
    joint = br.count(Y, MODELS, sample_weight=[0.5, 1, 2, 0.25, 0.25])
    assert (
        repr(joint)
        == "JointCounts: 2 models (logit, forest), weight 2.5 positive, 1.5 negative, 5 cells"
    )
    assert joint.marginal("logit") == br.count(
        Y, MODELS["logit"], sample_weight=[0.5, 1, 2, 0.25, 0.25]
    )
    assert [note.code for note in br.count(Y, MODELS, sample_weight=[1, 2, 1, 2, 2]).notes] == [
        "BR306"
    ]


def test_a_label_note_travels_with_joint_counts():
    joint = br.count(["no", "yes"], {"m": [1, 2]})
    assert [note.code for note in joint.notes] == ["BR101"]
    assert "BR101" in [note.code for note in joint.marginal("m").notes]


def test_joint_counts_are_frozen():
    joint = br.count(Y, MODELS)
    with pytest.raises(AttributeError, match="JointCounts is frozen"):
        joint.scores = {}
    with pytest.raises(ValueError, match="read-only"):
        joint.positives[0] = 7
    with pytest.raises(TypeError, match="does not support item assignment"):
        joint.scores["logit"] = np.zeros(5)
    with pytest.raises(TypeError, match="made by count"):
        br.JointCounts()


def test_what_does_not_fit_is_refused():
    joint = br.count(Y, MODELS)
    assert_refused('no model "svm".*"logit", "forest"', lambda: joint.marginal("svm"), "BR408")
    assert_refused(
        "models differ", lambda: joint + br.count(Y, {"logit": MODELS["logit"]}), "BR409"
    )
    huge = br.count(Y, {**MODELS, "logit": [2**53 + 1] * 5})
    assert_refused("without merging some", lambda: joint + huge, "BR409")
    assert_refused("by name", lambda: br.count(Y, {}), "BR410")
    assert_refused("by name", lambda: check_named([1, 2]), "BR410")
    assert_refused("not text", lambda: br.count(Y, {1: MODELS["logit"]}), "BR410")
    assert_refused('lengths differ: y_true 5, "m" 2', lambda: br.count(Y, {"m": [1, 2]}), "BR212")
    with pytest.raises(TypeError, match="unsupported operand"):
        joint + 1


def test_joint_counts_are_saved_in_canonical_form(tmp_path):
    joint = br.count(Y, MODELS)
    joint.save(tmp_path / "a.counts")
    turned = br.count(Y[::-1], {k: v[::-1] for k, v in reversed(MODELS.items())})
    turned.save(tmp_path / "b.counts")
    assert (tmp_path / "a.counts").read_bytes() == (tmp_path / "b.counts").read_bytes()
    back = br.load(tmp_path / "a.counts")
    assert back == joint
    assert back.marginal("logit") == joint.marginal("logit")
    assert back.ledger == joint.ledger
