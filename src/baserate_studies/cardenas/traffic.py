"""Real traffic, NSL-KDD (user to root) and KDD SMTP, scored by learners of scikit-learn."""

from __future__ import annotations

import csv
import gzip
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import baserate as br
from baserate.extend import escaped, grouped, quoted
from baserate_studies.arrays import Floats

TRAIN, TEST, SMTP = "nsl_kdd_train20.csv.gz", "nsl_kdd_test.csv.gz", "kdd_smtp.csv.gz"
# Rows and positives of each file, as its publishers give them.
SIZES = {TRAIN: (25192, 11), TEST: (22544, 67), SMTP: (95156, 30)}
NOMINAL = ("protocol_type", "service", "flag")
LABELS = ("attack", "category", "difficulty", "class")
SUBFOLDER = "imbalanced"
SEED = 0
TREES = 200


class Traffic(NamedTuple):
    """Models scored on one set of traffic, and how."""

    name: str
    models: dict[str, br.Counts]
    how: str

    def __str__(self) -> str:
        counts = next(iter(self.models.values()))
        areas = ", ".join(f"{name} {br.auc(model):.3f}" for name, model in self.models.items())
        cases = counts.total_positives + counts.total_negatives
        return (
            f"{self.name}, {grouped(counts.total_positives)} attacks of {grouped(cases)} cases; AUC"
            f" {areas}; {self.how}"
        )


class Missing(NamedTuple):
    """Traffic that is not here, and why."""

    name: str
    reason: str


class Table(NamedTuple):
    """A file as text, row by row."""

    header: list[str]
    rows: list[list[str]]

    @property
    def numeric(self) -> list[str]:
        """The columns that are numbers."""
        return [name for name in self.header if name not in (*NOMINAL, *LABELS)]

    def column(self, name: str) -> list[str]:
        """One column."""
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def numbers(self, names: list[str]) -> Floats:
        """Several columns as numbers, side by side."""
        return np.array([self.column(name) for name in names], dtype=np.float64).T


def _path(folder: str | None, name: str) -> Path | None:
    """The file in the folder, or in the part of it where imbalanced sets lie."""
    places = [] if folder is None else [Path(folder, name), Path(folder, SUBFOLDER, name)]
    return next((place for place in places if place.is_file()), None)


def _table(folder: str | None, name: str) -> Table | str:
    """The file as text, or the reason why not."""
    path = _path(folder, name)
    if path is None:
        return f"needs {name}, which is not here (--data FOLDER)"
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:
        return f"{name} cannot be read: {escaped(str(error)) or type(error).__name__}"
    if "class" not in header or {len(row) for row in rows} != {len(header)}:
        return f"{name} is another file: it has no table with a column class"
    table = Table(header, rows)
    return _odd(table, name) or table


def _odd(table: Table, name: str) -> str:
    """What tells that this is not the file of that name; nothing where nothing does."""
    found, expected = (len(table.rows), table.column("class").count("1")), SIZES[name]
    if found != expected:
        return (
            f"{name} is another file: {found[1]} positives of {grouped(found[0])} rows, not"
            f" {expected[1]} of {grouped(expected[0])}"
        )
    if not table.numeric or (name != SMTP and not set(NOMINAL) <= set(table.header)):
        return f"{name} is another file: its columns are not those of the traffic"
    for column in table.numeric:
        try:
            finite = bool(np.isfinite(table.numbers([column])).all())
        except ValueError:
            finite = False
        if not finite:
            return (
                f"{name} is damaged: column {quoted(column)} holds something that is no finite"
                " number"
            )
    return ""


def nsl_kdd(folder: str | None) -> Traffic | Missing:
    """Two forests trained on the 20 % file, one of them with balanced classes, on the test file:
    U2R attacks against everything else.
    """
    tables = [_table(folder, name) for name in (TRAIN, TEST)]
    for table in tables:
        if isinstance(table, str):
            return Missing("NSL-KDD", table)
    train, test = (table for table in tables if isinstance(table, Table))
    if train.header != test.header:
        return Missing("NSL-KDD", f"{TRAIN} and {TEST} have different columns")
    x, unseen = encoded(train, test)
    y, labels = (np.array(table.column("class")) == "1" for table in (train, test))
    models = {
        name: br.count(labels, learner.fit(x, y).predict_proba(unseen)[:, 1])
        for name, learner in forests().items()
    }
    how = (
        f"random forests of {TREES} trees, seed {SEED}, trained on the 20 % file; balanced: classes"
        " weighted, leaves of two or more"
    )
    return Traffic("NSL-KDD", models, how)


def forests() -> dict[str, Any]:
    """The two learners of NSL-KDD."""
    from sklearn.ensemble import RandomForestClassifier

    balanced = RandomForestClassifier(
        TREES, class_weight="balanced_subsample", min_samples_leaf=2, random_state=SEED
    )
    return {"forest": RandomForestClassifier(TREES, random_state=SEED), "balanced": balanced}


def encoded(train: Table, test: Table) -> tuple[Floats, Floats]:
    """Numbers as they are, and a column for each value that the training file has of a nominal
    one.
    """
    kinds = [(name, value) for name in NOMINAL for value in sorted(set(train.column(name)))]
    encoded = []
    for table in (train, test):
        columns = {name: np.array(table.column(name)) for name in NOMINAL}
        shown = np.stack([columns[name] == value for name, value in kinds], axis=1)
        encoded.append(np.concatenate([table.numbers(train.numeric), shown], axis=1))
    return encoded[0], encoded[1]


def smtp(folder: str | None) -> Traffic | Missing:
    """Naive Bayes and logistic regression, each case scored by the four folds that it is not in."""
    table = _table(folder, SMTP)
    if isinstance(table, str):
        return Missing("KDD SMTP", table)
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from baserate import count_folds

    x, y = table.numbers(table.numeric), np.array(table.column("class")) == "1"
    learners = {
        "Bayes": GaussianNB(),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    models = {
        name: count_folds(learner, x, y, cv=folds).total() for name, learner in learners.items()
    }
    return Traffic(
        "KDD SMTP",
        models,
        f"naive Bayes and logistic regression, 5-fold cross-validation, seed {SEED}, folds pooled",
    )
