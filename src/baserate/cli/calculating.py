"""`baserate calc`: from published rates to the rest, or to what they contradict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from baserate import document, tables
from baserate.calculator import GIVEN, PRIOR, solve_rates
from baserate.cli import options
from baserate.measures.catalogue import CATALOGUE

ALSO = {PRIOR: ("base-rate", "prevalence")}


def _rates(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option a rate, under its own name and under every synonym that an option can be called."""
    for name in reversed((PRIOR, *GIVEN)):
        synonyms = [*ALSO.get(name, ()), *(CATALOGUE[name].synonyms if name in CATALOGUE else ())]
        words = dict.fromkeys(word.casefold().replace(" ", "-").replace("_", "-") for word in (name, *synonyms))
        flags = [f"--{word}" for word in words if word.isascii() and word.replace("-", "").isalnum() and word[0].isalpha() and len(word) > 1]
        text = "The share of positives." if name == PRIOR else CATALOGUE[name].text
        command = click.option(name, *flags, metavar="SHARE", help=text)(command)
    return command


@click.command(name="calc")
@_rates
@options.as_json
def calc(as_json: bool, **given: str | None) -> None:
    """Derive every rate from any three independent ones, as published and rounded, or say what they contradict.

    A rate stands for everything that rounds to it: 0.549 and 54.9% for 0.5485 to 0.5495. The prior is exact.

    \b
    Examples:
      baserate calc --tpr 0.8 --posfrac 0.549 --prior 0.5
      baserate calc --sensitivity 90% --specificity 85% --prior "1 in 100"
    """
    rates = solve_rates(**{name: text for name, text in given.items() if text is not None})
    click.echo(document.text(document.of_rates(rates)) if as_json else tables.of_rates(rates))
