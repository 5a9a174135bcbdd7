"""`count` and `count_unlabelled`: arrays, frames, files, databases and chunks become counts."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypedDict, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from baserate.counts.amounts import Amounts, JointAmounts
from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.counts.grouped import GroupedCounts, Role
from baserate.counts.points import Points
from baserate.errors import RANDOM, number_of, quoted, refuse
from baserate.kernels import using
from baserate.numbers import NOT_SAID
from baserate.read import files, frames
from baserate.read.amounts import count_amounts
from baserate.read.cases import (
    SCORE,
    Cases,
    cases_of_arrays,
    check_keep,
    check_named,
    count_arrays,
    count_cases,
    count_clusters_by_group,
    count_groups,
    count_jointly,
    count_jointly_by_group,
)
from baserate.read.columns import as_column
from baserate.read.days import count_days, day_column
from baserate.read.joins import count_files_jointly
from baserate.read.large import count_chunks
from baserate.read.source import Options
from baserate.read.sql import count_result
from baserate.read.table import ColumnRoles
from baserate.read.text import TextOptions
from baserate.read.treatments import Treatment

P = ParamSpec("P")
R = TypeVar("R")
Names = list[str] | tuple[str, ...]
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


OPTIONS_OF = dict[str, tuple[str, ...]]()


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """The function; an argument that it does not have is refused with the one that was meant."""
    name, parameters = function.__name__, inspect.signature(function).parameters.values()
    by_name = [
        one for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    words = [*(one.name for one in by_name), *OPTIONS_OF.get(name, ())]
    places = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)

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


class TextReading(TypedDict, total=False):
    """How text files are read."""

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


class ReadOptions(TextReading, total=False):
    """How data are read. docs/reference/file-format.md says which of these each source has.

    `y_true`, `y_score`, `pos_label` and `sample_weight` are scikit-learn's words for the two
    arrays, `positive` and `weight`.
    """

    y_true: Any
    y_score: Any
    pos_label: Any
    sample_weight: Any
    positive: Any
    weight: Any
    id: str | None
    join: Literal["inner"] | None
    by_position: bool
    design: Literal["random", "case-control"]
    tz: str | None
    currency: Any
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


class GroupOptions(ReadOptions, total=False):
    """The same, with the column of a group, a unit of uncertainty or a day."""

    by: Any
    cluster: Any
    day: Any


# The options of verbs that are not parameters of their own.
OPTIONS_OF |= {
    "count": tuple(ReadOptions.__annotations__),
    "count_unlabelled": tuple(TextReading.__annotations__),
}
SYNONYMS = {"pos_label": "positive", "sample_weight": "weight"}
# The value of a word that nobody gave, where it is not None.
DEFAULTS: dict[str, Any] = {
    field.name: field.default
    for kind in (TextOptions, Treatment)
    for field in dataclasses.fields(kind)
} | {"design": RANDOM, "by_position": False, "thresholds": ()}
# The words that each kind of input has.
OF_TEXT = frozenset(TextReading.__annotations__)
OF_CASES = frozenset({"positive", "design", "missing_label", "nan_score"})
OF_TREATMENT = frozenset(field.name for field in dataclasses.fields(Treatment))
OF_ARRAYS = OF_CASES | {"weight", "keep"}
OF_FRAMES = OF_ARRAYS | OF_TREATMENT
OF_FILES = OF_CASES | OF_TREATMENT | OF_TEXT | {"weight", "memory", "thresholds"}
OF_COUNTING = ("keep", "tz", "amount_missing")
OF_CHUNKS = frozenset({"positive", "memory", "thresholds", "design"})
OF_SEVERAL_FILES = frozenset({"id", "join", "by_position"})
OF_ROLE = {"day": {"tz"}, "amount": {"currency", "amount_missing"}}
# What a message calls an array that has a role.
NAMED = {"group": "groups", "cluster": "cluster", "amount": "amount", "currency": "currency"}
# What groups are for.
SERVES: dict[str, Role] = {"by": "group", "cluster": "cluster", "day": "day"}
FORM = 'count(y_true, y_score), or count(df, label="fraud", score="logit")'


@overload
def count(
    first: Any, second: Mapping[str, Any] | ScoreFrame, /, **options: Unpack[ReadOptions]
) -> JointCounts: ...
@overload
def count(
    first: Any, /, *, label: str, score: Names, **options: Unpack[ReadOptions]
) -> JointCounts: ...
@overload
def count(
    first: Any,
    second: Mapping[str, Any] | ScoreFrame = ...,
    /,
    *,
    amount: Any,
    label: str = ...,
    score: Names = ...,
    **options: Unpack[ReadOptions],
) -> JointAmounts: ...
@overload
def count(
    first: Any,
    second: Mapping[str, Any] | ScoreFrame = ...,
    /,
    *,
    by: Any,
    label: str = ...,
    score: Names = ...,
    **options: Unpack[ReadOptions],
) -> dict[str, JointCounts]: ...
@overload
def count(
    first: Any,
    second: Mapping[str, Any] | ScoreFrame = ...,
    /,
    *,
    cluster: Any,
    label: str = ...,
    score: Names = ...,
    **options: Unpack[ReadOptions],
) -> dict[str, GroupedCounts]: ...
@overload
def count(
    first: Any = ...,
    second: npt.ArrayLike = ...,
    /,
    *,
    label: str = ...,
    score: str = ...,
    counted: bool = ...,
    **options: Unpack[ReadOptions],
) -> Counts: ...
@overload
def count(
    first: Any,
    second: npt.ArrayLike = ...,
    /,
    *,
    by: Any,
    cluster: Any,
    label: str = ...,
    score: str = ...,
    **options: Unpack[ReadOptions],
) -> dict[Hashable, GroupedCounts]: ...
@overload
def count(
    first: Any,
    second: npt.ArrayLike = ...,
    /,
    *,
    label: str = ...,
    score: str = ...,
    **options: Unpack[GroupOptions],
) -> GroupedCounts: ...
@overload
def count(
    first: Any,
    second: npt.ArrayLike = ...,
    /,
    *,
    amount: Any,
    label: str = ...,
    score: str = ...,
    **options: Unpack[ReadOptions],
) -> Amounts: ...
@verb
def count(  # noqa: PLR0913 (each is a word that users say)
    first: Any = NOT_SAID,
    second: Any = NOT_SAID,
    /,
    *,
    label: str | None = None,
    score: str | Sequence[str] | None = None,
    by: Any = None,
    cluster: Any = None,
    day: Any = None,
    amount: Any = None,
    threads: int | None = None,
    counted: bool = False,
    **options: Any,
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
    anything else `positive` says which value is positive. `weight` (an array, or the name of a
    column) makes masses of the counts. `y_true`, `y_score`, `pos_label` and `sample_weight` are
    accepted as scikit-learn has them. `keep="positives"` merges
    scores that only negatives have (see `Counts.condense`), which is much faster where positives
    are rare. `design="case-control"` says that the class totals were fixed by design, so every
    measure that depends on the base rate needs a prior. More than a million rows are counted in
    `threads`, by default one per processor (or the environment variable BASERATE_THREADS); the
    result does not depend on their number. The other keywords say how sources are
    read: docs/reference/file-format.md.

    >>> import baserate as br
    >>> br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    Counts: 2 positives, 2 negatives, 4 distinct scores, prior 0.500
    >>> br.count([0, 0, 1, 1], {"logit": [0.1, 0.4, 0.35, 0.8], "forest": [0, 0.5, 0.5, 1]})
    JointCounts: 2 models (logit, forest), 2 positives, 2 negatives, 4 cells
    """
    first, second = options.pop("y_true", first), options.pop("y_score", second)
    options = given_options(options)
    roles = {"by": by, "cluster": cluster, "day": day, "amount": amount}
    roles = {role: value for role, value in roles.items() if value is not None}
    with using(threads):
        if counted:
            return _count_result(first, (second, label, score), {**options, **roles})
        if second is not NOT_SAID:
            if label is not None or score is not None:
                word = "label=" if label is not None else "score="
                raise refuse("BR003", f"{word} names a column, and arrays are given already", FORM)
            return _count_arrays(first, second, roles, options)
        if _is_chunks(first, label):
            return _count_chunks(first, label, score, {**options, **roles})
        if label is None or score is None:
            raise refuse("BR003", "a file or frame needs label= and score=", FORM)
        _check_names({"label": label, "score": score, **roles})
        several = not isinstance(score, str)
        if isinstance(first, str | os.PathLike) or _are_paths(first):
            several = several or _are_paths(first)
            _check_combined(roles, several)
            return _count_files(first, label, score, roles, options)
        _check_combined(roles, several)
        return _count_frame(first, label, score, roles, options)


