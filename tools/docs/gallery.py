"""Write docs/reference/gallery.md and the figures in docs/reference/gallery.

Figures whose data were published are drawn from them; the others from synthetic data with the
properties that the source states. A test compares page and figures with what this writes.
"""

import math
import random
import runpy
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

import baserate as br
from baserate_studies import drawings
from baserate_studies.cardenas.curves import empirical, intrusion
from baserate_studies.tan.curves import crossing_models

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "gallery.md"
FOLDER = PAGE.with_name("gallery")
TREES = runpy.run_path(str(Path(__file__).with_name("gallery_trees.py")))
HIGHLEYMAN = runpy.run_path(str(ROOT / "tests" / "published" / "highleyman.py"))
CARDENAS = 6.52e-5
HEAD = """# Gallery

Every plot that baserate draws; those that only a source asks for are in `baserate_studies.drawings`. A plot is a panel of lines, areas, marks and text on two axes. `panel.svg()` gives the pictures on this page,
`panel.text()` is for a terminal, `panel.matplotlib(ax)` draws on matplotlib axes (`pip install "baserate[plots]"`), a notebook displays a panel, and
`panel.save("roc.svg")` writes it. On the command line: `baserate curve roc scores.csv --label y --score m1 --svg roc.svg`.

Each picture names its counterpart in Landgrebe et al. 2004, Weng & Poon 2008, Tan, Steinbach & Kumar §5.7, the slides, or Cárdenas & Baras 2006
([studies](../evidence/studies.md)). Most of those figures were published without their data: these are drawn from synthetic data with the properties that the
source states. The page is written by `python tools/docs/gallery.py`; a test compares page and pictures with it.

```python
>>> import baserate as br
>>> counts = br.Counts([3, 2, 1], positives=[60, 30, 10], negatives=[1, 20, 979])
>>> at = br.Conditions(prior="1 in 1000", costs=br.Costs(fp=1, fn=100))
>>> panel = br.plots.roc_panel(br.roc(counts), points=br.choose(counts, at=at), isolines=[br.curves.isoline("precision", at, value=0.5)])
>>> panel
Panel ROC: recall (tpr) against false alarm rate (fpr), 5 parts

```

Every curve draws itself on axes of matplotlib that are there already:

```python
>>> from matplotlib.figure import Figure
>>> ax = Figure().subplots()
>>> br.broc(counts, at=at).plot(ax=ax)
Panel B-ROC: recall (tpr) against share of alerts that are false (fdr, B_FA), 2 parts

```
"""  # noqa: E501


class Entry(NamedTuple):
    """A figure, the name of its file, which figure of which source it stands beside, and what to
    see in it.
    """

    name: str
    source: str
    words: str
    draw: Callable[[], Any]


class Normals:
    """Normal draws that are the same on every machine and with every version of NumPy."""

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)  # noqa: S311 (a picture, not a secret)

    def uniform(self, count: int) -> Any:
        """So many numbers between 0 and 1."""
        return np.array([self.source.random() for _ in range(count)])

    def normal(self, mean: Any, deviation: Any, shape: tuple[int, ...]) -> Any:
        """As NumPy's generators have it."""
        draws = [
            NormalDist().inv_cdf(max(share, 1e-12))
            for share in self.uniform(math.prod(shape)).tolist()
        ]
        return np.array(draws).reshape(shape) * deviation + mean


def one() -> br.Counts:
    """The model of the README."""
    positives = [400, 300, 300, 250, 200, 150, 150, 100, 100, 50]
    return br.Counts(
        range(9, -1, -1), positives, [20, 40, 100, 240, 600, 2000, 5000, 10000, 20000, 60000]
    )


def normal(distance: float, spread: float, cells: int = 200) -> br.Counts:
    """Scores of two normal classes, negatives N(0, 1) and positives N(distance, spread²), counted
    in narrow bins.
    """
    edges = np.linspace(-4, 4 + distance, cells + 1)
    shares = [
        np.diff([0.5 * math.erfc(-(edge - mean) / sd / math.sqrt(2)) for edge in edges])
        for mean, sd in ((distance, spread), (0.0, 1.0))
    ]
    middles = (edges[1:] + edges[:-1]) / 2
    counts = [np.rint(share * 1_000_000).astype(np.int64)[::-1] for share in shares]
    return br.Counts(middles[::-1], *counts)


