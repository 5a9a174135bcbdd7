"""The data sets of benchmarks/approaches.py: seven real ones beside the checkout, and two that are
generated.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

SHARED = (
    Path(os.environ.get("BASERATE_SHARED", Path(__file__).parents[3] / "shared" / "data"))
    / "imbalanced"
)
SEED = 9
CASES = 4000


def two_gaussians():
    """Classes of one spread, 1.5 apart in the first of eight directions, 2 % positive: a straight
    border is the best there is.
    """
    rng = np.random.default_rng(SEED)
    y = (np.arange(CASES) < 0.02 * CASES).astype(int)
    cases = rng.normal(size=(CASES, 8))
    cases[:, 0] += 1.5 * y
    return cases, y


def islands():
    """Positives (3 %) in three small islands in a sea of negatives, one in ten of them somewhere
    else: no straight border helps.
    """
    rng = np.random.default_rng(SEED + 1)
    y = (np.arange(CASES) < 0.03 * CASES).astype(int)
    cases = rng.uniform(-3, 3, size=(CASES, 4))
    at_home = np.flatnonzero((y == 1) & (rng.random(CASES) < 0.9))
    middles = rng.uniform(-2, 2, size=(3, 2))
    cases[at_home, :2] = middles[rng.integers(3, size=len(at_home))] + 0.35 * rng.normal(
        size=(len(at_home), 2)
    )
    return cases, y


GENERATED = {"two Gaussians": two_gaussians, "islands": islands}
REAL = (
    "abalone_19",
    "mammography",
    "oil_spill",
    "ozone_level_8hr",
    "thyroid_sick",
    "wine_quality_white",
    "yeast_me2",
)
SETS = (*REAL, *GENERATED)


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Numbers as they are, missing ones as NaN; words as one column a word; the labels."""
    if name in GENERATED:
        return GENERATED[name]()
    import pandas as pd

    path = next(
        found for found in (SHARED / f"{name}.csv", SHARED / f"{name}.csv.gz") if found.exists()
    )
    frame = pd.read_csv(path)
    labels = frame.pop("class").to_numpy()
    constant = [column for column in frame if frame[column].nunique(dropna=True) < 2]
    numbers = pd.get_dummies(frame.drop(columns=constant), dtype=float)
    return numbers.to_numpy(dtype=np.float64), labels.astype(int)
