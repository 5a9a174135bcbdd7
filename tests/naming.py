"""Names of cases that are the same in every process: tests are shared out by name, and an address
in memory is none.
"""

import re


def named(value):
    """What a value is shown as, a function by its name, and nothing by where it lies."""
    return value.__name__ if callable(value) else re.sub(r" at 0x[0-9a-f]+", "", str(value))
