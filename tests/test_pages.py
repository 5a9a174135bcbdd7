"""Tables and paragraphs keep every cell, whatever the width of the page."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate.atomic import NARROWEST, Page, fit_to_width
from baserate.extend import Grid

cells = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
words = st.lists(cells, min_size=1, max_size=3).map(" ".join)


@st.composite
def grids(draw):
    columns = draw(st.integers(1, 6))
    row = st.lists(words, min_size=columns, max_size=columns)
    return Grid(
        draw(row),
        draw(st.lists(row, min_size=1, max_size=4)),
        draw(st.integers(0, min(2, columns))),
    )


@given(grids(), st.integers(NARROWEST, 120))
def test_no_cell_is_lost_and_no_line_is_wider_unless_one_cell_is(grid, width):
    text = fit_to_width(grid, width)
    flat = "".join(text.split())
    assert all("".join(cell.split()) in flat for cell in itertools.chain(*grid.rows))
    longest = max(len(cell) for cell in (*grid.headings, *itertools.chain(*grid.rows))) + 4
    titles = max(len(", ".join(row[: grid.left])) for row in grid.rows)
    assert max(map(len, text.split("\n"))) <= max(width, longest, titles)


@given(grids())
def test_a_table_that_fits_is_left_alone(grid):
    assert fit_to_width(grid, 10_000) == str(grid)


def test_headings_are_folded_before_rows_are():
    grid = Grid(("model", "base rate (prior)", "false alarm rate"), [("m", "0.02", "0.1")])
    assert (
        str(grid)
        == "model  base rate (prior)  false alarm rate\nm                   0.02               0.1"
    )
    assert [line.split() for line in fit_to_width(grid, 24).split("\n")] == [
        ["base", "false"],
        ["rate", "alarm"],
        ["model", "(prior)", "rate"],
        ["m", "0.02", "0.1"],
    ]
    assert fit_to_width(grid, 20) == "m\n  base rate (prior)\n    0.02\n  false alarm rate\n    0.1"


def test_a_table_of_words_stands_below_its_first_word_and_words_stay_in_their_column():
    grid = Grid(
        ("claim", "says", "verdict"), [("one", "a sentence of some words", "holds")], left=3
    )
    assert (
        fit_to_width(grid, 24)
        == "one\n  says     a sentence of\n           some words\n  verdict  holds"
    )


def test_a_page_is_its_blocks_and_each_is_fitted():
    page = Page("one two three four five six", Grid(("a", "b"), [("1", "2")]))
    assert page == "one two three four five six\n\na  b\n1  2"
    assert fit_to_width(page, 20) == "one two three four\nfive six\n\na  b\n1  2"


@pytest.mark.parametrize("width", [0, 1, -5, NARROWEST])
def test_a_terminal_without_width_is_the_narrowest(width):
    assert fit_to_width("word " * 10, width) == fit_to_width("word " * 10, NARROWEST)
