"""Comparisons that cannot come out are refused, and those that can are not."""

import pytest

import baserate as br

JOINT = br.count(
    [0, 1, 0, 1, 1, 0],
    {"a": [0.1, 0.8, 0.3, 0.6, 0.7, 0.2], "b": [0.2, 0.9, 0.4, 0.5, 0.6, 0.3]},
)
MODELS = {"baseline": "a", "candidate": "b"}


@pytest.mark.parametrize(
    ("threshold", "flagged"),
    [
        (0.0, "everything"),
        ({"a": 0.1, "b": 0.2}, "everything"),
        (2.0, "nothing"),
        ({"a": 0.85, "b": 0.95}, "nothing"),
    ],
)
def test_models_that_both_flag_the_same_for_all_cases_are_not_compared(threshold, flagged):
    with pytest.raises(br.InputError, match=f"BR596: both models flag {flagged}"):
        br.non_inferiority(JOINT, threshold=threshold, **MODELS)


@pytest.mark.parametrize(
    "threshold", [{"a": 0.0, "b": 2.0}, {"a": 0.1, "b": 0.5}, {"a": 0.5, "b": 0.95}, 0.8, 0.2]
)
def test_where_one_of_them_tells_cases_apart_or_they_differ_they_are_compared(threshold):
    found = br.non_inferiority(JOINT, threshold=threshold, **MODELS)
    assert len(found.parts) == 1
