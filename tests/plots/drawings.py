"""What tests of pictures share: counts, every panel of them, and SVG read back."""

import functools
import xml.etree.ElementTree as ET

import numpy as np

import baserate as br
from baserate.curves.named import CURVES, cost_curve
from baserate_studies import drawings

COUNTS = br.Counts(
    [0.9, 0.7, 0.5, 0.3, 0.1], positives=[30, 25, 20, 15, 10], negatives=[1, 9, 90, 200, 700]
)
AT = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=20))
# These are curves of scores that are probabilities; every other one is of any counts.
OF_ANY_COUNTS = [name for name in CURVES if name not in ("brier", "decision", "reliability")]
SVG = "{http://www.w3.org/2000/svg}"
FIGURES = (
    *("isolines", "angles", "mapping", "strips", "difference", "sweep", "reliability"),
    *("histogram", "densities", "scatter", "tree", "map"),
)
# What is drawn, by name: a list that costs nothing while tests are collected.
NAMES = [*CURVES, *FIGURES]


def curve_of(name, counts, at=AT):
    entry = CURVES[name]
    return entry.make(counts, at=at) if entry.conditions else entry.make(counts)


@functools.cache
def panels():
    """A panel of every named curve, with the name of the curve."""
    return {name: br.types.Curves({"model": curve_of(name, COUNTS)}).plot() for name in CURVES}


@functools.cache
def figures():
    """Every other figure that there is."""
    x = np.linspace(-3, 3, 50)
    bump = np.exp(-x * x / 2)
    y, a, b = [0] * 60 + [1] * 40, list(range(100)), [*range(20, 80), *range(60, 100)]
    joint = br.count(y, {"a": a, "b": b})
    roc = br.roc(COUNTS)
    made = {
        "isolines": br.plots.roc_panel(
            roc,
            isolines=[
                br.curves.isoline("precision", AT, value=0.5),
                br.curves.isoline("npv", AT, value=0.999),
            ],
        ),
        "angles": drawings.isoline_figure("npv", [AT]),
        "mapping": drawings.broc_mapping_figure(AT, roc),
        "strips": drawings.strips_panel(roc, br.curves.strip_weights(5, 0.5)),
        "difference": br.plots.difference_panel(
            br.curves.difference_band(joint, cost_curve, x=[0.2, 0.5, 0.8])
        ),
        "sweep": br.plots.curve_panel(br.curve(COUNTS, "precision:prior", threshold=0.5)),
        "reliability": br.plots.curve_panel(br.curve(COUNTS, "reliability", bins=5)),
        "histogram": br.plots.histogram_panel(COUNTS, bins=4, threshold=0.5),
        "densities": drawings.density_panel(
            x, {"positive": bump, "negative": bump[::-1]}, threshold=0.0
        ),
        "scatter": drawings.scatter_panel(x, bump, x > 0, boundaries={"line": ([0, 0], [0, 1])}),
        "tree": br.plots.outcome_tree_panel(br.choose(COUNTS, threshold=0.5)),
        "map": br.plots.winner_map_panel(br.robustness.winner_map({"m": COUNTS})),
    }
    assert tuple(made) == FIGURES
    return made


def read(svg):
    """The tree of an SVG, which must be XML without anything that acts or is loaded."""
    tree = ET.fromstring(svg)
    assert tree.tag == f"{SVG}svg"
    for element in tree.iter():
        assert element.tag.removeprefix(SVG) in {
            "svg",
            "title",
            "desc",
            "g",
            "rect",
            "path",
            "circle",
            "text",
            "clipPath",
        }
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on")
            assert "href" not in name
            assert "url(" not in value or value.startswith("url(#p")
            assert "nan" not in value.split(), (element.tag, name, value)
            assert "inf" not in value.replace("-", " ").split(), (element.tag, name, value)
    return tree


def texts(svg):
    return ["".join(element.itertext()) for element in read(svg).iter(f"{SVG}text")]
