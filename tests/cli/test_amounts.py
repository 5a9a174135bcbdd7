"""`baserate choose --amount`, run as a person runs it."""

import pytest
from tests.cli.helpers import answered, refused, told, written

import baserate as br
from baserate.inference.intervals import amount_intervals

HEADER = ("m", "y", "eur", "other")
ROWS = [
    (0.9, 1, 1000, 0.2),
    (0.8, 0, 50, 0.1),
    (0.7, 1, 20, 0.9),
    (0.6, 0, 500, 0.6),
    (0.2, 1, 300, 0.7),
    (0.1, 0, 10, 0.8),
]


@pytest.fixture
def cases(tmp_path):
    return written(tmp_path / "cases.csv", HEADER, ROWS)


def asked(path, *more, score=("m",)):
    return (
        "choose",
        path,
        "--label",
        "y",
        *(word for name in score for word in ("--score", name)),
        "--amount",
        "eur",
        *more,
    )


def test_scenario_12_in_one_command(capsys, cases):
    done = told(capsys, *asked(cases, "--review", "150"))
    assert done.status == 0
    first, second, _, headings, row, *_ = done.out.splitlines()
    assert first == (
        "Use m at score ≥ 0.9, the threshold with the lowest cost. At the sample's base rate of"
        " 50%, a review at 150 and a miss at its amount: cost 470, caught 1,000, missed 320, of 6"
        " cases."
    )
    assert (
        second
        == "If every miss cost the average amount, the choice would be score ≥ 0.2, which actually"
        " costs 750. Flagging nothing costs 1,320, everything 900; the difference was not tested"
        " (only 3 positives: too few to resample)."
    )
    assert headings.split() == [
        "model",
        "threshold",
        "alerts",
        "amount",
        "caught",
        "amount",
        "missed",
        "cost",
        "cost",
        "per",
        "case",
    ]
    assert row.split() == ["m", ">=", "0.9", "1", "1,000", "320", "470", "78.33"]
    assert (
        "note BR528: the threshold was chosen and evaluated on the same data, so these figures are"
        " optimistic; evaluate on held-out data: choose --test FILE" in done.err.splitlines()
    )


def test_json_says_what_python_says_to_every_digit(capsys, cases):
    document = answered(
        capsys,
        *asked(
            cases,
            "--review",
            "150.5",
            "--prior",
            "1%,sample",
            "--volume",
            "1e6",
            "--recovered",
            "80%",
        ),
    )
    amounts = br.count(cases, label="y", score="m", amount="eur")
    for verdict, prior in zip(document["result"], ("1%", None), strict=True):
        found = verdict["points"]["m"]
        point = br.choose(
            amounts, review=150.5, recovered=0.8, at=br.Conditions(prior=prior), volume=1e6
        )
        for name in (
            "threshold",
            "cost",
            "expected_cost",
            "alerts",
            "amount_caught",
            "amount_missed",
            "tp",
            "fp",
            "fn",
            "tn",
            "nothing",
            "everything",
        ):
            assert found[name] == getattr(point, name), name
        assert found["by_average"]["cost"] == point.by_average.cost
        assert (found["review"], found["recovered"], found["cases"]) == (150.5, 0.8, 1_000_000)
        assert verdict["values"] == {"m": point.cost}
        assert verdict["optimized"] == "cost"


def test_scenario_12_as_json(capsys, cases):
    point = answered(capsys, *asked(cases, "--review", "150"))["result"]["points"]["m"]
    assert (
        point["threshold"],
        point["cost"],
        point["by_average"]["threshold"],
        point["by_average"]["cost"],
    ) == (0.9, 470, 0.2, 750)
    assert (point["at"], point["intervals"]) == ({"prior": 0.5, "as_in_sample": True}, {})


def test_the_cheapest_of_several_models(capsys, cases):
    done = told(capsys, *asked(cases, "--review", "150", score=("other", "m")))
    assert done.out.splitlines()[0] == (
        "Use m at score ≥ 0.9. At the sample's base rate of 50%, a review at 150 and a miss at its"
        " amount: cost 470, caught 1,000, missed 320, of 6 cases; the difference to other is not"
        " significant (p = 0.844)."
    )
    assert "The best model against the others, on the same cases:" in done.out
    verdict = answered(capsys, *asked(cases, "--review", "150", score=("other", "m")))["result"]
    assert verdict["models"] == ["m"]
    assert verdict["values"] == {"other": 750, "m": 470}
    assert verdict["indistinguishable"] == ["other", "m"]
    assert verdict["differences"][0]["models"] == ["other", "m"]
    assert (verdict["differences"][0]["value"], verdict["untested"]) == (-280, None)


