"""`baserate.toml` is read into plain values, or refused: every wrong key in one pass, with its line
and what was meant.
"""

import json
import os
from pathlib import Path

import pytest
from tests.cli.helpers import refused, told
from tests.gates.files import BOTH, COMPARE, HEAD, REQUIRE, settings

import baserate as br
from baserate.gates.settings import Scored, load
from baserate.gates.settings import read_settings as read


def problems(text, path="baserate.toml"):
    with pytest.raises(br.InputError, match=f"BR.*{path}") as refused:
        read(text, path)
    return [problem.line(br.errors.on_command_line) for problem in refused.value.problems]


def test_settings_are_plain_values():
    found = read(
        """
        seed = 7
        [data]
        source = "scores.csv"
        label = "fraud"
        positive = 1
        design = "case-control"
        delimiter = "tab"
        skip_lines = 2
        negative = ["legit", "refund"]
        nan_score = "drop"
        max_bytes = 1000
        [models]
        m1 = "score"
        "m 2" = "other"
        [scenario.field]
        prior = "1 in 1000"
        costs = { fn = 100, fp = 1 }
        volume = 1_000_000
        threshold = { m1 = 0.5, "m 2" = "none" }
        [[require]]
        scenario = "field"
        model = "m1"
        rule = "precision >= 20%"
        slice = "country"
        level = "90%"
        accept_observed = true
        [[compare]]
        scenario = "field"
        baseline = "m1"
        candidate = "m 2"
        statistic = "expected_cost"
        margin = 0.01
        replicates = 500
        """,
        "ci/baserate.toml",
    )
    assert found.seed == 7
    assert found.data.models == {
        "m1": Scored("ci/scores.csv", "score"),
        "m 2": Scored("ci/scores.csv", "other"),
    }
    assert (found.data.label, found.data.positive, found.data.design) == (
        "fraud",
        1,
        "case-control",
    )
    assert (found.data.options.asked.delimiter, found.data.options.asked.skip_lines) == ("\t", 2)
    assert (found.data.options.treatment.negative, found.data.options.treatment.nan_score) == (
        ("legit", "refund"),
        "drop",
    )
    assert found.data.options.limits.most == 1000
    demand, comparison = found.checks
    assert (demand.verb, comparison.verb) == ("require", "compare")
    assert demand.at == br.Conditions(prior="1 in 1000", costs=br.Costs(fn=100, fp=1))
    assert (demand.volume, demand.thresholds) == (1e6, {"m1": 0.5, "m 2": None})
    assert (demand.models, demand.slice, demand.keywords, demand.accept_observed) == (
        ("m1",),
        "country",
        {"level": 0.9},
        True,
    )
    assert (comparison.models, comparison.statistic) == (("m1", "m 2"), "expected_cost")
    assert comparison.keywords == {
        "level": 0.95,
        "statistic": "expected_cost",
        "margin": 0.01,
        "replicates": 500,
    }
    assert demand.title == "precision >= 20% of m1, field, by country"
    assert comparison.title == "m 2 against m1 by expected_cost, field"


def test_one_model_and_models_called_baseline_and_candidate_need_not_be_named():
    alone = read(
        'data = { source = "a.csv", label = "y" }\nmodels = { m = "m" }\nrequire = [{ rule = "auc'
        ' >= 0.8" }]'
    )
    assert alone.checks[0].models == ("m",)
    assert alone.checks[0].at == br.Conditions()
    assert read(HEAD + COMPARE).checks[0].models == ("baseline", "candidate")


def test_profits_are_costs_the_other_way_round():
    found = read(HEAD.replace("threshold = 0.5", "profits = { tp = 95, fp = -5 }") + COMPARE)
    assert found.checks[0].at.costs == br.Costs(fp=5, fn=0, tp=-95)
    assert found.checks[0].statistic == "expected_cost"