def probabilities() -> br.Counts:
    """Scores that are probabilities, and a little too sure of themselves."""
    scores = np.arange(1, 40) / 40
    true = 1 / (1 + np.exp(-0.7 * np.log(scores / (1 - scores)) + 0.3))
    cases = np.rint(2000 * np.exp(-3 * scores)).astype(np.int64)
    positives = np.rint(cases * true).astype(np.int64)
    return br.Counts(scores[::-1], positives[::-1], (cases - positives)[::-1])


def at(prior: Any, **costs: float) -> br.Conditions:
    """Conditions, with costs where any are named."""
    return br.Conditions(prior=prior, costs=br.Costs(**costs) if costs else None)


def family(curve: Any, counts: Any, priors: Any) -> list[br.Curve]:
    """One curve a base rate."""
    return list(br.curve(counts, curve, at=[at(prior) for prior in priors]).values())


def tan_roc() -> Any:
    """Two ROCs that cross at an fpr of .36."""
    return br.plots.roc_panel(
        {name: br.roc(points) for name, points in crossing_models().items()}, title="M1 against M2"
    )


def baseline() -> Any:
    """Weng & Poon's second example: 100 positives, 400 negatives, a miss costs five false
    alarms.
    """
    here, counts = at(0.2, fp=1, fn=5), one()
    point = br.choose(counts, at=here)
    curves = {"ROC": br.roc(counts), "hull": br.curve(counts, "roc_hull")}
    touching = br.curves.iso_cost_line(here, fpr=point.fpr, tpr=point.tpr)
    return br.plots.roc_panel(
        curves,
        baseline=br.curves.ideal_baseline(here),
        iso_costs=[touching],
        points={"cheapest": point},
        title="ROC, its hull, and what must be beaten",
    )


def isolines() -> Any:
    """Precision and NPV isolines over the ROC of a detector."""
    here = at(CARDENAS)
    lines = [br.curves.isoline("precision", here, value=value) for value in (0.9, 0.5, 0.2, 0.05)]
    lines += [br.curves.isoline("npv", here, value=value) for value in (0.99996, 0.99998)]
    return br.plots.roc_panel(
        {"detector": br.roc(intrusion())},
        isolines=lines,
        chance=False,
        title=f"Isolines at p = {CARDENAS:g}",
    )


def landgrebe_scatter() -> Any:
    """Highleyman's classes, balanced and at a base rate of 1 in 10, with the boundaries of LDC and
    QDC.
    """
    rng = Normals(0)
    panels = []
    for words, targets, others in (("balanced", 300, 300), ("target prior 1 in 10", 60, 540)):
        labels, x = HIGHLEYMAN["draw"](rng, targets, others)
        panel = drawings.scatter_panel(
            x[:, 0],
            x[:, 1],
            labels == 1,
            boundaries=boundaries(),
            axes=("x", "y"),
            title=f"Highleyman, {words}",
        )
        panels.append(panel)
    return br.plots.Figure("Highleyman's classes", tuple(panels))


def boundaries() -> dict[str, tuple[Any, Any]]:
    """Where LDC and QDC of the population are undecided at equal priors."""
    ldc = HIGHLEYMAN["LDC"]
    cut = sum(ldc.means) / 2
    y = np.linspace(-9, 9, 400)
    of_y = np.log(0.1) + np.log(4) - (y - 1) ** 2 / 0.5 + y**2 / 8
    with np.errstate(invalid="ignore"):
        root = np.sqrt(199**2 - 4 * 49.5 * (199.5 + of_y))
    left, right, gap = (199 - root) / 99, (199 + root) / 99, [np.nan]
    branches = np.concatenate((left, gap, right)), np.concatenate((y, gap, y))
    return {"LDC": ((cut - ldc.weights[1] * y) / ldc.weights[0], y), "QDC": branches}


