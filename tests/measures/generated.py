"""Confusions, priors, costs and parameters that break formulas: zeros, 12 decades of sizes, priors
near 0 and 1, rewards.
"""

import math

COSTS = ("tp", "fp", "fn", "tn")


def size(rng):
    kind = rng.random()
    if kind < 0.25:
        return 0
    if kind < 0.9:
        return rng.randint(1, 10 ** rng.randint(1, 12))
    return rng.random() * 10 ** rng.randint(-3, 6)


def confusion(rng):
    """(tp, fp, fn, tn), often with an empty cell, sometimes with masses instead of counts."""
    return tuple(size(rng) for _ in range(4))


def full_confusion(rng, most=1000):
    """Counts of which none is 0."""
    return tuple(rng.randint(1, most) for _ in range(4))


def prior(rng):
    """None is the sample's own."""
    near = 10 ** -rng.uniform(0.31, 9)
    return rng.choice([None, near, 1 - near, rng.uniform(0.01, 0.99), 1e-9, 1 - 1e-9])


def costs(rng):
    """(tp, fp, fn, tn): unequal, with rewards and costs on the diagonal, a miss and a false alarm
    always the worse answer.
    """
    tp, tn = (rng.choice([0, 0, -5, 2, -0.3, rng.uniform(-10, 10)]) for _ in range(2))
    fn, fp = (better + rng.choice([1, 0.1, 5, 100, rng.uniform(0.5, 500)]) for better in (tp, tn))
    return tp, fp, fn, tn


PARAMETERS = {
    "f_beta": lambda rng: {"beta": rng.choice([0, 0.5, 1, 2, math.inf, rng.uniform(0, 5)])},
    "weighted_accuracy": lambda rng: {
        f"w{i}": rng.choice([0, 1, 2.5, rng.random()]) for i in range(1, 5)
    },
    "diagnostic_odds_ratio": lambda rng: rng.choice([{}, {"correction": 0.5}, {"correction": 0.1}]),
    "sedi": lambda rng: rng.choice([{}, {"correction": 0.5}, {"correction": 0.1}]),
    "net_benefit": lambda rng: rng.choice([{}, {"t": 0.5}, {"t": rng.uniform(0.001, 0.999)}]),
}
VOLUME = ("alerts", "caught", "missed", "false_alarms", "volume_cost")


def parameters(name, rng):
    if name in VOLUME:
        return {"volume": rng.choice([1, 1000, 10**9, rng.uniform(0.1, 1e6)])}
    return PARAMETERS[name](rng) if name in PARAMETERS else {}
