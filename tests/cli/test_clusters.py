"""Cases that come in clusters, in the commands that take them."""

import random

import pytest
from tests.cli.helpers import answered, refused, told, written

import baserate as br

LABELS = ("--label", "y", "--cluster", "host")
ONE = (*LABELS, "--score", "a")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    """Rows of 60 hosts, whose scores depend on the host."""
    rng = random.Random("hosts")
    rows = []
    for host in range(60):
        level = rng.gauss(0, 1)
        for case in range(20):
            y = int(case == 0)
            a, b = (2.5 * y + level + rng.gauss(0, 0.3), 1.5 * y + level + rng.gauss(0, 0.6))
            rows.append((y, f"{a:.3f}", f"{b:.3f}", f"h{host}"))
    return written(tmp_path_factory.mktemp("hosts") / "logs.csv", ("y", "a", "b", "host"), rows)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log in which what is flagged is labelled more often than the rest."""
    rng = random.Random("log")
    rows = []
    for case in range(6000):
        true = rng.random() < 0.05
        score = round(rng.gauss(1.5 * true, 1), 2)
        known = rng.random() < (0.9 if score >= 1 else 0.2)
        rows.append((int(true) if known else "", score, f"h{case % 300}"))
    return written(tmp_path_factory.mktemp("log") / "log.csv", ("y", "a", "host"), rows)


def test_the_note_on_unseen_false_alarms_agrees_with_the_interval_of_clusters(hosts, capsys):
    asked = ("show", hosts, *ONE, "--threshold", "4.2", "--prior", "1 in 100000")
    found = answered(capsys, *asked)
    note = next(note["text"] for note in found["notes"] if note["code"] == "BR505")
    bound = found["models"][0]["points"][0]["intervals"]["fpr"]["high"]
    assert bound == pytest.approx(1 - 0.05 ** (1 / 60), rel=1e-6)
    assert f"in 1,140 negatives of 60 clusters: fpr may be up to {bound:.3g} (95 %" in note


def test_the_note_on_biased_labels_is_there_with_clusters_too(log, capsys):
    asked = ("show", log, "--label", "y", "--score", "a", "--missing-label", "drop")
    asked += ("--threshold", "1", "--prior", "1e-3", "--volume", "1e6")
    alone, together = (
        next(note for note in answered(capsys, *asked, *more)["notes"] if note["code"] == "BR116")
        for more in ((), ("--cluster", "host"))
    )
    assert alone == together


def test_a_gate_of_clusters_has_the_bound_of_clusters(hosts, capsys):
    asked = ("gate", hosts, "fpr <= 0.25", "--label", "y", "--score", "a", "--threshold", "1")
    rows = answered(capsys, *asked)["result"]["verdict"]["checks"][0]
    found = answered(capsys, *asked, "--cluster", "host", status=1)
    check = found["result"]["verdict"]["checks"][0]
    assert (rows["outcome"], check["outcome"]) == ("demonstrated", "met, not demonstrated")
    assert check["value"] == rows["value"]
    assert check["bound"] > 0.25 > rows["bound"]
    assert "BR432" in [note["code"] for note in found["notes"]]


def test_what_has_only_an_approximate_interval_does_not_pass_a_gate(hosts, capsys):
    asked = ("gate", hosts, "precision >= 0.05", *ONE, "--threshold", "1", "--prior", "5%")
    done = told(capsys, *asked)
    assert done.status == 1
    assert "but not demonstrated: its interval is only approximate." in done.out


def test_a_gate_of_clusters_does_not_demonstrate_a_recall_that_labels_bias(log, capsys):
    asked = ("gate", log, "recall >= 0.5", *ONE, "--missing-label", "drop", "--threshold", "1")
    done = told(capsys, *asked)
    assert done.status == 1
    assert "labels depend on the flag, and it is about 0." in done.out


def test_a_gate_of_clusters_needs_a_threshold_and_one_model_at_a_time(hosts, capsys):
    assert "Fix: --threshold SCORE." in refused(capsys, "gate", hosts, "recall >= 0.5", *ONE)
    pair = (*LABELS, "--baseline", "a", "--candidate", "b", "--threshold", "1")
    assert "clusters are not supported by a comparison" in refused(capsys, "gate", hosts, *pair)


def test_compare_resamples_whole_clusters(hosts, capsys):
    asked = ("compare", hosts, *LABELS, "--score", "a,b", "--replicates", "400")
    found = answered(capsys, *asked)["result"]["comparisons"][0]
    groups = br.count(hosts, label="y", score=["a", "b"], cluster="host")
    expected = br.compare(groups, "auc", replicates=400)
    assert (found["low"], found["high"]) == (expected.low, expected.high)
    assert found["p_value"] == expected.p_value


@pytest.mark.parametrize("command", ["choose", "report", "triage"])
def test_a_command_without_clusters_says_so(hosts, command, capsys):
    said = refused(capsys, command, hosts, *ONE)
    assert f"clusters are not supported by baserate {command} yet" in said


def test_python_says_where_clusters_are_not_supported(hosts):
    models = br.count(hosts, label="y", score=["a", "b"], cluster="host")
    with pytest.raises(br.InputError, match="clusters are not supported by choose"):
        br.choose(models)
    found = br.segments.by_group({"all": models["a"]}, threshold=1, require="recall >= 0.5")
    assert found.parts[0].outcome == "demonstrated"


def test_a_requirement_on_clusters_is_the_one_of_the_gate(hosts, capsys):
    models = br.count(hosts, label="y", score=["a", "b"], cluster="host")
    found = br.require(models, "fpr <= 0.25", threshold=1)
    asked = ("gate", hosts, "fpr <= 0.25", "--label", "y", "--score", "a,b", "--threshold", "1")
    checks = answered(capsys, *asked, "--cluster", "host", status=1)["result"]["verdict"]["checks"]
    for check in checks:
        (ours,) = found[check["model"]].checks
        assert (check["bound"], check["outcome"]) == (ours.bound, ours.outcome)
    assert "BR432" in [note.code for note in found["a"].notes]
    with pytest.raises(br.InputError, match="BR594: clusters need the threshold in use"):
        br.require(models["a"], "fpr <= 0.25")


# Labels that depend on the score.


def test_what_selective_labels_show_is_not_guaranteed_in_the_field(log, capsys):
    data = (log, "--label", "y", "--missing-label", "drop", "--score", "a")
    done = told(capsys, "choose", *data, "--guarantee", "recall >= 0.5", "--prior", "5%")
    assert (
        "\nNothing is guaranteed in the field, as labels depend on the score (BR116); " in done.out
    )
    assert "\nIn the field, " not in done.out
    counts = br.count(log, label="y", score="a", missing_label="drop")
    point = br.choose(counts, guarantee="recall >= 0.5", prior=0.05)
    assert "guaranteed at 95 % among labelled cases only" in repr(point)


def test_slightly_selective_labels_fail_a_gate_that_their_correction_fails(tmp_path, capsys):
    """Labels of 90 % of the flagged and 82 % of the other cases, at a recall of 800 in 1,000."""
    cells = {(1, 1): 800, (1, 0): 200, (0, 1): 2000, (0, 0): 17000}
    rows = []
    for (true, flag), cases in cells.items():
        known = round(cases * (0.9 if flag else 0.82))
        rows += [(true if case < known else "", flag) for case in range(cases)]
    path = written(tmp_path / "mild.csv", ("y", "a"), rows)
    asked = ("--label", "y", "--missing-label", "drop", "--score", "a", "--threshold", "1")
    (check,) = answered(capsys, "gate", path, "recall >= 0.5", *asked)["result"]["verdict"][
        "checks"
    ]
    assert check["outcome"] == "demonstrated"
    limit = check["bound"] - 0.001
    done = told(capsys, "gate", path, f"recall >= {limit}", *asked)
    assert done.status == 1
    assert "labels depend on the flag, and it is about 0.8" in done.out


def test_flagging_nothing_is_no_rival_of_a_guarantee(hosts, capsys):
    asked = ("--test", hosts, "--label", "y", "--score", "a", "--guarantee", "recall >= 0.5")
    out = told(capsys, "choose", hosts, *asked, "--prior", "1%").out
    assert "recall (tpr) is at least 0.5 with 95 % confidence" in out
    assert "does not beat flagging" not in out
