"""The types of results, and of what results are made of."""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("types")
