"""More digits than floats have, where mpmath is installed."""

import functools

import pytest


@functools.cache
def mpmath():
    """The package; a test that needs it where it is not installed is skipped."""
    return pytest.importorskip("mpmath", reason="needs mpmath")
