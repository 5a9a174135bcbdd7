"""Do guarantees hold, and how often are they given? The table of benchmarks/guarantee.md: `python
benchmarks/guarantee.py 10000`.

Each set draws positives and negatives, chooses a threshold by `choose(…, guarantee=…)`, and looks
up in the population whether the requirement holds there. The limits are those of the library; the
choice is made on arrays, and the first sets of every line also by `choose` itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from scipy.special import betaincinv
from scipy.stats import norm
from scipy.stats import t as student

import baserate as br
from baserate.conditions import Conditions
from baserate.counts.points import Points
from baserate.decisions import guarantees
from baserate.decisions.rules import parse_rule

PRIOR, COSTS, VOLUME, LEVEL = 0.01, br.Costs(fp=1, fn=50), 10_000, 0.95
NEGATIVES = 10  # for each positive
SIZES = (50, 200, 1000)
BATCH = 500
CHECKED = 3
RESULTS = Path(__file__).with_suffix(".md")


# ---- populations: the share of each class at or above a score, and how to draw from it ----


class Binormal:
    name = "binormal"

    def positives(self, rng, shape):
        return rng.normal(1.5, 1, shape)

    def tpr(self, score):
        return norm.sf(score - 1.5)

    def fpr(self, score):
        return norm.sf(score)


class HeavyTailed(Binormal):
    name = "heavy-tailed"

    def positives(self, rng, shape):
        return 2 + rng.standard_t(3, shape)

    def tpr(self, score):
        return student.sf(score - 2, 3)

    def fpr(self, score):
        return student.sf(score, 3)


class Mixture(Binormal):
    name = "mixture"

    def positives(self, rng, shape):
        return np.where(
            rng.random(shape) < 0.6, rng.normal(2.5, 0.5, shape), rng.normal(0.5, 1, shape)
        )

    def tpr(self, score):
        return 0.6 * norm.sf((score - 2.5) / 0.5) + 0.4 * norm.sf(score - 0.5)


class Straight:
    """tpr = start + slope · fpr: every threshold just misses the requirement, so every answer is a
    violation.
    """

    name = "straight, at the limit"

    def __init__(self, start, slope):
        self.start, self.slope = start, slope

    def positives(self, rng, shape):
        return -np.clip((rng.random(shape) - self.start) / self.slope, 0, 2)

    def tpr(self, score):
        return np.clip(self.start - self.slope * score, 0, 1) * (1 - 1e-9)

    def fpr(self, score):
        return np.clip(-score, 0, 1)


FAMILIES = (Binormal(), HeavyTailed(), Mixture())


# ---- requirements ----


def at_recall(family, recall):
    """The population's score and rates at a recall."""
    scores = np.linspace(-8, 30, 400_001)
    place = np.searchsorted(-family.tpr(scores), -recall, side="right") - 1
    return scores[place], family.tpr(scores[place]), family.fpr(scores[place])


def value(name, tpr, fpr):
    caught, alarms = PRIOR * tpr, (1 - PRIOR) * fpr
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "tpr": tpr,
            "fpr": fpr,
            "alerts": VOLUME * (caught + alarms),
            "precision": caught / (caught + alarms),
            "npv": (1 - PRIOR - alarms) / (1 - caught - alarms),
            "expected_cost": float(COSTS.fn) * (PRIOR - caught) + float(COSTS.fp) * alarms,
        }[name]


def requirement(name, family):
    """A limit that the population meets with room: the value where recall is 0.85 (precision) or
    0.5 (npv), half of what can be saved.
    """
    if name == "tpr":
        return "tpr >= 0.9"
    if name == "fpr":
        return "fpr <= 0.1"
    if name == "alerts":
        return "alerts <= 1000"
    if name == "expected_cost":
        scores = np.linspace(-4, 8, 20_001)
        least, without = (
            value(name, family.tpr(scores), family.fpr(scores)).min(),
            PRIOR * float(COSTS.fn),
        )
        return f"expected_cost <= {(least + without) / 2:.4g}"
    _, tpr, fpr = at_recall(family, 0.85 if name == "precision" else 0.5)
    return f"{name} >= {value(name, tpr, fpr):.5g}"


def conditions(name):
    return Conditions(prior=PRIOR, costs=COSTS if name == "expected_cost" else None)


def limits_of(term, at, positives, negatives, alpha):
    """The library's limits for so many cases."""
    points = Points.of(br.Counts([1, 0], [1, positives - 1], [1, negatives - 1]))
    return guarantees._limits(term, points, at, alpha), guarantees._line(term, points, at)


# ---- one line of the table ----


