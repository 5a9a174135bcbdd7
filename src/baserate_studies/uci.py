"""Sets of the UCI repository as CSV with a sidecar: `load_uci` reads them, `fetch_uci` gets them
from OpenML and writes them.

A sidecar `<name>.json` says of each column whether it is numeric or nominal, and with which values;
the column `class` comes last, and a missing value is an empty field.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import InputError
from baserate.extend import escaped, number_of, quoted, refuse_file
from baserate_studies.arrays import Floats

CLASS = "class"


@dataclass(frozen=True)
class Attribute:
    """A column: numeric, or nominal with these values."""

    name: str
    values: tuple[str, ...] = ()

    @property
    def nominal(self) -> bool:
        return bool(self.values)


class Sidecar(NamedTuple):
    """What is said of a set: its columns but for the class, the cases of each class, and how many
    cells are missing.
    """

    attributes: tuple[Attribute, ...]
    classes: dict[str, int]
    missing: int


@dataclass(frozen=True, eq=False)
class UciSet:
    """Cases as numbers (a nominal value is its place among the values; NaN is missing), and the
    class of each.
    """

    name: str
    attributes: tuple[Attribute, ...]
    x: Floats
    classes: npt.NDArray[np.str_]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each attribute has; 0 of a numeric one."""
        return tuple(len(attribute.values) for attribute in self.attributes)

    def __repr__(self) -> str:
        return (
            f"UciSet {self.name}: {len(self.classes)} cases, {len(self.attributes)} attributes,"
            f" {len(set(self.classes.tolist()))} classes"
        )


def load_uci(name: str, folder: str | os.PathLike[str]) -> UciSet:
    """Which cases does this set hold? Reads `<name>.csv` and its sidecar `<name>.json` from the
    folder.
    """
    place = os.path.join(folder, f"{name}.csv")
    said = _sidecar(os.path.join(folder, f"{name}.json"))
    header, *cases = _rows(place)
    if header != [*(attribute.name for attribute in said.attributes), CLASS]:
        raise _refused(place, "its columns are not those of its sidecar, with class last")
    x = np.array(
        [
            [
                _coded(cell, attribute, place)
                for cell, attribute in zip(row[:-1], said.attributes, strict=True)
            ]
            for row in cases
        ]
    )
    found = UciSet(
        name,
        said.attributes,
        x.reshape(len(cases), len(said.attributes)),
        np.array([row[-1] for row in cases]),
    )
    _check_counts(found, said, place)
    return found


def _sidecar(place: str) -> Sidecar:
    """What the sidecar says of the columns, the classes and the missing cells."""
    with open(place, encoding="utf-8") as file:
        try:
            found = json.load(file)
        except (ValueError, RecursionError) as error:
            raise _refused(place, f"it is no JSON: {escaped(str(error))}") from None
    types, counts, missing = map(
        (found if isinstance(found, dict) else {}).get, ("types", "class_counts", "missing_cells")
    )
    if not (
        isinstance(types, dict)
        and all(map(_is_type, types.values()))
        and isinstance(counts, dict)
        and isinstance(missing, int)
    ):
        raise _refused(
            place, "it does not say the types of all columns, class_counts and missing_cells"
        )
    if len(types) < 2 or list(types)[-1] != CLASS:
        raise _refused(place, "its columns are not attributes, with class last")
    attributes = tuple(
        Attribute(column, tuple(kind.get("values", ())))
        for column, kind in types.items()
        if column != CLASS
    )
    return Sidecar(attributes, {label: count for label, count in counts.items() if count}, missing)


def _is_type(kind: Any) -> bool:
    values = kind.get("values", []) if isinstance(kind, dict) else None
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _rows(place: str) -> list[list[str]]:
    """The header and every case, each with as many cells."""
    rows: list[list[str]] = []
    with open(place, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        try:
            for row in reader:
                rows.append(row)
                if len(row) != len(rows[0]):
                    raise _refused(
                        place,
                        f"a row has {number_of(len(row), 'cell')}, not {len(rows[0])}",
                        (reader.line_num,),
                    )
        except (UnicodeDecodeError, csv.Error) as error:
            raise _refused(place, f"it is no CSV: {escaped(str(error))}") from None
    if len(rows) < 2:
        raise _refused(place, "it has no cases")
    return rows


def _coded(cell: str, attribute: Attribute, place: str) -> float:
    if not cell:
        return math.nan
    try:
        found = float(attribute.values.index(cell)) if attribute.nominal else float(cell)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):  # a missing value is an empty field, never the word nan
        raise _refused(
            place,
            f"column {quoted(attribute.name)} holds {quoted(cell)}, which its sidecar does not"
            " know",
        )
    return found


def _check_counts(found: UciSet, said: Sidecar, place: str) -> None:
    """Rows, classes and missing cells are as many as the sidecar says."""
    counted = dict(Counter(found.classes.tolist()))
    missing = int(np.isnan(found.x).sum())
    if counted != said.classes or missing != said.missing:
        text = (
            f"{len(found.classes)} rows, classes {quoted(counted)} and {missing} missing cells are"
            " not what its sidecar says"
        )
        raise _refused(place, text)


def _refused(place: str, text: str, lines: tuple[int, ...] = ()) -> InputError:
    return refuse_file(place, "BR923", text, "write both again, with fetch_uci", lines, len(lines))
