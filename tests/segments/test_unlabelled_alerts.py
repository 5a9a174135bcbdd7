"""Alerts need no labels: they are counted among all scored cases, and where labels depend on the
flag, that is said first.
"""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.cli.helpers import answered, first_point, refused, told, written

import baserate as br
from baserate.inference.decide import decide
from baserate.inference.expectation import expect
from baserate.results.operating_point import format_threshold

# A log as operations centres have it: what was flagged gets looked at, most of the rest does not.
RNG = np.random.default_rng(11)
ROWS, DAYS, CUT = 20_000, 10, 0.5
DAY, SITE = RNG.integers(1, DAYS + 1, ROWS), RNG.integers(0, 3, ROWS)
TRUE = RNG.random(ROWS) < 0.03
SCORES = np.round(1 / (1 + np.exp(4 - 1.5 * (RNG.normal(size=ROWS) + 2.2 * TRUE))), 3)
FLAGGED = SCORES >= CUT
KNOWN = RNG.random(ROWS) < np.where(FLAGGED, 0.8, 0.3)
KNOWN[DAY == 7] = False  # the labels of one day have not come in
ALERTS = {f"2026-06-{day:02d}": int(FLAGGED[day == DAY].sum()) for day in range(1, DAYS + 1)}
BUDGET = sorted(ALERTS.values())[4]
OVER = [day for day, alerts in ALERTS.items() if alerts > BUDGET]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rows = zip(
        (f"2026-06-{day:02d}" for day in DAY),
        SITE.tolist(),
        np.where(KNOWN, TRUE.astype(int).astype(str), ""),
        SCORES.tolist(),
        strict=True,
    )
    return written(
        tmp_path_factory.mktemp("log") / "log.csv", ["ts", "site", "label", "score"], rows
    )


def asked(log, command, *more):
    return command, log, "--label", "label", "--score", "score", "--missing-label", "drop", *more


def test_alerts_a_day_are_counted_among_all_scored_cases(capsys, log):
    found = answered(
        capsys,
        *asked(
            log,
            "slices",
            "--day",
            "ts",
            "--threshold",
            str(CUT),
            "--require",
            f"alerts <= {BUDGET}/day",
        ),
    )["result"]["days"]
    assert {day["day"]: day["alerts"] for day in found["days"]} == ALERTS
    assert found["over"] == OVER
    assert found["mean"] == pytest.approx(FLAGGED.sum() / DAYS)
    for place, day in enumerate(found["days"], 1):
        there = place == DAY
        assert (day["cases"], day["labelled"]) == (there.sum(), (there & KNOWN).sum())
        assert (day["positives"], day["caught"]) == (
            (there & KNOWN & TRUE).sum(),
            (there & KNOWN & TRUE & FLAGGED).sum(),
        )


def test_a_day_without_any_label_has_its_alerts(log):
    days = br.count(log, label="label", score="score", day="ts", missing_label="drop")
    assert "2026-06-07" not in days
    (day,) = [
        one for one in br.segments.by_day(days, threshold=CUT).parts if one.day == "2026-06-07"
    ]
    assert (day.alerts, day.labelled, day.positives) == (ALERTS["2026-06-07"], 0, 0)


def test_a_volume_scales_all_cases_and_leaves_what_needs_labels_open(capsys, log):
    days = br.count(log, label="label", score="score", day="ts", missing_label="drop")
    found = br.segments.by_day(days, threshold=CUT, volume=ROWS / DAYS * 3)
    assert found.mean == pytest.approx(3 * FLAGGED.sum() / DAYS)
    for place, day in enumerate(found.parts, 1):
        there = place == DAY
        assert (day.cases, day.labelled, day.alerts) == (
            3 * there.sum(),
            3 * (there & KNOWN).sum(),
            3 * (there & FLAGGED).sum(),
        )
        assert "some cases have no label" in day.caught.reason
        assert np.isnan(day.positives)
    told_days = answered(
        capsys, *asked(log, "slices", "--day", "ts", "--threshold", str(CUT), "--volume", "6000")
    )
    assert {(day["positives"], day["caught"]) for day in told_days["result"]["days"]["days"]} == {
        (None, None)
    }
    (note,) = [note for note in told_days["notes"] if note["code"] == "BR656"]
    assert (
        "positives and caught are not known at this volume. Override: leave --volume out"
        in note["text"]
    )


# ---- how many are caught among a volume needs the base rate of all cases ----------------------

OF_CLASSES = ("caught", "missed", "false_alarms", "volume_cost")


