"""Random requests for tools/against_reference.py: plain data that JSON can hold.

A request says which cases (`data`), in which form (`source`), counted how (`role`, `count`), and
which question with which arguments (`verb`, `arguments`). Names of arguments are those of the
reference; an adapter translates where one has changed. Each kind is one function, registered in
KINDS by its name.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

Request = dict[str, Any]
Arguments = dict[str, Any]
Random = np.random.Generator

KINDS: dict[str, Callable[[Random], Request]] = {}

AT_A_THRESHOLD = (
    *("tp", "fp", "tpr", "fpr", "tnr", "fnr", "precision", "npv", "fdr", "false_omission_rate"),
    *("posfrac", "accuracy", "error", "f1", "f_beta(beta=2)", "jaccard", "balanced_accuracy"),
    *("informedness", "markedness", "g_mean", "fowlkes_mallows", "mcc", "kappa", "lr_positive"),
    *("lr_negative", "diagnostic_odds_ratio", "sedi", "expected_cost", "normalized_cost"),
    *("savings", "net_benefit", "lift", "nne", "recall", "specificity", "purity"),
)
PER_VOLUME = ("alerts", "caught", "missed", "false_alarms", "volume_cost")
SUMMARIES = (
    *("auc", "gini", "ks", "partial_auc(fpr=0..0.1)", "partial_auc(tpr=0.8..1)", "min_cost"),
    *("cost_area", "h_measure", "auprc", "average_precision", "weighted_auc(alpha=0.5)"),
    *("brier", "log_loss", "calibration_error"),
)
CURVES = (
    *("roc", "roc_hull", "det", "pr", "pr_gain", "broc", "posfrac", "gain", "lift", "ks", "cost"),
    *("cost_threshold", "brier", "decision", "reliability", "precision:tpr", "f1:posfrac"),
)
PRIORS = (0.001, 0.01, "0.1%", "1 in 50", 0.1, "1:9", 0.25, 0.5)
PRIOR_RANGES = ("1%..10%", "0.1%..30%", "20%..60%", "1 in 1000..1 in 10")
COSTS = (
    {"fn": 10},
    {"fn": 100, "fp": 1},
    {"fn": 2.5, "fp": 0.5},
    {"fn": 50, "fp": 5, "tp": 5},
    {"fn": 20, "fp": 1, "tp": -3, "tn": -0.1},
    {"fn": 1, "fp": 3},
)
REPLICATES = 200


def kind(name: str) -> Callable[[Callable[[Random], Request]], Callable[[Random], Request]]:
    """Register a function as the generator of one kind of request."""

    def register(draw: Callable[[Random], Request]) -> Callable[[Random], Request]:
        KINDS[name] = draw
        return draw

    return register


def draw_request(name: str, seed: int) -> Request:
    """Return the request of one kind with this seed."""
    generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
    return {"kind": name, "seed": seed, **KINDS[name](generator)}


# ----------------------------------------------------------------------
# Parts of requests.


def pick(generator: Random, options: Any) -> Any:
    """Return one of the options."""
    options = list(options)
    return options[int(generator.integers(len(options)))]


def chance(generator: Random, share: float) -> bool:
    """Return True in this share of the calls."""
    return bool(generator.random() < share)


def draw_data(generator: Random, models: int = 1, most: int = 1500) -> dict[str, Any]:
    """Return a description of cases: how many, how rare, with how many ties, of which models."""
    scores = pick(generator, ("normal", "normal", "probability", "heavy-tailed", "integer"))
    return {
        "seed": int(generator.integers(2**31)),
        "rows": int(np.exp(generator.uniform(np.log(50), np.log(most)))),
        "share": pick(generator, (0.03, 0.1, 0.2, 0.4)),
        "scores": scores,
        "decimals": pick(generator, (1, 2, 3, 15)),
        "labels": pick(generator, ([0, 1], [0, 1], [0, 1], [False, True])),
        "sites": pick(generator, (2, 3, 5)),
        "models": {
            name: round(float(generator.uniform(0.2, 2.5)), 3)
            for name in ("logit", "forest", "rules")[:models]
        },
    }


def draw_threshold(generator: Random, data: dict[str, Any]) -> float | None:
    """Return a threshold among the scores of these cases, rarely one that flags nothing."""
    if chance(generator, 0.03):
        return None
    if data["scores"] == "probability":
        return round(float(generator.uniform(0.02, 0.7)), 3)
    if data["scores"] == "integer":
        return int(generator.integers(-20, 50))
    return round(float(generator.uniform(-1, 2.5)), 3)


def draw_conditions(generator: Random) -> Arguments:
    """Return a base rate, costs, both or none of them."""
    arguments: Arguments = {}
    if chance(generator, 0.7):
        arguments["prior"] = pick(generator, PRIORS)
    if chance(generator, 0.6):
        arguments["costs"] = pick(generator, COSTS)
    return arguments


def draw_distribution(generator: Random) -> dict[str, Any]:
    """Return a base rate that is known as a distribution or by a pilot sample."""
    return pick(
        generator,
        (
            {"distribution": "LogUniform", "arguments": [0.005, 0.1]},
            {"distribution": "LogNormal", "arguments": [0.02, 2]},
            {"distribution": "Pilot", "arguments": [8, 400]},
            {"distribution": "Draws", "arguments": [[0.01, 0.02, 0.05, 0.2]]},
        ),
    )


def draw_rule(generator: Random) -> Arguments:
    """Return a rule without a budget: one to three terms."""
    rate = round(float(generator.uniform(0.3, 0.95)), 2)
    terms = [
        pick(
            generator,
            (f"recall >= {rate}", f"recall >= {rate}", f"fpr <= {round(1 - rate, 2)}")
            + (f"precision >= {round(rate / 3, 3)}", f"posfrac <= {100 * (1 - rate):.3g}%"),
        )
    ]
    extra = ("posfrac <= 60%", "npv >= 0.5", "accuracy >= 0.4", "fpr <= 0.5", "tpr >= 20%")
    extra += ("normalized_cost <= 0.9", "expected_cost <= 0.8", "f1 >= 0.1")
    terms += [pick(generator, extra) for _ in range(int(generator.integers(0, 3)))]
    return {"rule": " and ".join(dict.fromkeys(terms))}


def draw_budget(generator: Random) -> Arguments:
    """Return a rule with a number of alerts per volume."""
    volume = pick(generator, (1000, 10_000, 1_000_000))
    alerts = max(1, round(volume * float(generator.uniform(0.001, 0.3))))
    rule = pick(
        generator,
        (f"alerts <= {alerts}", f"alerts <= {alerts}", f"alerts <= {alerts} and recall >= 0.2")
        + (f"alerts <= {alerts} and false_alarms <= {alerts // 2 + 1}", "caught >= 3"),
    )
    return {"rule": rule, "volume": volume}


def draw_either_rule(generator: Random) -> Arguments:
    """Return a rule, a budget, another objective, or nothing."""
    draw = pick(generator, (draw_rule, draw_rule, draw_budget, draw_objective, no_rule))
    return draw(generator)


def draw_objective(generator: Random) -> Arguments:
    """Return another objective than the cost."""
    names = ("f1", "accuracy", "precision", "mcc", "balanced_accuracy", "informedness", "tpr")
    return {"optimize": pick(generator, names)}


def no_rule(generator: Random) -> Arguments:  # noqa: ARG001 (as the others are called)
    """Return no argument: the cheapest threshold."""
    return {}


def make_request(data: dict[str, Any], verb: str, arguments: Arguments, **more: Any) -> Request:
    """Return a request about arrays, unless `more` says otherwise."""
    request = {"data": data, "source": {"form": "arrays"}, "role": None, "count": {}}
    return {**request, "verb": verb, "arguments": arguments, **more}


# ----------------------------------------------------------------------
# Counting: arrays, files, frames.


@kind("arrays")
def draw_arrays(generator: Random) -> Request:
    """Arrays of one or several models, with every role and the options of arrays."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2, 3)), most=3000)
    role = pick(generator, (None, None, "by", "cluster", "amount", "day"))
    count: Arguments = {}
    if role is None and len(data["models"]) == 1:
        count = pick(generator, ({}, {}, {"keep": "positives"}, {"sample_weight": "weight"}))
    if chance(generator, 0.2):
        count = {**count, "design": "case-control"}
    if chance(generator, 0.2):
        data["labels"] = pick(generator, (["no", "yes"], [-1, 1], [1, 2], ["legit", "fraud"]))
        count = {**count, **pick(generator, ({}, {"pos_label": data["labels"][1]}))}
    return make_request(data, "count", {}, role=role, count=count)


