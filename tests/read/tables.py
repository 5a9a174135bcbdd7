"""What the tests of typed sources share: from a Table to Counts, as the readers' caller does it,
and mutations read in a child.
"""

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import baserate as br
from baserate.counts.counts import Counts
from baserate.errors import relocate_problems
from baserate.read.cases import CaseColumns, check_cases, count_cases
from baserate.read.columns import as_column
from baserate.read.parquet import open_folder
from baserate.read.source import Options, open_cases, together
from baserate.read.table import ColumnRoles, Table

W = ColumnRoles("y", ("s",))


@dataclass
class Read:
    """The columns of a source, read in this process, and what there is to say of it."""

    columns: dict
    table: Table

    def __getattr__(self, name):
        return getattr(self.table, name)


def read_sources(sources, wanted=W, options=None):
    with open_cases(sources, wanted, options or Options()) as cases:
        table = together(sources[0], cases.parts)
        with relocate_problems(table.place):
            return Read(cases.columns(), table)


def read_source(source, wanted=W):
    return read_sources([source], wanted)


def read_parquet(paths, wanted=W):
    if isinstance(paths, str) and Path(paths).is_dir():
        with open_folder(paths, wanted) as cases:
            return Read(cases.columns(), cases.parts[0])
    return read_sources([paths] if isinstance(paths, str) else paths, wanted)


def read_table(path, asked, wanted=W):
    return read_source(f"{path}::{asked}", wanted)


read_arrow = read_npz = read_source
read_sqlite = read_duckdb = read_alchemy = read_table


def cases_of(table, wanted=W):
    columns = {name: as_column(values, f'"{name}"') for name, values in table.columns.items()}
    given = CaseColumns(
        columns[wanted.label],
        {name: columns[name] for name in wanted.scores},
        columns[wanted.weight] if wanted.weight else None,
        {"group": columns[wanted.group]} if wanted.group else {},
    )
    try:
        return check_cases(given, positive=wanted.positive)
    except br.InputError as error:
        raise error.moved(table.place) from None


def counts_of(table, wanted=W) -> Counts:
    return count_cases(cases_of(table, wanted), wanted.scores[0])


def assert_refused(read, code, match, path=None):
    """One line with a code, a place and a fix."""
    with pytest.raises(br.InputError, match=match) as caught:
        read()
    assert caught.value.code == code
    assert "\n" not in str(caught.value)
    assert "Fix: " in str(caught.value)
    if path is not None:
        assert caught.value.problems[0].where.path == str(path)
    return caught.value.problems[0]


def mutants(kind, path, count, seed=0, asked=""):
    """Read so many mutations of a file in a child; what became of them: read, refused, or something
    that must not be.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.read.tables", kind, str(path), str(count), str(seed), asked],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, (
        f"the child ended with {done.returncode}: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["read"] + found["refused"] == count, found["wrong"][:5]
    return found


def _read(path, asked):
    wanted = replace(W, group="g")
    return read_table(path, asked, wanted) if asked else read_source(path, wanted)


def _child(kind, path, count, seed, asked):
    import faulthandler
    import random
    import tempfile

    from benchmarks.fuzzing.mutations import damaged

    faulthandler.enable()
    data, rng = Path(path).read_bytes(), random.Random(seed)
    found = {"read": 0, "refused": 0, "wrong": []}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, f"mutant{Path(path).suffix}")
        for number in range(count):
            place.write_bytes(damaged(data, [data], rng))
            faulthandler.dump_traceback_later(20, exit=True)  # a hang is a failure with a traceback
            print(number, file=sys.stderr)
            try:
                counts_of(_read(str(place), asked))
                found["read"] += 1
            except br.InputError as error:
                found["refused"] += 1
                if "\n" in str(error.problems[0]) or "Fix:" not in str(error):
                    found["wrong"].append(str(error))
            except BaseException as error:  # noqa: BLE001 (whatever it is, it must not be)
                found["wrong"].append(f"{number}: {type(error).__name__}: {error}")
            faulthandler.cancel_dump_traceback_later()
    print(json.dumps(found))


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
