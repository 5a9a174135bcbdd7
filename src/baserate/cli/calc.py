"""`baserate calc`: from published rates to the rest, or to what they contradict."""

from __future__ import annotations

import click

from baserate.cli import options
from baserate.cli.options import Command
from baserate.cli.request import Request, shares
from baserate.cli.runner import Result, command
from baserate.errors import refuse
from baserate.measures.calculator import GIVEN, PRIOR, solve_rates
from baserate.measures.registry import CATALOGUE
from baserate.output import document, tables

ALSO = {PRIOR: ("base-rate", "prevalence")}


def _rates(function: Command) -> Command:
    """An option a rate, under its own name and under every synonym that an option can be called."""
    for name in reversed((PRIOR, *GIVEN)):
        synonyms = [*ALSO.get(name, ()), *(CATALOGUE[name].synonyms if name in CATALOGUE else ())]
        words = dict.fromkeys(
            word.casefold().replace(" ", "-").replace("_", "-") for word in (name, *synonyms)
        )
        flags = [
            f"--{word}"
            for word in words
            if word.isascii()
            and word.replace("-", "").isalnum()
            and word[0].isalpha()
            and len(word) > 1
        ]
        text = (
            "The share of positives; several comma-separated."
            if name == PRIOR
            else CATALOGUE[name].text
        )
        # Two names are shown; the others are accepted as well.
        function = click.option(name, *flags[:2], metavar="SHARE", multiple=True, help=text)(
            function
        )
        for flag in flags[2:]:
            function = click.option(
                flag, f"{name}_{flag.strip('-').replace('-', '_')}", hidden=True, multiple=True
            )(function)
    return function


@command("calc")
@_rates
@options.answer
def calc(_: Request, **words: tuple[str, ...]) -> Result:
    """Derive every rate from any three independent ones, as published and rounded, or say what they
    contradict.

    A rate stands for everything that rounds to it: 0.549 and 54.9% for 0.5485 to 0.5495. The prior
    is exact.

    \b
    Examples:
      baserate calc --tpr 0.8 --posfrac 0.549 --prior 0.5
      baserate calc --sensitivity 90% --specificity 85% --prior 0.2%,1%,5%
    """
    given = _by_name(words)
    text = given.pop(PRIOR, None)
    priors: list[str | None] = [None] if text is None else [*shares(text)]
    every = [solve_rates(**({} if prior is None else {PRIOR: prior}), **given) for prior in priors]
    notes = list(dict.fromkeys(note for rates in every for note in rates.notes))
    return Result(notes, lambda: document.of_rates(every), lambda: [tables.of_rates(every)])


def _by_name(words: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """What was given under any of the names of a rate."""
    given: dict[str, str] = {}
    for word, texts in words.items():
        name = next(
            name
            for name in sorted((PRIOR, *GIVEN), key=len, reverse=True)
            if word == name or word.startswith(f"{name}_")
        )
        for text in texts:
            if name in given:
                raise refuse("BR542", f"{name} is given twice", "say it once")
            given[name] = text
    return given
