"""Notebooks show every value as a plain table: the caption is its sentence, and nothing in it is
markup of the user's.
"""

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import baserate as br
from baserate.views.formats import write_sentence

EVIL = "<img src=x onerror=alert(1)>"
Y, S = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]


class Page(HTMLParser):
    """The tags that were opened and closed, the text of every cell, row by row, and the notes."""

    def __init__(self, text):
        super().__init__()
        self.opened, self.caption, self.rows, self.notes, self.where = [], "", [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.opened.append(tag)
        self.where = tag
        assert not [name for name, _ in attrs if name != "scope"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "li":
            self.notes.append("")

    def handle_endtag(self, tag):  # noqa: ARG002
        self.where = ""

    def handle_data(self, data):
        if self.where == "caption":
            self.caption += data
        elif self.where == "li":
            self.notes[-1] += data
        else:
            self.rows[-1][-1] += data


def page(value):
    found = Page(value._repr_html_())
    plain = {"table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert set(found.opened) <= plain
    assert found.caption == write_sentence(value)
    kinds = br.OperatingPoint | br.Interval | br.Difference | br.types.Differences | br.Curve
    shown = isinstance(value, kinds)
    assert found.notes == ([str(note) for note in value.notes] if shown else [])
    assert len({len(row) for row in found.rows}) == 1
    return found.rows


def test_counts_show_their_cells():
    assert page(br.Counts([3, 2, 1], [2, 1, 0], [0, 3, 4])) == [
        ["score", "positives", "negatives"],
        ["3", "2", "0"],
        ["2", "1", "3"],
        ["1", "0", "4"],
    ]
    assert page(br.Counts.empty()) == [["score", "positives", "negatives"]]


def test_of_many_rows_the_first_and_last_five_are_shown():
    rows = page(br.count([0, 1] * 600, np.arange(1200)))
    assert len(rows) == 12
    assert [row[0] for row in rows[1:]] == [
        "1,199",
        "1,198",
        "1,197",
        "1,196",
        "1,195",
        "…",
        "4",
        "3",
        "2",
        "1",
        "0",
    ]


def test_an_operating_point_shows_its_outcomes_and_rates_as_its_repr_does():
    point = br.choose(br.count(Y, S), "recall >= 0.9", at=br.Conditions(prior=0.01))
    shown = dict(page(point)[1:])
    assert shown == {
        "tp": "2",
        "fp": "1",
        "fn": "0",
        "tn": "1",
        **{
            name: f"{point[name]:.4g}"
            for name in ("tpr", "fpr", "precision", "npv", "posfrac", "error")
        },
    }
    daily = br.choose(br.count(Y, S), threshold=0.4, at=br.Conditions(prior=0.01), volume=1000)
    assert dict(page(daily)[1:])["alerts"] == f"{daily['alerts']:.4g}"


def test_what_is_undefined_is_a_dash_and_no_base_rate_leaves_its_measures_out():
    assert dict(page(br.choose(br.count(Y, S), threshold=None))[1:])["precision"] == "—"
    chosen = br.choose(br.count(Y, S, design="case-control"), threshold=0.4)
    assert [row[0] for row in page(chosen)[1:]] == ["tp", "fp", "fn", "tn", "tpr", "fpr"]


def test_a_curve_shows_its_columns():
    curve = br.roc(br.count(Y, S))
    rows = page(curve)
    assert rows[0] == ["score ≥", "fpr", "tpr"]
    assert rows[1] == ["none", "0", "0"]
    assert rows[2] == ["0.8", "0", "0.5"]
    along = br.curve(br.count(Y, S), "cost_threshold")
    bare = br.Curve("bare", "prior", "precision", along.x, along.y)
    assert page(bare)[0] == ["prior", "precision"]


def test_an_interval_shows_its_bounds():
    assert page(br.rate_interval(180, 200)) == [
        ["", "value", "95 %", "method"],
        ["rate", "0.9", "from 0.8506 to 0.9343", "wilson"],
    ]
    assert (
        page(br.rate_interval(0, 40_000, side="upper", method="clopper-pearson"))[1][2]
        == "at most 7.489e-05"
    )


def test_a_difference_shows_both_models_and_what_chance_explains():
    y = [1] * 60 + [0]
    joint = br.count(
        y, {EVIL: [1] * 40 + [0] * 21, "new": [0] * 40 + [1] * 20 + [0], "last": [1] * 60 + [0]}
    )
    found = br.compare(joint, "error", pair=(EVIL, "new"), threshold=1)
    assert page(found)[1][:3] == [EVIL, "new", "error"]
    rows = page(found[0])
    assert rows[0] == ["", EVIL, "new", "difference", "95 %", "p", "method"]
    assert rows[1][-2:] == ["0.0135", "mcnemar"]
    adjusted = page(br.compare(joint, "error", threshold=1)[0])
    assert adjusted[0][-2:] == ["p (Holm)", "method"]


def test_groups_models_and_confusions_are_tables_too():
    groups = br.count(Y, S, by=[EVIL, EVIL, "b", None])
    assert sorted(page(groups)[1:]) == [
        [EVIL, "0", "2", "0"],
        ["None", "1", "0", "1"],
        ["b", "1", "0", "1"],
    ]
    joint = br.count(Y, {EVIL: S, "b": [4, 3, 2, 1]})
    assert page(joint)[:2] == [[EVIL, "b", "positives", "negatives"], ["0.1", "4", "0", "1"]]
    assert page(br.Confusion(tp=40, fp=10, fn=5, tn=45)) == [
        ["", "flagged", "not flagged"],
        ["positives", "40", "5"],
        ["negatives", "10", "45"],
    ]


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\u202eb", "a & b", '"quoted"'])
def test_names_steer_neither_a_terminal_nor_a_page(name):
    joint = br.count(Y, {name: S, "b": S})
    text = joint._repr_html_()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert page(joint)[0][0] == br.errors.quoted(name, quotes=False)


def test_html_is_loaded_when_a_notebook_asks_for_it():
    code = (
        "import sys, baserate; c = baserate.count([0, 1], [1, 2]); a = 'html' in"
        " sys.modules; c._repr_html_(); print(a)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "False\n"
    )
