"""`expect`, `leaders`, `triage`, and `compare` and `curve` over ranges, run as a person runs
them.
"""

import csv
import io

import pytest
from tests.cli.helpers import answered, refused, told, written
from tests.decisions.worked import CELLS

import baserate as br
from baserate.inference.expectation import expect, expect_curve

TWO = ("--label", "y", "--score", "a", "--score", "b")
COSTS = ("--cost", "fn=500,fp=5")
RANGE = ("--prior", "1e-5..1e-3")
MODELS = {
    name.lower(): br.Counts(
        *([cell[i] // (1 if i == 0 else 10) for cell in CELLS[name]] for i in range(3))
    )
    for name in ("A", "B")
}
AT = br.Conditions(prior="1e-5..1e-3", costs={"fn": 500, "fp": 5})


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    columns = [
        [
            (score, y)
            for y in (1, 0)
            for score, *cells in CELLS[name]
            for _ in range(cells[1 - y] // 10)
        ]
        for name in ("A", "B")
    ]
    rows = [(y, a, b) for (a, y), (b, _) in zip(*columns, strict=True)]
    return written(tmp_path_factory.mktemp("data") / "scores.csv", ["y", "a", "b"], rows)


def test_expect_gives_the_numbers_of_python(scored, capsys):
    document = answered(capsys, "show", scored, *TWO, *RANGE, *COSTS)
    found = {one["model"]: one for one in document["expectations"]}
    for name, counts in MODELS.items():
        one = expect(counts, "expected_cost", at=AT)
        assert (found[name]["low"], found[name]["high"], found[name]["worst"]) == (
            one.low,
            one.high,
            one.worst,
        )
        assert found[name]["value"] is None
    difference = expect(MODELS, "expected_cost", at=AT)
    assert (found["b - a"]["low"], found["b - a"]["high"]) == (difference.low, difference.high)
    assert found["a"]["at"]["prior"] == {"low": 1e-5, "high": 1e-3, "kind": "range"}


def test_expect_says_the_average_first(scored, capsys):
    done = told(
        capsys,
        "show",
        scored,
        *TWO[:4],
        "--measure",
        "precision",
        "--threshold",
        "9",
        "--prior",
        "1e-4..1e-2 log-uniform",
        "--kind",
        "unknown",
    )
    one = expect(
        MODELS["a"],
        "precision",
        threshold=9,
        at=br.Conditions(prior=br.LogUniform(1e-4, 1e-2)),
        kind="unknown",
    )
    assert (
        done.out.splitlines()[1]
        == f"a: precision {one.value:.4g} on average; from {one.low:.4g} to {one.high:.4g} in 95 %"
        f" of the assumed distribution; at worst {one.worst:#.4g}, at best {one.best:#.4g}."
    )
    assert "no average" not in done.out


def test_expect_of_a_rule_a_pilot_and_a_varying_base_rate(scored, capsys):
    budget = ("--measure", "alerts", "--rule", "recall >= 0.5", "--volume", "10000")
    pilot = answered(
        capsys, "show", scored, *TWO[:4], *budget, "--pilot", "12/5000", "--kind", "unknown"
    )["expectations"][0]
    at = br.Conditions(prior=br.Pilot(12, 5000))
    assert (
        pilot["value"]
        == expect(
            MODELS["a"], "alerts", rule="tpr >= 0.5", at=at, volume=10_000, kind="unknown"
        ).value
    )
    assert pilot["worst"] is None
    assert pilot["at"]["prior"]["kind"] == "pilot"
    days = (
        "--measure",
        "precision",
        "--threshold",
        "9",
        "--prior",
        "0.1%,0.2%,1%",
        "--kind",
        "varying",
    )
    varying = answered(capsys, "show", scored, *TWO[:4], *days)["expectations"][0]
    mean = (0.001 + 0.002 + 0.01) / 3
    assert varying["value"] == pytest.approx(
        br.measure(MODELS["a"], "precision", threshold=9, at=br.Conditions(prior=mean)), rel=1e-12
    )


def test_what_expect_cannot_say_is_refused(scored, capsys):
    assert "all conditions are exact" in refused(
        capsys, "show", scored, *TWO, "--prior", "0.1%", *COSTS, "--kind", "unknown"
    )
    assert "is the base rate unknown, or does it vary" in refused(
        capsys,
        "show",
        scored,
        *TWO,
        "--measure",
        "precision",
        "--threshold",
        "9",
        "--prior",
        "1e-4..1e-2 log-uniform",
    )
    assert "did you mean" in refused(capsys, "show", scored, *TWO, "--measure", "precison", *RANGE)


def test_triage_sets_two_thresholds(scored, capsys):
    asked = ("--prior", "0.1%", "--cost", "fn=500,fp=50", "--review", "2", "--overlooked", "10%")
    at = br.Conditions(prior="0.1%", costs=br.Costs(fp=50, fn=500))
    document = answered(capsys, "triage", scored, *TWO, *asked)
    for part in document["result"]["models"]:
        one = br.robustness.triage(MODELS[part["model"]], at=at, review=2, overlooked=0.1)
        assert (part["act"], part["review"], part["cost"], part["without"]) == (
            one.act,
            one.review,
            one.cost,
            one.without,
        )
        assert part["saving"] == one.without - one.cost
    done = told(capsys, "triage", scored, *TWO, *asked)
    best = min(document["result"]["models"], key=lambda part: part["cost"])
    assert document["result"]["model"] == best["model"]
    assert done.out.startswith(
        f"Use {best['model']}: review scores ≥ {best['review']} and < {best['act']} ("
    )
    assert " At a base rate of 0.1% (1 in 1,000), costs (fp = 50, fn = 500), the cost" in done.out
    assert f"with a single threshold {best['without']:.4g}" in done.out


def test_triage_within_a_number_of_reviews(scored, capsys):
    asked = (
        "--prior",
        "0.1%",
        "--cost",
        "fn=500,fp=50",
        "--review",
        "2",
        "--most",
        "200",
        "--volume",
        "100000",
    )
    (part,) = answered(capsys, "triage", scored, *TWO[:4], *asked)["result"]["models"]
    one = br.robustness.triage(
        MODELS["a"],
        at=br.Conditions(prior="0.1%", costs=br.Costs(fp=50, fn=500)),
        review=2,
        most=200,
        volume=100_000,
    )
    assert (part["reviews"], part["act"]) == (one.reviews, one.act)
    assert part["reviews"] <= 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--prior", "0.1%"), "triage needs what a review costs"),
        (("--prior", "0.1%", "--review", "much"), "--review takes a plain number"),
        (("--prior", "0.1%", "--review", "2", "--overlooked", "many"), "overlooked is a share"),
        (
            ("--prior", "0.1%", "--review", "2", "--most", "7"),
            "most is a share of the cases, or with a volume",
        ),
    ],
)
def test_what_triage_refuses(scored, capsys, options, said):
    assert said in refused(capsys, "triage", scored, *TWO, *options, *COSTS)


def test_triage_answers_at_each_base_rate(scored, capsys):
    asked = ("triage", scored, *TWO, "--review", "2", *COSTS)
    found = answered(capsys, *asked, "--prior", "0.1%,1%")["result"]
    alone = [answered(capsys, *asked, "--prior", prior)["result"] for prior in ("0.1%", "1%")]
    assert [one["models"] for one in found] == [one["models"] for one in alone]


WITHIN = ("--rule=fdr <= 50%", "--optimize", "tpr", "--all-priors")


def test_leaders_are_those_of_python(scored, capsys):
    document = answered(capsys, "choose", scored, *TWO, *WITHIN, "--prior", "1e-4,1e-3")
    found = br.robustness.best_recall(MODELS, fdr=0.5, attained=True)
    assert document["result"]["leads"] == [
        {"low": low, "high": high, "models": list(models)} for low, high, models in found.leads
    ]
    at = document["result"]["at"]
    assert [{"prior": one["prior"], "tpr": one["tpr"]} for one in at] == [
        {"prior": prior, "tpr": found.at(prior)} for prior in (1e-4, 1e-3)
    ]
    done = told(capsys, "choose", scored, *TWO, *WITHIN, "--prior", "1e-3")
    values = found.at(1e-3)
    best = max(values, key=values.get)
    assert done.out.startswith(
        f"With at most 50 % false alerts at a base rate of 0.1%, {best} has the highest recall:"
        f" {values[best]:#.4g}"
    )
    assert "a share of false alarms lies between 0 and 1" in refused(
        capsys, "choose", scored, *TWO, "fdr <= 1", *WITHIN[1:]
    )


def test_compare_over_a_range_asks_for_one_leader_all_over_it(scored, capsys):
    document = answered(capsys, "compare", scored, *TWO, *RANGE, *COSTS, "--replicates", "100")
    (found,) = document["result"]["comparisons"]
    assert found["at"] == {
        "prior": {"low": 1e-5, "high": 1e-3, "kind": "range"},
        "fp": 5,
        "fn": 500,
        "tp": 0,
        "tn": 0,
    }
    assert found["low"] < 0 < found["high"]
    assert not found["significant"]
    done = told(capsys, "compare", scored, *TWO, *RANGE, *COSTS, "--replicates", "100")
    assert "No significant difference in cost per case over the whole range" in done.out


def test_compare_at_a_pilot_s_base_rate(scored, capsys):
    (found,) = answered(
        capsys, "compare", scored, *TWO, "--pilot", "40/20000", *COSTS, "--replicates", "100"
    )["result"]["comparisons"]
    assert found["at"]["prior"] == {
        "kind": "pilot",
        "positives": 40,
        "cases": 20000,
        "mean": pytest.approx(40.5 / 20001),
    }
    assert "a base rate and a pilot sample are given together" in refused(
        capsys, "compare", scored, *TWO, "--pilot", "4/200", "--prior", "1%"
    )


def test_curve_over_a_range(scored, capsys):
    document = answered(capsys, "curve", "broc", scored, *TWO, *RANGE)
    one = expect_curve(MODELS["a"], br.broc, at=br.Conditions(prior="1e-5..1e-3"))
    assert document["result"]["outlooks"][0]["worst"] == one.worst.tolist()
    assert set(document["result"]["outlooks"][0]["y"]) == {None}
    done = told(capsys, "curve", "broc", scored, *TWO, *RANGE, "--csv")
    rows = list(csv.reader(io.StringIO(done.out)))
    assert rows[0] == ["model", "curve", "tpr", "fdr", "low", "high", "worst", "best"]
    assert len(rows) == 201
    assert [float(row[6]) for row in rows[1:101]] == one.worst.tolist()
    assert "fdr along tpr" in told(capsys, "curve", "broc", scored, *TWO, *RANGE).out


def test_a_curve_over_a_range_as_csv_holds_no_formula(tmp_path, capsys):
    br.count([0, 1, 1], {"=1+1": [1, 2, 3], "x;=2": [1, 3, 2]}).save(tmp_path / "x.counts")
    done = told(capsys, "curve", "broc", tmp_path / "x.counts", *RANGE, "--csv")
    assert {row[0] for row in csv.reader(io.StringIO(done.out))} == {"model", "'=1+1", "x;'=2"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("roc", *RANGE), "a ROC does not depend on it"),
        (("broc", *RANGE, "--every"), "every= has no effect"),
        (("broc", "--prior", "0.1%", "--kind", "unknown"), "kind= has no effect"),
        (("broc", *RANGE, "--csv", "--json"), "given together"),
    ],
)
def test_what_curve_refuses_over_a_range(scored, capsys, options, said):
    name, *rest = options
    done = told(capsys, "curve", name, scored, *TWO, *rest)
    assert done.status == 2
    assert said in done.err + done.out
