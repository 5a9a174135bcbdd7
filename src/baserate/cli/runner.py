"""The request that the options of a command make, and the one runner that prints its result."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import click
from click.core import ParameterSource

from baserate import notation
from baserate.atomic import reserve_output, write_atomically
from baserate.cli.options import Sectioned, flag_of, is_rule, listed
from baserate.cli.terminal import Progress, Waiting, tell
from baserate.conditions import LOG_UNIFORM, OUTCOMES, Conditions, Costs, Uncertain
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.distributions import Pilot, Range
from baserate.errors import (
    RANDOM,
    Findings,
    Fix,
    InputError,
    Note,
    Source,
    escaped,
    foremost_notes,
    number_of,
    on_command_line,
    quoted,
    rank_notes,
    refuse,
    refuse_file,
    size,
)
from baserate.inference.intervals import IntervalOptions, auc_intervals
from baserate.measures.confusion import LARGEST, Measure, parse
from baserate.notation import MOST_CASES
from baserate.read.cases import count_jointly
from baserate.read.files import count_scores, count_together
from baserate.read.joins import read_models
from baserate.read.saved import is_saved, load, saved_joint, saved_models
from baserate.read.source import SCHEME, SEVERAL, Options, files_of, said_of, shown_source
from baserate.read.streams import HEAD, STDIN, TEXT, file_kind, opened
from baserate.read.table import ColumnRoles
from baserate.read.text import DELIMITERS, TextOptions, as_utf8, first_record
from baserate.read.treatments import Treatment
from baserate.results.notes import merge_notes
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import checked_level
from baserate.views import document, tables

if TYPE_CHECKING:
    from baserate.shift.estimate import PriorEstimate

# ----------------------------------------------------------------------
# The request: the source, the conditions, the intervals and the output of a command.

MOST_NAMED = 12
CEILING = ("memory",)
READING = [
    field.name
    for kind in (TextOptions, Treatment)
    for field in fields(kind)
    if field.name != "header"
] + ["max_bytes", *CEILING]


def check_unused(given: Mapping[str, Any], where: str) -> None:
    """Nothing is accepted and ignored."""
    refuse_given(given, f"has no effect {where}")


def refuse_given(
    given: Mapping[str, Any], why: str, fix: str = "leave it out", code: str = "BR002"
) -> None:
    """Refuse the first of these options that is given; "{}" stands for it in the fix."""
    for name, value in given.items():
        if value:
            raise refuse(code, f"{name} {why}", fix.format(name))


# ----------------------------------------------------------------------
# The source: files, which columns are what, and how to read them.


@dataclass(frozen=True)
class SourceOptions:
    """Where the data lie, which columns are what, and how to read them."""

    paths: tuple[str, ...] = ()
    label: str | None = None
    scores: tuple[str, ...] = ()
    positive: str | None = None
    weight: str | None = None
    design: str = RANDOM
    id: str | None = None
    join: str | None = None
    by_position: bool = False
    options: Options = field(default_factory=Options)

    @property
    def path(self) -> str:
        """The first file."""
        return self.paths[0]

    @property
    def is_saved(self) -> bool:
        """Does the file hold counts?"""
        return is_saved(self.path)

    @property
    def is_limited(self) -> bool:
        """Is there a ceiling on memory?"""
        return self.options.ceiling.memory is not None

    def at(self, *paths: str) -> Self:
        """The same of other files."""
        return replace(self, paths=paths)

    def and_test(self, path: str) -> tuple[SourceOptions, SourceOptions]:
        """The source and the test data, with the same columns; saved counts have models only."""
        first, test = (
            SourceOptions(source.paths, scores=self.scores) if source.is_saved else source
            for source in (self, self.at(path))
        )
        return (self, test) if self.is_saved == test.is_saved else (first, test)

    def reading(self) -> Waiting:
        """A message for whoever waits longer than a second for a file."""
        size_of = f" ({size(os.path.getsize(self.path))})" if os.path.isfile(self.path) else ""  # noqa: PTH113, PTH202
        return Waiting(f"reading {escaped(shown_source(self.path))}{size_of}")

    def check_saved(self, more: Mapping[str, Any] | None = None) -> None:
        """Refuse what tells how to read cases, of saved counts."""
        said = {
            "--label": self.label,
            "--positive": self.positive,
            "--weight": self.weight,
            "--design": self.design != RANDOM,
        }
        read = {
            f"--{name.replace('_', '-')}": True
            for name, value in said_of(self.options).items()
            if value
        }
        limits = {f"--{name}": getattr(self.options.ceiling, name) for name in CEILING}
        check_unused({**said, **(more or {}), **read, **limits}, "on saved counts")

    def wanted(self, **more: Any) -> ColumnRoles:
        """A file of cases needs a label and a score at least; the refusal lists its columns."""
        if self.is_saved:
            raise refuse_file(
                self.path,
                "BR610",
                "holds counts, and this needs the cases",
                "give the file that was counted",
            )
        absent = {
            option: f"which column {what}"
            for option, named, what in (
                ("--label", self.label, "says which cases are positive"),
                ("--score", self.scores, "holds a model's scores"),
            )
            if not named
        }
        if absent:
            # The columns of a text file; none where only a whole reading would tell.
            found = ", ".join(quoted(name, quotes=False) for name in self.names()[:MOST_NAMED])
            options = f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} missing"
            text = f"{options}: {', and '.join(absent.values())}{f' ({found})' if found else ''}?"
            raise refuse_file(
                shown_source(self.path),
                "BR003",
                text,
                " ".join(f"{option} COLUMN" for option in absent),
            )
        columns = {"positive": self.positive, "weight": self.weight, "design": self.design}
        return ColumnRoles(self.label or "", self.scores, **{**columns, **more})

    def names(self) -> list[str]:
        """The models of saved counts, or the columns of a text file; none where only a whole
        reading would tell.
        """
        if self.is_saved:
            return list(saved_models(self.path))
        if self.path in STDIN:
            return []
        plain = not SCHEME.match(self.path) and not os.path.lexists(self.path)
        if plain and not files_of(self.path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path)
        return _header_of(self.path, self.options)

    @contextlib.contextmanager
    def watched(self, thresholds: Sequence[Any] = ()) -> Iterator[Options]:
        """How to read, with thresholds that stay exact under the ceiling, and a bar for whoever
        waits.
        """
        ceiling = self.options.ceiling.at(tuple(thresholds))
        with Progress("counting rows") as progress:
            yield self.options._replace(ceiling=replace(ceiling, progress=progress))

    def counted(self, thresholds: Sequence[Any] = ()) -> dict[str, Counts]:
        """The counts of every model in the file, or in saved counts; under a ceiling on memory,
        these thresholds stay exact.
        """
        if self.is_saved:
            self.check_saved()
            return saved_models(self.path, self.scores)
        columns = self.wanted()
        if self.is_limited:
            with self.watched(thresholds) as watched:
                return count_scores(self.path, columns, watched)
        with self.reading():
            return count_scores(self.path, columns, self.options)

    def together(self) -> JointCounts | dict[str, Counts]:
        """The models counted on the same cases, so that they can be compared; the counts of each
        alone where that is impossible.
        """
        if self.is_saved:
            models, found = self.counted(), load(self.path)
            if isinstance(found, JointCounts) and len(models) > 1:
                return found.only(tuple(models))
            return models
        if self.is_limited:
            return self.counted()
        columns = self.wanted()
        with self.reading():
            return count_together(self.path, columns, self.options)

    def saved_groups(self) -> GroupedCounts:
        """The counts that were saved group by group."""
        found = load(self.path)
        if not isinstance(found, GroupedCounts):
            raise refuse_file(
                self.path,
                "BR433",
                "holds counts of all cases together",
                "count them by group: baserate count --by COLUMN",
            )
        return found

    def joint(self) -> JointCounts:
        """The models on the same cases, counted here or before."""
        if self.is_saved:
            self.check_saved()
            return saved_joint(self.path, self.scores)
        return count_jointly(read_models(self.path, self.wanted(), self.options))


def _header_of(path: str, options: Options) -> list[str]:
    """The columns of a text file; none where only a whole reading would tell."""
    if SCHEME.match(path) or not os.path.isfile(path):  # noqa: PTH113
        return []
    with open(path, "rb") as file:
        if file_kind(file.read(HEAD), path) != TEXT:  # parsed in a process of its own
            return []
    with opened(path, options.limits) as plain:
        if plain.kind != TEXT or not options.asked.header:
            return []
        with as_utf8(plain.shown, plain.path, options.asked.encoding) as text:
            given, skip = options.asked.delimiter, options.asked.skip_lines
            signs = (given,) if given else DELIMITERS
            headers = [first_record(text, sign, skip)[0] for sign in signs]
    return [name.strip() for name in max(headers, key=len)]


def each_model(models: JointCounts | dict[str, Counts]) -> dict[str, Counts]:
    """The counts of each model by name."""
    return (
        {name: models.marginal(name) for name in models.models}
        if isinstance(models, JointCounts)
        else models
    )


# ----------------------------------------------------------------------
# The conditions: base rate, costs and volume as people write them.


PILOT = re.compile(r"\s*(\d+)\s*(?:/|of|in|out of)\s*(\d+)\s*")


@dataclass(frozen=True)
class ConditionOptions:
    """Base rates, costs and volume, as they are written."""

    priors: tuple[str, ...] = ()
    costs: tuple[str, ...] = ()
    profits: tuple[str, ...] = ()
    volume: str | None = None
    pilot: str | None = None
    kind: str | None = None
    prior_from: str | None = None
    learned: Learned | None = None  # the estimate of the base rate that --prior-from gives

    @property
    def costs_given(self) -> bool:
        """Is a cost or a profit given?"""
        return bool(self.costs or self.profits)

    @property
    def cases(self) -> float | None:
        """The volume as a number."""
        return volume_of(self.volume)

    @property
    def is_uncertain(self) -> bool:
        """Is anything given that is not a number: a range, a distribution, a pilot sample?"""
        return self.pilot is not None or any(
            ".." in text or LOG_UNIFORM.search(text)
            for text in (*self.priors, *self.costs, *self.profits)
        )

    @property
    def is_open(self) -> bool:
        """Does the answer cover more than one set of exact conditions?"""
        return self.is_uncertain or self.kind is not None

    def exact(self) -> list[Conditions]:
        """One set of conditions per base rate; the sample's own where none is given. Everything
        wrong with them is found in one pass.
        """
        findings, chosen, found = Findings(), None, list[Conditions]()
        with findings:
            text = self._costs_text()
            chosen = None if text is None else Costs.parse(text, profits=bool(self.profits))
        rates: list[Any] = [part for text in self.priors or ("sample",) for part in shares(text)]
        for rate in rates if self.learned is None else [self.learned.estimate]:
            with findings:
                found.append(Conditions(rate, chosen))
        findings.settle()
        return found

    def ends(self) -> list[Conditions]:
        """The conditions at both ends of a range of base rates; none where anything else is
        uncertain.
        """
        text = LOG_UNIFORM.sub("", self.priors[0]) if len(self.priors) == 1 else ""
        if ".." not in text or any(".." in cost for cost in (*self.costs, *self.profits)):
            return []
        return replace(self, priors=tuple(end.strip() for end in text.split(".."))).exact()

    def uncertain(self) -> Uncertain | Conditions:
        """The conditions as they are written: numbers, ranges, a list, a log-uniform range, a pilot
        sample.
        """
        text = self._costs_text()
        if self.priors and self.pilot is not None:
            raise refuse(
                "BR503",
                "a base rate and a pilot sample are given together",
                "give --prior or --pilot",
            )
        chosen = None if text is None else costs_of(text, profits=bool(self.profits))
        if self.learned is not None:
            known = Range(*whole_interval(self.learned.estimate))
            return Uncertain(known, chosen, estimate=self.learned.estimate)
        parts = [part for text in self.priors for part in shares(text)]
        if len(parts) > 1 and any(".." in part for part in parts):
            raise refuse(
                "BR503",
                "a range of base rates cannot be combined with other values",
                "--prior 1e-5..1e-3",
            )
        given = parts if len(parts) > 1 else next(iter(parts), None)
        prior = given if self.pilot is None else _pilot(self.pilot)
        return Uncertain(prior, chosen, earned=bool(self.profits))

    def _costs_text(self) -> str | None:
        if self.costs and self.profits:
            raise refuse("BR513", "costs and profits are given together", "give --cost or --profit")
        return ",".join(self.costs or self.profits) or None


class Learned(NamedTuple):
    """The base rate that unlabelled cases speak for: its estimate, the score that it was estimated
    with, and the note that says so.
    """

    estimate: PriorEstimate
    score: str
    notes: tuple[Note, ...]


def whole_interval(estimate: PriorEstimate) -> tuple[float, float]:
    """The interval of an estimate as base rates to plan for: no positives are not ruled out, and
    half a case then stands for the least.
    """
    return max(estimate.low, 0.5 / estimate.cases), estimate.high


def shares(text: str) -> list[str]:
    """The parts of a list, unless the whole is a number with a decimal comma, which is refused as
    such.
    """
    parts = notation.split_list(text)
    return [text] if len(parts) == 2 and notation.parse_number(parts[0]) == 0 else parts


def volume_of(text: str | None) -> float | None:
    """A number of cases, as people write it."""
    if text is None:
        return None
    value = notation.parse_cases(text)
    if value is None or not 0 < value <= MOST_CASES:
        raise refuse(
            "BR520",
            f"a volume is a number of cases above 0, got {quoted(text)}",
            "--volume 1000000",
        )
    return float(value)


def budget_of(text: str, volume: float | None) -> float:
    """A number of alerts, as people write it; 0 is one too."""
    if volume is None:
        raise refuse(
            "BR520",
            "--budget is a number of alerts out of a volume of cases",
            "--volume 1000000 beside it",
        )
    try:
        return 0.0 if notation.parse_number(text) == 0 else volume_of(text) or 0.0
    except InputError:
        raise refuse(
            "BR520", f"a budget is a number of alerts, got {quoted(text)}", "--budget 200"
        ) from None


def read_price(text: str) -> Fraction:
    """What a review costs."""
    value = notation.parse_number(notation.without_thousands(text.strip()))
    if value is None:
        text = f"--review takes a plain number, got {quoted(text)}"
        raise refuse("BR514", text, "--review 150 (no currency)")
    return value


def read_share(text: str) -> Any:
    """A share; what is none is left for the verb to refuse."""
    written = notation.parse_share(text)
    return text if written is None else written.value


def threshold_of(text: str) -> float | int | None:
    """A threshold from the command line; "none" flags nothing."""
    if text.strip().casefold() == "none":
        return None
    if text.strip().casefold() in ("inf", "-inf"):
        return float(text)
    value = notation.parse_number(text)
    if value is None or abs(value) > LARGEST:
        raise refuse(
            "BR529",
            f"a threshold is a number, or none to flag nothing; got {quoted(text)}",
            "--threshold 0.5",
        )
    return value.numerator if value.denominator == 1 else float(value)


def threshold_by_model(text: str) -> tuple[str | None, float | int | None]:
    """A threshold, and the model that it is for ("m1=0.5"); None where it is for all."""
    name, equals, value = text.rpartition("=")
    return (name if equals else None), threshold_of(value if equals else text)


def check_model(text: str, name: str, models: Iterable[str]) -> None:
    """Refuse a threshold of a model that is not there."""
    if name not in models:
        raise refuse(
            "BR408",
            f"--threshold {quoted(text)}: there is no model {quoted(name)}",
            f"one of {', '.join(map(quoted, models))}",
        )


def thresholds_of(texts: tuple[str, ...], models: tuple[str, ...]) -> dict[str, Any] | None:
    """A threshold for every model, from one for all ("0.5") or one each ("m1=0.5"); None where none
    is given.
    """
    if not texts:
        return None
    given: dict[str, Any] = {}
    for text in texts:
        name, cut = threshold_by_model(text)
        if name is not None:
            check_model(text, name, models)
        for model in models if name is None else [name]:
            if model in given:
                raise refuse("BR529", f"{quoted(model)} is given two thresholds", "give one each")
            given[model] = cut
    absent = [model for model in models if model not in given]
    if absent:
        raise refuse(
            "BR529",
            f"no threshold is given for {quoted(absent[0])}",
            f"--threshold {absent[0]}=0.5",
        )
    return given


def share_of(text: str, what: str, fix: str, code: str) -> float:
    """A share as people write it: 95%, 0.95."""
    written = notation.parse_share(text)
    if written is None:
        raise refuse(code, f"{what}, got {quoted(text)}", fix)
    return float(written.value)


def _pilot(text: str) -> Pilot:
    found = PILOT.fullmatch(text)
    if not found:
        raise refuse(
            "BR588",
            f"a pilot sample is written as positives/cases, got {quoted(text)}",
            "--pilot 12/5000",
        )
    return Pilot(int(found[1]), int(found[2]))


def costs_of(text: str, *, profits: bool) -> dict[str, Any]:
    """Costs as people write them, each a number or a range: fn=100..1000,fp=1."""
    spans: dict[str, Range] = {}
    plain, named = list[str](), list[str]()
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        low, dots, high = value.partition("..")
        named.append(name.strip().casefold())
        plain.append(f"{name}={low}" if dots else part)
        if dots:
            spans[named[-1]] = _range(name.strip(), low, high, profits=profits)
    # Names are checked as those of plain costs are; what they cost, when the ranges are in place.
    costs = Costs.parse(",".join(plain), profits=profits)
    given = [name for name in OUTCOMES if profits or name in named]
    return {name: spans.get(name, getattr(costs, name)) for name in given}


def _range(name: str, low: str, high: str, *, profits: bool) -> Range:
    ends = notation.parse_number(low), notation.parse_number(high)
    if ends[0] is None or ends[1] is None:
        raise refuse(
            "BR514",
            f"the cost of {quoted(name, quotes=False)} is {quoted(f'{low}..{high}')}, which is not"
            " a range of numbers",
            "--cost fn=100..1000,fp=1",
        )
    first, last = (
        float(end) if end.denominator != 1 else end.numerator for end in ends if end is not None
    )
    if first > last:
        raise refuse(
            "BR504",
            f"the range of the cost of {quoted(name, quotes=False)} is reversed:"
            f" {first:g}..{last:g}",
            f"{last:g}..{first:g}",
        )
    return Range(-last, -first) if profits else Range(first, last)


def measures_of(texts: Sequence[str], given: ConditionOptions) -> tuple[str, ...]:
    """Measures by the names under which points show them."""
    return tuple(parsed_measure(text, given).short_name for text in texts)


def parsed_measure(text: str, given: ConditionOptions) -> Measure:
    """A measure by its name; net benefit needs the probability at which one would act, or the costs
    that make one.
    """
    measure = parse(text, given.cases)
    if measure.name == "net_benefit" and not measure.parameters and not given.costs_given:
        raise refuse(
            "BR655",
            "net benefit needs the probability at which one would act",
            '"net_benefit(t=0.02)", or --cost fn=49,fp=1',
        )
    return measure


# ----------------------------------------------------------------------
# The output, and the whole request.


@dataclass(frozen=True)
class OutputOptions:
    """The form of the answer, and where it goes."""

    as_json: bool = False
    as_csv: bool | None = None  # None: the command has no such form
    output: str | None = None
    svg: str | None = None
    all_notes: bool = False
    force: bool = False
    private: bool = False


OUTPUT = (
    "as_json",
    "output",
    "all_notes",
    "force",
    "private",
    "svg",
)  # says nothing of what is asked
TOGETHER, OVER, ALONE = "together", "over", "alone"  # with the error of an estimated base rate


@dataclass(frozen=True)
class Request:
    """The options that every command has."""

    source: SourceOptions
    conditions: ConditionOptions
    intervals: IntervalOptions
    output: OutputOptions
    given: Mapping[str, Any] = field(default_factory=dict)  # the parameters as click has them
    config: tuple[str, ...] = ()  # the keys of baserate.toml that were used

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> tuple[Request, dict[str, Any]]:
        """From the parameters of a command, and those that are left for the command itself."""
        own = _with_budget(_with_rule(given))
        if _stands_first(own.get("path"), own.get("name")):
            own["name"], own["path"] = own["path"], own["name"]
        given = dict(own)

        def part(kind: Any, **more: Any) -> Any:
            named = {one.name: own.pop(one.name) for one in fields(kind) if one.name in own}
            return kind(**named, **more)

        path = own.pop("path", None)
        if "level" in own:
            level = share_of(own["level"], "a level is a share", "--level 95%", "BR580")
            own["level"] = checked_level(level)
        source = part(
            SourceOptions,
            paths=(path,) if isinstance(path, str) else path or (),
            options=_reading(own),
        )
        source = replace(source, scores=_columns_listed(source))
        parts = part(ConditionOptions), part(IntervalOptions), part(OutputOptions)
        return cls(source, *parts, given), own

    def command(self, name: str, *drop: str, **changes: Any) -> str:
        """The whole command of this name that asks the same: whatever was given and it accepts,
        less `drop`, and with these changes.
        """
        words, target = ["baserate", name], _command(name)
        given = {key: value for key, value in self.given.items() if key not in (*drop, *OUTPUT)}
        given |= {"rules": (given["rule"],)} if given.get("rule") is not None else {}
        for parameter in target.params if target is not None else ():
            value = {**given, **changes}.get(parameter.name or "")
            if value is not None and value != parameter.default and value not in (False, ()):
                words += _spelled(parameter, value)
        return shlex.join(words)

    def estimated(self, done: str = TOGETHER) -> Request:
        """With the base rate that the unlabelled cases of --prior-from speak for, where they are
        given; `done` is what the command does about its error.
        """
        if self.conditions.prior_from is None:
            return self
        from baserate.cli.prior import learned

        found = learned(self, done)
        conditions = replace(
            self.conditions, priors=(repr(found.estimate.value),), learned=found, prior_from=None
        )
        return replace(self, conditions=conditions)

    def in_field(
        self, points: Sequence[tuple[str, OperatingPoint]], *, cluster: bool = False
    ) -> list[OperatingPoint]:
        """The points of these models with intervals that include the error of an estimated base
        rate, where it is estimated.
        """
        if self.conditions.learned is None:
            return [point for _, point in points]
        from baserate.cli.prior import in_field

        return in_field(points, self, cluster=cluster)


def _stands_first(path: Any, name: str | None) -> bool:
    """Of `curve`: does the file stand before the name of the curve?"""
    return name is not None and os.path.exists(name) and not os.path.exists(str(path))  # noqa: PTH110


def _with_rule(given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with a rule that follows the file, or among several files, where --rule
    has it.
    """
    own = dict(given)
    behind, path = own.pop("behind", None), own.get("path")
    if isinstance(path, tuple) and "rule" in own:
        found = [word for word in path if is_rule(word)]
        own["path"] = tuple(word for word in path if word not in found)
        behind = " and ".join(found) or None
    if behind is None:
        return own
    if "rules" in own:
        own["rules"] = (behind, *own["rules"])
        return own
    if own["rule"] is not None:
        raise refuse("BR533", "two rules are given", 'join them by "and"')
    own["rule"] = behind
    return own


