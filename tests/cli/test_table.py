"""`baserate table`: every threshold for a person, as CSV and as JSON."""

import csv
import io

import numpy as np
import pytest

from .helpers import answered, refused, told, written

# Tan, Steinbach & Kumar 2005, Fig 5.42: ten records, and the columns that are printed there.
SCORES = ("0.25", "0.43", "0.53", "0.76", "0.85", "0.85", "0.85", "0.87", "0.93", "0.95")
CLASSES = "+-+---+-++"
PRINTED = {
    "TP": "5 4 4 3 3 3 3 2 2 1 0",
    "FP": "5 5 4 4 3 2 1 1 0 0 0",
    "TN": "0 0 1 1 2 3 4 4 5 5 5",
    "FN": "0 1 1 2 2 2 2 3 3 4 5",
    "TPR": "1 .8 .8 .6 .6 .6 .6 .4 .4 .4 0",
    "FPR": "1 1 .8 .8 .6 .4 .2 .2 0 0 0",
}
# The columns that differ, counted from 1: two belong to no threshold, as three scores tie at .85
# (erratum B5), and the TPR of the second last is .2, one of five (erratum B4).
NO_THRESHOLD, WRONG_TPR = (6, 7), 10


@pytest.fixture
def ten(tmp_path):
    path = written(tmp_path / "ten.csv", ["class", "score"], zip(CLASSES, SCORES, strict=True))
    return (path, "--label", "class", "--score", "score", "--positive", "+")


@pytest.fixture
def many(tmp_path):
    rng = np.random.default_rng(2)
    labels = rng.random(500) < 0.2
    rows = zip(labels.astype(int), rng.random(500), rng.random(500), strict=True)
    path = written(tmp_path / "many.csv", ["y", "m1", "m2"], rows)
    return (path, "--label", "y", "--score", "m1")


def test_T21_B4_B5_it_prints_the_ten_records_as_the_book_does_with_the_true_numbers(capsys, ten):
    done = told(
        capsys,
        *("table", *ten, "--measure", "tp,fp,tn,fn,tpr,fpr", "--order", "ascending", "--across"),
    )
    head, *lines = [line.split() for line in done.out.splitlines()[2:]]
    assert head == ["score", ">=", *sorted(set(SCORES)), "none"]
    for line, (name, printed) in zip(lines, PRINTED.items(), strict=True):
        expected = [
            0.2 if (name, place) == ("TPR", WRONG_TPR) else float(cell)
            for place, cell in enumerate(printed.split(), start=1)
            if place not in NO_THRESHOLD
        ]
        assert line[0] == name
        assert [float(cell) for cell in line[1:]] == expected


def test_measures_by_any_name_at_several_base_rates(capsys, ten):
    done = told(
        capsys,
        *("table", *ten, "--measure", "recall", "--measure", "PPV", "--prior", "1%,0.1%"),
        *("--threshold", "0.5,0.87"),
    )
    assert [line.split() for line in done.out.splitlines()[-4:]] == [
        ["0.01", "0.87", "0.4", "0.0198"],
        ["0.01", "0.5", "0.8", "0.01"],
        ["0.001", "0.87", "0.4", "0.001998"],
        ["0.001", "0.5", "0.8", "0.001"],
    ]
    assert "BR526" in done.err


def test_a_long_table_is_thinned_for_a_person_and_whole_as_csv_and_json(capsys, many):
    done = told(capsys, "table", *many)
    assert "40 of 501 rows are shown; for all of them add --csv." in done.out
    rows = list(csv.DictReader(io.StringIO(told(capsys, "table", *many, "--csv").out)))
    document = answered(capsys, "table", *many)
    columns = document["result"]["columns"]
    assert len(rows) == document["result"]["rows"] == 501
    assert columns["threshold"][0] == "none"
    assert columns["precision"][0] is None
    for name in ("tp", "fp", "precision"):
        assert [float(row[name]) for row in rows[1:]] == columns[name][1:]


def test_two_models_are_told_apart_by_a_column(capsys, many):
    document = answered(capsys, "table", *many, "--score", "m2", "--measure", "tpr")
    assert set(document["result"]["columns"]["model"]) == {"m1", "m2"}
    assert document["result"]["measures"] == ["tpr"]


def test_a_volume_counts_in_the_measures_that_count_cases(capsys, ten):
    asked = ("table", *ten, "--measure", "alerts,tp", "--prior", "0.1", "--volume", "1000")
    done = told(capsys, *asked, "--threshold", "0.9")
    assert done.out.splitlines()[0].endswith("at a base rate of 10%:")
    assert done.out.splitlines()[-2:] == ["score >=  alerts  TP", "     0.9      40   2"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--order", "up"), "descending, ascending"),
        (("--measure", "recal"), "did you mean"),
        (("--volume", "1000"), "volume has no effect"),
        (("--threshold", "high"), "a threshold is a number"),
    ],
)
def test_what_it_cannot_show_is_refused(capsys, ten, more, says):
    assert says in refused(capsys, "table", *ten, *more)


def test_csv_and_json_are_not_given_together(capsys, ten):
    done = told(capsys, "table", *ten, "--csv", "--json")
    assert (done.status, '"BR001"' in done.out) == (2, True)
