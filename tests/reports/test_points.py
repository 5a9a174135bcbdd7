"""The thresholds in a report: every one of them, packed or listed, and the corners of the hull."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions.worked import F1_A, F1_B
from tests.reports.frontend import node
from tests.reports.made import counted, drawn

import baserate as br
from baserate.decisions.operating_point import short_on
from baserate.reports import content

READ = """
const core = await import(process.argv[1]);
const read = async (points) => {
  const model = await core.modelOf(points);
  const places = [...model.tp.keys()];
  return {
    tp: [...model.tp], fp: [...model.fp], shown: places.map((place) => core.thresholdSaid(model, place)),
    score: places.map((place) => core.scoreSaid(model, place)),
    back: places.every((place) => !place || core.placeOf(model, core.scoreAt(model, place)) === place),
    unlabelled: model.held.unlabelled && [...model.held.unlabelled.flagged],
  };
};
let text = "";
for await (const part of process.stdin) text += part;
process.stdout.write(JSON.stringify(await Promise.all(JSON.parse(text).map(read))));
"""  # noqa: E501


def only(found):
    [one] = found.document["report"]["points"]
    return one


@pytest.fixture(scope="module")
def page_reads(tmp_path_factory):
    """What the page reads of points: decoded by the core of the front end."""
    folder = tmp_path_factory.mktemp("core")
    node("build.mjs", "core", folder)

    def read(points):
        words = ("--input-type=module", "--eval", READ, (folder / "core.mjs").as_uri())
        return json.loads(node(*words, input=json.dumps(points)))

    return read


def test_few_thresholds_are_listed_as_they_are():
    labels, scores = drawn(400, seed=3)
    scores = np.round(scores["m0"], 1)
    one = only(br.report(br.count(labels, scores)))
    cuts = sorted(set(scores.tolist()), reverse=True)
    assert one["every"]
    assert one["distinct"] == len(cuts)
    assert one["thresholds"] == ["none", *cuts]
    for name, of_class in (("tp", labels), ("fp", ~labels)):
        assert one[name] == [0, *(int((of_class & (scores >= cut)).sum()) for cut in cuts)]
    assert (one["positives"], one["negatives"]) == (int(labels.sum()), int((~labels).sum()))


def odd_scores(rng, cases):
    """Scores of every kind that a model may give."""
    normal = rng.normal(size=cases)
    yield "normal", normal
    yield "probabilities that crowd at 0", 1 / (1 + np.exp(4 - 3 * normal))
    yield "probabilities that crowd at 1", 1 - 10.0 ** -rng.uniform(0, 16, cases)
    yield "three digits", np.round(3 * normal, 3)
    yield "whole numbers", rng.integers(-(10**6), 10**6, cases)
    yield "large whole numbers", rng.integers(-(2**62), 2**62, cases)
    yield "32 bits", rng.random(cases).astype(np.float32).astype(np.float64)
    yield "every size", 10.0 ** rng.uniform(-30, 30, cases)
    yield "ties", rng.choice(rng.random(3000), cases)
    yield "infinite", np.where(rng.random(cases) < 0.1, np.inf * np.sign(normal), normal)


def test_the_page_reads_every_threshold_that_was_packed(page_reads):
    rng = np.random.default_rng(5)
    labels = rng.random(8000) < 0.03
    every = {name: br.count(labels, scores) for name, scores in odd_scores(rng, 8000)}
    packed = [content.points_of(name, counts, (), 0.95, 1) for name, counts in every.items()]
    for one, read, (name, counts) in zip(packed, page_reads(packed), every.items(), strict=True):
        points = br.Points.of(counts)
        assert "steps" in one, name
        assert (read["tp"], read["fp"]) == (points.tp.tolist(), points.fp.tolist()), name
        cuts = counts.scores.tolist()
        assert read["shown"] == ["none", *(short_on(points, cut) for cut in cuts)], name
        assert read["back"], name
        for place, exact in one["exact"].items():
            assert float(exact) == float(cuts[int(place) - 1]), name
        for place, text in list(enumerate(read["score"]))[1:]:
            assert points.place(int(text) if one["integer"] else float(text)) == place, name


def test_scores_are_exact_at_corners_answers_and_ties_in_which_a_budget_may_end():
    rng = np.random.default_rng(7)
    labels, scores = rng.random(6000) < 0.1, rng.choice(rng.normal(size=4000), 6000)
    counts = br.count(labels, scores)
    found = br.report(counts, rule=["recall >= 0.777"], budget=71, volume=10_000)
    one, points = only(found), br.Points.of(counts)
    cuts = [None, *counts.scores.tolist()]
    asked = [
        answer["points"]["model"]["threshold"] for answer in found.document["report"]["answers"]
    ]
    for place in (*one["hull"][1:], *(cuts.index(cut) for cut in asked)):
        exact = one["exact"].get(str(place), float(short_on(points, cuts[place])))
        assert exact == cuts[place]
    steps = zip(np.diff(points.tp).tolist(), np.diff(points.fp).tolist(), strict=True)
    large = [
        place
        for place, (p, n) in enumerate(steps, 1)
        if p + n > 1 and (100 * p > points.tp[place - 1] > 0 or 100 * n > points.fp[place - 1] > 0)
    ]
    assert len(large) > 20
    assert set(large) <= {int(place) for place in one["exact"]}


def test_cases_without_a_label_are_packed_too(page_reads, tmp_path):
    rng = np.random.default_rng(8)
    scores, labels = rng.normal(size=3000), rng.choice(["1", "0", "0", ""], 3000)
    rows = [f"{y},{score!r}" for y, score in zip(labels, scores.tolist(), strict=True)]
    (tmp_path / "scores.csv").write_text("\n".join(["y,score", *rows]))
    counts = br.count(str(tmp_path / "scores.csv"), label="y", score="score", missing_label="drop")
    one = only(br.report(counts))
    [read] = page_reads([one])
    missing = np.sort(scores[labels == ""])
    cuts = counts.scores
    assert read["unlabelled"] == [0, *(len(missing) - np.searchsorted(missing, cuts)).tolist()]


def test_more_than_a_hundred_thousand_thresholds_are_condensed_to_within_a_stated_gap(page_reads):
    labels, scores = drawn(130_000, seed=1)
    counts = br.count(labels, scores["m0"])
    found = br.report(counts)
    one = only(found)
    points, [read] = br.Points.of(counts), page_reads([one])
    assert not one["every"]
    assert 100_000 <= len(read["tp"]) <= 100_000 + len(one["hull"]) + 1
    places = {pair: i for i, pair in enumerate(zip(points.tp.tolist(), points.fp.tolist()))}  # noqa: B905
    kept = [places[pair] for pair in zip(read["tp"], read["fp"], strict=True)]
    for name, rates in (("tpr", points.tpr), ("fpr", points.fpr)):
        assert one["gap"][name] == np.diff(rates[kept]).max()
    front = np.flatnonzero((np.diff(points.tp) > 0)[:-1] & (np.diff(points.fp) > 0)[1:]) + 1
    assert set(front.tolist()) <= set(kept)
    cuts = [None, *counts.scores.tolist()]
    shown = [short_on(points, cuts[place]) for place in kept[1::997]]
    assert read["shown"][1::997] == shown
    said = " ".join(found.document["report"]["shows"])
    assert "130,001 thresholds are condensed in this file" in said
    assert f"others to within a recall of {one['gap']['tpr']:.2g} and" in said


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_of_a_long_front_as_much_is_kept_as_of_the_rest(share):
    labels, scores = drawn(9000, seed=1, share=share)
    points = br.Points.of(br.count(labels, scores["m0"]))
    kept = content.kept_places(points, [], 2000)
    assert len(kept) == len(points.hull_places) + 2000
    steps = itertools.pairwise(zip(points.tp[kept], points.fp[kept], strict=True))
    risen = [(here[0] > before[0], here[1] > before[1]) for before, here in steps]
    assert sum(one[0] and other[1] for one, other in itertools.pairwise(risen)) > 900


@pytest.mark.parametrize("answered", [3, 7, 150, 400])
def test_what_was_answered_is_kept_however_much_it_is(answered):
    labels, scores = drawn(400, seed=1, share=0.3)
    points = br.Points.of(br.count(labels, np.round(scores["m0"], 2)))
    asked = range(min(answered, len(points)))
    kept = content.kept_places(points, asked, 5)
    needed = set(points.hull_places.tolist()) | set(asked)
    assert needed <= set(kept.tolist())
    assert len(kept) == max(len(needed), min(len(points), len(points.hull_places) + 5))
    assert (np.diff(kept) > 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_is_cheaper_than_the_best_corner_at_any_slope(seed):
    labels, scores = drawn(300, seed=seed, share=0.3)
    one = only(br.report(br.count(labels, np.round(scores["m0"], 2))))
    points = list(zip(one["tp"], one["fp"], strict=True))
    corners = [points[place] for place in one["hull"]]
    assert corners[0] == points[0]
    assert corners[-1] == points[-1]
    for slope in (Fraction(a, b) for a, b in itertools.product((1, 2, 7, 50), (1, 3, 10, 111))):
        assert max(slope * tp - fp for tp, fp in corners) == max(
            slope * tp - fp for tp, fp in points
        )
    # And no corner is superfluous: each turns to the right.
    for (t0, f0), (t1, f1), (t2, f2) in zip(corners, corners[1:], corners[2:], strict=False):
        assert (t1 - t0) * (f2 - f1) > (t2 - t1) * (f1 - f0)


@pytest.mark.parametrize(("models", "most"), [(2, 350_000), (20, 1_800_000)])
def test_a_page_with_every_threshold_stays_small(models, most):
    """Issue 23: 100,000 distinct scores a model, code included."""
    found = br.report(
        counted(100_000, seed=1, models=models, share=0.02),
        at=br.Conditions("1 in 1000", br.Costs(fp=1, fn=100)),
        volume=1_000_000,
    )
    assert all(one["every"] for one in found.document["report"]["points"])
    assert {one["distinct"] for one in found.document["report"]["points"]} == {100_000}
    assert len(found.html.encode()) <= most


def test_weights_are_listed_as_masses_without_bounds():
    labels, scores = drawn(500, seed=2)
    weights = np.random.default_rng(2).random(500) * 3
    counts = br.count(labels, np.round(scores["m0"], 1), sample_weight=weights)
    found = br.report(counts)
    one, points = only(found), br.Points.of(counts)
    assert one["weighted"]
    assert one["tp"] == points.tp.tolist()
    assert one["fn"] == points.fn.tolist()
    assert one["tn"] == points.tn.tolist()
    assert one["bounds"] is None
    assert "there are no intervals" in " ".join(found.document["report"]["shows"])
    assert found.document["models"][0]["points"][0]["intervals"] == {}


def test_merged_scores_are_never_called_every_score():
    [counts] = counted(3000, seed=4).values()
    merged = counts.condense()
    found = br.report(merged)
    assert not only(found)["every"]
    assert "runs of negatives" in " ".join(found.document["report"]["shows"])
    assert only(found)["gap"] is None
    assert only(found)["distinct"] == len(merged.scores)
    assert "<svg" in found.html


def test_infinite_scores_and_large_integers_are_text():
    infinite = only(
        br.report(br.Counts([np.inf, 1.5, -np.inf], positives=[3, 4, 1], negatives=[1, 2, 9]))
    )
    assert infinite["thresholds"] == ["none", "inf", 1.5, "-inf"]
    assert not infinite["integer"]
    large = only(br.report(br.Counts(np.array([2**60, 5]), positives=[3, 4], negatives=[1, 2])))
    assert large["thresholds"] == ["none", str(2**60), 5]
    assert large["integer"]
    many = only(
        br.report(
            br.Counts([2, 1], positives=[2**54 + 1, 4], negatives=[1, 2**55 + 3]),
            at=br.Conditions(0.5),
        )
    )
    assert many["tp"] == [0, str(2**54 + 1), str(2**54 + 5)]


def test_models_in_one_report_keep_their_order():
    found = br.report({"B": F1_B, "A": F1_A})
    assert (
        [one["name"] for one in found.document["report"]["points"]]
        == ["B", "A"]
        == [one["name"] for one in found.document["models"]]
    )
