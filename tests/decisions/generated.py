"""Counts, conditions and rules that break decisions: ties, one class, huge totals, priors of nine
decades, rewards, every spelling.
"""

from fractions import Fraction

from tests.decisions import oracle_decisions as oracle

import baserate as br

WRITTEN = {
    "1 in 3": Fraction(1, 3),
    "0.1%": Fraction(1, 1000),
    "1:6": Fraction(1, 7),
    "12 per 100k": Fraction(12, 100_000),
}
# Typed floats, which stand for a decimal; computed ones, which are themselves; fractions; and what
# people write.
PRIORS = (
    None,
    None,
    1e-9,
    1e-5,
    0.001,
    0.02,
    0.1,
    0.25,
    0.5,
    0.9,
    0.999,
    1 / 3,
    0.1 + 0.2,
    Fraction(2, 7),
    *WRITTEN,
)
SPELLINGS = {
    "tpr": ("tpr", "recall", "Sensitivity", "hit rate", "P_D", "power", "1-beta"),
    "fpr": ("fpr", "fall-out", "False Alarm Rate", "1-specificity", "type I error"),
    "tnr": ("tnr", "specificity"),
    "fnr": ("fnr", "miss rate", "type II error"),
    "precision": ("precision", "PPV", "purity"),
    "npv": ("npv", "negative predictive value"),
    "fdr": ("fdr", "B_FA"),
    "false_omission_rate": ("false_omission_rate", "fomr", "for"),
    "posfrac": ("posfrac", "alarm rate"),
    "accuracy": ("accuracy", "ACC"),
    "error": ("error", "error rate"),
    "f1": ("f1", "F-measure", "Dice"),
    "jaccard": ("jaccard", "CSI"),
    "balanced_accuracy": ("balanced_accuracy", "BA"),
    "informedness": ("informedness", "Youden's J"),
    "markedness": ("markedness",),
    "kappa": ("kappa", "Cohen's kappa"),
    "lr_positive": ("lr_positive", "LR+"),
    "lr_negative": ("lr_negative", "LR-"),
    "expected_cost": ("expected_cost", "loss"),
    "normalized_cost": ("normalized_cost", "NEC"),
    "lift": ("lift",),
    "nne": ("nne", "number needed to evaluate"),
    "tp": ("tp", "hits"),
    "fp": ("fp", "false positives"),
}
OBJECTIVES = (
    *SPELLINGS,
    "mcc",
    "g_mean",
    "fowlkes_mallows",
    "net_benefit",
    "savings",
    "diagnostic_odds_ratio",
    "total_cost",
)


def scores(rng, size):
    kind = rng.choice(["ints", "huge ints", "floats", "odd"])
    if kind == "ints":
        return rng.sample(range(-20, 20), size)
    if kind == "huge ints":
        return rng.sample(range(2**62, 2**62 + 40), size)
    if kind == "floats":
        return [rng.random() for _ in range(size)]
    return rng.sample(
        [
            float("inf"),
            float("-inf"),
            0.0,
            5e-324,
            -1e300,
            1e300,
            0.1,
            0.2,
            0.3,
            0.5,
            1.0,
            1 + 2**-52,
            -7.5,
        ],
        size,
    )


def cells(rng, *, both=False, most=12):
    """[(score, positives, negatives)] with distinct scores, in no order; none is empty."""
    size = rng.randint(2 if both else 1, most)
    top = rng.choice([1, 2, 3, 10, 1000, 10**9])
    weigh = rng.choice([1, 1, 1, 1, 0.25])
    kind = "both" if both else rng.choice(["both"] * 6 + ["positives", "negatives"])
    found = []
    for score in scores(rng, size):
        hits, misses = rng.randint(0, top), rng.randint(0, top)
        hits, misses = (
            (hits, misses) if hits or misses else (1, 0) if rng.random() < 0.5 else (0, 1)
        )
        if kind != "both":
            hits, misses = (hits + misses, 0) if kind == "positives" else (0, hits + misses)
        found.append((score, hits * weigh, misses * weigh))
    if both and not all(sum(cell[i] for cell in found) for i in (1, 2)):
        found[0], found[1] = (found[0][0], weigh, 0 * weigh), (found[1][0], 0 * weigh, weigh)
    return found


def counts(cells_):
    return br.Counts(*(list(column) for column in zip(*cells_, strict=True)))


def classes(cells_):
    return all(sum(cell[i] for cell in cells_) for i in (1, 2))


def costs(rng):
    """Whole and fractional costs with rewards on the diagonal, as the four numbers (tp, fp, fn,
    tn).
    """
    tp, tn = (rng.choice([0, 0, 0, -5, 2, -0.25]) for _ in range(2))
    fn, fp = (best + rng.choice([1, 1, 0.5, 5, 100, 500, 12345]) for best in (tp, tn))
    return tp, fp, fn, tn


def exact(prior):
    """The prior as it was written, for the oracle."""
    return WRITTEN.get(prior, oracle.meant(prior))


def at(rng, *, known):
    """(Conditions, the same for the oracle); another prior only where both classes are known."""
    prior = rng.choice(PRIORS) if known else None
    if rng.random() < 0.3:
        return br.Conditions(prior), oracle.At(exact(prior))
    tp, fp, fn, tn = costs(rng)
    return br.Conditions(prior, br.Costs(tp=tp, fp=fp, fn=fn, tn=tn)), oracle.At(
        exact(prior), (tp, fp, fn, tn)
    )


def limit(rng, name):
    """(as written, exactly)."""
    if name in ("tp", "fp"):
        whole = rng.randint(0, 12)
        return str(whole), Fraction(whole)
    if name in ("lr_positive", "lift", "nne"):
        tenths = rng.randint(10, 60)
        return f"{tenths / 10}", Fraction(tenths, 10)
    twentieths = rng.randint(0, 20)
    exact = Fraction(twentieths, 20)
    percent = name not in ("expected_cost", "lr_negative") and rng.random() < 0.5
    return (
        f"{5 * twentieths}{rng.choice(['', ' '])}%" if percent else f"{5 * twentieths / 100:g}"
    ), exact


def rule(rng, names=tuple(SPELLINGS), most=3, *, sensible=False):
    """(text, terms, canonical text) of up to three requirements; sensible ones ask for more of what
    is better.
    """
    texts, terms, printed = [], [], []
    for name in rng.sample(names, rng.randint(0, most)):
        sense = rng.choice([">=", "<="]) if not sensible else "<=" if name in oracle.LOWER else ">="
        written, exact = limit(rng, name)
        sign = {">=": rng.choice([">=", "≥"]), "<=": rng.choice(["<=", "≤"])}[sense]
        gap = rng.choice(["", " "])
        texts.append(f"{rng.choice(SPELLINGS[name])}{gap}{sign}{gap}{written}")
        terms.append(oracle.Term(name, sense, exact, {}))
        printed.append(
            f"{name} {sense} {exact.numerator if exact.denominator == 1 else float(exact)}"
        )
    return (
        rng.choice([" and ", " AND ", "  and "]).join(texts) or None,
        terms,
        " and ".join(printed),
    )