def landgrebe_sets() -> Any:
    """The four data sets of Landgrebe et al.; Multimodal was not published, and is a stand-in."""
    rng, count = Normals(1), 120
    labels = np.repeat([True, False], count)
    apart = 2 * NormalDist().inv_cdf(0.847)
    sets = {
        "TwoGaussians": [
            rng.normal((0.0, 0.0), 1.0, (count, 2)),
            rng.normal((apart, 0.0), 1.0, (count, 2)),
        ],
        "Highleyman": np.split(HIGHLEYMAN["draw"](rng, count, count)[1], 2),
        "Multimodal (stand-in)": [
            rng.normal(np.resize(np.array(modes), (count, 2)), 1.0, (count, 2))
            for modes in ([(-3.5, 1.0), (2.0, 0.4)], [(3.1, 4.0), (2.5, -3.5), (-0.4, 2.0)])
        ],
        "Lithuanian": [_arc(rng, radius, count) for radius in (10.0, 6.2)],
    }
    panels = [
        drawings.scatter_panel(*np.concatenate(both).T, labels, axes=("x", "y"), title=name)
        for name, both in sets.items()
    ]
    return br.plots.Figure("The data sets of Landgrebe et al.", tuple(panels))


def _arc(rng: Normals, radius: float, count: int) -> Any:
    angle = (2 * rng.uniform(count) - 1) * math.pi / 3
    return np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1) + rng.normal(
        0.0, 1.0, (count, 2)
    )


def tan_costs() -> Any:
    """A boundary that moves into the region of the negatives where misses are costly."""
    rng, labels = Normals(3), np.repeat([True, False], [60, 240])
    x = np.where(
        labels[:, None],
        rng.normal((1.6, 1.6), 0.8, (300, 2)),
        rng.normal((0.0, 0.0), 0.9, (300, 2)),
    )
    line = np.array([-2.5, 4.5])
    moved = {"equal costs": (line, 2.1 - line), "a miss costs more": (line, 1.0 - line)}
    return drawings.scatter_panel(
        x[:, 0],
        x[:, 1],
        labels,
        boundaries=moved,
        axes=("x", "y"),
        title="Costly misses move the boundary",
    )


def landgrebe_families() -> Any:
    """POSfrac of LDC and QDC at three priors, with the values at a recall of .8."""
    priors, curves, points = (0.5, 0.1, 0.001), {}, []
    for name, roc in (("LDC", HIGHLEYMAN["ldc_roc"]()), ("QDC", HIGHLEYMAN["qdc_roc"]())):
        curves[name] = family("posfrac", roc, priors)
        points += [
            br.choose(roc, "tpr >= 0.8", at=at(prior), optimize="posfrac") for prior in priors
        ]
    return br.plots.curve_panel(curves, points=points[:5])


def landgrebe_pair() -> Any:
    """The ROC of LDC, and its POSfrac at a prior of .1."""
    roc = HIGHLEYMAN["ldc_roc"]()
    point = br.choose(roc, "tpr >= 0.8", at=at(0.1))
    panels = (
        br.plots.roc_panel(br.roc(roc), points=point),
        br.plots.curve_panel(br.curve(roc, "posfrac", at=at(0.1)), points=point),
    )
    return br.plots.Figure("LDC on Highleyman's classes, P = .1", panels)


def difference() -> Any:
    """Two models on the same cases: the difference of their least costs, with a simultaneous
    band.
    """
    rng, labels = Normals(5), np.arange(3000) < 300
    hidden = rng.normal(0.0, 1.0, (3000,))
    scores = {
        "old": hidden + 1.2 * labels,
        "new": hidden + 1.8 * labels + rng.normal(0.0, 0.3, (3000,)),
    }
    joint = br.count(labels, scores)
    places = np.linspace(0.02, 0.98, 49)
    return br.plots.difference_panel(br.curves.difference_band(joint, "cost", x=places))


