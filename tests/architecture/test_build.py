"""Installing from a clean copy of the sources, with and without a compiler."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WANTED = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture
def clean(tmp_path):
    """The sources without anything built."""
    ignore = shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")
    for name in WANTED:
        source = ROOT / name
        (
            shutil.copytree(source, tmp_path / "copy" / name, ignore=ignore)
            if source.is_dir()
            else shutil.copy(source, tmp_path / "copy")
        )
    return tmp_path / "copy"


def wheel_of(folder, **environment):
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder / "out"),
        str(folder),
    ]
    subprocess.run(
        command, env={**os.environ, **environment}, check=True, capture_output=True, timeout=300
    )
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


def version_from(wheel, folder):
    """What a program that was installed from this wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    run = subprocess.run(
        [sys.executable, "-c", "from baserate.cli.main import main; main(['--version'])"],
        env={**os.environ, "PYTHONPATH": str(folder / "site")},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def test_a_wheel_has_one_extension_for_every_python(clean):
    if not shutil.which(os.environ.get("CC", "cc")):
        pytest.skip("needs a C compiler")
    wheel = wheel_of(clean)
    assert "-cp311-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert any("_kernels.abi3" in name for name in names)
    assert "baserate/py.typed" in names
    assert not [name for name in names if name.startswith("tests")]
    assert "counting in C" in version_from(wheel, clean)


def test_without_a_compiler_the_install_succeeds_on_numpy_and_says_so(clean):
    wheel = wheel_of(clean, CC="/no/such/compiler", CXX="/no/such/compiler")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if "_kernels.abi3" in name]
    assert "counting in NumPy" in version_from(wheel, clean)


def test_the_bill_of_materials_is_that_of_the_lock():
    written = json.loads((ROOT / "requirements" / "sbom.json").read_text())
    script = runpy.run_path(str(ROOT / "requirements" / "sbom.py"))
    assert written == script["bill"](), "run: python requirements/sbom.py"
    names = {part["name"] for part in written["components"]}
    assert names == {"click", "duckdb", "narwhals", "numpy", "scipy", "setuptools"}
    assert all(part["externalReferences"][0]["hashes"] for part in written["components"])


def test_what_make_quick_runs_is_there():
    listed = re.findall(r"(?<=[ =\t])tests/[\w/.]+", (ROOT / "Makefile").read_text())
    assert listed
    assert [path for path in listed if not (ROOT / path).exists()] == []
