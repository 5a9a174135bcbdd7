"""Files that would run code if they were loaded: none is, whatever it is called and however it is
packed.
"""

import gzip
import io
import json
import pickle
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from tests.read.tables import read_source

import baserate as br
from baserate.read import streams

NAMES = (
    "a.csv",
    "a.dat",
    "a.parquet",
    "a.arrow",
    "a.npz",
    "a.jsonl",
    "a.db",
    "a.duckdb",
    "a.npy",
    *(f"a{ending}" for ending in streams.RUNS_CODE),
)


class Trap:
    """An object whose pickle writes a file when it is loaded."""

    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return (open, (str(self.place), "w"))


def array_of_objects(place):
    out = io.BytesIO()
    np.save(out, np.array([Trap(place)] * 3, dtype=object), allow_pickle=True)
    return out.getvalue()


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return out.getvalue()


def traps(place):
    """Bytes that run code, by what writes them."""
    pickles = {
        f"pickle {protocol}": pickle.dumps(Trap(place), protocol=protocol) for protocol in range(6)
    }
    plain = pickles["pickle 4"]
    return pickles | {
        "joblib, compressed": zlib.compress(plain),
        "gzip": gzip.compress(plain),
        "torch": archive(**{"archive/data.pkl": plain}),
        "npy of objects": array_of_objects(place),
        "npz of objects": archive(
            **{"y.npy": array_of_objects(place), "s.npy": array_of_objects(place)}
        ),
        "npz of pickles": archive(**{"y.npy": plain, "s.npy": plain}),
        "yaml": f"y: !!python/object/apply:builtins.open ['{place}', 'w']\ns: 1\n".encode(),
        "R": b"RDX3\nX\n" + plain,
        "counts": b"baserate-counts-file-" + plain,
    }


WATCHED = """
import json, os, sys, tempfile
from baserate.read import source
from baserate.read.table import ColumnRoles
from baserate.errors import InputError
events = []
OF_FOLDERS = ("os.mkdir", "os.rmdir", "shutil.rmtree")
OURS = os.path.join(tempfile.gettempdir(), "baserate-")
def watch(event, given):
    if not event.startswith(("pickle.", "os.", "subprocess.", "socket.", "shutil.")):
        return
    # A temporary folder of ours is made and removed.
    if event not in OF_FOLDERS or not os.fspath(given[0]).startswith(OURS):
        events.append(event)
sys.addaudithook(watch)
refused = 0
for path in json.load(sys.stdin):
    events.clear()
    try:
        with source.open_cases([path], ColumnRoles("y", ("s",)), source.Options()):
            pass
    except InputError as error:
        refused += 1
    found = set(events) - {"os.scandir", "os.listdir", "os.remove", "os.putenv", "os.walk"}
    assert not found, (path, found)
print(refused)
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Every trap under every name, and where the code would write if it ran."""
    folder = tmp_path_factory.mktemp("hostile")
    place = folder / "it ran"
    paths = []
    for number, content in enumerate(traps(place).values()):
        (folder / str(number)).mkdir()
        for name in NAMES:
            path = folder / str(number) / name
            path.write_bytes(content)
            paths.append(str(path))
    return paths, place


def test_nothing_is_unpickled_or_run_while_hostile_files_are_read(hostile):
    paths, place = hostile
    done = subprocess.run(
        [sys.executable, "-c", WATCHED],
        input=json.dumps(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) == len(paths)
    assert not place.exists()


@pytest.mark.parametrize("ending", streams.RUNS_CODE)
def test_endings_of_formats_that_run_code_are_refused_whatever_the_bytes_say(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"y,s\n0,0.1\n1,0.2\n")
    with pytest.raises(br.InputError, match="can run code when it is loaded: not read") as caught:
        read_source(str(path))
    assert caught.value.code == "BR705"


@pytest.mark.parametrize(
    "name", ["pickle 2", "pickle 3", "pickle 4", "pickle 5", "gzip", "torch", "npz of objects", "R"]
)
def test_bytes_that_run_code_are_refused_whatever_the_name_says(tmp_path, name):
    path = tmp_path / "a.csv"
    path.write_bytes(traps(tmp_path / "it ran")[name])
    with pytest.raises(br.InputError, match="can run code") as caught:
        read_source(str(path))
    assert caught.value.code == "BR705"
    assert not (tmp_path / "it ran").exists()


WEKA = "baserate_studies/weng/scores.py"


def test_the_sources_load_nothing_that_runs_code():
    sources = Path(br.__file__).parents[1]
    paths = [
        path
        for path in sources.rglob("*.py")
        if path.parts[len(sources.parts)].startswith("baserate")
    ]
    texts = {path.relative_to(sources).as_posix(): path.read_text() for path in paths}
    words = (
        "import pickle",
        "joblib",
        "allow_pickle=True",
        "np.load(",
        "yaml.",
        "marshal.loads",
        " eval(",
        " exec(",
        "__import__(",
    )
    found = {(name, word) for name, text in texts.items() for word in words if word in text}
    # The ranks of Weka's scores are data of the package itself, read with allow_pickle=False.
    assert found <= {("baserate/read/streams.py", "joblib"), (WEKA, "np.load(")}
    assert "np.load(file, allow_pickle=False)" in texts[WEKA]
