"""`baserate slices`: sites, days and clusters in words, tables and JSON."""

import jsonschema
import pytest
from tests.cli.helpers import VALID, answered, damaged, refused, told, written
from tests.cli.helpers_gate import graded
from tests.segments.test_groups import NNE, PRECISION, SCENARIO_11

import baserate as br

ROWS = ("--label", "y", "--score", "m", "--threshold", "1")
BY_SITE = (*ROWS, "--group", "site")
MIXED = {
    "bern": (190, 10, 100, 900),
    "lisbon": (81, 19, 50, 850),
    "oslo": (95, 5, 90, 910),
    "rome": (6, 1, 20, 180),
    "lund": (0, 0, 5, 95),
}
INVALID = "is not valid under any of the given schemas"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "scores.csv"


def by_day(path, days):
    """A score 0/1; of every day: positives found and missed, negatives flagged and not."""
    rows = []
    for day, (tp, fn, fp, tn) in days.items():
        rows += [(1, 1, day)] * tp + [(1, 0, day)] * fn + [(0, 1, day)] * fp + [(0, 0, day)] * tn
    return written(path, ["y", "m", "date"], rows)


DAYS = {"2026-01-01": (3, 1, 5, 91), "2026-01-02": (2, 0, 20, 78), "2026-01-03": (1, 1, 2, 96)}


def test_scenario_11_through_the_command(file, capsys):
    path = graded(file, SCENARIO_11)
    document = answered(capsys, "slices", path, *BY_SITE, "--require", "sensitivity >= 0.9")
    sites = {group["name"]: group for group in document["result"]["groups"][1:]}
    assert {name: f"{site['point']['precision']:.6f}" for name, site in sites.items()} == PRECISION
    assert {name: f"{site['nne']:.4g}" for name, site in sites.items()} == NNE
    assert {site["outcome"] for site in sites.values()} == {"met, not demonstrated"}
    done = told(capsys, "slices", path, *BY_SITE, "--require", "sensitivity >= 0.9")
    assert done.status == 0, "a table, and no gate"
    first, second = done.out.splitlines()[:2]
    assert first == "0 of 4 groups demonstrate sensitivity >= 0.9, at score ≥ 1."
    assert second.startswith(
        "4 groups meet it without demonstrating it: a (0.9000, lower bound 0.7174),"
        " b (0.9000, lower bound 0.7174), "
    )
    assert second.endswith(", d (0.9000, lower bound 0.8718).")
    for wanted in ("0.01188", "0.05714", "0.2400", "0.5333", "84.17", "17.50", "4.167", "1.875"):
        assert f" {wanted} " in done.out


def test_words_come_first_and_name_the_sites(file, capsys):
    done = told(capsys, "slices", graded(file, MIXED), *BY_SITE, "--require", "recall >= 0.9")
    assert done.out.splitlines()[:6] == [
        "1 of 5 groups demonstrates recall >= 0.9, at score ≥ 1.",
        "1 group does not meet it: lisbon (0.8100, lower bound 0.7338).",
        (
            "1 group meets it without demonstrating it: oslo (0.9500, lower bound 0.8977;"
            " 142 positives at this rate would do)."
        ),
        "1 group has too few cases: rome (0.8571, lower bound 0.4793).",
        (
            "1 group cannot be evaluated: lund (tpr is undefined here (no positives), and so is its"
            " interval)."
        ),
        (
            "The threshold does not meet the requirement in every group; own thresholds:"
            " lisbon >= 0, rome >= 0."
        ),
    ]
    assert "note BR434: 10 bounds at 95 % each: expect 0.5 to be wrong by chance" in done.err


