"""A command prints what its verb returns: the same values with --json, the same first line, and the
same refusal. Requests are drawn at random; options that exclude each other are among them.
"""

import json
import random

import pytest
from tests.cli.helpers import VALID, told

import baserate as br
from baserate.errors import InputError

REQUESTS = range(15)
LABELS = ("--label", "y")
# What is typed, and the keywords that say the same in Python.
CONDITIONS = (
    (("--prior", "1%"), {"prior": "1%"}),
    (
        ("--prior", "1 in 50", "--cost", "fn=20,fp=1"),
        {"prior": "1 in 50", "costs": {"fn": 20, "fp": 1}},
    ),
    (("--cost", "fn=5,fp=1"), {"costs": {"fn": 5, "fp": 1}}),
    (("--prior", "2%,20%"), {"prior": ["2%", "20%"]}),
    (("--prior", "150%"), {"prior": "150%"}),
    ((), {}),
    ((), {}),
)
RANGE = (("--prior", "1%..5%"), {"prior": "1%..5%"})
LEVEL = ((("--level", "90%"), {"level": 0.9}), ((), {}))
VOLUME = ((("--volume", "10k"), {"volume": 10_000}), ((), {}), ((), {}))


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """A file of three models, with clusters and sites, and the same columns by name."""
    draw = random.Random(40)
    rows = []
    for case in range(240):
        label = int(draw.random() < 0.3)
        scores = [round(draw.gauss(label * skill, 1), 2) for skill in (1.5, 1.0, 0.2)]
        rows.append(
            (
                label,
                *scores,
                case // 4,
                "north" if case % 3 else "south",
                f"2026-03-0{1 + case % 5}",
            )
        )
    names = ("y", "a", "b", "c", "card", "site", "day")
    path = tmp_path_factory.mktemp("commands") / "cases.csv"
    lines = [names, *rows]
    path.write_text("".join(f"{','.join(map(str, line))}\n" for line in lines))
    return path


def draw_options(draw, *tables):
    """Words and keywords of one row of each table."""
    words, keywords = [], {}
    for typed, given in map(draw.choice, tables):
        words += typed
        keywords |= given
    return words, keywords


def check_command(capsys, words, ask):
    """The command answers what the verb answers, or refuses it with the same code."""
    try:
        results = ask()
    except InputError as error:
        codes = {problem.code for problem in error.problems}
        done = told(capsys, *words)
        assert done.status in (2, 3), (words, done)
        assert done.err.removeprefix("error ")[:5] in codes, (words, done.err)
        assert not done.out
        return
    results = results if isinstance(results, list) else [results]
    done = told(capsys, *words, "--json")
    assert done.status == 0, (words, done.err)
    document = json.loads(done.out)
    VALID.validate(document)
    returned = json.loads(json.dumps([one.to_dict() for one in results], allow_nan=False))
    assert document["schema"] == "baserate/2"
    assert not any(str(value).startswith("/") for value in document["request"].values())
    assert document["result"] == (returned[0] if len(returned) == 1 else returned), words
    printed = told(capsys, *words).out
    for line, result in zip(printed.splitlines(), results, strict=False):
        assert line == str(result).splitlines()[0], words


MEASURES = ((("--measure", "recall,f1"), ["recall", "f1"]), ((), None))
THRESHOLDS = (
    (("--threshold", "0.5,1.5"), {"thresholds": [0.5, 1.5]}),
    (("--threshold", "none"), {"thresholds": [None]}),
    ((), {}),
)
ORDER = ((("--order", "ascending"), {"order": "ascending"}), ((), {}))


@pytest.mark.parametrize("seed", REQUESTS)
def test_table(cases, capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, (*CONDITIONS, RANGE), THRESHOLDS, VOLUME, ORDER)
    scores = draw.choice((("a",), ("a", "b")))
    typed, measures = draw.choice(MEASURES)
    asked = [measures] if measures else []
    counts = br.count(cases, label="y", score=scores[0] if len(scores) == 1 else [*scores])
    models = counts if len(scores) > 1 else {"a": counts}
    named = [word for score in scores for word in ("--score", score)]
    check_command(
        capsys,
        ["table", cases, *LABELS, *named, *words, *typed],
        lambda: br.table(models, *asked, **keywords),
    )


REQUIREMENTS = ("recall >= 0.9", "fpr <= 1%", "recall ± 5%", "precision >= 0.2", "auc >= 0.8")
EXPECTED = (
    (("--expect", "0.95"), {"expect": 0.95}),
    (("--expect", "tpr=0.9,fpr=0.01"), {"expect": "tpr=0.9,fpr=0.01"}),
    ((), {}),
)
POWER = ((("--power", "90%"), {"power": "90%"}), ((), {}))
RATIO = ((("--ratio", "4"), {"ratio": 4}), ((), {}))