@pytest.mark.parametrize(
    ("rule", "statistic"), [("alerts <= 20", "caught"), ("recall >= 0.5", "error")]
)
def test_what_is_compared_follows_from_the_scenario(rule, statistic):
    text = (
        HEAD.replace("threshold = 0.5", "prior = 0.01\nvolume = 1000")
        + COMPARE
        + f'rule = "{rule}"\n'
    )
    assert read(text).checks[0].statistic == statistic


def test_checks_keep_the_order_of_their_kinds_in_the_file():
    assert [check.verb for check in read(HEAD + COMPARE + REQUIRE + COMPARE).checks] == [
        "compare",
        "compare",
        "require",
    ]


def test_every_problem_is_found_in_one_pass():
    found = problems("""sead = 1
[data]
source = "scores.csv"
lable = "y"
delimiter = "ab"
[models]
baseline = "old"
candidate = 3
[scenario.field]
prior = 12
costs = { fn = 0.5, fq = 1 }
volume = -3
threshold = { baseline = 1, candidat = 2 }
[[require]]
scenario = "feild"
model = "base"
rule = "recal >= 0.9"
[[compare]]
scenario = "field"
statistic = "acu"
margin = 0
""")
    expected = [
        "BR841: there is no key sead; did you mean seed? Fix: write seed.",
        "BR842: models.candidate is a text, got 3. Fix: write a text.",
        "BR841: there is no key data.lable; did you mean label? Fix: write label.",
        "BR612: data: a separator is one character, got \"ab\". Fix: delimiter=';'.",
        'BR841: data.label is missing. Fix: label = "y".',
        'BR514: scenario.field.costs: there is no outcome "fq": an outcome is one of fp, fn, tp,',
        "BR520: scenario.field.volume: a volume is a number of cases above 0, got -3. Fix:",
        "BR503: scenario.field.prior: prior must lie strictly between 0 and 1, got 12. Fix: 12%",
        "BR841: there is no key scenario.field.threshold.candidat; did you mean candidate? Fix:",
        'BR408: require[1].model: there is no model "base". Fix: one of "baseline", "candidate".',
        'BR842: require[1].scenario: there is no scenario "feild". Fix: one of "field".',
        'BR531: require[1].rule: unknown measure "recal"; did you mean "recall" (here: tpr)? Fix:',
        'BR531: compare[1].statistic: unknown measure "acu"; did you mean "ACC" (here: accuracy)?',
        "BR596: compare[1].margin: a margin is how much worse may pass, a number above 0, got 0.",
    ]
    assert len(found) == len(expected)
    for line, begins in zip(found, expected, strict=True):
        assert line.replace("baserate.toml: ", "", 1).startswith(begins)


