"""C and NumPy draw identical resamples, whatever the split over calls and threads; the tables have
the laws they say.
"""

import importlib
import math
import pickle
import threading
import time
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from baserate.kernels import Urn, best, draws, portable
from baserate.kernels.draws import in_parallel
from baserate.numbers import _twice_wins


def compiled():
    """The C kernels, or a skip that a build turns into a failure."""
    try:
        return importlib.import_module("baserate.kernels.compiled")
    except ImportError:
        pytest.skip("needs the C extension (a compiler at install)")


SMALL, MIDDLE, LARGE = st.integers(0, 3), st.integers(0, 1000), st.integers(0, 300_000)
COUNTS = st.one_of(
    *(st.lists(sizes, min_size=1, max_size=120) for sizes in (SMALL, MIDDLE, LARGE))
).filter(any)
SEEDS = st.integers(0, 2**130)


@st.composite
def drawings(draw, counts=COUNTS):
    """An urn, sizes around its total or anywhere from `least` on, a seed, and the number of the
    first replicate.
    """
    cells = np.array(draw(counts), dtype=np.int64)
    cases = int(cells.sum())
    least = draw(st.one_of(st.just(cases), st.integers(0, min(2 * cases, cases + 5000))))
    urn = Urn(cells, least=least, slack=draw(st.sampled_from([0.0, 1.0, 2.0, 4.0, 8.0])))
    sizes = np.array(draw(st.lists(st.integers(least, least + 2000), max_size=6)), dtype=np.int64)
    return urn, sizes, draw(SEEDS), draw(st.integers(0, 2**40))


def drawn(kernels, urn, sizes, seed, first, stream=0):
    out = np.full((len(sizes), len(urn)), -1, dtype=np.int64)
    kernels.draw(urn, sizes, seed, first, stream, out)
    return out


@given(drawings(), st.integers(0, 5))
def test_c_and_numpy_draw_alike_and_every_resample_has_its_size(given_, stream):
    ours = drawn(compiled(), *given_, stream)
    assert ours.tobytes() == drawn(portable, *given_, stream).tobytes()
    urn, sizes = given_[:2]
    assert (ours.sum(axis=1) == sizes).all()
    assert (ours >= 0).all()
    assert not ours[:, urn.counts == 0].any()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 400)), min_size=1, max_size=60),
    SEEDS,
    st.integers(0, 9),
    st.integers(0, 30),
)
def test_wins_of_resamples_are_those_of_the_drawn_counts(cells, seed, first, extra):
    positives, negatives = (Urn(1 + np.array(column)) for column in zip(*cells, strict=True))
    sizes_p, sizes_n = (
        np.array([urn.total, urn.total + extra, urn.total]) for urn in (positives, negatives)
    )
    pairs = zip(
        drawn(best, positives, sizes_p, seed, first, 0),
        drawn(best, negatives, sizes_n, seed, first, 1),
        strict=True,
    )
    expected = [_twice_wins(ours, theirs) for ours, theirs in pairs]
    for kernels in (compiled(), portable):
        wins = kernels.wins_again(positives, negatives, sizes_p, sizes_n, seed, first)
        assert wins.dtype == np.int64
        assert wins.tolist() == expected


def test_narrow_and_wide_replicates_have_the_same_wins(monkeypatch):
    module, rng = compiled(), np.random.default_rng(6)
    positives, negatives = Urn(rng.integers(0, 3, 500)), Urn(rng.integers(0, 900, 500))
    given_ = positives, negatives, np.full(20, positives.total), np.full(20, negatives.total), 12, 0
    narrow = module.wins_again(*given_)
    monkeypatch.setattr(module, "NARROW", -1)
    assert np.array_equal(module.wins_again(*given_), narrow)


@pytest.mark.parametrize(
    "cells", [[2**28 + 7, 5], [3 * 2**28, 2**29, 1, 0], [2**27 + 2**20 + 2**16, 2**24]]
)
def test_cells_of_hundreds_of_millions_are_drawn_alike(cells):
    urn = Urn(cells)
    sizes = np.full(3, urn.total)
    ours = drawn(compiled(), urn, sizes, 1, 0)
    assert np.array_equal(ours, drawn(portable, urn, sizes, 1, 0))
    spread = np.sqrt(urn.counts * (1 - urn.counts / urn.total))
    assert (np.abs(ours - urn.counts) <= 5 * spread + 1e-9 + (urn.counts < 10) * 10).all()


