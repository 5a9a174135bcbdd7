"""Write docs/evidence/promises.md from the recorded campaigns (campaigns/P*.json).

A test compares the page with what this writes.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from scipy.special import betaincinv

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "evidence" / "promises.md"
sys.path.insert(0, str(ROOT))

from campaigns.promises import FURTHER, PROMISES, Promise  # noqa: E402 (beside the docs)

HEAD = """# Promises, and what shows them

What baserate promises, how often each promise was tested, and what that shows. `python tools/docs/promises.py` writes this page from the records in
`campaigns/P*.json`; `make campaigns` runs every campaign to its full size, at most two hours of processor time each, and goes on where it
stopped; `python campaigns/run.py P11 --seconds 60` runs one for a minute.

- A *trial* is what the table says. The **bound** is the one-sided 95 % limit of Clopper and Pearson on the share of trials that fail: no failure in
  n trials leaves at most about 3/n. It is about trials drawn in the same way, not about every use there is; fixed tests, which are run once, have none.
- **holds**: no failure at full size; *so far*: no failure yet in fewer trials; **fails**: see [what failed](#what-failed); *not yet*: nothing is tried here.
- Every figure is of the commit beside it. A campaign begins again when the sources that it runs change; what was seen before is listed under
  [earlier sources](#earlier-sources).
"""  # noqa: E501
COVERAGE = 3
MUTATED = ("counts", "measures", "read", "decisions", "inference")
MUTANTS = {29: MUTATED, "29-again": MUTATED, "29-c": ("kernels",)}
FIXED = (2, 5, 7, 12, 16, 17, 18, 27, 28, 30, "12-sql", "12-postgres", "13-rows")
COLUMNS = "| P | promise | holds | seen | bounds | a trial | full size | run |"
RULE = "|---|---|---|---|---|---|---|---|"
FURTHER_HEAD = """
## Further campaigns

Trials of another kind for a promise of the table above.
"""
SOAK_HEAD = """
## An hour in one process

`python campaigns/soak.py` (P13): rows are counted, added to a total, saved and loaded again, in one process, for an hour; now and then from a CSV or
a Parquet file. The total is compared with sums that NumPy keeps.
"""  # noqa: E501
VERSIONS_HEAD = """
## Other versions

`python campaigns/versions.py` (P26), by each interpreter for which baserate is installed: the commands on one file, and the tests of counting,
measures, curves, decisions, bad inputs, the reference set and some of the commands. *Same bytes*: of the files that the commands write, those equal to the first row's.
"""  # noqa: E501
EARLIER_HEAD = """
## Earlier sources

What the same campaigns saw before the sources changed.
"""


def page() -> str:
    """The whole page."""
    lines = [HEAD, COLUMNS, RULE, *(_line(*one) for one in PROMISES.items())]
    lines += [FURTHER_HEAD, COLUMNS, RULE, *(_line(*one) for one in FURTHER.items())]
    lines += [SOAK_HEAD, *_soak(), VERSIONS_HEAD, *_versions()]
    lines += ["\n## What failed\n", *_failed(), EARLIER_HEAD, *_earlier()]
    return "\n".join(lines) + "\n"


def _soak() -> list[str]:
    path = ROOT / "campaigns" / "soak.json"
    if not path.exists():
        return ["Not recorded yet."]
    found = json.loads(path.read_text())
    samples = found["samples"]
    warm = samples[max(1, len(samples) // 10) :]
    said = [
        (
            f"{found['date']}, {found['commit']}: {found['turns']:,} turns and"
            f" {found['rows']:,} rows"
            f" in {found['seconds'] // 60} minutes; {len(samples)} looks at the process, the first"
            " tenth of the time left out:"
        ),
        "",
        "| | first | last | lowest | highest |",
        "|---|---|---|---|---|",
    ]
    for name, heading in (
        ("rss_kb", "resident memory, kB"),
        ("descriptors", "open descriptors"),
        ("threads", "threads"),
        ("children", "child processes"),
        ("files", "files in its folders"),
    ):
        seen = [one[name] for one in warm]
        cells = (heading, seen[0], seen[-1], min(seen), max(seen))
        said.append(
            "| " + " | ".join(f"{cell:,}" if cell is not heading else cell for cell in cells) + " |"
        )
    wrong = found["wrong"]
    return [
        *said,
        "",
        f"Wrong: {'; '.join(wrong)}." if wrong else "Every total was exact, and nothing grew.",
    ]


def _versions() -> list[str]:
    """A row for each interpreter, and the tests that failed there."""
    rows = json.loads((ROOT / "campaigns" / "versions.json").read_text())
    lines = [
        "| Python | NumPy | SciPy | DuckDB | pandas | polars | system | same bytes | tests | run |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        same = sum(rows[0]["files"][name] == digest for name, digest in row["files"].items())
        tests = ", ".join(
            f"{row['tests'][word]:,} {word}"
            for word in ("passed", "failed", "skipped")
            if word in row["tests"]
        )
        shown = ("numpy", "scipy", "duckdb", "pandas", "polars")
        cells = [row["python"], *(row["packages"][name] for name in shown), row["system"]]
        cells += [f"{same} of {len(row['files'])}", tests, f"{row['date']}, {row['commit']}"]
        lines.append("| " + " | ".join(cells) + " |")
    failed = [f"- Python {row['python']}: `{_cell(one)}`" for row in rows for one in row["failed"]]
    return [*lines, "", *failed] if failed else lines


def _failed() -> list[str]:
    """What failed, promise by promise, with what is known of it."""
    lines = list[str]()
    for number, promise in (PROMISES | FURTHER).items():
        found = _recorded(number)
        if found.get("failures"):
            lines += [f"### P{number}: {promise.text}", ""]
            lines += _survivors(found) if number in MUTANTS else _listed(found, promise)
    return lines or ["Nothing in the trials recorded here."]


def _listed(found: dict[str, Any], promise: Promise) -> list[str]:
    wrong, more = found["wrong"][:5], found["failures"] - 5
    lines = [f"- `{_cell(one)}`" for one in wrong]
    if more > 0:
        lines.append(f"- and {more} more in `campaigns/P{found['promise']}.json`")
    return [promise.why, "", *lines, ""] if promise.why else [*lines, ""]


def _survivors(found: dict[str, Any]) -> list[str]:
    """Every mutant that survived, with what is known of it."""
    known = json.loads((ROOT / "campaigns" / "survivors.json").read_text())
    rows = [(one, known.get(_place(one), "")) for one in found["wrong"]]
    same = sum(why.startswith("equivalent") for _, why in rows)
    killed, trials = found["trials"] - found["failures"], found["trials"]
    lines = [f"{killed} of {trials} mutants were killed ({100 * killed / trials:.1f} %)."]
    lines += [
        f"Of the {found['failures']} that survived, {same} do the same as the sources whatever the",
        f"input: without these {100 * killed / (trials - same):.1f} % of {trials - same}.",
    ]
    parts = found.get("parts", {})
    lines += [
        f"Of {part}, {before} of {of} were killed in the first run, and {after} with the tests that"
        " there are now."
        for part, (of, before, after) in parts.items()
    ]
    later = [part for part in MUTANTS[found["promise"]] if part not in parts]
    lines += [f"Not judged yet on these sources: {', '.join(later)}."] if later else []
    lines += ["", "| mutant | what is known of it |", "|---|---|"]
    cells = ((_cell(one).replace("|", "\\|"), why) for one, why in rows)
    return [*lines, *(f"| `{one}` | {why} |" for one, why in cells), ""]


def _place(mutant: str) -> str:
    """A mutant without its verdict and line."""
    return re.sub(r":\d+ ", " ", mutant.partition(": ")[2])


def _earlier() -> list[str]:
    rows = [
        f"| {number} | {one['commit']} | {one['date']} | {_seen(one)} |"
        for number in PROMISES | FURTHER
        for one in _recorded(number).get("earlier", [])
    ]
    return ["| P | commit | date | seen |", "|---|---|---|---|", *rows]


def _recorded(number: int | str) -> dict[str, Any]:
    path = ROOT / "campaigns" / f"P{number}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _seen(found: dict[str, Any]) -> str:
    trials, failures = found["trials"], found["failures"]
    return (
        f"{failures} {'failure' if failures == 1 else 'failures'} in {trials:,}"
        f" {'trial' if trials == 1 else 'trials'}."
    )


def _line(number: int | str, promise: Promise) -> str:
    found, size = _recorded(number), f"{promise.goal:,}" if promise.goal else ""
    if not found:
        seen = promise.also if not promise.goal else f"Not recorded yet. {promise.also}".strip()
        cells = [str(number), promise.text, "not yet", seen, "", promise.trial, size, ""]
        if number == COVERAGE:
            cells[2] = "in part"
        return f"| {' | '.join(cells)} |"
    trials, failures = found["trials"], found["failures"]
    bound = "" if number in FIXED else f"at most {100 * upper_bound(failures, trials):.2g} %"
    whole = found.get("whole") or trials >= promise.goal
    holds = "**fails**" if failures else "**holds**" if whole else "so far"
    run = f"{found['date']}, {found['commit']}: `python campaigns/run.py P{number}`"
    cells = [str(number), promise.text, holds, f"{_seen(found)} {promise.also}".strip(), bound,
             promise.trial, "reached" if whole else f"{size}: later", run]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def upper_bound(failures: int, trials: int) -> float:
    """The one-sided 95 % limit of Clopper and Pearson."""
    return float(betaincinv(failures + 1, trials - failures, 0.95)) if failures < trials else 1.0


def _cell(text: str) -> str:
    return " ".join(text.replace("`", "'").split())[:200]


if __name__ == "__main__":
    PAGE.write_text(page())
