"""Logging to MLflow: flat metrics, conditions as parameters, and the document beside them."""

import json
import sys
import types

import pytest
from tests.cli.helpers import VALID

import baserate as br
from baserate.output.mlflow import flat, log

Y, S = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.9]
AT = br.Conditions(prior="1 in 100", costs=br.Costs(fp=1, fn=50))


@pytest.fixture
def recorded(monkeypatch):
    """A stand-in that writes down what it is told, so that the calls are tested also where MLflow
    is not installed.
    """
    told = {"metrics": {}, "params": {}, "artifacts": {}, "run": object()}
    fake = types.ModuleType("mlflow")
    fake.active_run = lambda: told["run"]
    fake.log_metrics = told["metrics"].update
    fake.log_params = told["params"].update
    fake.log_dict = lambda content, name: told["artifacts"].__setitem__(
        name, json.loads(json.dumps(content, allow_nan=False))
    )
    monkeypatch.setitem(sys.modules, "mlflow", fake)
    return told


def test_metrics_parameters_and_the_document_are_logged(recorded):
    counts = br.count(Y, S)
    point = br.choose(counts, "recall >= 0.6", at=AT, volume=None)
    log({"m1": counts}, {"m1": point})
    metrics, params = recorded["metrics"], recorded["params"]
    assert metrics["m1.auc"] == br.auc(counts)
    assert (metrics["m1.positives"], metrics["m1.negatives"], metrics["m1.sample_prior"]) == (
        3,
        3,
        0.5,
    )
    assert metrics["m1.precision"] == point.precision
    assert metrics["m1.expected_cost"] == point.expected_cost
    bounds = br.interval(point, "tpr")
    assert (metrics["m1.tpr_low"], metrics["m1.tpr_high"]) == (bounds.low, bounds.high)
    assert params["m1.digest"] == counts.digest
    assert {
        key: params[f"m1.{key}"] for key in ("prior", "cost_fn", "cost_fp", "threshold", "rule")
    } == {
        "prior": "0.01",
        "cost_fn": "50",
        "cost_fp": "1",
        "threshold": repr(point.threshold),
        "rule": "tpr >= 0.6",
    }
    VALID.validate(recorded["artifacts"]["baserate.json"])


def test_what_is_undefined_is_not_logged(recorded):
    counts = br.count([0, 0], [0.2, 0.1])
    log({"m": counts}, {"m": br.choose(br.count(Y, S), threshold=None)})
    assert "m.auc" not in recorded["metrics"]
    assert "m.precision" not in recorded["metrics"]
    assert recorded["metrics"]["m.tpr"] == 0
    assert recorded["params"]["m.threshold"] == "none"


def test_several_points_are_numbered(recorded):
    counts = br.count(Y, S)
    log(
        {"m": counts},
        {"m": [br.choose(counts, threshold=cut, at=AT, volume=1000) for cut in (0.4, 0.8)]},
    )
    assert (
        recorded["metrics"]["m.2.alerts"]
        == br.choose(counts, threshold=0.8, at=AT, volume=1000)["alerts"]
    )
    assert recorded["params"]["m.2.threshold"] == "0.8"


def test_names_that_mlflow_does_not_take_are_made_plain(recorded):
    log({"m<1>": br.count(Y, S)})
    assert "m_1_.auc" in recorded["metrics"]
    with pytest.raises(br.InputError, match='BR846: two models are both "m_1_" in MLflow'):
        log({"m<1>": br.count(Y, S), "m[1]": br.count(Y, S)})


def test_without_an_active_run_nothing_is_started(recorded):
    recorded["run"] = None
    with pytest.raises(br.InputError, match="BR846: no run of MLflow is active"):
        log({"m": br.count(Y, S)})
    assert not recorded["metrics"]


def test_points_of_a_model_that_is_not_logged_are_refused(recorded):
    with pytest.raises(br.InputError, match='BR408: there is no model "x"'):
        log({"m": br.count(Y, S)}, {"x": br.choose(br.count(Y, S), threshold=0.4)})


def test_without_mlflow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(
        br.InputError,
        match=r'BR714: mlflow is not installed\. Fix: pip install "baserate\[mlflow\]"',
    ):
        log({"m": br.count(Y, S)})


def test_flat_names_are_those_of_the_document():
    from baserate.output import document

    models = {"m": br.count(Y, S)}
    aucs = {"m": br.interval(models["m"], br.auc)}
    metrics, params = flat(document.of_models("log", models, {}, [], [], aucs=aucs))
    assert set(metrics) == {
        "m.positives",
        "m.negatives",
        "m.sample_prior",
        "m.auc",
        "m.auc_low",
        "m.auc_high",
    }
    assert set(params) == {"baserate.version", "m.digest"}


@pytest.mark.filterwarnings("ignore")
def test_a_real_store_keeps_what_was_logged(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a folder is enough for a test
    mlflow = pytest.importorskip("mlflow", reason="the extra mlflow is not installed")
    mlflow.set_tracking_uri(f"file:{tmp_path}/runs")
    counts = br.count(Y, S)
    point = br.choose(counts, at=AT)
    with mlflow.start_run() as run:
        log({"m1": counts}, {"m1": point})
    kept = mlflow.get_run(run.info.run_id).data
    assert kept.metrics["m1.precision"] == point.precision
    assert kept.params["m1.digest"] == counts.digest
    path = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="baserate.json", dst_path=str(tmp_path)
    )
    with open(path) as file:
        VALID.validate(json.load(file))
