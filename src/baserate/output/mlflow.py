"""Numbers for MLflow: flat metrics, the conditions as parameters, and the whole document beside
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from baserate import __version__
from baserate.counts.counts import Counts
from baserate.decisions import operating_point
from baserate.decisions.operating_point import OperatingPoint
from baserate.errors import quoted, refuse
from baserate.inference.intervals import auc_intervals, with_intervals
from baserate.output import document
from baserate.read.table import needed

DOCUMENT = "baserate.json"
# What every store of MLflow takes in a name.
UNSAFE = re.compile(r"[^\w./ -]", re.ASCII)
AT_A_POINT = (*operating_point.AT_A_POINT, *operating_point.OF_A_VOLUME)
Points = Mapping[str, OperatingPoint | Sequence[OperatingPoint]]


def log(
    models: Mapping[str, Counts], points: Points | None = None, *, artifact: str = DOCUMENT
) -> None:
    """Log models, and the points that they are set to, to the active run of MLflow.

    Metrics are `m1.auc`, `m1.auc_low`, `m1.precision` and so on (`m1.2.precision` of a second
    point); undefined ones are left out. Parameters are the conditions, thresholds and rules, and
    the digest of the counts; the artifact is the document of `--json`.
    """
    mlflow = needed("mlflow", "mlflow")
    if mlflow.active_run() is None:
        raise refuse("BR846", "no run of MLflow is active", "with mlflow.start_run(): log(…)")
    settings = {
        name: [
            point if point.intervals else with_intervals(point)
            for point in ([one] if isinstance(one, OperatingPoint) else one)
        ]
        for name, one in (points or {}).items()
    }
    unknown = [name for name in settings if name not in models]
    if unknown:
        raise refuse(
            "BR408",
            f"there is no model {quoted(unknown[0])}",
            f"one of {', '.join(map(quoted, models))}",
        )
    content = document.of_models(
        "log",
        models,
        settings,
        [],
        document.notes_of(models, settings),
        aucs=auc_intervals(models),
    )
    metrics, params = flat(content)
    mlflow.log_params(params)
    mlflow.log_metrics(metrics)
    mlflow.log_dict(content, artifact)


def flat(content: Mapping[str, Any]) -> tuple[dict[str, float], dict[str, str]]:
    """Metrics and parameters of a document, under names that MLflow takes."""
    names = [UNSAFE.sub("_", model["name"]) for model in content["models"]]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise refuse(
            "BR846",
            f"two models are both {quoted(repeated[0])} in MLflow",
            "give them names of letters and digits",
        )
    metrics: dict[str, float] = {}
    params = {"baserate.version": __version__}
    for name, model in zip(names, content["models"], strict=True):
        metrics |= {
            f"{name}.{key}": float(value) for key, value in _measured(model) if value is not None
        }
        params |= {f"{name}.{key}": str(value) for key, value in _said(model) if value is not None}
    return metrics, params


def _places(model: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The points of a model, the first without a number."""
    for number, point in enumerate(model["points"], 1):
        yield "" if number == 1 else f"{number}.", point


def _measured(model: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    counts = model["counts"]
    yield from (
        ("positives", counts["total_positives"]),
        ("negatives", counts["total_negatives"]),
        ("sample_prior", counts["prior"]),
    )
    for name, summary in model["summaries"].items():
        yield name, summary["value"]
        yield from ((f"{name}_{side}", summary.get(side)) for side in ("low", "high"))
    for place, point in _places(model):
        for name in AT_A_POINT:
            yield f"{place}{name}", point.get(name)
            bounds = point["intervals"].get(name, {})
            yield from ((f"{place}{name}_{side}", bounds.get(side)) for side in ("low", "high"))


def _said(model: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "digest", model["counts"]["digest"]
    for place, point in _places(model):
        at = point["at"]
        yield f"{place}prior", at["prior"]
        yield from ((f"{place}cost_{outcome}", cost) for outcome, cost in at["costs"].items())
        yield from (
            (f"{place}{key}", point.get(key))
            for key in ("threshold", "rule", "optimized", "volume")
        )
