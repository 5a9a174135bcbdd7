from baserate.segments.days import (
    by_day as by_day,
)
from baserate.segments.groups import (
    by_group as by_group,
)
from baserate.verbs.slices import (
    slices as slices,
)
