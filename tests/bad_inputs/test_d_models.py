"""Section D: models, ids and pairs."""

from tests.bad_inputs.bench import M, Y, table, with_
from tests.bad_inputs.rows import also, row

import baserate as br

IDS = [f"tx-{i}" for i in range(20)]
OTHER = M[::-1]


def two(bench, old, new, *more):
    """Compare two files, a model each."""
    return (
        "compare",
        bench.file(old, "old.csv"),
        bench.file(new, "new.csv"),
        "--label",
        "y",
        "--score",
        "m",
        *more,
    )


def joined(bench, new, *more, old=None):
    return two(bench, old or table(id=IDS, y=Y, m=M), new, "--id", "id", *more)


@row(45, "a model lacks some ids")
def test_row_45_cases_that_a_model_lacks_are_named_or_left_out_as_asked(bench):
    short = table(id=IDS[4:], y=Y[4:], m=OTHER[4:])
    shown = bench.refused("BR401", *joined(bench, short))
    assert (
        '"new" lacks 4 of 20 ids ("tx-0", "tx-1", "tx-2" …). Fix: --join inner (16 cases that all'
        " have)." in shown
    )
    left = joined(bench, short, "--join", "inner")
    assert [source["rows_used"] for source in bench.answer(*left)["sources"]] == [16, 16]
    return shown, bench.noted("BR401", *left)


@row(46, "an id that appears twice, with the same values")
def test_row_46_repeated_rows_are_named(bench):
    return bench.refused(
        "BR402",
        *joined(bench, table(id=[*IDS, "tx-0"], y=[*Y, Y[0]], m=[*OTHER, OTHER[0]])),
        lines=(2, 22),
    )


@also(46)
def test_row_46_repeated_rows_are_read_once_where_that_is_said(bench):
    twice = joined(bench, table(id=[*IDS, "tx-0"], y=[*Y, Y[0]], m=[*OTHER, OTHER[0]]))
    assert "--dedupe first" in bench.refused("BR402", *twice)
    assert bench.answer(*twice, "--dedupe", "first")["sources"][1]["rows_refused"] == 1
    return bench.told(*twice, "--dedupe", "first").err.splitlines()[0]


@row(47, "an id that appears twice, with different values")
def test_row_47_conflicting_rows_are_refused_with_both_values(bench):
    shown = bench.refused(
        "BR403",
        *joined(bench, table(id=[*IDS, "tx-0"], y=[*Y, Y[0]], m=[*OTHER, "0.99"])),
        lines=(2, 22),
    )
    assert '("m": 0.2, 0.99)' in shown
    return shown


@row(48, "one case with two labels in two files")
def test_row_48_another_label_for_the_same_id_is_refused(bench):
    shown = bench.refused(
        "BR404", *joined(bench, table(id=IDS, y=with_(Y, at0=1), m=OTHER)), lines=(2,)
    )
    assert '"tx-0"' in shown
    return shown


@row(49, 'ids that differ by zeros, blanks or type ("007" and 7)')
def test_row_49_ids_are_compared_as_text(bench):
    padded = table(id=[f"{i:03}" for i in range(20)], y=Y, m=M)
    shown = bench.refused("BR405", *joined(bench, table(id=range(20), y=Y, m=OTHER), old=padded))
    assert '0 of 20 ids match; is "000" in old.csv the same as "0"?' in shown
    return shown


@row(50, "two files without an id")
def test_row_50_nothing_is_paired_by_position_unless_that_is_said(bench):
    shown = bench.refused("BR414", *two(bench, table(y=Y, m=M), table(y=Y, m=OTHER)))
    return shown, bench.noted(
        "BR415", *two(bench, table(y=Y, m=M), table(y=Y, m=OTHER), "--by-position")
    )


@row(51, "two models with the same scores")
def test_row_51_two_names_for_the_same_scores_are_noted(bench):
    same = (
        "compare",
        bench.file(table(y=Y, m=M, n=M)),
        "--label",
        "y",
        "--score",
        "m",
        "--score",
        "n",
    )
    (difference,) = bench.answer(*same)["result"]["comparisons"]
    assert (difference["value"], difference["p_value"]) == (0, 1)
    return bench.noted("BR406", *same)


