from baserate.inference.differences import (
    mcnemar_p as mcnemar_p,
)
from baserate.inference.sample_size import (
    cases_at_prior as cases_at_prior,
    cases_for_auc as cases_for_auc,
    cases_for_margin as cases_for_margin,
    cases_for_mcnemar as cases_for_mcnemar,
    cases_for_width as cases_for_width,
    cases_needed as cases_needed,
    power_at_prior as power_at_prior,
    power_to_show as power_to_show,
    sample_support as sample_support,
    smallest_detectable as smallest_detectable,
    smallest_rate_shown as smallest_rate_shown,
)
