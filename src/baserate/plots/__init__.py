"""Plots: panels made of finished numbers, and the renderers that draw them."""
