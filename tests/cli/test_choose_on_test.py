"""`choose dev.csv --test test.csv`: chosen on one file, evaluated on another."""

import csv
import random
import re
import shlex

import pytest
from tests.cli.helpers import answered, refused, told, written

import baserate as br

COLUMNS = ("--label", "y", "--score", "a", "--score", "b")
FIELD = ("--prior", "1%", "--cost", "fn=50,fp=1")


def drawn(path, name, better):
    """Cases with two models, of which the second is as much better as asked."""
    rng = random.Random(name)
    rows = []
    for case in range(1500):
        y = int(case < 100)
        a, b = rng.gauss(1.5 * y, 1), rng.gauss(better * y, 1)
        rows.append((y, f"{a:.4f}", f"{b:.4f}", f"{rng.expovariate(0.01):.2f}"))
    return written(path / f"{name}.csv", ("y", "a", "b", "eur"), rows)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("held-out")
    return drawn(folder, "dev", 2), drawn(folder, "test", 2)


def column(path, name):
    with open(path) as file:
        return [float(row[name]) for row in csv.DictReader(file)]


def flags(path, name, threshold):
    """True and false alarms at a threshold, one row at a time."""
    pairs = list(zip(column(path, "y"), column(path, name), strict=True))
    return (
        sum(y == 1 and score >= threshold for y, score in pairs),
        sum(y == 0 and score >= threshold for y, score in pairs),
    )


def codes(answer):
    return [note["code"] for note in answer["notes"]]


def test_the_answer_is_that_of_the_test_data_at_the_thresholds_of_the_first_file(files, capsys):
    dev, test = files
    both = answered(capsys, "choose", dev, "--test", test, *COLUMNS, *FIELD)
    alone = answered(capsys, "choose", dev, *COLUMNS, *FIELD)
    assert {**both["result"]["chosen"], "notes": alone["result"]["notes"]} == alone["result"]
    for name, moved in both["result"]["points"].items():
        chosen = alone["result"]["points"][name]
        assert chosen["threshold"] == moved["threshold"]
        assert (moved["tp"], moved["fp"]) == flags(test, name, moved["threshold"])
        assert moved["in_advance"]
        assert not chosen["in_advance"]
    assert [source["path"] for source in both["sources"]] == ["dev.csv", "test.csv"]
    assert "BR528" in codes(alone)
    assert "BR528" not in codes(both)


def test_the_first_sentence_and_table_give_the_test_figures(files, capsys):
    dev, test = files
    words = ("choose", dev, "--test", test, *COLUMNS, *FIELD)
    done, verdict = told(capsys, *words), answered(capsys, *words)["result"]
    best = verdict["models"][0]
    first, _, rest = done.out.partition("\n\n")
    assert first == (
        "Use b at score ≥ 0.9415. On the test data, at a base rate of 1%, costs (fp = 1, fn = 50),"
        " its cost per case is 0.2239 (a 0.2996); the difference is significant (p = 0.0216)."
    )
    assert (best, f"{verdict['values'][best]:.4g}") == ("b", "0.2239")
    table = [line.split()[:2] for line in rest.splitlines()]
    assert table.index(["b", "test"]) < table.index(["b", "chosen"])
    assert "fixed in advance" in rest
    assert "same data" not in done.err


def test_differences_are_tested_on_the_test_data(files, capsys):
    dev, test = files
    words = ("choose", dev, "recall >= 0.6", "--test", test, *COLUMNS, "--prior", "1%")
    found = answered(capsys, *words, "--optimize", "fpr")["result"]
    points = found["points"]
    (difference,) = found["differences"]
    other, best = difference["models"]
    flagged = [flags(test, name, points[name]["threshold"])[1] / 1400 for name in (other, best)]
    assert difference["values"] == pytest.approx(flagged)
    assert difference["value"] == pytest.approx(flagged[1] - flagged[0])
    # Known in advance, the thresholds do not vary with these cases.
    fixed = [
        word for name in points for word in ("--threshold", f"{name}={points[name]['threshold']!r}")
    ]
    compared = answered(capsys, "compare", test, *COLUMNS, "--statistic", "fpr", *fixed)
    (tested,) = compared["result"]["comparisons"]
    sign = 1 if tested["models"] == [other, best] else -1
    assert difference["method"] == tested["method"]
    assert difference["p_value"] == pytest.approx(tested["p_value"])
    assert difference["value"] == pytest.approx(sign * tested["value"])


def test_a_model_that_loses_on_the_test_data_is_said_to_lose(tmp_path, capsys):
    dev, test = drawn(tmp_path, "dev", 2.5), drawn(tmp_path, "test", 0)
    done = told(capsys, "choose", dev, "--test", test, *COLUMNS, *FIELD)
    first = done.out.splitlines()[0]
    assert first == (
        "Use b at score ≥ 1.375. On the test data, at a base rate of 1%, costs (fp = 1, fn = 50),"
        " its cost per case is 0.5384 (a 0.2996); a is significantly better (p < 0.001). It does"
        " not beat flagging nothing there (cost per case 0.5000)."
    )


def test_a_rule_that_the_test_data_do_not_meet_is_named(tmp_path, capsys):
    dev, test = drawn(tmp_path, "dev", 2.5), drawn(tmp_path, "test", 0)
    words = ("choose", dev, "recall >= 0.9", "--test", test, "--label", "y", "--score", "b")
    done = told(capsys, *words)
    tp, _ = flags(test, "b", answered(capsys, *words)["result"]["threshold"])
    assert f"\ntpr >= 0.9 is not met on the test data: {tp / 100:#.4g}.\n" in done.out


