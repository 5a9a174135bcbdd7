"""Section F: text files."""

import json
import os
from pathlib import Path

import pytest
from tests.bad_inputs.bench import M, Y, table, with_
from tests.bad_inputs.rows import row

import baserate as br
from baserate.read import json_lines, streams

GOOD = table(y=Y, m=M)
SEMICOLONS = GOOD.replace(",", ";").replace("0.", "0,")


def same(bench, content, *more, name="scores.csv"):
    """The command, once it is clear that it counts what the plain file counts."""
    command = bench.show(content, *more, name=name)
    digest = br.count(Y, list(map(float, M))).digest
    assert bench.answer(*command)["models"][0]["counts"]["digest"] == digest
    return command


@row(88, "UTF-8 with a byte order mark")
def test_row_88_a_mark_is_no_part_of_the_first_name(bench):
    return bench.accepted(*same(bench, "\ufeff" + GOOD))


@row(89, "UTF-16 or UTF-32, with a mark or without")
def test_row_89_a_mark_tells_the_encoding_and_without_it_somebody_has_to(bench):
    for encoding in ("utf-16", "utf-32"):
        shown = bench.noted("BR612", *same(bench, GOOD.encode(encoding)))
    same(bench, GOOD.encode("utf-16-le"), "--encoding", "utf-16-le")
    return shown, bench.refused("BR601", *bench.show(GOOD.encode("utf-16-le")))


@row(90, "Latin-1 or CP1252")
def test_row_90_other_encodings_are_refused_at_their_byte(bench):
    text = table(y=Y, m=M, stadt=["Köln"] * 20).encode("cp1252")
    same(bench, text, "--encoding", "cp1252")
    return bench.refused("BR601", *bench.show(text), lines=(2,))


@row(91, "semicolons and decimal commas")
def test_row_91_a_decimal_comma_is_found_where_all_numbers_agree(bench):
    notes = bench.told(*same(bench, SEMICOLONS)).err.splitlines()
    return *notes, bench.refused("BR208", *bench.show(SEMICOLONS.replace("0,03", "0.03")))


@row(92, "thousands separators, percent, currency")
def test_row_92_numbers_are_plain_or_refused(bench):
    for text in ("5%", "€5", "1.234,5"):
        shown = bench.refused(
            "BR208", *bench.show(SEMICOLONS.replace("0,03", text), "--decimal", ","), lines=(4,)
        )
    return bench.refused("BR208", *bench.show(table(y=Y, m=with_(M, at2="5%"))), lines=(4,)), shown


@row(93, "tabs, pipes, blanks around values")
def test_row_93_other_separators_are_found_and_announced(bench):
    padded = bench.noted("BR612", *same(bench, GOOD.replace(",", " , ")))
    pipes = bench.noted("BR612", *same(bench, GOOD.replace(",", "|")))
    return bench.noted("BR612", *same(bench, GOOD.replace(",", "\t"))), pipes, padded


@row(94, "an empty file")
def test_row_94_an_empty_file_is_refused(bench):
    return bench.refused("BR602", *bench.show(""))


@row(95, "a header and no rows")
def test_row_95_a_file_without_rows_is_refused(bench):
    return bench.refused("BR602", *bench.show("y,m\n"))


@row(96, "no header")
def test_row_96_a_file_without_a_header_needs_names(bench):
    bare = GOOD.partition("\n")[2]
    same(bench, bare, "--columns", "y,m")
    return bench.refused("BR604", *bench.show(bare))


@row(97, "rows with a field too few or too many")
def test_row_97_ragged_rows_are_named_or_left_out_as_asked(bench):
    ragged = table(id=range(20), y=Y, m=M) + "20,1\n21,0,0.3,9\n"
    shown = bench.refused("BR605", *bench.show(ragged), lines=(22, 23))
    assert "2 of 22 rows have 2, 4 fields instead of the header's 3" in shown
    assert bench.answer(*bench.show(ragged, "--skip-bad", "2"))["sources"][0]["rows_refused"] == 2
    return shown, bench.noted("BR605", *bench.show(ragged, "--skip-bad", "2"))


@row(98, "text in a column of numbers, far down")
def test_row_98_text_among_numbers_is_named_by_its_line(bench):
    rows = "".join(f"{i % 2},{i / 7}\n" for i in range(30_000))
    return bench.refused("BR208", *bench.show(f"y,m\n{rows}1,x\n"), lines=(30_002,))


@row(99, "two columns of one name")
def test_row_99_two_columns_of_one_name_are_refused(bench):
    return bench.refused("BR606", *bench.show("y,m,m\n0,1,2\n"))


@row(100, "names that differ only by case")
def test_row_100_names_are_taken_exactly_or_refused(bench):
    read = bench.accepted(*same(bench, table(y=Y, m=M, M=Y)))
    return read, bench.refused(
        "BR607", "show", bench.file(table(y=Y, Mm=M, mM=M)), "--label", "y", "--score", "mm"
    )


