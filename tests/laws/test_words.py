"""The words and digits of every command: what is called a cost was given as one, and no number has
more digits than a person reads.
"""

import ast
import csv
import importlib
import inspect
import io
import math
import re
from functools import cache
from pathlib import Path

import pytest
from tests.cli import helpers
from tests.cli.helpers import answered, told

import baserate as br
from baserate.cli.demo import scores_csv
from baserate.conditions import ASSUMED
from baserate.inference.decide import decide

SOURCE = Path(br.__file__).parent
DATA = ("--label", "fraud", "--score", "logit", "--score", "forest")
FIELD = ("--prior", "0.5%")
BUDGET = ("alerts <= 200", "--volume", "100000")
QUICK = ("--replicates", "100")
# Commands that choose or count by errors, as no costs are given; and those in which costs have no
# part.
ASSUMING = [
    ("choose", *DATA, *FIELD, *QUICK),
    ("choose", "recall >= 0.8", *DATA, *FIELD, *QUICK),
    ("show", *DATA, *FIELD, *QUICK),
    ("show", *DATA, *FIELD, "--rule", "recall >= 0.8", *QUICK),
    ("show", *DATA, *FIELD, "--summary", "min_cost"),
    ("compare", *DATA, *FIELD, *QUICK),
    ("compare", *DATA, *FIELD, "--statistic", "precision", *QUICK),
    ("compare", *DATA, "--prior", "0.1%..1%", *QUICK),
    ("choose", *DATA, "--prior", "0.1%..1%"),
    ("show", *DATA, "--prior", "0.1%..1%"),
    ("curve", "cost_threshold", *DATA, *FIELD),
]
# What a review costs is given, and a miss and a false alarm are assumed to cost the same.
REVIEWED = [("triage", *DATA, *FIELD, "--review", "0.2")]
FREE = [
    ("show", *DATA),
    ("show", *DATA, *FIELD, "--threshold", "0.5"),
    ("show", *DATA, *FIELD, "--summary", "auprc"),
    ("show", *DATA, *FIELD, "--rule", *BUDGET, *QUICK),
    ("choose", *BUDGET, *DATA, *FIELD, *QUICK),
    ("choose", *DATA, *FIELD, "--optimize", "f1", *QUICK),
    ("compare", *DATA),
    ("compare", *DATA, *FIELD, "--rule", *BUDGET, *QUICK),
    ("compare", *DATA, *FIELD, "--statistic", "precision", "--threshold", "0.5", *QUICK),
    ("choose", *DATA, "--prior", "0.1%..1%", "--rule", *BUDGET),
    ("show", *DATA, "--prior", "0.1%..1%", "--rule", *BUDGET),
    (
        "choose",
        *DATA,
        *FIELD,
        *("--rule", "fdr <= 50%", "--optimize", "tpr", "--all-priors"),
    ),
    ("prior", "--from", "SCORES", *DATA, *QUICK),
    ("slices", *DATA[:4], "--group", "site", "--rule", "recall >= 0.8"),
    ("slices", *DATA[:4], "--day", "day", "--rule", "recall >= 0.8"),
    ("gate", "recall >= 0.5", *DATA),
    ("gate", "--label", "fraud", "--baseline", "logit", "--candidate", "forest"),
    ("curve", "pr", *DATA, *FIELD),
]
COSTLY = [
    ("choose", *DATA, *FIELD, "--cost", "fn=100", *QUICK),
    ("compare", *DATA, *FIELD, "--cost", "fn=100", *QUICK),
    ("choose", *DATA, "--prior", "0.1%..1%", "--cost", "fn=100"),
    ("show", *DATA, "--prior", "0.1%..1%", "--cost", "fn=100"),
    ("triage", *DATA, *FIELD, "--cost", "fn=100", "--review", "0.5"),
]
A_COST = re.compile(r"cost per case|cheap|expected_cost|equal costs \(")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
MOST_DIGITS = 9


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """One case in ten of the demo, with scores in all the digits of a float."""
    rows = list(csv.DictReader(io.StringIO(scores_csv())))[::10]
    path = tmp_path_factory.mktemp("words") / "scores.csv"
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("fraud", "logit", "forest", "site", "day"))
        for i, row in enumerate(rows):
            logit, forest = (math.sqrt(float(row[name]) + i * 1e-9) for name in ("logit", "forest"))
            writer.writerow(
                (
                    row["fraud"],
                    repr(logit),
                    repr(forest),
                    ("oslo", "rome")[i % 2],
                    f"2026-01-{1 + i % 28:02}",
                )
            )
    return str(path)