def test_saved_counts_and_files_go_together(files, tmp_path, capsys):
    dev, test = files
    saved = [str(tmp_path / f"{name}.counts") for name in ("dev", "test")]
    for path, counts in zip(files, saved, strict=True):
        assert told(capsys, "count", path, *COLUMNS, "-o", counts).status == 0
    plain = answered(capsys, "choose", dev, "--test", test, *COLUMNS, *FIELD)["result"]
    for words in (
        (saved[0], "--test", saved[1]),
        (dev, "--test", saved[1], *COLUMNS),
        (saved[0], "--test", test, *COLUMNS),
    ):
        assert answered(capsys, "choose", *words, *FIELD)["result"] == plain
    assert "BR002" in refused(capsys, "choose", saved[0], "--test", saved[1], *COLUMNS, *FIELD)


def test_amounts_are_summed_on_the_test_data(files, capsys):
    dev, test = files
    words = ("choose", dev, "--test", test, *COLUMNS, "--amount", "eur", "--review", "5")
    found = answered(capsys, *words)
    assert "BR528" not in codes(found)
    for model, point in found["result"]["points"].items():
        rows = zip(*(column(test, name) for name in ("y", model, "eur")), strict=True)
        caught = sum(eur for y, score, eur in rows if y and score >= point["threshold"])
        assert point["amount_caught"] == pytest.approx(caught)
    first = told(capsys, *words).out.splitlines()[0]
    assert "of 1,500 cases of the test data" in first


def test_a_guarantee_is_of_the_first_file_and_observed_on_the_test_data(files, capsys):
    dev, test = files
    words = ("choose", dev, "--test", test, "--label", "y", "--score", "b")
    done = told(capsys, *words, "--guarantee", "recall >= 0.6")
    found = answered(capsys, *words, "--guarantee", "recall >= 0.6")
    assert found["result"]["chosen"]["points"]["b"]["guarantee"] is not None
    assert found["result"]["points"]["b"].get("guarantee") is None
    assert done.out.splitlines()[1] == (
        "In the field, recall (tpr) is at least 0.6 with 95 % confidence, although the threshold"
        " was chosen on the same cases (where it was chosen: 0.69)."
    )
    assert "BR638" not in codes(found)


def test_under_a_ceiling_the_command_that_tests_the_difference_runs(files, capsys):
    dev, test = files
    words = ("choose", dev, "--test", test, *COLUMNS, *FIELD, "--memory", "1GB")
    shown = told(capsys, *words).out
    hint = shlex.split(re.search("^baserate compare .*$", shown, flags=re.MULTILINE)[0])
    assert hint[:3] == ["baserate", "compare", test]
    assert told(capsys, *hint[1:], "--replicates", "100").status == 0


def test_test_data_are_never_written_over(files, capsys):
    dev, test = files
    words = ("choose", dev, "--test", test, *COLUMNS, "-o", test, "--force")
    assert told(capsys, *words).err.startswith("error BR804")


def test_over_a_range_and_by_site_test_data_are_refused(files, capsys):
    dev, test = files
    words = ("choose", dev, "--test", test, *COLUMNS)
    for more in (("--prior", "1%..2%"), ("--by", "y"), ("--kind", "unknown")):
        assert "BR594: --test cannot be combined with" in refused(capsys, *words, *more)


def test_test_data_without_a_model_or_with_an_estimated_base_rate_are_refused(
    files, tmp_path, capsys
):
    dev, _ = files
    other = written(tmp_path / "other.csv", ("y", "a"), [(0, 1), (1, 2)])
    assert '"b"' in refused(capsys, "choose", dev, "--test", other, *COLUMNS)
    saved = str(tmp_path / "a.counts")
    told(capsys, "count", dev, "--label", "y", "--score", "a", "--score", "b", "-o", saved)
    assert "BR594" in refused(capsys, "choose", dev, "--test", dev, *COLUMNS, "--prior-from", dev)


def test_a_threshold_is_one_number_in_both_tables_and_flags_the_same_cases(tmp_path, capsys):
    first = [(1, 0.44959), (1, 0.9), (0, 0.4467), (0, 0.2)]
    other = [(1, 0.44959), (1, 0.9), (0, 0.4485), (0, 0.2)]
    dev, test = (
        written(tmp_path / f"{name}.csv", ("y", "s"), rows)
        for name, rows in (("dev", first), ("test", other))
    )
    words = ("choose", dev, "--test", test, "--label", "y", "--score", "s")
    cuts = set(
        re.findall(r"^s +(?:test|chosen on) +>= (\S+)", told(capsys, *words).out, re.MULTILINE)
    )
    assert len(cuts) == 1
    cut = float(cuts.pop())
    for rows in (first, other):
        assert [score >= cut for _, score in rows] == [score >= 0.44959 for _, score in rows]


def test_python_shows_the_threshold_that_the_point_has():
    labels = [1, 1, 0, 0]
    choice = br.choose(br.count(labels, {"s": [0.44959, 0.9, 0.4467, 0.2]}))
    there = choice.on(br.count(labels, {"s": [0.44959, 0.9, 0.4485, 0.2]}))
    for found in (choice, there, choice.point, there.point):
        assert "score ≥ 0.44959;" in repr(found)


def test_label_shift_and_the_scale_of_scores_are_noted_once(files, capsys):
    dev, test = files
    notes = answered(capsys, "choose", dev, "--test", test, *COLUMNS, "--prior", "1e-3")["notes"]
    again = [note["code"] for note in notes if note["text"].startswith("test data:")]
    assert not {"BR526", "BR202", "BR203", "BR210", "BR216"} & set(again)
    assert {"BR526", "BR203"} <= {note["code"] for note in notes}
