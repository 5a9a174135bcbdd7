"""`count` and `count_unlabelled`: arrays, frames, files, databases and chunks become counts."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypedDict, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from baserate.counts.amounts import Amounts, JointAmounts
from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.counts.grouped import GroupedCounts, Role
from baserate.counts.points import Points
from baserate.errors import number_of, placed, quoted, refuse
from baserate.kernels import using
from baserate.numbers import NOT_SAID
from baserate.read import cases as arrays
from baserate.read import files, frames, large, sql
from baserate.read.cases import SCORE, Cases, check_named, checked
from baserate.read.columns import as_column
from baserate.read.source import Options
from baserate.read.table import ColumnRoles
from baserate.read.text import TextOptions

P = ParamSpec("P")
R = TypeVar("R")
# What people also call a keyword, and how it is written here; the first that a verb has.
MEANT = {
    "cost": ("costs={'fn': 100, 'fp': 1}",),
    "prevalence": ("prior=0.001",),
    "base_rate": ("prior=0.001",),
    "group": ("by='country'",),
    "groups": ("by='country'",),
    "budget": ("rule='alerts <= 500', volume=200_000",),
    "max_alerts": ("rule='alerts <= 500', volume=200_000", "budget=500, volume=200_000"),
}

# What was meant by an argument too many.
SURPLUS = {
    "count": 'columns are named: count(df, label="fraud", score="logit")',
    "compare": 'name the models: compare(models, "auc", pair=("logit", "forest"))',
    "fix": 'write the value into the text: fix(counts, "tpr=80%")',
    "report": 'to write the page: report(models, …).save("report.html")',
}


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """The function; an argument that it does not have is refused with the one that was meant."""
    name, parameters = function.__name__, inspect.signature(function).parameters.values()
    words = [one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY]
    places = sum(one.kind is not one.KEYWORD_ONLY for one in parameters)

    @functools.wraps(function)
    def called(*given: P.args, **named: P.kwargs) -> R:
        for word in named:
            if word not in words:
                meant = _meant(name, word, words)
                raise TypeError(f"{name}() got an unexpected keyword argument {word!r}; {meant}")
        if len(given) > places:
            fix = SURPLUS.get(name, "name the others, as in prior=0.001")
            most = number_of(places, "argument")
            raise TypeError(f"{name}() takes {most} without a name, got {len(given)}; {fix}")
        return function(*given, **named)

    return called


def _meant(name: str, word: str, known: Sequence[str]) -> str:
    """The keyword that was meant, as a question; or all there are."""
    if word in ("label", "score", "positive"):
        return f"columns are named where cases are counted: {name}(count(df, label=…, score=…), …)"
    named = [text for text in MEANT.get(word, ()) if text.partition("=")[0] in known]
    near = named or [f"{like}=…" for like in difflib.get_close_matches(word, known, 1)]
    return f"did you mean {near[0]}?" if near else f"its keywords are {', '.join(known)}"


class ScoreFrame(Protocol):
    """A frame of scores, one column per model: of pandas, polars or pyarrow."""

    @property
    def columns(self) -> Any: ...


class ReadOptions(TypedDict, total=False):
    """How data are read. docs/file-format.md says which of these each source has."""

    pos_label: Any
    sample_weight: Any
    positive: Any
    weight: str | None
    id: str | None
    join: Literal["inner"] | None
    by_position: bool
    design: Literal["random", "case-control"]
    tz: str | None
    currency: str | None
    amount_missing: Literal["mean"] | None
    keep: Literal["all", "positives"] | None
    threads: int | None
    memory: str | int | None
    thresholds: Iterable[float]
    missing_label: Literal["drop", "negative", "positive"] | None
    normalize_labels: bool
    cast_labels: bool
    label_threshold: float | None
    negative: Sequence[str]
    nan_score: Literal["drop", "lowest"] | None
    lower_is_positive: bool
    dedupe: Literal["first"] | None
    delimiter: str | None
    encoding: str | None
    decimal: str | None
    header: bool
    columns: Sequence[str]
    skip_lines: int
    skip_bad: int
    percent: bool
    thousands: str | None
    max_bytes: int | None


OPTIONS = frozenset(ReadOptions.__annotations__) - {"threads"}
# What an argument of arrays is called in a file or frame, and the other way round.
OTHER_WORD = {
    "pos_label": "positive",
    "sample_weight": "weight",
    "positive": "pos_label",
    "weight": "sample_weight",
}
OF_ARRAYS = frozenset({"pos_label", "sample_weight", "design"})
OF_FRAMES = frozenset({"positive", "design", "missing_label", "nan_score"})
OF_TREATMENT = frozenset(
    {"normalize_labels", "cast_labels", "label_threshold", "negative", "lower_is_positive"}
)
OF_FILES = OPTIONS - {
    "pos_label",
    "sample_weight",
    "id",
    "join",
    "by_position",
    "tz",
    "currency",
    "amount_missing",
    "keep",
}
OF_TEXT = frozenset(field.name for field in dataclasses.fields(TextOptions)) | {"max_bytes"}
OF_CHUNKS = frozenset({"pos_label", "memory", "thresholds", "design"})
# The options that belong to a column beside label and score, and what its groups are for.
OF_ROLE = {"day": {"tz"}, "amount": {"currency", "amount_missing"}}
SERVES: dict[str, Role] = {"by": "group", "cluster": "cluster", "day": "day"}
FORM = 'count(y_true, y_score), or count(df, label="fraud", score="logit")'


@overload
def count(
    y_true: Any, y_score: Mapping[str, Any] | ScoreFrame, /, **options: Unpack[ReadOptions]
) -> JointCounts: ...
@overload
def count(
    y_true: Any,
    y_score: Mapping[str, Any] | ScoreFrame,
    /,
    *,
    by: Any,
    **options: Unpack[ReadOptions],
) -> dict[str, JointCounts]: ...
@overload
def count(
    y_true: Any,
    y_score: Mapping[str, Any] | ScoreFrame,
    /,
    *,
    cluster: Any,
    **options: Unpack[ReadOptions],
) -> dict[str, GroupedCounts]: ...
@overload
def count(
    y_true: Any,
    y_score: Mapping[str, Any] | ScoreFrame,
    /,
    *,
    amount: Any,
    **options: Unpack[ReadOptions],
) -> JointAmounts: ...
@overload
def count(y_true: Any, y_score: npt.ArrayLike, /, **options: Unpack[ReadOptions]) -> Counts: ...
@overload
def count(
    y_true: Any, y_score: npt.ArrayLike, /, *, by: Any, **options: Unpack[ReadOptions]
) -> GroupedCounts: ...
@overload
def count(
    y_true: Any, y_score: npt.ArrayLike, /, *, cluster: Any, **options: Unpack[ReadOptions]
) -> GroupedCounts: ...
@overload
def count(
    y_true: Any, y_score: npt.ArrayLike, /, *, day: Any, **options: Unpack[ReadOptions]
) -> GroupedCounts: ...
@overload
def count(
    y_true: Any, y_score: npt.ArrayLike, /, *, amount: Any, **options: Unpack[ReadOptions]
) -> Amounts: ...
@overload
def count(
    y_true: Any,
    y_score: npt.ArrayLike,
    /,
    *,
    by: Any,
    cluster: Any,
    **options: Unpack[ReadOptions],
) -> dict[Hashable, GroupedCounts]: ...
@overload
def count(source: Any, /, *, label: str, score: str, **options: Unpack[ReadOptions]) -> Counts: ...
@overload
def count(
    source: Any, /, *, label: str, score: str, by: str, **options: Unpack[ReadOptions]
) -> GroupedCounts: ...
@overload
def count(
    source: Any, /, *, label: str, score: str, cluster: str, **options: Unpack[ReadOptions]
) -> GroupedCounts: ...
@overload
def count(
    source: Any, /, *, label: str, score: str, day: str, **options: Unpack[ReadOptions]
) -> GroupedCounts: ...
@overload
def count(
    source: Any, /, *, label: str, score: str, amount: str, **options: Unpack[ReadOptions]
) -> Amounts: ...
@overload
def count(
    source: Any,
    /,
    *,
    label: str,
    score: str,
    by: str,
    cluster: str,
    **options: Unpack[ReadOptions],
) -> dict[Hashable, GroupedCounts]: ...
@overload
def count(
    source: Any,
    /,
    *,
    label: str,
    score: list[str] | tuple[str, ...],
    **options: Unpack[ReadOptions],
) -> JointCounts: ...
@overload
def count(
    source: Any,
    /,
    *,
    label: str,
    score: list[str] | tuple[str, ...],
    by: str,
    **options: Unpack[ReadOptions],
) -> dict[str, JointCounts]: ...
@overload
def count(
    source: Any,
    /,
    *,
    label: str,
    score: list[str] | tuple[str, ...],
    cluster: str,
    **options: Unpack[ReadOptions],
) -> dict[str, GroupedCounts]: ...
@overload
def count(
    source: Any,
    /,
    *,
    label: str,
    score: list[str] | tuple[str, ...],
    amount: str,
    **options: Unpack[ReadOptions],
) -> JointAmounts: ...
@overload
def count(result: Any, /, *, counted: Literal[True], **options: Unpack[ReadOptions]) -> Counts: ...
@overload
def count(
    chunks: Callable[[], Iterable[tuple[Any, Any]]] | Iterable[tuple[Any, Any]],
    /,
    **options: Unpack[ReadOptions],
) -> Counts: ...
@verb
def count(  # noqa: PLR0913 (each is a word that users say)
    first: Any,
    second: Any = NOT_SAID,
    /,
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    by: Any = None,
    cluster: Any = None,
    day: Any = None,
    amount: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    positive: Any = None,
    weight: str | None = None,
    id: str | None = None,  # noqa: A002 (what users call it)
    join: Literal["inner"] | None = None,
    by_position: bool = False,
    design: Literal["random", "case-control"] = "random",
    tz: str | None = None,
    currency: str | None = None,
    amount_missing: Literal["mean"] | None = None,
    keep: Literal["all", "positives"] | None = None,
    threads: int | None = None,
    counted: bool = False,
    memory: str | int | None = None,
    thresholds: Iterable[float] = (),
    missing_label: Literal["drop", "negative", "positive"] | None = None,
    normalize_labels: bool = False,
    cast_labels: bool = False,
    label_threshold: float | None = None,
    negative: Sequence[str] = (),
    nan_score: Literal["drop", "lowest"] | None = None,
    lower_is_positive: bool = False,
    dedupe: Literal["first"] | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    header: bool = True,
    columns: Sequence[str] = (),
    skip_lines: int = 0,
    skip_bad: int = 0,
    percent: bool = False,
    thousands: str | None = None,
    max_bytes: int | None = None,
) -> Any:
    """How many positives and negatives have each score?

    `count(y_true, y_score)` takes arrays; several scores of the same cases are a mapping of names
    or a frame with one column per model. `count(source, label=…, score=…)` takes a path, folder,
    pattern, URL or `"file.db::SELECT …"`, a data frame (pandas, polars, Arrow, Spark, Dask, DuckDB,
    ibis), or several paths; a list of scores counts several models together. Chunks of
    (labels, scores), or a function that starts them, are counted within `memory`.
    `count(result, counted=True)` reads what the SQL of `counting_sql` gave, as a file or frame.

    One score gives `Counts`, several give `JointCounts`. With `by` the cases are grouped, to report
    each group; `cluster` names the unit of uncertainty (a patient, a card); `day` a date or time,
    in the time zone `tz`: each gives `GroupedCounts`. `amount` is what each case is worth, and
    gives `Amounts`.

    Labels 0/1 and bools are taken as they are; pairs such as "no"/"yes" or -1/1 with a note; for
    anything else `pos_label` (arrays) or `positive` (columns) says which value is positive.
    `sample_weight` or the column `weight` makes masses of the counts. `keep="positives"` merges
    scores that only negatives have (see `Counts.condense`), which is much faster where positives
    are rare. `design="case-control"` says that the class totals were fixed by design, so every
    measure that depends on the base rate needs a prior. More than a million rows are counted in
    `threads`, by default one per processor (or the environment variable BASERATE_THREADS); the
    result does not depend on their number. The other keywords say how sources are
    read: docs/file-format.md.

    >>> import baserate as br
    >>> br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    Counts: 2 positives, 2 negatives, 4 distinct scores, prior 0.500
    >>> br.count([0, 0, 1, 1], {"logit": [0.1, 0.4, 0.35, 0.8], "forest": [0, 0.5, 0.5, 1]})
    JointCounts: 2 models (logit, forest), 2 positives, 2 negatives, 4 cells
    """
    said = _said(locals())
    roles = {"by": by, "cluster": cluster, "day": day, "amount": amount}
    roles = {name: value for name, value in roles.items() if value is not None}
    with using(threads):
        if counted:
            return _of_result(first, (second, label, score), roles, said)
        if second is not NOT_SAID:
            if label is not None or score is not None:
                word = "label=" if label is not None else "score="
                raise refuse("BR003", f"{word} names a column, and arrays are given already", FORM)
            return _of_arrays(first, second, roles, said)
        if _is_chunks(first, label):
            return _of_chunks(first, label, score, roles, said)
        if label is None or score is None:
            raise refuse("BR003", "a file or frame needs label= and score=", FORM)
        _check_names({"label": label, "score": score, **roles})
        if isinstance(first, str | os.PathLike) or _are_paths(first):
            return _of_files(first, (label, score), roles, said)
        return _of_frame(first, (label, score), roles, said)


def count_unlabelled(  # noqa: PLR0913 (each is a word that users say)
    source: Any,
    /,
    *,
    score: str | None = None,
    nan_score: Literal["drop", "lowest"] | None = None,
    lower_is_positive: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    header: bool = True,
    columns: Sequence[str] = (),
    skip_lines: int = 0,
    skip_bad: int = 0,
    percent: bool = False,
    thousands: str | None = None,
    max_bytes: int | None = None,
) -> Unlabelled:
    """How many cases have each score, where there are no labels?

    `source` is an array of scores, or what `count` reads, with the name of the `score` column.

    >>> import baserate as br
    >>> br.count_unlabelled([0.9, 0.2, 0.2, 0.1]).cases
    array([1, 2, 1])
    """
    said = _said(locals())
    if isinstance(source, str | os.PathLike):
        if score is None:
            raise refuse("BR003", "a file needs score=", 'count_unlabelled("log.csv", score="s")')
        return files.unlabelled_of(os.fspath(source), score, Options.of(said))
    _only(said, frozenset(), "arrays and frames")
    values = source if score is None else frames.columns_of(source, [score])[score]
    return files.unlabelled_scores(values)


# What a keyword is worth where nobody gave it.
DEFAULTS: dict[str, Any] = {
    name: one.default
    for name, one in inspect.signature(count).parameters.items()
    if one.kind is one.KEYWORD_ONLY
}


def _said(given: Mapping[str, Any]) -> dict[str, Any]:
    """The reading options that were given."""
    return {
        name: value
        for name, value in given.items()
        if name in OPTIONS and not _is_default(name, value)
    }


def _is_default(name: str, value: Any) -> bool:
    default = DEFAULTS[name]
    return value is default or (
        isinstance(value, str | int | tuple | list)
        and type(value) is type(default)
        and value == default
    )


def _only(said: Mapping[str, Any], allowed: frozenset[str], what: str) -> None:
    """Refuse a keyword that has no effect here."""
    for name in said:
        if name not in allowed:
            other = OTHER_WORD.get(name)
            fix = f"{other}=…" if other in allowed else f"leave {name} out"
            if what == "arrays" and name in OF_FRAMES | OF_TREATMENT and other is None:
                fix = f"count(df, label=…, score=…, {name}=…)"
            raise refuse("BR002", f"{name}= has no effect on {what}", fix)


def _combined(roles: Mapping[str, Any], several: bool) -> None:  # noqa: FBT001
    """Refuse what cannot be combined."""
    names = sorted(roles)
    if len(names) > 1 and (names != ["by", "cluster"] or several):
        words = " and ".join(f"{name}=" for name in names)
        raise refuse("BR424", f"{words} cannot be combined here", f"count with {names[0]}= alone")
    if several and "day" in roles:
        raise refuse("BR424", "day= takes one score", 'count each score alone: score="logit"')


def _of_arrays(y_true: Any, y_score: Any, roles: Mapping[str, Any], said: dict[str, Any]) -> Any:
    scores = _named_scores(y_true, y_score)
    several = scores is not None
    _combined(roles, several)
    role = next(iter(roles), "")
    own = OF_ROLE.get(role, set()) - {"currency"}
    own |= {"keep"} if not roles and not several else set()
    allowed = OF_ARRAYS - ({"sample_weight"} if "amount" in roles else set()) | own
    _only(said, allowed, f"arrays with {role}=" if roles else "arrays")
    if scores is None:
        if not roles:
            return arrays.count(y_true, y_score, **said)
        return _by_role(_cases(y_true, {SCORE: y_score}, roles, said), SCORE, roles, said)
    check_named(scores)
    cases = _cases(y_true, scores, roles, said)
    return _by_role(cases, list(scores), roles, said) if roles else files.joint_of(cases)


def _cases(
    y_true: Any, scores: Mapping[str, Any], roles: Mapping[str, Any], said: dict[str, Any]
) -> Cases:
    """Arrays checked together, those beside labels and scores among them."""
    beside = {}
    if "day" in roles:
        beside["day"] = files.day_column(roles["day"])
    if "amount" in roles:
        beside["amount"] = as_column(roles["amount"], "amount")
    if len(roles) == 2:
        beside["cluster"] = as_column(roles["cluster"], "cluster")
    groups = roles.get("by", roles.get("cluster"))
    known = {name: value for name, value in said.items() if name in OF_ARRAYS}
    return checked(y_true, scores, groups=groups, beside=beside, **known)


def _by_role(
    cases: Cases, score: str | Sequence[str], roles: Mapping[str, Any], said: Mapping[str, Any]
) -> Any:
    """Cases of arrays or of a file, counted as the columns beside label and score ask for."""
    scores = [score] if isinstance(score, str) else score
    found: Any
    if len(roles) == 2:
        parts = files.clusters_by_group(cases, scores[0])
        return {name: part.serving("cluster") for name, part in parts.items()}
    ((role, _),) = roles.items()
    if role == "by" and not isinstance(score, str):
        return files.slices_of(cases)
    if role == "amount":
        found = files.amounts_of(cases, said.get("amount_missing"))
    elif role == "day":
        found = {name: files.days_of(cases, name, said.get("tz")) for name in scores}
    else:
        found = {name: files.grouped_cases(cases, name, cases.groups) for name in scores}
    if role in SERVES:
        found = {name: groups.serving(SERVES[role]) for name, groups in found.items()}
    return found[score] if isinstance(score, str) else found


def _named_scores(y_true: Any, y_score: Any) -> Mapping[str, Any] | None:
    """The scores of several models by name; None for one array of scores."""
    if isinstance(y_score, Mapping):
        return y_score
    names = getattr(y_score, "column_names", None) or getattr(y_score, "columns", None)
    if names is None:
        return None
    found = {name: y_score[name] for name in names}
    for name, column in found.items():
        if _is_same(column, y_true):
            raise refuse(
                "BR417",
                f"column {quoted(name)} of the scores equals the labels",
                "give a frame that holds scores only",
            )
    return found


def _is_same(column: Any, labels: Any) -> bool:
    try:
        return bool(np.array_equal(np.asarray(column), np.asarray(labels)))
    except (TypeError, ValueError):
        return False


def _is_chunks(first: Any, label: str | None) -> bool:
    if callable(first) or isinstance(first, Iterator):
        return True
    return label is None and isinstance(first, list | tuple) and not _are_paths(first)


def _of_chunks(
    first: Any,
    label: str | None,
    score: str | Sequence[str] | None,
    roles: Mapping[str, Any],
    said: dict[str, Any],
) -> Counts:
    words = OF_CHUNKS | ({"positive"} if label is not None else set())
    _only({**said, **roles}, words, "chunks")
    if "memory" not in said:
        raise refuse("BR003", "chunks are counted within a memory limit", 'memory="1GB"')
    if label is not None and not isinstance(score, str):
        raise refuse("BR003", "chunks of frames need label= and one score=", 'score="logit"')
    named = {"pos_label": said.pop("positive")} if "positive" in said else {}
    pairs = first if label is None else _Pairs(first, label, str(score))
    return large.count_chunks(pairs, **said, **named)


def _check_names(columns: Mapping[str, Any]) -> None:
    """Columns of a file or frame go by their names."""
    for word, given in columns.items():
        several = word == "score" and isinstance(given, Sequence) and not isinstance(given, bytes)
        for name in given if several and not isinstance(given, str) else [given]:
            if not isinstance(name, str):
                text = f"{word}= names a column of a file or frame, got {quoted(name)}"
                raise refuse("BR003", text, f'{word}="name", of a column whose name is text')


def _of_result(
    first: Any, beside: Sequence[Any], roles: Mapping[str, Any], said: dict[str, Any]
) -> Counts:
    """What `counting_sql` gave; its columns have names of their own."""
    if beside != (NOT_SAID, None, None):
        raise refuse(
            "BR003",
            "counted=True names the columns: label, score, cases",
            "count(result, counted=True)",
        )
    files_only = OF_TEXT if isinstance(first, str | os.PathLike) else frozenset[str]()
    known = frozenset({"positive", "design", "missing_label", "nan_score"}) | files_only
    _only({**said, **roles}, known, "what is counted already")
    return sql.count_result(first, **said)


class _Pairs:
    """Chunks of frames as pairs of labels and scores, started as often as they can be."""

    def __init__(self, chunks: Any, label: str, score: str) -> None:
        self.chunks, self.label, self.score = chunks, label, score

    def __call__(self) -> Iterator[tuple[Any, Any]]:
        chunks = self.chunks() if callable(self.chunks) else self.chunks
        return ((chunk[self.label], chunk[self.score]) for chunk in chunks)


def _are_paths(source: Any) -> bool:
    """Several sources: a list of paths, or paths by the name of the model."""
    if isinstance(source, Mapping):
        source = list(source.values())
    return (
        isinstance(source, list | tuple)
        and bool(source)
        and all(isinstance(path, str | os.PathLike) for path in source)
    )


def _of_files(source: Any, asked: tuple[str, Any], roles: Mapping[str, Any], said: Any) -> Any:
    score = asked[1]
    one = isinstance(source, str | os.PathLike)
    several = not isinstance(score, str) or not one
    _combined(roles, several)
    if several and not roles:
        if "weight" in said or ("memory" in said and said["memory"] is not None):
            raise refuse(
                "BR421",
                "models counted together need every case in memory, without weights",
                "count each score alone, or leave memory= and weight= out",
            )
        _only(said, OF_FILES | {"id", "join", "by_position"}, "files")
        how = {name: said.pop(name) for name in ("join", "by_position") if name in said}
        given = (source,) if one else source
        return files.joint_from(given, _wanted(asked, roles, said), Options.of(said), **how)
    role = next(iter(roles), "")
    allowed = OF_FILES - ({"weight"} if "amount" in roles else set()) | OF_ROLE.get(role, set())
    _only(said, allowed, f"files with {role}=" if roles else "files")
    if not one:
        raise refuse("BR424", f"{role}= takes one source", "one file with a column per model")
    of_role = {name: said.pop(name) for name in ("tz", "amount_missing") if name in said}
    read = os.fspath(source), _wanted(asked, roles, said), Options.of(said)
    if not roles:
        return files.count_scores(*read)[score]
    cases, table = files.read_cases(*read)
    with placed(table.place):
        return _by_role(cases, score, roles, of_role)


def _wanted(asked: tuple[str, Any], roles: Mapping[str, Any], said: dict[str, Any]) -> ColumnRoles:
    """Which column is what; words that name or describe columns are taken out of the options."""
    label, score = asked
    named = ("positive", "weight", "id", "currency", "design")
    return ColumnRoles(
        label,
        (score,) if isinstance(score, str) else tuple(score),
        group=roles.get("by", roles.get("cluster")),
        cluster=roles["cluster"] if len(roles) == 2 else None,
        amount=roles.get("amount"),
        day=roles.get("day"),
        **{name: said.pop(name) for name in named if name in said},
    )


def _of_frame(frame: Any, asked: tuple[str, Any], roles: Mapping[str, Any], said: Any) -> Any:
    several = not isinstance(asked[1], str)
    simple = not roles or (
        len(roles) == 1 and not several and next(iter(roles)) in ("by", "cluster")
    )
    if not simple or "weight" in said:
        return _of_columns(frame, asked, roles, said)
    own = frozenset({"keep"} if not roles and not several else ())
    _only(said, OF_FRAMES | OF_TREATMENT | own, "a data frame")
    wanted = _wanted(asked, roles, said)
    keep = said.pop("keep", "all")
    if keep not in ("all", "positives"):
        raise refuse(
            "BR532", f"keep must be 'all' or 'positives', got {quoted(keep)}", "keep='all'"
        )
    found = frames.count_frame(frame, wanted, frames.checked_treatment(said), several=several)
    if isinstance(found, GroupedCounts):
        return found.serving(SERVES[next(iter(roles))])
    return found.condense() if keep == "positives" and isinstance(found, Counts) else found


def _of_columns(frame: Any, asked: tuple[str, Any], roles: Mapping[str, Any], said: Any) -> Any:
    """A frame in memory, column by column, for what no engine counts."""
    label, score = asked
    weight = [said["weight"]] if "weight" in said else []
    listed = [score] if isinstance(score, str) else list(score)
    held = frames.columns_of(frame, [label, *listed, *roles.values(), *weight])
    if weight and not roles:
        _only(said, frozenset({"positive", "weight", "design"}), "a frame with weight=")
    given = {OTHER_WORD.get(name, name): value for name, value in said.items()}
    if weight:
        given["sample_weight"] = held[weight[0]]
    scores = held[score] if isinstance(score, str) else {name: held[name] for name in score}
    beside = {role: held[column] for role, column in roles.items()}
    return _of_arrays(held[label], scores, beside, given)


# ----------------------------------------------------------------------
# What the other verbs are given: counts of one model, or of several.


Threshold = float | None
Models = JointCounts | Mapping[str, Counts] | Mapping[str, Points] | Mapping[str, GroupedCounts]


def models_of(x: Any) -> dict[str, Any] | None:
    """The counts of several models by name; None for what is no collection of models."""
    if isinstance(x, JointCounts):
        return {name: x.marginal(name) for name in x.models}
    if isinstance(x, Mapping) and not isinstance(x, GroupedCounts):
        kinds = {type(value) for value in x.values()}
        if len(kinds) > 1:
            names = sorted(kind.__name__ for kind in kinds)
            raise refuse(
                "BR410",
                f"every model must be counted in the same way, got {' and '.join(names)}",
                "count all models in the same way",
            )
        return dict(x)
    return None


def refuse_uncounted(x: Any, verb: str) -> None:
    """What was not counted yet, and the old order of arguments, with the right call."""
    from baserate.curves.summaries import Summary
    from baserate.measures.confusion import Measure

    if isinstance(x, str | Measure | Summary) or (callable(x) and not hasattr(x, "columns")):
        raise refuse("BR429", "the data come first", f"{verb}(counts, …)")
    part = {GroupedCounts: ".total()", Amounts: ".counts"}.get(type(x))
    if part is not None:
        raise refuse("BR429", f"{verb} does not take {type(x).__name__}", f"{verb}(x{part}, …)")
    several = verb in ("compare", "non_inferiority")
    counted = 'count(df, label="fraud", score="logit")'
    if several:
        counted = 'count(df, label="fraud", score=["logit", "forest"])'
    if not hasattr(type(x), "columns") and not isinstance(x, str | os.PathLike):
        counted = (
            'count(y_true, {"a": scores, "b": others})' if several else "count(y_true, y_score)"
        )
    raise refuse("BR429", f"{verb} needs counts, got {type(x).__name__}", f"{verb}({counted}, …)")