def test_many_cells_are_drawn_alike():
    """Most of them from tables of pairs, and an odd number of cells, so that a pair is cut."""
    rng = np.random.default_rng(3)
    urn = Urn(rng.geometric(0.3, 50_001))
    sizes = np.full(5, urn.total)
    assert np.array_equal(drawn(compiled(), urn, sizes, 8, 0), drawn(portable, urn, sizes, 8, 0))


def test_sizes_far_beyond_the_cases_are_reached():
    for least in (10_000, 2_000_000):
        urn = Urn([1, 0, 3], least=least)
        ours = drawn(compiled(), urn, [least, least + 5], 3, 0)
        assert np.array_equal(ours, drawn(portable, urn, [least, least + 5], 3, 0))
        assert abs(ours[0, 0] - least / 4) < 5 * np.sqrt(least * 3 / 16)


def test_a_single_case_is_drawn_every_time():
    for size in (0, 1, 5, 1000):
        assert drawn(best, Urn([0, 1, 0]), [size], 0, 0).tolist() == [[0, size, 0]]


@pytest.mark.parametrize("name", ["C", "NumPy"])
def test_the_split_over_calls_and_threads_changes_nothing(name):
    kernels = {"C": compiled, "NumPy": lambda: portable}[name]()
    rng = np.random.default_rng(0)
    positives, negatives = Urn(rng.integers(0, 2, 300)), Urn(rng.integers(0, 300, 300))
    ours, theirs = (np.full(40, urn.total) for urn in (positives, negatives))
    whole = kernels.wins_again(positives, negatives, ours, theirs, 99, 5)

    def part(first, end):
        return kernels.wins_again(
            positives, negatives, ours[first:end], theirs[first:end], 99, 5 + first
        )

    for threads in (1, 2, 7, 40, 100):
        assert np.array_equal(np.concatenate(in_parallel(part, 40, threads)), whole)
    rows = drawn(kernels, negatives, theirs, 99, 5, 1)
    assert np.array_equal(
        np.vstack([drawn(kernels, negatives, theirs[r : r + 1], 99, 5 + r, 1) for r in range(40)]),
        rows,
    )


def test_c_draws_without_the_gil():
    """While one thread draws, another keeps running Python."""
    urn, module, running, ticks = (
        Urn(np.ones(20_000, dtype=np.int64)),
        compiled(),
        threading.Event(),
        0,
    )
    sizes = np.full(3000, urn.total)
    thread = threading.Thread(
        target=lambda: (
            running.set(),
            module.wins_again(urn, urn, sizes, sizes, 0, 0),
            running.clear(),
        )
    )
    thread.start()
    running.wait()
    while running.is_set():
        ticks += 1
        time.sleep(0)
    thread.join()
    assert ticks > 10


def test_blocks_of_replicates_in_numpy_are_those_of_one(monkeypatch):
    urn, sizes, first = Urn([5, 0, 300, 2]), np.full(9, 307), 11
    spots = np.array([[0], [1], [1], [0]], dtype=np.uint32)

    def all_three():
        sums = np.full((9, 2), -1, dtype=np.int64)
        portable.draw_sums(urn, sizes, 4, first, 0, spots, sums)
        wins = portable.wins_again(urn, urn, sizes, sizes, 4, first)
        return [drawn(portable, urn, sizes, 4, first), sums, wins]

    whole = all_three()
    for chunk in (1, 8, 13):
        monkeypatch.setattr(portable, "CHUNK", chunk)
        assert all(map(np.array_equal, all_three(), whole))


def test_no_replicates_are_no_work():
    urn = Urn([1, 2])
    for kernels in (compiled(), portable):
        assert drawn(kernels, urn, [], 0, 0).shape == (0, 2)
        assert kernels.wins_again(urn, urn, [], [], 0, 0).shape == (0,)
    assert in_parallel(lambda first, end: (first, end), 0, 4) == [(0, 0)]


