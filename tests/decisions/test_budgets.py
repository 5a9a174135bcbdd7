"""Budgets of alerts: one threshold that never flags more; large ties are shared at random, with the
best and the worst draw known. Condensed counts stop at the edge of a run.
"""

import math
import random
import re
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from tests.cli.helpers import answered, told
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import F1_A, F1_B
from tests.strategies import LONG, seeds

import baserate as br
from baserate.counts.cells import short
from baserate.results.operating_point import describe_briefly, describe_setting

AT = br.Conditions(prior=0.001)
MILLION = 1_000_000
UNTIL_20 = br.Counts([3, 2, 1], [5, 0, 5], [5, 10, 80])


def caught(counts, alerts):
    return br.choose(counts, f"alerts <= {alerts}", at=AT, volume=MILLION)["caught"]


def test_scenario_3_two_hundred_alerts_find_more_frauds_with_b():
    assert f"{caught(F1_A, 200):.3f}" == "99.040"
    assert f"{caught(F1_B, 200):.3f}" == "142.070"


def test_scenario_3_two_hundred_lies_inside_both_top_ties():
    a, b = (br.choose(counts, "alerts <= 200", at=AT, volume=MILLION) for counts in (F1_A, F1_B))
    assert (f"{100 * a.share:.1f}", f"{100 * b.share:.1f}") == ("49.5", "56.8")
    assert (a.threshold, a.lower_threshold, b.threshold, b.lower_threshold) == (None, 9, None, 9)
    assert a["alerts"] == b["alerts"] == 200


def test_scenario_3_a_thousand_alerts_find_more_frauds_with_a():
    assert f"{caught(F1_A, 1000):.3f}" == "354.921"
    assert f"{caught(F1_B, 1000):.3f}" == "349.175"


def test_scenario_3_the_recommendation_flips_at_945_228_alerts():
    assert caught(F1_A, "945.2275") < caught(F1_B, "945.2275")
    assert caught(F1_A, "945.2285") > caught(F1_B, "945.2285")
    low, high = Fraction(200), Fraction(1000)
    while high - low > Fraction(1, 10**6):
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if caught(F1_A, float(middle)) < caught(F1_B, float(middle))
            else (low, middle)
        )
    assert f"{float(low):.3f}" == "945.228"


@pytest.mark.parametrize("seed", seeds(200))
def test_a_budget_is_filled_as_in_the_oracle(seed):
    rng = random.Random(f"budget {seed}")
    data = generated.cells(rng, both=True)
    prior, volume = rng.choice(generated.PRIORS), rng.choice([10, 1000, 12345.5])
    budget = Fraction(rng.randint(100, 100 * int(volume)), 100)
    truth = oracle.At(generated.exact(prior))
    point = br.choose(
        generated.counts(data),
        f"alerts <= {float(budget)!r}",
        at=br.Conditions(prior),
        volume=volume,
    )
    found = oracle.filled(data, budget, volume, truth)
    if found is None:
        assert (point.fn, point.tn) == (0, 0) or point.tpr == 1
        return
    share, counted = found
    assert exactly(point.confusion) == counted, (
        "a budget is used up, also inside a large tie without positives"
    )
    assert (point.how, point.share) == (("tie", float(share)) if share else ("threshold", 1))
    assert point.optimized == "tpr"


def exactly(confusion):
    return tuple(map(Fraction, confusion))


