"""Values that do not change once made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy.typing as npt


class Frozen:
    """A value whose attributes are set once, by `_set`, and whose arrays are read-only."""

    def _set(self, arrays: Iterable[npt.NDArray[Any]], **attributes: object) -> None:
        for array in arrays:
            array.flags.writeable = False
        self.__dict__.update(attributes)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")
