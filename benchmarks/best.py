"""How often is one of several equally good models called worse? `python benchmarks/best.py --sets
10000 --write` makes benchmarks/best.md.

Thresholds are chosen on the same cases that the models are then tested on, as `choose` does.
"if fixed" is the same test as if the thresholds had been set in advance; "size" is the share of
sets in which any of the equally good models is called worse; "power" the share in which a model
with a larger shift of the positives (2.0 instead of 1.5) is called better. Choosing is done here on
plain arrays, for speed; the first sets of every setting are also given to `choose`, which must find
the same p-value. Amounts and ranges of conditions are tested by `choose` itself, on a twentieth of
the sets.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import time
from itertools import combinations
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import numpy as np
from scipy.special import ndtr

import baserate as br
from baserate.inference.decide import decide
from baserate.inference.leads import swapped_p

LEVEL, CHECKED = 0.05, 3
SIZES = ((20, 200), (20, 500), (50, 1000), (200, 2000))
FAMILIES = ("binormal", "heavy", "mixture")
SHIFT, BETTER = 1.5, 2.0


class Question:
    """What is made best, under which rule, at which base rate (None: the sample's)."""

    def __init__(self, name, objective, *, prior=None, fn=1, rule=None, limit=0.0, linear=True):
        self.name, self.objective, self.prior, self.fn = name, objective, prior, fn
        self.rule, self.limit, self.linear = rule, limit, linear

    def value(self, tpr, fpr, prior):
        """Higher is better."""
        if self.objective == "cost":
            return -(prior * self.fn * (1 - tpr) + (1 - prior) * fpr)
        return (
            tpr
            if self.objective == "tpr"
            else 2 * prior * tpr / (prior * tpr + (1 - prior) * fpr + prior)
        )

    def ruled(self, tpr, fpr, prior):
        """What the rule limits, from below."""
        if self.rule == "posfrac":
            return -(prior * tpr + (1 - prior) * fpr)
        return (
            tpr
            if self.rule == "tpr"
            else prior * tpr / np.maximum(prior * tpr + (1 - prior) * fpr, 1e-300)
        )

    def options(self):
        """The same for `choose`."""
        sign = "<=" if self.rule == "posfrac" else ">="
        rule = None if self.rule is None else f"{self.rule} {sign} {abs(self.limit)!r}"
        at = br.Conditions(self.prior, br.Costs(fn=self.fn))
        return {
            "rule": rule,
            "at": at,
            "optimize": {"cost": None, "tpr": "tpr", "f1": "f1"}[self.objective],
        }


QUESTIONS = (
    Question("cheapest, fn = 10", "cost", fn=10),
    Question("cheapest, fn = 30", "cost", fn=30),
    Question("cheapest at prior 1 %, fn = 100", "cost", prior=0.01, fn=100),
    Question("most caught in 5 % alerts", "tpr", rule="posfrac", limit=-0.05),
    Question(
        "most caught in 1 % alerts at prior 0.1 %", "tpr", prior=0.001, rule="posfrac", limit=-0.01
    ),
    Question("cheapest with recall >= 0.8 at prior 1 %", "cost", prior=0.01, rule="tpr", limit=0.8),
    Question("most caught with precision >= 0.2", "tpr", rule="precision", limit=0.2),
    Question("highest F1", "f1", linear=False),
)


def drawn(rng, family, size, shifts, correlation):
    """Labels (positives first) and one row of scores a model, which are equally good where their
    shifts are equal.
    """
    positives, cases = size[0], sum(size)
    shift = np.zeros((len(shifts), cases))
    shift[:, :positives] = np.asarray(shifts)[:, None]
    if family == "mixture":  # half of the positives are like negatives, the others far above
        shift[:, :positives] *= 2 * (rng.random(positives) < 0.5)
    common = math.sqrt(correlation) * rng.normal(size=cases)
    scores = shift + common + math.sqrt(1 - correlation) * rng.normal(size=(len(shifts), cases))
    if family == "heavy":  # Student's t with 2 degrees of freedom
        scores /= np.sqrt(rng.chisquare(2, cases) / 2)
    return scores


class Sorted:
    """A model's cases by falling score, and what every threshold flags."""

    def __init__(self, scores, size):
        self.order = np.argsort(-scores, kind="stable")
        hits = self.order < size[0]
        self.tp, self.fp = (np.concatenate(([0], np.cumsum(column))) for column in (hits, ~hits))
        self.tpr, self.fpr = self.tp / size[0], self.fp / size[1]


def first_best(values):
    """Of equals the point that flags least, as `choose` has it."""
    return int(np.argmax(values >= values.max() - 1e-12))


def chosen(model, question, prior):
    """The place of the best threshold, and whether the rule keeps it there; None where no threshold
    satisfies it.
    """
    values = question.value(model.tpr, model.fpr, prior)
    if question.rule is None:
        return first_best(values), False
    with np.errstate(invalid="ignore"):
        kept = question.ruled(model.tpr, model.fpr, prior) >= question.limit - 1e-12
    if question.rule == "precision":
        kept[0] = False
    if not kept.any():
        return None
    place, best = first_best(np.where(kept, values, -np.inf)), first_best(values)
    better = np.flatnonzero(values > values[place] + 1e-9 * abs(values[place]))
    near = better[better > place][:1] if best > place else better[better < place][-1:]
    return place, bool(
        len(near) and values[best] > values[place] + 1e-9 * abs(values[place]) and not kept[near[0]]
    )


def moves(model, place, size):
    low = high = place
    for flagged, whole in ((model.tp, size[0]), (model.fp, size[1])):
        now = flagged[place]
        width = 2 * math.sqrt(now * (1 - now / whole)) + 1
        low = min(low, int(np.searchsorted(flagged, now - width, side="left")))
        high = max(high, int(np.searchsorted(flagged, now + width, side="right")) - 1)
    return [
        [rates[b] - rates[a] for rates in (model.tpr, model.fpr)]
        for a, b in ((low, place), (place, high))
    ]


def slope(function, tpr, fpr, prior, step=1e-6):
    """The gradient: exact for what is a sum over cases; from one side at the ends."""
    question = function.__self__
    if function.__name__ == "value" and question.linear:
        return [prior * question.fn, prior - 1] if question.objective == "cost" else [1.0, 0.0]
    if function.__name__ == "ruled" and question.rule in ("posfrac", "tpr"):
        return [-prior, prior - 1] if question.rule == "posfrac" else [1.0, 0.0]
    found = []
    for rate in (0, 1):
        ends = [[tpr, fpr], [tpr, fpr]]
        ends[0][rate], ends[1][rate] = (
            max(0.0, (tpr, fpr)[rate] - step),
            min(1.0, (tpr, fpr)[rate] + step),
        )
        found.append(
            (function(*ends[1], prior) - function(*ends[0], prior))
            / (ends[1][rate] - ends[0][rate])
        )
    return found


def moved_weights(weights, terms, side):
    """What a share of each class counts for, where a rule moves the thresholds along one side of
    the ROC.
    """
    rule = [sum(term[rate] for term in terms) / len(terms) for rate in (0, 1)]
    below = rule[0] * side[0] + rule[1] * side[1]
    return [
        [w[k] - (w[0] * side[0] + w[1] * side[1]) / below * rule[k] for k in (0, 1)]
        for w in weights
    ]


def spread(weights, alone, shared, size):
    """The variance of the difference of two models on the same cases, with one flagged case more of
    either class and model.
    """
    variance = 0.0
    for k in (0, 1):
        a, b, cases = -weights[0][k], weights[1][k], size[k] + 2
        squares = a * a * (alone[k][0] + 1) + b * b * (alone[k][1] + 1) + 2 * a * b * shared[k]
        mean = (a * (alone[k][0] + 1) + b * (alone[k][1] + 1)) / cases
        variance += max(0.0, squares / cases - mean**2) / cases
    return variance


def tested(one, other, question, prior, size):
    """The p-value of two models, and what it would be if their thresholds had been fixed in
    advance.
    """
    (model_a, place_a, bound_a), (model_b, place_b, bound_b) = one, other
    flags = np.zeros((2, sum(size)), dtype=bool)
    for row, (model, place, _) in zip(flags, (one, other), strict=True):
        row[model.order[:place]] = True
    apart = flags[0] ^ flags[1]
    differ = int(apart[: size[0]].sum()), int(apart[size[0] :].sum())
    rates = [
        (model.tpr[place], model.fpr[place])
        for model, place in ((model_a, place_a), (model_b, place_b))
    ]
    values = [question.value(*pair, prior) for pair in rates]
    lead = values[1] - values[0]
    if not lead or not sum(differ):
        return 1.0, 1.0
    weights = [slope(question.value, *pair, prior) for pair in rates]
    terms = [
        slope(question.ruled, *pair, prior)
        for pair, bound in zip(rates, (bound_a, bound_b), strict=True)
        if bound
    ]
    sides = [None]
    if terms:
        both = [moves(model_a, place_a, size), moves(model_b, place_b, size)]
        sides = [
            [max(0.5 / size[rate], both[0][side][rate] + both[1][side][rate]) for rate in (0, 1)]
            for side in (0, 1)
        ]
    shared = [
        int((flags[0] & flags[1])[part].sum()) for part in (slice(size[0]), slice(size[0], None))
    ]
    alone = [
        [int(row[part].sum()) for row in flags] for part in (slice(size[0]), slice(size[0], None))
    ]
    ways = [weights if side is None else moved_weights(weights, terms, side) for side in sides]
    variance, moved = max(
        ((spread(way, alone, shared, size), way) for way in ways), key=lambda pair: pair[0]
    )
    if question.linear:
        plain = [abs(weight) / count for weight, count in zip(weights[0], size, strict=True)]
        steps = [abs(weight) / count for weight, count in zip(moved[0], size, strict=True)]
        fixed = swapped_p(lead, (plain[0], differ[0]), (plain[1], differ[1]))
        return swapped_p(lead, (steps[0], differ[0] + 2), (steps[1], differ[1] + 2)), fixed
    share = size[0] / sum(size)
    by_prior = [
        (question.value(*pair, prior + 1e-6) - question.value(*pair, prior - 1e-6)) / 2e-6
        for pair in rates
    ]
    variance += (by_prior[1] - by_prior[0]) ** 2 * share * (1 - share) / sum(size)
    p = 2 * float(ndtr(-abs(lead) / math.sqrt(variance)))
    return min(1.0, max(p, 2.0 ** (1 - min(sum(differ), 1000)))), p


def check(scores, size, question, p):
    """`choose` finds the same."""
    joint = br.count(
        [1] * size[0] + [0] * size[1], {str(name): row for name, row in enumerate(scores)}
    )
    options = question.options()
    found = br.choose(joint, options.pop("rule"), **options)
    assert len(found.differences) == 1, question.name
    assert math.isclose(found.differences[0].p_value, p, rel_tol=1e-4, abs_tol=1e-12), (
        question.name,
        found.differences[0],
        p,
    )


def set_of(scores, size, question):
    """The p-value of every pair, or nothing where a model cannot satisfy the rule."""
    prior = size[0] / sum(size) if question.prior is None else question.prior
    models = [Sorted(row, size) if not isinstance(row, Sorted) else row for row in scores]
    placed = [chosen(model, question, prior) for model in models]
    if any(place is None for place in placed):
        return None
    known = [(model, *place) for model, place in zip(models, placed, strict=True)]
    pairs = list(combinations(range(len(models)), 2))
    return [tested(known[i], known[j], question, prior, size) for i, j in pairs], [
        question.value(model.tpr[place], model.fpr[place], prior) for model, place, _ in known
    ]


def holm(values):
    order = np.argsort(values)
    return np.maximum.accumulate(
        np.minimum(1.0, np.asarray(values)[order] * (len(values) - np.arange(len(values))))
    )[np.argsort(order)]


def two_models(job):
    """Size and power of every question in one setting, on the same sets."""
    family, size, correlation, sets, seed = job
    rng = np.random.default_rng([seed, *size, FAMILIES.index(family), round(100 * correlation)])
    tally = {question.name: np.zeros(5) for question in QUESTIONS}
    for place in range(sets):
        # Power needs fewer sets than a size that must not exceed 5 %.
        for shifts, column in (((SHIFT, SHIFT), 0), ((SHIFT, BETTER), 3))[: 2 - place % 2]:
            scores = drawn(rng, family, size, shifts, correlation)
            models = [Sorted(row, size) for row in scores]
            for question in QUESTIONS:
                found = set_of(models, size, question)
                if found is None:
                    continue
                ((p, fixed),), values = found
                row = tally[question.name]
                if column == 0:
                    row[:3] += 1, p < LEVEL, fixed < LEVEL
                else:
                    row[3:] += 1, p < LEVEL and values[1] > values[0]
                if place < CHECKED and column == 0:
                    check(scores, size, question, p)
    return [(family, f"{size[0]} + {size[1]}", 2, name, row) for name, row in tally.items()]


def of_amounts(rng, cases, kind):
    """What cases are worth: exponential, or lognormal with a heavy tail."""
    worth = rng.exponential(100, cases) if kind == "exponential" else rng.lognormal(4, 1.5, cases)
    return np.round(worth, 2) + 0.01


def by_amount(kind, options, rule=None):
    """The p-value and the best model, by amounts; a rule limits the share of alerts."""

    def asked(rng, labels, scores):
        budget = None if rule is None else f"alerts <= {rule * len(labels)!r}"
        volume = None if rule is None else len(labels)
        amounts = br.count(labels, scores, amount=of_amounts(rng, len(labels), kind))
        found = br.choose(amounts, budget, volume=volume, **options)
        return found.differences[0].p_value, found.model

    return asked


def by_regret(at, rule=None, volume=None):
    """The p-value and the best model, where conditions are a range or a distribution."""

    def asked(_, labels, scores):
        found = decide(br.count(labels, scores), rule, at=at, volume=volume)
        pair = [one for one in found.differences if set(one.models) == set(scores)]
        return (pair[0].p_value if pair else 1.0), found.model

    return asked


UNCERTAIN = {
    "prior 0.1 % to 10 %, fn = 30": by_regret(
        br.Conditions(prior="0.1%..10%", costs=br.Costs(fn=30))
    ),
    "prior 2 %, fn = 5 to 100": by_regret(br.Conditions(0.02, {"fn": br.Range(5, 100)})),
    "fn = 5 to 100": by_regret(br.Conditions(costs={"fn": br.Range(5, 100)})),
    "prior log-uniform, fn = 30": by_regret(
        br.Conditions(br.LogUniform(0.001, 0.1), br.Costs(fn=30))
    ),
    "5 % alerts, prior 1 % to 5 %": by_regret(
        br.Conditions("1%..5%"), rule="alerts <= 50", volume=1000
    ),
    "amounts exponential, review 5": by_amount("exponential", {"review": 5}),
    "amounts exponential, 5 % alerts": by_amount("exponential", {}, rule=0.05),
    "amounts lognormal, review 20": by_amount("lognormal", {"review": 20}),
    "amounts lognormal, review 2, prior 1 %": by_amount(
        "lognormal", {"review": 2, "at": br.Conditions(0.01)}
    ),
    "amounts lognormal, 5 % alerts": by_amount("lognormal", {}, rule=0.05),
}


def uncertain(job):
    """Size and power by amounts, and over ranges and distributions."""
    family, size, correlation, sets, seed = job
    rng = np.random.default_rng([seed, 7, *size, FAMILIES.index(family)])
    labels = [1] * size[0] + [0] * size[1]
    tally = {name: np.zeros(5) for name in UNCERTAIN}
    for place in range(sets):
        for shifts, column in (((SHIFT, SHIFT), 0), ((SHIFT, BETTER), 3))[: 2 - place % 2]:
            rows = drawn(rng, family, size, shifts, correlation)
            scores = {"a": rows[0], "b": rows[1]}
            for name, asked in UNCERTAIN.items():
                p, best = asked(rng, labels, scores)
                if column == 0:
                    tally[name][:3] += 1, p < LEVEL, math.nan
                else:
                    tally[name][3:] += 1, p < LEVEL and best == "b"
    return [(family, f"{size[0]} + {size[1]}", 2, name, row) for name, row in tally.items()]


def several_models(job):
    """Five equally good models: in how many sets is any of them told from the best?"""
    family, size, correlation, sets, seed = job
    rng = np.random.default_rng([seed, 5, *size, FAMILIES.index(family)])
    rows = []
    for question in (QUESTIONS[0], QUESTIONS[3]):
        tally = np.zeros(5)
        for _ in range(sets):
            found = set_of(drawn(rng, family, size, (SHIFT,) * 5, correlation), size, question)
            if found is None:
                continue
            pairs, best = list(combinations(range(5), 2)), int(np.argmax(found[1]))
            of_best = [k for k, pair in enumerate(pairs) if best in pair]
            tally[:3] += (
                1,
                *(
                    bool((holm([p[kind] for p in found[0]])[of_best] < LEVEL).any())
                    for kind in (0, 1)
                ),
            )
        rows.append((family, f"{size[0]} + {size[1]}", 5, question.name, tally))
    return rows


def table(rows, command, seconds):
    lines = [
        "# Is the best model better? Size and power of the test",
        "",
        (
            f"Recorded with `{command}` ({seconds:.0f} CPU seconds). See the top of"
            " benchmarks/best.py for what was done. All numbers are"
        ),
        (
            "percentages of the sets; asked: size at most 5 % + 3 standard errors. Scores of the"
            " models are correlated as the column says."
        ),
        "",
        (
            "| scores | correlation | cases | models | question | sets | size | s.e. | if fixed |"
            " power |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    over = []
    for correlation, (family, size, models, question, row) in rows:
        share = row[1] / row[0] if row[0] else math.nan
        error = math.sqrt(max(share * (1 - share), 0.05 * 0.95) / row[0]) if row[0] else math.nan
        power = f"{100 * row[4] / row[3]:.1f}" if row[3] else ""
        if share > LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / row[0]):
            over.append(f"{family}, {size}, {question} ({100 * share:.2f} %)")
        cells = (
            family,
            f"{correlation:g}",
            size,
            models,
            question,
            int(row[0]),
            f"{100 * share:.2f}",
            f"{100 * error:.2f}",
        )
        fixed = "" if math.isnan(row[2]) else f"{100 * row[2] / row[0]:.2f}"
        lines.append(f"| {' | '.join(map(str, cells))} | {fixed} | {power} |")
    lines += ["", f"Above 5 % + 3 s.e.: {'; '.join(over) if over else 'none'}."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--write",
        action="store_true",
        help="record the table in benchmarks/best.md (best_uncertain.md)",
    )
    parser.add_argument(
        "--uncertain", action="store_true", help="amounts, ranges and distributions only"
    )
    given = parser.parse_args()
    start = time.process_time()
    jobs = [
        (two_models, (family, size, 0.5, given.sets, given.seed))
        for family in FAMILIES
        for size in SIZES
    ]
    jobs += [(two_models, ("binormal", (50, 1000), 0.9, given.sets, given.seed))]
    jobs += [
        (several_models, (family, (50, 1000), 0.5, max(1, given.sets // 4), given.seed))
        for family in FAMILIES
    ]
    more = [
        (uncertain, (family, size, 0.5, max(1, given.sets // 20), given.seed))
        for family in FAMILIES
        for size in SIZES[1:]
    ]
    jobs = more if given.uncertain else [*jobs, *more]
    with multiprocessing.Pool(given.processes) as pool:
        done = [(job[1][2], pool.apply_async(job[0], (job[1],))) for job in jobs]
        found = [(correlation, row) for correlation, rows in done for row in rows.get()]
        pool.close()
        pool.join()
    children = os.times()
    seconds = time.process_time() - start + children.children_user + children.children_system
    name = "best_uncertain" if given.uncertain else "best"
    options = f"--sets {given.sets} --seed {given.seed}" + " --uncertain" * given.uncertain
    text = table(found, f"python benchmarks/best.py {options}", seconds)
    print(text)
    if given.write:
        Path(__file__).with_name(f"{name}.md").write_text(text)


if __name__ == "__main__":
    main()
