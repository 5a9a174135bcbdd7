"""The worked scenarios of the users, to every printed digit: 1 (thresholds, AUC) and 11 (without
bounds).
"""

import pytest
from tests.decisions.worked import F1_A, F1_B

import baserate as br

AT = br.Conditions(prior=0.001)


@pytest.mark.parametrize(
    ("counts", "alerts", "precision"),
    [(F1_A, "403.878", "0.495200"), (F1_B, "351.939", "0.710351")],
)
def test_scenario_1_threshold_9_at_one_in_a_thousand(counts, alerts, precision):
    point = br.choose(counts, threshold=9, at=AT, volume=1_000_000)
    assert f"{point['alerts']:.3f}" == alerts
    assert f"{point.precision:.6f}" == precision
    assert f"{br.measure(counts, 'alerts', threshold=9, at=AT, volume=1_000_000):.3f}" == alerts


def test_scenario_1_auc_is_exact():
    assert br.auc(F1_A) == 46779 / 49000
    assert br.auc(F1_B) == 348741 / 392000


def test_scenario_1_the_thinned_sample_is_not_the_field():
    assert F1_A.prior == 0.02
    assert br.choose(F1_A, threshold=9).precision > 0.95
    assert "BR526" in [note.code for note in br.choose(F1_A, threshold=9, at=AT).notes]


def test_scenario_1_consistency_check():
    rates = br.solve_rates(tpr=0.8, prior=0.5, posfrac=0.549)
    assert f"{rates.precision:.4f}" == "0.7286"


@pytest.mark.parametrize(
    ("prevalence", "precision", "nne"),
    [
        (0.002, "0.011881", "84.17"),
        (0.01, "0.057143", "17.50"),
        (0.05, "0.240000", "4.167"),
        (0.16, "0.533333", "1.875"),
    ],
)
def test_scenario_11_sites(prevalence, precision, nne):
    site = br.Confusion.from_rates(tpr=0.9, fpr=0.15, positives=1000, negatives=1000)
    at = br.Conditions(prior=prevalence)
    assert f"{br.measure(site, 'precision', at=at):.6f}" == precision
    digits = len(nne.partition(".")[2])
    assert f"{br.measure(site, 'nne', at=at):.{digits}f}" == nne
    rates = br.solve_rates(tpr="0.90", tnr="0.85", prior=prevalence)
    assert f"{rates.precision:.6f}" == precision
    assert f"{rates.nne:.{digits}f}" == nne
    points = br.Points.from_rates([0.15], [0.9])
    assert f"{br.choose(points, threshold=points.threshold(1), at=at).precision:.6f}" == precision