@pytest.mark.parametrize("seed", seeds(100))
def test_expected_best_and_worst_are_those_of_every_possible_draw(seed):
    rng = random.Random(f"draws {seed}")
    data = [(score, rng.randint(0, 6), rng.randint(0, 6)) for score in range(6, 0, -1)]
    data = [(score, hits + (not hits + misses), misses + 1) for score, hits, misses in data]
    volume = sum(cell[1] + cell[2] for cell in data)
    budget = rng.randint(1, volume - 1)
    point = br.choose(generated.counts(data), f"alerts <= {budget}", volume=volume)
    if point.how == "threshold":
        assert point["alerts"] <= budget
        return
    above = [cell for cell in data if cell[0] > point.lower_threshold]
    certain, drawn = (
        sum(cell[1] for cell in above),
        budget - sum(cell[1] + cell[2] for cell in above),
    )
    _, hits, misses = next(cell for cell in data if cell[0] == point.lower_threshold)
    chances = oracle.draws(hits, misses, drawn)
    assert Fraction(point.confusion.tp) == certain + sum(
        number * chance for number, chance in chances.items()
    )
    assert (point.worst.tp, point.best.tp) == (certain + min(chances), certain + max(chances))
    for draw in (point.best, point.worst):
        assert draw.tp + draw.fp == budget
        assert sum(draw) == volume


@pytest.mark.parametrize("seed", seeds(60))
def test_best_and_worst_use_the_same_alerts_at_any_prior_and_stay_inside_the_tie(seed):
    rng = random.Random(f"bounds {seed}")
    data, prior = generated.cells(rng, both=True), rng.choice([1e-6, 0.01, 0.5, 0.99])
    at, volume = br.Conditions(prior), 1000
    point = br.choose(
        generated.counts(data), f"alerts <= {rng.randint(1, 999)}", at=at, volume=volume
    )
    if point.best is None:
        return
    alerts = [
        oracle.value("alerts", exactly(c), oracle.At(generated.exact(prior)), volume=volume)
        for c in (point.confusion, point.best, point.worst)
    ]
    assert len(set(alerts)) == 1
    assert point.worst.tp <= point.confusion.tp <= point.best.tp
    tie = next(cell for cell in data if cell[0] == point.lower_threshold)
    certain = (
        sum(cell[1] for cell in data if cell[0] > point.lower_threshold),
        sum(cell[2] for cell in data if cell[0] > point.lower_threshold),
    )
    for draw in (point.best, point.worst):
        assert certain[0] <= draw.tp <= certain[0] + tie[1]
        assert certain[1] <= draw.fp <= certain[1] + tie[2]
    assert point.best.tp == certain[0] + tie[1] or point.best.fp == certain[1], "no luckier draw"
    assert point.worst.tp == certain[0] or point.worst.fp == certain[1] + tie[2], (
        "no unluckier draw"
    )


@pytest.mark.parametrize("budget", [1000, 1001, 10**9])
def test_row_83_a_budget_of_every_case_flags_everything(budget):
    counts = br.Counts([3, 2, 1], [5, 5, 0], [5, 5, 90])
    point = br.choose(counts, f"alerts <= {budget}", volume=1000)
    assert point.tpr == 1
    assert (point.threshold, point.fn, point.tn) == (1, 0, 0)
    assert "BR522" in [note.code for note in point.notes]


def test_stated_costs_may_use_less_than_the_budget():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    cheap = br.choose(
        counts, "alerts <= 50", at=br.Conditions(costs=br.Costs(fp=1, fn=2)), volume=110
    )
    assert (cheap.threshold, cheap["alerts"], cheap.how) == (3, 7, "threshold")
    dear = br.choose(
        counts, "alerts <= 50", at=br.Conditions(costs=br.Costs(fp=1, fn=1000)), volume=110
    )
    assert dear["alerts"] == 50
    assert br.choose(counts, "alerts <= 50", volume=110)["alerts"] == 50
    assert br.choose(counts, "alerts <= 50", volume=110, optimize="expected_cost")["alerts"] == 7


def test_a_budget_that_ends_at_a_threshold_is_no_draw():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    point = br.choose(counts, "alerts <= 30", volume=110)
    assert (point.threshold, point.how, point.share, point.best) == (2, "threshold", 1.0, None)


def test_a_floor_beside_a_budget_is_kept_by_the_shared_tie():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    point = br.choose(counts, "alerts <= 20 and precision >= 0.3", volume=110)
    assert point["alerts"] == 20
    assert point.precision >= 0.3
    assert br.choose(counts, "alerts <= 20 and precision >= 0.5", volume=110).threshold == 3