@pytest.mark.parametrize("seed", REQUESTS)
def test_plan(capsys, seed):
    draw = random.Random(seed)
    prior = draw.choice(({}, {"prior": "1%"}))
    words, keywords = draw_options(draw, EXPECTED, POWER, RATIO, LEVEL)
    requirement = draw.choice(REQUIREMENTS)
    typed = ["--prior", prior["prior"]] if prior else []
    check_command(
        capsys,
        ["plan", requirement, *words, *typed],
        lambda: br.plan(requirement, **prior, **keywords),
    )


STATISTICS = ("recall", "precision", "auc", "AUPRC", "caught", "expected_cost", "nonsense")
SETTINGS = (
    (("--threshold", "1"), {"threshold": 1}),
    (("--threshold", "a=1", "--threshold", "b=0.5"), {"threshold": {"a": 1, "b": 0.5}}),
    (("--rule", "recall >= 0.6"), {"rule": "recall >= 0.6"}),
    (("--rule", "alerts <= 900", "--volume", "10k"), {"rule": "alerts <= 900", "volume": 10_000}),
    ((), {}),
)
AGAINST = ((("--against", "b"), {"against": "b"}), ((), {}), ((), {}))
FEW = ("--replicates", "100")


@pytest.mark.parametrize("seed", REQUESTS)
def test_compare(cases, capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, (*CONDITIONS, RANGE), SETTINGS, AGAINST, LEVEL)
    statistic = draw.choice((None, None, *STATISTICS))
    asked = [] if statistic is None else [statistic]
    typed = [] if statistic is None else ["--statistic", statistic]
    scores = draw.choice((("a", "b"), ("a", "b", "c")))
    named = [word for score in scores for word in ("--score", score)]
    units = draw.choice(({}, {}, {}, {"cluster": "card"}))
    typed += [word for name, column in units.items() for word in (f"--{name}", column)]
    models = br.count(cases, label="y", score=[*scores], **units)
    if units or keywords.get("prior") == RANGE[1]["prior"] or statistic == "AUPRC":
        typed, keywords = [*typed, *FEW], {**keywords, "replicates": 100}
    check_command(
        capsys,
        ["compare", cases, *LABELS, *named, *words, *typed],
        lambda: br.compare(models, *asked, **keywords),
    )


RATES = (
    ("tpr", "0.9"),
    ("fpr", "5%"),
    ("precision", "0.6"),
    ("npv", "99%"),
    ("accuracy", "0.95"),
)
PRIORS = (
    (("--prior", "1 in 50"), {"prior": "1 in 50"}),
    (("--prior", "1%,5%"), {"prior": ["1%", "5%"]}),
    (("--prior", "150%"), {"prior": "150%"}),
    ((), {}),
)


@pytest.mark.parametrize("seed", REQUESTS)
def test_calc_of_rates(capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, PRIORS, VOLUME)
    rates = dict(draw.sample(RATES, draw.choice((1, 2, 2, 3))))
    typed = [word for name, text in rates.items() for word in (f"--{name}", text)]
    check_command(capsys, ["calc", *typed, *words], lambda: br.calc(**rates, **keywords))


TABLES = {
    "a": {"tp": 90, "fn": 10, "fp": 5, "tn": 95},
    "b": {"tp": 80, "fn": 20, "fp": 1, "tn": 199},
    "c": {"tp": 0, "fn": 10, "fp": 0, "tn": 50},
}
COLUMNS = ((("--measure", "f1,npv"), ["f1", "npv"]), ((), []), ((), []))
SORTS = ((("--sort", "youden"), {"sort": "youden"}), ((), {}), ((), {}))


@pytest.mark.parametrize("seed", REQUESTS)
def test_calc_of_tables(capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, CONDITIONS, VOLUME, SORTS, LEVEL)
    typed, measures = draw.choice(COLUMNS)
    names = draw.sample(sorted(TABLES), draw.choice((1, 2, 3)))
    tables = {name: br.Confusion(**TABLES[name]) for name in names}
    given = []
    for name in names:
        cells = ",".join(f"{cell}={cases}" for cell, cases in TABLES[name].items())
        given += ["--table", f"{name}={cells}"]
    check_command(
        capsys, ["calc", *given, *typed, *words], lambda: br.calc(tables, measures, **keywords)
    )