def _with_budget(own: dict[str, Any]) -> dict[str, Any]:
    """The parameters with --budget as a rule, or as a part of the one that is given."""
    budget = own.pop("budget_rule", None)
    if budget is None:
        return own
    term = f"alerts <= {budget_of(budget, volume_of(own['volume'])):.15g}"
    if "rules" in own:
        return {**own, "rules": (*own["rules"], term)}
    return {**own, "rule": " and ".join(filter(None, (own["rule"], term)))}


def _columns_listed(source: SourceOptions) -> tuple[str, ...]:
    """The scores, where several may be one comma-separated word; a column whose name has a comma is
    one score.
    """
    found = list[str]()
    for text in source.scores:
        whole = "," not in text or (source.paths and text in source.names())
        found += [text] if whole else [part.strip() for part in next(csv.reader([text]))]
    return tuple(found)


def _spelled(parameter: Any, value: Any) -> list[str]:
    """A parameter as it is typed."""
    values = value if isinstance(value, tuple | list) else (value,)
    if parameter.param_type_name == "argument":
        return [str(one) for one in values]
    flag = flag_of(parameter)
    return [word for one in values for word in ([flag] if one is True else [flag, str(one)])]


def _reading(own: dict[str, Any]) -> Options:
    """How to read, which is taken out of what was given."""
    said = {name: own.pop(name) for name in READING if name in own}
    said = {name: value for name, value in said.items() if value is not None}
    for name in SEVERAL:
        if name in said:
            said[name] = tuple(part.strip() for part in next(csv.reader([said[name]])))
    return Options.of({**said, "header": not said.get("columns")})