@verb
def count_unlabelled(
    source: Any,
    /,
    *,
    score: str | None = None,
    nan_score: Literal["drop", "lowest"] | None = None,
    lower_is_positive: bool = False,
    **options: Unpack[TextReading],
) -> Unlabelled:
    """How many cases have each score, where there are no labels?

    `source` is an array of scores, or what `count` reads, with the name of the `score` column.

    >>> import baserate as br
    >>> br.count_unlabelled([0.9, 0.2, 0.2, 0.1]).cases
    array([1, 2, 1])
    """
    treatment = {"nan_score": nan_score, "lower_is_positive": lower_is_positive}
    given = given_options({**treatment, **options})
    if isinstance(source, str | os.PathLike):
        if score is None:
            raise refuse("BR003", "a file needs score=", 'count_unlabelled("log.csv", score="s")')
        return files.unlabelled_of(os.fspath(source), score, Options.of(given))
    check_allowed(given, frozenset(), "arrays and frames")
    return files.unlabelled_scores(source if score is None else source[score])


# ----------------------------------------------------------------------
# The words of `count`: one table of them, whatever is counted.


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults, each under one name."""
    given = dict[str, Any]()
    for word, value in options.items():
        if _is_default(value, DEFAULTS.get(word)):
            continue
        name = SYNONYMS.get(word, word)
        if name in given:
            raise refuse("BR002", f"{name}= is given twice", f"leave {word}= out")
        given[name] = value
    return given


def _is_default(value: Any, default: Any) -> bool:
    plain = isinstance(value, str | int | tuple | list) and type(value) is type(default)
    return value is default or (plain and bool(value == default))


def check_allowed(options: Mapping[str, Any], allowed: frozenset[str], what: str) -> None:
    """Refuse an option that has no effect on what is counted."""
    for name in options:
        if name not in allowed:
            raise refuse("BR002", f"{name}= has no effect on {what}", f"leave {name} out")


def _check_combined(roles: Mapping[str, Any], several: bool) -> None:  # noqa: FBT001
    """Refuse what cannot be combined."""
    names = sorted(roles)
    if len(names) > 1 and (names != ["by", "cluster"] or several):
        words = " and ".join(f"{name}=" for name in names)
        raise refuse("BR424", f"{words} cannot be combined here", f"count with {names[0]}= alone")
    if several and "day" in roles:
        raise refuse("BR424", "day= takes one score", 'count each score alone: score="logit"')


def _check_names(columns: Mapping[str, Any]) -> None:
    """Columns of a file or frame go by their names."""
    for word, given in columns.items():
        several = word == "score" and isinstance(given, Sequence) and not isinstance(given, bytes)
        for name in given if several and not isinstance(given, str) else [given]:
            if not isinstance(name, str):
                text = f"{word}= names a column of a file or frame, got {quoted(name)}"
                raise refuse("BR003", text, f'{word}="name", of a column whose name is text')


# ----------------------------------------------------------------------
# Arrays, frames and files become checked cases, and these are counted in one way.


def _count_arrays(
    y_true: Any, y_score: Any, roles: Mapping[str, Any], options: dict[str, Any]
) -> Any:
    scores = _named_scores(y_true, y_score)
    several = scores is not None
    _check_combined(roles, several)
    own = _own_options(OF_ARRAYS, roles, options, "arrays", several=several)
    frames.checked_treatment({name: options[name] for name in OF_TREATMENT & options.keys()})
    if "weight" in options:
        options["sample_weight"] = options.pop("weight")
    if not several and not roles:
        return count_arrays(y_true, y_score, **own, **options)
    if several:
        check_named(scores)
    columns = {**_columns_by_role(roles), "currency": options.pop("currency", None)}
    beside = {
        role: day_column(values, "days") if role == "day" else as_column(values, NAMED[role])
        for role, values in columns.items()
        if values is not None
    }
    cases = cases_of_arrays(y_true, scores or {SCORE: y_score}, beside=beside, **options)
    return count_checked(cases, roles, several=several, **own)


def _count_frame(
    frame: Any,
    label: str,
    score: str | Sequence[str],
    roles: Mapping[str, Any],
    options: dict[str, Any],
) -> Any:
    several = not isinstance(score, str)
    own = _own_options(OF_FRAMES, roles, options, "a data frame", several=several)
    wanted = _wanted(label, score, roles, options)
    counted = count_checked(
        frames.cases_of_frame(frame, wanted, options), roles, several=several, **own
    )
    # Engines give rows in any order.
    return counted.sorted_by(wanted.scores) if isinstance(counted, JointCounts) else counted


def _count_files(
    source: Any,
    label: str,
    score: str | Sequence[str],
    roles: Mapping[str, Any],
    options: dict[str, Any],
) -> Any:
    one = isinstance(source, str | os.PathLike)
    several = not isinstance(score, str) or not one
    if several and not roles:
        if "weight" in options or "memory" in options:
            text = "models counted together need every case in memory, without weights"
            fix = "count each score alone, or leave memory= and weight= out"
            raise refuse("BR421", text, fix)
        check_allowed(options, OF_FILES | OF_SEVERAL_FILES, "files")
        how = {name: options.pop(name) for name in ("join", "by_position") if name in options}
        wanted = _wanted(label, score, roles, options)
        given = [source] if one else source
        return count_files_jointly(given, wanted, Options.of(options), **how)
    own = _own_options(OF_FILES, roles, options, "files", several=True)
    if not one:
        (role, *_) = roles
        raise refuse("BR424", f"{role}= takes one source", "one file with a column per model")
    wanted = _wanted(label, score, roles, options)
    reading = Options.of(options)
    if not roles:
        return files.count_scores(os.fspath(source), wanted, reading)[str(score)]
    cases = files.read_cases(os.fspath(source), wanted, reading)
    return count_checked(cases, roles, several=several, **own)


def count_checked(
    cases: Cases,
    roles: Collection[str],
    *,
    several: bool,
    keep: str = "all",
    tz: str | None = None,
    amount_missing: str | None = None,
) -> Any:
    """Return the counts of checked cases, as the columns beside label and score ask for."""
    first, *_ = cases.scores
    if not roles:
        return count_jointly(cases) if several else count_cases(cases, first, keep=keep)
    if len(roles) == 2:
        parts = count_clusters_by_group(cases, first)
        return {name: part.serving("cluster") for name, part in parts.items()}
    (role,) = roles
    if role == "by" and several:
        return count_jointly_by_group(cases)
    found: Any
    if role == "amount":
        found = count_amounts(cases, amount_missing)
    elif role == "day":
        found = {first: count_days(cases, first, tz).serving("day")}
    else:
        found = {name: count_groups(cases, name).serving(SERVES[role]) for name in cases.scores}
    return found if several else found[first]


def _own_options(
    known: frozenset[str],
    roles: Mapping[str, Any],
    options: dict[str, Any],
    what: str,
    *,
    several: bool,
) -> dict[str, Any]:
    """Take the options of counting out of those of reading, and refuse what has no effect."""
    allowed = known.union(*(OF_ROLE.get(role, ()) for role in roles))
    if roles or several:
        allowed -= {"keep"}
    if "amount" in roles:
        allowed -= {"weight"}
    check_allowed(options, allowed, f"{what} with {next(iter(roles))}=" if roles else what)
    own = {name: options.pop(name) for name in OF_COUNTING if name in options}
    if "keep" in own:
        check_keep(own["keep"])
    return own


def _columns_by_role(roles: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is given by its role beside the cases: clusters alone are groups."""
    both = "by" in roles and "cluster" in roles
    return {
        "group": roles.get("by", roles.get("cluster")),
        "cluster": roles["cluster"] if both else None,
        "day": roles.get("day"),
        "amount": roles.get("amount"),
    }