@kind("refused arrays")
def draw_refused_arrays(generator: Random) -> Request:
    """Arrays with a defect, or options that do not go together."""
    data = draw_data(generator, models=pick(generator, (1, 2)))
    defects = ("missing score", "infinite score", "missing label", "third label", "one class")
    data["defects"] = [pick(generator, (*defects, "text score", "one score"))]
    role = pick(generator, (None, None, "by", "cluster", "amount"))
    count = pick(generator, ({}, {}, {"pos_label": 7}, {"design": "matched"}, {"positive": 1}))
    return make_request(data, "count", {}, role=role, count=count)


def draw_columns(generator: Random) -> tuple[dict[str, Any], str | None]:
    """Return cases of a file or frame, and the role of a column beside label and scores."""
    models = pick(generator, (1, 1, 2))
    data = draw_data(generator, models=models, most=2000)
    role = pick(generator, (None, None, None, "by", "cluster", "amount", "day"))
    return data, None if models > 1 and role == "day" else role


@kind("csv")
def draw_csv(generator: Random) -> Request:
    """A CSV file in one of many dialects, detected or given."""
    data, role = draw_columns(generator)
    source: dict[str, Any] = {"form": "csv", "ending": pick(generator, ("csv", "csv.gz", "txt"))}
    count: Arguments = {}
    delimiter = pick(generator, (",", ",", ";", "\t", "|"))
    source["delimiter"] = delimiter
    if delimiter != "," and chance(generator, 0.4):
        source["decimal"] = ","
    if chance(generator, 0.3):
        count["delimiter"] = delimiter
    if chance(generator, 0.3):
        source["quote_all"] = True
    if chance(generator, 0.2):
        source["line_end"] = "\r\n"
    if chance(generator, 0.2):
        source["last_line_end"] = False
    if chance(generator, 0.15):
        source["above"] = ["exported on Monday", "second line"]
        count.update(pick(generator, ({}, {"skip_lines": 2})))
    if chance(generator, 0.15):
        source["defect"] = pick(generator, ("byte order mark", "blank lines"))
    if chance(generator, 0.25):
        data["labels"] = pick(generator, (["no", "yes"], ["legit", "fraud"], ["0", "1"]))
        count["positive"] = data["labels"][1]
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("odd csv")
def draw_odd_csv(generator: Random) -> Request:
    """A CSV file with unusual numbers or labels, and perhaps the option that reads them."""
    data, role = draw_columns(generator)
    spellings = (
        *(("exponent", {}), ("plus sign", {}), ("spaces", {}), ("many digits", {}), ("zeros", {})),
        *(("percent", {"percent": True}), ("thousands", {"thousands": ","}), ("currency", {})),
        ("quoted space", {}),
    )
    spelling, count = pick(generator, spellings)
    source = {"form": "csv", "spelling": spelling}
    if chance(generator, 0.2):
        count = {}
    if chance(generator, 0.3):
        data["labels"] = pick(
            generator, (["0.0", "1.0"], ["FALSE", "TRUE"], [" no", "Yes"], ["00", "01"], [0, 2])
        )
        count = {**count, **pick(generator, ({}, {"positive": data["labels"][1]}))}
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("json lines")
def draw_json_lines(generator: Random) -> Request:
    """JSON lines with one odd row."""
    data, role = draw_columns(generator)
    rows = (
        *("no key", "another key", "text number", "nested", "list", "true", "large integer"),
        *("exponent", "beyond floats", "many digits", "two keys", "no object", "cut off"),
        *("text behind", "empty line", "escaped key", "text label", "float label"),
    )
    source = {"form": "jsonl", "row": pick(generator, rows)}
    treatments = ({}, {}, {}, {"nan_score": "drop"}, {"cast_labels": True})
    count = pick(generator, treatments)
    if chance(generator, 0.2):
        data["labels"] = ["no", "yes"]
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("treated csv")
def draw_treated_csv(generator: Random) -> Request:
    """A CSV file with a defect and, most times, the option that treats it."""
    data, role = draw_columns(generator)
    source: dict[str, Any] = {"form": "csv"}
    defect, options = pick(
        generator,
        (
            ("missing score", {"nan_score": "drop"}),
            ("missing score", {"nan_score": "lowest"}),
            ("missing label", {"missing_label": "drop"}),
            ("missing label", {"missing_label": "negative"}),
            ("third label", {"negative": ["0", "perhaps"]}),
            ("infinite score", {}),
            ("repeated id", {"id": "id", "dedupe": "first"}),
            ("missing amount", {"amount_missing": "mean"}),
            ("one score", {"lower_is_positive": True}),
        ),
    )
    if defect == "missing amount":
        role = "amount"
    data["defects"] = [defect]
    count = options if chance(generator, 0.8) else {}
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("refused csv")
def draw_refused_csv(generator: Random) -> Request:
    """A CSV file that is damaged, or whose columns are named wrongly."""
    data, role = draw_columns(generator)
    defects = ("ragged line", "NUL byte", "bad UTF-8", "open quote", "header only")
    source = {"form": "csv", "defect": pick(generator, (*defects, "repeated header", "cut short"))}
    count: Arguments = {}
    if chance(generator, 0.3):
        source.pop("defect")
        count = pick(
            generator,
            (
                {"label": "frod"},
                {"score": "logits"},
                {"positive": "9"},
                {"delimiter": ";"},
                {"encoding": "no-such"},
                {"percent": True},
                {"skip_lines": 5},
                {"header": False},
            ),
        )
    if source.get("defect") == "ragged line" and chance(generator, 0.5):
        count = {"skip_bad": 3}
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("other file")
def draw_other_file(generator: Random) -> Request:
    """JSON lines, Parquet, Arrow, npz, SQLite: whole, or with a missing value."""
    data, role = draw_columns(generator)
    form = pick(generator, ("jsonl", "jsonl", "parquet", "parquet", "feather", "npz", "sqlite"))
    count: Arguments = {}
    if chance(generator, 0.2) and form != "npz":
        data["defects"] = [pick(generator, ("missing score", "missing label"))]
        if chance(generator, 0.6):
            count = {"nan_score": "drop", "missing_label": "drop"}
    source = {"form": form}
    if form == "jsonl" and chance(generator, 0.3):
        source["ending"] = "jsonl.gz"
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("frame")
def draw_frame(generator: Random) -> Request:
    """A data frame of pandas, polars or pyarrow."""
    data, role = draw_columns(generator)
    source = {"form": "frame", "library": pick(generator, ("pandas", "polars", "pyarrow"))}
    count: Arguments = {}
    if chance(generator, 0.2):
        data["defects"] = [pick(generator, ("missing score", "missing label"))]
        count = pick(generator, ({}, {"nan_score": "drop", "missing_label": "drop"}))
    elif chance(generator, 0.2) and role is None and len(data["models"]) == 1:
        count = pick(generator, ({"weight": "weight"}, {"keep": "positives"}))
    return make_request(data, "count", {}, source=source, role=role, count=count)


