"""C and NumPy give identical results, and both those of the oracle."""

import importlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracle, strategies
from tests.cli.helpers import run

import baserate as br
from baserate import kernels
from baserate.counts.cells import masses
from baserate.kernels import portable, threads, using
from baserate.kernels.threads import MOST_THREADS


def compiled():
    """The C kernels, or a skip that a build turns into a failure."""
    try:
        return importlib.import_module("baserate.kernels.compiled")
    except ImportError:
        pytest.skip("needs the C extension (a compiler at install)")


def identical(ours, theirs):
    return all(
        a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True)
    )


@given(strategies.cases())
def test_c_and_numpy_count_small_data_alike(data):
    labels, scores = data
    assert identical(compiled().count_cells(scores, labels), portable.count_cells(scores, labels))


@given(strategies.large_cases())
def test_c_and_numpy_count_large_data_alike(data):
    labels, scores = data
    expected = portable.count_cells(scores, labels)
    assert identical(compiled().count_cells(scores, labels), expected)
    assert identical(compiled()._begin_sort(scores, labels)(), expected)


@given(strategies.large_cases(), st.sampled_from([2, 3, 16]))
def test_cells_are_the_same_for_any_number_of_threads(data, workers):
    labels, scores = data
    expected = portable.count_cells(scores, labels)
    assert identical(compiled()._begin_parts(scores, labels, workers)(), expected)
    for kind in (np.float32, np.int64):
        with np.errstate(invalid="ignore", over="ignore"):
            other = scores.astype(kind)
        expected = portable.count_cells(other, labels)
        assert identical(compiled()._begin_parts(other, labels, workers)(), expected)


ENDS = np.array([-(2**63), -1, 0, 1, 2**63 - 1])


@pytest.mark.parametrize(
    "scores",
    [
        np.repeat(ENDS, 40_000),
        np.repeat([-np.inf, -0.0, 0.0, 1e-310, np.inf], 40_000),
        np.where(np.arange(200_000) % 10, 0.5, np.arange(200_000)),  # one crowded value
        -np.arange(200_000.0),
        np.concatenate((np.linspace(0, 1e-9, 199_990), 10.0 ** np.arange(10))),
    ],
)
def test_odd_scores_are_the_same_in_threads(scores):
    labels = np.arange(len(scores)) % 3 == 0
    expected = portable.count_cells(scores, labels)
    assert identical(compiled()._begin_parts(scores, labels, 4)(), expected)
    with using(3):
        assert identical(compiled().count_cells(scores, labels), expected)


def test_the_number_of_threads_is_that_of_the_keyword_then_of_the_environment(monkeypatch):
    monkeypatch.delenv("BASERATE_THREADS", raising=False)
    assert threads(10**6 - 1) == 1
    assert 1 <= threads(10**9) == threads() <= MOST_THREADS
    monkeypatch.setenv("BASERATE_THREADS", "3")
    assert (threads(), threads(10**9), threads(100)) == (3, 3, 1)
    with using(5):
        assert threads(10**9) == 5
        with using(None):
            assert threads() == 5
    assert threads() == 3


@pytest.mark.parametrize("said", ["0", "two", "-1", "1.5"])
def test_what_is_no_number_of_threads_is_refused(said, monkeypatch):
    monkeypatch.setenv("BASERATE_THREADS", said)
    with pytest.raises(br.InputError, match="BR532: BASERATE_THREADS must be a whole number"):
        br.count([0, 1], [0.1, 0.2])
    monkeypatch.delenv("BASERATE_THREADS")
    with pytest.raises(br.InputError, match=r"BR532: threads must be a whole number from 1, got "):
        br.count([0, 1], [0.1, 0.2], threads=said)


def test_counts_and_their_digest_do_not_depend_on_the_threads():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(300_000) < 0.1, rng.normal(size=300_000)
    found = {br.count(labels, scores, threads=number).digest for number in (1, 2, 3, 8)}
    tied = {br.count(labels, np.round(scores, 2), threads=number).digest for number in (1, 2, 8)}
    rare, kept = labels & (np.arange(len(labels)) % 40 == 0), {"keep": "positives"}
    for column in (scores, np.round(scores, 2), scores.astype(np.float32)):
        condensed = {br.count(rare, column, threads=n, **kept).digest for n in (1, 2, 3, 8)}
        assert len(condensed) == 1
    assert len(found) == len(tied) == 1