def test_what_is_caught_of_a_volume_is_not_read_at_the_base_rate_of_the_labelled_cases(capsys, log):
    """Of 10,000 cases 134 were flagged, and 241 caught: more than were flagged."""
    point = answered(capsys, *asked(log, "show", "--threshold", str(CUT), "--volume", "10000"))[
        "models"
    ][0]["points"][0]
    assert point["alerts"] == pytest.approx(10_000 * FLAGGED.mean())
    assert [point[name] for name in OF_CLASSES] == [None] * 4
    assert all("so a prior must be given" in point["undefined"][name] for name in OF_CLASSES)
    assert not set(OF_CLASSES) & set(point["intervals"])
    done = told(capsys, *asked(log, "show", "--threshold", str(CUT), "--volume", "10000"))
    assert "note BR656: some cases have no label" in done.err


def test_at_a_base_rate_that_is_given_it_is(capsys, log):
    found = answered(
        capsys, *asked(log, "show", "--threshold", str(CUT), "--volume", "10000", "--prior", "3%")
    )
    point = found["models"][0]["points"][0]
    assert point["caught"] == pytest.approx(10_000 * 0.03 * point["tpr"])
    assert set(OF_CLASSES) <= set(point["intervals"])
    assert "BR656" not in [note["code"] for note in found["notes"]]


def test_where_every_case_has_a_label_nothing_changes():
    counts = br.count(TRUE, SCORES)
    point = br.choose(counts, threshold=CUT, volume=ROWS)
    assert point["caught"] == (FLAGGED & TRUE).sum()
    assert "BR656" not in [note.code for note in point.notes]


@pytest.mark.parametrize("how", ["read", "saved", "points"])
def test_the_library_refuses_it_too(log, tmp_path, how):
    counts = br.count(log, label="label", score="score", missing_label="drop")
    if how == "saved":
        counts.save(tmp_path / "log.counts")
        counts = br.load(tmp_path / "log.counts")
    source = br.Points.of(counts) if how == "points" else counts
    ranged = br.Conditions(costs={"fn": br.Range(10, 20)})
    for name in OF_CLASSES:
        for asked_for in (
            lambda name=name: br.measure(source, name, threshold=CUT, volume=1000),
            lambda name=name: br.choose(source, optimize=name, volume=1000),
            lambda name=name: br.choose(source, f"{name} >= 5", volume=1000),
            lambda name=name: br.interval(br.choose(source, threshold=CUT, volume=1000), name),
            lambda name=name: expect(source, name, threshold=CUT, at=ranged, volume=1000),
        ):
            with pytest.raises(
                br.InputError,
                match=r"BR509: some cases have no label, .*, so a prior must be given",
            ):
                asked_for()
        given = br.Conditions(prior=0.03)
        assert br.measure(source, name, threshold=CUT, volume=1000, at=given) >= 0
    with pytest.raises(br.InputError, match="BR509: some cases have no label"):
        decide({"m": counts}, "alerts <= 10", at=br.Conditions(), volume=1000)
    assert (
        decide({"m": counts}, "alerts <= 10", at=br.Conditions(prior=0.03), volume=1000).model
        == "m"
    )


def test_a_budget_still_chooses_by_recall(capsys, log):
    """All models catch out of the same positives, however many these are."""
    words = asked(log, "choose", "--rule", "alerts <= 100/day", "--volume", "10000")
    point = first_point(answered(capsys, *words))
    assert point["alerts"] <= 100
    assert (point["caught"], point["alerts"]) == (
        None,
        pytest.approx(10_000 * np.mean(point["threshold"] <= SCORES)),
    )


# ---- a site that nobody labelled --------------------------------------------------------------


@pytest.fixture(scope="module")
def unlabelled_site(tmp_path_factory):
    """The same log, in which site 1 has no label at all."""
    known = KNOWN & (SITE != 1)
    rows = zip(
        SITE.tolist(),
        DAY.tolist(),
        np.where(known, TRUE.astype(int).astype(str), ""),
        SCORES.tolist(),
        strict=True,
    )
    return written(
        tmp_path_factory.mktemp("site") / "log.csv", ["site", "card", "label", "score"], rows
    )