def test_an_urn_is_frozen_and_travels():
    urn = Urn([1, 200, 70_000])
    with pytest.raises(AttributeError, match="frozen"):
        urn.total = 5
    with pytest.raises(ValueError, match="read-only"):
        urn.entries[0] = 0
    again = pickle.loads(pickle.dumps(urn))
    assert np.array_equal(drawn(best, again, [70_000], 1, 2), drawn(best, urn, [70_000], 1, 2))
    assert repr(urn) == "Urn: 70201 cases in 3 cells, for resamples of 70201 or more"


# ---- words and tables -------------------------------------------------------------------------


def test_words_are_those_of_splitmix64():
    """The first outputs of the reference implementation, from a state of 1234567."""
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert draws.words_of(np.array([1234567], dtype=np.uint64), 0, 5)[0].tolist() == expected
    assert draws.words_of(np.array([1234567], dtype=np.uint64), 3, 2)[0].tolist() == expected[3:]


@given(
    SEEDS,
    st.integers(0, 9),
    st.lists(st.integers(0, 2**62), min_size=1, max_size=5),
    st.integers(0, 999),
)
def test_keys_absorb_lane_replicate_and_attempt(seed, stream, replicates, attempt):
    start = draws.lane(seed, stream)
    expected = [
        draws.absorbed(draws.absorbed(start, replicate), attempt) for replicate in replicates
    ]
    assert draws.keys(start, np.array(replicates, dtype=np.uint64), attempt).tolist() == expected


def test_every_bit_of_a_seed_counts():
    seeds = [0, 1, 2**64 - 1, 2**64, 2**64 + 1, 2**128, 2**128 + 1, 2**200, 3 * 2**200]
    assert len({draws.lane(seed, stream) for seed in seeds for stream in range(3)}) == 27


def law_of(table):
    """The shares of a table as exact integers, out of 2**bits · room."""
    bits = len(table).bit_length() - 1
    low = draws.alias_bits(bits)
    room, kept, aliases = (
        1 << (64 - low),
        table >> np.uint64(low),
        (table & np.uint64((1 << low) - 1)).astype(np.int64),
    )
    kept = np.where(aliases == np.arange(len(table)), room, kept.astype(np.int64))
    shares = kept.copy()
    np.add.at(shares, aliases, room - kept)
    return shares / (room << bits)


@given(
    st.lists(
        st.one_of(st.just(0.0), st.just(1.0), st.floats(1e-20, 1e20)), min_size=1, max_size=200
    ).filter(any)
)
def test_a_table_has_the_law_of_its_weights(weights):
    chances = np.array(weights) / np.sum(weights)
    law = law_of(draws.alias_table(np.array(weights)))
    assert np.abs(law[: len(weights)] - chances).sum() / 2 + law[len(weights) :].sum() < 2.0**-40
    assert not law[: len(weights)][np.array(weights) == 0].any()


@pytest.mark.parametrize(
    "rate", [1e-300, 1e-9, 0.3, 0.96, 1.0, 5.0, 31.0, 99.5, 255.0, 25_600.0, 65_536.0, 2.0**28]
)
def test_poisson_tables_have_the_law_of_poisson(rate):
    table, low, half = draws.poisson_table(rate, 1)
    law = law_of(table)
    assert half == 0
    assert math.isclose(law.sum(), 1)
    assert stats.poisson.cdf(low - 1, rate) + stats.poisson.sf(low + len(law) - 1, rate) < 2.0**-44
    for value in range(0, len(law), max(1, len(law) // 500)):
        k = low + value
        with mpmath.workdps(40):
            exact = float(mpmath.exp(k * mpmath.log(rate) - rate - mpmath.loggamma(k + 1)))
        # Rounded to an integer out of 2**40 · the length; below the least chance that matters, 0.
        assert (
            abs(law[value] - exact)
            <= 2.0**-40 / len(law) + 1e-10 * exact + (law[value] == 0) * draws.LEAST_CHANCE
        )


@pytest.mark.parametrize("rate", [0.2, 0.97, 3.0, 5.0])
def test_pairs_are_two_independent_poisson_numbers(rate):
    table, low, half = draws.poisson_table(rate, 1000)
    assert (low, 1 << 2 * half) == (0, len(table))
    one = stats.poisson.pmf(np.arange(1 << half), rate)
    assert np.abs(law_of(table) - np.outer(one, one).ravel()).sum() / 2 < 2.0**-40


# ---- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ([], {}, "flat array of integers"),
        (np.zeros(0, np.int64), {}, "got 0"),
        ([0, 0], {}, "1 to 2\\*\\*40 cases, got 0"),
        ([1, -1], {}, "flat array"),
        ([0.5, 2], {}, "integers"),
        ([[1, 2]], {}, "flat array"),
        ([2**40, 1], {}, "got 1099511627777"),
        ([2**62], {}, "0 to 2\\*\\*40"),
        ([1, 2], {"least": -1}, "negative"),
        ([1, 2], {"slack": -1.0}, "negative"),
        ([1, 2], {"slack": float("nan")}, "negative"),
    ],
)
def test_an_urn_refuses_what_cannot_be_drawn_from(counts, options, message):
    with pytest.raises(ValueError, match=message):
        Urn(counts, **options)


