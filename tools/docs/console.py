"""Run every console block of README and docs and write what is printed into it.

`python tools/docs/console.py [FILE …]`. The tests compare the blocks with what the commands print.
Read the difference before you commit it.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
STEP = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", flags=re.MULTILINE)


def refreshed(block: str) -> str:
    """The block with the output that its commands have now."""
    with tempfile.TemporaryDirectory() as folder:
        return "".join(
            f"$ {command}\n{_output(command, shown, Path(folder))}"
            for command, shown in STEP.findall(block)
        )


def _output(command: str, shown: str, folder: Path) -> str:
    words = shlex.split(command)
    if words[0] == "cat":
        (folder / words[1]).write_text(shown)
        return shown
    program = (
        ("-m", "baserate", *words[1:])
        if words[0] == "baserate"
        else (str(ROOT / "tools" / "docs" / words[1]),)
    )
    run = subprocess.run(
        [sys.executable, *program],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = run.stdout.rstrip()
    return f"{printed}\n" if printed else ""


def main() -> None:
    """Refresh the documents named, or all of them."""
    for document in [Path(name) for name in sys.argv[1:]] or [
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]:
        text = document.read_text()
        document.write_text(BLOCK.sub(lambda found: f"```console\n{refreshed(found[1])}```", text))


if __name__ == "__main__":
    main()
