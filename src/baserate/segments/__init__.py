"""Groups and days: the same threshold, slice by slice."""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("segments")
