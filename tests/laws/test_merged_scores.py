"""Condensed counts, in which runs of negatives are merged: every public function says what all
scores would say, or a part of it, or refuses. A budget stops at the edge of a run, and says so.

Every public name is in one of the tables below: a new one fails the first test until it is put in
a table.
"""

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.helpers import told
from tests.strategies import LONG

import baserate as br
from baserate.inference.decide import decide
from baserate.measures.confusion import named
from baserate.measures.registry import CATALOGUE

EQUAL, BOUNDED, REFUSED, STOPPED = "equal", "bounded", "refused", "stopped"
AT = br.Conditions(prior=0.1, costs=br.Costs(fp=1, fn=5))
UNSURE = br.Conditions(prior="0.01..0.3", costs={"fn": 5, "fp": 1})
OTHER = br.Counts(
    [0.9, 0.7, 0.55, 0.4, 0.2, 0.1], positives=[2, 2, 1, 1, 0, 0], negatives=[0, 1, 2, 2, 3, 4]
)
NEW = br.count_unlabelled(np.linspace(0.02, 0.98, 60))
VOLUME = 1000.0
FEWER = 1 if LONG else 2  # sets


def small_sets(how_many, seed=20):
    """Labels and scores of a few positives among more negatives, some of them tied."""
    rng = np.random.default_rng(seed)
    for row in range(how_many):
        positives, negatives = int(rng.integers(2, 7)), int(rng.integers(6, 25))
        labels = np.repeat([1, 0], [positives, negatives])
        scores = rng.random(len(labels)) * 0.8 + 0.15 * labels
        yield labels, np.round(scores, 1 + row % 3)


def merged(counts):
    """The ways in which scores are merged: runs, and runs that end at a threshold."""
    yield counts.condense()
    yield counts.condense([0.33])


@dataclass(frozen=True)
class Law:
    """How a function is asked, and what may become of its answer where runs are merged."""

    ask: Callable[[br.Counts], Any]
    condensed: frozenset[str]


def law(ask, condensed=EQUAL):
    return Law(ask, frozenset(condensed.split()))


def alike(one, other):
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float | int | Fraction) and not isinstance(one, bool):
        return other is not None and (
            math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
            or (math.isnan(one) and math.isnan(other))
        )
    return one == other


@dataclass(frozen=True)
class Bounded:
    """A value, and between which values that of all scores is said to lie."""

    value: float
    low: float
    high: float

    def against(self, full):
        value = full.value if isinstance(full, Bounded) else full
        slack = 1e-9 * max(1.0, abs(value))
        assert math.isnan(value) or self.low - slack <= value <= self.high + slack, (full, self)
        return BOUNDED


@dataclass(frozen=True)
class Chosen:
    """An operating point: what follows from it, its threshold where it is one, and how many alerts
    of a budget a note says remain, where the budget ends among merged scores.
    """

    outcomes: tuple[float, ...]
    threshold: float | None
    single: bool
    remaining: float | None

    def against(self, full):
        if self.remaining is not None:
            # Every score would use these alerts up, and catch no more with them.
            alerts, used = (VOLUME * (tp + fp) for tp, fp in (of_cases(full), of_cases(self)))
            assert alike(full.outcomes[0], self.outcomes[0]), (full, self)
            assert used <= alerts * (1 + 1e-12), (full, self)
            assert alerts - used <= self.remaining * 1.001, (full, self)
            return STOPPED
        assert alike(full.outcomes, self.outcomes), (full, self)
        assert not (full.single and self.single) or full.threshold == self.threshold, (full, self)
        return EQUAL


def of_cases(one):
    """The flagged positives and negatives as shares of all cases, at the base rate of AT."""
    tp, fp, fn, tn = one.outcomes
    return 0.1 * tp / (tp + fn), 0.9 * fp / (fp + tn)


def point(found):
    said = (
        re.search(r"and ([\d.,]+) remain: the next scores were counted together", note.text)
        for note in found.notes
    )
    remaining = next((float(one[1].replace(",", "")) for one in said if one), None)
    single = found.share == 1 and found.how != "interpolated"
    return Chosen(
        tuple(float(cases) for cases in found.confusion),
        found.threshold,
        single,
        remaining,
    )


