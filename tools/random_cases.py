"""Random scored cases, and the files that hold them, for tools/against_reference.py.

A request describes its data in a few words (`data`: size, models, defects; `source`: the form);
both sides draw the same cases and write the same files from that.
"""

from __future__ import annotations

import gzip
import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

LABEL = "fraud"
# Columns that may stand beside label and scores, by the role that a request gives them.
ROLE_COLUMNS = {
    "by": {"by": "site"},
    "cluster": {"cluster": "card"},
    "by and cluster": {"by": "site", "cluster": "card"},
    "amount": {"amount": "amount"},
    "day": {"day": "day"},
}

Columns = dict[str, list[Any]]

# Ways to write a score in a text file; some of them are no number that a reader should take.
SPELLINGS = {
    "exponent": "{:.6e}",
    "plus sign": "{:+}",
    "spaces": " {} ",
    "many digits": "{:.22f}",
    "percent": "{:.4%}",
    "thousands": "{:,.3f}",
    "zeros": "000{}",
    "currency": "{} €",
    "quoted space": '" {}"',
}


def draw_cases(data: dict[str, Any]) -> Columns:
    """Return the columns of random cases: label, one score per model, and what stands beside."""
    generator = np.random.default_rng(data["seed"])
    positive = draw_labels(generator, data)
    columns: Columns = {LABEL: [data["labels"][int(label)] for label in positive]}
    for model, separation in data["models"].items():
        columns[model] = draw_scores(generator, positive, separation, data).tolist()
    columns.update(draw_beside(generator, positive, data))
    for defect in data.get("defects", ()):
        spoil_cases(columns, defect, generator, data)
    return columns


def draw_labels(generator: np.random.Generator, data: dict[str, Any]) -> np.ndarray:
    """Return which cases are positive: at least two of each class."""
    positive = generator.random(data["rows"]) < data["share"]
    positive[:2], positive[2:4] = True, False
    return positive


def draw_scores(
    generator: np.random.Generator, positive: np.ndarray, separation: float, data: dict[str, Any]
) -> np.ndarray:
    """Return the scores of one model; the fewer `decimals`, the more ties."""
    noise = generator.normal(size=len(positive))
    if data["scores"] == "heavy-tailed":
        noise = generator.standard_t(2, size=len(positive))
    scores = noise + separation * positive
    if data["scores"] == "probability":
        scores = 1 / (1 + np.exp(-scores - math.log(data["share"] / (1 - data["share"]))))
    if data["scores"] == "integer":
        return np.round(20 * scores).astype(np.int64)
    return np.round(scores, data["decimals"])


