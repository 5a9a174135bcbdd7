"""Curves: two measures read along the thresholds, or one measure read along the conditions; areas
and summaries.
"""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("curves")
