"""Plots: panels made of finished numbers, and the renderers that draw them."""

from baserate import load_lazily

__getattr__, __dir__, __all__ = load_lazily("plots")
