"""Another base rate in the field: estimate it, check what that assumes, correct the scores."""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("shift")
