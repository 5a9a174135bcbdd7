"""`baserate choose` and `br.choose` are one: the same values, first line, notes and refusals. What
they return is complete: it is the same after pickling and copying, and prints the same.
"""

import copy
import json
import pickle
import random

import pytest
from tests.cli.helpers import VALID, told

import baserate as br
from baserate.errors import Infeasible, InputError

REQUESTS = range(160)
CONDITIONS = (
    (("--prior", "1%"), {"prior": "1%"}),
    (("--prior", "1%", "--cost", "fn=20,fp=1"), {"prior": "1%", "costs": {"fn": 20, "fp": 1}}),
    (("--cost", "fn=5,fp=1"), {"costs": {"fn": 5, "fp": 1}}),
    (("--prior", "2%,20%"), {"prior": ["2%", "20%"]}),
    (("--prior", "1%..5%"), {"prior": "1%..5%"}),
    (("--prior", "1%", "--cost", "fn=5..50,fp=1"), {"prior": "1%", "costs": {"fn": "5..50"}}),
    (("--prior", "150%"), {"prior": "150%"}),
    ((), {}),
)
RULES = (
    (("recall >= 0.6",), {"rule": "recall >= 0.6"}),
    (("precision >= 20% and posfrac <= 30%",), {"rule": "precision >= 20% and posfrac <= 30%"}),
    (("precision >= 99% and recall >= 0.9",), {"rule": "precision >= 99% and recall >= 0.9"}),
    (
        ("alerts <= 900", "--volume", "10k"),
        {"rule": "alerts <= 900", "volume": 10_000},
    ),
    (("alerts <= 900",), {"rule": "alerts <= 900"}),
    (("recal >= 0.6",), {"rule": "recal >= 0.6"}),
    (("--volume", "5000"), {"volume": 5000}),
    ((), {}),
    ((), {}),
    ((), {}),
)
GOALS = (
    (("--optimize", "f1"), {"optimize": "f1"}),
    (("--optimize", "F"), {"optimize": "F"}),
    (("--guarantee", "recall >= 0.5"), {"guarantee": "recall >= 0.5"}),
    (("--guarantee", "recall >= 0.999"), {"guarantee": "recall >= 0.999"}),
    *[((), {})] * 6,
)
INTERVALS = (
    (("--level", "90%"), {"level": 0.9}),
    (("--replicates", "0"), {"replicates": 0}),
    (("--replicates", "100", "--seed", "3"), {"replicates": 100, "seed": 3}),
    *[((), {})] * 4,
)
MEASURES = ((("--measure", "mcc,recall"), {"measures": ["mcc", "recall"]}), *[((), {})] * 4)
SCORES = (("a",), ("a", "b"), ("a", "b"), ("a", "b", "c"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file to choose on and one to test on: three models, sites and amounts."""
    folder = tmp_path_factory.mktemp("doors")
    return [write_cases(folder / f"{name}.csv", name) for name in ("dev", "test")]


def write_cases(path, seed):
    draw = random.Random(seed)
    lines = ["y,a,b,c,site,eur"]
    for _ in range(300):
        label = int(draw.random() < 0.25)
        scores = [round(draw.gauss(label * skill, 1), 2) for skill in (1.5, 1.0, 0.2)]
        site, worth = draw.choice(("north", "south")), draw.randint(1, 500)
        lines.append(",".join(map(str, (label, *scores, site, worth))))
    path.write_text("\n".join(lines) + "\n")
    return path


def draw_request(seed):
    """Return a kind of request, with its words and keywords."""
    draw = random.Random(seed)
    kind = draw.choice(("plain", "plain", "plain", "test", "site", "amount"))
    exact = [row for row in CONDITIONS if ".." not in str(row)]
    tables = [exact if kind == "test" else CONDITIONS, RULES, INTERVALS]
    tables += [GOALS, MEASURES] if kind != "amount" or draw.random() < 0.2 else []
    words, keywords = [], {}
    for typed, given in map(draw.choice, tables):
        words += typed
        keywords |= given
    return kind, draw.choice(SCORES), words, keywords


def count(path, kind, scores):
    """Count the models as the command does."""
    score = scores[0] if len(scores) == 1 else list(scores)
    more = {"amount": {"amount": "eur"}}.get(kind, {})
    if kind == "site":
        return {name: br.count(path, label="y", score=name, by="site") for name in scores}
    found = br.count(path, label="y", score=score, **more)
    return {scores[0]: found} if len(scores) == 1 else found


def ask(files, kind, scores, keywords):
    """Return the answer in Python at each base rate, or why there is none."""
    models, prior = count(files[0], kind, scores), keywords.get("prior")
    given = dict(keywords, review=5) if kind == "amount" else keywords
    results = []
    for one in prior if isinstance(prior, list) else [prior]:
        try:
            result = br.choose(models, **{**given, "prior": one})
        except Infeasible as error:
            results.append(error)
            continue
        results.append(result.on(count(files[1], kind, scores)) if kind == "test" else result)
    if all(isinstance(result, Infeasible) for result in results):
        raise Infeasible(problem for error in results for problem in error.problems)
    return results


@pytest.mark.parametrize("seed", REQUESTS)
def test_both_doors_say_the_same(files, capsys, seed):
    kind, scores, words, keywords = draw_request(seed)
    own = {
        "test": ("--test", files[1]),
        "site": ("--by", "site"),
        "amount": ("--amount", "eur", "--review", "5"),
    }
    named = [word for name in scores for word in ("--score", name)]
    rule = [words.pop(0)] if words and "rule" in keywords and " " in words[0] else []
    typed = ("choose", files[0], *rule, "--label", "y", *named, *own.get(kind, ()), *words)
    try:
        results = ask(files, kind, scores, keywords)
    except InputError as error:
        done = told(capsys, *typed, "--json")
        assert done.status == (3 if isinstance(error, Infeasible) else 2), (typed, done, error)
        told_of = json.loads(done.out)["errors"]
        assert [one["code"] for one in told_of] == [one.code for one in error.problems], typed
        for one, ours in zip(told_of, error.problems, strict=True):
            assert one["text"].endswith(ours.text), typed
        return
    done = told(capsys, *typed, "--json")
    assert done.status == 0, (typed, done.err)
    document = json.loads(done.out)
    VALID.validate(document)
    returned = document["result"] if len(results) > 1 else [document["result"]]
    printed = told(capsys, *typed).out.splitlines()
    for found, result in zip(returned, results, strict=True):
        if isinstance(result, Infeasible):
            assert [one["code"] for one in found["refused"]] == [
                problem.code for problem in result.problems
            ]
            continue
        assert found == json.loads(json.dumps(result.to_dict(), allow_nan=False)), typed
        assert str(result).splitlines()[0] in printed, typed
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
            assert again == result
            assert str(again) == str(result)
            assert again.to_dict() == result.to_dict()
