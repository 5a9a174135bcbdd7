"""The front end as tests reach it: node, the packages that were installed for it, and its core
built for node.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

FRONTEND = Path(__file__).parents[2] / "frontend"
BUNDLE = Path(__file__).parents[2] / "src" / "baserate" / "reports" / "bundle"


def node(*words, **options):
    """What node says; skipped where it, or what `make report-ui` installs, is missing."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("needs node")
    if not (FRONTEND / "node_modules" / "esbuild").is_dir():
        pytest.skip("needs the front end's packages: make report-ui")
    done = subprocess.run(
        [program, *map(str, words)],
        cwd=FRONTEND,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