def test_rows_of_parts_without_room_are_refused():
    module = importlib.import_module("baserate.kernels._kernels")
    scores, labels = np.array([0.5, 0.25]), np.array([True, False])
    for parts, places in (([0, 2], [0, 1]), ([0, 1], [0, 2]), ([0, 0], [-1, 0])):
        given = np.array(parts, np.uint8), np.empty(2, np.uint64), np.array(places)
        with pytest.raises(ValueError, match="parts do not fit the rows"):
            module.pack_parts(scores, labels, *given)
    with pytest.raises(ValueError, match="too many parts"):
        module.parts(scores, np.arange(256), np.empty(2, np.uint8), np.zeros(257, np.int64))


@given(strategies.cases())
def test_numpy_counts_as_the_oracle_does(data):
    labels, scores = data
    cells = portable.count_cells(scores, labels)
    expected = oracle.count(labels.tolist(), scores.tolist())
    assert cells.scores.tolist() == list(expected)
    assert list(zip(cells.positives.tolist(), cells.negatives.tolist(), strict=True)) == [
        tuple(cell) for cell in expected.values()
    ]


@given(strategies.large_cases())
def test_c_and_numpy_order_weighted_rows_alike(data):
    labels, scores = data
    weights = np.arange(1, len(scores) + 1, dtype=np.float64)
    ours, theirs = (
        compiled().order_weighted(scores, labels, weights),
        portable.order_weighted(scores, labels, weights),
    )
    assert identical(ours[:1], theirs[:1])
    # Inside a tie the order is open: what counts is that every score kept the weight of its row,
    # and that no row was lost.
    for values, carried in (ours, theirs):
        rows = np.abs(carried).astype(np.intp) - 1
        assert np.array_equal(scores[rows].astype(values.dtype), values)
        assert np.array_equal(labels[rows], carried > 0)
        assert np.array_equal(np.sort(rows), np.arange(len(scores)))


@given(strategies.large_cases(), st.integers(0, 50))
def test_c_and_numpy_count_groups_alike(data, groups):
    labels, scores = data
    codes = (np.arange(len(scores)) * 7919 % max(groups, 1)).astype(np.uint32)
    if not groups:
        labels, scores, codes = labels[:0], scores[:0], codes[:0]
    ours = compiled().count_groups(scores, labels, codes, groups + 1)
    theirs = portable.count_groups(scores, labels, codes, groups + 1)
    assert identical((*ours[0], ours[1]), (*theirs[0], theirs[1]))
    for group in range(groups):
        part = slice(*ours[1][group : group + 2])
        alone = portable.count_cells(scores[codes == group], labels[codes == group])
        assert identical([column[part] for column in ours[0]], alone)


def test_no_groups_have_no_cells_and_one_offset():
    none = np.empty(0), np.empty(0, dtype=bool), np.empty(0, dtype=np.uint32)
    for way in (compiled(), portable):
        cells, offsets = way.count_groups(*none, 0)
        assert offsets.tolist() == [0]
        assert len(cells.scores) == 0


def test_rows_of_groups_without_room_are_refused():
    module = importlib.import_module("baserate.kernels._kernels")
    scores, labels = np.array([0.5, 0.25]), np.array([True, False])
    ends = np.array([0, 1]), np.array([0, 1])
    for codes in (np.array([0, 2]), np.array([0, 0])):
        with pytest.raises(ValueError, match="groups do not fit the rows"):
            module.pack_groups(
                scores, labels, codes.astype(np.uint32), np.empty(2, np.uint64), *map(np.copy, ends)
            )
    for starts in ([0, 2, 1], [0, 1, 3]):
        with pytest.raises(ValueError, match="groups do not fit the rows"):
            module.scan_groups(
                np.empty(2, np.uint64),
                np.array(starts),
                np.array([0, 1]),
                np.empty(2, np.uint64),
                np.empty(2),
                np.empty(2, np.int64),
                np.empty(2, np.int64),
                np.empty(3, np.int64),
            )


