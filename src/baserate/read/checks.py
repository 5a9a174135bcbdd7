"""Cases checked in the table that holds them: labels, scores, weights and what is done about odd
ones. Every problem is found, with its place, before a case is counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array
from baserate.errors import (
    Findings,
    Fix,
    InputError,
    Ledger,
    Note,
    are,
    checked_design,
    grouped,
    number_of,
    quoted,
    refuse,
    refuse_file,
    relocate_problems,
)
from baserate.kernels import best
from baserate.numbers import EXACT_FLOATS, Floats, share_won
from baserate.read.cases import (
    CONVERT,
    ROUNDED,
    UNLIKE_LABELS,
    Cases,
    KeptRows,
    as_weights,
    as_written,
    decide,
    fitting,
    in_place,
    no_rank,
    not_numbers,
    rounded_note,
    swapped,
    too_large,
)
from baserate.read.columns import Column, as_column, kind_of_value, mixed, objects
from baserate.read.engine import FRACTION, CaseTable, is_one_of, plain_labels, sql_text
from baserate.read.engine import ROUNDED as HAS_ROUNDED
from baserate.read.table import ColumnRoles
from baserate.read.treatments import (
    APART,
    DROP,
    LOWEST,
    POSITIVE,
    Treatment,
    heeded,
    normalized,
)

# More different labels are not looked at within a memory limit.
MOST_LABELS = 1000


@dataclass
class Judged:
    """What is known of the cases of a table: SQL for "is positive" and for "is used", the SQL of
    each score, and what there is to say.
    """

    positive: str = "false"
    used: str = "true"
    rows: int = 0
    label: Any = None
    weights: Floats | None = None
    scores: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    remarks: list[Note] = field(default_factory=list)


def judge(cases: CaseTable, treatment: Treatment) -> Judged:
    """Find out which cases are positive, which are used, and what ranks them; or every reason why
    they cannot be counted.
    """
    findings, judged, wanted = Findings(), Judged(), cases.wanted
    with findings:
        judge_labels(cases, treatment, judged)
    drop_without_scores(cases, treatment, judged)
    with findings:
        count_used(cases, judged)
    if not judged.rows:
        findings.settle()
    for name in wanted.scores:
        with findings:
            judged.scores[name] = judge_score(cases, name, treatment, judged)
    check_not_swapped(cases, findings, judged)
    with findings:
        judged.weights = read_weights(cases, judged)
    findings.settle()
    return judged


# ----------------------------------------------------------------------
# Labels: decided on the distinct values, each with the number of its cases.


@dataclass
class Labels:
    """The distinct labels of a table: as the source has them, how many cases each has, and as the
    treatment leaves them (None where missing).
    """

    column: str
    raw: list[Any]
    times: list[int]
    values: list[Any]

    @property
    def missing(self) -> int:
        """How many cases have no label."""
        return sum(times for value, times in self.each() if value is None)

    def each(self) -> Iterator[tuple[Any, int]]:
        """Give every label with the number of its cases."""
        return zip(self.values, self.times, strict=True)

    def change(self, change: Callable[[Any], Any]) -> None:
        """Change every label that is not missing."""
        self.values = [None if value is None else change(value) for value in self.values]

    def among(self, chosen: Callable[[Any], bool]) -> str:
        """Return the condition that a label is one of those chosen."""
        raw = [raw for raw, value in zip(self.raw, self.values, strict=True) if chosen(value)]
        return is_one_of(self.column, [sql_value(each) for each in raw if each is not None])


def sql_value(value: Any) -> str:
    """Return a value as SQL takes it."""
    if isinstance(value, str):
        return sql_text(value)
    if isinstance(value, float):
        return f"CAST({sql_text(repr(value))} AS DOUBLE)"
    return str(value)


def judge_labels(cases: CaseTable, treatment: Treatment, judged: Judged) -> None:
    """Decide which cases are positive, and what becomes of those without a label."""
    wanted = heeded(cases.wanted, treatment)
    name = quoted(wanted.label)
    labels = treated_labels(cases, treatment, wanted)
    gone = f"({labels.column} IS NULL)"
    if labels.missing:
        judge_missing_labels(cases, labels, treatment, judged)
    known = [(value, times) for value, times in labels.each() if value is not None]
    if not known:
        if treatment.missing_label == DROP:
            return  # every row is left out, which is said there
        raise refuse("BR105", f"no label in {name} is known", "give a file with labels")
    check_one_kind(cases, labels)
    column = Column(name, objects([value for value, _ in known])).inferred()
    times = np.array([times for _, times in known], dtype=np.int64)
    asked = fitting(wanted.positive, column.values)
    try:
        decision = decide(column, asked, times, keyword="positive")
    except InputError as error:
        raise at_rarest(error, cases, labels) from None
    chosen = column.values[decision.positive].tolist()
    judged.positive = labels.among(lambda value: value is not None and value in chosen)
    judged.label = decision.value
    judged.remarks.extend(decision.notes)
    if labels.missing and treatment.missing_label == POSITIVE:
        judged.label = asked if decision.value is None else decision.value
        judged.positive = f"({gone} OR {judged.positive})"
        if judged.label is None:
            text = f"no label in {name} is known to be positive"
            raise refuse("BR105", text, Fix.option("positive", "1"))


def judge_missing_labels(
    cases: CaseTable, labels: Labels, treatment: Treatment, judged: Judged
) -> None:
    """Refuse cases without a label, or say what becomes of them."""
    gone, missing, total = f"({labels.column} IS NULL)", labels.missing, sum(labels.times)
    name = quoted(cases.wanted.label)
    what = f"{grouped(missing)} of {number_of(total, 'label')} in {name} {are(missing)} missing"
    if treatment.missing_label is None:
        fix = Fix(
            "drop those cases or label them; for a file or frame, missing_label='drop'",
            "--missing-label drop, negative or positive",
        )
        raise refuse("BR105", what, fix, cases.rows(gone), missing)
    if treatment.missing_label == DROP:
        judged.used = f"NOT {gone}"
        said = f"{what}: left out, as requested{reviewed(cases, gone)}"
        judged.notes.append(Note("BR105", said, values={"left_out": missing}))
    else:
        said = f"{what}: taken for {treatment.missing_label}, as requested"
        judged.notes.append(Note("BR105", said))


def treated_labels(cases: CaseTable, treatment: Treatment, wanted: ColumnRoles) -> Labels:
    """Return the labels as the treatment leaves them."""
    column = "y"
    if treatment.label_threshold is not None:
        column = cut_labels(cases, treatment.label_threshold)
    query = f"SELECT {column} AS label, count(*) FROM cases GROUP BY label ORDER BY min(row)"
    if cases.memory is not None:
        query += f" LIMIT {MOST_LABELS + 1}"
    found = cases.ask(query)
    if cases.memory is not None and len(found) > MOST_LABELS:
        text = f"{quoted(wanted.label)} has more than {number_of(MOST_LABELS, 'value')}; need 2"
        raise refuse("BR103", text, "name the column that says which cases are positive")
    raw = [value for value, _ in found]
    values = raw if treatment.label_threshold is not None else cases.labels(raw)
    labels = Labels(column, raw, [times for _, times in found], values)
    if treatment.cast_labels and len(set(map(type, values))) > 1:
        labels.change(lambda value: value if isinstance(value, str) else as_written(value))
    if treatment.normalize_labels:
        labels.change(normalized)
    if treatment.negative:
        join_negatives(cases, labels, wanted, treatment)
    if treatment.missing_label is not None:
        labels.values = plain_labels(labels.values)
    return labels


def join_negatives(
    cases: CaseTable, labels: Labels, wanted: ColumnRoles, treatment: Treatment
) -> None:
    """Make one label of those that the user calls negative; whoever names them names all of
    them.
    """
    if wanted.positive is None:
        text = "the negative labels are named, and the positive one is not"
        raise refuse("BR109", text, Fix.option("positive", "1"))
    named = [
        normalized(name) if treatment.normalize_labels else name for name in treatment.negative
    ]
    negative, positive = {bare_label(name) for name in named}, bare_label(wanted.positive)
    if positive in negative:
        text = f"{quoted(wanted.positive)} is named positive and negative"
        raise refuse("BR109", text, Fix.option("negative", "0"))
    known = [value for value in labels.values if value is not None]
    others = [value for value in known if bare_label(value) not in {*negative, positive}]
    if others and any(bare_label(value) == positive for value in known):
        rows = cases.rows(labels.among(lambda value: value is not None and value in others))
        total = sum(
            times
            for times, value in zip(labels.times, labels.values, strict=True)
            if value in others
        )
        text = (
            f"{quoted(wanted.label)} has {number_of(total, 'label')} named neither positive nor"
            f" negative, such as {quoted(others[0])}"
        )
        names = ",".join(dict.fromkeys((*treatment.negative, *map(bare_label, others))))
        raise refuse("BR103", text, Fix.option("negative", names), rows, total)
    first = next((value for value in known if bare_label(value) in negative), None)
    labels.change(lambda value: first if bare_label(value) in negative else value)


def bare_label(value: Any) -> str:
    """Return a label as a person writes it."""
    return value.strip() if isinstance(value, str) else as_written(value)


def cut_labels(cases: CaseTable, threshold: float) -> str:
    """Return the SQL of soft labels made hard: at least the threshold is positive."""
    number = cases.label_number()
    wrong = cases.rows(f"y IS NOT NULL AND {number} IS NULL", 1)
    if wrong:
        ((value,),) = cases.ask(f"SELECT y FROM cases WHERE row = {wrong[0]}")
        text = f"{quoted(cases.wanted.label)} cannot be cut at {threshold:g}: {quoted(value)} is"
        raise refuse("BR106", f"{text} not a number", "leave the label threshold out", wrong, 1)
    cut = f"CAST({number} >= {threshold!r} AS INTEGER)"
    return f"CASE WHEN NOT isnan({number}) THEN {cut} END"


def rows_of(cases: CaseTable, labels: Labels, value: Any) -> tuple[list[int], int]:
    """Return the first rows with a label, and how many there are."""
    same = [value is other or value == other for other in labels.values]
    total = sum(times for times, is_same in zip(labels.times, same, strict=True) if is_same)
    return cases.rows(labels.among(lambda other: other == value)), total


def check_one_kind(cases: CaseTable, labels: Labels) -> None:
    """Refuse labels of several types: 0 and "1" in one column is a column gone wrong."""
    kinds = Counter[str]()
    for value, times in zip(labels.values, labels.times, strict=True):
        if value is not None:
            kinds[kind_of_value(value)] += times
    if len(kinds) > 1:
        rarest, total = kinds.most_common()[-1]
        rows = cases.rows(
            labels.among(lambda value: value is not None and kind_of_value(value) == rarest)
        )
        error = mixed("BR107", quoted(cases.wanted.label), kinds, rows)
        raise with_total(error, total)


def with_total(error: InputError, total: int) -> InputError:
    """Return the error with the number of rows that it is about."""
    return error.moved(lambda where: replace(where, total=total))


def at_rarest(error: InputError, cases: CaseTable, labels: Labels) -> InputError:
    """Return the error with the rows of the rarest label: most likely the one gone wrong."""
    if error.code not in ("BR103", "BR108") or error.problems[0].where.rows:
        return error
    held = [
        (times, place)
        for place, (times, value) in enumerate(zip(labels.times, labels.values, strict=True))
        if value is not None
    ]
    rarest = labels.values[min(held)[1]]
    rows, total = rows_of(cases, labels, rarest)
    return error.moved(lambda where: replace(where, rows=tuple(rows), total=total))


def reviewed(cases: CaseTable, gone: str) -> str:
    """Say whether labels are known by the score (only alerts were looked at): then rates of those
    cases are not those of all.
    """
    for name in cases.wanted.scores:
        number, odd = cases.number(name), cases.number(name, "o")
        if cases.rows(f"{odd} IS NOT NULL AND NOT {cases.is_missing(name)}", 1):
            continue  # what is no number is refused later
        found = cases.arrays({"score": number, "gone": gone}, f"{odd} IS NULL")
        scores, unknown = np.ascontiguousarray(found["score"]), np.asarray(found["gone"])
        many = int(np.count_nonzero(unknown))
        pairs = many * (len(scores) - many)
        if not pairs:
            continue
        # The standard error of that share where there is nothing to it.
        doubt = math.sqrt((len(scores) + 1) / (12 * pairs))
        cells = best.count_cells(scores, unknown)
        apart = share_won(cells.positives, cells.negatives) - 0.5
        if abs(apart) > max(APART, 3 * doubt):
            end = "high" if apart < 0 else "low"
            text = (
                f"; labels are known mostly where scores are {end}: recall is then of those cases"
            )
            return f"{text} only"
    return ""


# ----------------------------------------------------------------------
# Scores, weights, and labels that look like scores.


def drop_without_scores(cases: CaseTable, treatment: Treatment, judged: Judged) -> None:
    """Leave cases without a score out for all models, or rank them last, where that is
    requested.
    """
    if treatment.nan_score is None:
        return
    wanted = cases.wanted
    gone = {name: cases.is_missing(name) for name in wanted.scores}
    every = " OR ".join(gone.values())
    counted = ", ".join(
        f"count(*) FILTER (WHERE {each})" for each in (f"({every})", *gone.values())
    )
    total, *each = cases.ask(f"SELECT {counted} FROM cases WHERE {judged.used}")[0]
    missing = {name: times for name, times in zip(gone, each, strict=True) if times}
    if not total:
        return
    if treatment.nan_score == DROP:
        shown = ", ".join(f"{quoted(name)} {grouped(times)}" for name, times in missing.items())
        text = f"{number_of(total, 'case')} without a score ({shown}): left out, as requested"
        judged.notes.append(Note("BR201", text))
        judged.used += f" AND NOT ({every})"
        return
    for name, times in missing.items():
        text = f"{quoted(name)} has {number_of(times, 'missing score')}: ranked below every other"
        judged.notes.append(Note("BR201", f"{text}, as requested"))


@dataclass(frozen=True)
class NumberFacts:
    """How many cells of a column are missing, are not numbers, or are beyond what is held; and what
    is true of the others.
    """

    missing: int
    wrong: int
    endless: int
    whole: bool | None
    beyond: int
    rounded: int
    flags: int


def number_facts(cases: CaseTable, name: str, used: str) -> NumberFacts:
    """Find out what there is to say of a column of numbers."""
    number, odd, flags, large = (cases.number(name, kind) for kind in "nofb")
    missing = cases.is_missing(name)
    wrong = f"{odd} IS NOT NULL AND NOT {missing}"
    whole = f"({flags} & {FRACTION}) = 0 AND NOT isinf({number})"
    beyond = f"{whole} AND abs({number}) >= {EXACT_FLOATS} AND {large} IS NULL"
    rounded = f"({beyond}) OR CAST({large} AS HUGEINT) <> TRY_CAST({number} AS HUGEINT)"
    facts = cases.ask(
        f"SELECT count(*) FILTER (WHERE {missing}),"
        f" count(*) FILTER (WHERE {wrong} AND NOT coalesce(isinf({number}), false)),"
        f" count(*) FILTER (WHERE {wrong} AND coalesce(isinf({number}), false)),"
        f" bool_and({whole}) FILTER (WHERE {odd} IS NULL),"
        f" count(*) FILTER (WHERE {odd} IS NULL AND {beyond}),"
        f" count(*) FILTER (WHERE {odd} IS NULL AND ({rounded})),"
        f" coalesce(bit_or({flags}), 0) FROM cases WHERE {used}"
    )
    return NumberFacts(*facts[0])


def judge_score(cases: CaseTable, name: str, treatment: Treatment, judged: Judged) -> str:
    """Return the SQL of a score that ranks the cases as they are written."""
    cases.check_kinds(name, judged.used)
    number, large = cases.number(name), cases.number(name, "b")
    facts = number_facts(cases, name, judged.used)
    check_numbers(cases, name, facts, treatment, judged)
    filled = facts.missing > 0 and treatment.nan_score == LOWEST
    if facts.whole and not filled:
        if facts.beyond:
            raise too_large(quoted(name))
        return f"coalesce({large}, CAST({number} AS BIGINT))"
    if facts.rounded:
        raise refuse("BR215", f"{quoted(name)}: {ROUNDED}", CONVERT)
    if facts.flags & HAS_ROUNDED:
        judged.remarks.append(rounded_note(quoted(name)))
    if not filled:
        return number
    # Low scores that mean positive are negated later.
    end = "inf" if treatment.lower_is_positive else "-inf"
    lowest = f"CAST('{end}' AS DOUBLE)"
    return f"CASE WHEN {cases.is_missing(name)} THEN {lowest} ELSE {number} END"


def check_numbers(
    cases: CaseTable, name: str, facts: NumberFacts, treatment: Treatment, judged: Judged
) -> None:
    """Refuse missing scores without a treatment, and texts that are not numbers."""
    number, odd, missing = cases.number(name), cases.number(name, "o"), cases.is_missing(name)
    wrong = f"{judged.used} AND {odd} IS NOT NULL AND NOT {missing}"
    infinite = f"coalesce(isinf({number}), false)"
    if facts.missing and treatment.nan_score is None:
        raise no_rank(quoted(name), cases.rows(f"{judged.used} AND {missing}"), facts.missing)
    if facts.wrong:
        rows = cases.rows(f"{wrong} AND NOT {infinite}")
        ((example,),) = cases.ask(f"SELECT {odd} FROM cases WHERE row = {rows[0]}")
        raise not_numbers(quoted(name), example, rows, facts.wrong)
    if facts.endless:
        text = f"{quoted(name)} goes beyond the largest float"
        rows = cases.rows(f"{wrong} AND {infinite}")
        raise refuse("BR215", text, "write smaller numbers", rows, facts.endless)


def check_not_swapped(cases: CaseTable, findings: Findings, judged: Judged) -> None:
    """Where labels look like scores beside scores that look like labels, say that instead of what
    is wrong with either.
    """
    if any(problem.code in UNLIKE_LABELS for problem in findings.problems):
        for name, score in judged.scores.items():
            query = f"SELECT bool_and({score} IN (0, 1)) FROM cases WHERE {judged.used}"
            if cases.ask(query) == [(True,)]:
                raise swapped(quoted(cases.wanted.label), name)


def read_weights(cases: CaseTable, judged: Judged) -> Floats | None:
    """Return the weights of the rows that are used, or the reason why these are none."""
    name = cases.wanted.weight
    if name is None:
        return None
    missing = f"{judged.used} AND {cases.is_missing(name)}"
    ((gone,),) = cases.ask(f"SELECT count(*) FROM cases WHERE {missing}")
    if gone:
        text = f"{quoted(name)} has {number_of(gone, 'missing or NaN weight')}"
        fix = "give every case a finite weight"
        raise refuse("BR303", text, fix, cases.rows(missing), gone)
    judge_score(cases, name, Treatment(), Judged(used=judged.used))
    found = cases.arrays({"weight": cases.number(name), "row": "row"}, judged.used)
    place = KeptRows(in_place, np.asarray(found["row"]))
    with relocate_problems(place):
        return as_weights(Column(quoted(name), np.asarray(found["weight"])))


# ----------------------------------------------------------------------
# Checked cases as arrays.


class Checked(NamedTuple):
    """Cases, the position of each among all rows (None: all are used), and what there is to say of
    the rows.
    """

    cases: Cases
    kept: Array | None
    notes: list[Note]


def checked_cases(cases: CaseTable, treatment: Treatment) -> Checked:
    """Return the cases of a table."""
    checked_design(cases.wanted.design)
    judged = judge(cases, treatment)
    found, kept = read_cases(cases, judged)
    if treatment.dedupe is not None:
        again = repeated_rows(cases, judged)
        if again:
            rows = np.arange(judged.rows) if kept is None else kept
            left = ~np.isin(rows, again)
            found, kept = found.only(left), rows[left]
            what = number_of(len(again), "row repeats", "rows repeat")
            text = f"{what} an earlier one, value by value: left out, as requested"
            judged.notes.append(Note("BR402", text))
    found = found._replace(unlabelled=unlabelled_cases(cases, treatment, judged))
    found = found.negated() if treatment.lower_is_positive else found
    return Checked(found, kept, judged.notes)


def unlabelled_scores(cases: CaseTable, treatment: Treatment) -> Checked:
    """Return the scores of a table in which nobody has a label, all of them as negatives."""
    judged = Judged()
    drop_without_scores(cases, treatment, judged)
    count_used(cases, judged)
    for name in cases.wanted.scores:
        judged.scores[name] = judge_score(cases, name, treatment, judged)
    found, kept = read_cases(cases, judged)
    return Checked(found.negated() if treatment.lower_is_positive else found, kept, judged.notes)


def count_used(cases: CaseTable, judged: Judged) -> None:
    """Count the rows that are used; refuse a table of which none is."""
    ((judged.rows,),) = cases.ask(f"SELECT count(*) FROM cases WHERE {judged.used}")
    if not judged.rows:
        text = "every row was left out, as requested: nothing remains"
        raise refuse_file(cases.parts[0].path, "BR602", text, "give a file with whole cases")


def other_rows(path: str, found: int, promised: int) -> InputError:
    """Return the refusal of a file that gives more or fewer rows than it promises."""
    text = f"gives {number_of(found, 'row')}, and promises {number_of(promised, 'row')}"
    return refuse_file(path, "BR703", text, "get a whole copy of the file, or write it again")


def read_cases(cases: CaseTable, judged: Judged) -> tuple[Cases, Array | None]:
    """Return the cases that are used, and the row of each where some are not."""
    wanted = cases.wanted
    chosen = {
        "positive": judged.positive,
        **{f"score {name}": sql for name, sql in judged.scores.items()},
    }
    if judged.used != "true":
        chosen["row"] = "row"
    found = cases.arrays(chosen, judged.used)
    positive = np.asarray(found.pop("positive"), dtype=np.bool_)
    if len(positive) != judged.rows:
        raise other_rows(cases.parts[0].path, len(positive), judged.rows)
    kept = np.asarray(found["row"]) if "row" in found else None
    scores = {name: np.asarray(found[f"score {name}"]) for name in judged.scores}
    notes = tuple(judged.remarks)
    beside = {
        part: beside_column(cases, part, name, judged) for part, name in wanted.beside.items()
    }
    ledger = Ledger(len(positive), len(positive), design=checked_design(wanted.design))
    return Cases(positive, judged.label, scores, judged.weights, notes, ledger, beside), kept


def beside_column(cases: CaseTable, part: str, name: str, judged: Judged) -> Column:
    """Return a column that travels with the cases."""
    values = (
        cases.numbers(name, judged.used) if part == "amount" else cases.values(name, judged.used)
    )
    return as_column(values, quoted(name))


def unlabelled_cases(cases: CaseTable, treatment: Treatment, judged: Judged) -> Cases | None:
    """Return the scored cases that were left out because they have no label; None where there are
    none, or where they cannot be counted with the others.
    """
    wanted = cases.wanted
    if treatment.missing_label != DROP or judged.used == "true" or wanted.weight is not None:
        return None
    gone = " AND ".join(["y IS NULL", *(f"NOT {cases.is_missing(name)}" for name in wanted.scores)])
    if treatment.label_threshold is not None:
        gone = gone.replace(
            "y IS NULL", f"({cut_labels(cases, treatment.label_threshold)}) IS NULL"
        )
    ((rows,),) = cases.ask(f"SELECT count(*) FROM cases WHERE {gone}")
    if not rows:
        return None
    rest = Judged(used=gone, rows=rows)
    try:
        # What is wrong with rows that are left out is not refused.
        for name in wanted.scores:
            rest.scores[name] = judge_score(cases, name, Treatment(), rest)
        return read_cases(cases, rest)[0]._replace(notes=())
    except InputError:
        return None


def repeated_rows(cases: CaseTable, judged: Judged) -> list[int]:
    """Return the rows that say of an id what its first row said already; those that say something
    else stay, to be refused.
    """
    wanted = cases.wanted
    if wanted.id is None:
        text = "repeated cases are recognised by their id, and no id is named"
        raise refuse("BR402", text, Fix.option("id", "COLUMN"))
    held = ["y", *(cases.text(name) for name in wanted.texts if name != wanted.label)]
    held += [cases.number(name, kind) for name in wanted.numbers for kind in "nob"]
    same = f"PARTITION BY {', '.join(held)}"
    query = (
        f"SELECT row, min(row) OVER (PARTITION BY {cases.text(wanted.id)}) AS first,"
        f" min(row) OVER ({same}) AS alike FROM cases WHERE {judged.used}"
    )
    found = cases.ask(f"SELECT row FROM ({query}) WHERE alike = first AND row > first ORDER BY row")
    return [row for (row,) in found]
