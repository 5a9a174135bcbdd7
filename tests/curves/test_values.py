"""What a curve carries, how it is handed on, and sweeps along conditions."""

import inspect
import json
import math
import pickle
import sys

import numpy as np
import pytest

import baserate as br
from baserate.curves.named import CURVES

COUNTS = br.Counts([0.9, 0.5, 0.1], [6, 3, 1], [2, 8, 30])
AT = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50))


def test_a_curve_unpacks_into_three_columns_that_cannot_be_changed():
    x, y, thresholds = curve = br.pr(COUNTS, at=AT)
    assert len(curve) == len(x) == len(y) == len(thresholds) == 4
    assert math.isnan(thresholds[0])
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 3
    with pytest.raises(AttributeError, match="cannot assign"):
        curve.x = x


def test_a_curve_says_where_it_was_read_and_off_what():
    curve = br.pr(COUNTS, at=AT)
    assert (curve.name, curve.x_label, curve.y_label, curve.at.prior) == (
        "pr",
        "tpr",
        "precision",
        0.01,
    )
    assert curve.digest == COUNTS.digest
    assert [note.code for note in curve.notes] == ["BR526"]
    assert "precision against tpr, 4 points, at a base rate of 1%" in repr(curve)
    home = br.pr(COUNTS)
    assert (home.notes, home.at.as_in_sample) == ((), True)
    assert br.roc(COUNTS).at is None
    assert br.roc(br.Points.from_rates([0.1], [0.6])).digest == ""


def test_a_curve_of_costs_says_what_it_assumes_at_another_base_rate():
    assert "BR526" in [note.code for note in br.curve(COUNTS, "cost_threshold", at=AT).notes]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_curve_is_a_dataframe_of_any_library(backend):
    curve = br.curve(COUNTS, "posfrac", at=AT)
    frame = curve.to_frame(backend)
    assert type(frame).__module__.split(".")[0] in (backend, "pandas")
    columns = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert columns == ["tpr", "posfrac", "threshold"] == list(curve.to_dict())
    assert np.allclose(np.asarray(frame["posfrac"]), curve.y)
    assert curve.to_dict()["tpr"] == curve.x.tolist()


@pytest.mark.parametrize("name", [*CURVES, "precision:tpr", "nne:prior"])
def test_a_curve_is_strict_json(name):
    at = {"at": AT} if ":" not in name and CURVES[name].conditions else {}
    if ":" not in name and "bins" in inspect.signature(CURVES[name].make).parameters:
        at["bins"] = 3
    curve = br.curve(COUNTS, name, **at)
    columns = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert [len(column) for column in columns.values()] == [len(curve)] * len(columns)
    for written, column in zip(columns.values(), curve.columns.values(), strict=True):
        assert [one is None for one in written] == np.isnan(column).tolist()
        numbers = [float(one) for one in written if one is not None]
        assert numbers == column[~np.isnan(column)].tolist()


def test_BR532_BR714_a_dataframe_library_is_known_and_installed(monkeypatch):
    with pytest.raises(br.InputError, match="BR532: there is no dataframe library"):
        br.roc(COUNTS).to_frame("excel")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(br.InputError, match="BR714: polars is not installed"):
        br.roc(COUNTS).to_frame("polars")


def test_the_columns_of_a_curve_along_thresholds_keep_both_its_axis_and_its_thresholds():
    assert list(br.curve(COUNTS, "ks").to_dict()) == ["threshold", "informedness"]


@pytest.mark.parametrize("rule", [None, "tpr >= 0.9", "precision >= 0.3"])
def test_a_sweep_chooses_again_at_every_prior(rule):
    priors = [0.5, 0.1, 0.01, 1e-4, 1e-6]
    curve = br.curve(COUNTS, "posfrac:prior", priors=priors, costs=AT.costs, rule=rule)
    for place, prior in enumerate(priors):
        try:
            chosen = br.choose(COUNTS, rule, at=br.Conditions(prior, AT.costs))
        except br.Infeasible:
            assert math.isnan(curve.y[place])
            continue
        assert curve.y[place] == chosen.posfrac
        assert curve.thresholds[place] == chosen.threshold or (
            chosen.threshold is None and math.isnan(curve.thresholds[place])
        )
    assert curve.x.tolist() == priors
    assert len(set(curve.thresholds.tolist())) > 1 or rule


def test_a_sweep_at_one_threshold_is_that_point_at_every_prior():
    for name in ("precision", "npv"):
        swept = br.curve(COUNTS, f"{name}:prior", threshold=0.5, priors=["1 in 1000", 0.2])
        assert swept.y.tolist() == [
            br.measure(COUNTS, name, threshold=0.5, at=br.Conditions(prior))
            for prior in (0.001, 0.2)
        ]
    nothing = br.curve(COUNTS, "precision:prior", threshold=None, priors=[0.1])
    assert math.isnan(nothing.y[0])
    grid = br.curve(COUNTS, "precision:prior", threshold=0.5).x
    assert (grid[0], len(grid)) == (1e-6, 58)
    assert (np.diff(grid) > 0).all()


def test_a_sweep_needs_base_rates():
    for priors in ([], [None]):
        with pytest.raises(br.InputError, match="BR519: a sweep needs base rates"):
            br.curve(COUNTS, "tpr:prior", priors=priors)
    assert (
        br.curve(COUNTS, "alerts:prior", priors=[0.1], volume=1000).y_label == "alerts(volume=1000)"
    )


def test_a_curve_can_be_sent_to_another_process():
    again = pickle.loads(pickle.dumps(br.pr(COUNTS, at=AT)))
    assert again.y.tolist() == br.pr(COUNTS, at=AT).y.tolist()