@pytest.fixture(scope="module")
def run(scores):
    """A command on the file; what is printed, and everything that a person sees."""

    @cache
    def run(words):
        told_to = [scores if word == "SCORES" else word for word in words[1:]]
        named = (words[1], scores, *told_to[1:]) if words[0] == "curve" else (scores, *told_to)
        done = helpers.run(words[0], *named)
        assert done.returncode in (0, 1), done.stderr
        text = done.stdout.replace(scores, "FILE")
        return text, text + done.stderr.replace(scores, "FILE")

    return run


@pytest.mark.parametrize("words", [*ASSUMING, *FREE], ids=" ".join)
def test_nothing_is_called_a_cost_where_none_was_given(run, words):
    _, everything = run(words)
    assert not A_COST.findall(everything.replace("min_cost", ""))


@pytest.mark.parametrize("words", [*ASSUMING, *REVIEWED], ids=" ".join)
def test_where_equal_costs_decide_the_answer_says_so(run, words):
    text, _ = run(words)
    said = [line for line in text.splitlines() if ASSUMED in line]
    assert said
    if words[0] != "show":  # which shows what was counted first
        assert text.splitlines()[0] == said[0]


@pytest.mark.parametrize("words", FREE, ids=" ".join)
def test_where_costs_have_no_part_nothing_is_said_of_them(run, words):
    _, everything = run(words)
    assert "equal costs" not in everything
    assert "BR525" not in everything


@pytest.mark.parametrize("words", [*ASSUMING, *REVIEWED, *FREE, *COSTLY], ids=" ".join)
def test_no_number_has_more_digits_than_a_person_reads(run, words):
    _, everything = run(words)
    assert not {
        number for number in NUMBER.findall(everything) if significant(number) > MOST_DIGITS
    }


def significant(number):
    return len(number.partition("e")[0].replace(".", "").strip("0"))


def test_numbers_are_counted_by_their_significant_digits():
    assert [
        significant(text)
        for text in ("0.4109800393967368", "1000000", "2.500e-06", "0.0001", "10.50")
    ] == [16, 1, 2, 1, 3]


def test_python_shows_thresholds_in_few_digits_and_no_costs_that_nobody_gave():
    counts = br.count([0, 1, 0, 1, 0, 0], [0.1 + 0.2, 0.7 * 1.1, 0.2 / 0.3, 1 / 3, 1 / 7, 1 / 9])
    found = {
        "stability": repr(br.robustness.stability({"m": counts}, at=br.Conditions(0.2))),
        "triage": repr(br.robustness.triage(counts, at=br.Conditions(0.2), review=0.1)),
        "point": repr(br.choose(counts, at=br.Conditions(0.2))),
        "decision": repr(decide({"m": counts}, at=br.Conditions(prior="10%..20%"))),
    }
    for name, text in found.items():
        assert all(significant(number) <= 4 for number in NUMBER.findall(text)), text
        assert ("equal costs assumed" in text) == (name != "point")
        assert "cheapest" not in text
        assert "expected_cost" not in text
    assert ", error 0.1;" in found["point"]


@pytest.mark.parametrize(
    "rule", [(), ("recall >= 0.8",), ("npv >= 0.5",), ("precision >= 0.004",)], ids=str
)
@pytest.mark.parametrize("prior", [(), FIELD], ids=str)
def test_what_is_undefined_has_a_reason_and_no_interval_and_what_is_defined_has_one(
    scores, capsys, rule, prior
):
    words = ("choose", scores, *rule, *DATA, *prior, "--replicates", "0")
    seen = answered(capsys, *words)["result"]["baselines"]
    for point in seen.values():
        undefined = {
            name
            for name in ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost")
            if point[name] is None
        }
        assert set(point.get("undefined", {})) >= undefined
        assert not undefined & set(point["intervals"])
        assert {"tpr", "fpr", "precision", "npv", "posfrac", "expected_cost"} - undefined <= set(
            point["intervals"]
        )
    if "flag everything" in seen:
        assert seen["flag everything"]["undefined"]["npv"] == "everything flagged"
        text = told(capsys, *words, "--measure", "npv").out
        rows = [
            line.split("  ") for line in text.splitlines() if line.startswith("flag everything")
        ]
        assert [row.count(" —") + row.count("—") for row in rows] == [1]