@given(
    strategies.large_cases(),
    st.sampled_from([1.0, 0.1, 2.0**-1060, 2.0**880, 2.0**1000]),
    st.sampled_from([0, 30, 200]),
    st.sampled_from([np.float64, np.float32, np.int64]),
)
def test_weights_of_tied_scores_add_up_to_the_same_bits_in_a_table_and_sorted(
    data, unit, span, kind
):
    labels, scores = data
    tied = (np.arange(len(scores)) % 13 - 6).astype(kind)
    weights = (
        unit * (1 + np.arange(len(scores)) % 97 / 3) * 2.0 ** -(np.arange(len(scores)) % (span + 1))
    )
    weights = weights[weights > 0]
    labels, tied = labels[: len(weights)], tied[: len(weights)]
    found = compiled().tally_weighted(tied, labels, weights)
    expected = masses(*portable.order_weighted(tied, labels, weights))
    if span < 200 and unit < 2.0**900 and len(weights) >= 13 * compiled().ROWS_A_VALUE:
        assert found is not None
    assert found is None or identical(found, expected)


def test_a_table_of_weights_checks_its_room():
    module = importlib.import_module("baserate.kernels._kernels")
    scores, labels, weights = np.zeros(2), np.zeros(2, np.bool_), np.ones(2)
    for scales, sums in ((np.ones(2), np.zeros(6)), (np.ones(3), np.zeros(5))):
        with pytest.raises(ValueError, match="too short or too long"):
            module.tally_weights(scores, labels, weights, np.empty(1), scales, sums)


VALUES = st.one_of(
    st.sampled_from(
        [None, True, 1, 1.0, "1", "a", "a\0", "", "é", 10**20, b"a", (1,), float("nan")]
    ),
    st.text(max_size=3),
    st.integers(),
)


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@given(st.lists(VALUES, max_size=60), st.lists(st.integers(0, 59), max_size=200))
def test_c_and_numpy_find_the_same_distinct_objects(values, rows):
    column = objects([values[row % len(values)] for row in rows] if values else [])
    # The same text as other objects.
    column = objects([v + "x" if type(v) is str and len(v) > 1 else v for v in column.tolist()])
    firsts, codes = compiled().distinct(column)
    assert identical((firsts, codes), portable.distinct(column))
    for value, found in zip(column, column[firsts][codes], strict=True):
        assert found is value or (type(value) is str and found == value)
    assert len({id(v) if type(v) is not str else v for v in column[firsts].tolist()}) == len(firsts)


@given(strategies.large_cases(), st.sampled_from(["<U1", "<U7", "M8[s]", "f4", None]))
def test_c_and_numpy_find_the_same_distinct_rows(data, kind):
    column = data[1] if kind is None else np.arange(len(data[1])).astype(kind)[::3]
    ours, theirs = compiled().distinct(column), portable.distinct(column)
    assert (ours is None) == (theirs is None)
    assert ours is None or identical(ours, theirs)


@pytest.mark.parametrize("kind", ["S4", "c16", "V8", "i1", "?", "f2"])
def test_a_column_of_another_kind_has_no_codes(kind):
    column = np.zeros(3, dtype=kind)
    assert compiled().distinct(column) is None
    assert portable.distinct(column) is None


def test_a_column_of_too_many_values_has_no_codes():
    many = np.arange(portable.MOST_DISTINCT + 1)
    for column in (many, objects(many.tolist()), objects([str(one) for one in many])):
        assert compiled().distinct(column) is None
        assert portable.distinct(column) is None
        assert identical(compiled().distinct(column[1:]), portable.distinct(column[1:]))


@pytest.mark.parametrize(
    "arguments",
    [
        (np.arange(4, dtype=np.uint32), 1, np.empty(5, np.uint32), np.empty(4, np.int64)),
        (np.arange(4, dtype=np.uint32), 2, np.empty(3, np.uint32), np.empty(4, np.int64)),
        (np.arange(4, dtype=np.uint32), -1, np.empty(4, np.uint32), np.empty(4, np.int64)),
        (objects([1, 2]), 0, np.empty(3, np.uint32), np.empty(3, np.int64)),
    ],
)
def test_distinct_values_need_room_for_every_row(arguments):
    module = importlib.import_module("baserate.kernels._kernels")
    with pytest.raises(ValueError, match="too short or too long"):
        module.distinct(*arguments)


@given(strategies.large_cases())
def test_c_and_numpy_find_the_gaps_alike(data):
    labels, scores = data
    positives = portable.ascending_orders(np.unique(scores[labels] if labels.any() else scores[:1]))
    anchors = np.unique(positives)
    assert identical(
        compiled().count_gaps(scores, labels, anchors), portable.count_gaps(scores, labels, anchors)
    )


def test_an_index_is_not_mistaken_for_another_capsule():
    import datetime

    with pytest.raises(ValueError, match="incorrect name"):
        compiled()._kernels.gaps(
            np.zeros(1), np.zeros(1, np.bool_), datetime.datetime_CAPI, *[np.zeros(2, np.int64)] * 3
        )


