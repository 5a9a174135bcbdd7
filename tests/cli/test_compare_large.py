"""`compare --memory`: the answer of every case at once, from two readings piece by piece; whatever
needs more is refused in one line.
"""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from tests.cli.helpers import answered, refused, told
from tests.cli.test_compare import three_models

import baserate as br
from baserate.inference.large_differences import paired_in_passes
from baserate.read import large
from baserate.read.condense import Chunks
from baserate.read.table import LEAST, Ceiling

MEMORY = ("--memory", "400MB")
TWO = ("--label", "y", "--score", "a", "--score", "b")
THREE = (*TWO, "--score", "noise")


@pytest.fixture
def cases(tmp_path):
    y, a, b, noise = three_models()
    path = tmp_path / "scores.parquet"
    parquet.write_table(
        pa.table({"y": y, "a": a, "b": b, "noise": noise, "day": np.arange(len(y)) % 5}),
        path,
        row_group_size=50,
    )
    return str(path)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(large, "ROWS", 60)


@pytest.mark.parametrize(
    "asked",
    [
        TWO,
        THREE,
        (*THREE, "--against", "noise"),
        (*TWO, "--method", "delong"),
        (*TWO, "--level", "90%"),
    ],
)
def test_the_comparisons_are_those_of_every_case_at_once(cases, capsys, asked):
    ours, theirs = (answered(capsys, "compare", cases, *asked, *more) for more in (MEMORY, ()))
    assert ours["comparisons"] == theirs["comparisons"]
    assert ours["sources"] == theirs["sources"]
    assert len(ours["comparisons"]) == (
        1 if "noise" not in asked else 2 if "--against" in asked else 3
    )
    assert ours["comparisons"][0]["p_adjusted"] is None or "noise" in asked


def test_the_answer_in_words_comes_first_and_what_was_read_last(cases, capsys):
    ours, theirs = (told(capsys, "compare", cases, *TWO, *more) for more in (MEMORY, ()))
    assert ours.out == theirs.out
    assert ours.out.startswith("b is significantly better in AUC: b 0.8775, a 0.8044; ")
    assert ours.status == 0


def test_words_for_labels_are_noted_and_low_scores_may_be_risky(tmp_path, capsys):
    y, a, b, _ = three_models()
    path = tmp_path / "turned.parquet"
    parquet.write_table(pa.table({"y": np.where(y == 1, "yes", "no"), "a": -a, "b": -b}), path)
    ours, theirs = (
        answered(capsys, "compare", str(path), *TWO, "--lower-is-positive", *more)
        for more in (MEMORY, ())
    )
    assert ours["comparisons"] == theirs["comparisons"]
    assert {note["code"] for note in ours["notes"]} <= {note["code"] for note in theirs["notes"]}
    assert "BR101" in {note["code"] for note in ours["notes"]}


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        (("--statistic", "precision", "--threshold", "0.5"), "--threshold"),
        (("--statistic", "gini"), "--statistic gini"),
        (("--rule", "alerts <= 20", "--volume", "100"), "--volume"),
        (("--rule", "tpr >= 0.8"), "--rule"),
        (("--prior", "1%"), "--prior"),
        (("--prior-from", "field.csv"), "--prior-from"),
        (("--cost", "fn=10,fp=1"), "--cost"),
        (("--profit", "tp=10,fp=-1"), "--profit"),
        (("--pilot", "3/1000"), "--pilot"),
        (("--replicates", "100"), "--replicates"),
        (("--method", "percentile"), "--method percentile"),
        (("--method", "mcnemar"), "--method mcnemar"),
        (("--id", "day"), "--id"),
        (("--by-position",), "--by-position"),
    ],
)
def test_what_needs_every_case_at_once_is_refused_by_the_name_of_its_option(
    cases, capsys, asked, option
):
    line = refused(capsys, "compare", cases, *TWO, *MEMORY, *asked)
    assert (
        line
        == f"error BR943: {option} needs every case at once, and --memory compares AUC piece by"
        f" piece. Fix: leave out {option}, or --memory.\n"
    )


def test_sources_and_models_that_cannot_be_compared_so_are_refused(cases, capsys, tmp_path):
    saved = str(tmp_path / "m.counts")
    br.count([0, 1], {"a": [1, 2], "b": [2, 1]}).save(saved)
    for arguments, code, said in (
        ((cases, cases, *TWO), "BR943", "several files are joined with every case at once"),
        ((saved,), "BR002", "--memory has no effect on saved counts"),
        ((cases, "--label", "y", "--score", "a"), "BR595", "two models"),
        ((cases, *TWO, "--score", "a"), "BR407", 'the score "a" is named twice'),
        ((cases, *TWO, "--against", "c"), "BR408", 'no model "c"'),
        ((cases, *TWO, "--nan-score", "drop"), "BR943", "nan score needs every case at once"),
        ((cases, "--label", "day", "--score", "a", "--score", "b"), "BR103", "has 5 values"),
    ):
        line = refused(capsys, "compare", *arguments, *MEMORY)
        assert (code in line, said in line) == (True, True), line
    assert "BR940" in refused(capsys, "compare", cases, *TWO, "--memory", "1MB")