@dataclass(frozen=True)
class Line:
    """The points of a curve, and whether it says that only some are known; `every` are all that the
    same question has.
    """

    rows: tuple[Any, ...]
    every: tuple[Any, ...]
    some: bool

    def against(self, full):
        if not self.some:
            assert alike(full.rows, self.rows), (full, self)
            return EQUAL
        # Where nothing is flagged there is no threshold: some curves start at a limit.
        rows = [row for row in self.rows if not math.isnan(row[-1])]
        assert all(any(alike(row, other) for other in full.every) for row in rows), (full, self)
        return BOUNDED


def rows_of(found):
    return tuple(zip(found.x.tolist(), found.y.tolist(), found.thresholds.tolist(), strict=True))


def curve(found, every=None):
    some = any(note.code == "BR232" for note in found.notes)
    return Line(rows_of(found), rows_of(every or found), some)


def named_curve(function, **options):
    return [
        law(
            lambda c: curve(function(c, **options), function(c, every=True, **options)),
            EQUAL,
        ),
        law(lambda c: curve(function(c, every=True, **options)), SOME),
    ]


def by_name(name):
    return lambda counts, **options: br.curve(counts, name, **options)


def hull(found):
    return tuple(zip(found.x.tolist(), found.y.tolist(), strict=True))


def plain(value):
    """Any result as nested tuples of numbers and words, without its notes."""
    if isinstance(value, float | int | str | type(None) | Fraction):
        return value
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    if isinstance(value, br.OperatingPoint):
        return plain(point(value))
    if isinstance(value, dict):
        return tuple((plain(key), plain(one)) for key, one in value.items())
    if hasattr(value, "__dataclass_fields__"):
        return tuple(
            plain(getattr(value, name))
            for name, one in value.__dataclass_fields__.items()
            if one.compare
            and name not in ("notes", "replicates")
            and name[0] != "_"  # what is not compared is for display
        )
    if isinstance(value, tuple | list) or hasattr(value, "items"):
        return tuple(map(plain, value.items() if hasattr(value, "items") else value))
    return str(value)


def answer(ask, counts):
    try:
        return ask(counts)
    except br.InputError as error:
        return error


def outcome(full, found):
    """What became of the full answer, or a failure."""
    if isinstance(found, br.InputError):
        assert all(problem.code.startswith("BR") and problem.fix for problem in found.problems)
        same = isinstance(full, br.InputError) and full.problems[0].code == found.problems[0].code
        return EQUAL if same else REFUSED
    assert not isinstance(full, br.InputError), (
        f"all scores refuse ({full}), merged ones answer {found}"
    )
    if hasattr(found, "against"):
        return found.against(full)
    assert alike(plain(full), plain(found)), (full, found)
    return EQUAL


def table(found):
    columns = [found.columns[name].tolist() for name in ("tp", "fp", "precision", "threshold")]
    rows = tuple(zip(*columns, strict=True))
    return Line(rows, rows, any(note.code == "BR232" for note in found.notes))


def lines(*columns):
    rows = tuple(zip(*(column.tolist() for column in columns), strict=True))
    return Line(rows, rows, some=True)


def two(counts):
    return {"one": counts, "other": OTHER}


def known(counts):
    """A threshold that every way of merging keeps: the lowest score."""
    return counts.scores[-1].item()


def estimated(found):
    """An estimate of the base rate without the check of its assumption, which merged scores cannot
    make.
    """
    return tuple(
        plain(getattr(found, name))
        for name in ("value", "low", "high", "method", "threshold", "calibrated_at", "cases")
    )


def corrected(counts):
    """Of scores that were corrected, the ranking of the positives and what each of their thresholds
    flags.
    """
    points = br.Points.of(counts)
    known = np.flatnonzero(counts.positives > 0)
    return tuple((counts.scores[i].item(), *map(float, points.counted(int(i) + 1))) for i in known)


def reported(found):
    """The words without the digits in which a threshold is shown, which depend on the next score;
    the thresholds themselves beside them.
    """
    words = tuple(re.sub(r"score ≥ [-+.\de]*\d", "score ≥ …", text) for text in found.sentences)
    # A lead over a baseline is tested by resamples, which draw other cells where scores are merged.
    words = tuple(re.sub(r"(flagging \w+ \(.*; p) [=<] [.\de-]+", r"\1 …", text) for text in words)
    cuts = tuple(
        point["threshold"]
        for one in found.document["report"]["answers"]
        for point in one["points"].values()
    )
    return words, cuts