DATA = 'data = { source = "a.csv", label = "y" }\nmodels = { m = "m" }\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "BR841: baserate.toml: data.source is missing"),
        ('label = "y"\n', "there is no key label. Fix: write label under [data]"),
        ("budget = 9\n", "there is no key budget. Fix: write budget under [defaults]"),
        ('scores = ["a"]\n', "Fix: name the columns of scores in [models], such as"),
        (HEAD, "BR844: baserate.toml: there is nothing to check"),
        (
            HEAD + '[[require]]\nscenario = "field"\nmodel = "baseline"\n',
            "BR841: baserate.toml: require[1].rule is missing",
        ),
        (
            HEAD + '[[require]]\nmodel = "baseline"\nrule = "auc >= 0.5"\n',
            'require[1].scenario is missing. Fix: scenario = "field"',
        ),
        (
            HEAD + '[[require]]\nscenario = "field"\nrule = "auc >= 0.5"\n',
            "require[1].model is missing",
        ),
        (
            HEAD + REQUIRE + "level = 95\n",
            "BR580: baserate.toml: require[1].level: a level lies between 0.5 and 1, got 95",
        ),
        (
            HEAD + REQUIRE + 'level = "high"\n',
            'require[1].level: a level lies between 0.5 and 1, got "high"',
        ),
        (
            HEAD + REQUIRE + 'slices = "site"\n',
            "there is no key require[1].slices; did you mean slice?",
        ),
        (
            HEAD + REQUIRE + 'slice = ""\n',
            'BR842: baserate.toml: require[1].slice is a text, got ""',
        ),
        (
            HEAD + REQUIRE + "accept_observed = 1\n",
            "require[1].accept_observed is true or false, got 1",
        ),
        (
            HEAD + REQUIRE.replace("recall >= 0.5", "alerts <= 5"),
            "BR520: baserate.toml: require[1].rule: 5 alerts: of how many cases?",
        ),
        (
            HEAD + COMPARE + "replicates = 3\n",
            "BR580: baserate.toml: compare[1].replicates: a bootstrap takes 100",
        ),
        (
            HEAD + COMPARE + "margin = nan\n",
            "BR842: baserate.toml: compare[1].margin is a number, got nan",
        ),
        (HEAD + COMPARE + "margin = true\n", "compare[1].margin is a number, got True"),
        (HEAD + COMPARE + 'rule = "recall > 0.5"\n', "BR533: baserate.toml: compare[1].rule"),
        (
            HEAD.replace("threshold = 0.5", 'threshold = "low"') + COMPARE,
            'scenario.field.threshold is a number, "none", or a table of these, got "low"',
        ),
        (
            HEAD.replace("threshold = 0.5", "prior = [0.1]") + COMPARE,
            "scenario.field.prior is a number or a text, got a list",
        ),
        (
            HEAD.replace("threshold = 0.5", "costs = { fn = 0, fp = 1 }") + COMPARE,
            "BR510: baserate.toml: scenario.field.costs",
        ),
        (
            HEAD.replace("threshold = 0.5", "costs = { fn = 1 }\nprofits = { tp = 1 }") + COMPARE,
            "BR513",
        ),
        (
            HEAD + "[scenario]\nfield2 = 3\n" + COMPARE,
            "BR842: baserate.toml: scenario.field2 is a table, got 3",
        ),
        (
            HEAD + '[digests]\nbaseline = "abc"\n' + COMPARE,
            "BR842: baserate.toml: digests.baseline is the digest of counts",
        ),
        (HEAD + f'[digests]\nother = "{"0" * 64}"\n' + COMPARE, "there is no key digests.other"),
        (
            "seed = -1\n" + BOTH,
            "BR580: baserate.toml: seed: a seed is a whole number, 0 or more, got -1",
        ),
        (
            DATA.replace("label", 'join = "inner", label') + 'require = [{ rule = "auc >= 0.8" }]',
            "BR414: baserate.toml: one source is not joined",
        ),
        (
            DATA.replace("a.csv", "-") + 'require = [{ rule = "auc >= 0.8" }]',
            "BR842: baserate.toml: settings cannot be read from standard input",
        ),
        (
            DATA.replace('m = "m"', 'm = "m", n = "m"')
            + 'require = [{ rule = "auc >= 0.8", model = "m" }]',
            "BR407: baserate.toml: two models",
        ),
        (
            DATA + 'require = ["auc >= 0.8"]',
            "BR842: baserate.toml: require is a list of tables, got a list",
        ),
        (
            DATA + 'models2 = 3\nrequire = [{ rule = "auc >= 0.8" }]',
            "there is no key models2; did you mean models?",
        ),
        (
            DATA.replace("label", 'scores = ["m"], label') + 'require = [{ rule = "auc >= 0.8" }]',
            "there is no key data.scores. Fix: name the columns of scores in [models]",
        ),
        (
            DATA.replace("label", 'columns = ["y"], label') + 'require = [{ rule = "auc >= 0.8" }]',
            "BR604: baserate.toml: data: names of columns",
        ),
        (
            DATA.replace("label", 'design = "odd", label') + 'require = [{ rule = "auc >= 0.8" }]',
            "BR532: baserate.toml: data.design",
        ),
        ("a = [1,\n b", "BR840: baserate.toml: is not TOML: Invalid value"),
        ("a = " + "[" * 1500, "BR840: baserate.toml: is not TOML"),
        (f"a = {'9' * 5000}", "BR840: baserate.toml: has a line of more than 2,000 characters"),
        ("a = 1\na = 2\n", "BR840: baserate.toml: is not TOML: Cannot overwrite a value"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line_with_its_key(text, problem):
    found = problems(text)
    assert [line for line in found if problem in line], found
    assert all(line.count("\n") == 0 for line in found)


def test_sources_are_joined_where_each_model_has_its_own():
    text = HEAD.replace('"scores.csv"', '{ baseline = "old.csv", candidate = "/new.csv" }').replace(
        "label", 'id = "case"\nlabel'
    )
    found = read(text + COMPARE, "ci/baserate.toml")
    assert found.data.models == {
        "baseline": Scored("ci/old.csv", "old"),
        "candidate": Scored("/new.csv", "new"),
    }
    assert found.data.id == "case"
    assert (
        "data.source.candidate is missing"
        in problems(text.replace(', candidate = "/new.csv"', "") + COMPARE)[0]
    )
    assert read(text.replace('id = "case"', "") + REQUIRE).data.id is None  # nothing is paired


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("postgresql://user@host/db::scores", "postgresql://user@host/db::scores"),
        ("cases.db::scores", "a[1]/cases.db::scores"),
        ("days/*.csv", "a[[]1]/days/*.csv"),
    ],
)
def test_sources_are_relative_to_the_settings_unless_they_are_addresses(source, found):
    assert (
        read(HEAD.replace("scores.csv", source) + COMPARE, "a[1]/baserate.toml")
        .data.models["baseline"]
        .source
        == found
    )


