"""tools/against_reference.py: both sides answer, and a difference is found."""

import importlib
import json
import sys

import pytest
from tools import against_reference as tool

# Two of each: what is counted and read most, without formats and libraries that load slowly.
KINDS = ("arrays", "csv", "choose", "choose over a range", "measure", "interval", "compare")
REFUSED = ("refused arrays", "refused csv", "refused choice")
CHANGED = """
import current_adapter
from current_adapter import br, describe_error

def answer_request(request, folder):
    answers = current_adapter.answer_request(request, folder)
    if request["seed"] == 99:
        answers["choice.tpr"] *= 1 + 1e-9
    return answers
"""


@pytest.fixture
def pair(monkeypatch, tmp_path):
    """Both sides are the sources here; the first one changes an answer about seed 99."""
    (tmp_path / "changed_adapter.py").write_text(CHANGED)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    pair = tool.open_pair(sys.executable, "changed_adapter")
    yield pair
    pair.close()


def test_a_package_answers_like_itself_but_for_what_was_changed(pair):
    requests = [tool.draw_request(kind, seed) for kind in (*KINDS, *REFUSED) for seed in (7, 8)]
    report = tool.ask_all([pair], requests, [])
    assert report.differences == []
    assert report.requests.total() == 20
    answers = pair.ask(tool.draw_request("choose a model", 7))
    assert not {"error", "refusal"} & answers[1].keys()
    assert len(answers[1]) > 50
    (found,) = tool.ask_all([pair], [tool.draw_request("choose", 99)], []).differences
    assert (found.answer, found.category, found.replay) == ("choice.tpr", "number", "choose/99")


def test_every_kind_of_request_has_an_answer_in_both_adapters():
    drawn = [tool.draw_request(kind, seed) for kind in tool.KINDS for seed in range(9)]
    verbs = {request["verb"] for request in drawn}
    for adapter in ("reference_adapter", "current_adapter"):
        assert verbs == set(importlib.import_module(adapter).ANSWERS)


def compared(reference, current):
    request = {"kind": "choose", "seed": 1, "arguments": {"mix": True}}
    return [(one.answer, one.category) for one in tool.compare_answers(request, reference, current)]


@pytest.mark.parametrize(
    ("reference", "current", "expected"),
    [
        ({"tpr": 0.1}, {"tpr": 0.1 * (1 + 1e-14)}, []),
        ({"tpr": 0.1}, {"tpr": 0.1 * (1 + 1e-10)}, [("tpr", "number")]),
        ({"model": "a"}, {"model": "b"}, [("model", "text")]),
        ({"threshold": None}, {"threshold": 0.5}, [("threshold", "text")]),
        ({"a.notes": "BR1"}, {"a.notes": ""}, [("a.notes", "notes")]),
        ({"tpr": 1}, {}, [("tpr", "only in the reference")]),
        ({}, {"tpr": 1}, [("tpr", "only in the current package")]),
    ],
)
def test_numbers_texts_and_notes_are_compared(reference, current, expected):
    assert compared(reference, current) == expected


def refusal(code, text="no"):
    return {"refusal": code, "refusal text": text}


@pytest.mark.parametrize(
    ("reference", "current", "expected"),
    [
        (refusal("BR1"), refusal("BR1"), []),
        (refusal("BR1"), refusal("BR2"), [("refusal", "another code")]),
        (refusal("BR1"), refusal("BR1", "n."), [("refusal", "another text of a refusal")]),
        ({"tpr": 1}, refusal("BR1"), [("refusal", "refused now")]),
        (refusal("BR1"), {"tpr": 1}, [("refusal", "answered now")]),
        ({"tpr": 1}, {"error": "KeyError", "error text": "x"}, [("error", "error")]),
    ],
)
def test_refusals_are_compared_by_code_and_text(reference, current, expected):
    assert compared(reference, current) == expected


def test_resampled_ends_may_differ_by_monte_carlo_error():
    interval = {"i.value": 0.5, "i.low": 0.4, "i.high": 0.6, "i.replicates": 2000}
    assert compared(interval, {**interval, "i.low": 0.405}) == []
    assert compared(interval, {**interval, "i.low": 0.43}) == [("i.low", "resampled number")]
    closed = {**interval, "i.replicates": 0}
    assert compared(closed, {**closed, "i.low": 0.405}) == [("i.low", "number")]


def test_another_threshold_of_equal_value_is_named_so():
    point = {"p.threshold": 1, "p.tpr": 0.5, "p.objective": "f1", "p.objective_value": 0.3}
    other = {**point, "p.threshold": 2, "p.tpr": 0.6}
    equal = "another point of equal value"
    assert compared(point, other) == [("p.threshold", equal), ("p.tpr", equal)]
    worse = {**other, "p.objective_value": 0.29}
    assert {category for _, category in compared(point, worse)} == {"number"}


def test_a_point_that_flags_nothing_must_regret_no_more():
    outcomes = dict(zip(("p.tp", "p.fp", "p.fn", "p.tn"), (2, 1, 3, 9), strict=True))
    point = {"p.threshold": 1, **outcomes, "p.regret.value": 0.3}
    nothing = {"p.threshold": None, "p.tp": 0, "p.fp": 0, "p.fn": 5, "p.tn": 10}
    extreme = "a point that flags nothing or everything, and regrets no more"
    assert {one for _, one in compared(point, {**nothing, "p.regret.value": 0.2})} == {extreme}
    assert extreme not in {one for _, one in compared(point, {**nothing, "p.regret.value": 0.4})}


@pytest.mark.parametrize(("value", "is_tie"), [(0.3, True), (0.31, False)])
def test_models_that_are_equally_good_may_both_be_the_best(value, is_tie):
    points = {
        "choice.points.a.objective_value": 0.3,
        "choice.points.b.objective_value": value,
    }
    one = {**points, "choice.models.length": 1, "choice.models.0": "a"}
    both = {**points, "choice.models.length": 2, "choice.models.0": "a", "choice.models.1": "b"}
    categories = {category for _, category in compared(one, both)}
    assert (categories == {"another point of equal value"}) == is_tie


def test_accepted_differences_are_matched_by_patterns(tmp_path):
    path = tmp_path / "differences.toml"
    path.write_text(
        '[[difference]]\nkind = "choose*"\ncategory = "refused now"\ncurrent = "no mix*"\n'
        'where = { "arguments.mix" = "True" }\nreason = "removed"\nissue = "Cut first"\n'
    )
    (entry,) = tool.read_accepted(path)
    request = {"kind": "choose", "seed": 1, "arguments": {"mix": True}}
    differences = tool.compare_answers(request, {"tpr": 1}, refusal("BR1", "no mix here"))
    assert tool.split_accepted(differences, [entry]) == ([], 1)
    assert entry.matched == 1
    other = {**request, "arguments": {}}
    differences = tool.compare_answers(other, {"tpr": 1}, refusal("BR1", "no mix here"))
    assert tool.split_accepted(differences, [entry]) == (differences, 0)


def test_requests_are_data_and_follow_from_their_seed():
    for kind in tool.KINDS:
        request = tool.draw_request(kind, 3)
        assert json.loads(json.dumps(request)) == request == tool.draw_request(kind, 3)
