"""Panels as SVG: whole XML, readable by those who cannot see it, and no place where a user's text
could act.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plots.drawings import (
    AT,
    COUNTS,
    NAMES,
    OF_ANY_COUNTS,
    SVG,
    curve_of,
    figures,
    panels,
    read,
    texts,
)
from tests.strategies import cases

import baserate as br
from baserate.plots import Line, Marks, Panel, Style, Words, linear_axis, series_style
from baserate.plots.panels import DARK, PALETTE, label_lines

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]>",
    "&lt;&amp;",
    "\x00clip\x00",
    "@clip@",
    "a\u202eb",
    "\ud800",
    "\ufffe",
    "x" * 500,
    "{CLIP}",
    "',alert(1),'",
    "javascript:alert(1)",
    "日本語",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_xml_with_a_title_and_a_description(name):
    svg = {**panels(), **figures()}[name].svg()
    tree = read(svg)
    named = {
        element.get("id"): element.text
        for element in tree
        if element.tag in (f"{SVG}title", f"{SVG}desc")
    }
    assert tree.get("role") == "img"
    assert tree.get("aria-labelledby").split() == list(named)
    assert all(named.values())
    assert svg.count("http") == 1  # the name space, which nobody loads


@given(
    cases(both=True),
    st.sampled_from(OF_ANY_COUNTS),
)
@settings(max_examples=120, deadline=None)
def test_any_counts_have_a_drawing_without_a_hole_in_it(data, name):
    svg = br.types.Curves({"m": curve_of(name, br.count(*data, pos_label=True))}).plot().svg()
    read(svg)
    assert not re.search(r"[\s\"LM-](nan|inf)\b", re.sub(r"<(title|desc|text).*?</\1>", "", svg))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_user_named_is_text_wherever_it_stands(text):
    axis = linear_axis(text)
    panel = Panel(
        text,
        axis,
        axis,
        (Line((0, 1), (0, 1), text), Marks((0.5,), (0.5,), text), Words(0.5, 0.5, text)),
        text,
    )
    for drawing in (panel, br.plots.Figure(text, (panel, panel))):
        tree = read(drawing.svg())
        ids = [element.get("id") for element in tree.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
    shown = "".join(texts(panel.svg()))
    assert "\u202e" not in shown
    assert "\x00" not in shown
    if len(text) < 50 and text.isprintable():
        assert text in texts(panel.svg())


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_name_is_drawn_as_text(name):
    read(br.plots.roc_panel({name: br.roc(COUNTS)}, title=name).svg())


def test_clips_of_two_figures_on_one_page_have_different_names():
    one, other = panels()["roc"].svg(), panels()["pr"].svg()
    assert not set(re.findall(r'id="(\S+?)"', one)) & set(re.findall(r'id="(\S+?)"', other))
    assert one == panels()["roc"].svg()


def test_each_curve_is_named_and_one_in_the_legend_shows_its_dash():
    svg = br.plots.roc_panel(
        {"logit": br.roc(COUNTS), "forest": br.curve(COUNTS, "roc_hull")}
    ).svg()
    named = [text for text in texts(svg) if text in ("logit", "forest", "guessing")]
    assert sorted(named) == ["forest", "guessing", "logit"]
    # Guessing and the second curve, each drawn; only the curve, which lies on the first, is in the
    # legend.
    assert svg.count('stroke-dasharray="7 4"') == 3


def test_a_straight_run_is_two_points_however_many_were_given():
    panel = Panel(
        "",
        linear_axis("x"),
        linear_axis("y"),
        (Line([i / 1000 for i in range(1001)], [0.5] * 1001, "", Style("blue")),),
    )
    (path,) = [
        element.get("d")
        for element in read(panel.svg()).iter(f"{SVG}path")
        if element.get("stroke") == PALETTE["blue"]
    ]
    assert path.endswith("l300 0")


def test_a_mark_on_the_frame_is_drawn_and_one_beyond_it_is_not():
    panel = Panel(
        "",
        linear_axis("x"),
        linear_axis("y"),
        (Marks((0.0, 1.0, 1.4, float("nan")), (0.5, 1.0, 0.5, 0.5)),),
    )
    assert len(list(read(panel.svg()).iter(f"{SVG}circle"))) == 2


def test_holes_break_a_line():
    panel = Panel(
        "",
        linear_axis("x"),
        linear_axis("y"),
        (Line((0, 0.2, 0.4, 0.6, 0.8), (0, 0.1, float("nan"), 0.3, 0.9), "", Style("blue")),),
    )
    (path,) = [
        element.get("d")
        for element in read(panel.svg()).iter(f"{SVG}path")
        if element.get("stroke") == PALETTE["blue"]
    ]
    assert path.count("M") == 2


@pytest.mark.parametrize("colour", PALETTE)
def test_text_of_every_colour_can_be_read_on_white(colour):
    """A contrast of 4.5 by the definition of WCAG 2."""
    red, green, blue = (
        int(DARK.get(colour, PALETTE[colour])[i : i + 2], 16) / 255 for i in (1, 3, 5)
    )
    light = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)
    ]
    assert 1.05 / (0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 0.05) >= 4.5


def test_a_panel_shows_itself_in_a_notebook_and_saves_itself(tmp_path):
    panel = br.plots.curve_panel(br.pr(COUNTS, at=AT))
    assert panel._repr_svg_() == panel.svg()
    path = tmp_path / "pr.svg"
    panel.save(str(path))
    assert path.read_text() == panel.svg()
    with pytest.raises(br.InputError, match="BR801: .*pr.svg: exists"):
        panel.save(str(path))
    panel.save(str(path), force=True)


def rising(power):
    steps = [i / 100 for i in range(101)]
    return steps, [step**power for step in steps]


def test_names_stand_beside_their_lines_and_leave_the_legend():
    lines = [
        Line(*rising(power), name, series_style(i))
        for i, (power, name) in enumerate(((0.3, "upper"), (1, "middle"), (3, "lower")))
    ]
    panel = Panel("", linear_axis("x"), linear_axis("y"), tuple(lines))
    found = label_lines(panel, 300, 300)
    assert set(found) == {"upper", "middle", "lower"}
    for line in lines:
        spot, wide = found[line.name], 6.9 * len(line.name)
        away = {}
        for other in lines:
            x, y = 300 * np.array(other.x), 300 - 300 * np.array(other.y)
            beside = np.maximum(np.maximum(spot[0] - x, x - spot[0] - wide), 0)
            away[other.name] = np.hypot(beside, y - spot[1]).min()
        assert min(away, key=away.get) == line.name
    svg = panel.svg()
    assert svg.count("<text") == 2 + 6 + 6 + 3
    assert svg.count('stroke-width="2"') == 3


def test_names_that_no_place_is_clear_for_stay_in_the_legend():
    lines = [
        Line(*rising(power), f"model {i}", series_style(i)) for i, power in enumerate((1, 1.01))
    ]
    panel = Panel("", linear_axis("x"), linear_axis("y"), tuple(lines))
    assert label_lines(panel, 300, 300) == {}
    assert [text for text in ("model 0", "model 1") if f">{text}</text>" in panel.svg()] == [
        "model 0",
        "model 1",
    ]
