"""Another base rate in the field: estimate it, check what that assumes, correct the scores."""

from baserate import lazily

__getattr__, __dir__, __all__ = lazily("shift")