def test_a_budget_catches_the_largest_amount(capsys, cases):
    words = (
        "choose",
        cases,
        "alerts <= 30",
        "--label",
        "y",
        "--score",
        "m",
        "--amount",
        "eur",
        "--prior",
        "10%",
        "--volume",
        "100",
    )
    done = told(capsys, *words)
    assert done.out.startswith(
        "Use m at score ≥ 0.9, the threshold that catches the largest amount. At a base rate of"
        " 10% with alerts <= 30: caught "
    )
    assert "cost" not in done.out
    point = answered(capsys, *words)["result"]["points"]["m"]
    assert (point["review"], point["optimized"], point["how"], point["threshold"]) == (
        None,
        "amount_caught",
        "threshold",
        0.9,
    )
    assert point["alerts"] <= 30
    status = told(capsys, *asked(cases, "--review", "1", "--rule", "recall >= 0.9 and fpr <= 1%"))
    assert (status.status, status.err[:11]) == (3, "error BR530")


def test_resampled_intervals(capsys, tmp_path):
    path = written(
        tmp_path / "many.csv",
        HEADER,
        [(i % 13, int(i % 3 == 0), i % 17 + 0.25, i) for i in range(300)],
    )
    document = answered(capsys, *asked(path, "--review", "3", "--replicates", "150", "--seed", "4"))
    amounts = br.count(path, label="y", score="m", amount="eur")
    ours = amount_intervals(br.choose(amounts, review=3), amounts, replicates=150, seed=4)["cost"]
    found = document["result"]["points"]["m"]["intervals"]["cost"]
    assert (found["low"], found["high"], found["method"]) == (
        ours.low,
        ours.high,
        "percentile",
    )
    done = told(capsys, *asked(path, "--review", "3", "--replicates", "150"))
    assert (
        "In brackets 95 % intervals, choosing the thresholds again on each of 150 resamples:"
        in done.out
    )
    assert "on each of 1000 resamples:" in told(capsys, *asked(path, "--review", "3")).out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ("--review", "150", "--cost", "fn=3"),
            "BR513: costs of outcomes are given beside amounts",
        ),
        (
            ("--review", "150", "--profit", "tp=3,fp=-1"),
            "BR513: costs of outcomes are given beside amounts",
        ),
        (("--review", "150", "--optimize", "f1"), "BR002: optimize= does not apply to amounts"),
        (("--review", "150", "--weight", "eur"), "BR001: --weight has no effect with --amount"),
        (("--review", "150 EUR"), 'BR514: --review takes a plain number, got "150 EUR"'),
        (("--review", "-1"), "BR514: what a review costs is a number, 0 or more, got -1"),
        (
            ("--review", "1", "--recovered", "0%"),
            "BR542: the share recovered of a caught amount lies above 0 and not above 1, got 0",
        ),
        (
            ("--review", "1", "--recovered", "much"),
            (
                "BR542: the share recovered of a caught amount lies above 0 and not above 1, got"
                ' "much"'
            ),
        ),
        (
            ("--review", "1", "--amount-missing", "zero"),
            "BR515: .*a missing amount is taken for the mean or refused",
        ),
        (("--review", "1", "--currency", "y"), 'BR516: .*"y" has more than one currency'),
        ((), "BR514: what does a review cost"),
    ],
)
def test_what_says_nothing_is_refused_and_not_ignored(capsys, cases, more, words):
    import re

    assert re.match(f"error {words}", refused(capsys, *asked(cases, *more)))


@pytest.mark.parametrize("option", [("--review", "1"), ("--recovered", "50%")])
def test_prices_say_nothing_without_amounts(capsys, cases, option):
    words = ("choose", cases, "--label", "y", "--score", "m", *option)
    assert "BR002: review= and recovered= need amounts" in refused(capsys, *words)


@pytest.mark.parametrize("option", ["--amount-missing", "--currency"])
def test_options_of_amounts_say_nothing_without_one(capsys, cases, option):
    assert refused(capsys, "choose", cases, "--label", "y", "--score", "m", option, "1").startswith(
        f"error BR001: {option} needs --amount"
    )


def test_missing_amounts_are_filled_where_that_is_said(capsys, tmp_path):
    path = written(tmp_path / "gap.csv", HEADER, [*ROWS[:4], (0.2, 1, "", 0.7), ROWS[5]])
    assert "(line 6). Fix: give every case an amount, or --amount-missing mean" in refused(
        capsys, *asked(path, "--review", "150")
    )
    notes = answered(capsys, *asked(path, "--review", "150", "--amount-missing", "mean"))["notes"]
    assert any(note["code"] == "BR515" and "510 for 1 positive" in note["text"] for note in notes)
