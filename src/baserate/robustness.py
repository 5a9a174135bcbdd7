"""Decisions where base rate and costs are not known exactly: regret, expectation, winner maps,
sensitivity.
"""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("robustness")
