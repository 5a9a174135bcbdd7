"""At most three notes, those first that could change the decision most."""

import random

import pytest
from tests.cli.helpers import answered, told, written

from baserate.errors import QUIET, RANK, foremost_notes, name_models, rank_notes
from baserate.types import Note

FIELD = ("--prior", "1%")


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    rng = random.Random("notes")
    rows = [(int(i < 60), *(f"{rng.gauss(i < 60, 1):.3f}" for _ in "abc")) for i in range(900)]
    return written(tmp_path_factory.mktemp("notes") / "scores.csv", ("y", "a", "b", "c"), rows)


def columns(*names):
    return ("--label", "y", *(word for name in names for word in ("--score", name)))


def lines(done):
    return done.err.splitlines()


def test_three_notes_are_printed_and_the_others_are_counted(scores, capsys):
    words = ("choose", scores, *columns("a", "b", "c"), *FIELD)
    shown, every = lines(told(capsys, *words)), lines(told(capsys, *words, "--notes"))
    assert len(shown) == 4
    assert all(line.startswith("note BR") for line in shown[:3])
    assert shown[3] == f"{len(every) - 3} more notes: --notes"
    assert set(shown[:3]) <= set(every)


def test_json_has_every_note_with_and_without_notes(scores, capsys):
    words = ("choose", scores, *columns("a", "b", "c"), *FIELD)
    plain, every = answered(capsys, *words), answered(capsys, *words, "--notes")
    assert plain == every
    printed = lines(told(capsys, *words, "--notes"))
    assert len(plain["notes"]) >= len(printed) > 3


def test_a_plain_show_of_scores_that_are_no_probabilities_prints_no_note(scores, capsys):
    assert lines(told(capsys, "show", scores, *columns("a"))) == ["1 note: --notes"]
    (line,) = lines(told(capsys, "show", scores, *columns("a"), "--notes"))
    assert line.startswith("note BR203")


def test_notes_are_ranked_and_the_same_of_several_models_is_one():
    notes = [
        Note("BR203", "scores span 0 to 9"),
        Note("BR526", "read at prior 0.01"),
        name_models(Note("BR505", "no false positive"), ("a",)),
        Note("BR599", "cases that only one model has right"),
        name_models(Note("BR505", "no false positive"), ("b",)),
        Note("BR528", "the same data"),
    ]
    assert [(note.code, note.text) for note in rank_notes(notes)] == [
        ("BR505", '"a", "b": no false positive'),
        ("BR528", "the same data"),
        ("BR526", "read at prior 0.01"),
        ("BR599", "cases that only one model has right"),
        ("BR203", "scores span 0 to 9"),
    ]


def test_one_note_of_each_kind_and_no_quiet_one_is_foremost():
    notes = [Note("BR505", f"fpr {i}") for i in range(5)] + [Note(code, "x") for code in QUIET]
    assert [note.text for note in foremost_notes(notes)] == ["fpr 0"]


def test_what_the_ranking_names_are_notes():
    with open("docs/reference/codes.md") as page:
        kinds = {
            row[1].strip(): row[2].strip()
            for row in (line.split("|") for line in page)
            if len(row) > 3
        }
    assert {*RANK, *QUIET} <= {*kinds}
    assert len({*RANK, *QUIET}) == len((*RANK, *QUIET))