def regretted(found):
    return (found.model, found.point.threshold, plain(found.regret))


SOME = f"{EQUAL} {BOUNDED}"
EITHER = f"{EQUAL} {REFUSED}"

LAWS = {
    "auc": [law(lambda c: float(br.auc(c)))],
    "gini": [law(lambda c: float(br.curves.gini(c)))],
    "ks": [law(lambda c: float(br.curves.ks(c)))],
    "partial_auc": [
        law(lambda c: float(br.curves.partial_auc(c, fpr=(0, 0.3)))),
        law(
            lambda c: float(br.curves.partial_auc(c, tpr=(0.4, 0.9), standardized=True)),
        ),
        law(
            lambda c: float(br.curves.partial_auc(c, fpr=(0.1, 0.5), standardized=True)),
        ),
    ],
    "weighted_auc": [
        *(
            law(
                lambda c, k=k: float(br.curves.weighted_auc(c, alpha=0.6, strips=k)),
            )
            for k in (10, 3, "continuous")
        ),
        law(
            lambda c: float(br.curves.weighted_auc(c, alpha=0.6, strips="segments")),
            EITHER,
        ),
        law(lambda c: float(br.curves.weighted_auc(c, alpha="class_ratio"))),
    ],
    "weighted_pr_area": [law(lambda c: float(br.curves.weighted_pr_area(c, alpha=0.6, at=AT)))],
    "weighted_cost_area": [law(lambda c: float(br.curves.weighted_cost_area(c, alpha=0.6)))],
    "average_precision": [
        law(lambda c, at=at: float(br.curves.average_precision(c, at=at))) for at in (None, AT)
    ],
    "auprc": [law(lambda c, at=at: float(br.curves.auprc(c, at=at))) for at in (None, AT)],
    "h_measure": [
        law(lambda c: float(br.curves.h_measure(c))),
        law(lambda c: float(br.curves.h_measure(c, at=AT, severity_ratio=0.2))),
    ],
    "cost_area": [law(lambda c: float(br.curves.cost_area(c)))],
    "min_cost": [law(lambda c, at=at: float(br.curves.min_cost(c, at=at))) for at in (None, AT)],
    "summary: macro": [
        law(
            lambda c: float(br.summary({"a": c, "b": OTHER}, "auc", average="macro")),
            EQUAL,
        )
    ],
    "summary": [
        law(lambda c: float(br.summary(c, "auc"))),
        law(lambda c: float(br.summary(c, "auprc", at=AT))),
        law(lambda c: float(br.summary(c, "brier")), REFUSED),
    ],
    "table": [
        law(lambda c: table(br.table(c, at=AT)), SOME),
        law(lambda c: table(br.table(c, at=AT, thresholds=[known(c)])), SOME),
    ],
    "brier": [law(lambda c: float(br.curves.brier(c)), REFUSED)],
    "brier_decomposition": [law(lambda c: plain(br.curves.brier_decomposition(c)), REFUSED)],
    "log_loss": [law(lambda c: float(br.curves.log_loss(c)), REFUSED)],
    "calibration_error": [law(lambda c: float(br.curves.calibration_error(c)), REFUSED)],
    "calibrate": [law(lambda c: plain(br.shift.calibrate(c).scores), REFUSED)],
    "curve: brier": [law(lambda c: curve(br.curve(c, "brier")), REFUSED)],
    "curve: decision": [law(lambda c: curve(br.curve(c, "decision")), REFUSED)],
    "curve: reliability": [law(lambda c: curve(br.curve(c, "reliability")), REFUSED)],
    "curve: roc_hull": [law(lambda c: hull(br.curve(c, "roc_hull")), EQUAL)],
    "curve: cost": [law(lambda c: hull(br.curve(c, "cost")), EQUAL)],
    "broc": [
        law(lambda c: hull(br.broc(c, at=AT)), EQUAL),
        *named_curve(br.broc, at=AT, hull=False),
    ],
    "roc": named_curve(br.roc),
    "det": named_curve(br.det),
    "pr": named_curve(br.pr, at=AT),
    "curve: pr_gain": named_curve(by_name("pr_gain"), at=AT),
    "curve: posfrac": named_curve(by_name("posfrac"), at=AT),
    "curve: gain": named_curve(by_name("gain"), at=AT),
    "curve: lift": named_curve(by_name("lift"), at=AT),
    "curve: several": [
        law(
            lambda c: curve(
                *(
                    one
                    for every in (False, True)
                    for one in br.curve(c, "pr", at=[AT], every=every).values()
                )
            ),
            EQUAL,
        )
    ],
    "curve: ks": [law(lambda c: curve(br.curve(c, "ks")), SOME)],
    "curve: cost_threshold": [law(lambda c: curve(br.curve(c, "cost_threshold", at=AT)), SOME)],
    "cost_lines": [law(lambda c: lines(*br.curves.cost_lines(c)), BOUNDED)],
    "curve: two measures": [
        law(lambda c: curve(br.curve(c, "mcc:fpr", at=AT)), SOME),
        law(
            lambda c: curve(
                *(
                    br.curve(c, "f1:alerts", at=AT, volume=VOLUME, every=every)
                    for every in (False, True)
                )
            ),
            EQUAL,
        ),
    ],
    "curve: prior": [
        law(
            lambda c: curve(br.curve(c, "precision:prior", priors=[0.3, 0.01], threshold=known(c))),
            EQUAL,
        ),
        law(
            lambda c: curve(br.curve(c, "posfrac:prior", priors=[0.3, 0.01], rule="recall >= 0.7")),
            EQUAL,
        ),
        law(
            lambda c: curve(br.curve(c, "tpr:prior", priors=[0.3, 0.01], rule="posfrac >= 0.3")),
            EITHER,
        ),
    ],
    "curve: precision by prior": [
        law(
            lambda c: curve(br.curve(c, "precision:prior", threshold=known(c), priors=[0.3, 0.01])),
            EQUAL,
        )
    ],
    "curve: npv by prior": [
        law(
            lambda c: curve(br.curve(c, "npv:prior", threshold=known(c), priors=[0.3, 0.01])),
            EQUAL,
        )
    ],
    "choose": [
        *(
            law(lambda c, o=objective: point(br.choose(c, at=AT, optimize=o)), EQUAL)
            for objective in (None, "f1", "tpr")
        ),
        # Undefined where nothing is flagged, and so best at the first negative where no positive
        # ranks high: that may be hidden.
        *(
            law(lambda c, o=objective: point(br.choose(c, at=AT, optimize=o)), EITHER)
            for objective in ("mcc", "precision")
        ),
        law(lambda c: point(br.choose(c, "alerts <= 200", at=AT, volume=VOLUME)), EQUAL),
        law(
            lambda c: point(br.choose(c, "alerts <= 200", at=br.Conditions(0.1), volume=VOLUME)),
            f"{EQUAL} {STOPPED}",
        ),
    ],
    "choose: models": [
        law(lambda c: br.choose(two(c), at=AT).models, EQUAL),
        law(lambda c: br.choose(two(c), "recall >= 0.7", at=AT).models, EQUAL),
    ],
    "choose: threshold": [law(lambda c: point(br.choose(c, threshold=known(c), at=AT)), EQUAL)],
    "random_classifier": [law(lambda c: point(br.curves.random_classifier(c, 0.3, at=AT)), EQUAL)],
    "measure": [law(lambda c: float(br.measure(c, "precision", threshold=known(c), at=AT)), EQUAL)],
    "fix": [
        law(lambda c: point(br.fix(c, "tpr = 0.6", at=AT).interpolated), EQUAL),
        law(lambda c: point(br.fix(c, "tpr = 0.6", at=AT).attained), EQUAL),
        *(
            one
            for target in (
                "fpr = 0.3",
                "posfrac = 0.3",
                "precision = 0.3",
                "tnr = 0.6",
                "f1 = 0.4",
            )
            for one in (
                law(
                    lambda c, t=target: point(br.fix(c, t, at=AT).interpolated),
                    EQUAL,
                ),
                law(
                    lambda c, t=target: point(br.fix(c, t, at=AT).attained),
                    EITHER,
                ),
            )
        ),
    ],
    "ideal_baseline": [
        law(
            lambda c: plain(br.curves.ideal_baseline(br.Conditions(costs=br.Costs(fp=1, fn=5)), c)),
            EQUAL,
        )
    ],
    "superiority": [
        law(lambda c: plain(br.curves.superiority(c, OTHER)), EQUAL),
        law(lambda c: plain(br.curves.superiority(OTHER, c)), EQUAL),
        law(lambda c: plain(br.curves.superiority(br.Points.of(c).hull(), OTHER)), EQUAL),
    ],
    "best_recall": [
        law(
            lambda c, a=a: plain(br.robustness.best_recall(two(c), fdr=0.5, attained=a).leads),
            EQUAL,
        )
        for a in (False, True)
    ],
    "winners": [law(lambda c: plain(br.curves.winners(two(c), br.Costs(fp=1, fn=5))), EQUAL)],
    "winner_map": [
        law(lambda c: plain(br.robustness.winner_map(two(c)).wins), EQUAL),
        *(
            law(lambda c, r=rule: plain(br.robustness.winner_map(two(c), r).wins), allowed)
            for rule, allowed in {
                "recall >= 0.5": EQUAL,
                "fpr <= 0.3": EQUAL,
                "fpr >= 0.3": EITHER,
                "tnr <= 0.6": EITHER,
            }.items()
        ),
        law(
            lambda c: plain(br.robustness.winner_map(two(c), "posfrac >= 0.3").at(0.1, 0.2)),
            EITHER,
        ),
    ],
    "stability": [
        law(lambda c: plain(br.robustness.stability(two(c), at=AT)), EQUAL),
        law(lambda c: plain(br.robustness.stability(two(c), "fpr >= 0.3", at=AT)), EITHER),
    ],
    "regret": [
        law(
            lambda c: plain(br.robustness.regret(two(c), "one", known(c), at=UNSURE)),
            EQUAL,
        )
    ],
    "value_of_information": [
        law(lambda c: plain(br.robustness.value_of_information(two(c), at=UNSURE)), EQUAL)
    ],
    "choose: regret": [
        law(lambda c: regretted(br.choose(two(c), at=UNSURE)), EITHER),
        law(lambda c: regretted(br.choose(two(c), "recall >= 0.5", at=UNSURE)), EITHER),
    ],
    # A model worse than flagging nothing does best at its first negative, which may be hidden.
    "choose: range": (
        [law(lambda c, at=at: plain(decide(two(c), at=at)), EITHER) for at in (AT, UNSURE)]
        + [
            law(lambda c, r=rule: plain(decide(two(c), r, at=UNSURE)), allowed)
            for rule, allowed in {
                "recall >= 0.5": EITHER,
                "fpr >= 0.3": EITHER,
                "posfrac >= 0.3": EITHER,
                "precision >= 0.05": EITHER,
            }.items()
        ]
    ),
    "measure: range": [
        law(lambda c: plain(br.measure(c, "expected_cost", at=UNSURE).over), EQUAL),
        law(
            lambda c: plain(br.measure(c, "precision", at=UNSURE, threshold=known(c)).over),
            EQUAL,
        ),
        law(
            lambda c: plain(br.measure(c, "tpr", at=UNSURE, rule="posfrac <= 0.3").over),
            EITHER,
        ),
    ],
    "curve: range": [
        law(
            lambda c, f=f: plain(br.curve(c, f, prior="0.01..0.3", places=[0.2, 0.5, 0.8]).over),
            EQUAL,
        )
        for f in ("pr", "posfrac", "gain", "lift", "broc")
    ],
    "triage": [
        law(lambda c: plain(br.robustness.triage(c, at=AT, review=0.4)), EQUAL),
        law(lambda c: plain(br.robustness.triage(c, at=AT, abstain=0.3)), EQUAL),
        law(lambda c: plain(br.robustness.triage(c, at=AT, review=0.4, most=0.2)), EITHER),
    ],
    "estimate_prior": [
        law(lambda c: plain(br.estimate_prior(c, NEW, replicates=50)), REFUSED),
        law(
            lambda c: estimated(br.estimate_prior(c, NEW, threshold=known(c), replicates=50)),
            EQUAL,
        ),
        law(
            lambda c: estimated(br.estimate_prior(c, NEW, calibrated_at=0.2, replicates=50)),
            EQUAL,
        ),
    ],
    "check_label_shift": [law(lambda c: plain(br.shift.check_label_shift(c, NEW)), REFUSED)],
    "correct_prior": [
        law(lambda c: corrected(br.shift.correct_prior(c, negatives_kept=0.1)), EQUAL)
    ],
    "sample_support": [law(lambda c: plain(br.planning.sample_support(c)), EQUAL)],
    "cases_for_auc": [
        law(
            lambda c: plain(br.planning.cases_for_auc(expect=0.9, at_least=0.7, counts=c)),
            EQUAL,
        )
    ],
    "histogram_panel": [law(lambda c: plain(br.plots.histogram_panel(c).parts), REFUSED)],
    "interval": [
        law(lambda c: plain(br.interval(c, br.auc)), EQUAL),
        law(lambda c: plain(br.interval(c, "tpr", threshold=known(c))), EQUAL),
        law(lambda c: float(br.interval(c, br.curves.auprc, replicates=50).value), EQUAL),
        law(
            lambda c: float(br.interval(c, "fpr", rule="recall >= 0.5", replicates=50).value),
            EQUAL,
        ),
        law(
            lambda c: float(br.interval(c, "tpr", rule="posfrac >= 0.3", replicates=50).value),
            EITHER,
        ),
    ],
    "band": [
        law(
            lambda c: plain(br.curves.band(c, br.roc, x=[0.2, 0.5], replicates=60).y),
            EQUAL,
        ),
        law(
            lambda c: plain(br.curves.band(c, "cost", x=[0.2, 0.5], replicates=60).y),
            EQUAL,
        ),
    ],
    "compare": [
        law(lambda c: float(br.compare(two(c), br.auc).value), EQUAL),
        law(
            lambda c: float(br.compare(two(c), "tpr", rule="fpr >= 0.3", replicates=50).value),
            EITHER,
        ),
    ],
    "compare: all": [
        law(
            lambda c: tuple(float(one.value) for one in br.compare(two(c), br.auc)),
            EQUAL,
        )
    ],
    "require": [
        law(lambda c: plain(br.require(c, "tpr >= 0.3", threshold=known(c))), EQUAL),
        # The threshold is chosen on a random half, which is another one where scores are merged:
        # only that an answer comes is the same.
        law(lambda c: isinstance(br.require(c, "tpr >= 0.3"), br.Requirement), EITHER),
    ],
    "report": [
        law(lambda c: reported(br.report({"one": c}, at=AT)), EQUAL),
        law(lambda c: reported(br.report({"one": c}, at=AT, rule="posfrac >= 0.3")), EITHER),
    ],
    "by_group": [
        law(
            lambda c: plain(
                br.segments.by_group(two(c), threshold=c.scores[-1].item(), at=AT).parts
            ),
            EITHER,
        ),
    ],
    "slices": [
        law(
            lambda c: plain(
                br.segments.slices(two(c), threshold=c.scores[-1].item(), at=AT).groups.parts
            ),
            EITHER,
        ),
    ],
}