@pytest.mark.parametrize("name", ["C", "NumPy"])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda k, u: drawn(k, u, [-1], 0, 0), "integers from 0"),
        (lambda k, u: drawn(k, u, [2**41], 0, 0), "integers from 0"),
        (lambda k, u: drawn(k, u, [[5]], 0, 0), "flat array"),
        (lambda k, u: drawn(k, u, [5], -1, 0), "seed is an integer from 0"),
        (lambda k, u: drawn(k, u, [5], 0, 0, -1), "stream is an integer from 0"),
        (lambda k, u: drawn(k, u, [5], 0, -1), "numbered from 0"),
        (lambda k, u: k.draw(u, [5], 0, 0, 0, np.empty((1, 2), np.int64)), "shape"),
        (lambda k, u: k.draw(u, [5], 0, 0, 0, np.empty((1, 3), np.int32)), "int64"),
        (lambda k, u: k.draw(u, [5], 0, 0, 0, np.empty((1, 6), np.int64)[:, ::2]), "contiguous"),
        (lambda k, u: drawn(k, u, [500], 0, 0), "lower `least`"),
        (lambda k, u: k.wins_again(u, u, [1000, 500], [1000, 1000], 0, 0), "lower `least`"),
        (lambda k, u: k.wins_again(u, u, [1000, 1000], [1000, 500], 0, 0), "lower `least`"),
        (lambda k, u: k.wins_again(u, Urn([1, 2]), [1000], [3], 0, 0), "same cells"),
        (lambda k, u: k.wins_again(u, u, [1000], [1000, 1000], 0, 0), "as many resamples"),
        (lambda k, u: k.wins_again(u, u, [2**40], [2**40], 0, 0), "largest 64-bit integer"),
    ],
)
def test_draws_refuse_what_they_cannot_do(name, call, message):
    kernels = {"C": compiled, "NumPy": lambda: portable}[name]()
    with pytest.raises(ValueError, match=message):
        call(kernels, Urn([500, 300, 200]))


def changed(urn, **replaced):
    parts = {name: getattr(urn, name).copy() for name in ("entries", "bands", "places", "units")}
    for name, (index, value) in replaced.items():
        parts[name][index] = value
    return tuple(parts.values())


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (lambda u: changed(u, places=(0, 3)), "not a cell"),
        (lambda u: changed(u, bands=((0, 0), 10**6)), "cut short"),
        (lambda u: changed(u, bands=((0, 1), 63)), "cut short"),
        (lambda u: changed(u, bands=((0, 3), 60)), "out of range"),
        (lambda u: changed(u, bands=((0, 5), 99)), "too few places"),
        (lambda u: changed(u, units=(0, 3)), "in no cell"),
        (lambda u: changed(u, units=(3, 2**60)), "in no cell"),
        (lambda u: (*changed(u)[:3], u.units[:3].copy()), "not a table"),
        (lambda u: (*changed(u)[:2], u.places.astype(np.int64), u.units), "item type"),
    ],
)
def test_c_refuses_tables_that_lead_out_of_memory(parts, message):
    module, urn = compiled()._kernels, Urn([500, 300, 200])
    out, sizes = np.zeros((1, 3), np.int64), np.array([1000])
    with pytest.raises((ValueError, TypeError), match=message):
        module.draw(*parts(urn), sizes, out, 0, 0)
    good = changed(urn)
    for eight in ((*parts(urn), *good), (*good, *parts(urn))):
        with pytest.raises((ValueError, TypeError), match=message):
            module.wins(*eight, sizes, sizes, np.zeros(1, np.int64), 0, 0, 0, 3, True)