@pytest.mark.parametrize("budget", [12, 15, 19])
def test_a_budget_is_used_up_in_a_tie_without_positives(budget):
    point = br.choose(UNTIL_20, f"alerts <= {budget}", volume=105)
    assert (point.how, point.threshold, point.lower_threshold, point["alerts"], point.tp) == (
        "tie",
        3,
        2,
        budget,
        5,
    )


def test_a_budget_that_ends_exactly_behind_a_tie_without_positives_is_used_up():
    point = br.choose(UNTIL_20, "alerts <= 20", volume=105)
    assert (point.how, point.threshold, point["alerts"], point.tp) == ("threshold", 2, 20, 5)
    assert "BR523" not in [note.code for note in point.notes]


def test_stated_costs_or_another_goal_leave_a_tie_without_positives_alone():
    for asked in ({"at": br.Conditions(costs=br.Costs(fp=1, fn=100))}, {"optimize": "tpr"}):
        point = br.choose(UNTIL_20, "alerts <= 15", volume=105, **asked)
        assert (point.how, point.threshold, point["alerts"]) == ("threshold", 3, 10)


# ---- one threshold ----------------------------------------------------------------------------


def alerts_of(flagged, labels, prior, volume):
    """How many alerts out of the volume, at this base rate, from the cases flagged: by the
    definition.
    """
    hits, misses = (
        sum(flag for flag, y in zip(flagged, labels, strict=True) if y),
        sum(flag for flag, y in zip(flagged, labels, strict=True) if not y),
    )
    positives = sum(labels)
    return volume * (
        prior * Fraction(hits, positives) + (1 - prior) * Fraction(misses, len(labels) - positives)
    )


@pytest.mark.parametrize("seed", seeds(60))
def test_score_at_or_above_the_threshold_never_exceeds_the_budget_and_the_next_score_would(seed):
    rng = random.Random(f"one threshold {seed}")
    size = rng.randint(20, 400)
    labels = [1, 0] + [int(rng.random() < 0.2) for _ in range(size)]
    scores = [rng.gauss(y, 1) for y in labels]
    if seed % 3 == 0:
        scores = [round(score, rng.choice([1, 2])) for score in scores]
    prior, volume = Fraction(rng.choice([1, 20, 300]), 1000), 10 ** rng.randint(2, 6)
    budget = rng.randint(1, volume)
    point = br.choose(
        br.count(labels, scores),
        f"alerts <= {budget}",
        at=br.Conditions(float(prior)),
        volume=volume,
    )
    flagged = [point.threshold is not None and score >= point.threshold for score in scores]
    used = alerts_of(flagged, labels, prior, volume)
    assert used <= budget
    unflagged = [score for score, flag in zip(scores, flagged, strict=True) if not flag]
    if not unflagged:
        return
    tied = [score == max(unflagged) for score in scores]
    more = alerts_of(
        [one or other for one, other in zip(flagged, tied, strict=True)], labels, prior, volume
    )
    assert more > budget
    assert (point.how == "tie") == (sum(tied) > 1 and more - used > Fraction(budget, 100))
    if point.how == "threshold":
        assert all(isinstance(cases, int) for cases in point.confusion)
        assert (point.tp + point.fp, point.share, point.lower_threshold) == (
            sum(flagged),
            1.0,
            None,
        )
        assert br.interval(point, "tpr").low <= point.tpr
    else:
        assert point.lower_threshold == max(unflagged)


def test_continuous_scores_are_set_at_one_short_threshold_with_intervals():
    rng = random.Random(1)
    labels = [int(i < 219) for i in range(20_000)]
    counts = br.count(labels, [rng.gauss(1.5 * y, 1) for y in labels])
    point = br.choose(counts, "alerts <= 500", at=br.Conditions(0.001), volume=200_000)
    assert (point.how, point["alerts"] <= 500) == ("threshold", True)
    shown = float(describe_setting(point).removeprefix("score ≥ "))
    assert len(str(shown)) <= 8
    assert br.choose(counts, threshold=shown).confusion == point.confusion
    assert br.interval(point, "precision").method == "jeffreys-draws"
    assert not any("random" in note.text for note in point.notes)