NO_COUNTS = [
    "average_curve",
    "by_day",
    "calc",
    "cases_at_prior",
    "cases_for_margin",
    "cases_for_width",
    "plan",
    "cases_for_mcnemar",
    "cases_needed",
    "correct_probabilities",
    "cost_panel",
    "counting_sql",
    "count",
    "count_classes",
    "count_estimator",
    "count_folds",
    "count_unlabelled",
    "curve_panel",
    "decision_panel",
    "difference_band",
    "difference_panel",
    "fold_mean",
    "iso_cost_line",
    "isoline",
    "label_error_table",
    "linear_axis",
    "load",
    "mcnemar_p",
    "non_inferiority",
    "outcome_tree_panel",
    "power_at_prior",
    "power_to_show",
    "rate_interval",
    "response",
    "roc_panel",
    "scorer",
    "series_style",
    "smallest_detectable",
    "smallest_rate_shown",
    "solve_rates",
    "spanning_axis",
    "strip_weights",
    "to_broc",
    "under_label_errors",
    "under_verification",
    "weighted_auc_chance",
    "winner_map_panel",
]
"""What takes no Counts: amounts, groups, folds and pairs keep every score; panels draw curves; the rest takes numbers, or counts anew."""  # noqa: E501


def functions():
    """Every public function of `baserate` and its namespaces, by name."""
    return {
        name: function
        for space in (br, *(getattr(br, space) for space in br.NAMESPACES))
        for name in space.__all__
        if inspect.isfunction(inspect.unwrap(function := getattr(space, name)))
    }