@row(52, "the same model twice")
def test_row_52_a_model_that_is_named_twice_is_refused(bench):
    bench.file(table(id=IDS, y=Y, m=M), "a/old.csv")
    twice = ("compare", "old.csv", "a/old.csv", "--label", "y", "--score", "m", "--id", "id")
    files = bench.refused("BR407", *twice)
    return bench.refused("BR407", *bench.show(table(y=Y, m=M), "--score", "m")), files


ODD = (
    "",
    "x" * 10_000,
    "two\nlines",
    "🦊",
    "\u202eevil",
    "<b>bold</b>",
    "=cmd()",
    "../x",
    "\x1b[31mred",
)


@row(
    53,
    "a name that is empty, very long, has a line break, emoji, direction marks, HTML, =cmd(),"
    " ../x, NUL",
    why="the NUL only",
)
def test_row_53_any_name_is_a_name_and_none_steers_the_terminal(bench):
    for name in ODD:
        text = table(y=Y, **{'"' + name + '"': M})
        command = ("show", bench.file(text), "--label", "y", "--score", name)
        done = bench.told(*command)
        assert (done.status, done.err) == (0, "")
        assert not {"\x1b", "\u202e"} & set(done.out)
        assert len(done.out.splitlines()) == 6, done.out
        assert max(map(len, done.out.splitlines())) < 200
        assert bench.answer(*command)["models"][0]["name"] == name
    named = bench.accepted(*bench.show(table(y=Y, m=M, **{"=cmd()": M}), "--score", "=cmd()"))
    return named, bench.refused("BR614", *bench.show(table(y=Y, **{"m\0": M})))


@row(54, "reserved names (select, __proto__, constructor, CON)")
def test_row_54_reserved_names_are_names(bench):
    for name in ("select", "__proto__", "constructor", "CON", "None", "id"):
        shown = bench.accepted(
            "show", bench.file(table(y=Y, **{name: M})), "--label", "y", "--score", name
        )
        assert br.count("scores.csv", label="y", score=name).total_positives == 5
    return shown


@row(55, "very many models", why="a report shows the best 50 of them, with note BR863")
def test_row_55_every_model_has_its_line(bench):
    names = [f"m{i}" for i in range(300)]
    command = (
        "show",
        bench.file(table(y=Y, **dict.fromkeys(names, M))),
        "--label",
        "y",
        *(word for name in names for word in ("--score", name)),
    )
    assert [model["name"] for model in bench.answer(*command)["models"]] == names
    return bench.accepted(*command)


@row(56, "one model only")
def test_row_56_one_model_is_shown_and_not_compared(bench):
    one = bench.show(table(y=Y, m=M))
    return bench.accepted(*one), bench.refused("BR595", "compare", *one[1:])


@row(57, "a group column with many, tiny or missing groups")
def test_row_57_every_group_is_judged_and_a_missing_one_has_its_own(bench):
    sites = ["" if i < 4 else f"s{i % 3}" for i in range(20)]
    gate = (
        "gate",
        bench.file(table(y=Y, m=M, site=sites)),
        "recall >= 0.1",
        "--label",
        "y",
        "--score",
        "m",
        "--threshold",
        "0.05",
    )
    done = bench.told(*gate, "--slice", "site")
    assert done.status == 1
    assert {"(missing)", "s0", "s1", "s2"} <= set(done.out.split())
    return next(line for line in done.out.splitlines() if "(missing)" in line)


@also(57)
def test_row_57_fifty_groups_are_shown_and_the_others_together(bench):
    many = bench.file(table(y=Y * 6, m=M * 6, site=[f"s{i}" for i in range(120)]))
    done = bench.told(
        "slices", many, "--label", "y", "--score", "m", "--group", "site", "--threshold", "0.1"
    )
    assert done.status == 0
    assert len([line for line in done.out.splitlines() if line.startswith("s")]) == 2 * 50 + 1
    return done.out.splitlines()[0], next(
        line for line in done.out.splitlines() if line.startswith("other (70)")
    )


@row(
    58,
    "several rows of one patient or card",
    why="only the user knows which column tells patients apart",
)
def test_row_58_clusters_are_resampled_whole_where_they_are_named(bench):
    repeated = bench.show(table(y=Y, m=M, patient=[f"p{i // 2}" for i in range(20)]))
    alone, together = (
        bench.answer(*repeated, *more)["models"][0]["summaries"]["auc"]
        for more in ((), ("--cluster", "patient"))
    )
    assert alone["value"] == together["value"]
    assert alone["low"] != together["low"]
    return bench.noted("BR432", *repeated, "--cluster", "patient")
