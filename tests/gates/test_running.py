"""Judging: the same verdicts as `gate FILE`, whichever way the cases lie; what was pinned must not
have changed; NaN never passes.
"""

import math
from dataclasses import replace

import pytest
from tests.cli.helpers import answered, written
from tests.cli.helpers_gate import cases
from tests.gates.files import BOTH, COMPARE, HEAD, REQUIRE, scored, settings

import baserate as br
from baserate.gates import checks
from baserate.gates.checks import Reader, judge, run, verdict_of
from baserate.gates.settings import load


def plain(outcome):
    """The verdict as a program reads it, without what names the file and the models."""
    found = verdict_of(outcome)
    return found["verdict"], [
        (part["slice"], part["values"], part["p_value"], part["outcome"])
        for part in found.get("comparisons", ())
    ]


def test_checks_come_out_as_the_command_says(tmp_path, capsys):
    cases_file = scored(tmp_path)
    demand, comparison = run(
        load(settings(tmp_path, BOTH.replace("threshold = 0.5", 'threshold = 0.5\nprior = "10%"')))
    )
    fixed = ("--label", "y", "--threshold", "0.5", "--prior", "10%")
    required = answered(capsys, "gate", cases_file, "recall >= 0.5", *fixed, "--score", "new")
    compared = answered(
        capsys, "gate", cases_file, *fixed, "--baseline", "old", "--candidate", "new"
    )
    ours = verdict_of(demand)["verdict"]["checks"]
    assert [{**check, "model": "new"} for check in ours] == required["result"]["verdict"]["checks"]
    part, theirs = verdict_of(comparison)["comparisons"][0], compared["result"]["comparisons"][0]
    assert {**part, "models": None, "favours": None} == {**theirs, "models": None, "favours": None}
    assert (part["models"], part["favours"]) == (["baseline", "candidate"], "baseline")


def test_a_slice_that_is_worse_fails_under_a_flat_total(tmp_path):
    rows = [(*row, "A") for row in cases(1, 25, both=200)] + [
        (*row, "B") for row in cases(24, 0, both=76)
    ]
    written(tmp_path / "scores.csv", ["y", "old", "new", "site"], rows)
    whole, sliced = (
        run(load(settings(tmp_path, HEAD + COMPARE + more)))[0] for more in ("", 'slice = "site"\n')
    )
    assert whole.passed
    assert not sliced.passed
    assert [part.name for part in sliced.regression.failed] == ["B"]


@pytest.mark.parametrize(("accept", "passed"), [("", False), ("accept_observed = true\n", True)])
def test_what_is_observed_but_not_shown_passes_only_where_that_is_accepted(
    tmp_path, accept, passed
):
    scored(tmp_path)
    (outcome,) = run(load(settings(tmp_path, HEAD + REQUIRE.replace("0.5", "0.9") + accept)))
    assert outcome.judged[0].requirement.outcome == "met, not demonstrated"
    assert outcome.passed is passed


def joined(tmp_path, drop=()):
    """The same cases in a file for each model, the second in another order."""
    rows = [(f"c{i}", *row, "AB"[i % 2]) for i, row in enumerate(cases(12, 5, both=200))]
    written(tmp_path / "scores.csv", ["case", "y", "old", "new", "site"], rows)
    written(
        tmp_path / "old.csv",
        ["case", "y", "score", "site"],
        [(case, y, old, site) for case, y, old, _, site in rows],
    )
    newer = [(case, y, new, site) for case, y, _, new, site in reversed(rows) if case not in drop]
    written(tmp_path / "new.csv", ["case", "y", "score", "site"], newer)
    text = HEAD.replace(
        '"scores.csv"', '{ baseline = "old.csv", candidate = "new.csv" }\nid = "case"'
    )
    return text.replace('"old"', '"score"').replace('"new"', '"score"')