def test_a_sample_too_small_for_the_budget_says_so():
    point = br.choose(
        br.count([0, 0, 1, 1], [0.9, 0.2, 0.8, 0.7]), "alerts <= 10", at=AT, volume=MILLION
    )
    assert (point.threshold, describe_setting(point), point["alerts"]) == (None, "flag nothing", 0)
    assert "0 of 10 alerts are used: the next score of this sample would add 5e+05" in str(
        point.notes
    )


@pytest.mark.parametrize(("others", "how"), [(900, "threshold"), (99, "threshold"), (97, "tie")])
def test_a_tie_of_one_percent_of_the_budget_is_left_out(others, how):
    """The budget ends between the two cases of a tie: of 1,000 alerts, of 200, and of 198."""
    counts = br.Counts([3, 2, 1], positives=[100, 1, 0], negatives=[others, 1, 9900 - others])
    budget = 100 + others + 1
    point = br.choose(counts, f"alerts <= {budget}", volume=10_002)
    assert point.how == how


def test_a_tie_below_one_percent_of_the_budget_is_left_out():
    counts = br.Counts([3, 2, 1], positives=[100, 2, 0], negatives=[900, 1, 8997])
    assert br.choose(counts, "alerts <= 1001", volume=10_000).how == "threshold"
    assert (
        br.choose(
            br.Counts([3, 2, 1], [100, 2, 0], [100, 1, 9797]), "alerts <= 201", volume=10_000
        ).how
        == "tie"
    )


@pytest.mark.parametrize("seed", seeds(300))
def test_a_threshold_is_shown_in_as_few_digits_as_flag_the_same_cases(seed):
    rng = random.Random(f"short {seed}")
    high = rng.uniform(0.1, 1)
    below = min(
        high - rng.choice([1e-1, 1e-3, 1e-9, 2e-16]) * rng.uniform(0.01, 1), math.nextafter(high, 0)
    )
    text = short(high, below)
    assert below < float(text) <= high
    digits = len(text.replace(".", "").lstrip("0"))
    if digits > 1:
        lower = Context(prec=digits - 1, rounding=ROUND_FLOOR).plus(Decimal(high))
        assert float(lower) <= below, "a number with fewer digits would do"


@pytest.mark.parametrize(
    ("threshold", "below", "text"),
    [
        (13, 12, "13"),
        (200, 130, "200"),
        (0.99, 0.98, "0.99"),
        (2.0, 1.0, "2"),
        (1e-9, 1e-10, "1e-9"),
        (1.23e-9, 1e-10, "7e-10"),
        (0.123456, -math.inf, "0.1234"),
    ]
    + [
        (math.inf, 3.0, "inf"),
        (17, -math.inf, "17"),
        (0.5, None, "0.5"),
        (math.nextafter(1, 2), 1.0, "1.0000000000000002"),
    ],
)
def test_thresholds_of_every_kind_are_shown_plainly(threshold, below, text):
    assert short(threshold, below) == text


def test_a_threshold_on_other_cases_is_shown_apart_from_their_scores_too():
    dev, test = br.count([0, 1], [0.2, 0.61]), br.count([0, 1, 1], [0.1, 0.55, 0.7])
    point = br.choose(dev)
    assert describe_setting(point) == "score ≥ 0.4"
    moved = point.on(test)
    assert describe_setting(moved) == "score ≥ 0.6"
    assert br.choose(test, threshold=0.6).confusion == moved.confusion


CASES, POSITIVES = 20_000, 30
NUMBER = r"-?\d+\.?\d*(?:e[+-]?\d+)?"
SAID = re.compile(
    rf"(?:score ≥ (?P<certain>{NUMBER}), and )?(?P<share>{NUMBER}) % of those "
    rf"(?:at (?P<one>{NUMBER})|from (?P<low>{NUMBER}) up(?: to (?P<high>{NUMBER}))?), drawn at"
    r" random"
)
BUDGETS = [3, 700, 1000, 5000, 19_999]
AT_SAMPLE = br.Conditions(prior="sample")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(11)
    labels = np.arange(CASES) < POSITIVES
    return labels, rng.normal(size=CASES) + 2 * labels


