"""Measures by their definitions, integrated over what is known of both rates and of the prior."""

import math

import numpy as np
from scipy import stats

import baserate as br

DRAWS = 40_000
FEW = br.Confusion(tp=3, fp=2, fn=4, tn=50)
MIDDLE = br.Confusion(tp=40, fp=10, fn=10, tn=990)
NOISY = br.Confusion(tp=45, fp=300, fn=5, tn=700)
SURE = br.Confusion(tp=200, fp=1, fn=3, tn=400)
CONFUSIONS = [FEW, MIDDLE, NOISY, SURE]
WITHIN_A_CLASS = ("tpr", "fnr", "fpr", "tnr")
COSTS = br.Costs(fp=2, fn=30, tp=-1, tn=0.5)


def value_of(name, t, f, prior, costs=None, volume=1.0):
    """The measures by their definitions, written out once more."""
    costs = costs or br.Costs()
    tp, fp, fn, tn = prior * t, (1 - prior) * f, prior * (1 - t), (1 - prior) * (1 - f)
    formulas = {
        "tpr": lambda: t,
        "precision": lambda: tp / (tp + fp),
        "npv": lambda: tn / (tn + fn),
        "fdr": lambda: fp / (tp + fp),
        "posfrac": lambda: tp + fp,
        "accuracy": lambda: tp + tn,
        "f1": lambda: 2 * tp / (2 * tp + fp + fn),
        "mcc": lambda: (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "expected_cost": lambda: tp * costs.tp + fp * costs.fp + fn * costs.fn + tn * costs.tn,
        "alerts": lambda: volume * (tp + fp),
        "caught": lambda: volume * tp,
        "missed": lambda: volume * fn,
        "false_alarms": lambda: volume * fp,
    }
    return formulas[name]()


def spread(law, places):
    """Values of a law with the same chance each; a number stays one."""
    return np.atleast_1d(
        law.ppf((np.arange(places) + 0.5) / places) if hasattr(law, "ppf") else law
    )


def jeffreys(confusion):
    tp, fp, fn, tn = map(float, confusion)
    return stats.beta(tp + 0.5, fn + 0.5), stats.beta(fp + 0.5, tn + 0.5)


def values_over(name, laws, prior, costs=None, volume=1.0):
    """The measure for every combination of values of both rates and of the prior: the integral, on
    a fine grid.
    """
    places = (300, 300, 1) if not hasattr(prior, "ppf") else (90, 90, 60)
    t, f, p = np.meshgrid(
        *(spread(law, count) for law, count in zip((*laws, prior), places, strict=True)),
        indexing="ij",
    )
    return value_of(name, t, f, p, costs, volume).ravel()


def assert_bounds(found, values, below, above):
    """The chances beyond the bounds are those asked for: but for the luck of 40,000 draws, and the
    grid.
    """
    for bound, missed, beyond in (
        (found.low, below, values < found.low),
        (found.high, above, values > found.high),
    ):
        if missed:
            assert math.isclose(
                np.mean(beyond),
                missed,
                abs_tol=4.5 * math.sqrt(missed * (1 - missed) / DRAWS) + 0.001,
            ), bound


def codes(found):
    return [note.code for note in found.notes]


def toward(confusion, name, side, prior):
    """The laws of Clopper and Pearson's bounds, each rate pushed the way that makes the statement
    harder; a number at its end.
    """
    tp, fp, fn, tn = map(float, confusion)
    t, f, step = tp / (tp + fn), fp / (fp + tn), 1e-4
    sign = 1 if side == "upper" else -1
    rises = [value_of(name, t + step, f, prior, COSTS) > value_of(name, t, f, prior, COSTS)]
    rises += [value_of(name, t, f + step, prior, COSTS) > value_of(name, t, f, prior, COSTS)]
    laws = []
    for (seen, rest), rise in zip(((tp, fn), (fp, tn)), rises, strict=True):
        up = (1 if rise else -1) * sign > 0
        a, b = (seen + 1, rest) if up else (seen, rest + 1)
        laws.append(stats.beta(a, b) if a and b else float(up))
    return laws
