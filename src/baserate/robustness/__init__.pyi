from baserate.decisions.regret import (
    regret as regret,
    value_of_information as value_of_information,
)
from baserate.inference.label_errors import (
    label_error_table as label_error_table,
    under_label_errors as under_label_errors,
    under_verification as under_verification,
)
from baserate.robustness.leaders import (
    best_recall as best_recall,
)
from baserate.robustness.sensitivity import (
    stability as stability,
)
from baserate.robustness.triage_zones import (
    triage as triage,
)
from baserate.robustness.winner_regions import (
    winner_map as winner_map,
)