def _wanted(
    label: str, score: str | Sequence[str], roles: Mapping[str, Any], options: dict[str, Any]
) -> ColumnRoles:
    """Return which column is what; words that name or describe columns are taken out of the
    options.
    """
    words = ("positive", "weight", "id", "currency", "design")
    named = {name: options.pop(name) for name in words if name in options}
    _check_names({name: named[name] for name in ("weight", "id", "currency") if name in named})
    scores = (score,) if isinstance(score, str) else tuple(score)
    return ColumnRoles(label, scores, **_columns_by_role(roles), **named)


def _named_scores(y_true: Any, y_score: Any) -> Mapping[str, Any] | None:
    """The scores of several models by name; None for one array of scores."""
    if isinstance(y_score, Mapping):
        return y_score
    names = getattr(y_score, "column_names", None) or getattr(y_score, "columns", None)
    if names is None:
        return None
    scores = {name: y_score[name] for name in names}
    for name, column in scores.items():
        if _is_same(column, y_true):
            text = f"column {quoted(name)} of the scores equals the labels"
            raise refuse("BR417", text, "give a frame that holds scores only")
    return scores


def _is_same(column: Any, labels: Any) -> bool:
    try:
        return bool(np.array_equal(np.asarray(column), np.asarray(labels)))
    except (TypeError, ValueError):
        return False


