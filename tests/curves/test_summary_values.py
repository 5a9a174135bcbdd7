"""Summaries as values: printed with their parameters, parsed back, and asked for on the command
line.
"""

import json
from fractions import Fraction

import pytest
from tests.cli.helpers import VALID, run

import baserate as br
from baserate.curves.summaries import SUMMARIES, summary_named

COUNTS = br.count([1, 1, 0, 1, 0, 0, 0, 0], [0.95, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
AT = br.Conditions(prior=0.01)
ASKED = {
    "partial_auc": "partial_auc(fpr=0..0.1)",
    "weighted_auc": "weighted_auc(alpha=0.1)",
    "weighted_pr_area": "weighted_pr_area(alpha=0.5, strips=4)",
    "weighted_cost_area": "weighted_cost_area(alpha=0.25)",
}


@pytest.mark.parametrize("name", [name for name, entry in SUMMARIES.items() if entry.single])
def test_every_summary_is_asked_for_by_name_and_its_own_name_gives_it_again(name):
    summary = br.Summary.parse(ASKED.get(name, name))
    assert br.Summary.parse(str(summary)) == summary
    value = summary(COUNTS, AT)
    own = getattr(value, "name", "")
    if own:
        assert br.Summary.parse(own)(COUNTS, AT) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "partial_auc(tpr=0.9..1, standardized)",
            br.curves.partial_auc(COUNTS, tpr=(0.9, 1), standardized=True),
        ),
        (
            "weighted_auc(alpha=0.5, strips=segments)",
            br.curves.weighted_auc(COUNTS, alpha=0.5, strips="segments"),
        ),
        (
            "weighted_auc(costs=fp:1/fn:5)",
            br.curves.weighted_auc(COUNTS, costs=br.Costs(fp=1, fn=5)),
        ),
        ("h_measure(prior=hand-2009)", br.curves.h_measure(COUNTS, at=AT, prior="hand-2009")),
        ("h_measure(severity_ratio=0.1)", br.curves.h_measure(COUNTS, at=AT, severity_ratio=0.1)),
        ("brier(calibrated_at=0.375)", br.curves.brier(COUNTS, at=AT, calibrated_at=0.375)),
        (
            "partial_auc(fpr=0..0.3, standardized=False)",
            br.curves.partial_auc(COUNTS, fpr=(0, 0.3)),
        ),
        (
            "weighted_auc(alpha=0.1234567890123456)",
            br.curves.weighted_auc(COUNTS, alpha=0.1234567890123456),
        ),
        ("brier(calibrated_at=1:9)", br.curves.brier(COUNTS, at=AT, calibrated_at="1:9")),
        ("calibration_error(bins=4)", br.curves.calibration_error(COUNTS, at=AT, bins=4)),
    ],
)
def test_parameters_are_read_as_python_takes_them(text, value):
    summary = br.Summary.parse(text)
    assert summary(COUNTS, AT) == value
    assert br.Summary.parse(str(summary)) == summary


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("aucc", 'BR531: unknown summary "aucc". Fix: "auc"'),
        ("auc(", "BR531: cannot read"),
        ("", "BR531: cannot read"),
        ("strip_weights", "BR531: unknown summary"),
        ("auc(alpha=1)", 'BR532: auc has no option "alpha". Fix: it takes none'),
        ("weighted_auc(alpha=0.1, alpha=0.2)", 'BR532: weighted_auc is given "alpha" twice'),
    ],
)
def test_what_is_no_summary_is_refused_with_what_is(text, match):
    with pytest.raises(br.InputError) as caught:
        br.Summary.parse(text)
    assert str(caught.value).startswith(match)


