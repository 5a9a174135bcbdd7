"""Every threshold in one table: each cell is what `measure` says there, and nothing is lost on the
way to a frame, CSV or a pickle.
"""

import copy
import csv
import io
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate import InputError

LABELS, SCORES = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.8, 0.9]
SHOWN = ("tp", "fp", "tn", "fn", "tpr", "fpr", "precision", "npv", "f1", "mcc", "expected_cost")


def counts():
    return br.count(LABELS, SCORES)


cases = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=12).filter(
    lambda drawn: len({label for label, _ in drawn}) == 2
)


@given(cases, st.sampled_from([None, 0.5, 1e-4]), st.sampled_from(["descending", "ascending"]))
def test_every_cell_is_what_measure_says_at_that_threshold(drawn, prior, order):
    labels, scores = zip(*drawn, strict=True)
    counted, at = br.count(labels, scores), br.Conditions(prior, br.Costs(fp=1, fn=7))
    found = br.table(counted, SHOWN, at=at, order=order)
    cuts = [None, *sorted(set(scores), reverse=True)]
    assert len(found) == len(cuts)
    for place, cut in enumerate(cuts if order == "descending" else reversed(cuts)):
        assert found["threshold"][place] == cut or (
            cut is None and math.isnan(found["threshold"][place])
        )
        for name in SHOWN:
            expected = br.measure(counted, name, threshold=cut, at=at)
            assert found[name][place] == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


def test_cases_stay_whole_whatever_the_prior_and_a_volume_counts_in_measures_of_its_own():
    at = br.Conditions(prior=0.01)
    found = br.table(counts(), ["tp", "fp", "caught", "alerts"], at=at, volume=1000)
    assert found["tp"].dtype == found["fp"].dtype == np.int64
    assert found["tp"].tolist() == [0, 1, 2, 2, 3, 3]
    assert [*found.columns][3:] == ["caught(volume=1000)", "alerts(volume=1000)"]
    assert found["caught(volume=1000)"][-1] == pytest.approx(10)
    assert found["alerts(volume=1000)"][-1] == pytest.approx(1000)


def test_models_and_priors_are_columns_where_there_are_several():
    joint = br.count(LABELS, {"m1": SCORES, "m2": [1 - score for score in SCORES]})
    at = [br.Conditions(prior) for prior in (None, 0.1)]
    found = br.table(joint, ["tpr"], at=at, thresholds=[0.5, None])
    assert found.to_dict()["columns"]["model"] == ["m1"] * 4 + ["m2"] * 4
    assert found.to_dict()["columns"]["prior"] == [0.5, 0.5, 0.1, 0.1] * 2
    assert found["tpr"].tolist() == pytest.approx([0, 2 / 3] * 2 + [0, 1 / 3] * 2)
    assert found.measures == ("tpr",)


def test_thresholds_that_are_no_score_are_shown_as_given():
    found = br.table(counts(), ["tp"], thresholds=[0.5, None, 0.85], order="ascending")
    assert found["threshold"][:2].tolist() == [0.5, 0.85]
    assert math.isnan(found["threshold"][2])
    assert found["tp"].tolist() == [2, 1, 0]
    *_, note = br.table(counts(), ["tp"], thresholds=[50]).notes
    assert note.code == "BR529"


def test_another_base_rate_is_noted_once_and_only_where_it_matters():
    at = br.Conditions(prior=0.01)
    codes = [note.code for note in br.table(counts(), ["precision", "npv"], at=at).notes]
    assert codes.count("BR526") == 1
    codes = [note.code for note in br.table(counts(), ["tpr", "fpr"], at=at).notes]
    assert "BR526" not in codes


def test_condensed_counts_say_that_some_thresholds_are_missing():
    rng = np.random.default_rng(5)
    labels = rng.random(400) < 0.1
    kept = br.count(labels, rng.random(400) + labels, keep="positives")
    (note,) = br.table(kept, ["tp"]).notes
    assert note.code == "BR232"
    assert "not in this table" in note.text


def test_csv_frame_and_transposed_hold_the_same_values():
    found = br.table(counts(), ["tp", "precision"])
    head, *rows = csv.reader(io.StringIO(found.to_csv()))
    assert head == ["threshold", "tp", "precision"]
    assert rows[0] == ["", "0", ""]
    assert [float(row[2]) for row in rows[1:]] == found["precision"][1:].tolist()
    across = list(csv.reader(io.StringIO(found.transposed().to_csv())))
    assert [list(line) for line in zip(*across, strict=True)] == [head, *rows]
    frame = found.to_frame()
    assert frame["tp"].tolist() == found["tp"].tolist()
    wide = found.transposed().to_frame()
    assert wide.iloc[1, 1:].tolist() == found["tp"].tolist()
    assert found.transposed().transposed().to_csv() == found.to_csv()


@pytest.mark.parametrize("across", [False, True])
def test_a_copy_and_a_pickle_are_the_same_table(across):
    found = br.table(counts(), ["tp", "precision"])
    found = found.transposed() if across else found
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (again.to_csv(), again.at, again.notes) == (found.to_csv(), found.at, found.notes)
    with pytest.raises(ValueError, match="read-only"):
        found["tp"][0] = 9


def test_a_notebook_shows_it_escaped_and_a_spreadsheet_reads_no_formula():
    models = {"=1+1": counts(), "<b>": counts(), "\x1b[2J\n=1": counts()}
    found = br.table(models, ["tp"])
    assert "\n'=1+1,0.9,1\n" in found.to_csv()
    assert "\n\\x1b[2J\\n=1,0.9,1\n" in found.to_csv()
    assert "<b>" not in found._repr_html_()
    assert found.transposed()._repr_html_().startswith("<table><caption>18 thresholds, ")


def test_integers_beyond_2_to_the_53_keep_their_last_digit():
    found = br.table(br.count([0, 1], [2**60, 2**60 + 1]), ["tp"])
    assert found.to_csv() == f"threshold,tp\n,0\n{2**60 + 1},1\n{2**60},1\n"


def test_a_published_roc_has_rates_and_no_cases():
    points = br.Points.from_rates([0.01], [0.9], thresholds=[0.5])
    found = br.table(points, ["tp", "precision"], at=br.Conditions(prior=0.5))
    assert np.isnan(found["tp"]).all()
    assert found["precision"][1] == pytest.approx(0.9 / 0.91)


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        ({"measures": ["recal"]}, "BR531", "did you mean"),
        ({"order": "up"}, "BR542", "ascending"),
        ({"volume": 100}, "BR532", "volume has no effect"),
        ({"at": [br.Conditions(0.1), br.Conditions(0.1, br.Costs(fn=5))]}, "BR519", "costs"),
        ({"source": {}}, "BR410", "no model"),
    ],
)
def test_what_cannot_be_shown_is_refused(asked, code, says):
    options = {"source": counts(), "measures": ["tp"], **asked}
    source, measures = options.pop("source"), options.pop("measures")
    with pytest.raises(InputError, match=says) as refused:
        br.table(source, measures, **options)
    assert refused.value.code == code
