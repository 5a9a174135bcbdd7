"""Writes what follows from the table of public names in `baserate/__init__.py`: the stubs for type
checkers, one per namespace, and docs/reference.md.
"""

import importlib
import inspect
import textwrap
from pathlib import Path

import baserate as br
import baserate_learners

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference.md"
HEAD = """# Every public name

All public functions and classes, one line each; `help(br.choose)` has parameters and an example.
See also [curves and summaries](curves.md), [measures](measures.md) and
[learners for scikit-learn](learners.md). The page is written from the table in
`src/baserate/__init__.py` by `python docs/reference.py`.

| command | in Python |
|---|---|
| `choose`, `show` | `choose`, `measure`, `summary`, `interval` |
| `compare` | `compare` |
| `table`, `curve` | `table`, `curve` |
| `slices` | `segments.by_group`, `segments.by_day` |
| `triage` | `robustness.triage` |
| `report` | `report(…).save("report.html")` |
| `calc` | `solve_rates`, `Confusion` |
| `plan` | `plan` |
| `prior` | `estimate_prior` |
| `gate` | `require`, `non_inferiority` |
| `count` | `count`, `Counts.save`, `load` |
"""


def stub_path(space: str) -> Path:
    """Where the stub of a namespace lies."""
    home = ROOT / "src" / "baserate" / space
    return home / "__init__.pyi" if home.is_dir() else home.with_suffix(".pyi")


def stub(space: str) -> str:
    """What type checkers read instead of a namespace, which loads names at their first use."""
    lines = []
    for module, names in sorted(br.PUBLIC[space].items()):
        listed = "".join(f"    {name} as {name},\n" for name in sorted(names))
        lines.append(f"from baserate.{module} import (\n{listed})\n")
    if space:
        return "".join(lines)
    spaces = "".join(f"    {name} as {name},\n" for name in sorted(br.NAMESPACES))
    own = (
        "\n__version__: str\nPUBLIC: dict[str, dict[str, tuple[str, ...]]]\n"
        "NAMESPACES: tuple[str, ...]\n\n"
        "def lazily(space: str) -> tuple["
        "Callable[[str], Any], Callable[[], list[str]], list[str]]: ...\n"
    )
    first = "from collections.abc import Callable\nfrom typing import Any\n\n"
    return f"{first}from baserate import (\n{spaces})\n{''.join(lines)}{own}"


def page() -> str:
    """Every name with the first sentence of its help, by namespace."""
    parts = [HEAD]
    for space, modules in br.PUBLIC.items():
        names = [name for several in modules.values() for name in several]
        parts.append(_section(f"baserate.{space}" if space else "baserate", names))
    return "\n".join([*parts, _section("baserate_learners", baserate_learners.__all__)])


def _section(title: str, names: list[str]) -> str:
    home = importlib.import_module(title)
    rows = [
        f"| `{name}` | {_first(getattr(home, name))} |" for name in sorted(names, key=str.casefold)
    ]
    return "\n".join([f"## {title}\n", "| name | |", "|---|---|", *rows, ""])


def _first(value: object) -> str:
    paragraph = (inspect.getdoc(value) or "").split("\n\n")[0]
    return textwrap.shorten(" ".join(paragraph.split()).replace("|", "\\|"), 400)


if __name__ == "__main__":
    for namespace in br.PUBLIC:
        stub_path(namespace).write_text(stub(namespace))
    PAGE.write_text(page())
