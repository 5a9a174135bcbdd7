"""Write docs/reference/measures.md from the registry.

A test compares the page with what this writes.
"""

import math
from pathlib import Path

import baserate as br
from baserate.measures.confusion import CATALOGUE
from baserate.measures.registry import Definition

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "measures.md"
CONFUSION = "br.Confusion(tp=40, fp=60, fn=10, tn=890)"
CONDITIONS = "br.Conditions(prior=0.001, costs=br.Costs(fp=1, fn=100))"
EXAMPLES = {
    "f_beta": "f_beta(beta=2)",
    "weighted_accuracy": "weighted_accuracy(w1=5, w2=1, w3=4, w4=0)",
}
HEAD = f"""# The measures

Every measure with its formula, its other names and an example. A measure is a function of a confusion (TP, FP, FN, TN) and of conditions. TP, FP,
FN and TN in a formula are those at the base rate: the positives of the sample count for `prior` of all cases, the negatives for the rest. Values are
exact, rounded once; 0/0 is NaN with a reason. Python, rules and the command line accept all names; answers show the first. The page is written from
the registry by `python tools/docs/measures.py`; every example is run by the tests.

```python
>>> import baserate as br
>>> confusion = {CONFUSION}
>>> at = {CONDITIONS}

```
"""  # noqa: E501


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, _index(), *(_section(entry) for entry in CATALOGUE.values())])


def _index() -> str:
    lines = [
        "| measure | also called | better | range | changes with the base rate |",
        "|---|---|---|---|---|",
    ]
    for entry in CATALOGUE.values():
        words = ", ".join(entry.synonyms) or "–"
        lines.append(
            f"| [{entry.name}](#{entry.name}) | {words} | {entry.direction} | {_range(entry)} |"
            f" {'yes' if entry.prior else 'no'} |"
        )
    return "\n".join(lines) + "\n"


def _section(entry: Definition) -> str:
    parts = [f"## {entry.name}\n", f"**{entry.text}**\n", f"{entry.extremes}.\n"]
    for parameter in entry.parameters:
        default = f" (default {parameter.default:g})" if parameter.default is not None else ""
        parts.append(f"`{parameter.name}`: {parameter.meaning}{default}.\n")
    parts.append(f"{entry.citation}.\n")
    parts.append("```python\n" + "\n".join(_examples(entry)) + "\n\n```\n")
    return "\n".join(parts)


def _examples(entry: Definition) -> list[str]:
    asked = EXAMPLES.get(entry.name, entry.name)
    needs_volume = any(parameter.name == "volume" for parameter in entry.parameters)
    confusion, at = eval(CONFUSION, {"br": br}), eval(CONDITIONS, {"br": br})  # noqa: S307 (our own two lines)
    options = {"volume": 1_000_000} if needs_volume else {}
    shown = ", volume=1_000_000" if needs_volume else ""
    lines = [
        f'>>> br.measure(confusion, "{asked}"{shown})',
        repr(br.measure(confusion, asked, **options)),
    ]
    if entry.prior or entry.name == "total_cost":
        lines += [
            f'>>> br.measure(confusion, "{asked}", at=at{shown})',
            repr(br.measure(confusion, asked, at=at, **options)),
        ]
    return lines


def _range(entry: Definition) -> str:
    low, high = (
        "−∞" if end == -math.inf else "∞" if end == math.inf else f"{end:g}" for end in entry.range
    )
    return f"{low} to {high}"


if __name__ == "__main__":
    PAGE.write_text(page())
