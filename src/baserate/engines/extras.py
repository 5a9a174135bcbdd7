"""Libraries that only some sources need: imported where they are needed, and named with the way to get them where they are not there."""

from __future__ import annotations

import importlib
from typing import Any

from baserate.errors import refuse


def needed(module: str, extra: str | None = None) -> Any:
    """The module, or the one line that says how to install it: with an extra of ours, or by itself where we depend on it anyway."""
    try:
        return importlib.import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise refuse(
            "BR714", f"{library} is not installed", f'pip install "baserate[{extra}]"' if extra else f"pip install {library}"
        ) from None
