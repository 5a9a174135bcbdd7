"""Decision curves at another base rate: probabilities move with it; against a naive reading of
every case, which dcurves 1.1.7 agrees with.
"""

import numpy as np
import pytest
from tests.cli.helpers import answered, first_point, refused, told, written

import baserate as br
from baserate.curves.named import act_on_everybody, benefits_at

RNG = np.random.default_rng(9)
LABELS = (RNG.random(300) < 0.36).astype(int)
ODDS = 0.36 / 0.64 * np.exp(1.2 * (RNG.normal(size=300) + 1.2 * LABELS) - 0.72)
CHANCES = (ODDS / (1 + ODDS)).round(3)
OTHERS = RNG.random(300).round(2)
GRID = np.arange(1, 100) / 100


def naive(chances, t, prior, trained=None):
    """Net benefit case by case: every case weighs what makes the base rate, and has the probability
    that belongs to it.
    """
    share = LABELS.mean()
    trained = share if trained is None else trained
    factor = (prior / (1 - prior)) / (trained / (1 - trained))
    total = 0.0
    for label, chance in zip(LABELS, chances, strict=True):
        weight = prior / share if label else (1 - prior) / (1 - share)
        moved = chance * factor / (chance * factor + 1 - chance) if factor != 1 else chance
        if moved >= t:
            total += weight * (1 if label else -t / (1 - t))
    return total / len(LABELS)


