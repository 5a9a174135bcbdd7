"""Figs 1 to 5 of Landgrebe et al.: scatter plots, the tree of outcomes, ROC and POSfrac."""

from __future__ import annotations

from baserate import Conditions, Confusion, curve, fix, roc
from baserate.plots import Figure, curve_panel, outcome_tree_panel, roc_panel
from baserate_studies.drawings import scatter_panel
from baserate_studies.generators import SETS, highleyman
from baserate_studies.landgrebe.populations import boundaries, ldc_roc, qdc_roc
from baserate_studies.landgrebe.tables import FITTED, PRIORS, RECALL, SEED
from baserate_studies.values import Picture

SHOWN = 200  # cases of a class in a scatter plot: more would hide each other


def pictures() -> tuple[Picture, ...]:
    """All five."""
    return (
        Picture(
            "fig1",
            ("L6", "L7"),
            "Fig 1: balanced as in training, and with 1 target in 10 as in the field.",
            _balanced_and_rare(),
        ),
        Picture(
            "fig2", ("L8",), "Fig 2: every case is POS or NEG, and then right or wrong.", _tree()
        ),
        Picture(
            "fig3",
            ("L23",),
            "Fig 3: LDC at P = .1; to find 80 % of the targets, 27 % of the cases are flagged (30 %"
            " in the paper).",
            _pair(),
        ),
        Picture(
            "fig4",
            ("L24", "L25", "L26"),
            "Fig 4: rarer targets hardly make less work for LDC; QDC needs next to none.",
            _families(),
        ),
        Picture(
            "fig5",
            ("L35",),
            "Fig 5: the data sets; where the modes of Multimodal lie was not published.",
            _sets(),
        ),
    )


def _balanced_and_rare() -> Figure:
    panels = []
    for words, targets, others in (
        ("balanced", SHOWN, SHOWN),
        ("target prior 1 in 10", SHOWN // 5, SHOWN * 9 // 5),
    ):
        drawn = highleyman(targets, others, seed=SEED)
        title = f"Highleyman, {words}"
        panels.append(
            scatter_panel(
                drawn.x[:, 0],
                drawn.x[:, 1],
                drawn.target,
                boundaries=boundaries(),
                axes=("x", "y"),
                title=title,
            )
        )
    return Figure("Highleyman's classes", tuple(panels))


def _tree() -> Figure:
    confusion = Confusion.from_rates(tpr=RECALL, fpr=0.2109349, positives=1000, negatives=9000)
    return Figure(
        "LDC on Highleyman's classes, P = .1, TPr 80 %, 10 000 cases",
        (outcome_tree_panel(confusion),),
        1,
    )


def _pair() -> Figure:
    points, at = ldc_roc(), Conditions(prior="0.1")
    chosen = fix(points, f"tpr = {RECALL}", at=at).interpolated
    panels = (
        roc_panel({"LDC": roc(points)}, points=chosen),
        curve_panel({"LDC": curve(points, "posfrac", at=at)}, points=chosen),
    )
    return Figure("LDC on Highleyman's classes, P = .1", panels)


def _families() -> Figure:
    panels = []
    for name, points in (("LDC", ldc_roc()), ("QDC", qdc_roc())):
        every = [Conditions(prior=str(prior)) for prior in PRIORS]
        chosen = [fix(points, f"tpr = {RECALL}", at=at).interpolated for at in every]
        panels.append(
            curve_panel({name: list(curve(points, "posfrac", at=every).values())}, points=chosen)
        )
    return Figure("POSfrac at P = .5, .1, .001", tuple(panels))


def _sets() -> Figure:
    panels = []
    for name, draw in SETS.items():
        drawn = draw(SHOWN // 2, SHOWN // 2, seed=SEED)
        title = f"{name} (a stand-in)" if name == FITTED else name
        panels.append(
            scatter_panel(drawn.x[:, 0], drawn.x[:, 1], drawn.target, axes=("x", "y"), title=title)
        )
    return Figure("The four data sets", tuple(panels))
