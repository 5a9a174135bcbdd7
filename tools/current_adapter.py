"""How a request is put to the sources here, and their results as plain answers.

This file speaks the names of today and changes with them. Its twin, tools/reference_adapter.py,
speaks those of the reference commit. Either offers `answer_request` and `describe_error`, and runs
in a Python of its own (tools/answer_requests.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from random_cases import (
    LABEL,
    ROLE_COLUMNS,
    draw_cases,
    make_frame,
    select_columns,
    write_file,
    write_file_per_model,
)

import baserate as br
from baserate.cli.main import main

Answers = dict[str, Any]

# The attributes that are answers, by the name of a result's type. A method is called.
RATES = ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost")
OF_INTERVAL = ("value", "low", "high", "level", "method", "side", "replicates")
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "Counts": ("digest", "total_positives", "total_negatives", "prior", "ledger"),
    "JointCounts": ("digest", "models", "total_positives", "total_negatives", "ledger"),
    "GroupedCounts": ("digest", "role", "total_positives", "total_negatives", "ledger"),
    "Amounts": ("digest", "total_positive_amount", "total_negative_amount", "ledger"),
    "Ledger": ("rows_read", "rows_used", "rows_refused", "design", "corrected", "sources"),
    "Source": ("sha256", "rows_read", "rows_used", "label", "positive"),
    "Confusion": ("tp", "fp", "fn", "tn"),
    "OperatingPoint": (
        *("threshold", "how", "share", "lower_threshold", "volume", "tp", "fp", "fn", "tn"),
        *(*RATES, "confusion", "best", "worst", "guarantee", "shown", "intervals", "regret"),
    ),
    "Choice": (
        *("models", "points", "refused", "differences", "indistinguishable", "regrets"),
        *("lead_over_baseline", "baselines"),
    ),
    "AmountPoint": (
        *("threshold", "alerts", "cost", "expected_cost", "amount_caught", "amount_missed"),
        *("amount_false_alarms", "caught_best", "caught_worst", "intervals", "by_average"),
    ),
    "AmountChoice": (
        *("models", "points", "refused", "differences", "indistinguishable", "lead_over_baseline"),
    ),
    "Fixed": ("interpolated", "attained"),
    "Regret": ("value", "model", "threshold", "cost", "least", "instead", "averaged"),
    "Interval": OF_INTERVAL,
    "PriorEstimate": (*OF_INTERVAL, "threshold", "check"),
    "ShiftCheck": ("statistic", "degrees", "p_value"),
    "Difference": (
        *("models", "value", "low", "high", "p_value", "p_adjusted", "method", "values", "better"),
        *("replicates", "level", "discordant"),
    ),
    "Requirement": ("outcome", "passed", "checks"),
    "Check": ("requirement", "interval", "outcome", "needed"),
    "NonInferiority": ("passed", "outcome", "parts", "margin"),
    "Part": ("name", "difference", "outcome", "p_adjusted", "detectable"),
    "Expectation": ("value", "low", "high", "worst", "best"),
    "Outlook": ("x", "y", "low", "high"),
    "Curve": ("x", "y", "over"),
    "Band": ("x", "y", "low", "high", "method", "replicates", "level"),
    "ThresholdTable": ("columns",),
    "Slices": ("threshold", "parts"),
    "Slice": ("name", "positives", "negatives", "outcome", "point", "bounds", "requirement"),
    "Days": ("mean", "least", "most", "over", "parts", "undated"),
    "Day": ("day", "cases", "positives", "alerts", "caught"),
    "Triage": (
        *("act", "review", "acted", "reviewed", "passed", "found", "cost", "without", "reviews"),
    ),
    "WinnerMap": ("wins", "borders"),
    "Win": ("low", "high", "models", "thresholds", "fpr", "tpr"),
    "Border": ("effective_prior", "intercept"),
    "Stability": (*("models", "thresholds", "cost", "held", "break_even", "changes", "decisive"),),
    "Stays": ("low", "high", "below", "above"),
    "Change": ("part", "now", "then", "factor", "becomes"),
    "InformationValue": ("now", "value"),
    "BestRecall": ("leads",),
    "Lead": ("low", "high", "models"),
    "Calibration": ("method", "prior", "values"),
    "LabelErrors": ("tpr", "fpr", "precision", "prior", "apparent_precision"),
    "Verified": ("tpr", "fpr", "precision", "prior", "apparent_precision"),
    "Rates": ("solved",),
    "Solved": ("value", "low", "high", "given"),
    "Cases": ("positives", "negatives"),
    "Detectable": ("excess", "share", "declared"),
}


# ----------------------------------------------------------------------
# Results as plain answers.


def describe(name: str, value: Any) -> Answers:
    """Return a result as numbers and texts by name: "point.intervals.tpr.low": 0.72."""
    if isinstance(value, br.InputError):
        return {f"{name}.refused": refusal_codes(value)}
    kinds = [kind.__name__ for kind in type(value).__mro__ if kind.__name__ in ATTRIBUTES]
    if kinds:
        answers = {}
        for attribute in ATTRIBUTES[kinds[0]]:
            answers.update(describe(joined(name, attribute), read_attribute(value, attribute)))
        return {**answers, **describe_objective(name, value), **describe_notes(name, value)}
    if isinstance(value, np.ndarray):
        return describe_array(name, value)
    if isinstance(value, Mapping):
        return describe_parts(name, [(str(key), part) for key, part in value.items()])
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return describe_parts(name, [(str(place), part) for place, part in enumerate(value)])
    return {name: plain(value)}


def joined(name: str, part: str) -> str:
    """Return the name of a part of a result."""
    return f"{name}.{part}" if name else part


def read_attribute(value: Any, attribute: str) -> Any:
    """Return what an attribute holds, or the refusal that reading it gives."""
    try:
        found = getattr(value, attribute)
        return found() if callable(found) else found
    except br.InputError as error:
        return error


def describe_parts(name: str, parts: list[tuple[str, Any]]) -> Answers:
    """Return the answers of all parts, and how many there are."""
    answers: Answers = {joined(name, "length"): len(parts)}
    for key, part in parts:
        answers.update(describe(joined(name, key), part))
    return answers


def describe_array(name: str, values: np.ndarray) -> Answers:
    """Return the length of an array, the sum of its sizes, and a few of its values."""
    if values.dtype.kind not in "ifub":
        return describe_parts(name, [(str(place), part) for place, part in enumerate(values[:9])])
    finite = values[np.isfinite(values)].astype(np.float64)
    places = np.unique(np.linspace(0, len(values) - 1, 9).astype(int)) if len(values) else []
    shown = {f"{name}[{place}]": plain(values[place]) for place in places}
    return {f"{name}.length": len(values), f"{name}.sum": plain(np.abs(finite).sum()), **shown}


def describe_objective(name: str, value: Any) -> Answers:
    """Return what a chosen point makes best, and its value there."""
    if not isinstance(value, br.OperatingPoint) or not value.objective:
        return {}
    best = value[value.objective] if value.regret is None else value.regret.value
    return {f"{name}.objective": value.objective, f"{name}.objective_value": plain(best)}


def describe_notes(name: str, value: Any) -> Answers:
    """Return the codes of the notes that a result carries."""
    notes = getattr(value, "notes", None)
    if not isinstance(notes, tuple):
        return {}
    return {joined(name, "notes"): " ".join(sorted({note.code for note in notes}))}


def plain(value: Any) -> Any:
    """Return a number or a text that JSON can hold."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if np.isfinite(number) else str(number)


