from collections.abc import Callable
from typing import Any

from baserate import (
    curves as curves,
    planning as planning,
    plots as plots,
    robustness as robustness,
    segments as segments,
    shift as shift,
    types as types,
)
from baserate.conditions import (
    Conditions as Conditions,
    Costs as Costs,
)
from baserate.counts.amounts import (
    Amounts as Amounts,
)
from baserate.counts.counts import (
    Counts as Counts,
    JointCounts as JointCounts,
    Unlabelled as Unlabelled,
)
from baserate.counts.grouped import (
    GroupedCounts as GroupedCounts,
)
from baserate.counts.points import (
    Points as Points,
)
from baserate.curves.areas import (
    auc as auc,
)
from baserate.curves.curve import (
    Curve as Curve,
)
from baserate.curves.summaries import (
    Summary as Summary,
)
from baserate.distributions import (
    Distribution as Distribution,
    Draws as Draws,
    LogNormal as LogNormal,
    LogUniform as LogUniform,
    Pilot as Pilot,
    Range as Range,
)
from baserate.errors import (
    Infeasible as Infeasible,
    InputError as InputError,
)
from baserate.inference.rates import (
    rate_interval as rate_interval,
)
from baserate.measures.calculator import (
    solve_rates as solve_rates,
)
from baserate.measures.confusion import (
    Confusion as Confusion,
    Measure as Measure,
)
from baserate.read.cases import (
    count_classes as count_classes,
)
from baserate.read.saved import (
    load as load,
)
from baserate.read.sql import (
    counting_sql as counting_sql,
)
from baserate.reports.page import (
    Report as Report,
    report as report,
)
from baserate.results.choice import (
    Choice as Choice,
)
from baserate.results.operating_point import (
    OperatingPoint as OperatingPoint,
)
from baserate.results.values import (
    Difference as Difference,
    Interval as Interval,
    Requirement as Requirement,
)
from baserate.verbs.choices import (
    choose as choose,
    fix as fix,
)
from baserate.verbs.estimators import (
    count_estimator as count_estimator,
    count_folds as count_folds,
    response as response,
    scorer as scorer,
)
from baserate.verbs.evidence import (
    compare as compare,
    interval as interval,
    non_inferiority as non_inferiority,
    require as require,
)
from baserate.verbs.calculations import (
    calc as calc,
)
from baserate.verbs.plan import (
    plan as plan,
)
from baserate.verbs.priors import (
    estimate_prior as estimate_prior,
)
from baserate.verbs.readings import (
    broc as broc,
    curve as curve,
    det as det,
    measure as measure,
    pr as pr,
    roc as roc,
    summary as summary,
    table as table,
)
from baserate.verbs.sources import (
    count as count,
    count_unlabelled as count_unlabelled,
)

__version__: str
NAMESPACES: tuple[str, ...]

def read_stub(path: str) -> dict[str, str]: ...
def stub_of(space: str) -> str: ...
def load_lazily(space: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]: ...
