"""`fetch_uci`: a set of the UCI repository from OpenML, its counts verified, written as CSV with
the sidecar that `load_uci` reads.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections import Counter
from typing import Any, NamedTuple

from baserate.extend import needed, quoted, refuse, reserve_output, write_atomically
from baserate_studies.uci import CLASS, UciSet, load_uci

QUESTION = "?"


class Known(NamedTuple):
    """A set on OpenML and what it must hold: cases of each class, and missing cells."""

    number: int
    classes: dict[str, int]
    missing: int = 0
    target: str = "default-target"
    asked: bool = False  # whether a missing nominal value is a category of its own, "?"


_EARS = (
    "acoustic_neuroma 1, bells_palsy 1, cochlear_age 57, cochlear_age_and_noise 22,"
    " cochlear_age_plus_poss_menieres 1, cochlear_noise_and_heredity 2, cochlear_poss_noise 20,"
    " cochlear_unknown 48, conductive_discontinuity 2, conductive_fixation 6,"
    " mixed_cochlear_age_fixation 2, mixed_cochlear_age_otitis_media 4, mixed_cochlear_age_s_om 2,"
    " mixed_cochlear_unk_discontinuity 2, mixed_cochlear_unk_fixation 9, mixed_cochlear_unk_ser_om"
    " 3, mixed_poss_central_om 1, mixed_poss_noise_om 2, normal_ear 22, otitis_media 4,"
    " poss_central 1, possible_brainstem_disorder 4, possible_menieres 8, retrocochlear_unknown 2"
)
_GLASSES = {
    "build wind float": 70,
    "build wind non-float": 76,
    "vehic wind float": 17,
    "containers": 13,
    "tableware": 9,
    "headlamps": 29,
}
KNOWN = {
    "anneal": Known(2, {"1": 8, "2": 99, "3": 684, "5": 67, "U": 40}, asked=True),
    "audiology": Known(
        7, {words.split()[0]: int(words.split()[1]) for words in _EARS.split(", ")}, 317
    ),
    "autos": Known(9, {"-2": 3, "-1": 22, "0": 67, "1": 54, "2": 32, "3": 27}, 59),
    "balance_scale": Known(11, {"L": 288, "B": 49, "R": 288}),
    "breast_cancer": Known(13, {"no-recurrence-events": 201, "recurrence-events": 85}, 9),
    "heart_c": Known(49, {"<50": 165, ">50_1": 138}, 7),
    "credit_a": Known(29, {"+": 307, "-": 383}, 67),
    "credit_g": Known(31, {"good": 700, "bad": 300}),
    "glass": Known(41, _GLASSES),
    "heart_statlog": Known(53, {"absent": 150, "present": 120}),
    "hepatitis": Known(55, {"DIE": 32, "LIVE": 123}, 167),
    "colic_orig": Known(25, {"2": 244, "1": 124}, 1927, "pathology_cp_data"),
}


def fetch_uci(name: str, folder: str | os.PathLike[str], *, force: bool = False) -> UciSet:
    """Get a set from OpenML (by scikit-learn's fetch_openml), verify it, and write it where
    `load_uci` and `baserate study --data` find it.

    Refused where it does not hold as many cases of each class, and as many missing cells, as the
    set that the study needs.
    """
    if name not in KNOWN:
        raise refuse("BR924", f"there is no set {quoted(name)} to fetch", ", ".join(KNOWN))
    known = KNOWN[name]
    datasets = needed("sklearn.datasets", "learners")
    bunch = datasets.fetch_openml(
        data_id=known.number,
        target_column=known.target,
        as_frame=False,
        parser="liac-arff",
        cache=False,
        n_retries=1,
    )
    rows = [
        [*cells, label]
        for cells, label in zip(
            _cells(bunch, asked=known.asked), map(str, bunch.target), strict=True
        )
    ]
    _verify(name, known, rows)
    places = [os.path.join(folder, f"{name}.{ending}") for ending in ("csv", "json")]
    with reserve_output(places[0], force=force), reserve_output(places[1], force=force):
        write_atomically(places[0], [_table([*bunch.feature_names, CLASS], rows).encode()])
        write_atomically(places[1], [json.dumps(_sidecar(name, known, bunch), indent=1).encode()])
    return load_uci(name, folder)


def _cells(bunch: Any, *, asked: bool) -> list[list[str]]:
    """Every cell as text: nominal codes by their values, nothing where a value is missing."""
    categories = [(bunch.categories or {}).get(column) for column in bunch.feature_names]
    return [
        [_cell(value, values, asked=asked) for value, values in zip(row, categories, strict=True)]
        for row in bunch.data.tolist()
    ]


def _cell(value: Any, values: list[str] | None, *, asked: bool) -> str:
    if value is None or math.isnan(value):
        return QUESTION if asked and values else ""
    return str(values[int(value)]) if values else f"{value:.17g}"


def _verify(name: str, known: Known, rows: list[list[str]]) -> None:
    counted, missing = (
        dict(Counter(row[-1] for row in rows)),
        sum(cell == "" for row in rows for cell in row),
    )
    if counted != known.classes or missing != known.missing:
        text = (
            f"OpenML's set {known.number} is not {quoted(name)}: classes {counted}, {missing}"
            " missing cells"
        )
        raise refuse(
            "BR924", text, "write the CSV and its sidecar by hand, from the UCI repository"
        )


def _table(header: list[str], rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def _sidecar(name: str, known: Known, bunch: Any) -> dict[str, Any]:
    categories = bunch.categories or {}
    types = {}
    for column in bunch.feature_names:
        values = [
            *map(str, categories.get(column, ())),
            *([QUESTION] if known.asked and QUESTION not in categories.get(column, ()) else []),
        ]
        types[column] = (
            {"type": "nominal", "values": values} if column in categories else {"type": "numeric"}
        )
    types[CLASS] = {"type": "nominal", "values": list(known.classes)}
    return {
        "name": name,
        "source": bunch.url,
        "types": types,
        "class_counts": known.classes,
        "missing_cells": known.missing,
    }
