"""Results are complete before they are shown: whatever copies a result shows the same intervals."""

import copy
import pickle

import pytest

import baserate as br
from baserate.decisions.operating_point import measures_shown
from baserate.decisions.selection import Answer, settings_of
from baserate.inference.intervals import (
    IntervalOptions,
    auc_intervals,
    with_intervals,
)
from baserate.reports.content import of_contents
from baserate.views import document, segment_tables, tables

A = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
B = br.Counts([0.8, 0.5, 0.2], positives=[25, 20, 5], negatives=[20, 60, 920])
MODELS = {"a": A, "b": B}
AT = br.Conditions(prior="1%", costs=br.Costs(fp=1, fn=50))
COPIES = pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))],
    ids=["copied", "deep-copied", "unpickled"],
)


def answered(**options):
    return [Answer(AT, br.choose(MODELS, at=AT, volume=10_000, **options))]


def shown(answers):
    """What a program and a person see of the answers."""
    settings = settings_of(MODELS, answers)
    aucs = auc_intervals(MODELS)
    verdict = [document.of_choice(answer.choice) for answer in answers]
    parts = document.of_models("choose", MODELS, settings, [AT], [], aucs=aucs, verdict=verdict)
    rows = [
        tables.Row(name, answer.at, point)
        for answer in answers
        for name, point in answer.choice.points.items()
    ]
    rows = tables.with_baselines(rows, answers)
    return document.text(parts), str(tables.of_intervals(rows, "here"))


@COPIES
@pytest.mark.parametrize("options", [{"intervals": "fixed"}, {"replicates": 200}])
def test_a_copied_choice_shows_the_same_intervals(copied, options):
    answers = answered(level=0.9, **options)
    point = answers[0].choice.point
    assert set(point.intervals) == set(measures_shown(point))
    assert {one.level for one in point.intervals.values()} == {0.9}
    text, table = shown(answers)
    assert "90 % intervals" in table
    assert shown(copied(answers)) == (text, table)
    again = copied(answers[0]).choice.point
    assert again.intervals == point.intervals
    assert again == point


@COPIES
def test_a_copied_report_has_the_same_document(copied):
    report = br.report(MODELS, at=AT, level=0.9)
    assert of_contents(copied(report.contents)) == report.document


@COPIES
def test_copied_slices_show_the_same_intervals(copied):
    found = br.segments.by_group({"x": A, "y": B}, threshold=0.6, at=AT)
    content = segment_tables.slices_as_json(found)
    assert {*content["groups"][0]["point"]["intervals"]} == {"tpr", "tnr", "precision", "npv"}
    assert segment_tables.slices_as_json(copied(found)) == content
    assert found["x"].point.intervals == found["x"].intervals


def test_the_same_point_asked_for_twice_may_have_intervals_at_two_levels():
    point = br.choose(A, at=AT, intervals=None)
    wide, narrow = (with_intervals(point, IntervalOptions(level)) for level in (0.99, 0.5))
    assert wide == narrow == point
    assert wide.intervals["tpr"].width > narrow.intervals["tpr"].width
    assert not point.intervals


def test_intervals_of_a_fixed_point_are_those_of_interval():
    point = with_intervals(br.choose(A, at=AT))
    for name in ("tpr", "fpr", "precision", "expected_cost"):
        assert point.intervals[name] == br.interval(point, name)


def test_a_setting_moved_to_other_cases_has_the_intervals_of_those():
    there = br.choose(A, at=AT).on(B)
    assert there.intervals["tpr"] == br.interval(there, "tpr")
    assert not br.choose(A, at=AT, intervals=None).on(B).intervals