def test_gaps_over_several_chunks_are_those_of_one(monkeypatch):
    rng = np.random.default_rng(5)
    scores, labels = rng.random(1000), rng.random(1000) < 0.1
    anchors = np.unique(portable.ascending_orders(scores[labels]))
    whole = portable.count_gaps(scores, labels, anchors)
    monkeypatch.setattr(portable, "CHUNK", 7)
    assert identical(portable.count_gaps(scores, labels, anchors), whole)


def test_the_best_kernels_are_in_c_where_the_extension_is_built():
    assert kernels.best is compiled()


def test_c_releases_the_gil():
    """While one thread sorts, another keeps running Python."""
    rows = 3_000_000
    scores, labels = np.random.default_rng(0).random(rows), np.zeros(rows, dtype=np.bool_)
    running, ticks = threading.Event(), 0
    module = compiled()
    thread = threading.Thread(
        target=lambda: (running.set(), module._begin_sort(scores, labels)(), running.clear())
    )
    thread.start()
    running.wait()
    while running.is_set():
        ticks += 1
        time.sleep(0)
    thread.join()
    assert ticks > 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.pack(np.zeros(3), np.zeros(2, np.bool_), np.zeros(3, np.uint64)), "too short"),
        (lambda c: c.pack(np.zeros(3), np.zeros(3, np.bool_), np.zeros(3, np.uint32)), "as wide"),
        (
            lambda c: c.pack(np.zeros(3, np.int8), np.zeros(3, np.bool_), np.zeros(3, np.uint64)),
            "item type",
        ),
        (lambda c: c.sort(np.zeros(3, np.uint64), np.zeros(2, np.uint64)), "too short"),
        (lambda c: c.sort(np.zeros(3, np.uint64), np.zeros(3, np.uint32)), "type of the items"),
        (
            lambda c: c.scan(
                np.zeros(3, np.uint64), 4, np.zeros(3), np.zeros(3, np.int64), np.zeros(3, np.int64)
            ),
            "does not fit",
        ),
        (
            lambda c: c.scan(
                np.zeros(3, np.uint64), 3, np.zeros(2), np.zeros(3, np.int64), np.zeros(3, np.int64)
            ),
            "too short",
        ),
        (
            lambda c: c.tally(
                np.zeros(3), np.zeros(3, np.bool_), np.zeros(2), np.zeros(3, np.int64)
            ),
            "too short",
        ),
        (
            lambda c: c.tally(
                np.zeros(3), np.zeros(3, np.bool_), np.zeros(2, np.int64), np.zeros(4, np.int64)
            ),
            "wrong type",
        ),
        (lambda c: c.sort(*[np.zeros(64, np.uint64)] * 2), "overlap"),
        (
            lambda c: c.sort(
                np.frombuffer(bytearray(65), np.uint64, 8, offset=1), np.zeros(8, np.uint64)
            ),
            "aligned|item type",
        ),
        (lambda c: c.index(np.array([0, 500, 1])), "do not ascend"),
        (lambda c: c.index(np.zeros(0, np.int64)), "no anchors"),
        (
            lambda c: c.gaps(
                np.zeros(3),
                np.zeros(3, np.bool_),
                c.index(np.array([0, 1])),
                *[np.zeros(2, np.int64)] * 3,
            ),
            "too short",
        ),
    ],
)
def test_c_refuses_buffers_that_do_not_fit(call, message):
    module = compiled()
    with pytest.raises((ValueError, TypeError), match=message):
        call(module._kernels)


def test_scores_chosen_to_collide_in_the_table_are_sorted_instead():
    """Integers whose hashes share their leading bits: a table alone would take a thousand probes a
    row.
    """
    module = compiled()
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    colliding = np.array([(i * inverse) % 2**64 for i in range(2000)], dtype=np.uint64).view(
        np.int64
    )
    scores = np.resize(colliding, 100_000)
    labels = np.arange(100_000) % 7 == 0
    assert module._tally_values(scores, labels) is None
    assert identical(module.count_cells(scores, labels), portable.count_cells(scores, labels))


def test_c_refuses_read_only_and_strided_memory():
    module = compiled()._kernels
    keys = np.zeros(4, np.uint64)
    keys.flags.writeable = False
    with pytest.raises((ValueError, BufferError), match="read-only"):
        module.sort(keys, np.zeros(4, np.uint64))
    with pytest.raises((ValueError, BufferError), match="contiguous"):
        module.sort(np.zeros(8, np.uint64)[::2], np.zeros(4, np.uint64))


