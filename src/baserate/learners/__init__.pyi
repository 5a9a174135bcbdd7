from baserate.learners.cost_sensitive import (
    CostWeighted as CostWeighted,
    MetaCost as MetaCost,
    MinimumExpectedCost as MinimumExpectedCost,
    MovedThreshold as MovedThreshold,
    cost_weights as cost_weights,
    minimum_expected_cost as minimum_expected_cost,
)
from baserate.learners.cost_tree import (
    CostSensitiveTree as CostSensitiveTree,
)
from baserate.learners.densities import (
    GaussianMixtures as GaussianMixtures,
    LDC as LDC,
    Parzen as Parzen,
    QDC as QDC,
)
from baserate.learners.estimators import (
    Response as Response,
    Scorer as Scorer,
    count_estimator as count_estimator,
    count_folds as count_folds,
    response as response,
    scorer as scorer,
)
from baserate.learners.resampled import (
    FocusedUnderSampler as FocusedUnderSampler,
    Resampled as Resampled,
)