# ----------------------------------------------------------------------
# One runner of every command: the text or the JSON, the notes, and the exit status.


SETTINGS = "baserate.toml"


@dataclass(frozen=True)
class Result:
    """What a command answers: as JSON and for a person, with its notes. Where `plain` is given, it
    is printed as it stands in place of the text.
    """

    notes: Sequence[Note]
    content: Callable[[], Mapping[str, Any]]
    text: Callable[[], Iterable[str]]
    sources: Iterable[Source] = ()
    plain: str | None = None
    drawing: Callable[[], str] | None = None
    status: int = 0

    @classmethod
    def of_models(
        cls,
        command: str,
        models: Mapping[str, Counts],
        at: Sequence[Any],
        notes: Iterable[Note],
        text: Callable[[], Iterable[str]],
        parts: Callable[[], Mapping[str, Any]] = dict,
    ) -> Result:
        """What is answered of counted models: their notes come before those of the answer, and
        their sources last.
        """
        said = merge_notes([*document.notes_of(models, {}), *notes])
        used = dict.fromkeys(one for counts in models.values() for one in counts.ledger.sources)

        def content() -> dict[str, Any]:
            aucs = auc_intervals(models)
            return document.of_models(command, models, {}, at, said, aucs=aucs, **parts())

        return cls(said, content, text, used)


