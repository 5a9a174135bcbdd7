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
    rows = answered(capsys, *asked)["verdict"]["checks"][0]
    found = answered(capsys, *asked, "--cluster", "host", status=1)
    check = found["verdict"]["checks"][0]
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
    assert "labels depend on the flag, and corrected for that it is about 0." in done.out


def test_a_gate_of_clusters_needs_a_threshold_and_one_model_at_a_time(hosts, capsys):
    assert "Fix: --threshold SCORE." in refused(capsys, "gate", hosts, "recall >= 0.5", *ONE)
    pair = (*LABELS, "--baseline", "a", "--candidate", "b", "--threshold", "1")
    assert "clusters are not supported by a comparison" in refused(capsys, "gate", hosts, *pair)


def test_compare_resamples_whole_clusters(hosts, capsys):
    asked = ("compare", hosts, *LABELS, "--score", "a,b", "--replicates", "400")
    found = answered(capsys, *asked)["comparisons"][0]
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
    for one in (models, models["a"]):
        with pytest.raises(br.InputError, match="clusters are not supported by require yet"):
            br.require(one, "recall >= 0.5", threshold=1)
    found = br.segments.by_group({"all": models["a"]}, threshold=1, require="recall >= 0.5")
    assert found.parts[0].outcome == "demonstrated"
