from baserate_learners.cost_sensitive import (
    CostWeighted as CostWeighted,
    MetaCost as MetaCost,
    MinimumExpectedCost as MinimumExpectedCost,
    MovedThreshold as MovedThreshold,
    cost_weights as cost_weights,
    minimum_expected_cost as minimum_expected_cost,
)
from baserate_learners.cost_tree import (
    CostSensitiveTree as CostSensitiveTree,
)
from baserate_learners.densities import (
    GaussianMixtures as GaussianMixtures,
    LDC as LDC,
    Parzen as Parzen,
    QDC as QDC,
)
from baserate_learners.resampled import (
    FocusedUnderSampler as FocusedUnderSampler,
    Resampled as Resampled,
)

__all__: list[str]
