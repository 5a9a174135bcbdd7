"""The sources reproduced, claim by claim: what each says, what comes out here, and an honest
verdict.

>>> from baserate_studies import Claim
>>> Claim("f", ("S6",), 0.62, 2 / 3, 0.005, "as printed", errata=("B13",)).verdict
'erratum'
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baserate_studies.catalogue import STUDIES, study
    from baserate_studies.claims import Claim
    from baserate_studies.fetching import fetch_uci
    from baserate_studies.uci import load_uci
    from baserate_studies.values import Study

# Loaded at their first use: `baserate --help` loads the command, and no study.
_MODULE_OF = {
    "STUDIES": "catalogue",
    "Claim": "claims",
    "Study": "values",
    "fetch_uci": "fetching",
    "load_uci": "uci",
    "study": "catalogue",
}

__all__ = ["STUDIES", "Claim", "Study", "fetch_uci", "load_uci", "study"]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        from importlib import import_module

        return getattr(import_module(f"baserate_studies.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
