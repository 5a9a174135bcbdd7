"""Score a tool's answers against the reference set. Needs Python alone.

    python reference/check.py answers.json                 a table, one line for each question
    python reference/check.py answers.json --worst 20      and the answers that are furthest off
    python reference/check.py answers.json --digits 12     exit status 1 if any has fewer digits

`answers.json` is {"tool": …, "version": …, "answers": {data set: tree}}, where a tree has the shape
of "answers" in the files of `answers/`: leave out what the tool does not offer, and write null
where it says that a value is undefined. Numbers may be JSON numbers or text such as "2/3".

The score of an answer is the log relative error, as in NIST's Statistical Reference Datasets:
−log10(|answer − truth| / |truth|), about the number of right digits; of |answer| where the truth is
0; 16 where the answer is the float64 nearest to the truth; 0 where it is off by its own size or
more. The score of a curve or an interval is that of its worst number.
"""

import argparse
import json
import math
import statistics
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).parent
FULL = 16.0
SMALLEST = Fraction(1, 2**1022)
INVENTED, WITHHELD, SHAPE = "number for undefined", "undefined for a number", "other length"


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("answers", type=Path)
    options.add_argument("--worst", type=int, default=0, metavar="N")
    options.add_argument("--digits", type=float, default=0.0, metavar="D")
    options.add_argument("--json", action="store_true", help="print the scores as JSON")
    given = options.parse_args()
    tool = json.loads(given.answers.read_text())
    results = scored(tool["answers"])
    if given.json:
        print(record(tool, results))
        return
    print(table(summary(results)))
    for result in sorted(results, key=lambda one: one["digits"])[: given.worst]:
        print(f"{result['digits']:5.1f}  {result['set']}  {result['path']}  {result['why']}")
        print(f"       truth {cut(result['truth'])}\n       given {cut(result['given'])}")
    sys.exit(1 if any(one["digits"] < given.digits for one in results) else 0)


def cut(value):
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:197]}…"


def scored(answers, folder=HERE):
    """One result for each answer that the tool gives: set, path, question, digits, why."""
    results = []
    for file in sorted((folder / "answers").glob("*.json")):
        reference = json.loads(file.read_text())
        given = dict(walked(answers.get(reference["name"], {})))
        for path, truth in walked(reference["answers"]):
            if path in given:
                digits, why = compared(truth, given[path])
                results.append(
                    {
                        "set": reference["name"],
                        "path": "/".join(path),
                        "question": question(path),
                        "digits": digits,
                        "why": why,
                        "truth": truth,
                        "given": given[path],
                    }
                )
    return results


def walked(tree, path=()):
    """(path, answer) of every leaf."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from walked(value, (*path, key))
    else:
        yield path, tree


def question(path):
    """What is asked, whatever the set, threshold and conditions."""
    return f"{path[0]}/{path[-1]}"


def compared(truth, given):
    """The score of one answer, and what is wrong with it other than its digits."""
    if isinstance(truth, list) and isinstance(given, list):
        if len(truth) != len(given):
            return 0.0, SHAPE
        return min((compared(*pair) for pair in zip(truth, given, strict=True)), default=(FULL, ""))
    if truth is None or given is None:
        if truth is None and given is None:
            return FULL, ""
        return 0.0, WITHHELD if given is None else INVENTED
    return digits(number(truth), number(given)), ""


def number(value):
    """A fraction, or an infinite float."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    infinite = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
    if str(value) in infinite:
        return infinite[str(value)]
    return Fraction(value)


def digits(truth, given):
    if isinstance(truth, float) or isinstance(given, float):
        return FULL if truth == given else 0.0
    if given == truth or given == nearest(truth):
        return FULL
    # Below the normal numbers of float64 the distance of its neighbours stays the same.
    error = abs(given - truth) / (max(abs(truth), SMALLEST) if truth else 1)
    # A logarithm of a fraction of any size, in floats.
    power = math.log10(error.numerator) - math.log10(error.denominator)
    return min(FULL, max(0.0, -power))


def nearest(value):
    """The float64 nearest to a fraction, as a fraction."""
    try:
        return Fraction(value.numerator / value.denominator)
    except OverflowError:
        return value


def summary(results):
    """One row for each question."""
    rows = defaultdict(list)
    for result in results:
        rows[result["question"]].append(result)
    return {
        name: {
            "answers": len(found),
            "nearest": sum(one["digits"] == FULL for one in found),
            "least digits": round(min(one["digits"] for one in found), 1),
            "median digits": round(statistics.median(one["digits"] for one in found), 1),
            **{why: sum(one["why"] == why for one in found) for why in (INVENTED, WITHHELD, SHAPE)},
        }
        for name, found in rows.items()
    }


def record(tool, results):
    """The scores as JSON, with the answer that is furthest off for each question."""
    worst, under = {}, defaultdict(int)
    for one in sorted(results, key=lambda one: -one["digits"]):
        worst[one["question"]] = {key: one[key] for key in ("set", "path")} | {
            key: cut(one[key]) for key in ("truth", "given")
        }
        under[one["question"]] += one["digits"] < 6
    rows = {
        name: row
        | {"under 6 digits": under[name]}
        | ({"worst": worst[name]} if row["nearest"] < row["answers"] else {})
        for name, row in summary(results).items()
    }
    digits = [one["digits"] for one in results]
    head = {"tool": tool["tool"], "version": tool["version"], "set": version()}
    head |= {f"{least} digits": sum(one >= least for one in digits) for least in (6, 10, 14, 16)}
    head |= {"answers": len(digits), "questions": rows}
    return json.dumps(head, indent=1, ensure_ascii=False)


def version(folder=HERE):
    return json.loads((folder / "index.json").read_text())["version"]


def table(rows):
    """The rows as text."""
    heads = [
        "question",
        "answers",
        "nearest",
        "least digits",
        "median digits",
        INVENTED,
        WITHHELD,
        SHAPE,
    ]
    lines = [heads, *([name, *map(str, row.values())] for name, row in rows.items())]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


if __name__ == "__main__":
    main()
