"""Every study made once, small: all of its claims and figures, of few cases and folds."""

import functools

from baserate_studies.catalogue import made
from baserate_studies.values import How


@functools.cache
def rehearsed(name):
    """The study of this name; its numbers mean little."""
    return made(name, How(rehearsal=True))
