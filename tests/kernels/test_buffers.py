"""What the C kernels do with memory: they refuse what is too short, of another kind or read-only,
and give everything back.
"""

import array
import ctypes
import importlib
import mmap
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from baserate.kernels import portable

compiled = pytest.importorskip("baserate.kernels.compiled", reason="the C extension is not built")
module = importlib.import_module("baserate.kernels._kernels")

PLACES = np.array([1.0, 2.0, 3.0]).view(np.uint64)
SCORES, LABELS = np.array([0.5, -1.5, 0.25]), np.array([1, 0, 1], np.uint8)
WORDS, INTS, FLOATS = np.zeros(3, np.uint64), np.zeros(3, np.int64), np.zeros(3)
ONE, ROWS = np.zeros(1, np.int64), np.array([0, 3])
PAIRS = np.array([0, 1, 2], np.uint64).repeat(2)
PAIRS[1::2] = PLACES
LIBC = ctypes.CDLL(None)
SLICES = module.SLICES
ANCHORS = np.array([0, 1])

# Calls whose memory is just long enough, and the arguments that may not be shorter.
CALLS = {
    "pack": ((SCORES, LABELS, WORDS), (1, 2)),
    "parts": ((SCORES, ONE, LABELS, INTS[:2]), (2, 3)),
    "pack_parts": ((SCORES, LABELS, 0 * LABELS, WORDS, ONE), (1, 2, 3, 4)),
    "sort": ((WORDS, WORDS), (1,)),
    "sort_pairs": ((PAIRS, PAIRS), (1,)),
    "pack_pairs": ((SCORES, LABELS, FLOATS, PAIRS), (1, 2, 3)),
    "unpack_pairs": ((PAIRS, FLOATS, FLOATS), (1, 2)),
    "scan": ((WORDS, 3, FLOATS, INTS, INTS), (2, 3, 4)),
    "pack_groups": (
        (SCORES, LABELS, np.zeros(3, np.uint32), WORDS, ONE, ONE + 2),
        (1, 2, 3, 4, 5),
    ),
    "scan_groups": (
        (WORDS, ROWS, ONE + 3, WORDS, FLOATS, INTS, INTS, INTS[:2]),
        (0, 1, 2, 3, 4, 5, 6, 7),
    ),
    "tally": ((FLOATS, LABELS, FLOATS[:1], INTS[:2]), (1, 3)),
    "tally_weights": (
        (FLOATS, LABELS, FLOATS, FLOATS[:1], np.ones(SLICES), np.zeros(2 * SLICES)),
        (1, 2, 4, 5),
    ),
    "distinct": ((np.arange(3, dtype=np.uint32), 1, np.zeros(3, np.uint32), INTS), (0,)),
    "index": ((ANCHORS,), ()),
    "gaps": ((SCORES, LABELS, module.index(ANCHORS), INTS[:2], INTS, INTS), (1, 3, 4, 5)),
}
for given_, _ in CALLS.values():
    for one in given_:
        if isinstance(one, np.ndarray):
            one.flags.writeable = False  # calls are given copies
KINDS = {"d": "d", "f": "f", "l": "q", "q": "q", "L": "Q", "Q": "Q", "I": "I", "B": "B"}


def lent(argument, items=None):
    """A copy in memory that cannot grow while somebody holds it."""
    if not isinstance(argument, np.ndarray):
        return argument
    return array.array(KINDS[argument.dtype.char], argument[:items].tobytes())


def assert_given_back(arguments):
    for one in arguments:
        if isinstance(one, array.array):
            one.append(0)  # a BufferError where somebody still holds it


@pytest.mark.parametrize("name", CALLS)
def test_memory_is_given_back_after_a_call(name):
    arguments = [lent(one) for one in CALLS[name][0]]
    getattr(module, name)(*arguments)
    assert_given_back(arguments)


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, (_, places) in CALLS.items() for place in places]
)
def test_memory_that_is_one_item_too_short_is_refused_and_given_back(name, place):
    arguments = [lent(one) for one in CALLS[name][0]]
    arguments[place].pop()
    with pytest.raises(ValueError, match="."):
        getattr(module, name)(*arguments)
    assert_given_back(arguments)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        (name, place)
        for name, (given, _) in CALLS.items()
        for place, one in enumerate(given)
        if isinstance(one, np.ndarray)
    ],
)
def test_memory_of_another_kind_is_refused_and_given_back(name, place):
    arguments = [lent(one) for one in CALLS[name][0]]
    arguments[place] = array.array("h", [0] * len(arguments[place]))
    with pytest.raises(TypeError, match=r"item type 'h'"):
        getattr(module, name)(*arguments)
    assert_given_back(arguments)


@pytest.mark.parametrize(
    ("name", "place"),
    [("pack", 2), ("parts", 2), ("pack_parts", 3), ("sort", 0), ("sort", 1), ("scan", 2),
     ("pack_pairs", 3), ("unpack_pairs", 1), ("tally", 2), ("gaps", 3)],
)  # fmt: skip
def test_what_is_written_to_may_not_be_read_only(name, place):
    arguments = [lent(one) for one in CALLS[name][0]]
    arguments[place] = memoryview(arguments[place]).toreadonly()
    with pytest.raises((BufferError, ValueError, TypeError), match="writable|read-only"):
        getattr(module, name)(*arguments)


