"""The document of a report: the same numbers as every other command gives, and the scenarios that
users bring.
"""

import json
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from tests.cli.helpers import VALID, answered, told, written
from tests.decisions.worked import (
    A_NEGATIVES,
    A_POSITIVES,
    B_NEGATIVES,
    B_POSITIVES,
    F1_A,
    F1_B,
    SCORES,
)
from tests.reports.made import Page, as_in_page, counted, drawn

import baserate as br
from baserate.views import tables

MODELS = {"A": F1_A, "B": F1_B}
FIELD = br.Conditions("1 in 1000")
# USERS, scenario 10.
USE = (
    "Use B (56.8 % of those at 9, drawn at random). At a base rate of 0.1% (1 in 1,000) and alerts"
    " <= 200 of 1,000,000, it catches 142 of 1,000 positives in 200 alerts (71 % real); A catches"
    " 99. The difference"
)
SAID = f"{USE} was not tested (the models were counted separately, not on the same cases)."
TESTED = f"{USE} is significant (p < 0.001)."


def valid(found):
    """The document of a report, as a program reads it."""
    content = json.loads(json.dumps(found.document, allow_nan=False))
    VALID.validate(content)
    return content


@pytest.fixture(scope="module")
def f1(tmp_path_factory):
    """Scenario F1 as a file of weights would be: two models on the same cases do not exist, so each
    has a column of its own file.
    """
    rows = []
    for label, a, b in ((1, A_POSITIVES, B_POSITIVES), (0, A_NEGATIVES, B_NEGATIVES)):
        first = [score for score, count in zip(SCORES, a, strict=True) for _ in range(count)]
        second = [score for score, count in zip(SCORES, b, strict=True) for _ in range(count)]
        rows += [
            (label, *pair, "north" if place % 3 else "south")
            for place, pair in enumerate(zip(first, second, strict=True))
        ]
    return written(tmp_path_factory.mktemp("f1") / "scores.csv", ("y", "A", "B", "site"), rows)


def test_the_first_screen_says_in_words_which_model_catches_how_many():
    found = br.report(MODELS, at=FIELD, budget=200, volume=1_000_000)
    assert found.sentences == [SAID]
    page = Page(found.html)
    assert page.document["report"]["answers"][0]["sentence"] == SAID
    # After the title of the window and of the page: the answer in its fewest words, what it comes
    # to in cases, and in full.
    assert page.texts[2] == "Use B, 56.8 % of those at 9, drawn at random."
    assert re.fullmatch(
        r"Of 1,000 positive cases a day it finds 142 \(\d+ to \d+\) in 200 alerts; 71 % are real\."
        r" A would find 99 in 200\.",
        page.texts[3],
    )
    assert page.texts[4] == SAID
    caught = {
        name: point["caught"]
        for name, point in page.document["report"]["answers"][0]["points"].items()
    }
    for name, tp, fp in (("A", 400, 20), ("B", 500, 10)):
        flagged = (
            1000 * Fraction(tp, 2000),
            999_000 * Fraction(fp, 98_000),
        )  # by the highest score, in which the budget ends
        assert caught[name] == float(200 / sum(flagged) * flagged[0])
    assert repr(found) == f"Report: {SAID}"


