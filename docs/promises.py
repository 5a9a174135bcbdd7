"""Writes docs/promises.md from the recorded campaigns (campaigns/P*.json): `python
docs/promises.py`. A test holds the page to what this gives.
"""

import json
import re
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
every use there is; for fixed tests, which are run once, no bound is given. **Holds**: no failure at full size; *so far*: no failure yet in
fewer trials; **fails**: see [what failed](#what-failed); not yet: nothing is tried here.
"""  # noqa: E501
COVERAGE, MUTANTS = 3, 29
FIXED = (2, 5, 7, 12, 16, 17, 18, 27, 28)


def page() -> str:
    """The whole page."""
    lines = [
        HEAD,
        "| P | promise | holds | seen | bounds | a trial | full size | run |",
        "|---|---|---|---|---|---|---|---|",
        *(_line(number, promise) for number, promise in PROMISES.items()),
    ]
    return "\n".join([*lines, "\n## What failed\n", *_failed()]) + "\n"


def _failed() -> list[str]:
    """Up to five failures of a promise; of mutants all, with what is known of them."""
    known = json.loads((ROOT / "campaigns" / "survivors.json").read_text())
    lines = list[str]()
    for number in PROMISES:
        wrong = _recorded(number).get("wrong", [])
        for one in wrong if number == MUTANTS else wrong[:5]:
            place = re.sub(r":\d+ ", " ", one.partition(": ")[2])
            why = f": {known[place]}" if place in known else ""
            lines.append(f"- P{number}: `{_cell(one)}`{why}")
        if number != MUTANTS and len(wrong) > 5:
            lines.append(f"- P{number}: and {_recorded(number)['failures'] - 5} more")
    return lines or ["Nothing in the trials recorded here."]


def _recorded(number: int) -> dict[str, Any]:
    path = ROOT / "campaigns" / f"P{number}.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def _line(number: int, promise: Promise) -> str:
    found, size = _recorded(number), f"{promise.goal:,}" if promise.goal else ""
    if not found:
        seen = promise.also if not promise.goal else f"Not recorded yet. {promise.also}".strip()
        cells = [str(number), promise.text, "not yet", seen, "", promise.trial, size, ""]
        if number == COVERAGE:
            cells[2] = "in part"
        return f"| {' | '.join(cells)} |"
    trials, failures = found["trials"], found["failures"]
    seen = f"{failures} {'failure' if failures == 1 else 'failures'} in {trials:,} trials."
    if number == MUTANTS and "at_first" in found:
        seen += f" ({found['at_first']} at first; tests were then added for some of them.)"
    bound = "" if number in FIXED else f"at most {100 * upper_bound(failures, trials):.2g} %"
    whole = found.get("whole") or trials >= promise.goal
    holds = "**fails**" if failures else "**holds**" if whole else "so far"
    run = f"{found['date']}, {found['commit']}: `python campaigns/run.py P{number}`"
    cells = [str(number), promise.text, holds, f"{seen} {promise.also}".strip(), bound,
             promise.trial, "reached" if whole else f"{size}: later", run]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def upper_bound(failures: int, trials: int) -> float:
    """The one-sided 95 % limit of Clopper and Pearson."""
    return float(betaincinv(failures + 1, trials - failures, 0.95)) if failures < trials else 1.0


def _cell(text: str) -> str:
    return text.replace("`", "'")[:200]


if __name__ == "__main__":
    PAGE.write_text(page())