@pytest.mark.parametrize(
    "more", [(), ("--require", "recall >= 0.2"), ("--prior", "1%"), ("--cluster", "card")]
)
def test_a_site_without_any_label_is_a_row_with_its_alerts(capsys, unlabelled_site, more):
    found = answered(
        capsys, *asked(unlabelled_site, "slices", "--group", "site", "--threshold", str(CUT), *more)
    )["result"]["groups"]
    assert [group["name"] for group in found] == ["all cases", "0", "1", "2"]
    there, site = SITE == 1, found[2]
    assert (site["cases"], site["labelled"], site["positives"]) == (there.sum(), 0, 0)
    assert (site["point"]["counted"]["flagged"], site["point"]["alerts"]) == (
        (there & FLAGGED).sum(),
        (there & FLAGGED).sum(),
    )
    assert [site["point"][name] for name in ("tpr", "fpr", "precision", "npv")] == [None] * 4
    assert (site["point"]["intervals"], site["bounds"]) == ({}, {})
    assert site["outcome"] == ("cannot be evaluated" if "--require" in more else None)
    assert found[0]["cases"] == ROWS
    if "--prior" not in more:
        assert [group["point"]["alerts"] for group in found] == [
            FLAGGED.sum(),
            *((FLAGGED & (place == SITE)).sum() for place in range(3)),
        ]


def test_a_site_without_any_label_is_printed(capsys, unlabelled_site):
    lines = told(
        capsys, *asked(unlabelled_site, "slices", "--group", "site", "--threshold", str(CUT))
    ).out.splitlines()
    rates, workload = [line.split() for line in lines if line.startswith("1 ")]
    assert rates == ["1", f"{(SITE == 1).sum():,}", "0", "0", *["—"] * 7]
    assert workload == ["1", "—", "—", "—", str((FLAGGED & (SITE == 1)).sum()), "—"]


def test_a_sum_of_groups_keeps_the_cases_without_a_label(unlabelled_site):
    groups = br.count(
        unlabelled_site, label="label", score="score", by="site", missing_label="drop"
    )
    found = br.segments.by_group(groups + groups, threshold=CUT)
    assert [part["alerts"] for part in found.parts] == [
        2 * (FLAGGED & (place == SITE)).sum() for place in range(3)
    ]


def test_alerts_are_the_same_as_where_missing_labels_are_taken_for_negative(log):
    found = [
        br.segments.by_day(
            br.count(log, label="label", score="score", day="ts", missing_label=how),
            threshold=CUT,
        )
        for how in ("drop", "negative")
    ]
    assert [day.alerts for day in found[0].parts] == [day.alerts for day in found[1].parts]


def test_alerts_a_day_at_another_base_rate_are_refused_where_labels_are_missing(capsys, log):
    line = refused(
        capsys, *asked(log, "slices", "--day", "ts", "--threshold", str(CUT), "--prior", "1%")
    )
    assert line.startswith("error BR115: ")


def test_a_site_has_its_alerts_of_all_scored_cases(capsys, log):
    _, *groups = answered(
        capsys, *asked(log, "slices", "--group", "site", "--threshold", str(CUT))
    )["result"]["groups"]
    for place, group in enumerate(groups):
        there = place == SITE
        assert group["point"]["counted"] == {
            "flagged": (there & FLAGGED).sum(),
            "cases": there.sum(),
        }
        assert group["point"]["alerts"] == (there & FLAGGED).sum()
        assert (group["cases"], group["labelled"]) == (there.sum(), (there & KNOWN).sum())


@pytest.mark.parametrize(
    "command",
    [
        ["show", "--threshold", str(CUT)],
        ["choose", "recall >= 0.5"],
        ["slices", "--group", "site", "--threshold", str(CUT)],
    ],
)
def test_labels_that_depend_on_the_flag_are_told_first(capsys, log, command):
    found = answered(capsys, *asked(log, command[0], *command[1:]))
    assert found["notes"][0]["code"] == "BR116"
    assert "% of the flagged but " in found["notes"][0]["text"]
    assert "recall" in found["notes"][0]["text"]


def test_a_budget_that_ends_in_a_tie_is_told_first_too(tmp_path):
    labels = ["1"] * 40 + ["0"] * 60 + [""] * 20 + ["1"] * 10 + ["0"] * 90 + [""] * 500
    scores = [0.9] * 30 + [0.5] * 10 + [0.9] * 20 + [0.5] * 40 + [0.5] * 20 + [0.1] * 600
    rows = zip(labels, scores, strict=True)
    counts = br.count(
        written(tmp_path / "log.csv", ["label", "score"], rows),
        label="label",
        score="score",
        missing_label="drop",
    )
    point = br.choose(counts, "alerts <= 300", prior=0.1, volume=1000)
    assert point.how == "tie"
    codes = [note.code for note in point.notes]
    assert (codes[0], "BR117" in codes) == ("BR116", False)