ROWS_MANY = 100_000
MANY = np.arange(ROWS_MANY)
CODES, FIRSTS = np.zeros(ROWS_MANY, np.uint32), np.zeros(ROWS_MANY, np.int64)
LARGE = {
    "index": (MANY,),
    "distinct": (MANY.astype(np.uint32), 1, CODES, FIRSTS),
    "distinct of objects": (MANY.astype(object), 0, CODES, FIRSTS),
}  # fmt: skip


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize("name", LARGE)
def test_what_a_call_allocates_is_freed(name):
    """Each call allocates half a megabyte or more."""
    function, arguments = getattr(module, name.partition(" ")[0]), LARGE[name]
    pages = []
    for _ in range(60):
        function(*arguments)
        pages.append(int(Path("/proc/self/statm").read_text().split()[1]))
    assert pages[-1] - pages[9] < 50 * 40  # a tenth of a megabyte and more would be 5 MB


@pytest.mark.parametrize("name", ["sort", "sort_pairs", "scan_groups", "tally", "tally_weights"])
def test_what_a_call_takes_of_python_is_given_back(name):
    arguments, function = [lent(one) for one in CALLS[name][0]], getattr(module, name)
    tracemalloc.start()
    try:
        for _ in range(20):
            function(*arguments)
        assert tracemalloc.get_traced_memory()[0] < 20_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 127, 128, 254, 255])
def test_parts_are_those_of_a_search_among_the_bounds(kind, count):
    rng = np.random.default_rng(count)
    scores = rng.integers(-300, 300, 2000).astype(kind)
    orders = portable.ascending_orders(scores.copy())
    bounds = np.sort(rng.choice(np.unique(orders), count, replace=False)).astype(np.int64)
    parts, sizes = np.empty(len(scores), np.uint8), np.zeros(count + 1, np.int64)
    module.parts(scores, bounds, parts, sizes)
    expected = np.searchsorted(bounds, orders, side="right")
    assert parts.tolist() == expected.tolist()
    assert sizes.tolist() == np.bincount(expected, minlength=count + 1).tolist()


def guarded(argument, at_end):
    """A copy whose last item, or first, touches memory that nobody may look at."""
    if not isinstance(argument, np.ndarray):
        return argument
    page = mmap.PAGESIZE
    pages = -(-argument.nbytes // page)
    room = mmap.mmap(-1, page * (pages + 2))
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    for forbidden in (start, start + page * (pages + 1)):
        assert LIBC.mprotect(ctypes.c_void_p(forbidden), ctypes.c_size_t(page), 0) == 0
    first = page * (pages + 1) - argument.nbytes if at_end else page
    copy = np.frombuffer(room, argument.dtype, argument.size, offset=first)
    copy[...] = argument.ravel()
    return copy


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_no_memory_beside_the_items_is_looked_at(name, at_end):
    """It would end the process."""
    plain = [one.copy() if isinstance(one, np.ndarray) else one for one in CALLS[name][0]]
    beside = [guarded(one, at_end) for one in CALLS[name][0]]
    expected, found = getattr(module, name)(*plain), getattr(module, name)(*beside)
    assert type(found) is type(expected)
    assert isinstance(found, type(module.index(ANCHORS))) or found == expected
    for one, other in zip(plain, beside, strict=True):
        assert not isinstance(one, np.ndarray) or one.tobytes() == other.tobytes()


TEXTS = np.array([f"{number:x}" for number in range(40)], dtype=object)
OF_PYTHON = {
    "distinct": lambda: (TEXTS, 0, np.zeros(40, np.uint32), np.zeros(40, np.int64)),
    **{
        name: lambda name=name: [lent(one) for one in CALLS[name][0]]
        for name in ("sort", "scan_groups", "tally", "tally_weights")
    },
}


@pytest.mark.parametrize("name", OF_PYTHON)
def test_memory_that_python_does_not_give_is_an_error(name):
    """The first allocation of a call fails, or the second, and so on."""
    hooks = pytest.importorskip("_testcapi", reason="this Python cannot make allocations fail")
    function, ends = getattr(module, name), set()
    for number in range(30):
        arguments = OF_PYTHON[name]()
        hooks.set_nomemory(number, number + 1)
        try:
            ends.add(function(*arguments))
        except MemoryError:
            ends.add(MemoryError)
        finally:
            hooks.remove_mem_hooks()
    assert ends == {MemoryError, function(*OF_PYTHON[name]())}


def test_without_room_for_a_value_any_are_too_many():
    codes, none = np.zeros(3, np.uint32), np.zeros(0, np.int64)
    for values, width in ((np.arange(3, dtype=np.uint32), 1), (TEXTS[:3].copy(), 0)):
        assert module.distinct(values, width, codes, none) == -1
        assert module.distinct(values[:0], width, codes[:0], none) == 0
    for scores in (FLOATS, INTS, FLOATS.astype(np.float32)):
        values = np.zeros(0, np.int64 if scores.dtype == np.int64 else np.float64)
        assert module.tally(scores, LABELS, values, none) == -1
