"""A file with two models, and how a table spells the intervals of their points."""

import numpy as np
from tests.cli.helpers import written

ONE = ("--label", "y", "--score", "m")
TWO = ("--label", "y", "--score", "m", "--score", "n")


def sample(cases=200):
    rng = np.random.default_rng(21)
    y = (np.arange(cases) % 4 == 0).astype(int)
    return (
        y,
        np.round(rng.normal(size=cases) + 1.6 * y, 2),
        np.round(rng.normal(size=cases) + 0.8 * y, 2),
    )


def weighted_file(path):
    """Two models, and a column of weights."""
    y, m, n = sample()
    rows = [
        (*row, 1 + i % 3 / 2)
        for i, row in enumerate(zip(y.tolist(), m.tolist(), n.tolist(), strict=True))
    ]
    return written(path, ["y", "m", "n", "w"], rows)


def tables(text):
    """The blocks of a printed answer, each a list of lines."""
    return [block.splitlines() for block in text.strip().split("\n\n")]


def cells(line):
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def short(value):
    return f"{value:.3g}"


def spelled(found):
    """An interval as a table shows it."""
    if found.side == "upper":
        return f"<= {short(found.high)}"
    return (
        f">= {short(found.low)}"
        if found.side == "lower"
        else f"{short(found.low)} to {short(found.high)}"
    )
