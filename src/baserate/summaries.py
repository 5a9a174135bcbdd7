"""One number for a whole set of counts."""

from __future__ import annotations

from baserate.counts import Counts
from baserate.errors import refuse
from baserate.exact import share_won
from baserate.undefined import Undefined


def auc(counts: Counts) -> float:
    """How often does a positive score higher than a negative?

    The share of (positive, negative) pairs that the score puts in the right order, a tie counting one half: the area under the
    ROC curve, (wins + ties / 2) / (P · N). 1 ranks every positive above every negative, 0.5 knows nothing, 0 is perfectly reversed.
    It does not depend on the prior. Exact for counts, then rounded once; for coarse counts within `counts.auc_error_bound`.
    Hanley & McNeil 1982, Radiology 143:29-36.

    >>> import baserate as br
    >>> br.auc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    if not isinstance(counts, Counts):
        raise refuse("BR228", f"auc takes Counts, got {type(counts).__name__}", "count(...), joint.marginal(name), or groups[name]")
    for name, total in (("positives", counts.total_positives), ("negatives", counts.total_negatives)):
        if not total:
            return Undefined(f"no {name}" if len(counts.scores) else "no cases")
    return share_won(counts.positives, counts.negatives)
