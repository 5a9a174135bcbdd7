"""Writes docs/bad-inputs.md from the tests of bad inputs: `python docs/bad_inputs.py`. A test holds
the page to what this gives.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.bad_inputs import rows  # noqa: E402 (the tests lie beside the docs, not in the package)

PAGE = Path(__file__).with_name("bad-inputs.md")
HEAD = """# Bad and odd inputs

Written from the tests by `python docs/bad_inputs.py`: every row was tried, and shows the very lines that the program says. A refusal is one
line with a [code](codes.md), the place, and how to fix it; nothing is printed or written beside it. A note stands on standard error and in
the JSON. What is wrong in several independent places is reported in one run, up to twenty lines.
"""  # noqa: E501
TABLE = "| # | given | answer | code | said |\n|---|---|---|---|---|"
KINDS = {"error": "refused", "note": "accepted, with a note", "stopped": "stopped"}


def page() -> str:
    """The whole page."""
    found = rows.everything()
    sections = [
        f"## {title}\n\n{TABLE}\n" + "".join(f"{_line(found[n])}\n" for n in numbers)
        for title, (_, numbers) in rows.SECTIONS.items()
    ]
    return "\n".join([HEAD, *sections])


def _line(found: rows.Row) -> str:
    if found.tried is None:
        return (
            f'| {found.number} | {_cell(found.given)} | later, in the issue "{found.waits}":'
            f" {found.why} | | |"
        )
    said = [line for one in (found, *rows.ADDED.get(found.number, ())) for line in rows.shown(one)]
    answers = dict.fromkeys(KINDS.get(line.split()[0].rstrip(";"), "accepted") for line in said)
    codes = dict.fromkeys(filter(None, map(rows.code_of, said)))
    why = f" ({found.why})" if found.why else ""
    shown = "<br>".join(f"`{_cell(line)}`" for line in said)
    return (
        f"| {found.number} | {_cell(found.given)} | {'; '.join(answers)}{why} | {' '.join(codes)} |"
        f" {shown} |"
    )


def _cell(text: str) -> str:
    """Text within a table, where a pipe would begin a new cell."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
