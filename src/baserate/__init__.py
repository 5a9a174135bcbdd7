"""Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one you tested on."""

from baserate.calculator import Rates, Solved, solve_rates
from baserate.conditions import Conditions, Cut
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.decisions.baselines import Baseline, ideal_baseline
from baserate.decisions.borders import Win, winners
from baserate.decisions.choosing import choose, flag_at, guess
from baserate.decisions.crossings import Crossing, Stretch, Superiority, superiority
from baserate.decisions.fixing import Fixed, fix
from baserate.decisions.operating import OperatingPoint
from baserate.engines.arrays import count, count_groups, count_models
from baserate.engines.saved import load
from baserate.errors import Infeasible, InputError
from baserate.grouped import GroupedCounts
from baserate.isolines import Isoline, isoline
from baserate.joint import JointCounts
from baserate.measures.confusions import Confusion, measure
from baserate.measures.values import Measure
from baserate.notes import Ledger, Note, Source
from baserate.points import Points
from baserate.readings import Reading
from baserate.summaries import auc
from baserate.undefined import Undefined

__version__ = "0.1.0"

__all__ = [
    "Baseline",
    "Conditions",
    "Confusion",
    "Costs",
    "Counts",
    "Crossing",
    "Cut",
    "Fixed",
    "GroupedCounts",
    "Infeasible",
    "InputError",
    "Isoline",
    "JointCounts",
    "Ledger",
    "Measure",
    "Note",
    "OperatingPoint",
    "Points",
    "Rates",
    "Reading",
    "Solved",
    "Source",
    "Stretch",
    "Superiority",
    "Undefined",
    "Win",
    "__version__",
    "auc",
    "choose",
    "count",
    "count_groups",
    "count_models",
    "fix",
    "flag_at",
    "guess",
    "ideal_baseline",
    "isoline",
    "load",
    "measure",
    "solve_rates",
    "superiority",
    "winners",
]