def chosen(name, limits, tp, fp, positives, negatives):
    """Which threshold of each set is chosen, by index; -1 where none is guaranteed."""
    met = limits.met(tp, fp, positives, negatives)
    goal = np.where(met, np.round(_goal(name, tp / positives, fp / negatives), 12), np.inf)
    return np.where(met.any(axis=1), goal.argmin(axis=1), -1)


def one_look(look, line, positives, negatives, alpha):
    """The most negatives above so many positives, if this is the only threshold that is looked
    at.
    """
    rng = np.random.default_rng((positives, look))
    where = (
        rng.beta(look, positives + 1 - look, 20_000) + float(line.constant / line.caught)
    ) / float(-line.alarm / line.caught)
    drawn = np.where(where > 1, negatives + 1, rng.binomial(negatives, np.clip(where, 0, 1)))
    return int(np.sort(drawn)[int(alpha * len(drawn))]) - 1


def learn_then_test(line, fp, positives, negatives, alpha):
    """Whether Learn-then-Test answers: 50 quantiles of the pooled scores, four starts at alpha/4,
    boxes of Clopper and Pearson.
    """
    tp, part = np.broadcast_to(np.arange(1, positives + 1), fp.shape), alpha / 8
    seen = np.arange(positives + 1)
    low = np.where(seen > 0, betaincinv(np.maximum(seen, 1), positives - seen + 1, part), 0)
    seen = np.arange(negatives + 1)
    high = np.where(
        seen < negatives, betaincinv(seen + 1, np.maximum(negatives - seen, 1), 1 - part), 1
    )
    starts = ((np.array([3, 9, 17, 29]) + 0.5) / 50 * (positives + negatives)).astype(
        int
    )  # of the 50, towards the higher scores
    found = np.zeros(len(tp), dtype=bool)
    for start in starts:
        place = np.minimum((tp + fp < start).sum(axis=1), tp.shape[1] - 1)
        rows = np.arange(len(tp))
        found |= (
            float(line.caught) * low[tp[rows, place]]
            + float(line.alarm) * high[fp[rows, place]]
            + float(line.constant)
            >= 0
        )
    return found


def measured(name, families, positives, sets, seed):
    """Violations, answers, the oracle's answers and both, over so many sets; several families are a
    choice among as many models.
    """
    negatives, models = NEGATIVES * positives, len(families)
    text = requirement(name, FAMILIES[0] if isinstance(families[0], Straight) else families[0])
    term, at = parse_rule(text, VOLUME).terms[0], conditions(name)
    limits, line = limits_of(term, at, positives, negatives, (1 - LEVEL) / models)
    rng, violated, answered, alarmed, prices, others = (
        np.random.default_rng(seed),
        0,
        [],
        [],
        [],
        [],
    )
    for batch in range(0, sets, BATCH):
        count = min(BATCH, sets - batch)
        best, wrong = np.full(count, np.inf), np.zeros(count, dtype=bool)
        for family in families:
            ours = -np.sort(-family.positives(rng, (count, positives)), axis=1)
            fp = alarms(rng, family.fpr(ours), negatives)
            place, goal, short, price = judged(name, family, ours, fp, limits, negatives, term)
            best, wrong = np.minimum(best, goal), np.where(goal < best, short, wrong)
            prices.append(price)
            if batch == 0 and not isinstance(family, Straight):
                check(ours, fp, negatives, place, text, at, (1 - LEVEL) / models)
        violated += int(wrong.sum())
        answered.append(np.isfinite(best))
        if models == 1:
            alarmed.append(fp)
            others += (
                []
                if limits.method != guarantees.SCAN
                else [learn_then_test(line, fp, positives, negatives, 1 - LEVEL)]
            )
    answers = np.concatenate(answered)
    known = (
        None if models > 1 else oracle(limits, line, np.concatenate(alarmed), positives, negatives)
    )
    price = float(np.nanmean(np.concatenate(prices))) if answers.any() else np.nan
    return text, violated / sets, answers, known, price, np.concatenate(others) if others else None


def judged(name, family, ours, fp, limits, negatives, term):
    """The chosen threshold of each set, what was made best there, whether the population misses the
    requirement, and the price.
    """
    rows, positives = np.arange(len(ours)), ours.shape[1]
    tp = np.broadcast_to(np.arange(1, positives + 1), fp.shape)
    place = chosen(name, limits, tp, fp, positives, negatives)
    answer, score = place >= 0, ours[rows, place]
    tpr, fpr = family.tpr(score), family.fpr(score)
    here, limit = value(name, tpr, fpr), float(term.limit)
    goal = np.where(
        answer, _goal(name, tp[rows, place] / positives, fp[rows, place] / negatives), np.inf
    )
    price = np.where(answer, fpr if name in ("tpr", "npv") else tpr, np.nan)
    return place, goal, here < limit if term.sense == ">=" else here > limit, price