def test_the_document_says_the_same_as_the_library(file, capsys):
    path = graded(file, MIXED)
    document = answered(
        capsys,
        "slices",
        path,
        *BY_SITE,
        "--require",
        "recall >= 0.9 and fpr <= 20%",
        "--simultaneous",
    )
    groups = br.count(path, label="y", score="m", by="site")
    found = br.segments.by_group(
        groups, threshold=1, require="recall >= 0.9 and fpr <= 20%", simultaneous=True
    )
    for site in document["result"]["groups"][1:]:
        part = found[site["name"]]
        assert (site["cases"], site["positives"], site["outcome"]) == (
            part.cases,
            part.positives,
            part.outcome,
        )
        assert {name: bound["low"] for name, bound in site["bounds"].items()} == {
            name: bound.low for name, bound in part.bounds.items()
        }
        assert [check["bound"] for check in site["checks"]] == [
            check.bound for check in part.requirement.checks
        ]
    assert document["result"]["grouping"]["simultaneous"] == "bonferroni"
    assert document["result"]["grouping"]["bound_level"] == pytest.approx(0.995)


def test_a_site_may_be_given_its_own_prior(file, capsys):
    document = answered(
        capsys,
        "slices",
        graded(file, {"a": (9, 1, 15, 85), "b=c": (9, 1, 15, 85)}),
        *BY_SITE,
        "--prior",
        "a=0.2%",
        "--prior",
        "b=c=5%",
    )
    assert [group["point"]["at"]["prior"] for group in document["result"]["groups"][1:]] == [
        0.002,
        0.05,
    ]
    assert f"{document['result']['groups'][1]['point']['precision']:.6f}" == PRECISION["a"]
    every = answered(
        capsys,
        "slices",
        graded(file, {"a": (9, 1, 15, 85), "b": (9, 1, 15, 85)}),
        *BY_SITE,
        "--prior",
        "1%",
    )
    assert {group["point"]["at"]["prior"] for group in every["result"]["groups"]} == {0.01}


def test_more_than_fifty_groups_are_cut_to_the_largest_and_all_stand_in_the_document(file, capsys):
    path = graded(file, {f"s{i:03}": (3 + i, 1, 2, 10) for i in range(60)})
    done = told(capsys, "slices", path, *BY_SITE, "--require", "recall >= 0.5")
    assert "of the 50 largest of 60 groups" in done.out.splitlines()[0]
    assert "other (10)" in done.out
    assert "s009 " not in done.out
    assert len(answered(capsys, "slices", path, *BY_SITE)["result"]["groups"]) == 61


def test_missing_groups_are_a_group(file, capsys):
    document = answered(
        capsys, "slices", graded(file, {"": (9, 1, 15, 85), "a": (9, 1, 15, 85)}), *BY_SITE
    )
    assert [(group["name"], group["missing"]) for group in document["result"]["groups"]] == [
        ("all cases", False),
        ("(missing)", True),
        ("a", False),
    ]


def test_alerts_day_by_day_and_the_budget(file, capsys):
    path = by_day(file, DAYS)
    done = told(capsys, "slices", path, *ROWS, "--day", "date", "--require", "alerts <= 10/day")
    assert (
        done.out.splitlines()[0]
        == "Alerts per day at score ≥ 1: 11 on average over 3 days, from 3 (2026-01-03) to 22"
        " (2026-01-02); more than 10 on 1 of 3 days."
    )
    assert "2026-01-02    100          2      22       2  over\n" in done.out
    document = answered(
        capsys, "slices", path, *ROWS, "--day", "date", "--require", "alerts <= 10/day"
    )["result"]["days"]
    assert (document["mean"], document["over"], document["budget"], document["tz"]) == (
        11,
        ["2026-01-02"],
        10,
        "UTC",
    )
    assert [day["alerts"] for day in document["days"]] == [8, 22, 3]


def test_days_at_another_prior_and_volume(file, capsys):
    path = by_day(file, DAYS)
    found = answered(
        capsys, "slices", path, *ROWS, "--day", "date", "--prior", "1%", "--volume", "1M"
    )["result"]["days"]
    counts = br.count(path, label="y", score="m")
    assert found["mean"] == pytest.approx(
        br.measure(counts, "alerts", threshold=1, at=br.Conditions(prior="1%"), volume=1_000_000)
    )


