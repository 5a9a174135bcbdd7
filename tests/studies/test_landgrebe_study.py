"""Landgrebe's study: Table 2 as printed, how a cell is made, and that every claim, figure and
erratum is there in a rehearsal.
"""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.published.test_landgrebe import TABLE_2
from tests.studies.rehearsals import rehearsed

from baserate_studies.claims import AGREEING
from baserate_studies.generators import two_gaussians
from baserate_studies.landgrebe import tables
from baserate_studies.values import How


def test_the_48_cells_are_printed_as_the_paper_has_them():
    cells = list(tables.published())
    assert len(cells) == 48
    for cell in cells:
        place = tables.PRIORS.index(cell.prior)
        assert cell.value == float(TABLE_2[cell.data][cell.classifier][place])
        assert cell.error == pytest.approx(
            (1 - cell.prior) / (1 - tables.PRIORS[-1]) * _smallest(cells, cell).error, abs=0.011
        )


def _smallest(cells, cell):
    return next(
        other for other in cells if other[:2] == cell[:2] and other.prior == tables.PRIORS[-1]
    )


def test_folds_hold_as_many_of_each_class():
    drawn = two_gaussians(60, 90, seed=1)
    folds = tables.fold_of(drawn, 30, seed=2)
    assert np.bincount(folds[drawn.target]).tolist() == [2] * 30
    assert np.bincount(folds[~drawn.target]).tolist() == [3] * 30
    assert not np.array_equal(folds, tables.fold_of(drawn, 30, seed=3))


def test_a_fold_is_read_at_the_lowest_false_alarm_rate_with_80_percent_of_its_targets():
    drawn, rng = two_gaussians(60, 60, seed=4), np.random.default_rng(0)
    folds, scores = tables.fold_of(drawn, 3, seed=0), rng.normal(size=120) + drawn.target
    found = tables.crossed(drawn, scores, folds)
    for fold, fpr in enumerate(found.fprs.tolist()):
        inside = folds == fold
        cut = np.sort(scores[inside & drawn.target])[::-1][15]  # the 16th of 20
        assert fpr == np.mean(scores[inside & ~drawn.target] >= cut)
    assert found.error == pytest.approx(found.fprs.std(ddof=1) / math.sqrt(3))
    assert found.posfrac(0.1) == pytest.approx(100 * (0.08 + 0.9 * found.fprs.mean()))
    assert found.posfrac_error(0.001) == pytest.approx(99.9 * found.error)


@pytest.mark.parametrize("classifier", tables.CLASSIFIERS)
def test_a_draw_comes_out_the_same_again(classifier):
    with ThreadPoolExecutor(2) as pool:
        first, again = (
            tables.run("Highleyman", classifier, 7, How(rehearsal=True), pool) for _ in range(2)
        )
    assert first.fprs.tolist() == again.fprs.tolist()


def test_every_cell_figure_and_erratum_is_there():
    made = rehearsed("landgrebe")
    assert (
        sum(claim.id.startswith("table2-") and claim.id[-1].isdigit() for claim in made.claims)
        == 48
    )
    assert (
        made["table2-single-draws"].verdict == "not_a_claim"
    )  # reported beside the table, and judged by nobody
    assert [figure.name for figure in made.figures] == ["fig1", "fig2", "fig3", "fig4", "fig5"]
    assert {row for claim in made.claims for row in claim.errata} == {"B11", "B12", "B12b", "B12c"}
    assert all(figure.drawing.svg().startswith("<svg") for figure in made.figures)


def test_the_contradictions_of_the_text_are_errata_and_the_equations_hold():
    """Whatever the folds give: these come from the population and from arithmetic."""
    made = rehearsed("landgrebe")
    for name in ("text-posfrac", "text-purity", "two-orders", "inversely"):
        assert made[name].verdict == "erratum"
    for name in (
        "eq2",
        "eq4",
        "eq5",
        "eq6",
        "text-rare",
        "fig1",
        "fig4-ldc",
        "fig4-qdc",
        "comparable",
    ):
        assert made[name].verdict in AGREEING
