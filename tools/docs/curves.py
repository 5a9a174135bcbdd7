"""Write docs/reference/curves.md from the docstrings of curves and summaries.

A test compares the page with what this writes.
"""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import baserate as br
from baserate.curves.named import CURVES
from baserate.curves.summaries import SUMMARIES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "curves.md"
HEAD = """# Curves and summaries

A curve is two measures along the thresholds, or one measure along the conditions. A summary is one number for a whole curve; `value.name` is its
name with its parameters. `x, y, thresholds = curve` unpacks a curve, `to_dict`, `to_frame` and `--csv` export it, `plot()` draws it (see the
[gallery](gallery.md)), and `densified(pixels)` adds points between two thresholds (a straight line in ROC space, and in few others). The page is
written from the docstrings by `python tools/docs/curves.py`; every example is run by the tests.

On the command line: `baserate curve NAME scores.csv --label y --score m1 --prior 0.1%`, as a table, `--csv` or `--json`; NAME is in brackets
below, or two [measures](measures.md) as `y:x`. With `--svg FILE` it is drawn; `--isolines precision=0.1,0.5` and `--baseline` add lines to a
ROC, `--band` a confidence band, `--log` makes the horizontal axis logarithmic.
"""  # noqa: E501
OTHERS = (
    br.curve,
    br.curves.cost_lines,
    br.curves.to_broc,
    br.curves.isoline,
    br.curves.iso_cost_line,
    br.curves.ideal_baseline,
)


def page() -> str:
    """The whole page."""
    parts = [HEAD, "## Named curves\n"]
    parts += [
        _section(entry.make, f"`{entry.make.__name__}` [{name}]") for name, entry in CURVES.items()
    ]
    parts += [
        "## Any curve, families and geometry\n",
        *(_section(function, f"`{function.__name__}`") for function in OTHERS),
    ]
    parts += [
        "## Summaries\n",
        *(_section(entry.function, f"`{name}`") for name, entry in SUMMARIES.items()),
    ]
    parts += [
        "## Several classes\n",
        *(_section(function, f"`{function.__name__}`") for function in (br.count_classes,)),
    ]
    return "\n".join(parts)


def _section(function: Callable[..., Any], title: str) -> str:
    text, _, example = (inspect.getdoc(function) or "").partition("\n>>> ")
    question, *rest = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
    prose = "\n\n".join(rest)
    return f"### {title}\n\n**{question}**\n\n{prose}\n\n```python\n>>> {example.strip()}\n\n```\n"


if __name__ == "__main__":
    PAGE.write_text(page())