def refusal_codes(error: br.InputError) -> str:
    """Return the codes of all problems of a refusal."""
    return " ".join(problem.code for problem in error.problems)


def describe_error(error: Exception) -> Answers:
    """Return what an error says: the codes and the text of a refusal, else its type and text."""
    if isinstance(error, br.InputError):
        return {"refusal": refusal_codes(error), "refusal text": str(error)}
    return {"error": type(error).__name__, "error text": str(error)}


# ----------------------------------------------------------------------
# Requests as calls.


def answer_request(request: dict[str, Any], folder: Path) -> Answers:
    """Return the answers to one request; files are written into the folder."""
    counted = count_cases(request, request["data"], folder) if is_counted(request) else None
    return ANSWERS[request["verb"]](counted, convert_arguments(request["arguments"]), request)


def is_counted(request: dict[str, Any]) -> bool:
    """Are cases counted before the question?"""
    return request["verb"] != "command" and request["source"]["form"] != "none"


def convert_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a verb, with distributions in place of their descriptions."""
    converted = dict(arguments)
    prior = converted.get("prior")
    if isinstance(prior, dict):
        converted["prior"] = getattr(br, prior["distribution"])(*prior["arguments"])
    return converted


def conditions_of(arguments: dict[str, Any]) -> br.Conditions:
    """Take base rate and costs out of the arguments, as one value."""
    return br.Conditions(arguments.pop("prior", None), arguments.pop("costs", None))


def count_cases(request: dict[str, Any], data: dict[str, Any], folder: Path) -> Any:
    """Return the counts that a request is about, of the cases that `data` describes."""
    columns = draw_cases(data)
    models = list(data["models"])
    source, role, options = request["source"], request["role"], dict(request["count"])
    beside = ROLE_COLUMNS.get(role, {})
    if source["form"] == "arrays":
        return count_arrays(columns, models, beside, options)
    if source["form"] == "file per model":
        paths = write_file_per_model(columns, models, {**source, "form": "csv"}, folder)
        return br.count(paths, label=LABEL, score="score", **options)
    named = {"label": LABEL, "score": models if len(models) > 1 else models[0], **beside}
    more = [options[key] for key in ("weight", "id") if key in options]
    held = select_columns(columns, [LABEL, *models, *beside.values(), *more])
    if source["form"] == "frame":
        return br.count(make_frame(held, source["library"]), **{**named, **options})
    return br.count(write_file(held, source, folder), **{**named, **options})


def count_arrays(
    columns: dict[str, list[Any]],
    models: list[str],
    beside: dict[str, str],
    options: dict[str, Any],
) -> Any:
    """Return the counts of arrays: of one score, or of several by name."""
    given = {role: np.asarray(columns[column]) for role, column in beside.items()}
    if "sample_weight" in options:
        options["sample_weight"] = np.asarray(columns[options["sample_weight"]])
    scores = {model: np.asarray(columns[model]) for model in models}
    of_models = scores if len(models) > 1 else scores[models[0]]
    return br.count(np.asarray(columns[LABEL]), of_models, **given, **options)


def answer_count(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Describe the counts themselves."""
    del arguments, request
    return describe("counts", counted)