@kind("file per model")
def draw_file_per_model(generator: Random) -> Request:
    """One CSV file for each model, joined by the id of the cases or by position."""
    data = draw_data(generator, models=2)
    source = {"form": "file per model", "reverse_last": chance(generator, 0.4)}
    count = pick(generator, ({"id": "id"}, {"id": "id"}, {"by_position": True}, {}))
    if chance(generator, 0.2):
        data["defects"] = ["repeated id"]
    return make_request(data, "count", {}, source=source, count=count)


@kind("within memory")
def draw_within_memory(generator: Random) -> Request:
    """A CSV file counted within a limit on memory."""
    data = draw_data(generator, most=3000)
    source = {"form": pick(generator, ("csv", "csv", "parquet", "jsonl"))}
    count = {"memory": pick(generator, ("400MB", "1GB"))}
    return make_request(data, "count", {}, source=source, count=count)


@kind("saved")
def draw_saved(generator: Random) -> Request:
    """Counts that are saved and loaded again."""
    data = draw_data(generator, models=pick(generator, (1, 2)))
    role = pick(generator, (None, None, "by", "cluster")) if len(data["models"]) == 1 else None
    return make_request(data, "save_and_load", {}, role=role)


@kind("condensed")
def draw_condensed(generator: Random) -> Request:
    """A choice or an interval from condensed counts."""
    data = draw_data(generator)
    arguments = {**draw_conditions(generator), **draw_either_rule(generator)}
    return make_request(data, "choose", arguments, count={"keep": "positives"})


