"""Writes frontend/src/core/registry.ts from the tables of measures and curves, for the page of a
report: `python frontend/registry.py`. A test holds the file to what this gives.
"""

import json
from pathlib import Path

from baserate.curves.named import CURVES, axis_label
from baserate.measures.confusion import CATALOGUE
from baserate.measures.registry import Definition, plain_name

FILE = Path(__file__).parent / "src" / "core" / "registry.ts"
HEAD = (
    "// Written from the tables of Python by `python frontend/registry.py`: not edited by hand.\n"
)
# What the page shows, and reads in rules that people move: those that core/measures.ts has formulas
# for. `baserate choose` knows all.
MEASURES = (
    *("tpr", "fpr", "tnr", "fnr", "precision", "npv", "fdr", "posfrac", "accuracy", "error", "f1"),
    *("lift", "nne", "expected_cost", "alerts", "caught", "missed", "false_alarms", "volume_cost"),
)
# The curves that the page draws.
CHARTS = ("roc", "broc", "pr", "posfrac", "cost")


def measure(entry: Definition) -> list[object]:
    """What the page knows of a measure, apart from its formula, in the order of `Definition` in
    core/catalogue.ts.
    """
    return [
        entry.direction,
        entry.prior,
        entry.range,
        entry.per_volume,
        entry.heading,
        [plain_name(word) for word in entry.synonyms],
    ]


def curve(name: str) -> dict[str, object]:
    """What the page knows of a curve, apart from where it draws a point; columns and axes of the
    page go by the same words.
    """
    words = [
        CATALOGUE[axis].heading
        if axis in CATALOGUE and CATALOGUE[axis].heading != axis
        else axis_label(axis)
        for axis in CURVES[name].axes
    ]
    return {"title": CURVES[name].title, "x": words[0], "y": words[1]}


def text() -> str:
    """The whole file."""
    tables: dict[str, dict[str, object]] = {
        "MEASURES": {name: measure(CATALOGUE[name]) for name in MEASURES},
        "CURVES": {name: curve(name) for name in CHARTS},
    }
    return HEAD + "".join(
        f"export const {name} = {{\n"
        + "".join(
            f"  {key}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in table.items()
        )
        + "} as const;\n"
        for name, table in tables.items()
    )


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
