"""How a text file is written: found over the whole of it, announced, and overridden by what the
user says.
"""

import re

import pytest

import baserate as br

EXPECTED = br.count([0, 1, 0], [0.5, 1.25, 3.0])


def written(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def counted(path, **options):
    return br.count(path, label="y", score="m1", **options)


def assert_refused(path, match, code, **options):
    with pytest.raises(br.InputError, match=match) as caught:
        counted(path, **options)
    assert caught.value.code == code
    assert re.search(r"Fix: .+\.$", str(caught.value))
    return caught.value.problems[0]


def said(counts):
    return [note.line(lambda fix: fix.command) for note in counts.notes if note.code == "BR612"]


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "pipes")])
def test_rows_91_and_93_other_separators_are_found_and_announced(tmp_path, sign, name):
    path = written(tmp_path, "id,y,m1\na,0,0.5\nb,1,1.25\nc,0,3\n".replace(",", sign))
    counts = counted(path)
    assert counts == EXPECTED
    assert said(counts) == [f'columns are separated by {name}. Override: --delimiter ","']
    counts = counted(path, delimiter=sign)
    assert counts == EXPECTED
    assert not said(counts), "what was said needs no note"


def test_row_91_a_decimal_comma_is_found_where_all_numbers_agree(tmp_path):
    counts = counted(written(tmp_path, "y;m1\n0;0,5\n1;1,25\n0;3\n"))
    assert counts == EXPECTED
    assert any("decimal comma" in text and '--decimal "."' in text for text in said(counts))
    assert_refused(written(tmp_path, "y;m1\n0;0,5\n1;1.25\n0;3\n"), 'such as "0,5"', "BR208")
    assert counted(written(tmp_path, 'y,m1\n0,"0,5"\n1,"1,25"\n0,3\n'), decimal=",") == EXPECTED
    assert_refused(written(tmp_path, 'y,m1\n0,"0,5"\n1,"1,25"\n0,3\n'), 'such as "0,5"', "BR208")


def test_row_92_what_may_be_thousands_is_not_taken_for_decimals(tmp_path):
    path = written(tmp_path, "y;m1\n0;1,250\n1;2,500\n0;3\n")
    problem = assert_refused(path, 'such as "1,250": thousands, or decimals', "BR208")
    assert problem.where.lines == (2,)
    assert counted(path, decimal=",").scores.tolist() == [3.0, 2.5, 1.25]
    assert_refused(path, "not numbers", "BR208", decimal=".")


@pytest.mark.parametrize("text", ["1.234,5", "1.234", "0.5"])
def test_a_point_is_no_sign_of_a_number_with_a_decimal_comma(tmp_path, text):
    path = written(tmp_path, f"y;m1\n0;{text}\n1;2,5\n")
    problem = assert_refused(
        path,
        f'"m1" has 1 value with a point, such as "{text}": the decimal sign is a comma',
        "BR208",
        decimal=",",
    )
    assert problem.where.lines == (2,)


def test_row_106_the_first_line_of_excel_says_the_separator(tmp_path):
    counts = counted(written(tmp_path, "sep=;\ny;m1\n0;0,5\n1;1,25\n0;3\n"))
    assert counts == EXPECTED
    assert any("sep=" in text for text in said(counts))
    problem = assert_refused(
        written(tmp_path, "sep=;\r\ny;m1\r\n0;1\r\n1;x\r\n"), "not a number", "BR208"
    )
    assert problem.where.lines == (4,)


@pytest.mark.parametrize(
    "above", ["# made by a program\n# on a Monday\n", "Report\n\n", "Report;2026\n\n"]
)
def test_row_106_lines_above_the_header_are_refused_with_their_number(tmp_path, above):
    path = written(tmp_path, above + "y,m1\n0,0.5\n1,1.25\n0,3\n")
    assert_refused(path, "the header is on line 3.*Fix: skip_lines=2", "BR613")
    counts = counted(path, skip_lines=2)
    assert counts == EXPECTED
    problem = assert_refused(
        written(tmp_path, above + "y,m1\n0,0.5\n1,z\n"), "not a number", "BR208", skip_lines=2
    )
    assert problem.where.lines == (5,)


def test_row_96_a_file_without_a_header_needs_names(tmp_path):
    path = written(tmp_path, "7,0,0.5\n8,1,1.25\n9,0,3\n")
    assert_refused(path, "first line holds only numbers.*Fix: header=False, columns=", "BR604")
    counts = counted(path, header=False, columns=["id", "y", "m1"])
    assert counts == EXPECTED
    assert counts.ledger.rows_read == 3, "the first row is a case"
    assert_refused(path, "no names of columns", "BR604", header=False)
    assert_refused(path, "has 3 columns, and 2 names", "BR604", header=False, columns=["y", "m1"])
    assert_refused(path, "given for a file that has a header", "BR604", columns=["id", "y", "m1"])


