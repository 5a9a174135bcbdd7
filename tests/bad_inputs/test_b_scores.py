"""Section B: scores."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse
from tests.bad_inputs.bench import M, Y, table, with_
from tests.bad_inputs.rows import also, row

import baserate as br

S = [0.1, 0.4, 0.35, 0.8]
L = [0, 0, 1, 1]


def summed(bench, command, name="brier"):
    """The same command, asked for a measure of probabilities."""
    return (*command, "--summary", name)


@row(17, "NaN or missing scores")
def test_row_17_missing_scores_are_named_by_line(bench):
    gone = bench.show(table(y=Y, m=with_(M, at15="NaN", at16="", at17="NA", at18="-")))
    shown = bench.refused("BR201", *gone, lines=(17, 18, 19), total=4)
    assert '"m" has 4 missing' in shown
    bench.raised("BR201", br.count, L, with_(S, at1=float("nan")), rows=(1,))
    return shown


@also(17)
def test_row_17_missing_scores_rank_lowest_or_are_dropped_where_that_is_said(bench):
    gone = bench.show(table(y=Y, m=with_(M, at15="NaN", at16="")))
    assert "--nan-score drop or lowest" in bench.refused("BR201", *gone)
    assert bench.answer(*gone, "--nan-score", "drop")["sources"][0]["rows_refused"] == 2
    assert bench.answer(*gone, "--nan-score", "lowest")["sources"][0]["rows_used"] == 20
    return (
        bench.told(*gone, "--nan-score", "lowest").err.strip(),
        bench.told(*gone, "--nan-score", "drop").err.strip(),
    )


@row(18, "infinite scores", why="refused where probabilities are needed")
def test_row_18_infinite_scores_rank_beyond_all_others(bench):
    endless = bench.show(table(y=Y, m=with_(M, at0="-inf", at19="inf")))
    shown = bench.noted("BR218", *endless)
    assert br.count(L, [-np.inf, 0.4, 0.35, np.inf]).scores.tolist() == [np.inf, 0.4, 0.35, -np.inf]
    assert bench.answer(*endless)["models"][0]["summaries"]["auc"]["value"] == 0.6
    return shown, bench.refused("BR507", *summed(bench, endless))


@row(
    19, "scores from 0 to 100", why="refused where probabilities are needed, as no option rescales"
)
def test_row_19_percent_are_ranked_as_they_are(bench):
    percent = bench.show(table(y=Y, m=[5 * i for i in range(20)]))
    two = bench.show(table(y=Y, m=[5 * i for i in range(20)], n=M), "--score", "n")
    return bench.noted("BR202", *percent), bench.refused("BR507", *summed(bench, two))


@row(20, "logits", why="refused where probabilities are needed, and never put through a sigmoid")
def test_row_20_logits_are_ranked_as_they_are(bench):
    logits = bench.show(table(y=Y, m=[i / 2 - 5 for i in range(20)]))
    return bench.noted("BR203", *logits), bench.refused("BR507", *summed(bench, logits))


@row(21, "a matrix of two columns of probabilities")
def test_row_21_two_columns_are_two_models_by_name_or_are_refused(bench):
    counts = br.count(
        ["no", "no", "yes", "yes"], pd.DataFrame({"no": [1 - s for s in S], "yes": S})
    )
    assert counts.models == ("no", "yes")
    assert counts.marginal("yes").scores.tolist() == [0.8, 0.4, 0.35, 0.1]
    return repr(counts), bench.raised("BR204", br.count, L, np.array([[1 - s, s] for s in S]))


@row(22, "one column in two dimensions, a list of lists")
def test_row_22_one_column_in_two_dimensions_is_read(bench):
    for scores in (np.array(S)[:, None], [[s] for s in S]):
        counts = br.count(L, scores)
        assert counts == br.count(L, S)
    for frame in (pd.DataFrame({"m": S}), pl.DataFrame({"m": S})):
        assert br.count(L, frame).marginal("m") == counts
    return repr(counts)


@row(23, "hard predictions as scores")
def test_row_23_two_distinct_scores_are_one_operating_point(bench):
    return bench.noted("BR205", *bench.show(table(y=Y, m=with_(Y, at0=1))))


@row(24, "a constant score")
def test_row_24_a_constant_score_is_noted(bench):
    constant = bench.show(table(y=Y, m=[0.5] * 20))
    assert bench.answer(*constant)["models"][0]["summaries"]["auc"]["value"] == 0.5
    return bench.noted("BR206", *constant)


@row(25, "few distinct scores")
def test_row_25_a_large_tie_is_noted_with_its_share(bench):
    shown = bench.noted("BR216", *bench.show(table(y=Y, m=[*M[:10], *["0.4"] * 10])))
    assert "50 % of the scores equal 0.4" in shown
    return shown


REVERSED = sorted(Y, reverse=True)


@row(26, "low scores mean positive")
def test_row_26_reversed_scores_are_said_and_never_turned(bench):
    backwards = bench.show(table(y=REVERSED, m=M))
    assert bench.answer(*backwards)["models"][0]["summaries"]["auc"]["value"] == 0
    return bench.noted("BR207", *backwards)


@also(26)
def test_row_26_low_scores_are_positive_where_that_is_said(bench):
    backwards = bench.show(table(y=REVERSED, m=M))
    assert "--lower-is-positive" in bench.noted("BR207", *backwards)
    assert (
        bench.answer(*backwards, "--lower-is-positive")["models"][0]["summaries"]["auc"]["value"]
        == 1
    )
    return bench.noted("BR207", *backwards, "--lower-is-positive")


@row(27, "0.5 as text; 0,5; 12%; $3; 1,234.5")
def test_row_27_text_that_is_no_plain_number_is_refused_with_an_example(bench):
    assert br.count(L, list(map(str, S))) == br.count(L, S)
    for text in ("12%", "$3", '"1,234.5"'):
        assert text.strip('"') in bench.refused(
            "BR208", *bench.show(table(y=Y, m=with_(M, at5=text))), lines=(7,)
        )
    shown = bench.refused("BR208", *bench.show(table(y=Y, m=with_(M, at5='"0,5"'))))
    assert '--decimal ","' in shown
    return (
        bench.accepted(
            *bench.show(table(y=Y, m=[f'"{m}"'.replace(".", ",") for m in M]), "--decimal", ",")
        ),
        shown,
    )


@also(27)
def test_row_27_percent_and_thousands_are_read_where_that_is_said(bench):
    percent = bench.show(table(y=Y, m=[f"{i}%" for i in range(20)]))
    shown = bench.refused("BR208", *percent)
    assert "--percent" in shown
    assert bench.told(*percent, "--percent").status == 0
    thousands = bench.show(table(y=Y, m=[f'"{1000 + i:,}.5"' for i in range(20)]))
    assert '--thousands ","' in bench.refused("BR208", *thousands)
    assert bench.told(*thousands, "--thousands", ",").status == 0
    return shown, bench.refused("BR208", *thousands)


@row(28, "timestamps, durations, complex numbers, bytes")
def test_row_28_what_is_no_number_is_refused(bench):
    for scores in (
        np.array([1, 2, 3, 4], dtype="timedelta64[s]"),
        np.array([1j, 2, 3, 4]),
        np.array([b"1", b"2", b"3", b"4"]),
    ):
        bench.raised("BR209", br.count, L, scores)
    stamps = pd.date_range("2026-01-01", periods=4)
    pq.write_table(pa.table({"y": L, "m": stamps}), "scores.parquet")
    typed = bench.refused("BR209", "show", "scores.parquet", "--label", "y", "--score", "m")
    return typed, bench.refused("BR208", *bench.show(table(y=L, m=stamps)))


@row(29, "float16 and float32", why="both fit into float64, so nothing merges")
def test_row_29_narrow_floats_are_kept_exactly(bench):
    for kind in (np.float16, np.float32):
        scores = np.array(S, dtype=kind)
        counts = br.count(L, scores)
        assert counts.scores.tolist() == sorted(scores.astype(np.float64).tolist(), reverse=True)
    return repr(counts)


@row(30, "whole numbers beyond 2^53, decimals")
def test_row_30_numbers_are_kept_apart_or_refused(bench):
    big = [2**53, 2**53 + 1, 2**62, 2**62 + 1]
    assert br.count(L, big).scores.tolist() == big[::-1]
    bench.raised("BR215", br.count, L[:2], [Decimal("0.1"), Decimal("0.10000000000000000001")])
    assert (
        bench.answer(*bench.show(table(y=Y, m=[2**53 + i for i in range(20)])))["models"][0][
            "counts"
        ]["distinct_scores"]
        == 20
    )
    return repr(br.count(L, big)), bench.refused(
        "BR215", *bench.show(table(y=Y, m=with_(M, at3=2**53 + 1)))
    )


@row(31, "-0.0 and 0.0")
def test_row_31_the_two_zeros_are_one_score(bench):
    counts = br.count(L, [0.0, -0.0, 0.0, 1.0])
    assert counts.scores.tolist() == [1.0, 0.0]
    assert br.count([0, 1], [0.0, -0.0]) == br.count([1, 0], [-0.0, -0.0])
    return repr(counts)


@row(32, "probabilities slightly above 1")
def test_row_32_rounding_is_clipped_with_a_note_and_more_is_refused(bench):
    near = bench.show(table(y=Y, m=with_(M, at19="1.0000000002")), "--summary", "brier")
    shown = bench.noted("BR567", *near)
    return shown, bench.refused(
        "BR507", *bench.show(table(y=Y, m=with_(M, at19="1.01")), "--summary", "brier")
    )


@row(33, "many probabilities of exactly 0 or 1")
def test_row_33_saturated_probabilities_are_noted(bench):
    shown = bench.noted("BR210", *bench.show(table(y=Y, m=[*M[:10], *["1.0"] * 10])))
    assert "50 % of the scores are exactly 1.0" in shown
    return shown


@row(34, "pandas Series with indexes in another order")
def test_row_34_indexes_that_differ_are_refused(bench):
    shown = bench.raised("BR211", br.count, pd.Series(L, index=[3, 2, 1, 0]), pd.Series(S))
    assert "4 of 4 shared, in another order" in shown
    return shown


@row(35, "masked, sparse, torch, polars, Arrow arrays")
def test_row_35_foreign_arrays_are_read_through_their_protocols(bench):
    for scores in (
        np.ma.masked_array(S, mask=False),
        scipy.sparse.csr_array(np.array(S)[:, None]),
        pl.Series(S),
        pa.array(S),
    ):
        counts = br.count(L, scores)
        assert counts == br.count(L, S)
    return repr(counts), bench.raised(
        "BR201", br.count, L, np.ma.masked_array(S, mask=[0, 1, 0, 0]), rows=(1,)
    )


@row(36, "different lengths")
def test_row_36_different_lengths_are_refused(bench):
    shown = bench.raised("BR212", br.count, L, S[:3])
    assert "y_true 4, y_score 3" in shown
    assert "sample_weight 2" in bench.raised("BR212", br.count, L, S, sample_weight=[1, 2])
    return shown
