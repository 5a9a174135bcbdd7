"""Files to judge: a candidate against a baseline, and one model against a requirement."""

from tests.cli.helpers import written

COMPARED = ("--label", "y", "--baseline", "old", "--candidate", "new", "--threshold", "0.5")
REQUIRED = ("--label", "y", "--score", "m", "--threshold", "1")
USUAL = {"x": (95, 5, 10, 890)}


def cases(only_old, only_new, both=0, neither=0, label=None):
    """Rows (y, old, new): so many that only the old, or only the new model has right at threshold
    0.5.
    """
    right = [(1, 0)] * only_old + [(0, 1)] * only_new + [(1, 1)] * both + [(0, 0)] * neither
    labels = [i % 2 if label is None else label for i in range(len(right))]
    return [(y, int(old == y), int(new == y)) for y, (old, new) in zip(labels, right, strict=True)]


def sliced(path, slices):
    """The cases of two models, and in the column "site" the name of their slice."""
    return written(
        path,
        ["y", "old", "new", "site"],
        [(*row, name) for name, rows in slices.items() for row in rows],
    )


def plain(path, rows):
    """The cases of two models, without slices."""
    return written(path, ["y", "old", "new"], rows)


def graded(path, sites):
    """One score 0/1; of every site: positives found and missed, negatives flagged and not."""
    rows = []
    for site, (tp, fn, fp, tn) in sites.items():
        rows += (
            [(1, 1, site)] * tp + [(1, 0, site)] * fn + [(0, 1, site)] * fp + [(0, 0, site)] * tn
        )
    return written(path, ["y", "m", "site"], rows)
