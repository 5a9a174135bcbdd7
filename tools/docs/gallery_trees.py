"""Two trees for the gallery: one learnt from the cases as they are, one from copied positives.

Tan et al., Fig 5.45.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import baserate as br
from baserate_studies import drawings

SMALLEST_LEAF, COPIES = 2, 5
MIDDLE = (0.3, 0.5)
Box = tuple[float, float, float, float]


def cases() -> tuple[Any, Any]:
    """Negatives all around one positive, and more positives to the right."""
    grid = [(x, y) for x in np.linspace(0.05, 0.55, 5) for y in np.linspace(0.1, 0.9, 5)]
    negatives = [
        place for place in grid if np.hypot(place[0] - MIDDLE[0], place[1] - MIDDLE[1]) > 0.01
    ]
    positives = [MIDDLE, (0.72, 0.3), (0.8, 0.55), (0.9, 0.2), (0.85, 0.8), (0.75, 0.65)]
    return np.array([*positives, *negatives]), np.repeat(
        [True, False], [len(positives), len(negatives)]
    )


def learnt(copies: int) -> Any:
    """A tree whose leaves hold so many cases at least, of positives that are each there so many
    times.
    """
    from sklearn.tree import DecisionTreeClassifier

    x, y = cases()
    rows = np.concatenate((np.flatnonzero(~y), np.repeat(np.flatnonzero(y), copies)))
    return DecisionTreeClassifier(min_samples_leaf=SMALLEST_LEAF, random_state=0).fit(
        x[rows], y[rows]
    )


def regions(tree: Any, node: int = 0, box: Box = (0.0, 1.0, 0.0, 1.0)) -> Iterator[Box]:
    """Where the tree says positive: a box a leaf."""
    inner = tree.tree_
    if inner.children_left[node] < 0:
        if inner.value[node][0].argmax() == 1:
            yield box
        return
    feature, cut = int(inner.feature[node]), float(inner.threshold[node])
    low, high = list(box), list(box)
    low[2 * feature + 1] = high[2 * feature] = cut
    yield from regions(tree, inner.children_left[node], (low[0], low[1], low[2], low[3]))
    yield from regions(tree, inner.children_right[node], (high[0], high[1], high[2], high[3]))


def oversampled_tree() -> br.plots.Figure:
    """The regions that each tree takes for positive, over the cases."""
    x, y = cases()
    panels = []
    for copies, title in ((1, "As they are"), (COPIES, f"Every positive {COPIES} times")):
        boxes = {
            "positive here" if place == 0 else f"and here ({place})": (
                [a, b, b, a, a],
                [c, c, d, d, c],
            )
            for place, (a, b, c, d) in enumerate(regions(learnt(copies)))
        }
        panels.append(
            drawings.scatter_panel(
                x[:, 0], x[:, 1], y, boundaries=boxes, axes=("x", "y"), title=title
            )
        )
    return br.plots.Figure(f"A tree with at least {SMALLEST_LEAF} cases to a leaf", tuple(panels))