def kept(rows):
    """The same cases, counted in every way that merges scores."""
    counts = br.count(*rows)
    return {
        "condensed": counts.condense(),
        "asked for": counts.condense([1.5]),
        "hull": br.Points.of(counts).hull(),
    }


def followed(text, scores):
    """How many cases are flagged on average by who does what the words say, and knows nothing
    else.
    """
    found = SAID.search(text)
    if found is None:
        return int((scores >= float(re.search(rf"score ≥ ({NUMBER})", text)[1])).sum())
    said = found.groupdict()
    certain = (
        np.zeros(len(scores), dtype=bool)
        if said["certain"] is None
        else scores >= float(said["certain"])
    )
    if said["one"] is not None:
        drawn = scores == float(said["one"])
    else:
        drawn = (scores >= float(said["low"])) & (
            scores < (np.inf if said["high"] is None else float(said["high"]))
        )
    return certain.sum() + float(said["share"]) / 100 * (drawn & ~certain).sum()


@pytest.mark.parametrize("budget", BUDGETS)
def test_a_budget_on_a_hull_flags_as_many_as_it_promises(rows, budget):
    point = br.choose(kept(rows)["hull"], f"alerts <= {budget}", volume=CASES, at=AT_SAMPLE)
    assert point["alerts"] == pytest.approx(budget, rel=1e-12)
    # The share is said to three digits.
    assert followed(describe_setting(point), rows[1]) == pytest.approx(budget, rel=0.01)
    assert point.merged == (point.share != 1)


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("way", ["condensed", "asked for"])
def test_a_budget_on_condensed_counts_stops_at_the_edge_of_a_run(rows, way, budget):
    """What is caught is what every score would catch; a note says how many alerts remain."""
    at = {"volume": CASES, "at": AT_SAMPLE}
    full = br.choose(br.count(*rows), f"alerts <= {budget}", **at)
    point = br.choose(kept(rows)[way], f"alerts <= {budget}", **at)
    assert (point.confusion.tp, point.share) == (full.confusion.tp, 1)
    assert point["alerts"] <= full["alerts"] == budget
    remaining = [note for note in point.notes if note.code == "BR523"]
    if point["alerts"] == budget:
        assert not remaining
        return
    left = f"{budget - point['alerts']:,.4g} remain: the next scores were counted together"
    assert left in remaining[0].text
    assert "every score kept" in remaining[0].override.python


@pytest.mark.parametrize("seed", range(10))
def test_condensed_counts_choose_what_every_score_would_choose(seed):
    """Rules, budgets and objectives: the same point, or a refusal where a run may hide a better
    one. Budgets without costs are the exception: they stop at the edge of a run.
    """
    rng = np.random.default_rng(seed)
    for _ in range(100 if LONG else 10):
        labels = rng.random(int(rng.integers(50, 1000))) < rng.choice([0.01, 0.05, 0.3])
        labels[0] = True
        scores = rng.normal(size=len(labels)) + 2 * rng.random() * labels
        full = br.count(labels, np.round(scores, int(rng.integers(1, 6))))
        costs = rng.choice([None, br.Costs(fp=1, fn=1), br.Costs(fp=1, fn=50)])
        at = br.Conditions(float(rng.choice([1e-4, 0.01, 0.3])), costs)
        rule = rng.choice([None, *RULES, f"alerts <= {int(rng.integers(5, 5000))}"])
        asked = {"at": at, "volume": 10_000, "optimize": rng.choice([None, "f1", "mcc", "tpr"])}
        every, few = (chosen_or_refused(one, rule, asked) for one in (full, full.condense()))
        if few in ("BR231", every):
            continue
        assert (rule[:6], costs, asked["optimize"]) == ("alerts", None, None)
        assert few.tp == every.tp
        assert few.fp < every.fp