def test_every_public_function_is_in_a_table():
    """A law is named after its function, or "function: question"."""
    lawful = {name.partition(":")[0] for name in LAWS}
    assert {*functions()} == {*lawful, *NO_COUNTS}
    assert not lawful & set(NO_COUNTS)


def test_what_takes_no_counts_takes_none():
    for name in set(NO_COUNTS) - {"load"}:
        said = " ".join(
            str(parameter.annotation)
            for parameter in inspect.signature(functions()[name]).parameters.values()
        )
        assert "Counts" not in said.replace("GroupedCounts", "").replace("JointCounts", ""), name


@pytest.mark.parametrize("name", sorted(LAWS))
def test_merged_scores_answer_as_all_scores_do_or_bound_it_or_refuse(name):
    sets = list(
        small_sets(
            3
            if name in ("band", "compare", "interval", "estimate_prior", "report", "measure: range")
            else 8 // FEWER
        )
    )
    for place, one in enumerate(LAWS[name]):
        seen = set()
        for data in sets:
            counts = br.count(*data)
            full = answer(one.ask, counts)
            for other in merged(counts):
                seen.add(outcome(full, answer(one.ask, other)))
        assert seen <= one.condensed | {EQUAL}, (name, place, seen)


PARAMETERS = {
    "f_beta": "f_beta(beta=2)",
    "weighted_accuracy": "weighted_accuracy(w1=2, w2=1, w3=1, w4=1)",
}
MEASURES = [PARAMETERS.get(name, name) for name in CATALOGUE]


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_rises_or_falls_throughout_with_either_outcome(measure):
    """What bounds of merged scores rest on: a measure is lowest and highest at the outermost
    outcomes.
    """
    positives, negatives = 5, 7
    asked = named(measure, VOLUME)
    for prior in (None, 0.02, 0.7):
        table = np.array(
            [
                [
                    float(
                        br.measure(
                            br.Confusion(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp),
                            asked,
                            at=br.Conditions(prior, AT.costs),
                        )
                    )
                    for fp in range(negatives + 1)
                ]
                for tp in range(positives + 1)
            ]
        )
        for line in (*table, *table.T):
            steps = np.diff(line[~np.isnan(line)])
            assert (steps >= -1e-12).all() or (steps <= 1e-12).all()