@pytest.mark.parametrize(
    ("prior", "calibrated_at"),
    [(None, None), (0.1, None), (0.1, "sample"), (0.02, 0.5), (0.6, 0.1)],
)
@pytest.mark.parametrize("chances", [CHANCES, OTHERS], ids=["good", "random"])
def test_net_benefit_is_that_of_probabilities_moved_with_the_base_rate(
    chances, prior, calibrated_at
):
    at = None if prior is None else br.Conditions(prior=prior)
    curve = br.curve(br.count(LABELS, chances), "decision", at=at, calibrated_at=calibrated_at)
    trained = None if calibrated_at in (None, "sample") else calibrated_at
    share = LABELS.mean() if prior is None else prior
    t = GRID + 1e-4  # off the scores, where rounding decides
    assert benefits_at(curve, t)[0] == pytest.approx(
        [naive(chances, one, share, trained) for one in t], abs=1e-12
    )
    for place in (0, len(curve) // 2):  # further up the benefit falls steeply between two scores
        assert curve.y[place] == pytest.approx(
            naive(chances, curve.x[place] - 1e-9, share, trained), abs=1e-6
        )


def test_a_useful_model_is_no_longer_called_harmful_where_positives_are_rare():
    at = br.Conditions(prior=0.1)
    t = np.arange(5, 21) / 100
    curve = br.curve(br.count(LABELS, CHANCES), "decision", at=at)
    assert (benefits_at(curve, t)[0] > np.maximum(act_on_everybody(t, 0.1), 0) - 0.005).all()
    unmoved = br.curve(br.count(LABELS, CHANCES), "decision", at=at, calibrated_at=0.1)
    assert (benefits_at(unmoved, t)[0] < 0).any()


def test_at_the_sample_nothing_moves():
    counts = br.count(LABELS, CHANCES)
    assert (br.curve(counts, "decision").x == np.unique(CHANCES)).all()
    assert "BR654" not in [note.code for note in br.curve(counts, "decision").notes]
    assert "BR654" in [
        note.code for note in br.curve(counts, "decision", at=br.Conditions(prior=0.1)).notes
    ]


def test_scores_that_were_corrected_are_not_moved_again():
    at = br.Conditions(prior=0.1)
    corrected = br.shift.correct_prior(br.count(LABELS, CHANCES), calibrated_at="sample", at=at)
    assert br.curve(corrected, "decision", at=at).y == pytest.approx(
        br.curve(br.count(LABELS, CHANCES), "decision", at=at).y
    )
    with pytest.raises(br.InputError, match="BR536"):
        br.curve(corrected, "decision", at=at, calibrated_at=0.3)


def test_chosen_class_totals_need_the_base_rate_of_calibration():
    counts = br.count(LABELS, CHANCES, design="case-control")
    with pytest.raises(br.InputError, match="BR507"):
        br.curve(counts, "decision", at=br.Conditions(prior=0.1))
    assert len(br.curve(counts, "decision", at=br.Conditions(prior=0.1), calibrated_at=0.36))


def test_the_picture_shows_the_moved_probabilities():
    curve = br.curve(br.count(LABELS, CHANCES), "decision", at=br.Conditions(prior=0.1))
    panel = br.plots.decision_panel({"m": curve}, most=0.5)
    (line,) = [part for part in panel.parts if part.name == "m"]
    drawn = np.interp(curve.x[40], line.x, line.y)
    assert drawn == pytest.approx(curve.y[40], abs=5e-3)
    assert {"act on nobody", "act on everybody"} <= {part.name for part in panel.parts}


@pytest.fixture
def source(tmp_path):
    return written(
        tmp_path / "med.csv",
        ["y", "p", "q"],
        zip(LABELS.tolist(), CHANCES.tolist(), OTHERS.tolist(), strict=True),
    )


def test_the_table_has_every_percent_beside_acting_on_everybody_and_nobody(capsys, source):
    done = told(
        capsys, "curve", "decision", source, "--label", "y", "--score", "p", "--prior", "10%"
    )
    title, *rows = [line for line in done.out.splitlines() if "%" in line]
    assert title == (
        "p, decision curve: net benefit per case at a base rate of 10% (all points with --csv)"
    )
    lines = [row.split() for row in rows]
    assert [line[0] for line in lines[:3]] == ["1", "2", "3"]
    row = lines[9]  # 10 %
    expected = naive(CHANCES, 0.1, 0.1)
    assert float(row[-1]) == pytest.approx(expected, abs=1e-3)
    assert (float(row[-2]), float(row[-3])) == (0, pytest.approx(0, abs=1e-9))
    assert "note BR654: the scores are taken as probabilities at a base rate of " in done.err


def test_two_models_stand_side_by_side(capsys, source):
    done = told(capsys, "curve", "decision", source, "--label", "y", "--score", "p", "--score", "q")
    assert "net benefit, p" in done.out
    assert "net benefit, q" in done.out


def test_the_json_has_acting_on_everybody(capsys, source):
    (curve,) = answered(
        capsys, "curve", "decision", source, "--label", "y", "--score", "p", "--prior", "10%"
    )["result"]["curves"]
    t = np.array(curve["x"])
    assert curve["act_on_everybody"] == pytest.approx(0.1 - 0.9 * t / (1 - t))


def test_a_calibration_is_said_of_decision_curves_only(capsys, source):
    assert refused(
        capsys, "curve", "roc", source, "--label", "y", "--score", "p", "--calibrated-at", "20%"
    ).startswith("error BR002")


@pytest.mark.parametrize(
    ("measure", "more", "t", "costs"),
    [
        ("net_benefit(t=0.1)", [], 0.1, ""),
        ("net_benefit", ["--cost", "fn=9,fp=1"], 0.1, ", costs (fp = 1, fn = 9)"),
    ],
)
def test_net_benefit_says_its_threshold_probability_and_has_an_interval(
    capsys, source, measure, more, t, costs
):
    asked = [
        "choose",
        source,
        "--label",
        "y",
        "--score",
        "p",
        "--optimize",
        measure,
        "--prior",
        "20%",
        *more,
    ]
    done = told(capsys, *asked)
    assert f"the highest net benefit at threshold probability {t:g}" in done.out
    assert f"At a base rate of 20%{costs}, its net benefit (t = {t:g}) is " in done.out
    assert done.out.count(f"net benefit (t = {t:g})") == 2  # the sentence, and the table
    point = first_point(answered(capsys, *asked))
    name = point["optimized"]
    at = br.Conditions(0.2, br.Costs(fn=9) if "--cost" in more else None)
    expected = br.interval(
        br.count(LABELS, CHANCES), name, optimize=name, at=at, replicates=400
    )  # corrected for the choice
    assert (point["intervals"][name]["low"], point["intervals"][name]["high"]) == (
        expected.low,
        expected.high,
    )
    assert point[name] == pytest.approx(expected.value)


def test_the_same_in_python():
    counts = br.count(LABELS, CHANCES)
    point = br.choose(counts, optimize="net_benefit(t=0.1)")
    best = max(naive(CHANCES, cut, LABELS.mean()) for cut in (0.1,))
    assert point["net_benefit(t=0.1)"] >= best - 1e-12


@pytest.mark.parametrize("measure", ["informedness", "tnr"])
def test_what_was_made_best_has_an_interval_too(capsys, source, measure):
    done = told(
        capsys,
        "choose",
        source,
        "tpr >= 0.5",
        "--label",
        "y",
        "--score",
        "p",
        "--optimize",
        measure,
    )
    assert measure in done.out.split("\n\n")[-1]
    words = ("choose", source, "tpr >= 0.5", "--label", "y", "--score", "p", "--optimize", measure)
    point = first_point(answered(capsys, *words))
    assert point["intervals"][measure]["low"] < point[measure] < point["intervals"][measure]["high"]


@pytest.mark.parametrize("where", [["--threshold", "0.3"], ["--rule", "tpr >= 0.6"]])
def test_show_reads_net_benefit_at_the_threshold_probability_that_is_named(capsys, source, where):
    asked = [
        "show",
        source,
        "--label",
        "y",
        "--score",
        "p",
        "--prior",
        "20%",
        *where,
        "--measure",
        "net_benefit(t=0.1)",
    ]
    point = answered(capsys, *asked)["models"][0]["points"][0]
    flagged = point["threshold"] <= CHANCES
    tpr, fpr = flagged[LABELS == 1].mean(), flagged[LABELS == 0].mean()
    assert point["net_benefit(t=0.1)"] == pytest.approx(0.2 * tpr - 0.8 * fpr * 0.1 / 0.9)
    bounds = point["intervals"]["net_benefit(t=0.1)"]
    assert bounds["low"] < point["net_benefit(t=0.1)"] < bounds["high"]
    assert told(capsys, *asked).out.count("net benefit (t = 0.1)") == 2