def command(name: str) -> Callable[[Callable[..., Result]], click.Command]:
    """A command of this name: a function of the request and of the command's own options."""

    def decorate(function: Callable[..., Result]) -> click.Command:
        def run(**given: Any) -> int:
            request, own = _request(given)
            if "output" not in given:  # the command writes what it has to write by itself
                return present(function(request, **own), request)
            return _delivered(function, request, own)

        run.__doc__ = function.__doc__
        listed("all_notes")(run)
        run.__click_params__ += getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
        return click.command(name=name, cls=Sectioned)(run)

    return decorate


# Commands that read no defaults, and which default gives which parameter under another name.
WITHOUT_DEFAULTS = ("gate", "demo", "calc", "plan", "sql", "study", "help")
PARAMETERS = {
    "source": ("path",),
    "prior": ("priors",),
    "rule": ("rule", "rules"),
    "budget": ("rule", "rules"),
}
# A default gives way to what is given on the line in its place.
GIVES_WAY = {
    "label": ("counted",),
    "scores": ("counted",),
    "priors": ("pilot", "prior_from"),
    "costs": ("profits",),
    "profits": ("costs",),
    "rule": ("threshold", "thresholds", "guarantee", "all_priors", "budget_rule"),
    "rules": ("thresholds", "fixed", "budget_rule"),
    "test": ("path", "prior_from", "pilot", "group", "all_priors", "kind"),
}
OF_CASES = frozenset({"label", "positive", "design", *READING}) - {"memory"}


