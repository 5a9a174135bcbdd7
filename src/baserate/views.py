"""Methods of results that draw, tabulate or continue them: done by modules above, which are loaded
when a method is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

# Which function of which module makes each view. The only imports that point upwards.
VIEWS = {
    "amount_intervals": "inference.amount_intervals:amount_intervals",
    "amounts_moved": "inference.amount_intervals:amounts_moved",
    "dict": "output.results:as_dict",
    "frame": "output.results:as_frame",
    "html": "output.results:as_html",
    "interval": "inference.intervals:interval_at",
    "intervals": "inference.intervals:intervals_of",
    "moved": "inference.best_model:moved",
    "plot": "plots.figures:picture",
}


def view(kind: str, result: object, **given: Any) -> Any:
    """The view of a result by its kind."""
    from importlib import import_module

    module, _, name = VIEWS[kind].partition(":")
    return getattr(import_module(f"baserate.{module}"), name)(result, **given)


class Viewed:
    """A result that can be had as plain values, as a data frame, and as a table in a notebook."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values: numbers, text, lists and dictionaries, as the command line's JSON has
        them.
        """
        found: dict[str, Any] = view("dict", self)
        return found

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """The rows as a data frame of pandas, polars or pyarrow."""
        return view("frame", self, backend=backend)

    def _repr_html_(self) -> str:
        found: str = view("html", self)
        return found


class Later(Mapping[str, Any]):
    """A view that is a mapping, made when it is first looked at."""

    def __init__(self, kind: str, result: object, **given: Any) -> None:
        self._asked = (kind, result, given)
        self._found: Mapping[str, Any] | None = None

    @property
    def _made(self) -> Mapping[str, Any]:
        if self._found is None:
            kind, result, given = self._asked
            self._found = view(kind, result, **given)
        return self._found

    def again(self, result: object) -> Later:
        """The same view of another result."""
        return Later(self._asked[0], result, **self._asked[2])

    def __getitem__(self, name: str) -> Any:
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return repr(self._made)
