from baserate.conditions import (
    Cut as Cut,
)
from baserate.counts.amounts import (
    JointAmounts as JointAmounts,
)
from baserate.curves.calibration import (
    Decomposition as Decomposition,
)
from baserate.curves.curve import (
    Curves as Curves,
)
from baserate.curves.threshold_table import (
    ThresholdTable as ThresholdTable,
)
from baserate.decisions.amount_costs import (
    AmountChoice as AmountChoice,
    AmountPoint as AmountPoint,
)
from baserate.decisions.best_recall import (
    BestRecall as BestRecall,
    Lead as Lead,
)
from baserate.decisions.regret import (
    InformationValue as InformationValue,
    Regret as Regret,
)
from baserate.decisions.roc_geometry import (
    Baseline as Baseline,
    Crossing as Crossing,
    Stretch as Stretch,
    Superiority as Superiority,
    Win as Win,
)
from baserate.decisions.selection import (
    Fixed as Fixed,
)
from baserate.decisions.sensitivity import (
    Change as Change,
    Stability as Stability,
    Stays as Stays,
)
from baserate.decisions.winner_map import (
    Border as Border,
    SignificanceRegion as SignificanceRegion,
    Undecided as Undecided,
    WinnerMap as WinnerMap,
)
from baserate.errors import (
    Ledger as Ledger,
    Note as Note,
    Source as Source,
)
from baserate.inference.bands import (
    Band as Band,
    FoldCurve as FoldCurve,
    FoldMean as FoldMean,
)
from baserate.inference.expectation import (
    Expectation as Expectation,
    Outlook as Outlook,
)
from baserate.inference.label_errors import (
    LabelErrors as LabelErrors,
    Verified as Verified,
)
from baserate.inference.sample_size import (
    Cases as Cases,
    Detectable as Detectable,
    Support as Support,
)
from baserate.measures.calculator import (
    Rates as Rates,
    Solved as Solved,
)
from baserate.measures.isolines import (
    IsoCost as IsoCost,
    Isoline as Isoline,
)
from baserate.numbers import (
    Reading as Reading,
    Undefined as Undefined,
)
from baserate.results.plan import (
    Design as Design,
    Plan as Plan,
)
from baserate.results.triage import (
    Triage as Triage,
    Triages as Triages,
)
from baserate.results.values import (
    Check as Check,
    Differences as Differences,
    NonInferiority as NonInferiority,
    Part as Part,
)
from baserate.segments.days import (
    Day as Day,
    Days as Days,
)
from baserate.segments.groups import (
    Slice as Slice,
    Slices as Slices,
)
from baserate.segments.groups_and_days import (
    GroupsAndDays as GroupsAndDays,
)
from baserate.shift.correct import (
    Calibration as Calibration,
)
from baserate.shift.estimate import (
    PriorEstimate as PriorEstimate,
    ShiftCheck as ShiftCheck,
)
from baserate.verbs.estimators import (
    Response as Response,
    Scorer as Scorer,
)
