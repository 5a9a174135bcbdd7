"""How long does the winner map take, and how often does it tell equal models apart?

`python benchmarks/winner_map.py` measures the time against counting; `python
benchmarks/winner_map.py same 400` makes 400 maps of two models that are equally good, and counts
those on which one of them is said to be better anywhere.
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


if __name__ == "__main__":
    kind, *numbers = itertools.chain(sys.argv[1:] or ["timed"])
    {"timed": timed, "same": same}[kind](*map(int, numbers))