@pytest.mark.parametrize("by", ["", 'slice = "site"\n'])
def test_models_in_files_of_their_own_are_joined_by_id(tmp_path, by):
    text = joined(tmp_path)
    apart = run(load(settings(tmp_path, text + COMPARE + by + REQUIRE + by)))
    together = run(load(settings(tmp_path, HEAD + COMPARE + by + REQUIRE + by)))
    assert [plain(outcome) for outcome in apart] == [plain(outcome) for outcome in together]
    assert [source.path for source in apart[0].sources] == [
        str(tmp_path / "old.csv"),
        str(tmp_path / "new.csv"),
    ]


def test_cases_that_one_file_lacks_are_refused_unless_they_may_be_left_out(tmp_path):
    text = joined(tmp_path, drop={"c3"})
    with pytest.raises(br.InputError, match='BR401: .*new.csv: "candidate" lacks 1 of 217 ids'):
        run(load(settings(tmp_path, text + COMPARE)))
    (outcome,) = run(
        load(
            settings(tmp_path, text.replace('id = "case"', 'id = "case"\njoin = "inner"') + COMPARE)
        )
    )
    assert outcome.joint.ledger.rows_used == 216


@pytest.mark.parametrize("kind", [COMPARE, REQUIRE])
def test_an_id_is_looked_at_also_in_one_file(tmp_path, kind):
    rows = [(i % 50, *row) for i, row in enumerate(cases(12, 5, both=40))]
    written(tmp_path / "scores.csv", ["case", "y", "old", "new"], rows)
    with pytest.raises(br.InputError, match="BR40[23]"):
        run(
            load(settings(tmp_path, HEAD.replace('label = "y"', 'label = "y"\nid = "case"') + kind))
        )


def test_a_pinned_model_must_not_have_changed(tmp_path):
    path = scored(tmp_path)
    digest = br.count(path, label="y", score="old").digest
    pinned = HEAD + f'[digests]\nbaseline = "{digest}"\n' + COMPARE
    assert run(load(settings(tmp_path, pinned)))[0].passed
    rows = (tmp_path / "scores.csv").read_text().splitlines()
    (tmp_path / "scores.csv").write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    assert run(load(settings(tmp_path, pinned)))[0].passed  # the same cases in another order
    scored(tmp_path, only_old=13)
    with pytest.raises(
        br.InputError,
        match=(
            'BR843: .*baserate.toml: "baseline" is pinned to the digest [0-9a-f]{12}…, and its'
            " counts have"
        ),
    ):
        run(load(settings(tmp_path, pinned)))


def test_a_digest_is_the_same_with_and_without_an_id(tmp_path):
    joined(tmp_path)
    data = load(settings(tmp_path)).data
    counts = [
        Reader(replace(data, id=id_)).counts("baseline", by)
        for id_ in (None, "case")
        for by in (None, "site")
    ]
    assert len({whole.digest for whole, _ in counts}) == 1
    assert {name: part.digest for name, part in counts[1][1].items()} == {
        name: part.digest for name, part in counts[3][1].items()
    }


def test_everything_wrong_with_the_input_is_found_in_one_pass_and_told_once(tmp_path):
    scored(tmp_path)
    path = settings(
        tmp_path,
        HEAD.replace('"new"', '"gone"')
        + REQUIRE
        + REQUIRE
        + REQUIRE.replace("candidate", "baseline")
        + 'slice = "country"\n',
    )
    with pytest.raises(br.InputError, match="BR613") as refused:
        run(load(path))
    assert [problem.text.partition(";")[0] for problem in refused.value.problems] == [
        'has no column "gone"',
        'has no column "country"',
    ]


