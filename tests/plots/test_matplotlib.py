"""Panels on axes of matplotlib, where it is installed."""

import subprocess
import sys

import numpy as np
import pytest
from tests.plots.drawings import AT, COUNTS, NAMES, figures, panels

import baserate as br


@pytest.fixture
def plt():
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


@pytest.mark.parametrize("name", NAMES)
def test_every_panel_is_drawn(plt, name):
    drawing = {**panels(), **figures()}[name]
    for panel in drawing.panels if isinstance(drawing, br.plots.Figure) else (drawing,):
        ax = panel.matplotlib(plt.subplots()[1])
        assert ax.get_xlabel() == panel.x.label
        assert ax.get_xlim() == pytest.approx((panel.x.low, panel.x.high))
        assert len(ax.get_legend_handles_labels()[1]) == len(panel.legend)
        assert [tick.get_text() for tick in ax.get_xticklabels()] == [
            text for _, text in panel.x.ticks
        ]
        ax.figure.canvas.draw()


def test_lines_hold_the_numbers_of_the_panel(plt):
    panel = br.plots.curve_panel({"m": br.pr(COUNTS, at=AT)})
    ax = panel.matplotlib(plt.subplots()[1])
    (line,) = [line for line in ax.lines if line.get_label() == "m"]
    (ours,) = [part for part in panel.parts if getattr(part, "name", "") == "m"]
    np.testing.assert_array_equal(line.get_xydata(), np.stack((ours.x, ours.y), axis=1))


@pytest.mark.parametrize(
    "result",
    [
        br.broc(COUNTS, at=AT),
        br.curve({"a": COUNTS, "b": COUNTS}, "gain"),
        br.choose({"a": COUNTS}, at=AT),
        br.choose(COUNTS, at=AT),
    ],
    ids=["curve", "curves", "choice", "point"],
)
def test_a_result_draws_its_panel_on_the_axes_given(plt, result):
    ax = plt.subplots()[1]
    panel = result.plot(ax=ax)
    assert panel == result.plot()
    assert ax.get_xlabel() == panel.x.label
    assert len(ax.get_legend_handles_labels()[1]) == len(panel.legend)


def test_names_are_text_and_not_mathematics(plt):
    ax = br.plots.roc_panel(
        {"$x$": br.roc(COUNTS), "_m": br.curve(COUNTS, "roc_hull")}, title="$\\frac{"
    ).matplotlib(plt.subplots()[1])
    ax.figure.canvas.draw()
    assert len(ax.get_legend_handles_labels()[1]) == 3


def test_what_is_no_axes_is_refused():
    with pytest.raises(br.InputError, match="BR650: ax must be axes of matplotlib, got .int."):
        panels()["roc"].matplotlib(3)


def test_drawing_as_svg_and_as_text_loads_no_matplotlib():
    code = (
        "import sys, baserate as br; p = br.plots.roc_panel(br.roc(br.count([0, 1], [0, 1])));"
        " p.svg(); p.text(); print('matplotlib' in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "False"
    )