def rules_of(measure, counts, rng):
    """Rules on this measure with limits at and between its values here, in both directions."""
    asked = named(measure, VOLUME)
    values = br.table(counts, [asked], at=AT)[str(asked)]
    values = np.unique(values[np.isfinite(values)])
    if not len(values):
        return
    ends = rng.choice(values, 2), rng.choice(values, 2)
    for sense in (">=", "<="):
        for limit in (float(ends[0][0]), float(np.mean(ends[1]))):
            if measure != "alerts" or limit >= 1:
                yield (
                    f"{measure.partition('(')[0] if asked.counts_cases else measure} {sense}"
                    f" {limit!r}"
                )


@pytest.mark.parametrize("measure", MEASURES)
def test_a_rule_on_any_measure_in_either_direction(measure):
    rng = np.random.default_rng(hash_of(measure))
    answered = 0
    for data in small_sets(2 // FEWER, seed=hash_of(measure)):
        counts = br.count(*data)
        for rule in rules_of(measure, counts, rng):
            for objective in (None, "tpr", "mcc", measure, str(rng.choice(MEASURES))):

                def ask(source, rule=rule, objective=objective):
                    return point(br.choose(source, rule, at=AT, volume=VOLUME, optimize=objective))

                full = answer(ask, counts)
                for other in merged(counts):
                    found = outcome(full, answer(ask, other))
                    answered += found != REFUSED
    assert answered > 0


def hash_of(text):
    return sum(ord(letter) * 31**place for place, letter in enumerate(text)) % 2**31


GOOD_ENOUGH = [
    "tpr >= 0.5",
    "recall >= 0.8",
    "precision >= 0.2",
    "f1 >= 0.3",
    "fpr <= 0.3",
    "posfrac <= 0.4",
    "expected_cost <= 0.4",
    "npv >= 0.9",
]


@pytest.mark.parametrize("rule", GOOD_ENOUGH)
def test_condensed_counts_are_exact_where_fewer_false_alarms_do_no_harm(rule):
    """What asks for good thresholds is never refused: within a run of negatives its beginning is
    best.
    """
    for data in small_sets(26 // FEWER):
        counts = br.count(*data)
        for objective in (None, "tpr", "f1", "mcc", "precision", "informedness"):

            def ask(source, objective=objective):
                return point(br.choose(source, rule, at=AT, optimize=objective))

            full = answer(ask, counts)
            found = outcome(full, answer(ask, counts.condense()))
            # Where nothing else is defined, a threshold that flags negatives alone is best: that is
            # hidden.
            assert found == EQUAL or not full.outcomes[0]


@st.composite
def ranked(draw):
    """Labels in the order of their scores, with ties: a case starts a new score, or shares the one
    before.
    """
    labels = draw(
        st.lists(st.booleans(), min_size=4, max_size=40).filter(
            lambda made: any(made) and not all(made)
        )
    )
    fresh = draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels)))
    return np.array(labels), np.cumsum(fresh) / 64


