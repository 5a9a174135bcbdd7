"""Panels as data: what is drawn lies on the curves it is made of."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plots.drawings import AT, COUNTS, NAMES, figures, panels
from tests.strategies import cases

import baserate as br
from baserate.curves import named
from baserate.plots import Area, Line, Marks, Panel, Style, Words, series_style
from baserate.plots.compose import MOST_PLACES, PIXELS, points_to_draw


def lines(panel, name):
    return [part for part in panel.parts if isinstance(part, Line) and part.name == name]


@given(cases(both=True))
@settings(max_examples=60, deadline=None)
def test_every_corner_of_a_roc_is_drawn_and_nothing_lies_off_it(data):
    curve = br.roc(br.count(*data, pos_label=True))
    panel = br.plots.roc_panel({"m": curve})
    (line,) = lines(panel, "m")
    points = set(zip(line.x, line.y, strict=True))
    assert set(zip(curve.x.tolist(), curve.y.tolist(), strict=True)) <= points
    edges = list(
        zip(
            zip(curve.x, curve.y, strict=True),
            zip(curve.x[1:], curve.y[1:], strict=True),
            strict=False,
        )
    )
    for x, y in points:
        assert any(on_edge(x, y, *one, *other) for one, other in edges)


def on_edge(x, y, x0, y0, x1, y1):
    apart = abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0))
    return (
        apart < 1e-9
        and min(x0, x1) - 1e-12 <= x <= max(x0, x1) + 1e-12
        and min(y0, y1) - 1e-12 <= y <= max(y0, y1) + 1e-12
    )


@given(
    st.sampled_from([0.5, 0.01, 1e-5]),
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=2, max_size=12),
)
@settings(max_examples=60, deadline=None)
def test_between_two_points_of_a_b_roc_the_edge_is_the_curve_that_a_straight_line_of_the_roc_becomes(  # noqa: E501
    prior, cells
):
    positives, negatives = (np.array(column) + 1 for column in zip(*cells, strict=True))
    counts = br.Counts(range(len(cells), 0, -1), positives, negatives)
    panel = br.plots.curve_panel({"m": br.broc(counts, at=br.Conditions(prior=prior))})
    (line,) = lines(panel, "m")
    hull = br.curve(counts, "roc_hull")
    for fdr, tpr in zip(line.x, line.y, strict=True):
        if tpr:
            fpr = np.interp(tpr, hull.y, hull.x) if tpr < 1 else None
            odds = (1 - prior) / prior
            if fpr is not None and (np.diff(hull.y) > 0).all():
                assert fdr == pytest.approx(odds * fpr / (tpr + odds * fpr), rel=1e-6, abs=1e-9)
    assert max(np.hypot(np.diff(line.x), np.diff(line.y))) <= 0.05


@given(st.integers(0, 2**32))
@settings(max_examples=5, deadline=None)
def test_a_curve_of_very_many_points_is_thinned_to_what_can_be_seen(seed):
    rng = np.random.default_rng(seed)
    counts = br.count(rng.random(200_000) < 0.3, rng.random(200_000))
    curve, panel = (
        br.curve(counts, "cost_threshold", at=AT),
        br.plots.curve_panel(br.curve(counts, "cost_threshold", at=AT)),
    )
    x, y = points_to_draw(curve, panel.x, panel.y)
    assert len(x) < 200_000
    seen = np.ptp(curve.y) / PIXELS
    assert (y.min(), y.max()) == (
        pytest.approx(curve.y.min(), abs=seen),
        pytest.approx(curve.y.max(), abs=seen),
    )
    benefits = br.plots.decision_panel({"m": br.curve(counts, "decision")})
    assert len(lines(benefits, "m")[0].x) < 8 * MOST_PLACES
    roc = br.roc(counts, every=True)
    across, up = points_to_draw(roc, br.plots.roc_panel(roc).x, br.plots.roc_panel(roc).y)
    assert len(across) < 8 * MOST_PLACES
    # Whatever was left out lies within half a place of a straight line between two points that were
    # kept.
    assert np.abs(np.interp(roc.x, across, up) - roc.y).max() < 4 / PIXELS


@given(cases(both=True), st.sampled_from(["ks", "cost_threshold"]))
@settings(max_examples=40, deadline=None)
def test_steps_hold_what_each_threshold_gives(data, name):
    counts = br.count(*data, pos_label=True)
    curve = br.curve(counts, "ks") if name == "ks" else br.curve(counts, "cost_threshold", at=AT)
    panel = br.plots.curve_panel({"m": curve})
    (line,) = lines(panel, "m")
    known = dict(zip(line.x, line.y, strict=True))
    assert set(curve.x.tolist()) <= set(known)
    assert set(line.y) == set(curve.y.tolist())


def test_a_decision_curve_falls_between_two_scores_as_the_same_cases_are_acted_on():
    panel = br.plots.decision_panel({"m": br.curve(COUNTS, "decision")})
    (line,) = lines(panel, "m")
    prior = Fraction(100, 1100)
    for t, benefit in zip(line.x, line.y, strict=True):
        flagged = [
            (p, n)
            for s, p, n in zip(COUNTS.scores, COUNTS.positives, COUNTS.negatives, strict=True)
            if s >= t
        ]
        above = [
            (p, n)
            for s, p, n in zip(COUNTS.scores, COUNTS.positives, COUNTS.negatives, strict=True)
            if s > t
        ]
        found = []
        for cells in (flagged, above):
            tpr, fpr = (
                Fraction(int(sum(cell[i] for cell in cells)), total)
                for i, total in ((0, 100), (1, 1000))
            )
            odds = Fraction(t) / (1 - Fraction(t))
            found.append(float(prior * tpr - (1 - prior) * fpr * odds))
        assert min(abs(benefit - value) for value in found) < 1e-12


def test_a_family_is_named_by_its_base_rates_and_models_by_their_colours():
    at = [br.Conditions(prior=prior) for prior in (0.5, 0.01)]
    family = list(br.curve(COUNTS, "pr", at=at).values())
    panel = br.plots.curve_panel({"a": family, "b": family})
    named = {part.name: part.style for part in panel.legend if part.style.width == 2}
    assert list(named) == [
        "a, base rate 0.5",
        "a, base rate 0.01",
        "b, base rate 0.5",
        "b, base rate 0.01",
    ]
    assert (
        named["a, base rate 0.5"].colour
        == named["a, base rate 0.01"].colour
        != named["b, base rate 0.5"].colour
    )
    assert (
        named["a, base rate 0.5"].dash
        == named["b, base rate 0.5"].dash
        != named["a, base rate 0.01"].dash
    )


def test_neighbouring_curves_differ_in_colour_and_in_dash():
    styles = [series_style(place) for place in range(35)]
    assert len({(style.colour, style.dash) for style in styles}) == 35
    assert all(
        one.colour != other.colour and one.dash != other.dash
        for one, other in itertools.pairwise(styles)
    )


def test_references_are_where_the_definitions_put_them():
    at = br.Conditions(prior=0.1)
    broc, pr = (br.plots.curve_panel(curve(COUNTS, at=at)) for curve in (br.broc, br.pr))
    assert lines(broc, "guessing")[0].x == (0.9, 0.9)
    assert lines(pr, "guessing")[0].y == (0.1, 0.1)
    (perfect,) = lines(br.plots.curve_panel(br.curve(COUNTS, "posfrac", at=at)), "perfect")
    assert np.allclose(perfect.y, 0.1 * np.array(perfect.x))


def test_isolines_have_one_precision_and_one_npv_all_along():
    at = br.Conditions(prior=0.001)
    panel = br.plots.roc_panel(
        br.roc(COUNTS),
        isolines=[
            br.curves.isoline("precision", at, value=0.2),
            br.curves.isoline("npv", at, value=0.9995),
        ],
    )
    assert panel.x.scale == "log"
    for name, measure, value in (("precision", "precision", 0.2), ("npv", "npv", 0.9995)):
        (line,) = lines(panel, f"{name} isolines at base rate 0.001")
        assert len(line.x) > 100
        for fpr, tpr in list(zip(line.x, line.y, strict=True))[1:-1:7]:
            confusion = br.Confusion(
                tp=Fraction(tpr), fn=1 - Fraction(tpr), fp=Fraction(fpr), tn=1 - Fraction(fpr)
            )
            assert br.measure(confusion, measure, at=at) == pytest.approx(value, abs=1e-9)


def test_the_line_of_one_cost_and_the_baseline_cost_what_they_say():
    at = br.Conditions(prior=0.2, costs=br.Costs(fp=1, fn=5))
    point = br.choose(COUNTS, at=at)
    touching = br.curves.iso_cost_line(at, fpr=point.fpr, tpr=point.tpr)
    panel = br.plots.roc_panel(
        br.roc(COUNTS), iso_costs=[touching], baseline=br.curves.ideal_baseline(at), points=point
    )
    for name, cost in (("one cost", point.expected_cost), ("ideal baseline", 0.8)):
        (line,) = lines(panel, name)
        for fpr, tpr in zip(line.x, line.y, strict=True):
            assert 0.2 * 5 * (1 - tpr) + 0.8 * fpr == pytest.approx(cost)
    (mark,) = [part for part in panel.parts if isinstance(part, Marks)]
    assert (mark.x, mark.y) == ((point.fpr,), (point.tpr,))


@pytest.mark.parametrize("make", ["roc", "pr", "broc", "posfrac_curve", "det"])
def test_a_band_lies_around_its_curve_whichever_axis_it_is_read_along(make):
    curve, given = getattr(named, make), {} if make in ("roc", "det") else {"at": AT}
    band = br.curves.band(COUNTS, curve, x=[0.1, 0.3, 0.5, 0.7], replicates=100, **given)
    drawn_panel = curve(COUNTS, **given).plot(bands=band)
    (area,) = [part for part in drawn_panel.parts if isinstance(part, Area)]
    labels = (curve(COUNTS, **given).x_label, curve(COUNTS, **given).y_label)
    assert area.sideways == (band.x_label == labels[1])
    (low_x, low_y), (high_x, high_y) = area.edges()
    assert (
        (low_y == high_y == tuple(band.x)) if area.sideways else (low_x == high_x == tuple(band.x))
    )
    assert "fill-opacity" in drawn_panel.svg()


def test_a_histogram_holds_every_case_once():
    panel = br.plots.histogram_panel(COUNTS, bins=7)
    for area in (part for part in panel.parts if isinstance(part, Area)):
        assert sum(area.high[::2]) == pytest.approx(1.0)


def test_the_winner_map_shows_who_wins():
    a = br.Counts([2, 1, 0], positives=[60, 30, 10], negatives=[10, 200, 790])
    b = br.Counts([2, 1, 0], positives=[40, 58, 2], negatives=[2, 298, 700])
    found = br.robustness.winner_map({"a": a, "b": b})
    panel = br.plots.winner_map_panel(found)
    rng = np.random.default_rng(0)
    areas = [part for part in panel.parts if isinstance(part, Area)]
    for prior, ratio in zip(
        10 ** rng.uniform(-5, -0.31, 200), 10 ** rng.uniform(-3, 0, 200), strict=True
    ):
        inside = {
            area.name
            for area in areas
            if np.interp(prior, area.x, area.low) < ratio < np.interp(prior, area.x, area.high)
        }
        odds = prior / (1 - prior)
        near = any(
            abs(np.log(odds * (1 - border.effective_prior) / border.effective_prior / ratio)) < 0.01
            for border in found.borders
        )
        assert near or inside == {" = ".join(found.at(prior, ratio).models)}


def test_panels_are_values():
    panel = panels()["roc"]
    assert panel == panels()["roc"]
    assert pickle.loads(pickle.dumps(panel)) == panel
    assert all(isinstance(part.x, tuple) for part in panel.parts if not isinstance(part, Words))
    assert panel.adding(Words(0.5, 0.5, "here")).parts[:-1] == panel.parts
    with pytest.raises(AttributeError, match="cannot assign"):
        panel.title = "other"


@pytest.mark.parametrize("name", NAMES)
def test_every_panel_says_what_it_shows(name):
    drawing = {**panels(), **figures()}[name]
    for panel in drawing if isinstance(drawing, br.plots.Figure) else (drawing,):
        assert panel.title
        assert panel.says
        assert panel.says[0].isupper() or panel.says.startswith(panel.title)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: br.plots.roc_panel(br.pr(COUNTS)), "BR650: a curve .pr. does not belong here"),
        (lambda: br.plots.roc_panel([]), "BR650: there is no curve to draw"),
        (
            lambda: br.plots.roc_panel({"m": COUNTS.scores}),
            "BR650: a curve is needed, got float64",
        ),
        (
            lambda: br.plots.roc_panel(br.roc(COUNTS), points=[1]),
            "BR650: an operating point is needed, got int",
        ),
        (
            lambda: br.plots.roc_panel(br.roc(COUNTS), bands=[1]),
            "BR650: a band is needed, got int",
        ),
        (
            lambda: br.plots.curve_panel(
                br.pr(COUNTS), bands=br.curves.band(COUNTS, br.roc, x=[0.5], replicates=100)
            ),
            "BR650: a band of tpr along fpr does not belong",
        ),
        (
            lambda: br.plots.roc_panel(br.roc(COUNTS), isolines=[1]),
            "BR650: an isoline is needed, got int",
        ),
        (
            lambda: br.plots.roc_panel(br.roc(COUNTS), iso_costs=[1]),
            "BR650: a line of one cost is needed, got int",
        ),
        (
            lambda: br.plots.roc_panel(br.roc(COUNTS), baseline=1),
            "BR650: a baseline is needed, got int",
        ),
        (
            lambda: br.plots.curve_panel({"a": br.roc(COUNTS), "b": br.pr(COUNTS)}),
            "BR650: pr and roc have different axes",
        ),
        (lambda: br.plots.winner_map_panel(COUNTS), "BR650: a winner map is needed, got Counts"),
        (
            lambda: br.plots.outcome_tree_panel(COUNTS),
            "BR650: a confusion is needed, got Counts",
        ),
        (
            lambda: br.plots.histogram_panel(COUNTS, bins=0),
            "BR542: bins is a whole number from 1 to 1000, got 0",
        ),
        (
            lambda: br.curve(COUNTS, "reliability", bins=0),
            "BR542: bins is a whole number from 1, got 0",
        ),
        (lambda: Line((0, 1), (0,)), "BR650: the columns of a line differ in length: 2 and 1"),
        (lambda: Style("pink"), "BR650: there is no .pink. or no .solid."),
        (lambda: Marks((), (), shape="star"), "BR650: there is no shape .star."),
        (lambda: Area((), (), (), colour="pink"), "BR650: there is no colour .pink."),
        (lambda: br.plots.Figure("", ()), "BR650: a figure needs panels"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, text):
    with pytest.raises(br.InputError, match=text):
        wrong()


def test_reliability_is_the_share_of_positives_in_each_block():
    curve = br.curve(COUNTS, "reliability", bins=10)
    cells = list(zip(COUNTS.scores, COUNTS.positives, COUNTS.negatives, strict=True))[::-1]
    assert curve.x.tolist() == pytest.approx([score for score, _, _ in cells])
    assert curve.y.tolist() == pytest.approx([Fraction(int(p), int(p + n)) for _, p, n in cells])
    half = br.curve(COUNTS, "reliability", bins=10, at=br.Conditions(prior=0.5))
    assert half.y[-1] == pytest.approx(Fraction(30, 100) / (Fraction(30, 100) + Fraction(1, 1000)))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=15))
@settings(max_examples=60, deadline=None)
def test_blocks_of_reliability_rise_and_their_mean_gap_is_the_calibration_error(cells):
    positives, negatives = (np.array(column) for column in zip(*cells, strict=True))
    positives[0], negatives[-1] = positives[0] + 1, negatives[-1] + 1
    kept = positives + negatives > 0
    scores = (np.arange(len(cells), 0, -1) / (len(cells) + 1))[kept]
    counts = br.Counts(scores, positives[kept], negatives[kept])
    curve = br.curve(counts, "reliability")
    assert (np.diff(curve.y) > 0).all()
    assert (np.diff(curve.x) > 0).all()
    mass = np.array(
        [
            (counts.positives + counts.negatives)[(counts.scores >= low)].sum()
            for low in curve.thresholds
        ]
    )
    share = -np.diff(np.append(mass, 0)) / mass[0]
    assert float(np.abs(curve.x - curve.y) @ share) == pytest.approx(
        br.curves.calibration_error(counts)
    )


def test_panel_repr_and_figure_repr_name_what_they_hold():
    assert (
        repr(panels()["det"])
        == "Panel DET: miss rate (fnr) against false alarm rate (fpr), 1 parts"
    )
    assert repr(br.plots.Figure("two", (panels()["roc"], panels()["pr"]))) == "Figure two: 2 panels"
    assert isinstance(panels()["roc"], Panel)
