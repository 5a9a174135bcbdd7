"""What a budget says where scores were counted together, followed to the letter; what a
statistician found must not come back.
"""

import re
from fractions import Fraction

import numpy as np
import pytest
from tests.cli.helpers import answered, told

import baserate as br
from baserate.decisions.operating_point import brief, setting

CASES, POSITIVES = 20_000, 30
NUMBER = r"-?\d+\.?\d*(?:e[+-]?\d+)?"
SAID = re.compile(
    rf"(?:score >= (?P<certain>{NUMBER}), and )?(?P<share>{NUMBER}) % of those "
    rf"(?:at (?P<one>{NUMBER})|from (?P<low>{NUMBER}) up(?: to (?P<high>{NUMBER}))?), drawn at"
    r" random"
)
BUDGETS = [3, 700, 1000, 5000, 19_999]
AT = br.Conditions(prior="sample")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(11)
    labels = np.arange(CASES) < POSITIVES
    return labels, rng.normal(size=CASES) + 2 * labels


def kept(rows):
    """The same cases, counted in every way that merges scores."""
    counts = br.count(*rows)
    bins = counts.coarsen(np.quantile(rows[1], [0.1, 0.5, 0.9, 0.99]))
    return {
        "condensed": counts.condense(),
        "asked for": counts.condense([1.5]),
        "bins": bins,
        "hull": br.Points.of(counts).hull(),
    }


def followed(text, scores):
    """How many cases are flagged on average by who does what the words say, and knows nothing
    else.
    """
    found = SAID.search(text)
    if found is None:
        return int((scores >= float(re.search(rf"score >= ({NUMBER})", text)[1])).sum())
    said = found.groupdict()
    certain = (
        np.zeros(len(scores), dtype=bool)
        if said["certain"] is None
        else scores >= float(said["certain"])
    )
    if said["one"] is not None:
        drawn = scores == float(said["one"])
    else:
        drawn = (scores >= float(said["low"])) & (
            scores < (np.inf if said["high"] is None else float(said["high"]))
        )
    return certain.sum() + float(said["share"]) / 100 * (drawn & ~certain).sum()


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("way", ["condensed", "asked for", "bins", "hull"])
def test_a_budget_on_merged_scores_flags_as_many_as_it_promises(rows, way, budget):
    point = br.choose(kept(rows)[way], f"alerts <= {budget}", volume=CASES, at=AT)
    assert point["alerts"] == pytest.approx(budget, rel=1e-12)
    # The share is said to three digits.
    assert followed(setting(point), rows[1]) == pytest.approx(budget, rel=0.01)
    notes = [note.text for note in point.notes if note.code == "BR523"]
    assert point.merged == (point.share != 1)
    assert not point.merged or "counted together" in notes[0]


def test_outcomes_of_a_share_of_a_run_are_the_mean_over_all_draws(rows):
    labels, scores = rows
    point = br.choose(kept(rows)["bins"], "alerts <= 1000", volume=CASES, at=AT)
    sure = scores >= point.threshold
    run = (scores >= point.lower_threshold) & ~sure
    share = Fraction(1000 - int(sure.sum()), int(run.sum()))
    assert point.confusion.tp == int(labels[sure].sum()) + share * int(labels[run].sum())
    assert point.share == float(share)


def test_a_tie_of_one_score_is_still_a_tie():
    counts = br.Counts([9, 8, 7], [3, 2, 5], [10, 20, 960])
    point = br.choose(counts, "alerts <= 20", volume=1000, at=AT)
    assert setting(point) == "score >= 9, and 31.8 % of those at 8, drawn at random"
    assert brief(point) == ">= 9, 31.8 % at 8"
    condensed = br.choose(counts.condense(), "alerts <= 20", volume=1000, at=AT)
    assert condensed == point  # a score that a positive has is never merged
    assert not condensed.merged


def test_a_tie_says_what_it_is_on_other_cases():
    dev, test = br.Counts([9, 7], [3, 5], [10, 980]), br.Counts([9, 8, 7], [3, 2, 5], [10, 20, 960])
    point = br.choose(dev, "alerts <= 100", volume=998, at=AT)
    assert "of those at 7," in setting(point)
    moved = point.on(test)
    share = Fraction(point.share)
    assert moved.confusion.fp == 10 + share * 980  # also of those at 8
    assert "of those from 7 up to 9, drawn" in setting(moved)
    assert not point.on(dev).merged


def test_a_published_roc_knows_no_scores_between_its_points():
    points = br.Points.from_rates(fpr=[0.1, 0.5], tpr=[0.5, 0.9], thresholds=[0.8, 0.3])
    point = br.choose(points, "alerts <= 200", volume=1000, at=br.Conditions(prior=0.1))
    assert "score >= 0.8, and " in setting(point)
    assert "of those from 0.3 up to 0.8, drawn at random" in setting(point)
    assert "counted together" not in str(point.notes)


def test_the_commands_say_it_in_words_and_in_json(rows, tmp_path, capsys):
    path, page = str(tmp_path / "a.counts"), tmp_path / "a.html"
    kept(rows)["condensed"].save(path)
    asked = [path, "--prior", "sample", "--volume", str(CASES)]
    said = told(capsys, "choose", path, "alerts <= 1000", *asked[1:])
    assert followed(" ".join(said.out.split()), rows[1]) == pytest.approx(1000, rel=0.01)
    shown = told(capsys, "show", *asked, "--rule", "alerts <= 1000")
    assert re.search(rf">= {NUMBER}, {NUMBER} % from {NUMBER}", " ".join(shown.out.split()))
    point = answered(capsys, "choose", path, "alerts <= 1000", *asked[1:])["models"][0]["points"][0]
    assert (point["how"], point["merged"]) == ("tie", True)
    assert point["certain"] == point["threshold"]
    run = (rows[1] >= point["lower_threshold"]) & (rows[1] < point["threshold"])
    assert (rows[1] >= point["threshold"]).sum() + point["share"] * run.sum() == pytest.approx(
        1000, rel=1e-12
    )
    assert told(capsys, "report", *asked, "--rule", "alerts <= 1000", "-o", page).status == 0
    assert followed(
        " ".join(page.read_text().replace("&gt;", ">").split()), rows[1]
    ) == pytest.approx(1000, rel=0.01)


def test_what_a_rule_could_have_is_said_of_the_run(rows):
    with pytest.raises(
        br.Infeasible,
        match=(
            r"the highest tpr with alerts <= 5000 is 0\.\d+, with a share of the run from \S+ up to"
            r" \S+\."
        ),
    ):
        br.choose(kept(rows)["hull"], "alerts <= 5000 and recall >= 0.99", volume=CASES, at=AT)