def test_the_corrected_recall_is_that_of_begg_and_greenes_and_near_the_truth(log):
    counts = br.count(log, label="label", score="score", missing_label="drop")
    point = br.choose(counts, threshold=CUT)
    shares = [float(KNOWN[part].mean()) for part in (FLAGGED, ~FLAGGED)]
    expected = br.robustness.under_verification(point, flagged=shares[0], passed=shares[1]).tpr
    note = next(note.text for note in point.notes if note.code == "BR116")
    assert note.startswith(
        f"{100 * shares[0]:.3g} % of the flagged but {100 * shares[1]:.3g} % of the other cases"
        f" have labels: recall {point.tpr:.4g} is too high"
    )
    assert f"(about {expected:.4g} if labelling depends only on the flag)" in note
    truth = (FLAGGED & TRUE).sum() / TRUE.sum()
    assert point.tpr > truth + 0.1
    assert abs(expected - truth) < 0.05
    assert point.counted == (FLAGGED.sum(), ROWS)


def test_labels_that_are_missing_by_chance_are_no_cause_for_a_note(tmp_path):
    known = np.random.default_rng(4).random(ROWS) < 0.4
    rows = zip(np.where(known, TRUE.astype(int).astype(str), ""), SCORES.tolist(), strict=True)
    counts = br.count(
        written(tmp_path / "log.csv", ["label", "score"], rows),
        label="label",
        score="score",
        missing_label="drop",
    )
    point = br.choose(counts, threshold=CUT)
    assert "BR116" not in [note.code for note in point.notes]
    assert point.counted == (FLAGGED.sum(), ROWS)


def test_at_a_base_rate_that_is_given_the_share_is_computed(log):
    counts = br.count(log, label="label", score="score", missing_label="drop")
    point = br.choose(counts, threshold=CUT, at=br.Conditions(prior=0.01))
    assert point.counted is None
    assert point.posfrac == pytest.approx(0.01 * point.tpr + 0.99 * point.fpr)


def test_a_sum_keeps_the_cases_without_a_label(log):
    counts = br.count(log, label="label", score="score", missing_label="drop")
    assert br.choose(counts + counts, threshold=CUT).counted == (2 * FLAGGED.sum(), 2 * ROWS)
    assert br.choose(counts + br.count([0, 1], [0.1, 0.9]), threshold=CUT).counted == (
        FLAGGED.sum() + 1,
        ROWS + 2,
    )


def test_digests_and_saved_counts_are_as_before_and_say_what_they_lack(log, tmp_path):
    counts = br.count(log, label="label", score="score", missing_label="drop")
    assert counts.digest == br.count(TRUE[KNOWN], SCORES[KNOWN]).digest
    counts.save(tmp_path / "log.counts")
    again = br.load(tmp_path / "log.counts")
    assert again == counts
    point = br.choose(again, threshold=CUT)
    assert point.counted is None
    assert "BR117" in [note.code for note in point.notes]
    assert "BR117" not in [note.code for note in br.choose(counts, threshold=CUT).notes]


def test_a_budget_that_all_scored_cases_exceed_is_told(capsys, log):
    """Of a budget kept among the labelled cases, what is counted among all of them."""
    done = told(capsys, *asked(log, "choose", "posfrac <= 2%", "--optimize", "tpr"))
    words = asked(log, "choose", "posfrac <= 2%", "--optimize", "tpr")
    point = first_point(answered(capsys, *words))
    assert point["posfrac"] == np.mean(point["threshold"] <= SCORES)
    assert ("BR653" in done.err) == (point["posfrac"] > 0.02)


def test_a_row_without_score_or_label_is_no_case(tmp_path):
    source = written(tmp_path / "a.csv", ["y", "s"], [(1, 0.9), (0, 0.1), ("", 0.8), ("", "")])
    assert br.choose(
        br.count(source, label="y", score="s", missing_label="drop"), threshold=0.5
    ).counted == (2, 3)


def test_low_scores_that_are_risky_are_turned_in_both(tmp_path):
    source = written(tmp_path / "a.csv", ["y", "s"], [(1, 0.1), (0, 0.9), ("", 0.2)])
    counts = br.count(source, label="y", score="s", missing_label="drop", lower_is_positive=True)
    assert br.choose(counts, threshold=-0.5).counted == (2, 3)


