"""Writes docs/promises.md from the recorded campaigns (campaigns/P*.json): `python
docs/promises.py`. A test holds the page to what this gives.
"""

import json
import sys
from pathlib import Path
from typing import Any

from scipy.special import betaincinv

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("promises.md")
sys.path.insert(0, str(ROOT))

from campaigns.promises import PROMISES, Promise  # noqa: E402 (beside the docs, not in the package)

HEAD = """# Thirty promises, and what shows them

What baserate promises, how often each promise was tested, and what that shows. The page is written by `python docs/promises.py` from the records in
`campaigns/P*.json`. `make campaigns` runs every one of them to its full
size, at most two hours of processor time each, and goes on where it stopped; `python campaigns/run.py P11 --seconds 60` runs one of them
for a minute. A *trial* is what the table says; the bound is the one-sided 95 % limit of Clopper and Pearson on the share of trials that fail:
no failure in n trials leaves at most about 3/n. Drawn trials are new ones, so the bound is about trials drawn in the same way, not about
every use there is; for fixed tests, which are run once, no bound is given.
"""  # noqa: E501
FIXED = (2, 5, 7, 12, 16, 17, 18, 22, 27, 28)


def page() -> str:
    """The whole page."""
    lines = [
        HEAD,
        "| P | promise | a trial | seen | bounds | full size | run |",
        "|---|---|---|---|---|---|---|",
        *(_line(number, promise) for number, promise in PROMISES.items()),
    ]
    failed = [
        f"- P{number}: `{_cell(wrong)}`"
        for number in PROMISES
        for wrong in _recorded(number).get("wrong", [])[:5]
    ]
    tail = ["\n## What failed\n", *(failed or ["Nothing in the trials recorded here."])]
    return "\n".join([*lines, *tail]) + "\n"


def _recorded(number: int) -> dict[str, Any]:
    path = ROOT / "campaigns" / f"P{number}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _line(number: int, promise: Promise) -> str:
    found = _recorded(number)
    if not found:
        why = promise.also if not promise.goal else "Not recorded yet."
        return f"| {number} | {promise.text} | {promise.trial} | {why} | | {promise.goal or ''} | |"
    trials, failures = found["trials"], found["failures"]
    seen = f"{failures} failures in {trials:,} trials. {promise.also}".strip()
    bound = "" if number in FIXED else f"at most {100 * upper_bound(failures, trials):.2g} %"
    size = "reached" if found.get("whole") or trials >= promise.goal else f"{promise.goal:,}: later"
    run = f"{found['date']}, {found['commit']}: `python campaigns/run.py P{number}`"
    cells = [str(number), promise.text, promise.trial, seen, bound, size, run]
    return f"| {' | '.join(cells)} |"


def upper_bound(failures: int, trials: int) -> float:
    """The one-sided 95 % limit of Clopper and Pearson."""
    return float(betaincinv(failures + 1, trials - failures, 0.95)) if failures < trials else 1.0


def _cell(text: str) -> str:
    return text.replace("`", "'")[:200]


if __name__ == "__main__":
    PAGE.write_text(page())
