"""`choose` over a range of base rates or costs, run as a person runs it: the answer first,
the same numbers as Python, valid JSON, and what is refused.
"""

import re

import pytest
from tests.cli.helpers import answered, refused, told, written
from tests.decisions.worked import CELLS

import baserate as br
from baserate.inference.decide import decide


@pytest.fixture
def scored(tmp_path):
    """A tenth of the worked scenario's cases, one row each, with a site and labels beside the
    scores.
    """
    columns = [
        [
            (score, y)
            for y in (1, 0)
            for score, *cells in CELLS[name]
            for _ in range(cells[1 - y] // 10)
        ]
        for name in ("A", "B")
    ]
    rows = [
        (y, a, b, "north" if i % 3 else "south")
        for i, ((a, y), (b, _)) in enumerate(zip(*columns, strict=True))
    ]
    return written(tmp_path / "scores.csv", ["y", "a", "b", "site"], rows)


TWO = ("--label", "y", "--score", "a", "--score", "b")
COSTS = ("--cost", "fn=500,fp=5,tp=5")
MODELS = {
    name.lower(): br.Counts(
        *([cell[i] // (1 if i == 0 else 10) for cell in CELLS[name]] for i in range(3))
    )
    for name in ("A", "B")
}


def test_the_first_sentence_is_the_answer(scored, capsys):
    done = told(capsys, "choose", scored, *TWO, "--prior", "1e-5..1e-3", *COSTS)
    first = done.out.splitlines()[0]
    assert first == (
        "Use a at score ≥ 6. At base rates from 0.001% to 0.1%, costs (fp = 5, fn = 500, tp = 5),"
        " it costs at most 0.01892 more per case than the best choice; the worst case is a base"
        " rate of 0.1% (1 in 1,000), where a at score ≥ 5 would be best. The differences to"
        " b, flag nothing and flag everything are significant (p < 0.001)."
    )
    assert done.status == 0
    borders = re.findall(
        r"^(flag nothing|flag everything|a|b)\s.*?(\S+)\s+(\S+)$",
        done.out.split("Which is cheapest at which base rate")[1],
        flags=re.MULTILINE,
    )
    assert borders == [
        ("flag nothing", "0%", "0.0004123%"),
        ("b", "0.0004123%", "0.007656%"),
        ("a", "0.007656%", "19.83%"),
        ("flag everything", "19.83%", "100%"),
    ]
    assert (
        "The choice changes first if fn falls by a factor of 1.3, to 384: then b at score ≥ 8 is"
        " cheapest. The choice depends on values that are not known well enough: the base rate.\n"
        in done.out
    )
    assert {"BR526", "BR528"} <= set(re.findall(r"note (BR\d+)", done.err))


def test_json_says_what_python_says(scored, capsys):
    document = answered(
        capsys,
        "choose",
        scored,
        *TWO,
        "--prior",
        "1e-5..1e-3",
        "--cost",
        "fn=100..1000,fp=1",
    )
    at = br.Conditions(prior="1e-5..1e-3", costs={"fn": br.Range(100, 1000), "fp": 1})
    found = decide(MODELS, at=at)
    decision = document["result"]["decision"]
    assert (decision["model"], decision["threshold"], decision["regret"]["value"]) == (
        found.model,
        found.threshold,
        found.regret.value,
    )
    assert decision["at"]["fn"] == {"low": 100, "high": 1000, "kind": "range"}
    assert decision["rivals"]["b"]["value"] == found.rivals["b"].value
    wins = br.robustness.winner_map(MODELS).wins
    assert [(win["low"], win["models"]) for win in document["result"]["winner_map"]["wins"]] == [
        (win.low, list(win.models)) for win in wins
    ]
    firm = br.robustness.stability(MODELS, at=at)
    assert document["result"]["stability"]["held"]["fn"]["high"] == firm.held["fn"].high
    assert document["result"]["stability"]["decisive"] == list(firm.decisive)
    assert list(document["result"]["points"]) == ["a", "b"]
    assert "learning" not in document["result"]


def test_what_is_believed_is_averaged_and_learning_has_a_worth(scored, capsys):
    for written_, prior in (
        ("1e-5..1e-3 log-uniform", br.LogUniform(1e-5, 1e-3)),
        ("1e-5,1e-4,1e-3", [1e-5, 1e-4, 1e-3]),
    ):
        document = answered(
            capsys,
            "choose",
            scored,
            *TWO,
            "--prior",
            written_,
            *("--cost", "fn=500", "--kind", "unknown"),
        )
        learned = br.robustness.value_of_information(
            MODELS, at=br.Conditions(prior=prior, costs={"fn": 500})
        )
        assert document["result"]["learning"] == {"value": learned.value, "error": learned.error}
        assert document["result"]["decision"]["regret"]["averaged"]
    done = told(capsys, "choose", scored, *TWO, "--pilot", "3/5000", "--cost", "fn=500")
    assert "on average" in done.out.splitlines()[0]
    assert "Expected value of perfect information: " in done.out


def test_conditions_that_are_known_are_decided_as_ever(scored, capsys):
    words = ("choose", scored, *TWO, "--prior", "0.1%", *COSTS)
    assert told(capsys, *words, "--kind", "unknown") == told(capsys, *words)


def test_a_rule_holds_everywhere_and_at_every_site(scored, capsys):
    arguments = (*TWO, "--prior", "1e-4..1e-2", "--cost", "fn=200", "--rule", "recall >= 0.8")
    document = answered(capsys, "choose", scored, *arguments)
    assert document["result"]["decision"]["rule"] == "tpr >= 0.8"
    assert document["result"]["decision"]["tpr"] >= 0.8
    by_site = answered(capsys, "choose", scored, *arguments, "--by", "site")
    assert by_site["result"]["decision"]["regret"]["site"] in ("north", "south")
    assert "winner_map" not in by_site["result"]
    moving = answered(
        capsys,
        "choose",
        scored,
        *TWO,
        "--prior",
        "1e-4..1e-2",
        "--cost",
        "fn=200",
        "--rule",
        "posfrac <= 10%",
    )
    assert "winner_map" not in moving["result"]
    budget = answered(
        capsys,
        "choose",
        scored,
        *TWO,
        "--prior",
        "1e-4..1e-2",
        "--cost",
        "fn=200",
        "--rule",
        "alerts <= 2000",
        "--volume",
        "100k",
    )
    assert budget["result"]["decision"]["rule"] == "alerts <= 2000"


def test_a_design_says_nothing_of_saved_counts_with_replicates_either(scored, tmp_path, capsys):
    assert told(capsys, "count", scored, *TWO, "-o", tmp_path / "two.counts").status == 0
    words = ("choose", tmp_path / "two.counts", "--prior", "0.1%..1%", *COSTS)
    for more in ((), ("--replicates", "2000")):
        line = refused(capsys, *words, "--design", "case-control", *more)
        assert line == "error BR002: --design has no effect on saved counts. Fix: leave it out.\n"


def test_with_replicates_it_is_said_where_models_cannot_be_told_apart(scored, capsys):
    arguments = (
        *TWO,
        "--prior",
        "1e-5..1e-3",
        "--cost",
        "fn=500",
        "--replicates",
        "4000",
        "--level",
        "90%",
    )
    document = answered(capsys, "choose", scored, *arguments)
    assert document["result"]["winner_map"]["level"] == 0.9
    assert document["result"]["winner_map"]["doubts"]
    assert (
        "At 90 % for the whole map (4000 resamples), at costs (fp = 1, fn = 500), the winner is"
        " not significantly better here:" in told(capsys, "choose", scored, *arguments).out
    )


def test_profits_may_be_ranges(scored, capsys):
    document = answered(
        capsys, "choose", scored, *TWO, "--prior", "1e-4..1e-2", "--profit", "tp=50..500,fp=-5"
    )
    assert document["result"]["decision"]["at"]["tp"] == {"low": -500, "high": -50, "kind": "range"}
    assert (
        document["result"]["decision"]["at"]["fp"],
        document["result"]["decision"]["at"]["fn"],
    ) == (5, 0)


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (("--prior", "1e-3..1e-5"), r"BR504: the range of prior is reversed", 2),
        (
            ("--prior", "1e-5..1e-3,0.1"),
            r"BR503: a range of base rates cannot be combined with other values",
            2,
        ),
        (("--prior", "1e-5 log-uniform"), r"BR503: .* needs a range", 2),
        (("--cost", "fn=100..10"), r"BR504: the range of the cost of fn is reversed", 2),
        (
            ("--cost", "fn=few..many"),
            r"BR514: the cost of fn is \"few\.\.many\", which is not a range of numbers",
            2,
        ),
        (("--cost", "miss=1..2"), r"BR514: there is no outcome \"miss\"", 2),
        (("--cost", "fn=2", "--profit", "tp=3"), r"BR513: costs and profits are given together", 2),
        (("--prior", "0.1", "--pilot", "1/10"), r"BR503: a base rate and a pilot sample", 2),
        (("--pilot", "few"), r"BR588: a pilot sample is written", 2),
        (("--rule", "mcc >= 0.5", "--prior", "1e-5..1e-3"), r"BR534: mcc may rise and fall", 2),
        (("--by", "site", "--replicates", "200"), r"BR594: replicates= compares models", 2),
        (
            ("--rule", "tpr >= 0.1", "--replicates", "200", "--prior", "1%..2%"),
            r"BR594: replicates= compares models",
            2,
        ),
    ],
)
def test_what_cannot_be_decided_is_refused_in_one_line(scored, capsys, arguments, message, status):
    assert re.search(message, refused(capsys, "choose", scored, *TWO, *arguments, status=status))


def test_a_rule_that_nothing_keeps_says_what_each_model_could(scored, capsys):
    done = told(
        capsys,
        "choose",
        scored,
        *TWO,
        "--rule",
        "tpr >= 0.99 and fpr <= 0.01",
        "--prior",
        "1e-5..1e-3",
    )
    assert (done.status, done.out) == (3, "")
    assert re.findall(
        r"^error BR530: at a base rate of 0\.001% \(1 in 100,000\).*?\"(a|b)\": no threshold has"
        r" tpr >= 0\.99",
        done.err,
        flags=re.MULTILINE,
    ) == ["a", "b"]


def test_the_map_of_winners_is_drawn_where_there_is_one(scored, tmp_path, capsys):
    words = ("choose", scored, *TWO, "--prior", "1e-5..1e-3", *COSTS)
    drawn = told(capsys, *words, "--svg", tmp_path / "map.svg")
    assert (drawn.status, drawn.out) == (0, told(capsys, *words).out)
    picture = (tmp_path / "map.svg").read_text()
    assert all(f">{name}<" in picture for name in ("a", "b", "flag nothing", "flag everything"))
    assert "there is no single map" in refused(
        capsys, *words, "--by", "site", "--svg", tmp_path / "other.svg"
    )
    assert not (tmp_path / "other.svg").exists()