# Words of a private dialect, and what a reader of statistics expects instead.
DIALECT = {
    r"so (?:many|much)": "N, or the name of the parameter",
    r"unless (?:said|told|asked)|as (?:said|asked)": "by default, as given",
    r"asked|asking": "requested, given",
    r"says? nothing": "has no effect, carries no information",
    r"(?:is|was|were|are|been|cannot be) told|told (?:apart|from)|no telling": "significant",
    r"within noise": "not significant",
    r"judge[ds]?|judging": "evaluate",
    r"(?:is|are|was|be) shown to be|not shown": "demonstrated",
    r"keeps? (?:a|the|every|no) (?:rule|budget|requirement|term)": "satisfies, stays within",
    r"one (?:\w+ )?a (?:model|case|class|row|line|day|group|cell|point|score|bin|distinct)": "per",
    r"(?:cost|costs|regret|worth|benefit|errors|more|less) a case": "per case",
    r"all over (?:it|the)|in its middle": "over the whole range",
    r"regrets(?! of)": "has a regret of",
    r"finds? most": "has the highest recall",
    r"cannot be had": "is impossible",
    r"wanted|wants": "requested",
    r"stands? (?:behind|above|beside)": "follows, precedes",
    r"mend(?:s|ed)?": "fix",
    r"(?:is|was|are|were) said": "is given, is reported",
    r"flatters|too hopeful": "is optimistic",
    r"believed": "assumed",
    r"(?:is|are) to be": "has to be, or the verb itself",
    r"(?<!there )(?:is|are) no (?:number|rate|row|day|file|model|distribution)s?": "is not a",
    r"has right|heeds?": "gets right, uses",
}
SAID = re.compile(rf"(?<![\w`.])(?:{'|'.join(DIALECT)})(?![\w`])", re.IGNORECASE)
# Names in SQL and in code.
NAMES = ("AS asked", "`asked`", "wanted.columns")


def strings(path):
    """Every string constant and docstring of a module that is more than a name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, " ".join(node.value.split())


@pytest.mark.parametrize(
    "path",
    sorted(SOURCE.rglob("*.py")),
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_sentences_use_the_words_of_the_field(path):
    found = [
        f"line {line}: {hit[0]!r} in {text[max(0, hit.start() - 30) : hit.end() + 30]!r}"
        for line, text in strings(path)
        if not any(name in text for name in NAMES)
        for hit in SAID.finditer(text)
    ]
    assert not found


def test_a_sentence_of_the_dialect_is_found():
    assert SAID.search("What it would be worth a case to know")
    assert SAID.search("Within noise, no telling which is better")
    assert SAID.search("the last line is no row")
    assert not SAID.search("there is no model of that name")
    assert not SAID.search("at most 0.02 more per case than the best choice")


# What a text may call that is not baserate's: names that stand for the reader's own, and those of
# other packages.
OTHERS = {"name", "read_chunks", "reindex", "to_numpy"}
PACKAGES = ("np", "scipy", "plt", "spark", "df", "write")
CALLED = re.compile(r"(?<![\w\"'-])((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)\(")
REFUSALS = ("refuse", "refuse_file", "Fix", "everywhere", "Problem", "Note", "TypeError")


def published():
    """Every public object by its name, and the names of what the public classes have."""
    found = {
        name: getattr(importlib.import_module(f"baserate.{space}" if space else "baserate"), name)
        for space in ("", *br.NAMESPACES)
        for name in br.read_stub(br.stub_of(space))
    }
    classes = [thing for thing in found.values() if inspect.isclass(thing)]
    return found, {name for thing in classes for name in dir(thing)}


def unknown_calls(text, known):
    for before, name in CALLED.findall(text):
        if before.partition(".")[0] not in PACKAGES and name not in known:
            yield name


def test_a_fix_calls_only_what_is_public():
    found, members = published()
    known = {*found, *members, *OTHERS}
    private = []
    for path in sorted(SOURCE.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            if getattr(call.func, "id", getattr(call.func, "attr", "")) not in REFUSALS:
                continue
            for part in ast.walk(call):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    where = f"{path.relative_to(SOURCE)}:{part.lineno}"
                    private += [(where, name) for name in unknown_calls(part.value, known)]
    assert not private


def test_a_docstring_of_what_is_public_names_only_what_is_public():
    found, members = published()
    defined = {
        part.name
        for path in SOURCE.rglob("*.py")
        for part in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(part, ast.FunctionDef | ast.ClassDef)
    }
    private = defined - {*found, *members, *OTHERS}
    named = []
    for name, thing in found.items():
        of_class = [
            getattr(part, "fget", part)
            for part in (vars(thing).values() if inspect.isclass(thing) else ())
        ]
        for part in filter(callable, (thing, *of_class)):
            own = set(inspect.signature(part).parameters)
            for quoted in re.findall(r"`([^`]+)`", part.__doc__ or ""):
                names = {quoted, *(called for _, called in CALLED.findall(quoted))}
                named += [(name, word) for word in names & (private - own)]
    assert not named