def test_what_is_not_read_in_pieces_is_compared_as_a_whole(capsys, tmp_path):
    y, a, b, _ = three_models()
    path = tmp_path / "x.jsonl"
    path.write_text(
        "".join(
            json.dumps(dict(zip("yab", row, strict=True))) + "\n"
            for row in zip(y.tolist(), a.tolist(), b.tolist(), strict=True)
        )
    )
    ours, theirs = (
        json.loads(told(capsys, "compare", path, *TWO, *more, "--json").out)["comparisons"]
        for more in (MEMORY, ())
    )
    assert ours == theirs
    (tmp_path / "x.csv").write_text("y,a,b\n0,1,2\n1,,3\n1,2,3\n")
    assert '"a" has 1 missing or NaN score' in refused(
        capsys, "compare", tmp_path / "x.csv", *TWO, *MEMORY
    )


def test_models_in_one_order_by_other_scores_are_not_called_equal(capsys, tmp_path):
    """That cannot be seen piece by piece: what is said is wider than with every case at once, never
    narrower.
    """
    y, a, _, _ = three_models()
    path = str(tmp_path / "x.parquet")
    parquet.write_table(pa.table({"y": y, "a": a, "b": 2 * a + 1}), path)
    ours, theirs = (
        json.loads(told(capsys, "compare", path, *TWO, *more, "--json").out)["comparisons"][0]
        for more in (MEMORY, ())
    )
    assert (
        (ours["value"], ours["p_value"], ours["method"])
        == (theirs["value"], theirs["p_value"], "hoeffding")
        == (0, 1, "hoeffding")
    )
    assert ours["low"] < theirs["low"] == 0 == theirs["high"] < ours["high"]


def test_a_csv_is_compared_as_the_parquet_of_the_same_cases(cases, capsys, tmp_path):
    import duckdb

    path = str(tmp_path / "x.csv")
    duckdb.read_parquet(cases).write_csv(path)
    ours, theirs = (
        json.loads(told(capsys, "compare", source, *TWO, *MEMORY, "--json").out)
        for source in (path, cases)
    )
    assert ours.pop("sources") != theirs.pop("sources")
    assert ours == theirs


def test_how_far_both_readings_have_got_is_told():
    y, a, b, _ = three_models()
    seen = []
    ceiling = Ceiling(LEAST, progress=lambda done, total: seen.append((done, total)))
    cut = {
        name: Chunks(
            [(y[at : at + 80], s[at : at + 80]) for at in range(0, 240, 80)], None, "random"
        )
        for name, s in (("a", a), ("b", b))
    }
    paired_in_passes(cut, [("a", "b")], ceiling, 0.95, None)
    assert [done for done, _ in seen] == [80, 160, 240] * 2


def remarkable():
    """Scores of which there is something to note, by name: two columns each."""
    y, a, b, _ = three_models()
    rng = np.random.default_rng(3)
    tied = np.where(rng.random(len(y)) < 0.2, 0.25, 1 / (1 + np.exp(-a)))
    return {
        "plain": (y, 1 / (1 + np.exp(-a)), 1 / (1 + np.exp(-b))),
        "logits": (y, a, b),
        "percent": (y, 100 / (1 + np.exp(-a)), 100 / (1 + np.exp(-b))),
        "reversed": (y, -a, b),
        "mostly positive": (np.where(np.arange(len(y)) % 9 == 0, 0, 1), a, b),
        "binary": (y, (a > 1).astype(int), (b > 1).astype(int)),
        "leaked": (y, y.astype(float), b),
        "constant": (y, np.zeros(len(y)), b),
        "tied": (y, tied, np.where(tied == 0.25, 1.0, tied)),
        "infinite": (y, np.where(a > a.max() - 0.5, np.inf, a), b),
        "the same": (y, a, a),
        "words": (np.where(y == 1, "yes", "no"), a, b),
        "few": (y[np.r_[0:6, -6:0]], a[np.r_[0:6, -6:0]], b[np.r_[0:6, -6:0]]),
    }


@pytest.mark.parametrize("name", remarkable())
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_notes_are_those_of_every_case_at_once(tmp_path, capsys, name, kind):
    y, a, b = remarkable()[name]
    path, table = tmp_path / f"scores.{kind}", pa.table({"y": y, "a": a, "b": b})
    (
        parquet.write_table(table, path, row_group_size=50)
        if kind == "parquet"
        else csv.write_csv(table, path)
    )
    ours, theirs = (
        answered(capsys, "compare", str(path), *TWO, *more)["notes"] for more in (MEMORY, ())
    )
    assert ours == theirs
    said = {
        "logits": "BR203",
        "percent": "BR202",
        "reversed": "BR207",
        "mostly positive": "BR110",
        "leaked": "BR112",
        "constant": "BR206",
    }
    assert (
        said | {"binary": "BR111", "tied": "BR210", "infinite": "BR218", "the same": "BR406"}
    ).get(name, "") in {
        "",
        *(note["code"] for note in ours),
    }


def test_ties_that_hold_no_positive_are_the_one_thing_not_noted(tmp_path, capsys):
    """A second reading counts negatives between the positives' scores: how many tie at a score that
    no positive has is not known.
    """
    y, a, b, _ = three_models()
    path = tmp_path / "scores.parquet"
    parquet.write_table(
        pa.table({"y": y, "a": np.where((y == 0) & (a < 0), -9.0, a), "b": b}), path
    )
    ours, theirs = (
        answered(capsys, "compare", str(path), *TWO, *more)["notes"] for more in (MEMORY, ())
    )
    assert [note for note in theirs if note not in ours] == [
        note for note in theirs if note["code"] == "BR216"
    ]
    assert len(ours) == len(theirs) - 1
