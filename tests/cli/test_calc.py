"""`baserate calc` of published tables: a league at one's own base rate, with intervals."""

import re

import pytest

import baserate as br
from baserate.inference.intervals import interval

from .helpers import answered, refused, told, written

GUARD = ("--table", "guard=100,9,1,108")
STUDIES = [("a", 90, 10, 5, 95), ("b", 80, 20, 1, 199), ("c", 0, 10, 0, 50)]


@pytest.fixture
def studies(tmp_path):
    return written(tmp_path / "studies.csv", ["name", "tp", "fn", "fp", "tn"], STUDIES)


def test_a_guard_that_finds_92_percent_is_right_once_in_a_hundred_alerts(capsys):
    """Recall 91.7 % and a false positive rate of 0.9 % at one attack in 10,000."""
    done = told(capsys, "calc", *GUARD, "--prior", "1 in 10000")
    says = (
        'At a base rate of 0.01% (1 in 10,000), 0.99 % of the positive results of "guard" are true'
        " positives (95 % interval 0.216 % to 8.38 %)."
    )
    answer, _, read = done.out.splitlines()[:3]
    assert read == "Read as tp 100, fn 9, fp 1, tn 108: 109 with the condition, 109 without."
    assert answer == says
    (row,) = answered(capsys, "calc", *GUARD, "--prior", "1 in 10000")["result"]["rows"]
    assert row["values"]["tpr"] == pytest.approx(0.917, abs=5e-4)
    assert row["values"]["fpr"] == pytest.approx(0.009, abs=5e-4)
    assert row["values"]["precision"] == pytest.approx(0.01, abs=5e-4)
    known = row["intervals"]["precision"]
    assert (known["low"], known["high"]) == pytest.approx((0.002, 0.084), abs=5e-4)


def test_every_number_is_that_of_the_library(capsys, studies):
    league = answered(capsys, "calc", studies, "--prior", "0.1%,5%", "--level", "90%")["result"]
    assert league["sorted_by"] == "precision"
    assert [(row["name"], row["at"]["prior"]) for row in league["rows"]] == [
        (name, prior) for prior in (0.001, 0.05) for name in ("b", "a", "c")
    ]
    tables = {name: br.Confusion(tp=tp, fp=fp, fn=fn, tn=tn) for name, tp, fn, fp, tn in STUDIES}
    for row in league["rows"]:
        at = br.Conditions(prior=row["at"]["prior"])
        for name, known in row["intervals"].items():
            found = interval(statistic=name, counts=tables[row["name"]], at=at, level=0.9)
            assert (known["low"], known["high"]) == (found.low, found.high)
            assert row["values"][name] == found.value
    assert league["rows"][2]["undefined"] == {"precision": "nothing flagged"}


def test_costs_and_a_volume_add_columns_and_costs_sort_the_cheapest_first(capsys, studies):
    asked = ("calc", studies, "--prior", "5%", "--cost", "fn=100,fp=1", "--volume", "1000")
    rows = answered(capsys, *asked)["result"]["rows"]
    assert [row["name"] for row in rows] == ["a", "b", "c"]
    assert rows[0]["values"]["expected_cost"] == pytest.approx(0.05 * 0.1 * 100 + 0.95 * 0.05)
    assert rows[0]["values"]["caught(volume=1000)"] == pytest.approx(45)
    text = told(capsys, *asked).out
    assert '"a" has the lowest cost per case: 0.547' in text
    line = next(line for line in text.splitlines() if line.startswith("a "))
    assert re.search(r" (92|93)  +\d+ to \d+ +45 +\d+ to \d+ +5 +[\d.]+ to [\d.]+$", line)
    assert "Differences between tables are not tested." in text


def test_rates_alone_are_answered_by_what_a_positive_result_means(capsys):
    asked = ("calc", "--sensitivity", "90%", "--specificity", "85%", "--prevalence")
    assert told(capsys, *asked, "1%").out.splitlines()[0] == (
        "At a base rate of 1%, 5.71 % of the positive results are true positives. No interval: the"
        " number of cases is not known."
    )
    several = told(capsys, *asked, "1%,5%").out.splitlines()[0]
    assert "; at a base rate of 5%, 24 %. No interval: " in several


def test_the_range_of_rounding_is_shown_where_it_is_asked_for(capsys):
    asked = ("calc", "--sensitivity", "0.9", "--specificity", "0.85", "--prevalence", "1%")
    assert "0.8500 to 0.9500" not in told(capsys, *asked).out
    assert "0.8500 to 0.9500" in told(capsys, *asked, "--rounding").out
    assert "BR002: --rounding has no effect on tables" in refused(
        capsys, "calc", *GUARD, "--rounding"
    )


def test_rates_of_a_paper_become_alerts(capsys):
    asked = ("calc", "--tpr", "95%", "--fpr", "1%", "--prior", "1 in 100000")
    assert (
        "0.0949 % of the positive results are true positives: about 10,009 alerts in 1,000,000"
        " cases (1 in 1,054 real)." in told(capsys, *asked, "--volume", "1000000").out
    )
    assert answered(capsys, *asked, "--volume", "1000000")["result"]["calculations"][0][
        "alerts"
    ] == pytest.approx(10009.4)
    both = ("calc", "--tpr", "95%", "--fpr", "1%", "--prior", "1%,2%", "--volume", "100")
    found = answered(capsys, *both)["result"]["calculations"]
    assert [one["alerts"] for one in found] == pytest.approx([1.94, 2.88])


