"""Write docs/reference/python.md from the stubs of the namespaces (every public name)."""

import importlib
import inspect
import textwrap
from pathlib import Path

import baserate as br
import baserate_learners

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
HEAD = """# Every public name

All public functions and classes, one line each; `help(br.choose)` has parameters and an example.
See also [curves and summaries](curves.md), [measures](measures.md) and
[learners for scikit-learn](../guides/learners.md). The page is written from the stubs
(`src/baserate/__init__.pyi` and others) by `python tools/docs/reference.py`.

| command | in Python |
|---|---|
| `choose`, `show` | `choose`, `measure`, `summary`, `interval` |
| `compare` | `compare` |
| `table`, `curve` | `table`, `curve` |
| `slices` | `segments.by_group`, `segments.by_day` |
| `triage` | `robustness.triage` |
| `report` | `report(…).save("report.html")` |
| `calc` | `calc`, `solve_rates`, `Confusion` |
| `plan` | `plan` |
| `prior` | `estimate_prior` |
| `gate` | `require`, `non_inferiority` |
| `count` | `count`, `Counts.save`, `load` |
"""


def page() -> str:
    """Every name with the first sentence of its help, by namespace."""
    parts = [HEAD]
    for space in ("", *br.NAMESPACES):
        names = list(br.read_stub(br.stub_of(space)))
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
    PAGE.write_text(page())