def test_a_file_without_a_header_that_two_separators_fit_is_refused(tmp_path):
    path = written(tmp_path, "fraud;1,7\nlegit;2,7\nfraud;3,5\n")
    named = {"header": False, "columns": ["y", "m1"], "positive": "fraud"}
    assert_refused(path, "has 2 columns when separated by commas and semicolons", "BR612", **named)
    assert counted(path, **named, delimiter=";").scores.tolist() == [3.5, 2.7, 1.7]


def test_a_separator_that_cannot_be_told_is_asked_for(tmp_path):
    path = written(tmp_path, "y,a;y\n0,1;0\n")
    with pytest.raises(br.InputError, match="when separated by commas and semicolons") as caught:
        br.count(path, label="y", score="y")
    assert caught.value.code == "BR612"


def test_row_93_blanks_around_names_and_values_are_left_out_with_a_note(tmp_path):
    counts = counted(written(tmp_path, "id, y, m1\na, 0, 0.5\nb, 1, 1.25\nc, 0, 3\n"))
    assert counts == EXPECTED
    assert any("blanks" in text for text in said(counts))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_row_89_a_mark_tells_the_encoding(tmp_path, encoding):
    counts = counted(written(tmp_path, "naïve,y,m1\né,0,0.5\n😀,1,1.25\nc,0,3\n".encode(encoding)))
    assert counts == EXPECTED
    assert said(counts) == [
        f"the file is {encoding.upper()} by its first bytes. Override: --encoding utf-8"
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_row_89_without_a_mark_the_encoding_is_guessed_at_only_in_the_fix(tmp_path, encoding):
    path = written(tmp_path, "y,m1\n0,0.5\n1,1.25\n0,3\n".encode(encoding))
    assert_refused(
        path, f"looks like {encoding.upper()} without a mark. Fix: encoding='{encoding}'", "BR601"
    )
    assert counted(path, encoding=encoding) == EXPECTED


def test_row_90_other_encodings_are_refused_at_their_byte(tmp_path):
    path = written(tmp_path, "name,y,m1\nJosé,0,0.5\nb,1,1.25\nc,0,3\n".encode("cp1252"))
    problem = assert_refused(
        path,
        "byte 0xE9 .the 4. of its line. is not UTF-8 .line 2.. Fix: encoding='cp1252'",
        "BR601",
    )
    assert problem.where.lines == (2,)
    assert counted(path, encoding="cp1252") == EXPECTED
    assert_refused(path, "no encoding", "BR601", encoding="klingon")
    assert_refused(path, "no encoding", "BR601", encoding="zlib")
    assert_refused(path, "is not utf-16", "BR601", encoding="utf-16")


def test_row_97_rows_that_do_not_fit_are_counted_where_they_were_allowed(tmp_path):
    path = written(tmp_path, "y,m1\n0,0.5\n1\n1,1.25\n0,3\n0,3,3\n")
    assert_refused(path, "2 of 5 rows have 1, 3 fields", "BR605", skip_bad=1)
    counts = counted(path, skip_bad=2)
    assert counts == EXPECTED
    assert (counts.ledger.rows_read, counts.ledger.rows_used, counts.ledger.rows_refused) == (
        5,
        3,
        2,
    )
    assert any(note.code == "BR605" and "lines 3, 6" in note.text for note in counts.notes)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"delimiter": "ab"}, "BR612"),
        ({"delimiter": '"'}, "BR612"),
        ({"decimal": "x"}, "BR612"),
        ({"skip_lines": -1}, "BR612"),
        ({"max_bytes": 0}, "BR612"),
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path, options, code):
    assert_refused(written(tmp_path, "y,m1\n0,1\n"), ".", code, **options)


def test_an_unknown_option_is_an_error_of_the_programmer(tmp_path):
    with pytest.raises(TypeError, match="unknown option 'delimeter'"):
        counted(written(tmp_path, "y,m1\n0,1\n"), delimeter=";")


def test_row_112_the_locale_does_not_matter(tmp_path):
    import locale

    before = locale.setlocale(locale.LC_ALL)
    try:
        for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C"):
            try:
                locale.setlocale(locale.LC_ALL, name)
            except locale.Error:
                continue
            assert counted(written(tmp_path, "y,m1\n0,0.5\n1,1.25\n0,3\n")) == EXPECTED
    finally:
        locale.setlocale(locale.LC_ALL, before)