def test_c_refuses_too_little_room_for_the_wins():
    module, parts = compiled()._kernels, changed(Urn([500, 300, 200]))
    sizes = np.array([1000, 1000])
    with pytest.raises(ValueError, match="too short"):
        module.wins(*parts, *parts, sizes, sizes, np.zeros(1, np.int64), 0, 0, 0, 3, True)
    with pytest.raises(ValueError, match="no cells"):
        module.wins(*parts, *parts, sizes, sizes, np.zeros(2, np.int64), 0, 0, 0, 0, True)


# Cases added up by model.


@given(drawings(), st.integers(1, 4), st.integers(1, 30), st.integers(0, 2**32))
def test_sums_are_those_of_the_drawn_cells_in_c_and_numpy(given_, models, width, where):
    urn, sizes, seed, first = given_
    spots = np.random.default_rng(where).integers(0, width, (len(urn), models)).astype(np.uint32)
    drawn, sums = (
        np.empty((len(sizes), len(urn)), dtype=np.int64),
        np.empty((len(sizes), width), dtype=np.int64),
    )
    best.draw(urn, sizes, seed, first, 1, drawn)
    expected = np.zeros_like(sums)
    for row in range(len(sizes)):
        for cell in range(len(urn)):
            for spot in spots[cell]:
                expected[row, spot] += drawn[row, cell]
    for kernels in (best, portable):
        sums[...] = -1
        kernels.draw_sums(urn, sizes, seed, first, 1, spots, sums)
        assert np.array_equal(sums, expected)


@given(drawings(), st.integers(0, 2**32))
def test_power_sums_are_those_of_the_drawn_cells_in_c_and_numpy(given_, where):
    urn, sizes, seed, first = given_
    rng = np.random.default_rng(where)
    inner = np.sort(rng.integers(0, len(urn) + 1, int(rng.integers(0, 4))))
    offsets = np.concatenate(([0], inner, [len(urn)])).astype(np.int64)
    places = rng.uniform(-1, 1, len(urn))
    drawn = np.empty((len(sizes), len(urn)), dtype=np.int64)
    best.draw(urn, sizes, seed, first, 1, drawn)
    found = []
    for kernels in (best, portable):
        out = np.full((len(sizes), 5, len(offsets) - 1), np.nan)
        kernels.draw_powers(urn, sizes, seed, first, 1, (offsets, places), out)
        for row, cases in zip(out, drawn, strict=True):
            assert np.array_equal(row, kernels.powers(cases, offsets, places))
        found.append(out)
    assert np.array_equal(*found)
    for row, cases in zip(found[0], drawn, strict=True):
        for power, sums in enumerate(row):
            terms = (cases * places**power).tolist()
            exact = [math.fsum(terms[begin:end]) for begin, end in pairwise(offsets.tolist())]
            assert sums == pytest.approx(exact, rel=1e-12, abs=1e-12 * (1 + cases.sum()))


@pytest.mark.parametrize(
    ("offsets", "places", "shape", "message"),
    [
        ([0, 2], 3, (1, 5, 1), "offsets of bins are int64 from 0 up to 3"),
        ([1, 3], 3, (1, 5, 1), "offsets of bins"),
        ([0, 3, 2, 3], 3, (1, 5, 3), "offsets of bins"),
        ([0], 3, (1, 5, 0), "offsets of bins"),
        ([0, 3], 2, (1, 5, 1), "places are contiguous float64"),
        ([0, 3], 3, (2, 5, 1), "power sums need contiguous float64"),
        ([0, 3], 3, (1, 4, 1), "power sums need contiguous float64"),
    ],
)
def test_power_sums_refuse_what_leads_out_of_memory(offsets, places, shape, message):
    urn = Urn([1, 2, 3])
    bins = np.array(offsets, dtype=np.int64), np.zeros(places)
    for kernels in (best, portable):
        with pytest.raises(ValueError, match=message):
            kernels.draw_powers(urn, [6], 0, 0, 1, bins, np.empty(shape))