def test_a_problem_that_is_not_of_a_file_names_its_check(tmp_path):
    scored(tmp_path)
    text = BOTH.replace("threshold = 0.5", "threshold = 99").replace(
        "recall >= 0.5", "precision >= 0.5"
    )
    with pytest.raises(br.InputError, match="BR589") as refused:
        run(load(settings(tmp_path, text)))
    assert [problem.text for problem in refused.value.problems] == [
        "check 1: precision is undefined here (nothing flagged), and so is its interval",
        "check 2: both models flag nothing at these thresholds: there is nothing to compare",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HEAD + COMPARE + 'candidate = "baseline"\n',
            'BR596: .*check 1: baseline and candidate are both "baseline"',
        ),
        (
            HEAD + COMPARE + 'statistic = "auc"\nrule = "recall >= 0.5"\n',
            "BR594: .*check 1: a rule or threshold belongs to a measure",
        ),
        (
            HEAD.replace("threshold = 0.5", "threshold = { baseline = 1 }") + COMPARE,
            'BR529: .*check 1: no threshold is given for "candidate"',
        ),
    ],
)
def test_what_does_not_go_together_is_refused_by_the_verb(tmp_path, text, said):
    scored(tmp_path)
    with pytest.raises(br.InputError, match=said):
        run(load(settings(tmp_path, text)))


def test_a_difference_that_is_no_number_never_passes(tmp_path, monkeypatch):
    scored(tmp_path)
    found = load(settings(tmp_path, HEAD + COMPARE))
    real = checks.non_inferiority

    def undefined(*arguments, **named):
        verdict = real(*arguments, **named)
        part = verdict.parts[0]
        return replace(
            verdict,
            passed=True,
            parts=(replace(part, difference=replace(part.difference, value=math.nan)),),
        )

    monkeypatch.setattr(checks, "non_inferiority", undefined)
    assert not judge(found.checks[0], Reader(found.data)).passed


def test_cases_are_read_once_for_all_checks_that_ask_for_the_same(tmp_path, monkeypatch):
    scored(tmp_path)
    read = []
    real = checks.count_scores
    monkeypatch.setattr(
        checks, "count_scores", lambda *arguments: read.append(arguments[0]) or real(*arguments)
    )
    run(load(settings(tmp_path, HEAD + REQUIRE + REQUIRE.replace("0.5", "0.6"))))
    assert len(read) == 1


def test_a_rule_chooses_thresholds_in_place_of_those_of_the_scenario(tmp_path):
    scored(tmp_path)
    text = HEAD + COMPARE + 'rule = "recall >= 0.5"\nstatistic = "precision"\nreplicates = 100\n'
    (outcome,) = run(load(settings(tmp_path, text)))
    assert outcome.regression.parts[0].difference.name == "precision"
    ranked = run(load(settings(tmp_path, HEAD + COMPARE + 'statistic = "auc"\n')))[0]
    assert ranked.regression.parts[0].difference.name == "auc"


SAVED = HEAD.replace("scores.csv", "day.counts").replace('label = "y"\n', "")


def test_counts_that_were_saved_are_judged_as_their_cases_are(tmp_path):
    path = scored(tmp_path)
    br.count(path, label="y", score=["old", "new"]).save(tmp_path / "day.counts")
    saved, read = (
        run(load(settings(tmp_path, head + REQUIRE + COMPARE))) for head in (SAVED, HEAD)
    )
    assert [plain(outcome) for outcome in saved] == [plain(outcome) for outcome in read]
    for wrong, match in (
        (
            SAVED.replace('"new"', '"gone"') + REQUIRE,
            'BR408: .*day.counts: there is no model "gone"',
        ),
        (
            SAVED.replace('"new"', '"gone"') + COMPARE,
            'BR408: .*day.counts: there is no model "gone"',
        ),
        (
            SAVED + COMPARE + 'slice = "site"\n',
            'BR613: .*day.counts: holds counts, which have no column "site"',
        ),
    ):
        with pytest.raises(br.InputError, match=match):
            run(load(settings(tmp_path, wrong)))


def test_the_saved_counts_of_one_score_are_called_by_their_file(tmp_path, capsys):
    br.count(scored(tmp_path), label="y", score="new").save(tmp_path / "day.counts")
    (outcome,) = run(load(settings(tmp_path, SAVED.replace('"new"', '"day"') + REQUIRE)))
    assert outcome.passed
    document = answered(
        capsys, "gate", tmp_path / "day.counts", "recall >= 0.5", "--threshold", "0.5"
    )
    assert [
        {**check, "model": "candidate"} for check in document["result"]["verdict"]["checks"]
    ] == verdict_of(outcome)["verdict"]["checks"]
