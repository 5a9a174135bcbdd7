"""What a package beside baserate needs and its users do not: refusals, files written whole or not
at all, and the options and output of a command.

`baserate_learners` and `baserate_studies` import the public names and these, and nothing else. The
help of `baserate` loads this module, so what needs NumPy is imported where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from baserate.atomic import Grid, reserve_output, write_atomically
from baserate.cli.options import Sectioned, listed
from baserate.cli.terminal import Progress, tell
from baserate.errors import escaped, grouped, number_of, quoted, refuse, refuse_file
from baserate.read.table import needed

if TYPE_CHECKING:
    from baserate import Conditions

__all__ = [
    "Grid",
    "Progress",
    "Sectioned",
    "checked_conditions",
    "checked_weights",
    "checked_whole",
    "escaped",
    "grouped",
    "json_answer",
    "listed",
    "needed",
    "number_of",
    "quoted",
    "refuse",
    "refuse_file",
    "reserve_output",
    "tell",
    "write_atomically",
]


def checked_conditions(at: Conditions | None) -> Conditions:
    """The conditions, where they are known exactly, else a refusal; None means those of the
    sample.
    """
    from baserate import conditions

    return conditions.checked_conditions(at)


def checked_weights(weights: Any, labels: Any) -> Any:
    """Weights of training cases as floats, or the refusal that counting them would give."""
    from baserate.verbs import estimators

    return estimators.checked_weights(weights, labels)


def checked_whole(given: Any, code: str, meaning: str, fix: str) -> int:
    """A whole number from 1 on, or the refusal that says what it means."""
    from baserate.notation import WholeCheck

    return WholeCheck(code, meaning, fix, 1)(given)


def json_answer(command: str, *, seed: int | None = None, **parts: Any) -> str:
    """The JSON of an answer that read no files: what every answer has, and its own parts."""
    from baserate.views import document

    return document.text(document.answer(command, (), (), seed, **parts))