def answer_saved(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Describe counts that were saved and loaded."""
    del arguments, request
    counted.save("saved.counts")
    return describe("loaded", br.load("saved.counts"))


def as_the_reference(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `choose` with the default intervals of the reference: its thresholds
    are treated as fixed in advance unless replicates are given.
    """
    return arguments if "replicates" in arguments else {"intervals": "fixed", **arguments}


def answer_choose(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Choose a threshold, and a model."""
    del request
    return describe("choice", br.choose(counted, **as_the_reference(arguments)))


def answer_choose_and_test(
    counted: Any, arguments: dict[str, Any], request: dict[str, Any]
) -> Answers:
    """Choose on some cases and evaluate on others."""
    test = count_cases(request, arguments.pop("test"), Path())
    chosen = br.choose(counted, **as_the_reference(arguments))
    return {**describe("choice", chosen), **describe("test", chosen.on(test))}


def find_verb(name: str) -> Callable[..., Any]:
    """Return a public function by its name: "robustness.regret"."""
    return attrgetter(name)(br)


def answer_by_name(verb: str, *names: str) -> Callable[..., Answers]:
    """Return what asks a verb whose first arguments have no names in Python."""

    def answer(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
        del request
        given = [arguments.pop(name) for name in names if name in arguments]
        subject = [] if counted is None else [counted]
        return describe("result", find_verb(verb)(*subject, *given, **arguments))

    return answer


def answer_at_conditions(verb: str, *names: str, by_name: bool = False) -> Callable[..., Answers]:
    """Return what asks a function that takes its conditions as one argument, and perhaps the
    counts of one model by its name, as those of several.
    """

    def answer(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
        if by_name and len(request["data"]["models"]) == 1:
            counted = dict.fromkeys(request["data"]["models"], counted)
        at = conditions_of(arguments)
        given = [arguments.pop(name) for name in names if name in arguments]
        return describe("result", find_verb(verb)(counted, *given, at=at, **arguments))

    return answer


def answer_measure(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Read a measure; over conditions that are not known, also its range."""
    del request
    reading = br.measure(counted, arguments.pop("name"), **arguments)
    over = getattr(reading, "over", None)
    return {**describe("result", reading), **({} if over is None else describe("over", over))}


def answer_band(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Draw the band of a curve, or of the difference of two."""
    del request
    several = isinstance(counted, br.JointCounts)
    draw = br.curves.difference_band if several else br.curves.band
    return describe("band", draw(counted, arguments.pop("name"), **arguments))


def answer_best_recall(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Compare the best recalls at a few base rates."""
    del request
    priors = arguments.pop("priors")
    found = br.robustness.best_recall(counted, **arguments)
    answers = describe("best recall", found)
    for prior in priors:
        answers.update(describe(f"best recall at {prior}", found.at(prior)))
    return answers


def answer_winner_map(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Draw the map of winners; under a rule, ask it at a few places."""
    del request
    found = br.robustness.winner_map(counted, arguments.pop("rule", None), **arguments)
    answers = describe("map", found)
    for prior, ratio in ((0.01, 0.05), (0.1, 0.2), (0.3, 1)):
        answers.update(describe(f"map at {prior} {ratio}", found.at(prior, ratio)))
    return answers


def answer_value_of_information(
    counted: Any, arguments: dict[str, Any], request: dict[str, Any]
) -> Answers:
    """Value all information together; the reference also names parts of it."""
    ask = answer_at_conditions("robustness.value_of_information", by_name=True)
    answers = ask(counted, arguments, request)
    answers["result.values.everything"] = answers.pop("result.value")
    return answers


def answer_slices(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Evaluate one threshold at every site."""
    del request
    at = conditions_of(arguments)
    return describe("slices", br.segments.by_group(counted, at=at, **arguments))


def answer_days(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Count the alerts of every day."""
    del request
    at = conditions_of(arguments)
    return describe("days", br.segments.by_day(counted, at=at, **arguments))


def answer_estimate_prior(
    counted: Any, arguments: dict[str, Any], request: dict[str, Any]
) -> Answers:
    """Estimate the base rate of other cases; then, perhaps, an interval at that estimate."""
    field, then = draw_cases(arguments.pop("field")), arguments.pop("then", None)
    (model,) = request["data"]["models"]
    unlabelled = br.count_unlabelled(np.asarray(field[model]))
    estimate = br.estimate_prior(counted, unlabelled, **arguments)
    answers = describe("estimate", estimate)
    if then is not None:
        interval = br.interval(counted, "precision", threshold=then, prior=estimate)
        answers.update(describe("precision", interval))
    return answers


def answer_calibrate(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Recalibrate the scores, and count them again."""
    del request
    fitted = br.shift.calibrate(counted, arguments["method"])
    relabelled = fitted.relabel(counted)
    return {**describe("calibration", fitted), **describe("brier", br.curves.brier(relabelled))}


def answer_wrong_labels(
    counted: Any, arguments: dict[str, Any], request: dict[str, Any]
) -> Answers:
    """Evaluate a threshold where labels are wrong or were not verified."""
    del request
    point = br.choose(counted, threshold=arguments.pop("threshold"))
    wrong = br.robustness.under_label_errors
    under = br.robustness.under_verification if "passed" in arguments else wrong
    return describe("result", under(point, **arguments))


def answer_plan(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Ask a function of the planning of test sets."""
    del counted, request
    function = getattr(br.planning, arguments.pop("function"))
    if "prior" in arguments:
        arguments["at"] = conditions_of(arguments)
    if "expecting" in arguments:
        arguments["expect"] = arguments.pop("expecting")
    if function is br.planning.cases_needed:
        arguments.setdefault("power", None)
    names = ("requirement", "pairs", "first", "second")
    given = [arguments.pop(name) for name in names if name in arguments]
    if function is br.planning.smallest_rate_shown:
        given = [arguments.pop("cases")]
    return describe("plan", function(*given, **arguments))


def answer_command(counted: Any, arguments: dict[str, Any], request: dict[str, Any]) -> Answers:
    """Run `baserate choose … --json`; the answers are models, points and the exit status."""
    del counted
    columns, models = draw_cases(request["data"]), list(request["data"]["models"])
    path = write_file(select_columns(columns, [LABEL, *models]), request["source"], Path())
    words = ["choose", path, *filter(None, [arguments.get("rule")]), "--label", LABEL, "--json"]
    for model in models:
        words += ["--score", model]
    for option in ("prior", "volume"):
        words += [f"--{option}", str(arguments[option])] if option in arguments else []
    if "costs" in arguments:
        words += ["--cost", ",".join(f"{name}={cost}" for name, cost in arguments["costs"].items())]
    output, status = run_command(words)
    return {"status": status, **describe_document(output)}


def run_command(words: list[str]) -> tuple[str, int]:
    """Return what a command prints, and its exit status."""
    output = StringIO()
    try:
        with redirect_stdout(output):
            main(words)
    except SystemExit as end:
        return output.getvalue(), int(end.code or 0)
    return output.getvalue(), 0


def describe_document(output: str) -> Answers:
    """Return the models, their points and the refusals of a document in JSON."""
    document = json.loads(output)
    answers: Answers = {}
    for error in document.get("errors", []):
        answers["refusal"] = error["code"]
    found = document.get("result", [])
    for place, result in enumerate([found] if isinstance(found, dict) else found):
        for model, point in result.get("points", {}).items():
            for name in ("threshold", "tp", "fp", "tpr", "fpr", "precision", "expected_cost"):
                answers[f"{model}.{place}.{name}"] = plain(point.get(name))
    return answers


ANSWERS: dict[str, Callable[[Any, dict[str, Any], dict[str, Any]], Answers]] = {
    "count": answer_count,
    "save_and_load": answer_saved,
    "choose": answer_choose,
    "choose_and_test": answer_choose_and_test,
    "fix": answer_by_name("fix", "measure"),
    "measure": answer_measure,
    "summary": answer_by_name("summary", "name"),
    "curve": answer_by_name("curve", "name"),
    "table": answer_by_name("table", "measures"),
    "interval": answer_by_name("interval", "name"),
    "compare": answer_by_name("compare", "name"),
    "require": answer_by_name("require", "requirement"),
    "non_inferiority": answer_by_name("non_inferiority", "name"),
    "rate_interval": answer_by_name("rate_interval", "successes", "cases"),
    "band": answer_band,
    "regret": answer_at_conditions("robustness.regret", "model", "threshold"),
    "winner_map": answer_winner_map,
    "stability": answer_at_conditions("robustness.stability", by_name=True),
    "value_of_information": answer_value_of_information,
    "best_recall": answer_best_recall,
    "triage": answer_at_conditions("robustness.triage"),
    "slices": answer_slices,
    "days": answer_days,
    "estimate_prior": answer_estimate_prior,
    "correct_prior": answer_by_name("shift.correct_prior"),
    "calibrate": answer_calibrate,
    "plan": answer_plan,
    "solve_rates": answer_by_name("solve_rates"),
    "wrong_labels": answer_wrong_labels,
    "command": answer_command,
}
