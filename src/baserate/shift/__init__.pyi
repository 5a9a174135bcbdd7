from baserate.shift.correct import (
    calibrate as calibrate,
    correct_prior as correct_prior,
    correct_probabilities as correct_probabilities,
)
from baserate.shift.estimate import (
    check_label_shift as check_label_shift,
)