def test_names_of_the_user_are_shown_safely():
    found = problems(
        HEAD + '[[require]]\nscenario = "field"\nmodel = "\\u001b[31m"\nrule = "auc >='
        ' 0.5"\n"\\u001b[0m" = 1\n'
    )
    assert "\x1b" not in "".join(found)


def test_a_file_is_read_as_utf8_with_or_without_a_mark(tmp_path):
    path = settings(tmp_path)
    (tmp_path / "mark.toml").write_bytes(b"\xef\xbb\xbf" + BOTH.encode())
    assert load(path).checks == load(tmp_path / "mark.toml").checks
    (tmp_path / "latin.toml").write_bytes(b'a = "\xe9"')
    with pytest.raises(br.InputError, match=r"BR840: .*latin.toml: is not UTF-8"):
        load(tmp_path / "latin.toml")


def test_what_is_no_file_of_settings_is_refused(tmp_path):
    with pytest.raises(
        br.InputError,
        match="BR844: .*baserate.toml: there are no settings. Fix: start from baserate gate"
        " --template > baserate.toml, or name a FILE of cases",
    ):
        load(tmp_path / "baserate.toml")
    with pytest.raises(FileNotFoundError, match="other.toml"):
        load(tmp_path / "other.toml")
    (tmp_path / "large.toml").write_text("#" * 1_000_001)
    with pytest.raises(br.InputError, match="BR840: .* is larger than 100 kB"):
        load(tmp_path / "large.toml")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(br.InputError, match="BR615: .* is not a regular file"):
        load(tmp_path / "pipe.toml")


@pytest.mark.parametrize("text", ["[" + " " * 60_000 + "x", "a" + ".a" * 30_000 + " = 1"])
def test_a_long_line_is_no_setting(tmp_path, capsys, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    Path("baserate.toml").write_text(f"x = 1\n{text}\n")
    assert "has a line of more than 2,000 characters" in refused(capsys, "gate")


def test_no_key_of_a_settings_file_steers_a_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hostile = "m\n\x1b]0;pwned\x07odel"
    Path("baserate.toml").write_text(
        f"[data]\nsource = 'a.csv'\nlabel = 'y'\n[models]\n{json.dumps(hostile)} ="
        " 'm'\n[digests]\n\"mm\" = 'x'\n"
    )
    done = told(capsys, "gate")
    assert done.status == 2
    assert "\x1b" not in done.err
    assert "\x07" not in done.err