def test_sites_and_days_share_a_threshold_that_was_chosen(file, capsys):
    rows = [
        (y, m, "ab"[i % 2], f"2026-01-0{1 + i % 3}")
        for i, (y, m) in enumerate([(0, 0.1), (1, 0.9), (0, 0.4), (1, 0.6), (0, 0.5)] * 6)
    ]
    path = written(file, ["y", "m", "site", "date"], rows)
    document = answered(
        capsys,
        "slices",
        path,
        "--label",
        "y",
        "--score",
        "m",
        "--group",
        "site",
        "--day",
        "date",
        "--rule",
        "recall >= 0.9",
    )
    assert document["result"]["grouping"]["chosen"]
    assert (
        document["result"]["grouping"]["threshold"]
        == document["result"]["days"]["threshold"]
        == 0.6
    )
    assert "BR593" in {note["code"] for note in document["notes"]}
    alone = answered(
        capsys,
        "slices",
        path,
        "--label",
        "y",
        "--score",
        "m",
        "--day",
        "date",
        "--rule",
        "recall >= 0.9",
    )
    assert alone["result"]["days"] == document["result"]["days"]


def test_days_in_a_time_zone(file, capsys):
    rows = [
        (i % 2, i % 2, time)
        for i, time in enumerate(
            ["2026-03-28T23:30:00Z", "2026-03-29T10:00:00+02:00", "2026-03-30T10:00:00+02:00"]
        )
    ]
    path = written(file, ["y", "m", "date"], rows)
    utc, local = (
        told(capsys, "slices", path, *ROWS, "--day", "date"),
        told(capsys, "slices", path, *ROWS, "--day", "date", "--tz", "Europe/Berlin"),
    )
    assert "over 3 days" in utc.out
    assert (
        'note BR431: "date": days are UTC; 2 offsets seen (+0000, +0200). Override: --tz'
        " Europe/Berlin" in utc.err
    )
    assert "over 2 days of Europe/Berlin" in local.out
    assert "2026-03-29      2          1       1       1     23\n" in local.out


def test_labels_that_have_not_come_in_are_noted(file, capsys):
    path = by_day(
        file,
        {"2026-01-01": (20, 0, 5, 75), "2026-01-02": (20, 0, 5, 75), "2026-01-03": (0, 0, 5, 95)},
    )
    assert (
        "note BR113: no positives among 100 cases from 2026-01-03 on"
        in told(capsys, "slices", path, *ROWS, "--day", "date").err
    )


@pytest.fixture
def clustered(file):
    rows = [(int(i < 80), int(i < 76 or i % 7 == 0), "ab"[i % 2], f"p{i // 4}") for i in range(400)]
    return written(file, ["y", "m", "site", "patient"], rows)


def test_rows_of_a_patient_are_one_unit(clustered, capsys):
    plain = answered(capsys, "slices", clustered, *BY_SITE, "--require", "recall >= 0.85")
    together = answered(
        capsys,
        "slices",
        clustered,
        *BY_SITE,
        "--require",
        "recall >= 0.85",
        "--cluster",
        "patient",
        "--replicates",
        "300",
    )
    assert [group["clusters"] for group in plain["result"]["groups"]] == [None] * 3
    assert [group["clusters"] for group in together["result"]["groups"]] == [100, 100, 100]
    assert together["sources"] == plain["sources"]
    assert together["result"]["groups"][1]["point"]["intervals"]["tpr"]["method"] == "percentile"
    without = answered(capsys, "slices", clustered, *BY_SITE, "--cluster", "patient")
    assert without["result"]["groups"][1]["point"]["intervals"]["tpr"]["method"] == "cluster-t"
    assert [group["outcome"] for group in plain["result"]["groups"]] == [
        "demonstrated",
        "demonstrated",
        "demonstrated",
    ]
    assert [group["outcome"] for group in together["result"]["groups"]] == [
        "met, not demonstrated"
    ] * 3
    note = next(note for note in together["notes"] if note["code"] == "BR432")
    assert note["text"].startswith(
        "400 rows in 100 clusters (4 rows each): intervals treat each cluster as one unit; 20 of"
        " them contain positives"
    )