# ----------------------------------------------------------------------
# Choosing.


@kind("choose")
def draw_choose(generator: Random) -> Request:
    """One model, known conditions."""
    arguments = {**draw_conditions(generator), **draw_either_rule(generator)}
    return make_request(draw_data(generator), "choose", arguments)


@kind("choose at extremes")
def draw_choose_extremes(generator: Random) -> Request:
    """Rare base rates, large rewards, and weights over fifteen orders of magnitude."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    costs = ({"fn": 1e9, "fp": 1}, {"fn": 1, "fp": 1e6}, {"fn": 1e-3, "fp": 1e-7, "tp": -50})
    arguments: Arguments = {"prior": pick(generator, (1e-9, 1e-6, "1 in 30000", 0.999, 0.03))}
    arguments["costs"] = pick(generator, (*costs, *COSTS))
    if chance(generator, 0.3):
        arguments.update(draw_either_rule(generator))
    weighted = len(data["models"]) == 1 and chance(generator, 0.6)
    count = {"sample_weight": "wide weight"} if weighted else {}
    return make_request(data, "choose", arguments, count=count)


@kind("removed options")
def draw_removed(generator: Random) -> Request:
    """What the reference has and the package need not have: refused cleanly, never answered."""
    data = {**draw_data(generator, most=400), "scores": "probability"}
    arguments = pick(generator, ({"mix": True}, {"calibrated_at": "sample"}))
    if chance(generator, 0.4):
        count = {"memory": "400MB", "approx": True}
        return make_request(data, "count", {}, source={"form": "csv"}, count=count)
    return make_request(data, "choose", {**draw_conditions(generator), **arguments})


@kind("choose a model")
def draw_choose_model(generator: Random) -> Request:
    """Several models on the same cases, known conditions; with the test of the best one."""
    data = draw_data(generator, models=pick(generator, (2, 2, 3)))
    arguments = {**draw_conditions(generator), **draw_either_rule(generator)}
    if chance(generator, 0.15):
        arguments["replicates"] = REPLICATES
    return make_request(data, "choose", arguments)


@kind("choose within a budget")
def draw_choose_budget(generator: Random) -> Request:
    """A number of alerts, with and without costs."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    arguments = {**draw_conditions(generator), **draw_budget(generator)}
    return make_request(data, "choose", arguments)


@kind("choose over a range")
def draw_choose_range(generator: Random) -> Request:
    """Base rate or costs within ranges: the least regret."""
    data = draw_data(generator, models=pick(generator, (1, 2, 3)), most=500)
    arguments: Arguments = {"prior": pick(generator, PRIOR_RANGES)}
    if chance(generator, 0.6):
        arguments["costs"] = pick(generator, (*COSTS[:2], {"fn": "5..50", "fp": 1}))
    rules = (None, None, "recall >= 0.7", "posfrac <= 50%")
    arguments["rule"] = pick(generator, rules)
    if chance(generator, 0.15):
        arguments.update({"rule": "alerts <= 2500", "volume": 10_000})
    return make_request(data, "choose", arguments)


@kind("choose over a distribution")
def draw_choose_distribution(generator: Random) -> Request:
    """A base rate that is a distribution: the least expected regret."""
    data = draw_data(generator, models=pick(generator, (1, 2)), most=500)
    arguments = {"prior": draw_distribution(generator), "costs": pick(generator, COSTS)}
    return make_request(data, "choose", arguments)


@kind("choose with a guarantee")
def draw_choose_guarantee(generator: Random) -> Request:
    """A requirement that holds in the field although the threshold is chosen here."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)), most=400)
    arguments = draw_conditions(generator)
    requirements = ("recall >= 0.7", "recall >= 0.5", "fpr <= 0.3", "posfrac <= 40%")
    late = ("precision >= 0.05", "recall >= 0.5 and fpr <= 0.6", "precision >= 0.1")
    arguments["guarantee"] = pick(generator, (*requirements, *late))
    if chance(generator, 0.2):
        arguments["rule"] = "posfrac <= 80%"
    if chance(generator, 0.2):
        arguments["level"] = 0.9
    return make_request(data, "choose", arguments)


@kind("choose by amounts")
def draw_choose_amounts(generator: Random) -> Request:
    """Every miss costs its own amount."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)), most=600)
    arguments: Arguments = {"review": pick(generator, (5, 20, 150)), "replicates": REPLICATES}
    if chance(generator, 0.4):
        arguments.update(pick(generator, ({"prior": 0.01}, {"prior": "5%", "volume": 10_000})))
    if chance(generator, 0.3):
        arguments.update({"rule": "alerts <= 900", "volume": 10_000})
    if chance(generator, 0.2):
        arguments["recovered"] = 0.6
    return make_request(data, "choose", arguments, role="amount")