def _goal(name, tpr, fpr):
    return (
        fpr
        if name in ("tpr", "npv")
        else value(name, tpr, fpr)
        if name == "expected_cost"
        else -tpr
    )


def alarms(rng, fpr, negatives):
    """How many of the negatives lie above each positive, drawn interval by interval: the same as
    drawing every negative, and faster.
    """
    seen, last = np.zeros((fpr.shape[1] + 1, len(fpr)), dtype=np.int32), np.zeros(len(fpr))
    for k, here in enumerate(fpr.T):
        seen[k + 1] = seen[k] + rng.binomial(
            negatives - seen[k], np.clip((here - last) / np.maximum(1 - last, 1e-300), 0, 1)
        )
        last = here
    return seen[1:].T


def check(ours, fp, negatives, place, text, at, alpha):
    """The first sets by the function that people call; the negatives lie half way between two
    positives.
    """
    for i in range(min(CHECKED, len(ours))):
        ends = np.r_[ours[i][0] + 1, ours[i], ours[i][-1] - 1]
        between, none = np.diff(np.r_[0, fp[i], negatives]), np.zeros(ours.shape[1] + 1, dtype=int)
        counts = br.Counts(
            np.r_[ours[i], (ends[1:] + ends[:-1]) / 2],
            np.r_[none[1:] + 1, none],
            np.r_[none[1:], between],
        )
        try:
            threshold = br.choose(
                counts, guarantee=text, at=at, volume=VOLUME, level=1 - alpha
            ).threshold
        except br.Infeasible:
            threshold = None
        expected = None if place[i] < 0 else ours[i][place[i]]
        assert threshold == expected, (text, threshold, expected)


def oracle(limits, line, fp, positives, negatives):
    """Sets in which the same test without multiplicity answers, at the number of positives where it
    answers most often.
    """
    if limits.method != guarantees.SCAN:
        return limits.met(
            np.broadcast_to(np.arange(1, positives + 1), fp.shape), fp, positives, negatives
        ).any(axis=1)
    best = np.zeros(len(fp), dtype=bool)
    for look in limits.looks:
        found = fp[:, look - 1] <= one_look(int(look), line, positives, negatives, 1 - LEVEL)
        best = found if found.mean() > best.mean() else best
    return best


def own_prior(name, straight, cases, sets, seed):
    """The same where the base rate is the sample's own and not known: cases are drawn, and which
    are positive with them.
    """
    limit = 0.3 if name == "precision" else 0.95
    limits = guarantees._in_sample(parse_rule(f"{name} >= {limit}").terms[0], cases, 1 - LEVEL)
    rng, violated, answered = np.random.default_rng(seed), 0, 0
    for batch in range(0, sets, BATCH):
        count = min(BATCH, sets - batch)
        if straight:  # the requirement is just missed at every threshold
            labels, score = (
                rng.random((count, cases)) < (limit if name == "precision" else 1 - limit),
                None,
            )
        else:
            labels = rng.random((count, cases)) < 1 / (1 + NEGATIVES)
            score = rng.normal(1.5 * labels, 1)
            order = np.argsort(-score, axis=1)
            labels, score = (
                np.take_along_axis(labels, order, 1),
                np.take_along_axis(score, order, 1),
            )
        tp, fp = np.cumsum(labels, axis=1), np.cumsum(~labels, axis=1)
        totals = tp[:, -1:], fp[:, -1:]
        met = limits.met(tp, fp, *totals)
        goal = np.where(met, tp if name == "precision" else -fp, -np.inf)
        place, answer = goal.argmax(axis=1), met.any(axis=1)
        short = np.ones(count, dtype=bool)
        if score is not None:
            cut, prior = score[np.arange(count), place], 1 / (1 + NEGATIVES)
            tpr, fpr = norm.sf(cut - 1.5), norm.sf(cut)
            caught, alarm = prior * tpr, (1 - prior) * fpr
            short = (
                caught / (caught + alarm)
                if name == "precision"
                else (1 - prior - alarm) / (1 - caught - alarm)
            ) < limit
        violated, answered = violated + int((short & answer).sum()), answered + int(answer.sum())
    return f"{name} >= {limit}", violated / sets, answered / sets


# ---- the table ----


