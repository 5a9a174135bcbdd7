"""JSON lines: flat objects, one a line, by the rules of every other file."""

import gzip
import json
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import baserate as br
from baserate.read import json_lines

EXPECTED = br.count([0, 1, 0], [0.5, 1.25, 3.0])
GOOD = (
    '{"y": 0, "m1": 0.5, "x": {"deep": [1]}}\n{"m1": 1.25, "y": 1, "x": null}\n{"y": 0, "m1": 3,'
    ' "x": 0}\n'
)


def written(tmp_path, text, name="x.jsonl"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def counted(path, **options):
    return br.count(path, label="y", score="m1", **options)


def assert_refused(path, match, code, lines=(), **options):
    with pytest.raises(br.InputError, match=match) as caught:
        counted(path, **options)
    assert caught.value.code == code
    assert caught.value.problems[0].where.path == path
    assert caught.value.problems[0].where.lines == lines


@pytest.mark.parametrize(
    "text",
    [GOOD, "\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.rstrip(), GOOD.replace("\n", "\n\n")],
    ids=["plain", "BOM", "CRLF", "no end", "blanks"],
)
def test_row_109_json_lines_are_counted(tmp_path, text):
    counts = counted(written(tmp_path, text))
    assert counts == EXPECTED
    assert counts.ledger.rows_read == 3
    assert not [note for note in counts.notes if note.code > "BR6"]


def test_row_109_also_without_an_ending_or_compressed(tmp_path):
    assert counted(written(tmp_path, GOOD, "data")) == EXPECTED
    assert counted(written(tmp_path, gzip.compress(GOOD.encode()), "x.jsonl.gz")) == EXPECTED
    assert counted(written(tmp_path, GOOD.encode("utf-16"), "x.jsonl")) == EXPECTED


def test_row_109_an_array_is_read_with_a_note_up_to_a_limit(tmp_path, monkeypatch):
    path = written(
        tmp_path, json.dumps([json.loads(line) for line in GOOD.splitlines()], indent=1), "x.json"
    )
    counts = counted(path)
    assert counts == EXPECTED
    assert "BR621" in [note.code for note in counts.notes]
    monkeypatch.setattr(json_lines, "LARGEST_ARRAY", 10)
    assert_refused(path, "one JSON array of more than", "BR621")


@pytest.mark.parametrize(
    ("text", "match", "code", "lines"),
    [
        (
            '{"y": 0, "m1": 1}\n{"y": 1, "m1": {"a": 2}}\n',
            '"m1" is nested .there is "m1.a"',
            "BR620",
            (2,),
        ),
        ('{"y": [0], "m1": 1}\n', 'there is "y.0."', "BR620", (1,)),
        ('{"y": 0, "m1": 1}\n\n{"y": 1, "m1": }\n', "broken JSON", "BR620", (3,)),
        ('{"y": 0, "m1": 1}\n{"y": 1, "m1": 2', "broken JSON", "BR620", (2,)),
        ('{"y": 0, "m1": 1}\n7\n', "7 where an object was expected", "BR620", (2,)),
        (
            '{"y": 0, "m1": 1}\n{"y": 1}\n',
            'the field "m1" is missing in 1 of 2 objects',
            "BR605",
            (2,),
        ),
        ('{"y": 0, "M1": 1}\n', 'no column "m1"; it has "y", "M1". Fix: perhaps "M1"', "BR613", ()),
        ('{"y": 0, "m1": 1, "m1": 2}\n', 'more than one "m1"', "BR606", (1,)),
        ('{"y": 0, "m1": 1}\n{"y": 1, "m1": null}\n', '"m1" has 1 missing', "BR201", (2,)),
        ('{"y": 0, "m1": 1}\n{"y": 1, "m1": NaN}\n', '"m1" has 1 missing', "BR201", (2,)),
        ('{"y": null, "m1": 1}\n{"y": 1, "m1": 2}\n', "1 of 2 labels", "BR105", (1,)),
        (
            '{"y": 0, "m1": 1}\n{"y": 1, "m1": "x"}\n',
            "mixes types: numbers \\(1\\), text \\(1\\)",
            "BR208",
            (2,),
        ),
        ('{"y": 0, "m1": 1}\n{"y": "1", "m1": 2}\n', "mixes types", "BR107", (2,)),
        ('{"y": 0, "m1": 7}\n{"y": 1, "m1": 1e400}\n', "beyond the largest float", "BR215", (2,)),
        (
            '{"y": 0, "m1": 9007199254740993}\n{"y": 1, "m1": 1.5e1}\n',
            "would be rounded",
            "BR215",
            (),
        ),
        ("[]", "no objects", "BR602", ()),
        ("[" * 100_000, "broken JSON", "BR620", ()),
        ('{"y": 0, "m1": ' + "1" * 5000 + "}\n", "broken JSON", "BR620", (1,)),
    ],
)
def test_what_would_need_a_guess_is_refused_with_its_line(tmp_path, text, match, code, lines):
    assert_refused(written(tmp_path, text), match, code, lines)


def test_whole_numbers_beyond_floats_stay_apart(tmp_path):
    text = '{"y": 0, "m1": 9007199254740993}\n{"y": 1, "m1": 9007199254740992}\n'
    assert counted(written(tmp_path, text)).scores.tolist() == [9007199254740993, 9007199254740992]


@pytest.mark.parametrize(
    "score",
    ["5e-1", "0.50000000000000000000", "0.30000000000000004", "1E3", "Infinity", "-0.0", "1e22"],
)
def test_a_fraction_is_its_float_however_it_is_written(tmp_path, score):
    text = (
        f'{{"y": 1.0, "m1": {score}, "g": {score}}}\n{{"y": 0.0, "m1": 0.25, "g": "a"}}\n{{"y":'
        ' 10e-1, "m1": 7, "g": 7}\n'
    )
    path = written(tmp_path, text)
    assert counted(path) == br.count([1, 0, 1], [float(score), 0.25, 7])
    assert set(br.count(path, label="y", score="m1", by="g")) == {
        json.dumps(float(score)),
        "a",
        "7",
    }


def test_labels_may_be_bools_or_text_and_groups_anything_plain(tmp_path):
    text = (
        '{"y": true, "m1": 1, "g": 1}\n{"y": false, "m1": 2, "g": "a"}\n{"y": false, "m1": 2, "g":'
        " null}\n"
    )
    path = written(tmp_path, text)
    assert counted(path).total_positives == 1
    assert counted(path, positive="false").total_positives == 2
    assert set(br.count(path, label="y", score="m1", by="g")) == {"1", "a", None}


def test_options_of_tables_are_not_ignored(tmp_path):
    assert_refused(
        written(tmp_path, GOOD), "delimiter applies to a table of text", "BR612", delimiter=";"
    )


@pytest.mark.parametrize(
    ("values", "said", "lines"),
    [
        ([0.1, 0.9, True, False, "0.2"], r"numbers \(2\), true or false \(2\), text \(1\)", (5,)),
        ([0.1, 0.9, True], r"numbers \(2\), true or false \(1\)", (3,)),
        ([1, 2, None, "3"], r"numbers \(2\), text \(1\)", (4,)),
        (["1", "2", False], r"text \(2\), true or false \(1\)", (3,)),
        (
            [0.1000000000000000055511151231257827, 1, True],
            r"numbers \(2\), true or false \(1\)",
            (3,),
        ),
    ],
)
def test_row_27_scores_of_several_types_are_refused_with_their_line_and_how_many_there_are_of_each(
    tmp_path, values, said, lines
):
    rows = "".join(json.dumps({"y": i % 2, "m1": value}) + "\n" for i, value in enumerate(values))
    assert_refused(written(tmp_path, rows), f'"m1" mixes types: {said}', "BR208", lines)


def test_row_9_labels_of_several_types_are_refused_with_their_line_and_cast_where_that_is_asked_for(
    tmp_path,
):
    path = written(tmp_path, '{"y": 0, "m1": 0.1}\n{"y": true, "m1": 0.9}\n{"y": 1, "m1": 0.7}\n')
    assert_refused(path, r'"y" mixes types: numbers \(2\), true or false \(1\)', "BR107", (2,))
    assert counted(path, cast_labels=True) == br.count([0, 1, 1], [0.1, 0.9, 0.7])


def test_scores_that_are_all_booleans_or_all_text_are_still_read(tmp_path):
    flags = '{"y": 0, "m1": false}\n{"y": 1, "m1": true}\n'
    assert counted(written(tmp_path, flags)) == br.count([0, 1], [0, 1])
    assert counted(
        written(tmp_path, flags.replace("false", '"0.5"').replace("true", '"0.25"'))
    ) == br.count([0, 1], [0.5, 0.25])


def test_flags_in_one_file_and_numbers_in_another_are_refused(tmp_path):
    written(tmp_path, '{"y": 0, "m1": 0.5}\n{"y": 1, "m1": 0.75}\n', "a.jsonl")
    written(tmp_path, '{"y": 0, "m1": false}\n', "b.jsonl")
    with pytest.raises(
        br.InputError,
        match=r'BR208: .*b.jsonl: "m1" mixes types: numbers \(2\), true or false \(1\) \(line 1\)',
    ):
        counted(str(tmp_path / "*.jsonl"))


def test_lists_that_mix_flags_and_numbers_are_refused_as_well():
    with pytest.raises(
        br.InputError,
        match=r"BR107: y_true mixes types: numbers \(2\), true or false \(1\) \(index 1\)",
    ):
        br.count([0, True, 1], [0.1, 0.9, 0.7])
    with pytest.raises(
        br.InputError,
        match=r"BR208: y_score mixes types: numbers \(2\), true or false \(1\) \(index 1\)",
    ):
        br.count([0, 1, 1], [0.1, True, 0.7])


def both_ways(path, **roles):
    """What DuckDB reads or leaves (None), and what Python's json module reads or refuses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lines, "LARGE", 0)
        fast = outcome(path, roles)
        patch.setattr(json_lines, "LARGE", 1 << 60)
        careful = outcome(path, roles)
    return fast, careful


def outcome(path, roles):
    try:
        counts = br.count(path, label="y", score="m1", **roles)
    except br.InputError as error:
        return [(problem.code, problem.where.lines) for problem in error.problems]
    return counts.digest if not roles else {name: one.digest for name, one in counts.items()}


NUMBERS = st.one_of(
    st.floats().map(json.dumps),
    st.integers().map(str),
    st.sampled_from(["0.10", "1e5", "1E400", "-0.0", "007", "+1", ".5", "1.", "1_0", "null", "0 "]),
    st.decimals(-1, 1, places=18, allow_nan=False).map(str),
)
WORDS = st.one_of(
    st.sampled_from(
        ["0", "1", "true", "false", "null", '"yes"', '"no"', '""', '"NA"', "2.50", "x"]
    ),
    st.text(max_size=4).map(json.dumps),
    st.text(max_size=4).map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.sampled_from(["[1]", "{}", '{"a": 1}', '"a,b"', '"tab\there"', "Infinity"]),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(WORDS, NUMBERS, WORDS), min_size=1, max_size=6),
    st.sampled_from(['{{"y": {}, "m1": {}, "g": {}}}', '{{"g":{2},"m1":{1},"y":{0}}}']),
    st.sampled_from(["\n", "\r\n"]),
)
def test_both_ways_agree_on_objects_of_one_shape(rows, shape, end):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/x.jsonl"
        lines = "".join(shape.format(*row) + end for row in rows)
        with open(path, "wb") as file:
            file.write(lines.encode("utf-8", "surrogatepass"))
        fast, careful = both_ways(path)
        assert fast == careful


PLAIN_LINE = '{"y": 0, "m1": 0.5, "g": "a"}\n'


@pytest.mark.parametrize(
    "line",
    [
        '{"y": 1, "m1": 0.8444218515250481, "g": "b"}\n',
        '{"y": 1, "m1": 7, "g": null}\n',
        '{"y": 1, "m1": -1e-300, "g": "b é"}',
        '{"y": 1, "m1": 0.5, "g": "a\\u00e9\\n"}\n',
        '{"m1": 0.5, "y": 1, "g": "a"}\n',
        '{"y": 1, "m1": 0.5}\n',
        '{"y": 1, "m1": 0.5, "g": "a", "h": 1}\n',
        '{"y": 1, "m1": 0.5, "g": "a", "h": [{}]}\n',
        '{"y": 1, "m1": 0.5, "g": [1]}\n',
        '{"y": 1, "m1": "0.5", "g": "a"}\n',
        '{"y": 1, "m1": null, "g": "a"}\n',
        '{"y": 1, "m1": NaN, "g": "a"}\n',
        '{"y": 1, "m1": inf, "g": "a"}\n',
        '{"y": 1, "m1": -Infinity, "g": "a"}\n',
        '{"y": 1, "m1": 00.5, "g": "a"}\n',
        '{"y": 1, "m1": 0.5, "g": "a"} \n',
        '{"y": 1, "m1": 0.5, "g": a}\n',
        '{"y": 1, "m1": 0.5, "g": "a", }\n',
        '{"y": 1, "m1": 0.5, "m1": 0.5, "g": "a"}\n',
        '{"y": 1, "m1": 0.5} {"y": 1, "m1": 0.5}\n',
        '{"y": 1,\r "m1": 0.5, "g": "a"}\n',
        "[]\n",
        "\n",
    ],
)
@pytest.mark.parametrize("roles", [{}, {"by": "g"}])
def test_both_ways_agree_on_a_line_below_a_plain_one(tmp_path, line, roles):
    fast, careful = both_ways(written(tmp_path, PLAIN_LINE + line), **roles)
    assert fast == careful


@pytest.mark.parametrize("label", ["y", "it's", "a''b"])
@pytest.mark.parametrize("values", [(0, 1), ("it's", "né"), (False, True)])
@pytest.mark.parametrize("last", [False, True])
def test_labels_are_found_whatever_they_and_their_field_are_called(tmp_path, label, values, last):
    rows = [(values[row % 2], row / 4096) for row in range(40_000)]
    lines = [
        {"m1": score, label: value} if last else {label: value, "m1": score}
        for value, score in rows
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    assert len(text.encode()) > json_lines.LARGE
    path = written(tmp_path, text)
    positive = str(values[1]).casefold()
    counts = br.count(path, label=label, score="m1", positive=positive)
    labels, scores = zip(*rows, strict=True)
    assert counts == br.count(labels, scores, pos_label=values[1])


@pytest.mark.parametrize(
    ("label", "rows"),
    [("1e-400", 30), ("1.00000000000000000001", 30), ("1e400", 30), ("1e400", 60_000)],
)
def test_a_label_that_no_float_is_is_not_taken_for_the_nearest_one(tmp_path, label, rows):
    path = tmp_path / "x.jsonl"
    lines = [f'{{"y": {row % 2}, "s": {row / rows}}}' for row in range(rows)]
    path.write_text("\n".join([*lines, f'{{"y": {label}, "s": 0.5}}']) + "\n")
    with pytest.raises(br.InputError, match=rf"BR107.*mixes types.*\(line {rows + 1}\)"):
        br.count(path, label="y", score="s")


def test_a_label_may_be_written_with_an_exponent(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"y": 1.0e0, "s": 0.9}\n{"y": 0, "s": 0.1}\n')
    assert br.count(path, label="y", score="s") == br.count([1, 0], [0.9, 0.1])