def test_show_takes_clusters_as_units(clustered, capsys):
    asked = ("show", clustered, "--label", "y", "--score", "m", "--threshold", "1")
    done = told(capsys, *asked, "--cluster", "patient")
    assert "), at these thresholds, fixed in advance, with clusters as the units:" in done.out
    assert "note BR432: 400 rows in 100 clusters (4 rows each)" in done.err
    model = answered(capsys, *asked, "--cluster", "patient")["models"][0]
    groups = br.count(clustered, label="y", score="m", cluster="patient")
    slow = br.interval(groups, "tpr", threshold=1)
    found = model["points"][0]["intervals"]["tpr"]
    assert (found["low"], found["high"]) == pytest.approx((slow.low, slow.high))
    of_auc = br.interval(groups, br.auc)
    assert (model["summaries"]["auc"]["low"], model["summaries"]["auc"]["high"]) == (
        of_auc.low,
        of_auc.high,
    )
    assert model["counts"] == answered(capsys, *asked)["models"][0]["counts"]


def test_show_corrects_for_the_choice_by_resamples_of_clusters(clustered, capsys):
    asked = (
        "show",
        clustered,
        "--label",
        "y",
        "--score",
        "m",
        "--rule",
        "recall >= 0.5",
        "--cluster",
        "patient",
    )
    point = answered(capsys, *asked, "--replicates", "200")["models"][0]["points"][0]
    assert point["intervals"]["precision"]["method"] == "optimism-corrected percentile"
    assert "BR583" in refused(capsys, *asked, "--weight", "m")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--label", "y", "--score", "m"), "BR433: nothing to slice by"),
        (
            (*ROWS, "--score", "y", "--group", "site"),
            "BR433: sites and days are read for one model at a time",
        ),
        ((*BY_SITE, "--tz", "UTC"), "BR433: tz needs counts by day"),
        ((*BY_SITE, "--volume", "10"), "BR433: volume needs counts by day"),
        (
            (*BY_SITE, "--require", "alerts <= 10/day"),
            "BR433: a budget of alerts needs counts by day",
        ),
        (
            (*ROWS, "--day", "site", "--cluster", "site"),
            "BR433: --cluster needs --by",
        ),
        (
            (*ROWS, "--day", "site"),
            'BR430: {}: "site" has 200 values that are not days, such as "a" (lines 2, 3, 4 …)',
        ),
        (
            (*ROWS, "--day", "site", "--tz", "Nowhere"),
            'BR431: there is no time zone "Nowhere" here',
        ),
        (
            (*BY_SITE, "--prior", "x=1%"),
            'BR433: a prior is given for "x", and there is no such group. Fix: one of "a", "b".',
        ),
        (
            (*BY_SITE, "--prior", "a=1%", "--prior", "2%"),
            "BR433: sites are read at one base rate each",
        ),
        (
            (*BY_SITE, "--prior", "a=1%", "--prior", "a=2%"),
            "BR433: sites are read at one base rate each",
        ),
        (
            (*BY_SITE, "--require", "alerts >= 5"),
            'BR533: "alerts >= 5": a budget is one upper limit',
        ),
        ((*BY_SITE, "--require", "recall > 0.9"), "BR533"),
        ((*BY_SITE, "--require", ""), "BR533: the requirement is empty"),
        ((*ROWS, "--group", "place"), "BR613"),
    ],
)
def test_what_cannot_be_sliced_is_refused(file, capsys, arguments, text):
    path = graded(file, {"a": (9, 1, 15, 75), "b": (9, 1, 15, 75)})
    assert text.format(path) in refused(capsys, "slices", path, *arguments)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--require", "recall >= 0.9"), "a requirement other than alerts needs counts by group"),
        (("--simultaneous",), "simultaneous needs counts by group"),
        (("--prior", "oslo=1%"), "a base rate for each group needs counts by group"),
    ],
)
def test_what_applies_to_groups_is_refused_of_days_alone(file, capsys, arguments, text):
    asked = ("slices", by_day(file, DAYS), *ROWS, "--day", "date", *arguments)
    assert f"BR433: {text}. Fix: --by COLUMN, or leave it out." in refused(capsys, *asked)