def test_the_command_line_gives_the_same_document(f1, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = (
        "report",
        f1,
        "--label",
        "y",
        "--score",
        "A",
        "--score",
        "B",
        "--prior",
        "1 in 1000",
        "--budget",
        "200",
        "--volume",
        "1000000",
    )
    content = answered(capsys, *command)
    assert content["report"]["answers"][0]["sentence"] == TESTED
    assert (
        content["report"]["points"]
        == valid(br.report(MODELS, at=FIELD, budget=200, volume=1_000_000))["report"]["points"]
    )
    assert not (tmp_path / "report.html").exists()
    done = told(capsys, *command)
    assert done.status == 0
    assert done.out.splitlines()[0] == TESTED
    assert done.out.splitlines()[-1].startswith("report.html: 2 models; ")
    assert Page((tmp_path / "report.html").read_text()).document == as_in_page(content)


@pytest.mark.parametrize(
    "asked",
    [
        ("--prior", "0.1%,1e-4", "--cost", "fn=100,fp=1"),
        ("--rule", "recall >= 0.8", "--prior", "1%"),
        ("--rule", "alerts <= 500", "--volume", "10k", "--prior", "1%", "--level", "90%"),
        ("--profit", "tp=95,fp=-5", "--prior", "1 in 50"),
    ],
)
def test_models_and_points_are_those_of_show(f1, asked, capsys):
    source = (f1, "--label", "y", "--score", "A", "--score", "B", *asked)
    shown, reported = answered(capsys, "show", *source), answered(capsys, "report", *source)
    for key in ("sources", "models", "seed", "version"):
        assert reported[key] == shown[key]
    assert advised_alike(reported["notes"]) == advised_alike(shown["notes"])


def advised_alike(notes):
    """The notes, whatever a command advises about held-out data: each has its own option."""
    held_out = "evaluate on held-out data"
    return [
        {**note, "text": note["text"].partition(held_out)[0]} if held_out in note["text"] else note
        for note in notes
    ]


def test_answers_are_those_of_choose(f1, capsys):
    source = (
        f1,
        "--label",
        "y",
        "--score",
        "A",
        "--score",
        "B",
        "--prior",
        "0.1%,1e-4",
        "--volume",
        "1e6",
    )
    rules = ("alerts <= 200", "alerts <= 1000", "recall >= 0.7 and posfrac <= 2%")
    reported = answered(
        capsys, "report", *source, *(word for rule in rules for word in ("--rule", rule))
    )["report"]["answers"]
    assert len(reported) == 6
    for place, rule in enumerate(rules):
        chosen = answered(capsys, "choose", *source, "--rule", rule)
        said = told(capsys, "choose", *source, "--rule", rule).out.splitlines()[:2]
        for answer, verdict, words in zip(
            reported[2 * place : 2 * place + 2], chosen["result"], said, strict=True
        ):
            assert (answer["choose"], answer["at"], answer["rule"]) == (
                verdict["models"],
                verdict["at"],
                verdict["rule"],
            )
            assert answer["sentence"] == words
            assert answer["points"] == verdict["points"]


def test_a_rule_that_only_some_can_keep_says_who_cannot():
    worse = br.Counts([1, 0], positives=[10, 90], negatives=[50, 50])
    found = br.report(
        {"A": F1_A, "worse": worse},
        rule="precision >= 0.9",
        at=[br.Conditions(0.05), br.Conditions(0.02)],
    )
    first = valid(found)["report"]["answers"][0]
    assert first["choose"] == ["A"]
    assert list(first["refused"]) == ["worse"]
    assert "no threshold has precision >= 0.9" in first["refused"]["worse"]
    assert "cannot satisfy the rule" in Page(found.html).texts


def test_where_no_model_can_keep_the_rule_at_one_base_rate_the_report_says_so():
    found = br.report(F1_A, rule="precision >= 0.9", at=[br.Conditions(0.05), br.Conditions(1e-5)])
    second = valid(found)["report"]["answers"][1]
    assert (second["choose"], second["points"]) == ([], {})
    assert (
        second["sentence"]
        == "At a base rate of 0.001% (1 in 100,000): no model can satisfy the rule."
    )


def test_what_no_model_can_keep_anywhere_is_refused():
    with pytest.raises(br.Infeasible, match="no threshold has precision >= 0.9"):
        br.report(F1_A, rule="precision >= 0.9", at=br.Conditions(1e-5))


def test_the_controls_start_where_the_first_question_was():
    found = br.report(
        MODELS,
        at=[br.Conditions("1 in 1000", br.Costs(fp=1, fn=100)), FIELD],
        rule=["recall >= 0.8", "alerts <= 70"],
        volume=5e4,
    )
    assert valid(found)["report"]["scenario"] == {
        "prior": 0.001,
        "as_in_sample": False,
        "costs": {"fp": 1, "fn": 100, "tp": 0, "tn": 0},
        "costs_given": True,
        "written": "1/1000",
        "earned": False,
        "volume": 50_000,
        "budget": 70,
        "rule": "recall >= 0.8",
    }
    plain = valid(br.report(F1_A))["report"]["scenario"]
    assert (
        plain["prior"],
        plain["as_in_sample"],
        plain["written"],
        plain["volume"],
        plain["rule"],
    ) == (0.02, True, None, None, None)


def test_one_class_alone_shows_what_there_is():
    """BAD_INPUTS row 6."""
    for positives, negatives in (([0, 0], [3, 4]), ([3, 4], [0, 0])):
        found = br.report(br.Counts([2, 1], positives, negatives))
        content = valid(found)
        assert content["report"]["scenario"]["prior"] is None
        assert content["models"][0]["summaries"]["auc"]["value"] is None
        assert "nothing is known of" in " ".join(content["report"]["shows"])
        assert "BR104" in {note["code"] for note in content["notes"]}
        assert "nan" not in " ".join(Page(found.html).texts).casefold().split()
    with pytest.raises(br.InputError, match="BR552: no positives in the sample"):
        br.report(br.Counts([2, 1], [0, 0], [3, 4]), at=FIELD)


def test_class_totals_that_were_chosen_need_a_base_rate():
    labels, scores = drawn(300, seed=1)
    chosen = br.count(labels, scores["m0"], design="case-control")
    with pytest.raises(br.InputError, match="BR509: .* a prior must be given"):
        br.report(chosen)
    content = valid(br.report(chosen, at=FIELD))
    assert content["report"]["points"][0]["sample_prior"] is None
    assert (
        "The class totals were chosen: the share of positives in the sample is not a base rate."
        in content["report"]["shows"]
    )


def test_uncertain_conditions_embed_what_decide_gives(f1, capsys):
    """Issue 12, point 7; USERS, scenario 4."""
    source = (
        f1,
        "--label",
        "y",
        "--score",
        "A",
        "--score",
        "B",
        "--prior",
        "1e-5..1e-3",
        "--cost",
        "fp=5,fn=500,tp=5",
    )
    decided, reported = answered(capsys, "choose", *source), answered(capsys, "report", *source)
    assert reported["report"]["decision"] == {
        key: decided["result"][key] for key in ("decision", "winner_map", "stability")
    }
    assert reported["report"]["decision"]["decision"]["threshold"] == 6
    assert f"{reported['report']['decision']['decision']['regret']['value']:.6g}" == "0.0189184"
    # BR588, "read in the middle of the range", stands before every such sentence of a report.
    assert {note["code"] for note in decided["notes"]} - {"BR588"} <= {
        note["code"] for note in reported["notes"]
    }
    found = br.report(MODELS, at=br.Conditions("1e-5..1e-3", br.Costs(fp=5, fn=500, tp=5)))
    first = (
        told(capsys, "choose", *source)
        .out.splitlines()[0]
        .removesuffix(
            " The differences to B, flag nothing and flag everything are significant (p < 0.001)."
        )
    )
    assert "it costs at most 0.01892 more per case than the best choice" in first
    untested = "the models were counted separately, not on the same cases"
    first += f" The difference to the other models was not tested: {untested}."
    assert found.sentences[0] == first
    assert found.document["report"]["decided"] == {
        "sentence": first,
        "lead": "In the middle of what was given:",
    }
    assert found.sentences[1].startswith("In the middle of what was given: ")
    assert first in Page(found.html).texts
    ranged = answered(capsys, "report", *source[:-1], "fn=100..1000,fp=1")["report"]
    assert ranged["decision"]["decision"]["at"]["fn"] == {"low": 100, "high": 1000, "kind": "range"}
    assert answered(capsys, "report", *source[:-4], "--prior", "1%")["report"]["decision"] is None


def test_slices_are_those_of_the_slices_command(f1, capsys):
    source = (f1, "--label", "y", "--score", "A")
    reported = answered(capsys, "report", *source, "--by", "site", "--rule", "recall >= 0.7")[
        "report"
    ]
    cut = reported["answers"][0]["points"]["A"]["threshold"]
    sliced = answered(capsys, "slices", *source, "--group", "site", "--threshold", str(cut))
    assert reported["slices"]["by"] == ["site"]
    for row, group in zip(reported["slices"]["rows"], sliced["result"]["groups"][1:], strict=True):
        assert (row["by"], row["slice"], row["model"], row["positives"]) == (
            "site",
            group["name"],
            "A",
            group["positives"],
        )
        assert row["points"] == [group["point"]]
    assert [row["slice"] for row in reported["slices"]["rows"]] == ["north", "south"]


def test_models_that_are_counted_by_group_are_sliced():
    labels, scores = drawn(900, seed=5, share=0.3)
    groups = br.count(labels, scores["m0"], by=np.arange(900) % 60)
    content = valid(br.report({"m": groups}))
    assert content["report"]["slices"]["by"] == ["group"]
    rows = content["report"]["slices"]["rows"]
    assert len(rows) == 51  # the fifty largest, and the others together
    assert rows[-1]["slice"] == "other (10)"
    assert sum(row["positives"] for row in rows) == int(labels.sum())
    named = br.report({"m": groups.total()}, slices={"site": groups}).document["report"]["slices"]
    assert named["by"] == ["site"]
    assert named["rows"][0]["points"] == rows[0]["points"]


def test_saved_counts_are_a_source(f1, capsys, tmp_path):
    saved = tmp_path / "day1.counts"
    assert (
        told(
            capsys, "count", f1, "--label", "y", "--score", "A", "--score", "B", "-o", saved
        ).status
        == 0
    )
    plain = answered(
        capsys, "report", f1, "--label", "y", "--score", "A", "--score", "B", "--prior", "1%"
    )
    again = answered(capsys, "report", saved, "--prior", "1%")
    assert again["report"]["points"] == plain["report"]["points"]
    assert again["report"]["answers"] == plain["report"]["answers"]


def test_several_models_on_the_same_cases_are_reported_together():
    labels, scores = drawn(300, seed=2, models=2)
    joint = br.count(labels, scores)
    apart = br.report({name: br.count(labels, values) for name, values in scores.items()})
    assert br.report(joint).document["report"]["points"] == apart.document["report"]["points"]


def test_of_more_models_than_a_page_shows_the_best_fifty_are_kept():
    """BAD_INPUTS row 55."""
    models = counted(400, seed=8, models=54, share=0.3)
    content = valid(br.report(models, at=br.Conditions(0.3), rule="recall >= 0.5"))
    kept = {model["name"]: model["points"][0]["expected_cost"] for model in content["models"]}
    assert len(kept) == len(content["report"]["points"]) == 50
    costs = {
        name: br.choose(counts, "recall >= 0.5", at=br.Conditions(0.3)).expected_cost
        for name, counts in models.items()
    }
    assert max(kept.values()) <= min(cost for name, cost in costs.items() if name not in kept)
    [note] = [note["text"] for note in content["notes"] if note["code"] == "BR863"]
    assert (
        note
        == "50 of 54 models are in the report, the best by its first answer: the best of many looks"
        " better than it is"
    )


@pytest.mark.parametrize(
    ("models", "options", "said"),
    [
        ({}, {}, "BR429: a report needs the counts of each model by name"),
        ([F1_A], {}, "BR429: a report needs the counts of each model by name"),
        (
            {"A": br.Points.of(F1_A)},
            {},
            'BR429: a report is made of counts by name, got Points as "A"',
        ),
        ({1: F1_A}, {}, "BR429: a report is made of counts by name, got Counts as 1"),
        (F1_A, {"budget": 200}, "BR520: a budget is a number of alerts out of a volume of cases"),
        (F1_A, {"budget": -1, "volume": 100}, "BR520: a budget is a number of alerts, got -1"),
        (
            F1_A,
            {"budget": "many", "volume": 100},
            'BR520: a budget is a number of alerts, got "many"',
        ),
        (F1_A, {"slices": [1]}, "BR862: slices are counts by group for each column, got list"),
        (
            F1_A,
            {"slices": {"site": {"model": F1_A}}},
            'BR862: slices by "site" are GroupedCounts of each model',
        ),
        (
            F1_A,
            {"slices": {"site": {"x": br.count([0, 1], [1, 2], by=[1, 1])}}},
            'BR408: there is no model "x"',
        ),
        (F1_A, {"at": 0.001}, "BR519: "),
        (F1_A, {"title": 7}, "BR532: a title is text, got int"),
        (F1_A, {"level": 95}, "BR580: "),
    ],
)
def test_what_makes_no_report_is_refused(models, options, said):
    with pytest.raises(br.InputError, match=said):
        br.report(models, **options)


def test_the_same_counts_give_the_same_bytes():
    """RELIABILITY P26."""
    labels, scores = drawn(3000, seed=6)
    order = np.random.default_rng(1).permutation(3000)
    found = [
        br.report(br.count(labels[rows], scores["m0"][rows]), at=FIELD).html
        for rows in (np.arange(3000), order)
    ]
    assert found[0] == found[1]
    code = (
        "import hashlib, baserate as br; from tests.decisions.worked import F1_A, F1_B; r ="
        " br.report({'A': F1_A, 'B': F1_B}, at=br.Conditions('1e-5..1e-3', br.Costs(fp=1, fn=9)),"
        " slices=None); print(hashlib.sha256(r.html.encode()).hexdigest())"
    )
    digests = set()
    for seed in ("1", "2"):
        environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed}
        digests.add(
            subprocess.run(
                [sys.executable, "-c", code], env=environment, capture_output=True, check=True
            ).stdout
        )
    assert len(digests) == 1