@kind("choose for sites")
def draw_choose_sites(generator: Random) -> Request:
    """One threshold for several sites."""
    data = draw_data(generator, most=800)
    arguments = {**draw_conditions(generator)}
    if chance(generator, 0.5):
        arguments["rule"] = "recall >= 0.6"
    if chance(generator, 0.2):
        arguments["prior"] = pick(generator, PRIOR_RANGES)
    return make_request(data, "choose", arguments, role="by")


@kind("choose by hand")
def draw_choose_by_hand(generator: Random) -> Request:
    """A threshold that is given."""
    data = draw_data(generator, models=pick(generator, (1, 2)))
    arguments = {**draw_conditions(generator), "threshold": draw_threshold(generator, data)}
    if chance(generator, 0.3):
        arguments["volume"] = 10_000
    return make_request(data, "choose", arguments)


@kind("choose and test")
def draw_choose_and_test(generator: Random) -> Request:
    """A threshold chosen on some cases and evaluated on others."""
    models = pick(generator, (1, 1, 2))
    data = draw_data(generator, models=models)
    test = {**data, "seed": int(generator.integers(2**31)), "share": 0.3}
    arguments = {**draw_conditions(generator), **draw_either_rule(generator)}
    return make_request(data, "choose_and_test", {**arguments, "test": test})


@kind("choose with resampled intervals")
def draw_choose_resampled(generator: Random) -> Request:
    """Intervals corrected for choosing the threshold on the same cases."""
    data = draw_data(generator, most=600)
    arguments = {**draw_conditions(generator), **draw_either_rule(generator)}
    arguments["replicates"] = pick(generator, (REPLICATES, 400))
    return make_request(data, "choose", arguments)


@kind("refused choice")
def draw_refused_choice(generator: Random) -> Request:
    """A choice with a wrong or an impossible argument."""
    data = draw_data(generator, models=pick(generator, (1, 2)))
    wrong = pick(
        generator,
        (
            {"rule": "recal >= 0.9"},
            {"rule": "recall >= 90"},
            {"rule": "recall > 0.9"},
            {"rule": "alerts <= 200"},
            {"rule": "precision >= 0.999 and recall >= 0.999"},
            {"rule": "fpr <= 0.001 and recall >= 0.99"},
            {"rule": "recall >= 0.9 or fpr <= 0.1"},
            {"prior": 1.2},
            {"prior": 0},
            {"prior": "0,5%"},
            {"prior": "many"},
            {"prior": "5%..1%"},
            {"costs": {"fn": 1, "fp": 1, "tp": 2}},
            {"costs": {"miss": 1}},
            {"costs": [1, 2]},
            {"costs": {"fn": "ten"}},
            {"level": 95},
            {"optimize": "auc"},
            {"optimize": "f2"},
            {"threshold": 0.5, "rule": "recall >= 0.5"},
            {"threshold": "high"},
            {"guarantee": "recall >= 0.999"},
            {"guarantee": "f1 >= 0.99"},
            {"intervals": "both"},
            {"review": 5},
            {"prior": "1%..5%", "optimize": "f1"},
        ),
    )
    return make_request(data, "choose", {**draw_conditions(generator), **wrong})


@kind("fix")
def draw_fix(generator: Random) -> Request:
    """The other measures where one is fixed."""
    rate = round(float(generator.uniform(0.02, 0.98)), 3)
    name = pick(generator, ("tpr", "recall", "fpr", "posfrac", "precision"))
    arguments = {**draw_conditions(generator), "measure": f"{name} = {rate}"}
    return make_request(draw_data(generator), "fix", arguments)


# ----------------------------------------------------------------------
# Reading: measures, summaries, curves, tables.


@kind("measure")
def draw_measure(generator: Random) -> Request:
    """One measure at a threshold or by a rule."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    arguments = draw_conditions(generator)
    if chance(generator, 0.2):
        arguments.update({"name": pick(generator, PER_VOLUME), "volume": 10_000})
    else:
        arguments["name"] = pick(generator, AT_A_THRESHOLD)
    if chance(generator, 0.25):
        arguments.update(draw_rule(generator))
    else:
        arguments["threshold"] = draw_threshold(generator, data)
    role = "by" if len(data["models"]) == 1 and chance(generator, 0.15) else None
    return make_request(data, "measure", arguments, role=role)


@kind("measure over a range")
def draw_measure_range(generator: Random) -> Request:
    """One measure where base rate or costs are not known exactly."""
    data = draw_data(generator, most=500)
    names = ("precision", "npv", "posfrac", "expected_cost", "f1", "tpr")
    prior = pick(generator, (*PRIOR_RANGES, draw_distribution(generator)))
    arguments = {"name": pick(generator, names), "prior": prior}
    if chance(generator, 0.8):
        arguments["threshold"] = draw_threshold(generator, data)
    if chance(generator, 0.3):
        arguments["costs"] = pick(generator, COSTS)
    return make_request(data, "measure", arguments)


@kind("summary")
def draw_summary(generator: Random) -> Request:
    """One number for a whole curve."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    arguments = {"name": pick(generator, SUMMARIES), **draw_conditions(generator)}
    role = "by" if len(data["models"]) == 1 and chance(generator, 0.1) else None
    return make_request(data, "summary", arguments, role=role)


