"""`baserate plan`: how many cases a test set needs, in a sentence and as JSON."""

import pytest

import baserate as br
from baserate.planning import (
    cases_at_prior,
    cases_for_auc,
    cases_for_margin,
    cases_for_mcnemar,
    cases_needed,
    power_at_prior,
    power_to_show,
)

from .helpers import answered, refused, told

RATES = ("--expect", "tpr=0.9,fpr=0.02")


def planned(capsys, *arguments):
    return answered(capsys, "plan", *arguments)["result"]


def test_a_rate_of_one_class(capsys):
    found = planned(capsys, "recall >= 0.9", "--expect", "0.95")
    assert found["positives"] == cases_needed("tpr >= 0.9", expect=0.95, power=0.8) == 203
    assert found["negatives"] is found["cases"] is None
    assert planned(capsys, "fpr <= 1e-5")["negatives"] == cases_needed("fpr <= 1e-5")
    done = told(capsys, "plan", "recall >= 0.9", "--expect", "0.95", "--prior", "0.1%")
    assert done.out.startswith("203 positives demonstrate tpr >= 0.9 with power 80 % if it is 0.95")
    assert "At a base rate of 0.1% (1 in 1,000) about" in done.out


def test_the_power_of_cases_that_there_are(capsys):
    found = planned(capsys, "recall >= 0.9", "--expect", "0.95", "--cases", "100")
    assert found["power"] == power_to_show("tpr >= 0.9", expect=0.95, cases=100)
    asked = ("precision >= 0.1", *RATES, "--prior", "1%", "--cases", "100", "--ratio", "5")
    assert planned(capsys, *asked)["power"] == power_at_prior(
        "precision >= 0.1",
        expect={"tpr": 0.9, "fpr": 0.02},
        at=br.Conditions(0.01),
        positives=100,
        negatives=500,
    )


def test_a_measure_at_a_base_rate_and_a_cost(capsys):
    rates = {"tpr": 0.9, "fpr": 0.02}
    found = planned(capsys, "precision >= 0.1", *RATES, "--prior", "1%", "--ratio", "4")
    expected = cases_at_prior(
        "precision >= 0.1", expect=rates, at=br.Conditions(0.01), negatives_per_positive=4
    )
    assert (found["positives"], found["negatives"]) == expected
    asked = ("cost <= 0.2", *RATES, "--prior", "1%", "--cost", "fn=100,fp=2", "--power", "90%")
    asked = (*asked, "--ratio", "1")
    at = br.Conditions(0.01, br.Costs(fn=100, fp=2))
    found = planned(capsys, *asked)
    assert (found["positives"], found["negatives"]) == cases_at_prior(
        "expected_cost <= 0.2", expect=rates, at=at, power=0.9
    )


def test_auc_mcnemar_and_non_inferiority(capsys):
    found = planned(capsys, "AUC >= 0.8", "--expect", "0.85", "--ratio", "10")
    assert (found["positives"], found["negatives"]) == cases_for_auc(
        expect=0.85, at_least=0.8, negatives_per_positive=10
    )
    found = planned(capsys, "mcnemar", "--discordant", "10%", "--difference", "3%")
    assert found["cases"] == cases_for_mcnemar(discordant=0.1, difference=0.03)
    found = planned(capsys, "error no worse than 3%", "--discordant", "10%")
    assert found["cases"] == cases_for_margin(discordant=0.1, margin=0.03)
    worse = planned(capsys, "error no worse than 3%", "--discordant", "10%", "--difference", "1%")
    assert worse["cases"] == cases_for_margin(discordant=0.1, margin=0.03, difference=0.01)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("precision >= 0.1", *RATES), "BR585: precision depends on the base rate. Fix: --prior"),
        (("precision >= 0.1", "--prior", "1%"), "needs expect. Fix: --expect"),
        (("precision >= 0.1", "--expect", "0.9", "--prior", "1%"), "written by name"),
        (("recall >= 0.9", "--expect", "0.8"), "with room to spare"),
        (("recall >= 0.9", "--expect", "0.95", "--ratio", "2"), "BR002: ratio has no effect on"),
        (("recall >= 0.9", "--power", "90%"), "power depends on the true rate. Fix: --expect"),
        (("auc >= 0.8",), "needs expect. Fix: --expect"),
        (("auc >= 0.8", "--expect", "0.9", "--prior", "1%"), "BR002: prior has no effect"),
        (("mcnemar", "--discordant", "10%"), "needs difference. Fix: --difference"),
        (
            ("mcnemar", "--discordant", "10%", "--difference", "3%", "--cases", "9"),
            "BR002: cases has no effect",
        ),
        (("recall >= 0.9", "--expect", "0.95", "--power", "high"), "power must be a share"),
        (("nonsense >= 0.9", "--expect", "0.95"), "BR531"),
    ],
)
def test_what_cannot_be_planned_is_refused(capsys, asked, says):
    assert says in refused(capsys, "plan", *asked)