def test_models_within_a_budget_are_compared_by_recall_where_the_base_rate_of_all_cases_is_not_known(  # noqa: E501
    capsys, tmp_path
):
    rows = zip(
        np.where(KNOWN, TRUE.astype(int).astype(str), ""),
        SCORES.tolist(),
        (SCORES * 0.5 + RNG.random(ROWS)).tolist(),
        strict=True,
    )
    source = written(tmp_path / "two.csv", ["label", "a", "b"], rows)
    words = (
        "choose",
        source,
        "alerts <= 200",
        "--volume",
        "20000",
        "--label",
        "label",
        "--score",
        "a",
        "--score",
        "b",
    )
    choice = answered(capsys, *words, "--missing-label", "drop")["result"]
    assert choice["differences"][0]["statistic"] == "tpr"
    known = answered(capsys, *words, "--missing-label", "drop", "--prior", "3%")["result"]
    assert known["differences"][0]["statistic"] == "caught"


def test_a_threshold_in_few_digits_flags_the_same_cases_without_a_label(tmp_path):
    scores = [0.9537, 0.1] * 40 + [0.5 + 0.02 * place for place in range(20)]
    labels = ["1", "0"] * 40 + [""] * 20
    path = written(tmp_path / "some.csv", ["y", "s"], zip(labels, scores, strict=True))
    point = br.choose(br.count(path, label="y", score="s", missing_label="drop"))
    assert point.counted == (40, 100)
    short = float(format_threshold(point))
    assert sum(score >= short for score in scores) == 40
    assert len(format_threshold(point)) < len("0.9537")


def test_a_recall_that_the_labels_bias_is_not_demonstrated(capsys, log):
    options = ("--label", "label", "--score", "score", "--missing-label", "drop")
    asked = ("gate", log, "recall >= 0.4 and precision >= 0.3 and posfrac <= 5%", *options)
    done = told(capsys, *asked, "--threshold", CUT)
    assert done.status == 1
    lines = [line for line in done.out.splitlines() if line.startswith("score: ")]
    assert len(lines) == 1
    assert "tpr >= 0.4 is met in this sample (0.5246" in lines[0]
    assert "labels depend on the flag, and it is about 0.2" in lines[0]
    assert done.err.startswith("note BR116: ")
    counts = br.count(log, label="label", score="score", missing_label="drop")
    found = br.require(counts, "recall >= 0.4 and fpr <= 0.05", threshold=CUT)
    assert [check.outcome for check in found.checks] == ["met, not demonstrated", "demonstrated"]
    assert found.checks[0].bound > 0.4
    labelled = br.Counts(counts.scores, counts.positives, counts.negatives)
    assert br.require(labelled, "recall >= 0.4", threshold=CUT).passed


def test_an_auc_that_the_labels_bias_is_not_demonstrated(capsys, log, tmp_path):
    options = ("--label", "label", "--score", "score", "--missing-label", "drop")
    done = told(capsys, "gate", log, "auc >= 0.55", *options)
    assert done.status == 1
    counts = br.count(log, label="label", score="score", missing_label="drop")
    found = br.require(counts, "auc >= 0.55").checks[0]
    assert (found.outcome, found.bound > 0.55) == ("met, not demonstrated", True)
    labelled = br.Counts(counts.scores, counts.positives, counts.negatives)
    assert br.require(labelled, "auc >= 0.55").passed
    # Each labelled case stands for as many as there are beside it among the top 1, 2, 5 … %.
    ranks = np.argsort(np.argsort(-SCORES, kind="stable"), kind="stable")
    part = np.searchsorted(np.array([0.01, 0.02, 0.05, 0.1, 0.25, 0.5]) * ROWS, ranks, side="right")
    weights = np.array([1 / KNOWN[part == one].mean() for one in part[KNOWN]])
    expected = roc_auc_score(TRUE[KNOWN], SCORES[KNOWN], sample_weight=weights)
    assert found.corrected == pytest.approx(expected, abs=2e-4)  # ranks: edges may differ by a case
    assert abs(found.corrected - roc_auc_score(TRUE, SCORES)) < abs(
        found.interval.value - roc_auc_score(TRUE, SCORES)
    )
    assert f"it is about {found.corrected:.4g} if they depend on nothing else" in done.out
    by_chance = np.random.default_rng(4).random(ROWS) < 0.4
    rows = zip(np.where(by_chance, TRUE.astype(int).astype(str), ""), SCORES, strict=True)
    path = written(tmp_path / "chance.csv", ["label", "score"], rows)
    again = br.count(path, label="label", score="score", missing_label="drop")
    assert br.require(again, "auc >= 0.55").passed
