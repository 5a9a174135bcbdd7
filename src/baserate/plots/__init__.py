"""Plots: panels made of finished numbers, and the renderers that draw them."""

from baserate import lazily

__getattr__, __dir__, __all__ = lazily("plots")
