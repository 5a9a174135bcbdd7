"""How many cases are needed, and what a sample of a given size can demonstrate."""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("planning")