def _are_paths(source: Any) -> bool:
    """Several sources: a list of paths, or paths by the name of the model."""
    paths = list(source.values()) if isinstance(source, Mapping) else source
    several = isinstance(paths, list | tuple) and bool(paths)
    return several and all(isinstance(path, str | os.PathLike) for path in paths)


# ----------------------------------------------------------------------
# What is given in chunks, and what is counted already.


def _is_chunks(first: Any, label: str | None) -> bool:
    if callable(first) or isinstance(first, Iterator):
        return True
    return label is None and isinstance(first, list | tuple) and not _are_paths(first)


def _count_chunks(
    chunks: Any, label: str | None, score: str | Sequence[str] | None, options: dict[str, Any]
) -> Counts:
    check_allowed(options, OF_CHUNKS, "chunks")
    if "memory" not in options:
        raise refuse("BR003", "chunks are counted within a memory limit", 'memory="1GB"')
    if "positive" in options:
        options["pos_label"] = options.pop("positive")
    if label is None:
        return count_chunks(chunks, **options)
    if not isinstance(score, str):
        raise refuse("BR003", "chunks of frames need label= and one score=", 'score="logit"')
    return count_chunks(_Pairs(chunks, label, score), **options)


class _Pairs:
    """Chunks of frames as pairs of labels and scores, started as often as they can be."""

    def __init__(self, chunks: Any, label: str, score: str) -> None:
        self.chunks, self.label, self.score = chunks, label, score

    def __call__(self) -> Iterator[tuple[Any, Any]]:
        chunks = self.chunks() if callable(self.chunks) else self.chunks
        return ((chunk[self.label], chunk[self.score]) for chunk in chunks)


def _count_result(first: Any, columns: tuple[Any, ...], options: dict[str, Any]) -> Counts:
    """Count what the SQL of `counting_sql` gave; its columns have names of their own."""
    if columns != (NOT_SAID, None, None):
        text = "counted=True names the columns: label, score, cases"
        raise refuse("BR003", text, "count(result, counted=True)")
    of_file = OF_TEXT if isinstance(first, str | os.PathLike) else frozenset()
    check_allowed(options, OF_CASES | of_file, "what is counted already")
    return count_result(first, **options)


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