RULES = [
    "recall >= 0.8",
    "precision >= 5%",
    "fpr <= 5%",
    "posfrac <= 10%",
    "posfrac >= 20%",
    "npv >= 0.9",
    "recall >= 0.5 and posfrac <= 20%",
    "alerts <= 900 and precision >= 0.001",
]


def chosen_or_refused(counts, rule, asked):
    """The outcomes of the chosen point, or the code of the refusal."""
    try:
        return br.choose(counts, rule, **asked).confusion
    except br.InputError as error:
        return error.code


def test_outcomes_of_a_share_of_a_run_are_the_mean_over_all_draws(rows):
    labels, scores = rows
    point = br.choose(kept(rows)["hull"], "alerts <= 1000", volume=CASES, at=AT_SAMPLE)
    sure = scores >= point.threshold
    run = (scores >= point.lower_threshold) & ~sure
    share = Fraction(1000 - int(sure.sum()), int(run.sum()))
    assert point.confusion.tp == int(labels[sure].sum()) + share * int(labels[run].sum())
    assert point.share == float(share)


def test_a_tie_of_one_score_is_still_a_tie():
    counts = br.Counts([9, 8, 7], [3, 2, 5], [10, 20, 960])
    point = br.choose(counts, "alerts <= 20", volume=1000, at=AT_SAMPLE)
    assert describe_setting(point) == "score ≥ 9, and 31.8 % of those at 8, drawn at random"
    assert describe_briefly(point) == ">= 9, 31.8 % at 8"
    condensed = br.choose(counts.condense(), "alerts <= 20", volume=1000, at=AT_SAMPLE)
    assert condensed == point  # a score that a positive has is never merged
    assert not condensed.merged


def test_a_tie_says_what_it_is_on_other_cases():
    dev, test = br.Counts([9, 7], [3, 5], [10, 980]), br.Counts([9, 8, 7], [3, 2, 5], [10, 20, 960])
    point = br.choose(dev, "alerts <= 100", volume=998, at=AT_SAMPLE)
    assert "of those at 7," in describe_setting(point)
    moved = point.on(test)
    assert moved.confusion.fp == 10 + point.exact_share * 980  # also of those at 8
    assert "of those from 7 up to 9, drawn" in describe_setting(moved)
    assert not point.on(dev).merged


def test_a_published_roc_knows_no_scores_between_its_points():
    points = br.Points.from_rates(fpr=[0.1, 0.5], tpr=[0.5, 0.9], thresholds=[0.8, 0.3])
    point = br.choose(points, "alerts <= 200", volume=1000, at=br.Conditions(prior=0.1))
    assert "score ≥ 0.8, and " in describe_setting(point)
    assert "of those from 0.3 up to 0.8, drawn at random" in describe_setting(point)
    assert "counted together" not in str(point.notes)


def test_the_commands_say_where_a_budget_on_condensed_counts_stops(rows, tmp_path, capsys):
    path, page = str(tmp_path / "a.counts"), tmp_path / "a.html"
    kept(rows)["condensed"].save(path)
    asked = [path, "alerts <= 1000", "--prior", "sample", "--volume", str(CASES)]
    said = told(capsys, "choose", *asked)
    assert "remain: the next scores were counted together" in " ".join(said.err.split())
    (point,) = answered(capsys, "choose", *asked)["result"]["points"].values()
    assert (point["how"], "merged" in point) == ("threshold", False)
    assert (rows[1] >= point["threshold"]).sum() < 1000
    assert told(capsys, "report", *asked, "-o", page).status == 0
    assert "remain: the next scores were counted together" in page.read_text()


def test_what_a_rule_could_have_is_said_of_the_run(rows):
    with pytest.raises(
        br.Infeasible,
        match=(
            r"the highest tpr with alerts <= 5000 is 0\.\d+, with a share of the run from \S+ up to"
            r" \S+\."
        ),
    ):
        br.choose(
            kept(rows)["hull"], "alerts <= 5000 and recall >= 0.99", volume=CASES, at=AT_SAMPLE
        )
