from baserate.decisions.regret import (
    regret as regret,
    value_of_information as value_of_information,
)
from baserate.decisions.sensitivity import (
    stability as stability,
)
from baserate.inference.decide import (
    best_recall as best_recall,
    winner_map as winner_map,
)
from baserate.inference.label_errors import (
    label_error_table as label_error_table,
    under_label_errors as under_label_errors,
    under_verification as under_verification,
)
from baserate.verbs.triage import (
    triage as triage,
)
