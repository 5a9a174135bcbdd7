"""Draw the picture of the README: one model, one threshold, three base rates.

A test compares docs/start/picture.svg with what this draws.
"""

from dataclasses import replace
from pathlib import Path

import baserate as br
from baserate.plots.panels import Marks, Words, series_style

PICTURE = Path(__file__).parents[2] / "docs" / "start" / "picture.svg"
PRIORS = ("50%", "2%", "1 in 1000")
THRESHOLD = 6


def model() -> br.Counts:
    """The model A of the README."""
    positives = [400, 300, 300, 250, 200, 150, 150, 100, 100, 50]
    return br.Counts(
        range(9, -1, -1), positives, [20, 40, 100, 240, 600, 2000, 5000, 10000, 20000, 60000]
    )


def drawn() -> str:
    """The whole picture."""
    counts = model()
    points = [
        br.choose(counts, threshold=THRESHOLD, at=br.Conditions(prior=prior)) for prior in PRIORS
    ]
    roc = br.plots.roc_panel(
        br.roc(counts), points=points[0], title="ROC: the same at every base rate"
    )
    family = [br.pr(counts, at=br.Conditions(prior=prior)) for prior in PRIORS]
    pr = br.plots.curve_panel(family, log=False)  # what is seen is a share of alerts
    named = [
        *(
            _named(place, prior, point)
            for place, (prior, point) in enumerate(zip(PRIORS, points, strict=True))
        )
    ]
    pr = replace(pr, title="Precision: what you will see").adding(
        *(part for parts in named for part in parts)
    )
    said = (
        f"One model at one threshold (score >= {THRESHOLD}, recall {points[0].tpr:.3g}, false"
        f" alarms {points[0].fpr:.3g})"
    )
    return br.plots.Figure(said, (roc, pr)).svg()


def _named(place: int, prior: str, point: br.OperatingPoint) -> tuple[Marks, Words]:
    colour = series_style(place).colour
    words = f"{prior.replace('%', ' %')}: {100 * point.precision:.0f} % of alerts real"
    return Marks((point.tpr,), (point.precision,), "", colour), Words(
        1.0, point.precision, words, colour, "start", 0.5, -0.35
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn())
