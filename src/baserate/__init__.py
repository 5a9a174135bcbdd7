"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one
you tested on.
"""

from __future__ import annotations

TYPE_CHECKING = False  # to type checkers it is true; `typing` is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__version__ = "0.1.0"

# Every public name stands once, in the stubs that type checkers read (__init__.pyi, types.pyi, …),
# behind the module that defines it. A name is loaded at its first use, so that `import baserate`
# costs little more than NumPy.
NAMESPACES = ("types", "curves", "robustness", "planning", "shift", "segments", "plots")


def read_stub(path: str) -> dict[str, str]:
    """Return the module of each name that a stub imports under its own name, one name per line."""
    module_of: dict[str, str] = {}
    module = ""
    with open(path, encoding="utf-8") as stub:
        for line in stub:
            if line.startswith("from "):
                module = line.split()[1]
            elif " as " in line and "." in module:
                module_of[line.split()[0]] = module
    return module_of


def stub_of(space: str) -> str:
    """Return the path of the stub of a namespace ("" is `baserate` itself)."""
    import os

    home = os.path.join(os.path.dirname(__file__), space)  # noqa: PTH120 (pathlib is slow to load)
    # A folder of caches that an earlier version left behind is not the package of that name.
    package = os.path.join(home, "__init__.pyi")
    return package if os.path.exists(package) else f"{home}.pyi"  # noqa: PTH110


def load_lazily(space: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a namespace, whose names are loaded at their first
    use.
    """
    import sys

    home = f"{__name__}.{space}" if space else __name__
    module_of = read_stub(stub_of(space))
    names = sorted([*module_of, *(() if space else ("__version__",))])
    shown = sorted([*names, *(() if space else NAMESPACES)])

    def load(name: str) -> Any:
        from importlib import import_module

        if not space and name in (*NAMESPACES, "learners"):
            return import_module(f"{home}.{name}")
        if name not in module_of:
            raise AttributeError(f"module {home!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        vars(sys.modules[home])[name] = value
        return value

    return load, shown.copy, names


__getattr__, __dir__, __all__ = load_lazily("")