@row(101, "line breaks and quotes in quotes; a quote that is not closed")
def test_row_101_quoted_text_is_read_and_an_open_quote_is_refused(bench):
    quoted = table(id=['"two\nlines"', '"a ""b"""', *range(18)], y=Y, m=M)
    read = bench.accepted(*same(bench, quoted))
    return read, bench.refused("BR614", *bench.show(GOOD + '1,"0.5\n0,0.6\n'), lines=(22,))


@row(102, "lines that end in CR, CRLF or both")
def test_row_102_lines_may_end_in_any_way(bench):
    for end in ("\r\n", "\r"):
        same(bench, GOOD.replace("\n", end))
    return bench.accepted(*same(bench, GOOD.replace("\n", "\r\n", 3)))


@row(103, "NUL bytes and control characters")
def test_row_103_a_nul_is_refused_at_its_byte(bench):
    bench.refused("BR208", *bench.show(table(y=Y, m=with_(M, at2="0.\x075"))), lines=(4,))
    return bench.refused("BR614", *bench.show(table(y=Y, m=with_(M, at2="0.5\0"))), lines=(4,))


@row(104, "NA, null, -, ?, #N/A, an empty field")
def test_row_104_what_means_missing_is_a_fixed_list(bench):
    for text in ("", "NA", "N/A", "#N/A", "NaN", "null", "NULL", "None", "-", "?"):
        shown = bench.refused("BR201", *bench.show(table(y=Y, m=with_(M, at2=text))), lines=(4,))
    return shown, bench.refused(
        "BR208", *bench.show(table(y=Y, m=with_(M, at2="missing"))), lines=(4,)
    )


@row(105, "no last line break, blank lines at the end, a line of totals")
def test_row_105_the_end_of_a_file_may_be_bare_and_totals_are_refused(bench):
    same(bench, GOOD.rstrip("\n"))
    read = bench.accepted(*same(bench, GOOD + "\n\n"))
    return read, bench.refused(
        "BR617",
        *bench.show(table(id=[*range(20), "Total"], y=[*Y, ""], m=[*M, "2.1"])),
        lines=(22,),
    )


@row(106, "comments or a title above the header; Excel's sep=;")
def test_row_106_lines_above_the_header_are_counted_for_the_user(bench):
    said = tuple(bench.told(*same(bench, "sep=;\n" + SEMICOLONS)).err.splitlines())
    same(bench, "# made by us\n# in May\n" + GOOD, "--skip-lines", "2")
    shown = bench.refused("BR613", *bench.show("# made by us\n# in May\n" + GOOD))
    assert "--skip-lines 2" in shown
    return said[0], shown


@row(107, "ids damaged by a spreadsheet (1.23E+15)")
def test_row_107_rounded_ids_are_noted(bench):
    text = table(id=["1.23E+15", *range(19)], y=Y, m=M)
    for name in ("old.csv", "new.csv"):
        bench.file(text, name)
    return bench.noted(
        "BR609", "compare", "old.csv", "new.csv", "--label", "y", "--score", "m", "--id", "id"
    )


@row(108, ".xlsx, .xls, .ods, .sas7bdat")
def test_row_108_formats_that_are_not_read_are_named(bench):
    bench.refused(
        "BR610", *bench.show(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), name="scores.dat")
    )
    bench.refused("BR610", *bench.show(GOOD, name="scores.sas7bdat"))
    return bench.refused("BR610", *bench.show(GOOD, name="scores.xlsx"))


@row(109, "JSON lines, a JSON array, nested JSON")
def test_row_109_json_lines_are_read_an_array_is_noted_and_nesting_is_refused(bench):
    rows = [{"y": y, "m": float(m)} for y, m in zip(Y, M, strict=True)]
    lines = bench.accepted(
        *same(bench, "".join(json.dumps(one) + "\n" for one in rows), name="scores.jsonl")
    )
    array = bench.noted("BR621", *same(bench, json.dumps(rows), name="scores.json"))
    assert json_lines.LARGEST_ARRAY == 100_000_000
    return (
        lines,
        array,
        bench.refused(
            "BR620", *bench.show('{"y": 1, "m": {"score": 2}}\n', name="scores.jsonl"), lines=(1,)
        ),
    )


@row(110, "a line of more than 16 MB")
def test_row_110_endless_lines_are_refused(bench):
    return bench.refused("BR614", *bench.show(GOOD + "x" * 17_000_000), lines=(22,))


@row(111, "a file that changes while it is read")
def test_row_111_a_file_that_changes_is_refused(bench):
    command, before = bench.show(GOOD), streams.digest

    def changing(path):
        os.utime(path, ns=(0, Path(path).stat().st_mtime_ns + 1))
        return before(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "digest", changing)
        done = bench.told(*command)
    assert (done.status, done.out) == (2, "")
    return done.err.strip()


@row(112, "a German, Turkish or Persian locale")
def test_row_112_the_locale_does_not_matter(bench):
    command = same(bench, GOOD)
    for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "fa_IR.UTF-8"):
        done = bench.run(*command, env={**os.environ, "LC_ALL": name, "LANG": name})
        assert done == bench.told(*command)
    return done.out.splitlines()[0]