def test_a_rule_that_no_threshold_keeps_is_infeasible(file, capsys):
    path = graded(file, {"a": (9, 1, 15, 75), "b": (9, 1, 15, 75)})
    refused(
        capsys,
        "slices",
        path,
        *ROWS[:4],
        "--group",
        "site",
        "--rule",
        "precision >= 0.999",
        status=3,
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        *(
            (("groups", 1, key), None)
            for key in (
                "name",
                "cases",
                "point",
                "nne",
                "bounds",
                "outcome",
                "checks",
                "alone",
                "missing",
            )
        ),
        (("groups",), None),
        (("grouping",), None),
        (("groups", 0, "whole"), False),
        (("groups", 1, "whole"), True),
        (("groups", 1, "outcome"), "good"),
        (("groups", 1, "reason"), "because"),
        (("groups", 1, "checks", 0, "side"), "both"),
        (("groups", 1, "extra"), 1),
        (("grouping", "simultaneous"), "holm"),
        (("grouping", "threshold"), None),
        (("days", "mean"), -1),
        (("days", "days", 0, "day"), "monday"),
        (("days", "days", 0, "hours"), None),
        (("days", "over"), None),
        (("command",), None),
    ],
)
def test_the_schema_wants_every_part(file, capsys, path, value):
    rows = [(i % 2, i % 2, "ab"[i % 3 == 0], "2026-01-01") for i in range(40)]
    source = written(file, ["y", "m", "site", "date"], rows)
    document = answered(
        capsys, "slices", source, *BY_SITE, "--day", "date", "--require", "recall >= 0.5"
    )
    where = path if path == ("command",) else ("result", *path)
    with pytest.raises(jsonschema.ValidationError, match=INVALID):
        VALID.validate(damaged(document, *where, value=value))


def test_where_no_group_has_enough_cases_that_is_said(file, capsys):
    path = graded(file, {"rome": (6, 1, 20, 180), "oslo": (5, 1, 20, 180)})
    out = told(capsys, "slices", path, *BY_SITE, "--require", "recall >= 0.6").out
    assert "2 groups have too few cases" in out
    assert "No group has enough cases to tell whether it meets the requirement." in out
    assert "in every group" not in out


def test_columns_say_which_bound_and_cases_they_show(file, capsys):
    path = graded(file, {"bern": (95, 5, 10, 890), "oslo": (190, 10, 100, 900)})
    asked = ("slices", path, *BY_SITE, "--require", "recall >= 0.9")
    out = told(capsys, *asked).out
    assert "recall (TPR)   95 % interval  one-sided bound" in out
    assert "142 positives" in out.split("cases needed")[1]
    assert "alerts at this base rate" not in out
    assert "alerts at this base rate" in told(capsys, *asked, "--prior", "0.1%").out


def test_alerts_of_groups_need_no_volume_and_the_refusal_says_why(file, capsys):
    path = graded(file, SCENARIO_11)
    said = refused(capsys, "slices", path, *BY_SITE, "--volume", "1000")
    assert "volume needs counts by day; the alerts of a group are those among its own cases" in said
