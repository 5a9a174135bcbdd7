"""The types of results, and of what results are made of."""

from baserate import lazily

__getattr__, __dir__, __all__ = lazily("types")
