"""Panels as text: as wide as they may be, and in signs that the terminal has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plots.drawings import COUNTS, NAMES, OF_ANY_COUNTS, curve_of, figures, panels
from tests.strategies import cases

import baserate as br

FIRST, LAST = 0x2800, 0x28FF


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [20, 40, 72, 100])
def test_no_line_is_wider_than_asked(name, width):
    drawing = {**panels(), **figures()}[name]
    for plain in (False, True):
        text = drawing.text(width, ascii_only=plain)
        assert max(map(len, text.split("\n"))) <= width
        assert text.isascii() or not plain


@given(
    cases(both=True),
    st.sampled_from(OF_ANY_COUNTS),
    st.integers(0, 200),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_any_counts_at_any_width_have_a_drawing(data, name, width, plain):
    text = (
        br.types.Curves({"m": curve_of(name, br.count(*data, pos_label=True))})
        .plot()
        .text(width, ascii_only=plain)
    )
    assert max(map(len, text.split("\n"))) <= max(20, min(width, 100))


def dots(text):
    """Where dots are, as places between 0 and 1, read back from the braille signs; letters are left
    out.
    """
    rows = [line.split("│", 1)[1] for line in text.split("\n") if "│" in line]
    columns = max(map(len, rows))
    bits = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]
    for down, row in enumerate(rows):
        for across, sign in enumerate(row):
            if FIRST <= ord(sign) <= LAST:
                for bit, (y, x) in enumerate(bits):
                    if (ord(sign) - FIRST) >> bit & 1:
                        yield (
                            (2 * across + x + 0.5) / (2 * columns),
                            1 - (4 * down + y + 0.5) / (4 * len(rows)),
                        )


def test_dots_lie_on_the_curve():
    curve = br.roc(COUNTS)
    found = list(dots(br.plots.roc_panel(curve, chance=False).text(80)))
    assert len(found) > 100
    for x, y in found:
        low, high = np.interp([x - 0.02, x + 0.02], curve.x, curve.y)
        assert low - 0.03 <= y <= high + 0.03


def test_each_curve_has_a_letter_and_a_line_in_the_legend():
    text = br.plots.roc_panel(
        {"logit": br.roc(COUNTS), "forest": br.curve(COUNTS, "roc_hull")}
    ).text(60)
    assert text.split("\n")[-2:] == ["A  logit", "B  forest"]
    assert "A" in text.split("\n")[2:-4].__str__()


def test_a_name_that_would_steer_the_terminal_is_escaped():
    text = br.plots.roc_panel({"\x1b[31mred\u202e": br.roc(COUNTS)}, title="\x07bell").text()
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text


def test_a_diagram_without_axes_is_told_in_words():
    assert "false alarms" in figures()["tree"].text(100)