CUTS = (
    (("--threshold", "1"), {"threshold": 1}),
    (("--threshold", "a=1", "--threshold", "b=0.5"), {"threshold": {"a": 1, "b": 0.5}}),
    ((), {}),
)
WAYS = (
    (("--method", "adjusted-count"), {"method": "adjusted-count"}),
    (("--calibrated-at", "sample"), {"calibrated_at": "sample"}),
    ((), {}),
    ((), {}),
)
SEEDS = ((("--seed", "3"), {"seed": 3}), ((), {}))


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A file of cases without labels."""
    draw = random.Random(41)
    positive = [case % 9 == 0 for case in range(300)]
    rows = [[round(draw.gauss(skill * one, 1), 2) for skill in (1.5, 1)] for one in positive]
    path = tmp_path_factory.mktemp("field") / "field.csv"
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return path


@pytest.mark.parametrize("seed", REQUESTS)
def test_prior(cases, field, capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, CUTS, WAYS, LEVEL, SEEDS)
    scores = draw.choice((("a",), ("b",), ("a", "b")))
    replicates = 100 if keywords else draw.choice((100, 7))
    unlabelled = {name: br.count_unlabelled(field, score=name) for name in scores}
    named = [word for score in scores for word in ("--score", score)]
    typed = ["--from", cases, *LABELS, *named, "--replicates", replicates]
    models = {name: br.count(cases, label="y", score=name) for name in scores}
    check_command(
        capsys,
        ["prior", field, *typed, *words],
        lambda: br.estimate_prior(models, unlabelled, replicates=replicates, **keywords),
    )


REVIEWS = (
    (("--review", "0.2"), {"review": 0.2}),
    (("--review", "2", "--overlooked", "10%"), {"review": 2, "overlooked": "10%"}),
    (("--abstain", "0.3"), {"abstain": 0.3}),
    (("--review", "1", "--most", "5%"), {"review": 1, "most": "5%"}),
    (("--review", "0.1", "--most", "300"), {"review": 0.1, "most": 300}),
    (("--overlooked", "10%"), {"overlooked": 0.1}),
)


@pytest.mark.parametrize("seed", REQUESTS)
def test_triage(cases, capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, (*CONDITIONS, RANGE), REVIEWS, VOLUME)
    scores = draw.choice((("a",), ("b",), ("a", "b", "c")))
    models = {name: br.count(cases, label="y", score=name) for name in scores}
    prior = keywords.pop("prior", None)
    priors = prior if isinstance(prior, list) else [prior]
    named = [word for score in scores for word in ("--score", score)]
    check_command(
        capsys,
        ["triage", cases, *LABELS, *named, *words],
        lambda: [br.robustness.triage(models, prior=one, **keywords) for one in priors],
    )


PARTS = ({"by": "site"}, {"day": "day"}, {"by": "site", "day": "day"}, {"by": "site"}, {})
CHOSEN = (
    (("--threshold", "1"), {"threshold": 1}),
    (("--rule", "recall >= 0.6"), {"rule": "recall >= 0.6"}),
    ((), {}),
)
REQUIRED = (
    (("--require", "recall >= 0.5"), {"require": "recall >= 0.5"}),
    (("--require", "alerts <= 9/day"), {"require": "alerts <= 9/day"}),
    (("--require", "fpr <= 5%", "--simultaneous"), {"require": "fpr <= 5%", "simultaneous": True}),
    ((), {}),
)
BY_SITE = (
    (("--prior", "north=1%"), {"prior": {"north": "1%"}}),
    (("--prior", "north=1%,", "--cost", "fn=9"), {"prior": {"north": "1%,"}, "costs": {"fn": 9}}),
)


@pytest.mark.parametrize("seed", REQUESTS)
def test_slices(cases, capsys, seed):
    draw = random.Random(seed)
    at = (*(one for one in CONDITIONS if one[1].get("prior") != ["2%", "20%"]), *BY_SITE)
    words, keywords = draw_options(draw, at, CHOSEN, REQUIRED, VOLUME, LEVEL)
    columns = draw.choice(PARTS)
    for name, column in columns.items():
        words += [f"--{name}", column]
    groups, days = (
        br.count(cases, label="y", score="a", **{role: columns[role]}) if role in columns else None
        for role in ("by", "day")
    )
    check_command(
        capsys,
        ["slices", cases, *LABELS, "--score", "a", *words],
        lambda: br.segments.slices(groups, days, **keywords),
    )


NAMES = ("roc", "pr", "broc", "cost", "gain", "roc_hull", "precision:recall", "alerts:fpr")
DRAWN = (
    (("--every",), {"every": True}),
    (("--band", "--replicates", "100"), {"band": True, "replicates": 100}),
    (("--isolines", "precision=0.1,50%"), {"isolines": ["precision=0.1,50%"]}),
    ((), {}),
    ((), {}),
)


@pytest.mark.parametrize("seed", REQUESTS)
def test_curve(cases, capsys, seed):
    draw = random.Random(seed)
    words, keywords = draw_options(draw, (*CONDITIONS, RANGE), DRAWN, VOLUME)
    name = draw.choice(NAMES)
    scores = draw.choice((("a",), ("b",), ("a", "b")))
    models = {score: br.count(cases, label="y", score=score) for score in scores}
    if name in ("roc", "roc_hull", "cost") and "isolines" not in keywords:
        keywords = {key: value for key, value in keywords.items() if key not in ("prior", "costs")}
        words = [word for word in words if word in ("--every", "--band", "--replicates", "100")]
        keywords.pop("volume", None)
    named = [word for score in scores for word in ("--score", score)]
    check_command(
        capsys,
        ["curve", name, cases, *LABELS, *named, *words],
        lambda: br.curve(models, name, **keywords),
    )
