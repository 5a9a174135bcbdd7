"""Decisions where base rate and costs are not known exactly: regret, expectation, winner maps,
sensitivity.
"""

from baserate import lazily

__getattr__, __dir__, __all__ = lazily("robustness")