def test_c_checks_bins_by_itself():
    kernels = compiled()._kernels
    urn, sizes, places = Urn([1, 2, 3]), np.array([6]), np.zeros(3)
    of = urn.entries, urn.bands, urn.places, urn.units, sizes
    for offsets in ([0, 2], [1, 3], [0, 3, 2, 3], [0]):
        bins = np.array(offsets, dtype=np.int64)
        with pytest.raises(ValueError, match="bins do not"):
            kernels.draw_powers(*of, bins, places, np.empty(20), 0, 0, 3, True)
        with pytest.raises(ValueError, match="bins do not"):
            kernels.powers(np.array([1, 2, 3]), bins, places, np.empty(20))
    bins = np.array([0, 3], dtype=np.int64)
    for places_, out in ((places[:2], 5), (places, 4)):
        with pytest.raises(ValueError, match="too short"):
            kernels.draw_powers(*of, bins, places_, np.empty(out), 0, 0, 3, True)
        with pytest.raises(ValueError, match="too short"):
            kernels.powers(np.array([1, 2, 3]), bins, places_, np.empty(out))


@pytest.mark.parametrize("cells", [2, 3, 5, 8, 1000, 4096, 5000])
@pytest.mark.parametrize("weight", [1.0, 3.0, 7.0])
def test_a_table_of_equal_weights_is_that_of_any(cells, weight):
    weights, bits = np.full(cells, weight), max(1, (cells - 1).bit_length())
    slow = draws._any_table(weights, bits, draws.alias_bits(bits))
    assert np.array_equal(draws.alias_table(weights), slow)


@pytest.mark.parametrize(
    ("spots", "out", "message"),
    [
        (
            np.zeros((3, 2), dtype=np.int64),
            np.empty((1, 4), dtype=np.int64),
            "spots are contiguous uint32",
        ),
        (
            np.zeros((2, 2), dtype=np.uint32),
            np.empty((1, 4), dtype=np.int64),
            "a row for each of 3 cells",
        ),
        (
            np.zeros((3, 0), dtype=np.uint32),
            np.empty((1, 4), dtype=np.int64),
            "spots are contiguous uint32",
        ),
        (
            np.full((3, 2), 4, dtype=np.uint32),
            np.empty((1, 4), dtype=np.int64),
            "a spot lies beyond the row",
        ),
        (
            np.zeros((3, 2), dtype=np.uint32),
            np.empty((2, 4), dtype=np.int64),
            "a row for each of 1 resamples",
        ),
        (
            np.zeros((3, 2), dtype=np.uint32),
            np.empty((1, 4), dtype=np.int32),
            "sums need contiguous int64",
        ),
    ],
)
def test_sums_refuse_what_leads_out_of_memory(spots, out, message):
    urn = Urn([1, 2, 3])
    for kernels in (best, portable):
        with pytest.raises(ValueError, match=message):
            kernels.draw_sums(urn, [6], 0, 0, 1, spots, out)


def test_c_checks_the_spots_by_itself():
    kernels = compiled()._kernels
    urn, sizes, out = Urn([1, 2, 3]), np.array([6]), np.empty(4, dtype=np.int64)
    of = urn.entries, urn.bands, urn.places, urn.units, sizes
    with pytest.raises(ValueError, match="a place is not in a row"):
        kernels.draw_sums(*of, np.full(6, 4, dtype=np.uint32), out, 0, 0, 3)
    for spots, cells in ((5, 3), (2, 3), (6, 0), (6, -1)):
        with pytest.raises(ValueError, match="every cell needs as many spots"):
            kernels.draw_sums(*of, np.zeros(spots, dtype=np.uint32), out, 0, 0, cells)


def test_a_number_without_a_share_of_its_own_is_never_drawn():
    # Of four buckets the second belongs wholly to its alias, the third number; in the others every
    # word gives the bucket itself, but for the highest ones.
    spare = np.uint64(portable.alias_bits(2))
    low = (np.uint64(1) << spare) - np.uint64(1)
    table = np.array([~low | np.uint64(3), 2, ~low | np.uint64(3), ~low | np.uint64(3)], np.uint64)
    words = np.arange(4, dtype=np.uint64) << np.uint64(62)
    assert portable._pick(table, words).tolist() == [0, 2, 2, 3]
    assert portable._pick(table, words + np.uint64(1)).tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize("cells", [1, 2, 3, 4, 501, 2000])
