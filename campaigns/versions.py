"""The same answers with other versions of Python and of the packages: run by each interpreter for
which baserate is installed.

    python campaigns/versions.py               commands and tests: campaigns/versions.json
    python campaigns/versions.py tests/counts  these tests only

A command's file is compared with that of the first interpreter in the record: its digest is the
same, or it is listed. Tests are those that need no browser, no cluster and no server.
"""

import hashlib
import json
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from campaigns.run import WRITING, commit, ended, write_models  # noqa: E402 (no package is here)

RECORD = Path(__file__).with_name("versions.json")
PACKAGES = ("numpy", "scipy", "duckdb", "narwhals", "click", "pyarrow", "pandas", "polars",
            "scikit-learn")  # fmt: skip
TESTS = ("tests/kernels", "tests/counts", "tests/measures", "tests/curves", "tests/decisions",
         "tests/shift", "tests/api", "tests/bad_inputs", "tests/published",
         *(f"tests/cli/test_{name}.py" for name in ("main", "defaults", "lost_streams", "choose")),
         "tests/test_reference_set.py")  # fmt: skip


def files() -> dict[str, str]:
    """The digest of what each command writes."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        write_models(Path(name), rows=2_000)
        for words in WRITING:
            done, out = ended(words, Path(name)), Path(name) / "out"
            assert done.returncode == 0, done.stderr
            found[words[0]] = hashlib.sha256(out.read_bytes()).hexdigest()
            out.unlink()
    return found


def tested(names: tuple[str, ...]) -> tuple[dict[str, int], list[str]]:
    """How many tests passed, failed and were skipped; and which failed."""
    words = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", *names]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    summary = next(line for line in reversed(lines) if " in " in line).replace(",", "").split()
    seen = {word: int(number) for number, word in pairwise(summary) if number.isdecimal()}
    return seen, [line for line in lines if line.startswith(("FAILED", "ERROR"))]


def main(*names: str) -> int:
    row: dict[str, Any] = {
        "python": platform.python_version(),
        "system": platform.freedesktop_os_release()["PRETTY_NAME"],
        "packages": {name: version(name) for name in PACKAGES},
        "commit": commit(),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "files": files(),
    }
    row["tests"], row["failed"] = tested(names or TESTS)
    known = json.loads(RECORD.read_text()) if RECORD.exists() else []
    same = ("python", "system", "packages")
    for place, one in enumerate(known):
        if all(one[name] == row[name] for name in same):
            known[place] = row
            break
    else:
        known.append(row)
    RECORD.write_text(json.dumps(known, indent=1) + "\n")
    others = [name for name, digest in row["files"].items() if digest != known[0]["files"][name]]
    print(row["python"], row["tests"], "other bytes:", others or "none", *row["failed"], sep="\n")
    return 1 if others or row["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
