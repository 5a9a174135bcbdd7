"""The two models of the worked scenarios: 2,000 positives and 98,000 negatives, by score."""

import baserate as br

SCORES = list(range(9, -1, -1))
A_POSITIVES, A_NEGATIVES = (
    [400, 300, 300, 250, 200, 150, 150, 100, 100, 50],
    [20, 40, 100, 240, 600, 2000, 5000, 10000, 20000, 60000],
)
B_POSITIVES, B_NEGATIVES = (
    [500, 150, 100, 100, 150, 250, 250, 250, 150, 100],
    [10, 20, 70, 200, 700, 3000, 9000, 15000, 25000, 45000],
)
F1_A = br.Counts(SCORES, A_POSITIVES, A_NEGATIVES)
F1_B = br.Counts(SCORES, B_POSITIVES, B_NEGATIVES)
CELLS = {
    "A": list(zip(SCORES, A_POSITIVES, A_NEGATIVES, strict=True)),
    "B": list(zip(SCORES, B_POSITIVES, B_NEGATIVES, strict=True)),
}