def default_map(name: str) -> dict[str, dict[str, Any]]:
    """The defaults of a command, from baserate.toml in the working directory."""
    if name in WITHOUT_DEFAULTS or not os.path.lexists(SETTINGS):
        return {}
    from baserate.gates.settings import defaults

    try:
        found = defaults(SETTINGS)
    except InputError as error:
        raise type(error)(
            replace(problem, fix=Fix.everywhere(f"{problem.fix.python}, or --no-config"))
            for problem in error.problems
        ) from None
    if found.get("header") is False and "columns" not in found:
        text = "has header = false, and does not name the columns"
        raise refuse_file(SETTINGS, "BR604", text, 'columns = ["id", "y", "m1"]')
    given: dict[str, Any] = {}
    for key, value in found.items():
        given |= dict.fromkeys(PARAMETERS.get(key, (key,)), value)
    if name == "prior":  # its FILE has no labels
        given["labelled"] = given.pop("path", None)
    command = _command(name)
    return {name: {} if command is None else _as_typed(command, given)}


def _command(name: str) -> click.Command | None:
    from baserate.cli.main import cli

    return cli.get_command(click.Context(cli), name)


def _as_typed(command: click.Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of parameters, as click has them from the line."""
    typed = {}
    for parameter in command.params:
        value = given.get(parameter.name or "")
        if value is None or value is False:
            continue
        several = parameter.nargs == -1 or getattr(parameter, "multiple", False)
        if isinstance(value, list) and not several:
            value = ",".join(map(str, value))
        plain: Any = value if isinstance(value, bool | list) else str(value)
        if several:
            plain = tuple(plain) if isinstance(plain, list) else (plain,)
        typed[parameter.name or ""] = plain
    return typed


def _request(given: dict[str, Any]) -> tuple[Request, dict[str, Any]]:
    """The request of the parameters, without defaults that give way to what is on the line."""
    context = click.get_current_context()
    sources = {name: context.get_parameter_source(name) for name in given}
    if (path := (context.default_map or {}).get("path")) is not None:
        given, sources = _file_from_defaults(given, sources, path)
    on_line = {name for name, source in sources.items() if source == ParameterSource.COMMANDLINE}
    saved = isinstance(given.get("path"), str) and is_saved(given["path"])
    used = []
    for parameter in context.command.params:
        name = parameter.name or ""
        if sources.get(name) != ParameterSource.DEFAULT_MAP:
            continue
        gives_way = on_line.intersection(GIVES_WAY.get(name, ())) or (saved and name in OF_CASES)
        if gives_way or (name == "test" and _has_range(given)):
            unset = parameter.default if name == "design" else None
            given = {**given, name: () if isinstance(given[name], tuple) else unset}
        else:
            used.append(KEYS.get(name, name))
    request, own = Request.of(given)
    return replace(request, config=tuple(used)), own


def _has_range(given: Mapping[str, Any]) -> bool:
    """Is a base rate or a cost a range?"""
    texts = (text for name in ("priors", "costs", "profits") for text in given.get(name, ()))
    return any(".." in text for text in texts)


Sources = dict[str, ParameterSource | None]


def _file_from_defaults(
    given: dict[str, Any], sources: Sources, path: Any
) -> tuple[dict[str, Any], Sources]:
    """The parameters, where a rule stands in the place of the file: the file is then that of the
    defaults.
    """
    named = given["path"]
    if sources["path"] == ParameterSource.DEFAULT_MAP or not named:
        return given, sources
    if isinstance(named, tuple) and all(map(is_rule, named)) and "rule" in given:
        given = {**given, "path": (*path, *named)}
    elif isinstance(named, str) and is_rule(named) and given.get("behind", "") is None:
        given = {**given, "path": path, "behind": named}
    else:
        return given, sources
    return given, {
        **sources,
        "path": ParameterSource.DEFAULT_MAP,
        "behind": ParameterSource.COMMANDLINE,
        "rule": ParameterSource.COMMANDLINE,
        "rules": ParameterSource.COMMANDLINE,
    }


KEYS = {"path": "source", "labelled": "source", "priors": "prior", "rules": "rule"}


def present(result: Result, request: Request) -> int:
    """The answer on stdout, as JSON or for a person; then the notes, on stderr. Returns the exit
    status.
    """
    used = f"defaults: {SETTINGS} ({', '.join(request.config)})" if request.config else ""
    if request.output.as_json:
        config = {"config": {"path": SETTINGS, "used": list(request.config)}}
        click.echo(document.text({**result.content(), **(config if used else {})}))
    elif result.plain is not None:
        click.echo(result.plain, nl=False)
        click.echo(used, err=True, nl=bool(used))
    else:
        tell(*result.text(), *map(tables.source, result.sources), used)
    for line in _noted(result.notes, every=request.output.all_notes):
        click.echo(line, err=True)
    return result.status


def _noted(notes: Sequence[Note], *, every: bool) -> list[str]:
    """The notes that could change the decision most, at most three, and how many more there are; or
    every note.
    """
    shown = rank_notes(notes) if every else foremost_notes(notes)
    lines = [f"note {note.code}: {note.line(on_command_line)}" for note in shown]
    left = len(rank_notes(notes)) - len(shown)
    noun = "more note" if shown else "note"
    return lines + ([f"{number_of(left, noun)}: --notes"] if left else [])


def _delivered(function: Callable[..., Result], request: Request, own: dict[str, Any]) -> int:
    """The answer, in a file where one is named: its place is looked at before anything is computed,
    and written only where there is an answer.
    """
    given = request.output
    places = [place for place in (given.svg, given.output) if place is not None]
    if not places:
        unused = {"--force": given.force, "--private": given.private}
        check_unused(unused, "where nothing is written (-o FILE)")
    inputs = inputs_of(request, own) if places else []
    with contextlib.ExitStack() as held:
        checks = [
            held.enter_context(reserve_output(place, inputs, force=given.force)) for place in places
        ]
        request = _as_named(request)
        result = function(request, **own)
        if given.svg is not None and result.drawing is not None:
            write(given.svg, result.drawing(), checks[0], private=given.private)
        if given.output is None:
            return present(result, request)
        return _written(result, request, checks[-1])


def _as_named(request: Request) -> Request:
    """The form that the name of the file promises."""
    given = request.output
    ending = os.path.splitext(given.output or "")[1].casefold()  # noqa: PTH122
    if ending == ".json":
        return replace(request, output=replace(given, as_json=True))
    if ending == ".csv" and given.as_csv is None:
        raise refuse_file(
            given.output or "",
            "BR803",
            "answers are written as text or as JSON, not as CSV",
            "name it .txt or .json",
        )
    if ending == ".csv":
        return replace(request, output=replace(given, as_csv=not given.as_json))
    return request


def inputs_of(request: Request, own: dict[str, Any]) -> list[str]:
    """Every file that a command reads: its sources, or its settings and theirs; and the other file
    that it writes.
    """
    sources = list(request.source.paths)
    if "config" in own and not sources:
        from baserate.gates.settings import SETTINGS, load

        config = own["config"] or SETTINGS
        sources = [config]
        with contextlib.suppress(InputError, OSError):  # what is wrong there is said when it is run
            sources += [str(scored.source) for scored in load(config).data.models.values()]
    others = (own.get(name) for name in ("labelled", "test", "markdown"))
    beside = (*others, request.conditions.prior_from)
    return [file for source in (*sources, *beside) if source for file in files_of(source)]


def _written(result: Result, request: Request, check: Callable[[], None]) -> int:
    """The answer in its file; the notes on stderr, and in a file that ends in .txt."""
    output = request.output.output or ""
    text, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(said):
        status = present(result, request)
    click.echo(said.getvalue(), nl=False, err=True)
    if output.casefold().endswith(".txt") and said.getvalue():
        text.write(f"\n{said.getvalue()}")
    write(output, text.getvalue(), check, private=request.output.private)
    return status


def write(path: str, text: str, check: Callable[[], None], *, private: bool) -> None:
    """Write to the place that is held."""
    check()
    write_atomically(path, [text.encode("utf-8", "surrogateescape")], private=private)