@pytest.mark.parametrize("cases", [1, 2])
def test_cells_of_equally_many_cases_are_drawn_alike(cells, cases):
    """One table then draws all of them, in order."""
    module, urn = compiled(), Urn(np.full(cells, cases))
    sizes = np.array([urn.total, urn.total + 3])
    ours = drawn(module, urn, sizes, 5, 2)
    assert np.array_equal(ours, drawn(portable, urn, sizes, 5, 2))
    assert (ours.sum(axis=1) == sizes).all()
    if cells > 500:
        assert abs(ours[0].var() - cases) < 0.3 * cases
    theirs = drawn(portable, urn, sizes, 5, 2, draws.NEGATIVES)
    ours = drawn(portable, urn, sizes, 5, 2, draws.POSITIVES)
    expected = [_twice_wins(*pair) for pair in zip(ours, theirs, strict=True)]
    assert module.wins_again(urn, urn, sizes, sizes, 5, 2).tolist() == expected


@pytest.mark.parametrize("narrow", [True, False])
def test_c_says_how_many_replicates_it_could_draw(narrow):
    """Of 1,000 cases none of 500 is drawn."""
    kernels, urn = compiled()._kernels, Urn([500, 300, 200])
    of, good, bad = (urn.entries, urn.bands, urn.places, urn.units), [1000] * 3, [1000, 1000, 500]
    for ours, theirs, expected in ((good, good, 3), (bad, good, 2), (good, bad, 2)):
        sizes, wins = (np.array(ours), np.array(theirs)), np.zeros(3, np.int64)
        assert kernels.wins(*of, *of, *sizes, wins, 0, 1, 0, 3, narrow) == expected
        assert wins.astype(bool).tolist() == [number < expected for number in range(3)]
    for sizes, expected in ((good, 3), (bad, 2)):
        wanted = np.array(sizes)
        room, spots = np.zeros((3, 15)), np.arange(6, dtype=np.uint32)
        bins = np.array([0, 1, 2, 3]), np.ones(3)
        assert kernels.draw_powers(*of, wanted, *bins, room, 0, 0, 3, narrow) == expected
        sums = np.zeros((3, 6), np.int64)
        assert kernels.draw_sums(*of, wanted, spots, sums, 0, 0, 3) == expected
        assert kernels.draw(*of, wanted, np.zeros((3, 3), np.int64), 0, 0) == expected


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        *((0, value, "cut short") for value in (-1, 2**40)),
        *((1, value, "cut short") for value in (-1, 0, 23)),
        *((2, value, "out of range") for value in (-1, 2**48 + 1)),
        *((3, value, "out of range") for value in (-1, 23)),
        *((4, value, "too few places") for value in (-1, 4)),
        *((5, value, "too few places") for value in (-1, 99)),
    ],
)
def test_c_checks_every_number_of_a_band(place, value, message):
    module, urn = compiled()._kernels, Urn([500, 300, 200])
    parts, out = changed(urn, bands=((0, place), value)), np.zeros((1, 3), np.int64)
    with pytest.raises(ValueError, match=message):
        module.draw(*parts, np.array([1000]), out, 0, 0)


def test_the_smallest_table_and_the_largest_low_of_a_band_are_drawn_from():
    """Two entries that always give 0, to which the band adds 2: every cell has two cases."""
    module, urn = compiled()._kernels, Urn([1, 1, 1])
    entries, places = np.zeros(2, np.uint64), np.arange(3, dtype=np.uint32)
    out = np.zeros((1, 3), np.int64)

    def replicates(low, size):
        band = np.array([0, 1, low, 0, 0, 3])
        return module.draw(entries, band, places, urn.units, np.array([size]), out, 0, 0)

    assert (replicates(2, 6), out.tolist()) == (1, [[2, 2, 2]])
    assert replicates(2, 8) == 1
    assert (out.sum(), out.min()) == (8, 2)
    assert replicates(2, 5) == 0
    assert replicates(2**48, 5) == 0
    with pytest.raises(ValueError, match="out of range"):
        replicates(2**48 + 1, 5)


@pytest.mark.parametrize("length", [0, 1, 3])
def test_units_of_another_length_are_no_table(length):
    module, urn = compiled()._kernels, Urn([500, 300, 200])
    parts = urn.entries, urn.bands, urn.places, np.zeros(length, np.uint64)
    with pytest.raises(ValueError, match="units are not a table"):
        module.draw(*parts, np.array([1000]), np.zeros((1, 3), np.int64), 0, 0)