FEW = (
    "auc",
    "ks",
    "average_precision",
    "auprc",
    "h_measure",
    "min_cost",
    "partial_auc",
    "weighted_auc",
    "fix",
    "superiority",
    "winners",
    "choose",
)


@given(
    data=ranked(),
    edges=st.lists(st.integers(0, 63).map(lambda i: i / 64), max_size=6, unique=True),
    name=st.sampled_from(FEW),
)
def test_the_law_holds_for_any_ranking(data, edges, name):
    counts = br.count(*data)
    for one in LAWS[name]:
        full = answer(one.ask, counts)
        found = answer(one.ask, counts.condense(edges))
        assert outcome(full, found) in one.condensed | {EQUAL}


@given(
    data=ranked(),
    weights=st.lists(st.integers(1, 9), min_size=40, max_size=40),
    edges=st.lists(st.integers(0, 63).map(lambda i: i / 64), max_size=4, unique=True),
    name=st.sampled_from(FEW),
)
def test_the_law_holds_for_weighted_cases(data, weights, edges, name):
    labels, scores = data
    counts = br.count(labels, scores, sample_weight=np.array(weights[: len(labels)]) / 4)
    for one in LAWS[name]:
        full = answer(one.ask, counts)
        found = answer(one.ask, counts.condense(edges))
        assert outcome(full, found) in one.condensed | {EQUAL}