def map_of_winners() -> Any:
    """Three models, each the cheapest somewhere."""
    a = br.Counts([2, 1, 0], positives=[60, 30, 10], negatives=[10, 200, 790])
    b = br.Counts([2, 1, 0], positives=[40, 58, 2], negatives=[2, 298, 700])
    return br.plots.winner_map_panel(
        br.robustness.winner_map({"a": a, "b": b}), priors=(1e-4, 0.5), cost_ratios=(1e-3, 1.0)
    )


def densities() -> Any:
    """Two normal classes on one score, cut at a threshold."""
    x = np.linspace(-4, 6, 401)
    curves = {
        name: np.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi)
        for name, mean in (("positive", 2.0), ("negative", 0.0))
    }
    return drawings.density_panel(x, curves, threshold=1.2)


def broc_pair() -> Any:
    """A ROC that is not concave, and its hull, in the B-ROC."""
    counts, here = empirical(), at(0.05)
    return br.plots.curve_panel(
        {"hull": br.broc(counts, at=here), "as measured": br.broc(counts, at=here, hull=False)}
    )


ENTRIES = (
    Entry(
        "roc",
        "Tan et al., Fig 5.41; Weng & Poon, Figs 1 and 4",
        "M1 is better below a false alarm rate of .36, M2 above.",
        tan_roc,
    ),
    Entry(
        "baseline",
        "Weng & Poon, Fig 3",
        "What costs as much as the cheaper answer for all, and as much as the point chosen.",
        baseline,
    ),
    Entry(
        "isolines",
        "Cárdenas & Baras, Fig 3",
        "Each line is one precision, or one NPV; the axis of false alarms is logarithmic.",
        isolines,
    ),
    Entry(
        "angles-precision",
        "Cárdenas & Baras, Fig 1",
        "From 0° to 45°, precision falls from 1 to the base rate.",
        lambda: drawings.isoline_figure("precision", [at(p) for p in (0.1, 0.01, 0.001)]),
    ),
    Entry(
        "angles-npv",
        "Cárdenas & Baras, Fig 2",
        "From 0° to 45°, NPV falls from 1 to 1 − the base rate.",
        lambda: drawings.isoline_figure("npv", [at(p) for p in (0.3, 0.1, 0.01)]),
    ),
    Entry(
        "posfrac",
        "Landgrebe et al., Fig 3",
        "To find 80 % of the targets, 27 % of the cases must be looked at.",
        landgrebe_pair,
    ),
    Entry(
        "posfrac-priors",
        "Landgrebe et al., Fig 4",
        "Rarer targets do not make much less work for LDC; QDC needs next to none.",
        landgrebe_families,
    ),
    Entry(
        "pr-priors",
        "Weng & Poon, Fig 7",
        "The same model at three base rates.",
        lambda: br.plots.curve_panel(family("pr", one(), ("50%", "2%", "1 in 1000"))),
    ),
    Entry(
        "broc-family",
        "Cárdenas & Baras, Fig 4",
        "One B-ROC a base rate, all from one ROC.",
        lambda: br.plots.curve_panel(family("broc", intrusion(), (1e-3, CARDENAS, 1e-5))),
    ),
    Entry(
        "broc-mapping",
        "Cárdenas & Baras, Fig 5",
        "Where the edges and the diagonal of the ROC go.",
        lambda: drawings.broc_mapping_figure(at(0.1), br.curve(one(), "roc_hull")),
    ),
    Entry(
        "broc-hull",
        "Cárdenas & Baras, Figs 6 and 7",
        "On the hull the B-ROC rises; as measured it need not.",
        broc_pair,
    ),
    Entry(
        "cost",
        "Weng & Poon, Fig 6",
        "Each grey line is one threshold; the lower envelope is the cost curve.",
        lambda: br.plots.cost_panel(
            {"least cost": br.curve(one(), "cost")}, lines=br.curves.cost_lines(one())
        ),
    ),
    Entry(
        "det",
        "Martin et al. 1997",
        "Two normal classes of one spread give a straight line.",
        lambda: br.plots.curve_panel(
            {"equal spread": br.det(normal(2.0, 1.0)), "wider positives": br.det(normal(2.0, 1.6))}
        ),
    ),
    Entry(
        "gain",
        "Provost & Fawcett 2013",
        "The share of positives among the first N cases.",
        lambda: br.plots.curve_panel(br.curve(one(), "gain", at=at(0.02))),
    ),
    Entry(
        "lift",
        "Provost & Fawcett 2013",
        "The same as a multiple of guessing.",
        lambda: br.plots.curve_panel(family("lift", one(), ("2%", "10%"))),
    ),
    Entry(
        "strips",
        "Weng & Poon, Fig 2",
        "Each strip passes half its weight upwards.",
        lambda: drawings.strips_panel(br.roc(one()), br.curves.strip_weights(7, 0.5)),
    ),
    Entry(
        "decision",
        "Vickers & Elkin 2006",
        "Above both grey lines, acting on the scores is worth it.",
        lambda: br.plots.decision_panel({"model": br.curve(probabilities(), "decision")}, most=0.8),
    ),
    Entry(
        "cost-threshold",
        "Tan et al., §5.7.3",
        "The lowest point is the threshold to take.",
        lambda: br.plots.curve_panel(
            br.curve(normal(2.0, 1.0), "cost_threshold", at=at(0.02, fp=1, fn=20)),
            points={"cheapest": br.choose(normal(2.0, 1.0), at=at(0.02, fp=1, fn=20))},
        ),
    ),
    Entry(
        "difference",
        "Cárdenas & Baras, Figs 8 and 9",
        "Where the band lies below 0, the new model is shown to be cheaper.",
        difference,
    ),
    Entry(
        "reliability",
        "DeGroot & Fienberg 1983",
        "Scores that are too sure of themselves.",
        lambda: br.plots.curve_panel(
            {
                "blocks": br.curve(probabilities(), "reliability"),
                "10 bins": br.curve(probabilities(), "reliability", bins=10),
            }
        ),
    ),
    Entry(
        "histogram",
        "the slides, 1-D example",
        "The same scores, class by class.",
        lambda: br.plots.histogram_panel(normal(2.0, 1.0), bins=40, threshold=1.2),
    ),
    Entry(
        "densities",
        "the slides, 1-D example",
        "The threshold cuts recall off the one, false alarms off the other.",
        densities,
    ),
    Entry(
        "tree",
        "Landgrebe et al., Fig 2",
        "Where each case ends up.",
        lambda: br.plots.outcome_tree_panel(br.choose(one(), threshold=6)),
    ),
    Entry(
        "scatter",
        "Landgrebe et al., Fig 1",
        "Balanced, and at the base rate: the same classes.",
        landgrebe_scatter,
    ),
    Entry(
        "data-sets",
        "Landgrebe et al., Fig 5",
        "Two normal classes, and three pairs of classes that no line divides well.",
        landgrebe_sets,
    ),
    Entry(
        "scatter-costs",
        "Tan et al., Fig 5.44",
        "Costly misses move the boundary into the region of the negatives.",
        tan_costs,
    ),
    Entry(
        "oversampling",
        "Tan et al., Fig 5.45",
        "A leaf needs two cases: only where positives are copied does the tree find the one among"
        " the negatives.",
        TREES["oversampled_tree"],
    ),
    Entry(
        "winner-map",
        "Landgrebe et al., §5",
        "Which model is cheapest at which base rate and cost ratio.",
        map_of_winners,
    ),
)


def figures() -> dict[str, str]:
    """The SVG of every entry by the name of its file."""
    return {f"{entry.name}.svg": entry.draw().svg() for entry in ENTRIES}


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_section(entry) for entry in ENTRIES)])


def _section(entry: Entry) -> str:
    title = entry.name.replace("-", " ")
    return (
        f"## {title}\n\n{entry.source}. {entry.words}\n\n![{title}:"
        f" {entry.words}](gallery/{entry.name}.svg)\n"
    )


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in figures().items():
        (FOLDER / name).write_text(text)
    PAGE.write_text(page())
