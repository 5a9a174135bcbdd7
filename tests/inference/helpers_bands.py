"""Counts to draw bands of, and the curves that have them."""

import baserate as br
from baserate.curves.named import CURVES

# Ties, a horizontal run (negatives between positives), a vertical one, and both ends of the range.
COUNTS = br.Counts(
    [6, 5, 4, 3, 2, 1], positives=[12, 0, 18, 10, 0, 10], negatives=[0, 8, 12, 0, 30, 50]
)
NAMED = [name for name, entry in CURVES.items() if entry.along]
