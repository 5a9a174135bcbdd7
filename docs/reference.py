"""Writes what follows from the table of public names in `baserate/__init__.py`: its stub for type
checkers, and docs/reference.md.
"""

import inspect
import textwrap
from pathlib import Path

import baserate as br

ROOT = Path(__file__).parents[1]
STUB = ROOT / "src" / "baserate" / "__init__.pyi"
PAGE = ROOT / "docs" / "reference.md"
HEAD = """# Every public name

Written from the table in `src/baserate/__init__.py` by `python docs/reference.py`.
`help(br.choose)` has parameters and an example. More: [curves and summaries](curves.md),
[measures](measures.md), [learners for scikit-learn](learners.md).
"""


def stub() -> str:
    """What type checkers read instead of the package, which loads names at their first use."""
    lines = []
    for module, names in sorted(br.PUBLIC.items()):
        listed = "".join(f"    {name} as {name},\n" for name in sorted(names))
        lines.append(f"from baserate.{module} import (\n{listed})\n")
    return "".join(lines) + "\n__version__: str\nPUBLIC: dict[str, tuple[str, ...]]\n"


def page() -> str:
    """Every name with the first sentence of its help, by the folder that it lives in."""
    parts = [HEAD]
    for folder in dict.fromkeys(module.split(".")[0] for module in sorted(br.PUBLIC)):
        names = [
            name
            for module, several in br.PUBLIC.items()
            if module.split(".")[0] == folder
            for name in several
        ]
        rows = [f"| `{name}` | {_first(name)} |" for name in sorted(names, key=str.casefold)]
        parts.append("\n".join([f"## {folder}\n", "| name | |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def _first(name: str) -> str:
    paragraph = (inspect.getdoc(getattr(br, name)) or "").split("\n\n")[0]
    return textwrap.shorten(" ".join(paragraph.split()).replace("|", "\\|"), 400)


if __name__ == "__main__":
    STUB.write_text(stub())
    PAGE.write_text(page())
