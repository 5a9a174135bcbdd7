"""Locks what `make` installs: every version and hash, for every Python from 3.11 and every platform. Names no registry."""  # noqa: E501

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LOCKS = {
    "run.txt": [str(HERE / "run.in")],
    "dev.txt": [
        str(HERE / "run.in"),
        str(HERE.parent / "pyproject.toml"),
        "--extra",
        "dev",
        "--extra",
        "all",
    ],
    # The same versions as in dev.txt, which is written before.
    "quick.txt": [str(HERE / "quick.in"), "--constraints", str(HERE / "dev.txt")],
}


def main() -> None:
    """Write every file again with the newest versions."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, "uv"],
            check=True,
        )
        options = [
            "--universal",
            "--python-version",
            "3.11",
            "--generate-hashes",
            "--no-header",
            "--no-emit-index-url",
            "--upgrade",
            "--quiet",
        ]
        for name, sources in LOCKS.items():
            subprocess.run(
                [f"{folder}/bin/uv", "pip", "compile", *sources, *options, "-o", str(HERE / name)],
                check=True,
            )


if __name__ == "__main__":
    main()
