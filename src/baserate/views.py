"""How results are drawn and tabulated: by modules above them, loaded when a method asks."""

from __future__ import annotations

from typing import Any

VIEWS: dict[str, str] = {}


def view(kind: str, result: object, **given: Any) -> Any:
    """The view of a result by its kind."""
    from importlib import import_module

    module, _, name = VIEWS[kind].partition(":")
    return getattr(import_module(f"baserate.{module}"), name)(result, **given)
