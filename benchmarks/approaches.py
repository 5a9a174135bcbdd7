"""Which approach to rare and costly positives pays? `python benchmarks/approaches.py` writes
docs/ideas/which-approach-pays.md.

`--quick` prints the page of two sets, in seconds.

Nested cross-validation: outer folds judge; the learner's parameter and empirical cuts come from
inner folds of their training cases alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

if __name__ == "__main__":  # not the folder of the script, in which coverage.py is no library
    sys.path[0] = str(Path(__file__).resolve().parents[1])
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from benchmarks.approaching.judging import Judged, conditions_for, judged, odds_ratio
from benchmarks.approaching.pages import page
from benchmarks.approaching.sets import SETS, load
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import baserate as br
from baserate import count_folds, response
from baserate_learners import (
    LDC,
    QDC,
    CostSensitiveTree,
    CostWeighted,
    GaussianMixtures,
    MetaCost,
    Parzen,
    Resampled,
)

SEED = 9
OUTER, INNER, REPEATS = 5, 3, 1
THEORY, FOLDS, HALF = "theory", "inner folds", "1/2"
PAGE = Path(__file__).parents[1] / "docs" / "ideas" / "which-approach-pays.md"

LEARNERS = {
    "logistic regression": (LogisticRegression(max_iter=2000), {"C": [0.03, 1.0]}),
    "tree": (DecisionTreeClassifier(random_state=0), {"min_samples_leaf": [5, 25]}),
}


def informed(learner, name):
    return Resampled(learner, name, correct="isotonic", cv=INNER)


# Approaches that give scores: the estimator, and where its scores are cut.
SCORED = {
    "plain, cut at 1/2": (lambda one: one, HALF),
    "plain, cut moved by theory": (lambda one: one, THEORY),
    "plain, cut moved by inner folds": (lambda one: one, FOLDS),
    "Platt calibration": (
        lambda one: CalibratedClassifierCV(one, method="sigmoid", cv=INNER, ensemble=False),
        THEORY,
    ),
    "isotonic calibration": (
        lambda one: CalibratedClassifierCV(one, method="isotonic", cv=INNER, ensemble=False),
        THEORY,
    ),
    "undersampled, cut at 1/2": (lambda one: Resampled(one, "under", correct=None), HALF),
    "oversampled, cut at 1/2": (lambda one: Resampled(one, "over", correct=None), HALF),
    "SMOTE, cut at 1/2": (lambda one: Resampled(one, "smote", correct=None), HALF),
    "undersampled, corrected": (lambda one: Resampled(one, "under"), THEORY),
    "undersampled 10 times, corrected": (lambda one: Resampled(one, "under", repeats=10), THEORY),
    "oversampled, corrected": (lambda one: Resampled(one, "over"), THEORY),
    "hybrid, corrected": (lambda one: Resampled(one, "hybrid"), THEORY),
    "focused, recalibrated": (lambda one: informed(one, "focused"), THEORY),
    "near misses, recalibrated": (lambda one: informed(one, "near-miss"), THEORY),
    "Tomek links dropped, recalibrated": (lambda one: informed(one, "tomek"), THEORY),
    "neighbourhoods cleaned, recalibrated": (lambda one: informed(one, "cleaning"), THEORY),
    "SMOTE, recalibrated": (lambda one: informed(one, "smote"), THEORY),
}
# Those that heed base rate and costs while they learn, and answer with labels.
DECIDED = {
    "weights by cost": lambda one, at, _: CostWeighted(one, at),
    # MetaCost knows the base rate of its cases only: another one enters by the costs, which makes
    # the same decision.
    "MetaCost": lambda one, at, y: MetaCost(
        one, br.Costs(fp=1, fn=float(at.costs.fn) * odds_ratio(at, y)), resamples=10
    ),
}
TREES = {
    f"cost-sensitive tree: {name}": lambda one, at, _, name=name: CostSensitiveTree(
        one, at, cv=INNER, **{name: True}
    )
    for name in ("split", "prune", "weights", "leaf")
}
# Density classifiers stand beside the logistic regression: they have no learner inside.
DENSITIES = {
    "LDC": (lambda _: LDC(), THEORY),
    "QDC": (lambda _: QDC(), THEORY),
    "mixtures of Gaussians": (lambda _: GaussianMixtures(2), THEORY),
    "Parzen, undersampled, corrected": (lambda _: Resampled(Parzen(), "under"), THEORY),
}
REFERENCE = "plain, cut moved by theory"


def approaches_for(learner: str, names: set[str] | None) -> dict:
    every = {
        **SCORED,
        **DECIDED,
        **{"tree": TREES, "logistic regression": DENSITIES}.get(learner, {}),
    }
    return {
        name: made
        for name, made in every.items()
        if names is None or name in names or name == REFERENCE
    }


def flags_of(approach, learner, train, test, at: list) -> tuple[np.ndarray, np.ndarray | None]:
    """What one approach flags under each of the conditions, and the scores by which it ranks, where
    it has any.
    """
    if not isinstance(approach, tuple):
        fitted = [approach(clone(learner), one, train[1]).fit(*train) for one in at]
        return np.array([one.predict(test) == 1 for one in fitted]), None
    make, cut = approach
    fitted = make(clone(learner)).fit(*train)
    scores = response(fitted, test).scores
    if cut == HALF:
        return np.tile(scores > 0.5, (len(at), 1)), scores
    if cut == THEORY:
        return (
            np.array([scores > one.cut(calibrated_at=float(train[1].mean())).score for one in at]),
            scores,
        )
    counts = count_folds(
        make(clone(learner)), *train, cv=StratifiedKFold(INNER, shuffle=True, random_state=SEED)
    ).total()
    cuts = [br.choose(counts, at=one).threshold for one in at]
    return (
        np.array([np.zeros(len(scores), bool) if cut is None else scores >= cut for cut in cuts]),
        scores,
    )


def tuned(learner, grid, rows, y):
    """The learner with the parameter whose log loss is least in inner folds: the same for all
    approaches.
    """
    folds = StratifiedKFold(INNER, shuffle=True, random_state=SEED)
    return clone(learner).set_params(
        **GridSearchCV(learner, grid, scoring="neg_log_loss", cv=folds).fit(rows, y).best_params_
    )


def cross_validated(
    cases, y, kind: str, names: set[str] | None, seed: int, outer: int
) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    """Flags under every condition, and scores, of every case: each from a learner that did not see
    it.
    """
    at = conditions_for(y)
    made = approaches_for(kind, names)
    found = {name: (np.zeros((len(at), len(y))), np.full(len(y), np.nan)) for name in made}
    for train, test in StratifiedKFold(outer, shuffle=True, random_state=seed).split(cases, y):
        ready = make_pipeline(SimpleImputer(strategy="median"), StandardScaler()).fit(cases[train])
        rows, held = ready.transform(cases[train]), ready.transform(cases[test])
        learner = tuned(*LEARNERS[kind], rows, y[train])
        for name, approach in made.items():
            flags, scores = flags_of(approach, learner, (rows, y[train]), held, at)
            found[name][0][:, test] = flags
            if scores is not None:
                found[name][1][test] = scores
    return {
        name: (flags, None if np.isnan(scores).any() else scores)
        for name, (flags, scores) in found.items()
    }


def study(
    sets: list[str], names: set[str] | None, kinds: list[str], outer: int, repeats: int
) -> list[Judged]:
    """Every approach on every set, against plain scores with the cut moved by theory; the answers
    of several divisions into folds averaged.
    """
    found = list[Judged]()
    for name in sets:
        cases, y = load(name)
        for kind in kinds:
            started = time.process_time()
            runs = [
                cross_validated(cases, y, kind, names, SEED + repeat, outer)
                for repeat in range(repeats)
            ]
            flags = {one: np.mean([run[one][0] for run in runs], axis=0) for one in runs[0]}
            found += [
                judged((name, kind, one), y, ours, flags[REFERENCE], [run[one][1] for run in runs])
                for one, ours in flags.items()
            ]
            print(f"{name}, {kind}: {time.process_time() - started:.0f} s", flush=True)
    return found


def main(arguments: list[str] | None = None) -> str:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick",
        action="store_true",
        help="two sets, one learner, five approaches, three folds; prints the page",
    )
    asked = parser.parse_args(arguments)
    warnings.simplefilter(
        "ignore"
    )  # few cases a fold: scikit-learn and imbalanced-learn say so, fold by fold
    started = time.process_time()
    if asked.quick:
        names = {
            "plain, cut at 1/2",
            "weights by cost",
            "undersampled, corrected",
            "focused, recalibrated",
        }
        text = page(
            study(["yeast_me2", "two Gaussians"], names, ["logistic regression"], 3, 1),
            time.process_time() - started,
            REFERENCE,
        )
        print(text)
        return text
    text = page(
        study(list(SETS), None, list(LEARNERS), OUTER, REPEATS),
        time.process_time() - started,
        REFERENCE,
    )
    PAGE.write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    main()
