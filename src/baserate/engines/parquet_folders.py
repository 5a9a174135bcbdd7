"""A folder of Parquet files: which files are its data, and the columns that the names of its folders spell (hive partitions)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from baserate.errors import refuse_file

ENDINGS = (".parquet", ".parq", ".pq")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def data_files(folder: str) -> list[str]:
    """The Parquet files of a folder and its folders, in the order of their names. Names that begin with "_" or "." are bookkeeping."""
    found = []
    for place, folders, names in os.walk(folder):
        if "_temporary" in folders:
            text = "is still being written: it holds a folder _temporary"
            raise refuse_file(folder, "BR704", text, "wait for the job, or delete what it left")
        folders[:] = sorted(name for name in folders if not name.startswith(("_", ".")))
        found += [os.path.join(place, name) for name in sorted(names) if name.endswith(ENDINGS) and not name.startswith(("_", "."))]
    root = Path(folder).resolve()
    for path in found:
        if not Path(path).resolve().is_relative_to(root):
            raise refuse_file(path, "BR615", "is a link to a file outside of its folder", "copy the file there, or name it by itself")
    if not found:
        raise refuse_file(folder, "BR602", f"holds no file that ends in {', '.join(ENDINGS)}", "give a folder with Parquet files")
    return found


def partitions(paths: Sequence[str], names: Sequence[str]) -> dict[str, list[str | None]]:
    """Of these columns, those that the folders of all files spell: the value of each file."""
    found = [spelled(path) for path in paths]
    return {name: [values[name] for values in found] for name in names if all(name in values for values in found)}


def spelled(path: str) -> dict[str, str | None]:
    """The columns that the folders of a file name, such as `site=a`, and their values."""
    pairs = [part.split("=", 1) for part in Path(path).parent.parts if "=" in part]
    return {unquote(key): None if value == NO_VALUE else unquote(value) for key, value in pairs if key}
