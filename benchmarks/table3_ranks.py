"""Writes src/baserate_studies/weng/table3_ranks.npz from the scores of Weka: `python
benchmarks/table3_ranks.py weka_table3.csv.gz`.

The scores are a run of Weka 3.6.14 (NaiveBayes, J48, SMO, IBk -K 3, defaults; 10 × 10-fold
cross-validation) on 20 one-against-the-rest problems of UCI sets. Only the order of scores within a
fold is kept, which is all that a ROC needs, and rows within a fold are sorted, so that the file is
a twentieth of the size. `tests/studies/test_weng_scores.py` compares it with the scores where they
are at hand.
"""

import csv
import gzip
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

LEARNERS = ("nb", "j48", "smo", "ibk3")
TARGET = Path(__file__).parents[1] / "src" / "baserate" / "studies" / "weng" / "table3_ranks.npz"


def folds_of(path):
    """The rows (scores and class) of each problem, seed and fold, in the order in which they
    come.
    """
    found = defaultdict(list)
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            scores = [float(row[name]) for name in LEARNERS]
            found[row["dataset"], int(row["seed"]), int(row["fold"])].append(
                (*scores, row["class"] == "1")
            )
    return found


def ranked(rows):
    """Each score's place among the distinct scores of its fold, from 0 for the lowest; rows sorted
    by that.
    """
    columns = list(zip(*rows, strict=True))
    places = [
        {score: place for place, score in enumerate(sorted(set(column)))} for column in columns[:4]
    ]
    return sorted(
        tuple(place[row[i]] for i, place in enumerate(places)) + (row[4],) for row in rows
    )


def main(path):
    found = folds_of(path)
    names = list(dict.fromkeys(name for name, _, _ in found))
    keys = [(name, seed, fold) for name in names for seed in range(1, 11) for fold in range(10)]
    parts = [ranked(found[key]) for key in keys]
    every = np.array([row for part in parts for row in part])
    np.savez_compressed(
        TARGET,
        names=np.array(names),
        sizes=np.array([len(part) for part in parts], dtype=np.uint8).reshape(len(names), 10, 10),
        ranks=np.ascontiguousarray(every[:, :4].T.astype(np.uint8)),
        positive=np.packbits(every[:, 4].astype(bool)),
    )
    print(TARGET.name, TARGET.stat().st_size, "bytes,", len(every), "rows")


if __name__ == "__main__":
    main(sys.argv[1])
