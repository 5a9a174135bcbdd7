"""Write docs/reference/bad-inputs.md from the tests of bad inputs.

A test compares the page with what this writes.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.bad_inputs import rows  # noqa: E402 (the tests lie beside the docs, not in the package)

PAGE = ROOT / "docs" / "reference" / "bad-inputs.md"
HEAD = """# Bad and odd inputs

What baserate answers to 150 bad and odd inputs: it accepts them, accepts them with a note, or refuses them. A refusal is one line with a
[code](codes.md), the place, and how to fix it, and nothing else is printed or written. Notes are printed on standard error and are in the JSON.
Problems in several independent places are reported in one run, up to twenty lines. The page is written from the tests by
`python tools/docs/bad_inputs.py`, which try every row and record the lines that are printed.
"""  # noqa: E501
TABLE = "| # | given | answer | code | printed |\n|---|---|---|---|---|"
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
    codes = dict.fromkeys(filter(None, map(_code_of, said)))
    why = f" ({found.why})" if found.why else ""
    shown = "<br>".join(f"`{_cell(line)}`" for line in said)
    return (
        f"| {found.number} | {_cell(found.given)} | {'; '.join(answers)}{why} | {' '.join(codes)} |"
        f" {shown} |"
    )


def _code_of(line: str) -> str:
    """The code of an error or note; nothing for an answer."""
    found = rows.ERROR.fullmatch(line) or rows.NOTE.fullmatch(line)
    return found[1] if found else ""


def _cell(text: str) -> str:
    """Text within a table, where a pipe would begin a new cell."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page())
