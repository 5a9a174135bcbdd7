"""CSV files read for several models on the same cases, and for groups of cases."""

import hashlib

import numpy as np
import pytest

import baserate as br
from baserate.read.cases import count_jointly, count_jointly_by_group, group_names
from baserate.read.joins import read_models
from baserate.read.source import Options
from baserate.read.table import ColumnRoles

ROWS = [
    (0, 0.2, 1, "A"),
    (1, 0.7, 9, "B"),
    (0, 0.1, 3, ""),
    (1, 0.4, 2, "A"),
    (1, 0.9, 7, "NA"),
    (0, 0.9, 5, "B"),
]
MODELS = {"label": "y", "scores": ["m1", "m2"]}
GROUPS = {"label": "y", "score": "m1", "by": "site"}


def written(tmp_path, rows=ROWS, header="y,m1,m2,site"):
    path = tmp_path / "scores.csv"
    path.write_text(header + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return str(path)


def count_models_csv(path, *, label, scores, **more):
    cases = read_models(path, ColumnRoles(label, tuple(scores), **more), Options())
    return count_jointly(cases), count_jointly_by_group(cases)


def columns(rows=ROWS):
    return [list(column) for column in zip(*rows, strict=True)]


def test_models_of_a_file_are_the_joint_counts_of_its_columns(tmp_path):
    path = written(tmp_path)
    joint, slices = count_models_csv(path, **MODELS)
    y, m1, m2, _ = columns()
    assert joint == br.count(y, {"m1": m1, "m2": m2})
    assert slices == {}
    (source,) = joint.ledger.sources
    assert (source.rows_read, source.rows_used, source.label, source.positive, source.weight) == (
        6,
        6,
        "y",
        "1",
        None,
    )
    assert source.sha256 == hashlib.sha256((tmp_path / "scores.csv").read_bytes()).hexdigest()


def test_slices_hold_every_case_once(tmp_path):
    joint, slices = count_models_csv(written(tmp_path), **MODELS, group="site")
    assert set(slices) == {"A", "B", "(missing)"}
    y, m1, m2, site = columns()
    for name, part in slices.items():
        rows = [i for i in range(6) if (site[i] or "NA") == ("NA" if name == "(missing)" else name)]
        assert part == br.count(
            [y[i] for i in rows], {"m1": [m1[i] for i in rows], "m2": [m2[i] for i in rows]}
        )
    parts = list(slices.values())
    assert parts[0] + parts[1] + parts[2] == joint


def test_slices_name_no_source_of_their_own_so_that_their_sum_repeats_none(tmp_path):
    _, slices = count_models_csv(written(tmp_path), **MODELS, group="site")
    assert [part.ledger.sources for part in slices.values()] == [()] * 3
    assert sum(part.ledger.rows_used for part in slices.values()) == 6
    whole = slices["A"] + slices["B"]
    assert "BR411" not in [note.code for note in whole.notes]


def test_groups_of_a_file_are_the_grouped_counts_of_its_columns(tmp_path):
    groups = br.count(written(tmp_path), **GROUPS)
    y, m1, _, site = columns()
    expected = br.count(y, m1, by=[None if name in ("", "NA") else name for name in site])
    assert groups == expected
    assert set(groups) == {"A", "B", None}
    assert groups.total() == br.count(y, m1)
    assert len(groups.ledger.sources) == 1


@pytest.mark.parametrize("missing", ["", "NA", "N/A", "null", "None", "nan", "  "])
def test_a_missing_group_is_a_group_of_its_own(tmp_path, missing):
    path = written(tmp_path, [(0, 1, 1, missing), (1, 2, 2, "A"), (0, 3, 3, "A")])
    assert set(br.count(path, **GROUPS)) == {None, "A"}
    assert set(count_models_csv(path, **MODELS, group="site")[1]) == {"(missing)", "A"}


def test_groups_are_texts_so_that_leading_zeros_tell_them_apart(tmp_path):
    path = written(tmp_path, [(0, 1, 1, "01"), (1, 2, 2, "1"), (0, 3, 3, "1.0"), (1, 4, 4, "?")])
    assert set(br.count(path, **GROUPS)) == {"01", "1", "1.0", "?"}


def test_a_group_of_one_class_is_kept(tmp_path):
    path = written(
        tmp_path, [(0, 1, 1, "none"), (0, 2, 2, "none"), (1, 3, 3, "some"), (0, 4, 4, "some")]
    )
    _, slices = count_models_csv(path, **MODELS, group="site")
    assert (slices["none"].total_positives, slices["none"].total_negatives) == (0, 2)


def test_the_label_may_be_the_group_too(tmp_path):
    _, slices = count_models_csv(written(tmp_path), **MODELS, group="y")
    assert {name: len(part.positives) for name, part in slices.items()} == {"0": 3, "1": 3}


def test_whole_numbers_that_floats_would_merge_stay_apart(tmp_path):
    big = 2**53
    path = written(tmp_path, [(0, big, 1, "A"), (1, big + 1, 2, "A"), (0, 5, 3, "B")])
    joint, slices = count_models_csv(path, **MODELS, group="site")
    assert joint.scores["m1"].tolist() == [big, big + 1, 5]
    assert slices["A"].scores["m1"].dtype == np.int64
    assert br.count(path, **GROUPS)["A"].scores.tolist() == [big + 1, big]


def test_the_positive_class_is_decided_over_the_whole_file_and_noted(tmp_path):
    path = written(tmp_path, [("no", 1, 1, "A"), ("no", 2, 2, "A"), ("yes", 3, 3, "B")])
    joint, slices = count_models_csv(path, **MODELS, group="site")
    groups = br.count(path, **GROUPS)
    for counted in (joint, groups):
        assert [note.code for note in counted.notes] == ["BR101"]
    assert (
        slices["A"].total_positives,
        slices["B"].total_positives,
        groups["A"].total_positives,
    ) == (0, 1, 0)
    turned, _ = count_models_csv(path, **MODELS, positive="no")
    assert turned.total_positives == 2


def test_the_design_is_kept_by_every_part(tmp_path):
    joint, slices = count_models_csv(
        written(tmp_path), **MODELS, group="site", design="case-control"
    )
    groups = br.count(written(tmp_path), **GROUPS, design="case-control")
    assert {part.ledger.design for part in (joint, *slices.values(), groups, groups["A"])} == {
        "case-control"
    }


def test_weights_of_groups_are_weighed(tmp_path):
    path = written(tmp_path, [(0, 1, 0.5, "A"), (1, 2, 1.5, "A"), (1, 3, 2.5, "B")])
    groups = br.count(path, **GROUPS, weight="m2")
    assert groups.weighted
    assert (
        groups["A"].total_positives,
        groups["A"].total_negatives,
        groups["B"].total_positives,
    ) == (1.5, 0.5, 2.5)


READERS = [
    pytest.param(
        lambda path, by="site", **more: count_models_csv(path, **MODELS, group=by, **more),
        id="models",
    ),
    pytest.param(lambda path, **more: br.count(path, **{**GROUPS, **more}), id="groups"),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("row", "match", "code"),
    [
        ((1, "NaN", 3, "A"), '"m1" has 1 missing', "BR201"),
        ((1, "", 3, "A"), '"m1" has 1 missing', "BR201"),
        ((1, "high", 3, "A"), 'not a number, such as "high"', "BR208"),
        (("", 1, 3, "A"), '1 of 7 labels in "y" is missing', "BR105"),
        ((1, 2, 3), "rows has 3 fields instead of the header's 4", "BR605"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_by_its_line(tmp_path, read, row, match, code):
    path = written(tmp_path, [*ROWS, row])
    with pytest.raises(br.InputError, match=match) as caught:
        read(path)
    problem = caught.value.problems[0]
    assert (problem.code, problem.where.path, problem.where.lines) == (code, path, (8,))


@pytest.mark.parametrize("read", READERS)
def test_a_group_column_that_is_not_there_is_refused_with_those_that_are(tmp_path, read):
    path = written(tmp_path)
    with pytest.raises(
        br.InputError,
        match='BR613.*has no column "sites"; it has "y", "m1", "m2", "site".*perhaps "site"',
    ):
        read(path, by="sites")


@pytest.mark.parametrize("read", READERS)
def test_an_unknown_design_is_refused(tmp_path, read):
    with pytest.raises(br.InputError, match='BR532.*got "matched"'):
        read(written(tmp_path), design="matched")


def test_a_score_asked_for_twice_is_refused(tmp_path):
    with pytest.raises(br.InputError, match='BR407.*the score "m1" is named twice'):
        count_models_csv(written(tmp_path), label="y", scores=["m1", "m1"])


def test_a_group_named_missing_is_not_the_missing_ones(tmp_path):
    path = written(tmp_path, [(0, 1, 1, ""), (1, 2, 2, "(missing)"), (0, 3, 3, "A")])
    _, slices = count_models_csv(path, **MODELS, group="site")
    assert {name: part.scores["m1"].tolist() for name, part in slices.items()} == {
        "((missing))": [1],
        "(missing)": [2],
        "A": [3],
    }
    assert set(br.count(path, **GROUPS)) == {None, "(missing)", "A"}


def test_missing_groups_are_called_by_a_name_that_no_group_has():
    assert group_names(["B", None, "A"]) == ["B", "(missing)", "A"]
    assert group_names([None, "(missing)"]) == ["((missing))", "(missing)"]
    assert group_names(["((missing))", None, "(missing)"]) == [
        "((missing))",
        "(((missing)))",
        "(missing)",
    ]
    assert group_names(["(missing)"]) == ["(missing)"]


def test_slices_are_sorted_by_name(tmp_path):
    path = written(
        tmp_path,
        [(i % 2, i, i, name) for i, name in enumerate(["b", "", "a", "10", "2", "all cases"])],
    )
    assert list(count_models_csv(path, **MODELS, group="site")[1]) == [
        "(missing)",
        "10",
        "2",
        "a",
        "all cases",
        "b",
    ]


def test_an_empty_name_of_a_group_column_is_refused(tmp_path):
    with pytest.raises(br.InputError, match='BR613.*has no column ""'):
        br.count(written(tmp_path), **{**GROUPS, "by": ""})
