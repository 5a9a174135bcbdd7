"""`baserate compare --memory`: models whose cases do not fit into memory, by what two readings can tell."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from baserate import document
from baserate.cli import limits, options
from baserate.cli.answers import tell_differences
from baserate.engines.frames import check_models
from baserate.engines.saved import is_saved
from baserate.errors import Fix, refuse
from baserate.notes import RANDOM
from baserate.summaries.ranking import auc
from baserate.summaries.values import summary_named
from baserate.uncertainty.delong import DELONG, DELONG_T
from baserate.uncertainty.paired_passes import compare_large

# What needs more than the AUC of each model, by the parameter that says it.
BESIDE = {
    "prior_from": "--prior-from",
    "priors": "--prior",
    "costs": "--cost",
    "profits": "--profit",
    "volume": "--volume",
    "pilot": "--pilot",
    "rule": "--rule",
    "thresholds": "--threshold",
    "replicates": "--replicates",
}


def within_memory(command: Callable[..., Any]) -> Callable[..., Any]:
    """Under a ceiling on memory, models are compared piece by piece; without one, the command does what it does."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        given: options.Given = named["path"]
        if given.options.ceiling.memory is None:
            return command(*arguments, **named)
        return _compare(given, named)

    return run


def _compare(given: options.Given, named: dict[str, Any]) -> None:
    _check(given, named)
    wanted = options.wanted(given, named["label"], named["scores"], positive=named["positive"], design=named["design"])
    check_models(wanted.scores)
    if len(wanted.scores) < 2:
        raise refuse("BR595", "a comparison needs two models", Fix('scores=["a", "b"]', "--score COLUMN --score COLUMN"))
    level = options.level_of(named["level"])
    with limits.watched(given.options) as watched:
        found = compare_large(given.path, wanted, watched, level, named["method"], named["against"])
    notes = [*document.notes_by_model(found.notes), *(note for one in found.differences for note in one.notes)]
    tell_differences(found.differences, notes, found.ledger, named["seed"], as_json=named["as_json"])


def _check(given: options.Given, named: dict[str, Any]) -> None:
    """Nothing is accepted that two readings cannot answer."""
    if len(given.paths) == 1 and is_saved(given.path):
        options.check_saved(given, {"--label": named["label"], "--positive": named["positive"], "--design": named["design"] != RANDOM})
    if len(given.paths) > 1:
        raise refuse("BR943", "several files are joined with every case at once, not piece by piece", "give one FILE, or leave --memory out")
    said = {"--id": given.id, "--join": given.join, "--by-position": given.by_position}
    said |= {option: named[name] for name, option in BESIDE.items()}
    statistic, method = named["statistic"], named["method"]
    said[f"--statistic {statistic}"] = statistic is not None and summary_named(statistic) is not auc
    said[f"--method {method}"] = method not in (None, DELONG, DELONG_T)
    option = next((option for option, value in said.items() if value), None)
    if option is not None:
        text = f"{option} needs every case at once, and --memory compares AUC piece by piece"
        raise refuse("BR943", text, f"leave out {option}, or --memory")