def draw_beside(
    generator: np.random.Generator, positive: np.ndarray, data: dict[str, Any]
) -> Columns:
    """Return sites, cards, amounts, days, weights and ids of the cases."""
    rows = len(positive)
    cards = generator.integers(0, max(6, rows // 4), size=rows)
    amounts = np.round(generator.exponential(100, size=rows) * (1 + positive), 2)
    days = generator.integers(1, 15, size=rows)
    return {
        "site": [f"site {code}" for code in generator.integers(0, data["sites"], size=rows)],
        "card": [f"c{code}" for code in cards],
        "amount": amounts.tolist(),
        "day": [f"2026-05-{day:02}" for day in days],
        "weight": generator.integers(1, 4, size=rows).tolist(),
        "wide weight": (10 ** generator.uniform(-8, 7, size=rows)).tolist(),
        "id": [f"{row:05}" for row in range(rows)],
    }


def spoil_cases(
    columns: Columns, defect: str, generator: np.random.Generator, data: dict[str, Any]
) -> None:
    """Put one defect into the columns."""
    row = int(generator.integers(0, data["rows"]))
    model = next(iter(data["models"]))
    replacements = {
        "missing score": (model, math.nan),
        "infinite score": (model, math.inf),
        "text score": (model, "high"),
        "missing label": (LABEL, None),
        "third label": (LABEL, "perhaps"),
        "missing amount": ("amount", math.nan),
        "missing site": ("site", None),
        "repeated id": ("id", "00000"),
    }
    if defect in replacements:
        name, value = replacements[defect]
        columns[name][row] = value
    elif defect == "one class":
        columns[LABEL] = [data["labels"][0]] * data["rows"]
    elif defect == "missing labels":
        columns[LABEL][::7] = [None] * len(columns[LABEL][::7])
    elif defect == "one score":
        columns[model] = [columns[model][0]] * data["rows"]
    else:
        raise ValueError(f"no defect {defect!r}")


def select_columns(columns: Columns, names: list[str]) -> Columns:
    """Return some of the columns, in the given order."""
    return {name: columns[name] for name in names}


def write_file_per_model(
    columns: Columns, models: list[str], source: dict[str, Any], folder: Path
) -> dict[str, str]:
    """Write one file for each model, with ids, labels and scores, and return the paths by model;
    the rows of the last file come in the reverse order where `source` says so.
    """
    paths = {}
    for model in models:
        held = {"id": columns["id"], LABEL: columns[LABEL], "score": columns[model]}
        if source.get("reverse_last") and model == models[-1]:
            held = {name: values[::-1] for name, values in held.items()}
        paths[model] = write_file(held, {**source, "stem": model}, folder)
    return paths


def write_file(columns: Columns, source: dict[str, Any], folder: Path) -> str:
    """Write the cases in the form that `source` names, and return the path as a user types it."""
    form = source["form"]
    path = folder / f"{source.get('stem', 'cases')}.{source.get('ending', form)}"
    if form == "sqlite":
        return write_sqlite(columns, path)
    if form in ("csv", "jsonl"):
        text = csv_text(columns, source) if form == "csv" else json_lines(columns, source)
        content = spoil_bytes(text.encode(source.get("encoding", "utf-8")), source)
        path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    elif form == "npz":
        arrays = {name: np.array(values) for name, values in columns.items()}
        np.savez(path, **arrays)
    else:
        write_arrow(columns, path, form)
    return path.name


def csv_text(columns: Columns, source: dict[str, Any]) -> str:
    """Return the text of a CSV file in the dialect of `source`."""
    delimiter, decimal = source.get("delimiter", ","), source.get("decimal", ".")
    always = source.get("quote_all", False)
    rows = [] if source.get("header", True) is False else [list(columns)]
    rows += [list(row) for row in zip(*columns.values(), strict=True)]
    if "spelling" in source:
        spelling = SPELLINGS[source["spelling"]]
        rows = [[spelled(value, spelling) for value in row] for row in rows]
        always = always or source["spelling"] == "thousands"
    shown = [[csv_field(value, delimiter, decimal, always) for value in row] for row in rows]
    lines = [*source.get("above", []), *(delimiter.join(row) for row in shown)]
    end = source.get("line_end", "\n")
    return end.join(lines) + (end if source.get("last_line_end", True) else "")


def spelled(value: Any, spelling: str) -> Any:
    """Return a number of the file as a person or a program might write it."""
    return spelling.format(value) if isinstance(value, float) and math.isfinite(value) else value


def csv_field(value: Any, delimiter: str, decimal: str, always: bool) -> str:  # noqa: FBT001
    """Return one value as it stands in a CSV file; what is missing is an empty field."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = repr(value).replace(".", decimal) if isinstance(value, float) else str(value)
    needed = any(sign in text for sign in (delimiter, '"', "\n"))
    return '"' + text.replace('"', '""') + '"' if always or needed else text


def json_lines(columns: Columns, source: dict[str, Any]) -> str:
    """Return one JSON object per case, the middle one with the defect that `source` names."""
    rows = zip(*columns.values(), strict=True)
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
    middle, score = len(lines) // 2, list(columns)[1]
    row = json.loads(lines[middle])
    defects = {
        "no key": json.dumps({key: value for key, value in row.items() if key != score}),
        "another key": json.dumps({**row, "remark": "seen"}),
        "text number": json.dumps({**row, score: str(row[score])}),
        "nested": json.dumps({**row, score: {"value": row[score]}}),
        "list": json.dumps({**row, score: [row[score]]}),
        "true": json.dumps({**row, score: True}),
        "large integer": json.dumps({**row, score: 2**63 + 1}),
        "exponent": json.dumps({**row, score: 1e300}),
        "beyond floats": lines[middle].replace(json.dumps(row[score]), "1e999"),
        "many digits": lines[middle].replace(json.dumps(row[score]), "0.12345678901234567891"),
        "two keys": lines[middle][:-1] + f', "{score}": 0.5}}',
        "no object": "[1, 2]",
        "cut off": lines[middle][:-3],
        "text behind": lines[middle] + " end",
        "empty line": "",
        "escaped key": lines[middle].replace(f'"{score}"', f'"\\u{ord(score[0]):04x}{score[1:]}"'),
        "text label": json.dumps({**row, LABEL: str(row[LABEL])}),
        "float label": json.dumps({**row, LABEL: 1.0}),
    }
    if "row" in source:
        lines[middle] = defects[source["row"]]
    return "\n".join(lines) + "\n"


def spoil_bytes(content: bytes, source: dict[str, Any]) -> bytes:
    """Return the bytes of a text file with the defect that `source` names."""
    defect = source.get("defect")
    if defect is None:
        return content
    if defect == "cut short":
        return content[:-5]
    if defect == "byte order mark":
        return b"\xef\xbb\xbf" + content
    header, *lines = content.split(b"\n")
    if defect == "header only":
        return header + b"\n"
    middle = len(lines) // 2
    line = lines[middle]
    lines[middle] = {
        "ragged line": line + b",1",
        "NUL byte": line[:1] + b"\0" + line[1:],
        "bad UTF-8": b"\xff" + line[1:],
        "open quote": b'"' + line,
        "blank lines": line + b"\n\n",
        "repeated header": header,
    }[defect]
    return b"\n".join([header, *lines])


def write_sqlite(columns: Columns, path: Path) -> str:
    """Write a database with the table `cases`, and return its path and table."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        names = ", ".join(f'"{name}"' for name in columns)
        database.execute(f"CREATE TABLE cases ({names})")
        marks = ", ".join("?" for _ in columns)
        rows = list(zip(*columns.values(), strict=True))
        database.executemany(f"INSERT INTO cases VALUES ({marks})", rows)  # noqa: S608
    return f"{path.name}::cases"


def write_arrow(columns: Columns, path: Path, form: str) -> None:
    """Write a Parquet or an Arrow file."""
    table = make_frame(columns, "pyarrow")
    if form == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)
    else:
        import pyarrow.feather

        pyarrow.feather.write_feather(table, str(path), compression="uncompressed")


def make_frame(columns: Columns, library: str) -> Any:
    """Return the cases as a data frame of pandas, polars or pyarrow."""
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(columns, strict=False)
    import pyarrow as pa

    return pa.table(columns)
