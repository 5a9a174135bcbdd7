"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one you tested on."""

from baserate.counts import Counts
from baserate.engines.arrays import count, count_groups, count_models
from baserate.engines.saved import load
from baserate.errors import InputError
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.notes import Ledger, Note, Source
from baserate.summaries import auc
from baserate.undefined import Undefined

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "GroupedCounts",
    "InputError",
    "JointCounts",
    "Ledger",
    "Note",
    "Source",
    "Undefined",
    "__version__",
    "auc",
    "count",
    "count_groups",
    "count_models",
    "load",
]