def test_a_table_may_be_typed_row_by_row(capsys):
    rows = told(capsys, "calc", "--table", "90,50,10,950", "--order", "rows").out
    assert "\nRead as tp 90, fn 10, fp 50, tn 950: 100 with the condition, 1,000 without.\n" in rows
    classes = told(capsys, "calc", "--table", "90,50,10,950").out
    read = "\nRead as tp 90, fn 50, fp 10, tn 950: 140 with the condition, 960 without.\n"
    assert read in classes
    named = ("calc", "--table", "fp=50,tp=90,tn=950,fn=10", "--order", "rows")
    assert "Read as" not in told(capsys, *named).out
    two = told(capsys, "calc", "--table", "a=9,1,2,8", "--table", "b=tp=9,fn=1,fp=2,tn=8").out
    assert '\nRead of "a" as tp 9, fn 1, fp 2, tn 8: 10 with the condition, 10 ' in two
    assert 'of "b" as' not in two


def test_any_measure_sorts_by_any_of_its_names(capsys, studies):
    league = answered(capsys, "calc", studies, "--measure", "specificity,lr+", "--sort", "youden")
    assert league["result"]["sorted_by"] == "informedness"
    assert [row["name"] for row in league["result"]["rows"]] == ["a", "b", "c"]
    assert "At its own base rate" in told(capsys, "calc", studies).out


def test_columns_may_come_in_any_order_and_models_be_called_so(capsys, tmp_path):
    path = written(
        tmp_path / "t.csv", ["TN", "model", "year", "FP", "TP", "FN"], [(8, "m", 1, 2, 3, 4)]
    )
    (row,) = answered(capsys, "calc", path)["result"]["rows"]
    assert [row[name] for name in ("name", "tp", "fp", "fn", "tn")] == ["m", 3, 2, 4, 8]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--table", "1,2,3"), "BR551: a table has four cells"),
        (("--table", "1,2,3,0.5"), "BR551: tn must be a whole number of cases"),
        (("--table", "0,0,0,0"), "BR551: a table has no cases"),
        (("--table", "a=1,2,3,4", "--table", "a=1,2,3,5"), 'BR551: two tables are called "a"'),
        (("--table", "1,2,3,4", "--recall", "0.9"), "BR545: rates"),
        (("--tpr", "0.9", "--fpr", "0.1", "--sort", "npv"), "BR002: sort"),
        (("--tpr", "0.9", "--fpr", "0.1", "--level", "90%"), "BR002: level"),
        (("nowhere.csv",), "BR600: nowhere.csv"),
    ],
)
def test_what_is_no_table_is_refused(capsys, asked, says):
    assert says in refused(capsys, "calc", *asked)


@pytest.mark.parametrize("head", ["name", "Table", "study", "test", "model"])
def test_the_tables_of_a_file_keep_their_names(head, capsys, tmp_path):
    path = written(tmp_path / "t.csv", [head, "tp", "fn", "fp", "tn"], [("ELISA", 9, 1, 2, 8)])
    assert "ELISA" in told(capsys, "calc", path).out


def test_a_bad_line_of_a_file_is_named(capsys, tmp_path):
    path = written(tmp_path / "t.csv", ["tp", "fn", "fp", "tn"], [(1, 2, 3, 4), (1, 2, "x", 4)])
    assert "(lines 3)" in refused(capsys, "calc", path)
    short = written(tmp_path / "s.csv", ["tp", "fn", "fp"], [(1, 2, 3)])
    assert 'has no column "tn"' in refused(capsys, "calc", short)


@pytest.mark.parametrize("text", ["tp=100,fn=9,fp=1,tn=108", "TN=108, fp=1, fn=9, tp=100"])
def test_the_cells_of_a_table_may_be_named_in_any_order(text, capsys):
    expected = answered(capsys, "calc", "--table", "100,9,1,108", "--prior", "1%")["result"]
    assert answered(capsys, "calc", "--table", text, "--prior", "1%")["result"] == expected


def test_a_table_with_named_cells_may_have_a_name(capsys):
    expected = answered(capsys, "calc", "--table", "guard=100,9,1,108")["result"]
    assert (
        answered(capsys, "calc", "--table", "guard=tp=100,fn=9,fp=1,tn=108")["result"] == expected
    )
    wrong = refused(capsys, "calc", "--table", "tp=100,fn=9,fp=1,tnn=108")
    assert "the cells are tp, fn, fp, tn" in wrong


def test_a_table_that_is_typed_elsewhere_is_shown_where_it_goes(capsys):
    assert "Fix: --table 90,10,50,950." in refused(capsys, "calc", "90,10,50,950")
    assert "did you mean --table?" in refused(capsys, "calc", "--tp", "90")


@pytest.mark.parametrize("table", ["fn=10,90,50,950", "tp=90,10,50,950"])
def test_a_partly_named_table_is_refused_instead_of_misread(table, capsys):
    assert "BR551: the cells are tp, fn, fp, tn" in refused(capsys, "calc", "--table", table)