WITHOUT_C = (
    "import sys; sys.modules['baserate.kernels._kernels'] = None;"
    "from baserate.cli.main import main; main(sys.argv[1:])"
)
OF_FILE = ["scores.csv", "--label", "y", "--score", "a", "--score", "b", "--json"]


@pytest.mark.parametrize(
    "command",
    [
        ["show", *OF_FILE, "--threshold", "0.5", "--prior", "1%"],
        ["choose", *OF_FILE, "--prior", "1%", "--cost", "fn=10,fp=1"],
        ["compare", *OF_FILE, "--prior", "1%", "--replicates", "200"],
        ["gate", *OF_FILE, "recall >= 0.5", "--threshold", "0.5"],
        ["calc", "--tpr", "0.8", "--fpr", "0.1", "--prior", "1%", "--json"],
    ],
    ids=lambda command: command[0],
)
def test_commands_answer_without_the_c_extension_as_with_it(command, tmp_path):
    rows = [
        f"{i % 3 == 0:d},{i * 37 % 101 / 101 + i % 3 / 9:.4f},{i * 17 % 97 / 97:.4f}"
        for i in range(240)
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["y,a,b", *rows]))
    compiled()
    without = subprocess.run(
        [sys.executable, "-c", WITHOUT_C, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    there = run(*command, cwd=tmp_path)
    assert without.stderr == there.stderr
    assert without.stdout == there.stdout
    assert without.stdout.startswith("{")


def test_without_the_c_extension_the_version_says_so():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_C, "--version"], capture_output=True, text=True, check=True
    )
    assert "counting in NumPy" in done.stdout


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_what_breaks_a_tie_in_rounding_is_added_from_the_last_slice(kind):
    """1 + 2^-53 lies halfway between two floats; what else there is decides."""
    scores = np.array([2] * 3 + [1] * 61, dtype=kind)
    for least, expected in ((2.0**-120, 1 + 2.0**-52), (0.0, 1.0)):
        weights = np.array([1.0, 2.0**-53, least, *[1.0] * 61])
        for label in (True, False):
            found = compiled().tally_weighted(scores, np.full(64, label), weights)
            assert found.scores.tolist() == [2, 1]
            ours, theirs = (found[1], found[2]) if label else (found[2], found[1])
            assert (ours.tolist(), theirs.tolist()) == ([expected, 61.0], [0.0, 0.0])


def test_weights_below_what_the_slices_hold_are_left_to_sorting():
    scores, labels = np.zeros(64), np.ones(64, dtype=np.bool_)
    for least, is_found in ((2.0**-130, True), (2.0**-140, False)):
        weights = np.array([1.0] * 63 + [least])
        assert (compiled().tally_weighted(scores, labels, weights) is not None) is is_found


@pytest.mark.parametrize("kind", [np.uint64, np.uint32])
def test_memory_that_touches_that_of_the_items_may_be_scratch(kind):
    keys = np.random.default_rng(0).integers(0, 2**31, 100).astype(kind)
    for items, scratch in ((slice(0, 100), slice(100, 200)), (slice(100, 200), slice(0, 100))):
        room = np.concatenate((keys, keys))
        compiled()._kernels.sort(room[items], room[scratch])
        assert room[items].tolist() == sorted(keys.tolist())
    for first in (1, 99):
        room = np.zeros(200, kind)
        for pair in ((room[:100], room[first : first + 100]), (room[first:][:100], room[:100])):
            with pytest.raises(ValueError, match="overlap"):
                compiled()._kernels.sort(*pair)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_few_values_are_counted_in_a_table(kind):
    scores = (np.arange(1600) % 7 - 3).astype(kind)
    labels = np.arange(1600) % 3 == 0
    found = compiled()._tally_values(scores, labels)
    assert found.scores.tolist() == [3, 2, 1, 0, -1, -2, -3]
    for score, ours, theirs in zip(*found, strict=True):
        assert ours == int(labels[scores == score].sum())
        assert theirs == int((~labels)[scores == score].sum())
    if kind is not np.int64:  # the two zeros are one value
        signed = np.where(np.arange(1600) % 2, 0.0, -0.0).astype(kind)
        assert compiled()._tally_values(signed, labels).scores.tolist() == [0.0]
