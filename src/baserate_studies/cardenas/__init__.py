"""Cárdenas & Baras 2006, claim by claim: on synthetic detectors, and on real traffic where its
files are at hand.
"""

from __future__ import annotations

from baserate_studies.cardenas import comparisons, curves, detections, rates, traffic
from baserate_studies.values import Found, How


def found(how: How) -> Found:
    """Every claim of the paper."""
    steps = 4
    parts = (rates, curves, comparisons)
    claims = [claim for part in parts for claim in part.claims()]
    pictures = [picture for part in parts for picture in part.pictures()]
    how.progress(1, steps)
    for done, read in enumerate((traffic.nsl_kdd, traffic.smtp), start=2):
        seen = read(how.data)
        claims += detections.claims(seen)
        pictures += detections.pictures(seen)
        how.progress(done, steps)
    how.progress(steps, steps)
    return Found(tuple(claims), tuple(pictures))
