"""The pictures of the sources: what each must show, asked of the panels of the gallery."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate.plots import Area, Line, Marks, Words

GALLERY = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "docs" / "gallery.py"))
DRAWN = {entry.name: entry.draw for entry in GALLERY["ENTRIES"]}


def test_L6_highleymans_classes_are_shown_balanced_and_at_1_in_10():
    """L6, L35: the spread of each class, and how many of each there are."""
    for panel, (positives, negatives) in zip(
        DRAWN["scatter"](), ((300, 300), (60, 540)), strict=True
    ):
        other, target = (part for part in panel.parts if isinstance(part, Marks))
        assert (len(target.x), len(other.x)) == (positives, negatives)
        error = 4 / np.sqrt(positives)
        assert np.mean(target.x) == pytest.approx(1, abs=error)
        assert np.mean(target.y) == pytest.approx(1, abs=error / 2)
        assert (np.mean(other.x), np.std(other.x)) == (
            pytest.approx(2, abs=0.02),
            pytest.approx(0.1, abs=0.02),
        )
        assert np.std(other.y) == pytest.approx(2, abs=0.3)


def test_L8_the_tree_leads_from_all_cases_to_the_four_outcomes():
    """L8, and the sums of L11: POS = TP + FP, NEG = TN + FN."""
    words = [
        part.text
        for part in br.plots.outcome_tree_panel(br.Confusion(tp=40, fp=1000, fn=10, tn=4000)).parts
        if isinstance(part, Words)
    ]
    assert words[::2] == [
        "5,050 cases",
        "POS 1,040",
        "NEG 4,010",
        "TP 40",
        "FP 1,000",
        "TN 4,000",
        "FN 10",
    ]


def test_L23_and_L25_posfrac_is_labelled_at_a_recall_of_80_percent():
    """L23, L25: LDC and QDC at P = .5, .1, .001; the population's values stand beside their
    points.
    """
    panel = DRAWN["posfrac-priors"]()
    assert [part.name for part in panel.legend][2:] == [
        f"{name}, base rate {prior:g}" for name in ("LDC", "QDC") for prior in (0.5, 0.1, 0.001)
    ]
    fpr = 0.2109349
    expected = [f"{prior * 0.8 + (1 - prior) * fpr:.3g}" for prior in (0.5, 0.1, 0.001)]
    assert [part.text for part in panel.parts if isinstance(part, Words)][:3] == expected


def test_T15_and_T18_two_rocs_cross_where_the_source_says():
    """T15, T18, S19: TPR upright, FPR across; M1 is better below .36, M2 above."""
    panel = DRAWN["roc"]()
    assert (panel.x.label, panel.y.label) == ("false alarm rate (fpr)", "recall (tpr)")
    first, second = (
        next(part for part in panel.parts if isinstance(part, Line) and part.name == name)
        for name in ("M1", "M2")
    )
    for fpr, better in ((0.1, 1), (0.3, 1), (0.42, -1), (0.8, -1)):
        assert better * (np.interp(fpr, first.x, first.y) - np.interp(fpr, second.x, second.y)) > 0


def test_C15_isolines_lie_over_the_roc_of_a_detector_on_a_logarithmic_axis():
    """C15, C10, C12: p = 6.52e-5; each isoline carries its value, and meets the others at (0, 0) or
    (1, 1).
    """
    panel = DRAWN["isolines"]()
    assert panel.x.scale == "log"
    assert [part.text for part in panel.parts if isinstance(part, Words)] == [
        "0.9",
        "0.5",
        "0.2",
        "0.05",
        "0.99996",
        "0.99998",
    ]
    precision = [
        part for part in panel.parts if isinstance(part, Line) and part.name.startswith("precision")
    ]
    for line, value in zip(precision, (0.9, 0.5, 0.2, 0.05), strict=True):
        p = 6.52e-5
        assert np.allclose(
            p * np.array(line.y) / (p * np.array(line.y) + (1 - p) * np.array(line.x)), value
        )


def test_C14_the_angles_go_from_1_to_the_base_rate():
    """C14, C11, C13: θ and φ from 0° to 45°."""
    for name, end in (("angles-precision", lambda p: p), ("angles-npv", lambda p: 1 - p)):
        for line in DRAWN[name]().panels[1].parts:
            prior = float(line.name.removeprefix("base rate "))
            assert (line.x[0], line.y[0], line.x[-1]) == (0.0, 1.0, 45.0)
            assert line.y[-1] == pytest.approx(end(prior))


def test_C20_the_edges_of_the_roc_go_where_the_source_says():
    """C20: fpr = 0 to fdr = 0, tpr = 1 to 0 … 1 − p, the diagonal to 1 − p."""
    left, top, diagonal = DRAWN["broc-mapping"]().panels[1].parts[:3]
    assert set(left.x) == {0.0}
    assert set(top.y) == {1.0}
    assert (min(top.x), max(top.x)) == (0.0, pytest.approx(0.9))
    assert np.allclose(diagonal.x, 0.9)


def test_W20_each_strip_carries_the_weight_of_the_source():
    """W20: α = .5, seven strips from the bottom up."""
    panel = DRAWN["strips"]()
    assert [part.text for part in panel.parts if isinstance(part, Words)] == [
        "0.5",
        "0.75",
        "0.875",
        "0.9375",
        "0.9688",
        "0.9844",
        "1.984",
    ]
    assert [part.opacity for part in panel.parts if isinstance(part, Area)] == sorted(
        part.opacity for part in panel.parts if isinstance(part, Area)
    )


def test_W27_the_baseline_of_the_second_example_starts_at_a_tpr_of_one_fifth():
    """W26, W27: from (fpr 0, tpr .2) to (1, 1)."""
    (line,) = (
        part
        for part in DRAWN["baseline"]().parts
        if isinstance(part, Line) and part.name == "ideal baseline"
    )
    assert (line.x, line.y) == (pytest.approx((0, 1)), pytest.approx((0.2, 1)))


def test_T28_costly_misses_move_the_boundary_into_the_region_of_the_negatives():
    """T28, Fig 5.44: more of the plane is positive."""
    equal, costly = (part for part in DRAWN["scatter-costs"]().parts if isinstance(part, Line))
    assert np.all(np.array(costly.y) < np.array(equal.y))


def test_T39_only_copies_let_a_tree_isolate_the_positive_among_the_negatives():
    """T39, Fig 5.45: the least size of a leaf forbids it before."""
    trees = GALLERY["TREES"]
    x, y = trees["cases"]()
    alone = [trees["MIDDLE"]]
    before, after = trees["learnt"](1), trees["learnt"](trees["COPIES"])
    assert not before.predict(alone)[0]
    assert after.predict(alone)[0]
    assert (before.predict(x)[1:] == y[1:]).all()
    assert (after.predict(x) == y).all()
    boxes = list(trees["regions"](after))
    assert all(
        any(a <= u <= b and c <= v <= d for a, b, c, d in boxes) == label
        for (u, v), label in zip(x, y, strict=True)
    )
    panels = DRAWN["oversampling"]().panels
    assert [sum(isinstance(part, Line) for part in panel.parts) for panel in panels] == [
        1,
        len(boxes),
    ]