def lines():
    for name in ("tpr", "fpr", "alerts", "precision", "npv", "expected_cost"):
        for positives in SIZES:
            for family in FAMILIES:
                yield name, family.name, (family,), positives
            if name in ("precision", "npv", "expected_cost"):
                rule = parse_rule(requirement(name, FAMILIES[0]), VOLUME)
                points = Points.of(br.Counts([1, 0], [1, 1], [1, 1]))
                line = guarantees._line(rule.terms[0], points, conditions(name))
                straight = Straight(
                    float(-line.constant / line.caught), float(-line.alarm / line.caught)
                )
                yield name, straight.name, (straight,), positives
                yield name, "3 models, straight", (straight,) * 3, positives
            yield name, "3 models, binormal", (FAMILIES[0],) * 3, positives


def table(sets, only=None):
    """Every line of the table, and whether it passes."""
    rows = []
    for seed, (name, family, families, positives) in enumerate(lines()):
        if only is not None and not only(name, family, positives):
            continue
        text, violated, answers, known, price, alone = measured(
            name, families, positives, sets, seed
        )
        shown = {
            "requirement": text,
            "population": family,
            "positives": positives,
            "violations": violated,
            "answers": float(answers.mean()),
        }
        shown["oracle"] = None if known is None or "straight" in family else float(known.mean())
        shown["of the oracle's"] = (
            None if not shown["oracle"] else float((answers & known).sum() / known.sum())
        )
        shown["ltt"] = None if alone is None else float(alone.mean())
        shown["price"] = None if "straight" in family else price
        most = 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5
        shown["passed"] = violated <= most and (
            shown["of the oracle's"] is None or shown["of the oracle's"] >= 0.9
        )
        rows.append(shown)
    for seed, (name, straight, positives) in enumerate(
        (name, one, size)
        for name in ("precision", "npv")
        for size in SIZES[:2]
        for one in (False, True)
    ):
        family = f"{'straight' if straight else 'binormal'}, the sample's own prior"
        if only is None or only(name, family, positives):
            text, violated, answers = own_prior(
                name, straight, (1 + NEGATIVES) * positives, sets, 1000 + seed
            )
            shown = {
                "requirement": text,
                "population": family,
                "positives": positives,
                "violations": violated,
                "answers": answers,
            }
            empty = dict.fromkeys(("oracle", "of the oracle's", "ltt", "price"))
            rows.append(
                {**shown, **empty, "passed": violated <= 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5}
            )
    return rows


def cell(known, spelled):
    return "" if known is None or np.isnan(known) else format(known, spelled)


def page(rows, sets, seconds):
    head = (
        f"# Guarantees: violations and answers\n\n`python benchmarks/guarantee.py {sets}`: {sets:,}"
        f" sets a line, {NEGATIVES} negatives a positive, prior {PRIOR}, costs fn = 50 and fp = 1,"
        f" {VOLUME:,} cases, 95 % confidence; {seconds:.0f} s of CPU time.\n\n**Violations**: sets"
        " in which the population's value at the chosen threshold misses the requirement; at most"
        f" 5 % plus three standard errors ({0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5:.2%}) may. On"
        " the straight ROC every answer is one.\n**Oracle**: the same test at one number of caught"
        " positives only, known in advance to answer most often, so that nothing is paid for"
        " choosing; for recall, fpr and alerts nothing has to be paid, and it is the rule"
        " itself.\n**Of the oracle's**: of the sets in which it answers, those in which the"
        " guarantee is given too; at least 90 % must be.\n**LTT**: answers of Learn-then-Test (50"
        " quantiles of the pooled scores, four starts at α/4, Clopper-Pearson boxes), for"
        " comparison.\n**Price**: the population's mean fpr at the chosen threshold where recall"
        " or npv is guaranteed, its mean recall elsewhere.\n\n"
    )
    names = (
        "requirement",
        "population",
        "positives",
        "violations",
        "answers",
        "oracle",
        "of the oracle's",
        "LTT",
        "price",
        "",
    )
    out = [head, "| " + " | ".join(names) + " |\n", "|" + "---|" * len(names) + "\n"]
    for row in rows:
        spelled = [row["requirement"], row["population"], str(row["positives"])]
        spelled += [
            cell(row[key], ".2%")
            for key in ("violations", "answers", "oracle", "of the oracle's", "ltt")
        ]
        out.append(
            "| "
            + " | ".join(
                (*spelled, cell(row["price"], ".3f"), "" if row["passed"] else "**fails**")
            )
            + " |\n"
        )
    failed = sum(not row["passed"] for row in rows)
    worst = max(row["violations"] for row in rows)
    out.append(
        f"\n{len(rows) - failed} of {len(rows)} lines pass; the most violations are {worst:.2%}.\n"
    )
    return "".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", type=int, nargs="?", default=10_000)
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    started = time.process_time()
    rows = table(given.sets)
    text = page(rows, given.sets, time.process_time() - started)
    sys.stdout.write(text)
    if given.write:
        RESULTS.write_text(text)
    return int(not all(row["passed"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
