"""The slides to Tan, Steinbach & Kumar's chapter 6, matrix by matrix."""

from __future__ import annotations

from baserate_studies.slides import curves, matrices
from baserate_studies.values import Found, How


def found(how: How) -> Found:
    """Every claim of the slides."""
    claims = (*matrices.claims(), *curves.claims())
    how.progress(1, 2)
    pictures = tuple(curves.pictures())
    how.progress(2, 2)
    return Found(claims, pictures)
