"""How long does the winner map take, and how often does it tell equal models apart?

`python benchmarks/winner_map.py` measures the time against counting; `python
benchmarks/winner_map.py same 400` makes 400 maps of two models that are equally good, and counts
those on which one of them is called better anywhere. `recall 400` does the same for
`best_recall`, the highest recall within a share of false alarms, and also counts how often a model
is found that is better (its positives shifted by 2.0 instead of 1.5).
"""

import itertools
import sys
import time

import numpy as np

import baserate as br

REPEATS = 3


def best(function):
    """The shortest of a few runs, and what it gave."""
    times, value = [], None
    for _ in range(REPEATS):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return min(times), value


def timed(rows=1_000_000, models=10):
    rng = np.random.default_rng(0)
    y = rng.random(rows) < 0.01
    scores = {f"m{k}": rng.normal((1.5 + 0.1 * k) * y, 1 + 0.05 * k) for k in range(models)}
    counting, counts = best(lambda: {name: br.count(y, score) for name, score in scores.items()})

    def mapped():
        for one in counts.values():
            one.__dict__.pop("_points", None)  # what a first call finds
        return br.robustness.winner_map(counts)

    mapping, found = best(mapped)
    asking, _ = best(
        lambda: found.grid(
            np.geomspace(1e-6, 0.5, 100).tolist(), np.geomspace(1e-4, 10, 100).tolist()
        )
    )
    ratio = f"counting {counting:.3f} s, map {mapping:.3f} s ({mapping / counting:.2f} of it)"
    print(
        f"{models} models x {rows:,} rows: {ratio}, {len(found.wins)} stretches, a grid of 100 x"
        f" 100 {asking:.3f} s"
    )


def same(sets=400):
    """Two models of the same distribution: how often is one told from the other, anywhere on the
    map, at 95 %?
    """
    claimed = 0
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        y = (np.arange(2000) % 10 == 0).astype(int)
        joint = br.count(y, {name: np.round(rng.normal(1.5 * y, 1), 2) for name in "ab"})
        apart = br.robustness.winner_map(joint, level=0.95, seed=seed).apart
        pairs = zip(apart.places, apart.winners, strict=True)
        claimed += any(
            {"a", "b"} - {winner} - set(apart.doubtful(place))
            for place, winner in pairs
            if winner in ("a", "b")
        )
    print(
        f"{claimed} of {sets} maps of equal models ({100 * claimed / sets:.1f} %) tell them apart"
        " somewhere"
    )


# Positives, negatives, what the scores of two models share, decimals, share of false alarms, and
# whether thresholds alone are compared.
RECALLS = (
    (100, 1900, 0.0, 2, 0.5),
    (30, 1000, 0.5, 1, 0.8),
    (50, 5000, 0.5, 3, 0.5),
    (200, 2000, 0.9, 3, 0.3),
)


def recall(sets=400):
    """Two models of the same distribution, and two of which one is better: how often is the leader
    called better at any of the tested base rates, at 95 %?
    """
    print("| positives + negatives | correlation | fdr | equal | better |")
    print("|---|---|---|---|---|")
    for place, (positives, negatives, shared, decimals, fdr) in enumerate(RECALLS):
        y = np.repeat([1, 0], [positives, negatives])
        found = {1.5: 0, 2.0: 0}
        for shift, seed in itertools.product(found, range(sets)):
            rng = np.random.default_rng((place, seed))
            both = np.sqrt(shared) * rng.normal(size=len(y))
            own = np.sqrt(1 - shared) * rng.normal(size=(2, len(y)))
            scores = np.round(np.multiply.outer([1.5, shift], y) + both + own, decimals)
            joint = br.count(y, {"a": scores[0], "b": scores[1]})
            tested = br.robustness.best_recall(joint, fdr=fdr, attained=True).tested
            found[shift] += any(one.significant for made in tested for one in made.differences)
        shares = " | ".join(f"{100 * number / sets:.1f} %" for number in found.values())
        print(
            f"| {positives} + {negatives} | {shared:g} | {fdr:g} | {shares} |",
            flush=True,
        )


if __name__ == "__main__":
    kind, *numbers = itertools.chain(sys.argv[1:] or ["timed"])
    {"timed": timed, "same": same, "recall": recall}[kind](*map(int, numbers))
