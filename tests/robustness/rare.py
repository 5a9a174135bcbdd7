"""Two models of rare cases, by score: 200 positives of 400,200 cases."""

import baserate as br

RULES = br.Counts(
    [5, 4, 3, 2, 1], positives=[90, 50, 30, 20, 10], negatives=[4, 40, 800, 20_000, 379_156]
)
FOREST = br.Counts(
    [5, 4, 3, 2, 1], positives=[60, 90, 45, 4, 1], negatives=[1, 30, 2500, 40_000, 357_469]
)
BOTH = {"rules": RULES, "forest": FOREST}