@kind("curve")
def draw_curve(generator: Random) -> Request:
    """A named curve, or two measures along the thresholds."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    arguments: Arguments = {"name": pick(generator, CURVES)}
    if chance(generator, 0.6):
        arguments.update(draw_conditions(generator))
    if chance(generator, 0.15):
        arguments = {
            "name": "precision:prior",
            "threshold": draw_threshold(generator, data),
            "priors": [0.5, 0.1, 0.01],
        }
    return make_request(data, "curve", arguments)


@kind("table")
def draw_table(generator: Random) -> Request:
    """Several measures at every threshold."""
    data = draw_data(generator, models=pick(generator, (1, 2)), most=400)
    measures = [pick(generator, AT_A_THRESHOLD) for _ in range(4)]
    arguments = {"measures": list(dict.fromkeys(measures)), **draw_conditions(generator)}
    if chance(generator, 0.3):
        arguments["thresholds"] = [draw_threshold(generator, data) for _ in range(3)]
    return make_request(data, "table", arguments)


# ----------------------------------------------------------------------
# Intervals and tests.


@kind("interval")
def draw_interval(generator: Random) -> Request:
    """The interval of a measure at a threshold fixed in advance, or of a summary."""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    arguments = {**draw_conditions(generator), "replicates": REPLICATES}
    if chance(generator, 0.4):
        arguments["name"] = pick(generator, SUMMARIES)
    else:
        arguments["name"] = pick(generator, AT_A_THRESHOLD)
        arguments["threshold"] = draw_threshold(generator, data)
    if chance(generator, 0.2):
        arguments.update(pick(generator, ({"level": 0.9}, {"side": "lower"}, {"side": "upper"})))
    if chance(generator, 0.1):
        arguments["method"] = pick(generator, ("wilson", "clopper-pearson", "delong", "bca"))
    return make_request(data, "interval", arguments)


@kind("interval at a chosen threshold")
def draw_interval_chosen(generator: Random) -> Request:
    """The interval of a measure where the threshold is chosen on the same cases."""
    data = draw_data(generator, most=800)
    names = ("tpr", "fpr", "precision", "posfrac", "expected_cost", "f1", "npv")
    arguments = {**draw_conditions(generator), "name": pick(generator, names)}
    arguments["replicates"] = REPLICATES
    if chance(generator, 0.7):
        arguments.update(draw_rule(generator))
    return make_request(data, "interval", arguments)


@kind("interval over clusters")
def draw_interval_clusters(generator: Random) -> Request:
    """Clusters are the units of uncertainty."""
    data = draw_data(generator)
    arguments = {**draw_conditions(generator), "replicates": REPLICATES}
    if chance(generator, 0.4):
        arguments["name"] = pick(generator, ("auc", "average_precision", "ks"))
    else:
        arguments["name"] = pick(generator, ("tpr", "fpr", "precision", "posfrac", "f1"))
        arguments["threshold"] = draw_threshold(generator, data)
    return make_request(data, "interval", arguments, role="cluster")


@kind("interval over a range")
def draw_interval_range(generator: Random) -> Request:
    """Sampling error together with a base rate that is not known exactly."""
    data = draw_data(generator, most=800)
    names = ("precision", "npv", "posfrac", "expected_cost")
    prior = pick(generator, (*PRIOR_RANGES, draw_distribution(generator)))
    arguments = {"name": pick(generator, names), "prior": prior, "replicates": REPLICATES}
    arguments["threshold"] = draw_threshold(generator, data)
    return make_request(data, "interval", arguments)


@kind("compare")
def draw_compare(generator: Random) -> Request:
    """Models by AUC, or by a measure at fixed thresholds."""
    data = draw_data(generator, models=pick(generator, (2, 2, 3)))
    arguments: Arguments = {"replicates": REPLICATES}
    if chance(generator, 0.4):
        arguments["name"] = pick(generator, ("auc", "auc", "gini", "average_precision", "ks"))
    else:
        names = ("tpr", "fpr", "accuracy", "error", "precision", "expected_cost", "f1")
        arguments["name"] = pick(generator, names)
        arguments["threshold"] = draw_threshold(generator, data)
        arguments.update(draw_conditions(generator))
    if chance(generator, 0.1):
        arguments["paired"] = False
    if chance(generator, 0.1):
        arguments["against"] = "logit"
    if chance(generator, 0.15):
        arguments["method"] = pick(generator, ("delong", "percentile", "bca", "mcnemar"))
    return make_request(data, "compare", arguments)


@kind("compare at chosen thresholds")
def draw_compare_chosen(generator: Random) -> Request:
    """Models by a measure at thresholds that are chosen on the same cases."""
    data = draw_data(generator, models=2, most=600)
    names = ("tpr", "precision", "specificity", "f1", "expected_cost")
    arguments = {**draw_conditions(generator), "name": pick(generator, names)}
    if chance(generator, 0.7):
        arguments.update(pick(generator, (draw_rule, draw_budget))(generator))
    if chance(generator, 0.3):
        arguments["replicates"] = REPLICATES
    return make_request(data, "compare", arguments)


@kind("compare over clusters")
def draw_compare_clusters(generator: Random) -> Request:
    """Models on the same clusters."""
    data = draw_data(generator, models=2, most=800)
    arguments: Arguments = {"name": pick(generator, ("auc", "auc", "tpr", "error"))}
    arguments["replicates"] = REPLICATES
    if arguments["name"] != "auc":
        arguments["threshold"] = draw_threshold(generator, data)
    return make_request(data, "compare", arguments, role="cluster")


@kind("compare over a range")
def draw_compare_range(generator: Random) -> Request:
    """Models where base rate or costs are not known exactly."""
    data = draw_data(generator, models=2, most=600)
    arguments: Arguments = {"name": pick(generator, ("expected_cost", "precision"))}
    arguments["prior"] = pick(generator, (*PRIOR_RANGES, draw_distribution(generator)))
    arguments["threshold"] = draw_threshold(generator, data)
    return make_request(data, "compare", {**arguments, "replicates": REPLICATES})


@kind("without all labels")
def draw_without_all_labels(generator: Random) -> Request:
    """A point where some cases have no label."""
    data = draw_data(generator)
    data["defects"] = ["missing labels"]
    arguments = {"threshold": draw_threshold(generator, data), "volume": 10_000}
    if chance(generator, 0.5):
        arguments["prior"] = pick(generator, PRIORS)
    count = {"missing_label": "drop"}
    return make_request(data, "choose", arguments, source={"form": "csv"}, count=count)


@kind("require")
def draw_require(generator: Random) -> Request:
    """Is a requirement demonstrated?"""
    data = draw_data(generator, models=pick(generator, (1, 1, 2)))
    requirement = pick(
        generator,
        ("recall >= 0.6", "auc >= 0.7", "recall >= 0.5 and precision >= 0.1", "fpr <= 0.2")
        + ("posfrac <= 30%", "precision >= 0.3", "f1 >= 0.4"),
    )
    arguments = {**draw_conditions(generator), "requirement": requirement}
    if chance(generator, 0.6) and "auc" not in requirement:
        arguments["threshold"] = draw_threshold(generator, data)
    return make_request(data, "require", arguments)


@kind("non-inferiority")
def draw_non_inferiority(generator: Random) -> Request:
    """Is the candidate worse than the baseline, over all or on a slice?"""
    data = draw_data(generator, models=2)
    arguments: Arguments = {"baseline": "logit", "candidate": "forest"}
    arguments["threshold"] = draw_threshold(generator, data)
    if chance(generator, 0.3):
        arguments["name"] = pick(generator, ("tpr", "fpr", "accuracy"))
    if chance(generator, 0.4):
        arguments["margin"] = 0.05
    role = "by" if chance(generator, 0.4) else None
    return make_request(data, "non_inferiority", arguments, role=role)


@kind("rate interval")
def draw_rate_interval(generator: Random) -> Request:
    """The interval of a share of cases."""
    cases = int(generator.integers(1, 5000))
    arguments: Arguments = {"successes": int(generator.integers(0, cases + 1)), "cases": cases}
    arguments.update(
        pick(generator, ({}, {"method": "wilson"}, {"method": "clopper-pearson"}))
        | pick(generator, ({}, {"side": "lower"}, {"level": 0.9}))
    )
    return make_request({}, "rate_interval", arguments, source={"form": "none"})


@kind("band")
def draw_band(generator: Random) -> Request:
    """Where a curve may lie."""
    data = draw_data(generator, models=pick(generator, (1, 2)), most=400)
    arguments: Arguments = {"name": pick(generator, ("roc", "pr", "cost")), "x": [0.1, 0.3, 0.6]}
    arguments["replicates"] = 1000
    if chance(generator, 0.5):
        arguments["simultaneous"] = True
    return make_request(data, "band", arguments)


# ----------------------------------------------------------------------
# Conditions that are not known, segments, shift, planning.


@kind("regret")
def draw_regret(generator: Random) -> Request:
    """How much more a setting costs than the best one."""
    data = draw_data(generator, models=2, most=400)
    arguments = {"prior": pick(generator, (*PRIOR_RANGES, 0.02)), "costs": pick(generator, COSTS)}
    arguments.update({"model": "logit", "threshold": draw_threshold(generator, data)})
    return make_request(data, "regret", arguments)


@kind("winner map")
def draw_winner_map(generator: Random) -> Request:
    """Which model is cheapest at each base rate and cost ratio."""
    data = draw_data(generator, models=pick(generator, (2, 3)), most=400)
    arguments = pick(generator, ({}, {}, {"rule": "tpr >= 0.6"}, draw_budget(generator)))
    return make_request(data, "winner_map", arguments)


@kind("stability")
def draw_stability(generator: Random) -> Request:
    """Within which base rates and costs the choice stays the same."""
    data = draw_data(generator, models=pick(generator, (1, 2)), most=400)
    arguments = {
        "prior": pick(generator, (*PRIOR_RANGES, 0.05)),
        "costs": pick(generator, (*COSTS, {"fn": "5..50", "fp": 1})),
    }
    return make_request(data, "stability", arguments)


@kind("value of information")
def draw_value_of_information(generator: Random) -> Request:
    """What knowing the base rate exactly is worth."""
    data = draw_data(generator, models=pick(generator, (1, 2)), most=400)
    arguments = {"prior": draw_distribution(generator), "costs": pick(generator, COSTS)}
    return make_request(data, "value_of_information", arguments)


@kind("best recall")
def draw_best_recall(generator: Random) -> Request:
    """Which model finds most, with a share of false alarms among its alerts."""
    data = draw_data(generator, models=pick(generator, (2, 3)), most=400)
    arguments = {"fdr": pick(generator, (0.5, 0.9)), "priors": ["1%", 0.1, 0.3]}
    return make_request(data, "best_recall", arguments)


@kind("triage")
def draw_triage(generator: Random) -> Request:
    """Which cases to act on, to review, and to let pass."""
    data = draw_data(generator, most=800)
    arguments: Arguments = {"costs": pick(generator, COSTS[:4]), "prior": pick(generator, PRIORS)}
    arguments["review"] = pick(generator, (0.05, 0.2, 0.5))
    if chance(generator, 0.4):
        arguments.update({"most": 800, "volume": 10_000})
    if chance(generator, 0.2):
        arguments["overlooked"] = 0.1
    return make_request(data, "triage", arguments)


@kind("slices")
def draw_slices(generator: Random) -> Request:
    """One threshold at every site."""
    data = draw_data(generator)
    arguments: Arguments = {}
    if chance(generator, 0.7):
        arguments["threshold"] = draw_threshold(generator, data)
    else:
        arguments["rule"] = "recall >= 0.7"
    if chance(generator, 0.6):
        arguments["require"] = pick(generator, ("recall >= 0.5", "fpr <= 0.3", "posfrac <= 50%"))
    if chance(generator, 0.3):
        arguments["simultaneous"] = True
    if chance(generator, 0.4):
        arguments["prior"] = pick(generator, PRIORS)
    role = pick(generator, ("by", "by", "by and cluster"))
    return make_request(data, "slices", arguments, role=role)


@kind("days")
def draw_days(generator: Random) -> Request:
    """How many alerts a day a threshold gives."""
    data = draw_data(generator)
    arguments: Arguments = {"threshold": draw_threshold(generator, data)}
    if chance(generator, 0.6):
        arguments["budget"] = int(generator.integers(1, 40))
    if chance(generator, 0.3):
        arguments.update({"prior": 0.01, "volume": 10_000})
    return make_request(data, "days", arguments, role="day")


@kind("estimated base rate")
def draw_estimated_prior(generator: Random) -> Request:
    """The base rate of cases without labels."""
    data = draw_data(generator, most=2000)
    field = {**data, "seed": int(generator.integers(2**31)), "share": 0.05, "rows": 900}
    arguments: Arguments = {"field": field, "replicates": REPLICATES}
    if data["scores"] == "probability" and chance(generator, 0.3):
        arguments.update({"calibrated_at": "sample", "method": "em"})
    if chance(generator, 0.3):
        arguments["threshold"] = draw_threshold(generator, data)
    if chance(generator, 0.5):
        arguments["then"] = draw_threshold(generator, data)
    return make_request(data, "estimate_prior", arguments)


@kind("corrected scores")
def draw_corrected(generator: Random) -> Request:
    """Scores corrected to another base rate, or recalibrated."""
    data = {**draw_data(generator), "scores": "probability", "decimals": 3}
    if chance(generator, 0.5):
        return make_request(data, "correct_prior", {"negatives_kept": 0.1})
    method = pick(generator, ("isotonic", "platt", "beta"))
    return make_request(data, "calibrate", {"method": method})


@kind("plan")
def draw_plan(generator: Random) -> Request:
    """How many cases it takes."""
    rate = round(float(generator.uniform(0.6, 0.95)), 2)
    arguments = pick(
        generator,
        (
            {
                "function": "cases_needed",
                "requirement": f"recall >= {rate}",
                "expecting": round(rate + (1 - rate) / 2, 3),
            },
            {
                "function": "cases_needed",
                "requirement": f"fpr <= {round(1 - rate, 2)}",
                "expecting": round((1 - rate) / 3, 3),
                "power": 0.8,
            },
            {
                "function": "power_to_show",
                "requirement": f"recall >= {rate}",
                "expecting": round(rate + (1 - rate) / 2, 3),
                "cases": int(generator.integers(50, 400)),
            },
            {"function": "cases_for_auc", "expecting": round(rate + 0.04, 3), "at_least": rate},
            {"function": "cases_for_mcnemar", "discordant": 0.2, "difference": 0.06},
            {"function": "smallest_detectable", "pairs": int(generator.integers(5, 300))},
            {"function": "smallest_rate_shown", "cases": int(generator.integers(5, 9999))},
            {
                "function": "cases_at_prior",
                "requirement": "precision >= 0.1",
                "expecting": {"tpr": rate, "fpr": 0.02},
                "prior": 0.01,
            },
            {"function": "cases_for_margin", "discordant": 0.2, "margin": 0.05},
            {"function": "mcnemar_p", "first": int(generator.integers(0, 60)), "second": 20},
        ),
    )
    return make_request({}, "plan", arguments, source={"form": "none"})


@kind("published rates")
def draw_published(generator: Random) -> Request:
    """What published rates imply."""
    arguments = {"tpr": round(float(generator.uniform(0.2, 0.99)), 2), "fpr": "0.05"}
    arguments.update(
        pick(generator, ({"prior": "1%"}, {"precision": 0.3}, {"posfrac": "0.1"}, {"npv": 0.97}))
    )
    return make_request({}, "solve_rates", arguments, source={"form": "none"})


@kind("wrong labels")
def draw_wrong_labels(generator: Random) -> Request:
    """What the rates would be if labels are wrong, or known only for reviewed cases."""
    data = draw_data(generator)
    arguments = pick(
        generator,
        ({"hidden": "1%"}, {"spurious": "5%"}, {"hidden": 0.002}, {"passed": "5%"}),
    )
    arguments = {**arguments, "threshold": draw_threshold(generator, data)}
    return make_request(data, "wrong_labels", arguments)


@kind("command")
def draw_command(generator: Random) -> Request:
    """`baserate choose` of a CSV file, with `--json`."""
    data = draw_data(generator, models=pick(generator, (1, 2)), most=800)
    arguments = {**draw_conditions(generator)}
    arguments.update(pick(generator, (draw_rule, draw_budget, no_rule))(generator))
    if chance(generator, 0.15):
        arguments["prior"] = pick(generator, PRIOR_RANGES)
        arguments.pop("volume", None)
        arguments["rule"] = None
    return make_request(data, "command", arguments, source={"form": "csv"})