def test_show_puts_summaries_beside_auc(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("y,m\n1,0.95\n1,0.8\n0,0.7\n1,0.6\n0,0.4\n0,0.3\n0,0.2\n0,0.1\n")
    arguments = (
        "show",
        str(path),
        "--label",
        "y",
        "--score",
        "m",
        "--summary",
        "auprc",
        "--summary",
        "gini",
        "--prior",
        "1%",
    )
    document = json.loads(run(*arguments, "--json").stdout)
    VALID.validate(document)
    summaries = document["models"][0]["summaries"]
    assert summaries["auprc"]["value"] == br.curves.auprc(COUNTS, at=AT)
    assert summaries["auprc"]["at"]["prior"] == 0.01
    assert summaries["gini"]["value"] == br.curves.gini(COUNTS)
    shown = run(*arguments).stdout
    assert f"auprc    1%         {br.curves.auprc(COUNTS, at=AT):#.4g}" in shown
    assert run(*arguments, "--summary", "aucc").returncode == 2


def test_contradictions_between_options_are_refused():
    with pytest.raises(br.InputError, match="BR542: standardized is True or False"):
        br.curves.partial_auc(COUNTS, fpr=(0, 0.3), standardized="False")
    with pytest.raises(
        br.InputError, match="BR532: a severity ratio and a named distribution are given"
    ):
        br.curves.h_measure(COUNTS, prior="hand-2009", severity_ratio=0.5)
    with pytest.raises(
        br.InputError, match="BR533: a sweep keeps one threshold, or chooses again by a rule"
    ):
        br.curve(COUNTS, "precision:prior", priors=[0.1], rule="tpr >= 0.5", threshold=0.4)


def test_a_sweep_says_what_it_assumes_for_all_its_priors_at_once():
    notes = br.curve(COUNTS, "expected_cost:prior", priors=[0.1, 0.001]).notes
    assert [note.code for note in notes] == ["BR526", "BR525", "BR528"]
    assert notes[0].text == (
        "computed for base rates from 0.1% to 10%; this assumes that the scores within each class"
        " are the same in the field (label shift)"
    )


@pytest.mark.parametrize("name", [name for name, entry in SUMMARIES.items() if entry.single])
def test_every_summary_goes_by_its_synonyms_and_stays_within_its_range(name):
    entry, asked = SUMMARIES[name], ASKED.get(name, name)
    options = asked.removeprefix(name)
    value = br.Summary.parse(asked)(COUNTS, AT)
    assert entry.range[0] <= value <= entry.range[1]
    for word in entry.synonyms:
        assert summary_named(word.upper() + options) == br.Summary.parse(asked)


@pytest.mark.parametrize(("gap", "rel"), [(10**3, 1e-14), (10**6, 1e-14), (10**9, 1e-14)])
def test_h_and_discrimination_are_as_exact_near_the_diagonal_as_away_from_it(gap, rel):
    """One corner at (½ − e, ½ + e), as many positives as negatives: both are of the order of e²."""
    counts = br.Counts([2, 1], [gap + 1, gap - 1], [gap - 1, gap + 1])
    e = Fraction(1, 2 * gap)
    truth = _h_of_one_corner(e)
    assert br.curves.h_measure(counts, prior="hand-2009") == pytest.approx(float(truth), rel=rel)
    parts = br.curves.brier_decomposition(br.Counts([0.9, 0.1], counts.positives, counts.negatives))
    assert parts.discrimination == pytest.approx(float(e * e), rel=rel)
    assert br.curves.gini(counts) == float(2 * e)


def _h_of_one_corner(e):
    """What is saved, over what a perfect classifier saves, with cost shares of Beta(2, 2)."""

    def integral(end):
        # ∫ (end − c) · c · (1 − c) dc from ½ to end.
        parts = (end * (c**2 / 2 - c**3 / 3) - (c**3 / 3 - c**4 / 4) for c in (end, Fraction(1, 2)))
        return next(parts) - next(parts)

    return integral(Fraction(1, 2) + e) / integral(Fraction(1))


@pytest.mark.parametrize("ratio", [1e-9, 1e-3, 1, 1e3, 1e9])
def test_h_is_1_for_a_perfect_ranking_and_0_for_a_constant_score(ratio):
    for prior in (1e-20, 0.001, 0.5, 0.999999):
        at = br.Conditions(prior=prior)
        perfect = br.curves.h_measure(
            br.Counts([2, 1], [3, 0], [0, 5]), at=at, severity_ratio=ratio
        )
        constant = br.curves.h_measure(br.Counts([1], [3], [5]), at=at, severity_ratio=ratio)
        assert (perfect, constant) == (1, 0)


def test_h_exists_where_one_class_weighs_next_to_nothing():
    assert br.curves.h_measure(br.Counts([2, 1], [5e-324, 5e-324], [0.5, 1.5])) == 0