def test_the_cases_that_were_answered_in_silence():
    labels, scores = [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0], [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    condensed = br.count(labels, scores).condense()
    for rule in ("posfrac >= 0.3", "fpr >= 0.3", "tnr <= 0.7"):
        with pytest.raises(
            br.InputError,
            match=r"BR231: a threshold between 4 and 11 may have a better expected_cost",
        ):
            br.choose(condensed, rule)
    fixed = br.fix(condensed, "fpr = 0.3")
    assert fixed.interpolated.tpr == 0.5
    with pytest.raises(
        br.InputError, match=r"BR231: a threshold between 4 and 11 may bring fpr nearer to 0.3"
    ):
        _ = fixed.attained
    with pytest.raises(br.InputError, match="BR231"):
        br.curves.weighted_auc(condensed, alpha=0.8, strips="segments")


def saved(folder):
    """The same data saved in both ways."""
    rng = np.random.default_rng(3)
    labels = rng.random(600) < 0.1
    counts = br.count(labels, rng.normal(1.6 * labels).round(3))
    for name, made in {
        "full": counts,
        "condensed": counts.condense(),
    }.items():
        made.save(folder / f"{name}.counts")
    return {name: folder / f"{name}.counts" for name in ("full", "condensed")}


def test_the_command_line_refuses_in_plain_words_and_says_what_to_do(capsys, tmp_path):
    paths = saved(tmp_path)
    for command in (
        ("choose", paths["condensed"], "posfrac >= 30%"),
        ("choose", paths["condensed"], "alerts >= 200", "--volume", "1000"),
        (
            "choose",
            paths["condensed"],
            "--prior",
            "1%..5%",
            "--cost",
            "fn=9,fp=1",
            "--rule",
            "fpr >= 31%",
        ),
    ):
        done = told(capsys, *command)
        assert done.status == 2, done
        assert done.err.startswith("error BR231: "), done
        assert done.err.rstrip().endswith(
            "Fix: count again with all scores kept (more --memory)."
        ), done
        assert told(capsys, command[0], paths["full"], *command[2:]).status == 0