AT = br.Conditions("1 in 1000", br.Costs(fp=1, fn=100))


def test_sites_bring_their_notes_and_no_alerts_out_of_their_own_cases():
    labels, scores = drawn(2000, seed=1, share=0.1)
    sites = np.where(np.arange(2000) % 2, "north", "south")
    sites[np.flatnonzero(~labels)[:3]] = "empty"
    found = br.report({"m": br.count(labels, scores["m0"], by=sites)}, at=AT, volume=1_000_000)
    notes = {note["code"]: note["text"] for note in found.document["notes"]}
    assert notes["BR433"].startswith('"empty": a class is missing')
    assert notes["BR526"].startswith("computed for a base rate of 0.1% (sample: ")
    slices = found.html.partition('data-part="slices"')[2].partition("</section>")[0]
    assert "flagged (posfrac)" in slices
    assert ">alerts<" not in slices


def test_models_by_group_are_tested_against_each_other_as_without_groups(f1, capsys):
    source = (f1, "--label", "y", "--score", "A", "--score", "B", "--prior", "1%")
    plain, grouped = (
        answered(capsys, "report", *source, *more)["report"]["answers"][0]
        for more in ((), ("--by", "site"))
    )
    assert grouped["differences"] == plain["differences"]
    assert grouped["differences"]
    assert grouped["sentence"] == plain["sentence"]


@pytest.mark.parametrize(("models", "answers"), [(2, 4), (6, 0)])
def test_answers_at_four_other_base_rates_are_those_of_choose_of_at_most_five_models(
    models, answers
):
    joint = br.count(*drawn(600, seed=3, models=models, share=0.2))
    costs = br.Costs(fp=1, fn=20)
    found = br.report(joint, at=br.Conditions("1%", costs), volume=1000)
    nearby = found.document["report"]["nearby"]
    assert [one["at"]["prior"] for one in nearby] == [0.001, 0.005, 0.02, 0.1][:answers]
    for one in nearby:
        choice = br.choose(joint, at=br.Conditions(one["at"]["prior"], costs), volume=1000)
        assert one["sentence"] == tables.verdict(choice, alone=False)
        assert one["choose"] == list(choice.models)
        for name, point in choice.points.items():
            for measure, ends in one["points"][name]["ends"].items():
                known = point.intervals[measure]
                assert [known.side == "upper", known.side == "lower"] == [
                    end is None for end in ends
                ]
                assert all(
                    end is None or end == pytest.approx(bound, rel=1e-9)
                    for end, bound in zip(ends, (known.low, known.high), strict=True)
                )
