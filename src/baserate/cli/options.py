"""Options that several commands share: data, conditions, clusters, memory, intervals, and the
sections of the help.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import click

from baserate import notation
from baserate.atomic import reserved, write_atomically
from baserate.cli.terminal import Progress, Waiting, tell
from baserate.conditions import Conditions, Costs
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.errors import (
    Findings,
    Fix,
    InputError,
    escaped,
    on_command_line,
    quoted,
    refuse,
    refuse_file,
    size,
)
from baserate.inference.clusters import cluster_notes
from baserate.inference.sample_size import refuse_masses
from baserate.inference.values import Difference, checked_level
from baserate.measures.confusion import LARGEST, MOST_CASES
from baserate.measures.measure import Measure
from baserate.notes import RANDOM, Ledger, Note
from baserate.output import comparisons, document, tables
from baserate.read.csv_dialect import Asked
from baserate.read.files import (
    count_scores,
    count_together,
    grouped_cases,
    is_saved,
    load,
    read_cases,
    saved_models,
)
from baserate.read.frames import MOST_CELLS, checked_cells
from baserate.read.source import SEVERAL, Options, files_of, said_of, shown_source
from baserate.read.streams import STDIN
from baserate.read.table import POSITIVE, Ceiling, Wanted
from baserate.read.treatments import Treatment

# ----------------------------------------------------------------------
# What commands share on the way out: how sure they are, and notes.


def tell_differences(
    found: Sequence[Difference],
    notes: Sequence[Note],
    ledger: Ledger,
    seed: int,
    joint: JointCounts | None = None,
    *,
    as_json: bool,
    by_cost: bool = False,
) -> None:
    """Comparisons in words, or as JSON, and their notes; `joint` where their conditions have a part
    in it.
    """
    notes = document.merged(notes)
    if as_json:
        click.echo(
            document.text(
                comparisons.of_comparisons("compare", ledger.sources, found, notes, seed, joint)
            )
        )
    else:
        tell(
            comparisons.of_differences(found, by_cost=by_cost),
            *(tables.source(used) for used in ledger.sources),
        )
    say(notes)


def say(notes: Iterable[Note]) -> None:
    """Notes, on stderr."""
    for note in notes:
        click.echo(f"note {note.code}: {note.line(on_command_line)}", err=True)


# ----------------------------------------------------------------------
# `--memory` and what belongs to it: counting under a ceiling, with a bar that says how far it has
# got.


CEILING_NAMES = ("memory", "approx", "resume")
OPTIONS = (
    click.option(
        "--memory",
        metavar="SIZE",
        help=(
            "The most memory to take, such as 1GB: Parquet and CSV of any size are counted in"
            " pieces."
        ),
    ),
    click.option(
        "--approx",
        is_flag=True,
        help=(
            "Where the scores do not fit, keep certified bins (AUC within 1e-6): mostly one"
            " reading."
        ),
    ),
    click.option(
        "--resume",
        metavar="FILE",
        help="Write there how far counting has got, and go on from it if it is there.",
    ),
)


# Where there is nothing to resume, and no bins to be content with.
MEMORY = click.option(
    "--memory",
    metavar="SIZE",
    help="The most memory to take, such as 1GB: AUC is then compared piece by piece (Parquet).",
)


def scaling(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that counts any number of rows."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@contextlib.contextmanager
def with_progress(options: Options, thresholds: Sequence[Any] = ()) -> Iterator[Options]:
    """What was said of how to read, with thresholds that stay exact under the ceiling, and a bar
    for whoever waits.
    """
    with Progress("counting rows") as progress:
        yield options._replace(
            ceiling=replace(options.ceiling.at(tuple(thresholds)), progress=progress)
        )


def ceiling_options(options: Options) -> dict[str, Any]:
    """What was said of a ceiling, by the name of each option."""
    return {f"--{name}": getattr(options.ceiling, name) for name in CEILING_NAMES}


# ----------------------------------------------------------------------
# Options that several commands share: where the data lie, and under which conditions they are read.


Command = Callable[..., Any]


def _together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


class Given(NamedTuple):
    """Where the data lie, and what was said of how to read them."""

    paths: tuple[str, ...]
    options: Options
    id: str | None = None
    join: str | None = None
    by_position: bool = False

    @property
    def path(self) -> str:
        return self.paths[0]


SOURCE, MOST_NAMED = "FILE", 12
READING = [
    field.name for kind in (Asked, Treatment) for field in fields(kind) if field.name != "header"
] + ["max_bytes", *CEILING_NAMES]
_path = click.argument("path", metavar=SOURCE)
_paths = click.argument("path", metavar=f"{SOURCE}...", nargs=-1, required=True)
_reading = _together(
    click.option(
        "--delimiter",
        metavar="SIGN",
        help="What separates columns in a text file, where it is not to be found out.",
    ),
    click.option(
        "--encoding",
        metavar="NAME",
        help="The encoding of a text file that is not UTF-8, such as cp1252.",
    ),
    click.option(
        "--decimal", metavar="SIGN", help="The decimal sign of a text file: a point or a comma."
    ),
    click.option(
        "--no-header",
        is_flag=True,
        help="The text file has no line of names; --columns gives them.",
    ),
    click.option(
        "--columns", metavar="NAMES", help="Comma-separated names of all columns, with --no-header."
    ),
    click.option(
        "--skip-lines",
        type=int,
        metavar="NUMBER",
        help="How many lines of a text file stand before its header.",
    ),
    click.option(
        "--skip-bad",
        type=int,
        metavar="NUMBER",
        help="Leave out up to this number of rows with too many or too few fields, and note it.",
    ),
    click.option(
        "--max-bytes",
        type=int,
        metavar="NUMBER",
        help="The most that a compressed file may unpack to.",
    ),
)
_treating = _together(
    click.option(
        "--negative",
        metavar="VALUES",
        help="The labels of the negative cases, comma-separated, where there are more than one.",
    ),
    click.option(
        "--missing-label",
        metavar="WHAT",
        help="Cases without a label: drop them, or take them for negative or positive.",
    ),
    click.option(
        "--normalize-labels",
        is_flag=True,
        help="Take labels that differ in case or outer blanks for one.",
    ),
    click.option(
        "--cast-labels",
        is_flag=True,
        help='Take labels of several types by what they spell: 1, 1.0 and "1" are one.',
    ),
    click.option(
        "--label-threshold",
        type=float,
        metavar="NUMBER",
        help="Soft labels: at least this is positive.",
    ),
    click.option(
        "--nan-score", metavar="WHAT", help="Cases without a score: drop them, or rank them lowest."
    ),
    click.option("--lower-is-positive", is_flag=True, help="Low scores are risky: negate them."),
    click.option("--percent", is_flag=True, help="Numbers of a text file may be written as 12%."),
    click.option(
        "--thousands", metavar="SIGN", help="What sets thousands apart in numbers of a text file."
    ),
)
_dedupe = click.option(
    "--dedupe",
    metavar="first",
    help="first: leave out rows that repeat an id with the same values, and say how many.",
)
_joining = _together(
    click.option(
        "--id", metavar="COLUMN", help="The column by which the cases of several files are joined."
    ),
    click.option(
        "--join",
        metavar="inner",
        help="inner: keep the cases that all files have, and say how many were left out.",
    ),
    click.option(
        "--by-position",
        is_flag=True,
        help="The rows of all files are the same cases in the same order.",
    ),
    _dedupe,
)


def _gathered(command: Command) -> Command:
    """What is said of how to read reaches the command in one piece, with the path."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        path, joined = (
            named.pop("path"),
            {name: named.pop(name) for name in ("id", "join", "by_position") if name in named},
        )
        said = {name: named.pop(name) for name in READING if name in named}
        said = {name: value for name, value in said.items() if value is not None}
        for name in SEVERAL:
            if name in said:
                said[name] = tuple(part.strip() for part in next(csv.reader([said[name]])))
        options = Options.of({**said, "header": not named.pop("no_header")})
        return command(
            *arguments,
            path=Given((path,) if isinstance(path, str) else path or (), options, **joined),
            **named,
        )

    return run


_label = click.option(
    "--label", metavar="COLUMN", help="The column that says which cases are positive."
)
_positive = click.option(
    "--positive",
    metavar="VALUE",
    help="The label of the positive cases, where 0/1 or yes/no does not already say it.",
)
_weight = click.option("--weight", metavar="COLUMN", help="A weight for each case.")
_design = click.option(
    "--design",
    default="random",
    metavar="DESIGN",
    help="case-control: somebody chose the class totals, so a base rate must be given.",
)


_score = click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="COLUMN",
    help="A model's score; higher means more likely positive. May be repeated.",
)


source = _together(
    _path, _label, _score, _positive, _weight, _design, _treating, _reading, _gathered
)
# Where the counts of a score are all that is needed of it, which may then be of any size.
source_of_any_size = _together(
    _path, _label, _score, _positive, _weight, _design, _treating, _reading, scaling, _gathered
)
source_added = _together(
    _paths, _label, _score, _positive, _weight, _design, _treating, _reading, scaling, _gathered
)
# Where cases must be whole: weights do not say how many were seen.
source_several = _together(
    _paths, _label, _score, _positive, _design, _treating, _reading, MEMORY, _joining, _gathered
)
source_whole = _together(_path, _label, _score, _positive, _design, _treating, _reading, _gathered)
source_unscored = _together(
    _path, _label, _score, _positive, _design, _treating, _reading, _gathered
)
# A gate without FILE reads its settings, which then say all of this.
source_or_settings = _together(
    click.argument("path", metavar=f"[{SOURCE}]", required=False),
    _label,
    _score,
    _positive,
    _design,
    _treating,
    _reading,
    _gathered,
)

level = click.option(
    "--level", default="95%", show_default=True, metavar="SHARE", help="Confidence level."
)
_seed = click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="NUMBER",
    help="The seed of what is drawn at random.",
)


def _replicates(text: str) -> Callable[[Command], Command]:
    return click.option("--replicates", type=int, metavar="NUMBER", help=text)


uncertainty = _together(
    level, _replicates("How many resamples a bootstrap takes (2000 unless said)."), _seed
)
intervals = _together(
    level,
    _replicates(
        "Resamples for the intervals of chosen thresholds (default: 400); 0 treats thresholds as"
        " fixed in advance."
    ),
    _seed,
)
# For decisions: which winners are in doubt takes resamples.
doubts = _together(
    level, _replicates("Number of resamples, to show where models cannot be distinguished."), _seed
)

conditions = _together(
    click.option(
        "--prior",
        "priors",
        multiple=True,
        metavar="SHARE",
        help=(
            'The base rate: 0.1%, "1 in 1000", 1:999, 1e-4, "12 per 100k"; several comma-separated.'
        ),
    ),
    click.option(
        "--cost",
        "costs",
        multiple=True,
        metavar="NAME=NUMBER",
        help="What an outcome costs: fn=100,fp=1 (also tp, tn; a reward is negative).",
    ),
    click.option(
        "--profit",
        "profits",
        multiple=True,
        metavar="NAME=NUMBER",
        help="What an outcome earns, instead of --cost: tp=95,fp=-5.",
    ),
    click.option(
        "--volume",
        metavar="CASES",
        help="How many cases there are, for example a day: counts alerts, caught and missed.",
    ),
)

prior_from = click.option(
    "--prior-from",
    metavar="FILE",
    help=(
        "Estimate the base rate from unlabelled cases that the (first) model scored, instead of"
        " --prior; see baserate prior. Intervals include its error, or are refused."
    ),
)
calibrated_at = click.option(
    "--calibrated-at",
    metavar="SHARE",
    help=(
        'The base rate at which the scores are calibrated probabilities ("sample" for the labelled'
        " cases)."
    ),
)

cluster = click.option(
    "--cluster",
    metavar="COLUMN",
    help="Rows with the same value belong together (a patient, a card): resample them whole.",
)
_writing = _together(
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the answer there: as JSON if FILE ends so, with its notes if it ends in .txt.",
    ),
    click.option("--force", is_flag=True, help="Replace a file that is there already."),
    click.option("--private", is_flag=True, help="Let nobody else read the file that is written."),
)


# Files that are read beside FILE, by the parameter that names them.
ALSO_READ = ("labelled", "prior_from", "markdown")


def _delivered(command: Command) -> Command:
    """The answer goes to a file where one is named: looked at before anything is computed, and
    written only where there is an answer.
    """

    @functools.wraps(command)
    def run(*arguments: Any, output: str | None, force: bool, private: bool, **named: Any) -> Any:
        drawing = named.get("svg")
        if output is None and drawing is None:
            check_unused(
                {"--force": force, "--private": private}, "where nothing is written (-o FILE)"
            )
            return command(*arguments, **named)
        inputs = inputs_of(named)
        with contextlib.ExitStack() as held:
            checks = [
                held.enter_context(reserved(place, inputs, force=force))
                for place in (drawing, output)
                if place is not None
            ]
            if drawing is not None:
                named["svg"] = functools.partial(_draw, drawing, checks[0], private=private)
            if output is None:
                return command(*arguments, **named)
            _as_named(output, named)
            return _written(
                output, lambda: command(*arguments, **named), checks[-1], private=private
            )

    return run


def _draw(path: str, check: Callable[[], None], drawing: str, *, private: bool) -> None:
    """Write a drawing to the place that is held for it."""
    check()
    write_atomically(path, [drawing.encode("utf-8", "surrogateescape")], private=private)


def _as_named(output: str, named: dict[str, Any]) -> None:
    """The form that the name of a file promises."""
    ending = os.path.splitext(output)[1].casefold()  # noqa: PTH122
    if ending == ".json":
        named["as_json"] = True
    elif ending == ".csv" and "as_csv" in named:
        named["as_csv"] = not named["as_json"]
    elif ending == ".csv":
        raise refuse_file(
            output,
            "BR803",
            "answers are written as text or as JSON, not as CSV",
            "name it .txt or .json",
        )


def inputs_of(named: dict[str, Any]) -> list[str]:
    """Every file that a command reads: its sources, or its settings and theirs; and the other file
    that it writes.
    """
    given = named.get("path")
    sources = list(given.paths) if isinstance(given, Given) else []
    if isinstance(given, Given) and not sources:
        from baserate.gates.settings import SETTINGS, load

        config = named.get("config") or SETTINGS
        sources = [config]
        with contextlib.suppress(
            InputError, OSError
        ):  # what is wrong with settings is said when they are run
            sources += [str(scored.source) for scored in load(config).data.models.values()]
    return [
        file
        for source in (*sources, *(named.get(name) for name in ALSO_READ))
        if source
        for file in files_of(source)
    ]


def _written(
    output: str, command: Callable[[], Any], check: Callable[[], None], *, private: bool
) -> Any:
    text, said, stop = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(said):
        try:
            command()
        except click.exceptions.Exit as error:  # a verdict is an answer too
            stop = error
    click.echo(said.getvalue(), nl=False, err=True)
    if output.casefold().endswith(".txt"):
        text.write(f"\n{said.getvalue()}" if said.getvalue() else "")
    check()
    write_atomically(output, [text.getvalue().encode("utf-8", "surrogateescape")], private=private)
    if stop is not None:
        raise stop


def check_unused(given: dict[str, Any], where: str) -> None:
    """Nothing is accepted and ignored."""
    for name, value in given.items():
        if value:
            raise refuse("BR002", f"{name} says nothing {where}", "leave it out")


as_json = _together(
    click.option(
        "--json", "as_json", is_flag=True, help="Print the answer as JSON (schema baserate/1)."
    ),
    _writing,
    _delivered,
)


def counted(
    given: Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    thresholds: Any = (),
) -> dict[str, Counts]:
    """The counts of every model in the file, or in saved counts; under a ceiling on memory, these
    thresholds stay exact.
    """
    if is_saved(given.path):
        check_saved(
            given,
            {
                "--label": label,
                "--positive": positive,
                "--weight": weight,
                "--design": design != RANDOM,
            },
        )
        return saved_models(given.path, scores)
    columns = wanted(given, label, scores, positive=positive, weight=weight, design=design)
    if given.options.ceiling.memory is not None:
        with with_progress(given.options, thresholds) as watched:
            return count_scores(given.path, columns, watched)
    with reading(given.path):
        return count_scores(given.path, columns, given.options)


def counted_together(
    given: Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
) -> JointCounts | dict[str, Counts]:
    """The models counted on the same cases, so that they can be compared; the counts of each alone
    where that cannot be had.
    """
    if is_saved(given.path):
        check_saved(
            given,
            {
                "--label": label,
                "--positive": positive,
                "--weight": weight,
                "--design": design != RANDOM,
            },
        )
        found, models = load(given.path), saved_models(given.path, scores)
        return (
            found.only(tuple(models))
            if isinstance(found, JointCounts) and len(models) > 1
            else models
        )
    if given.options.ceiling.memory is not None:
        return counted(given, label, scores, positive, weight, design)
    columns = wanted(given, label, scores, positive=positive, weight=weight, design=design)
    with reading(given.path):
        return count_together(given.path, columns, given.options)


def each_model(models: JointCounts | dict[str, Counts]) -> dict[str, Counts]:
    """The counts of each model by name."""
    return (
        {name: models.marginal(name) for name in models.models}
        if isinstance(models, JointCounts)
        else models
    )


def reading(source: str) -> Waiting:
    """Whoever waits longer than a second for a file is told so."""
    size_of = f" ({size(os.path.getsize(source))})" if os.path.isfile(source) else ""  # noqa: PTH113, PTH202
    return Waiting(f"reading {escaped(shown_source(source))}{size_of}")


def check_saved(given: Given, said: dict[str, Any]) -> None:
    """What says how to read cases says nothing of counts."""
    read = {
        f"--{name.replace('_', '-')}": True
        for name, value in said_of(given.options).items()
        if value
    }
    check_unused(said | read | ceiling_options(given.options), "of saved counts")


def wanted(given: Given, label: str | None, scores: Sequence[str], **more: Any) -> Wanted:
    """What is wanted of a file of cases: a label and a score at least; whoever names none is told
    which columns there are.
    """
    if is_saved(given.path):
        raise refuse_file(
            given.path,
            "BR610",
            "holds counts, and this needs the cases",
            "give the file that was counted",
        )
    for option, named, what in (
        ("--label", label, "says which cases are positive"),
        ("--score", scores, "holds a model's scores"),
    ):
        if not named:
            found = _columns_in(given)
            text = f"{option} is missing: which column {what}{f' ({found})' if found else ''}?"
            raise refuse_file(shown_source(given.path), "BR003", text, f"{option} COLUMN")
    return Wanted(label or "", tuple(scores), **more)


def _columns_in(given: Given) -> str:
    """The columns of a text file, for a message; nothing where only a whole reading would tell."""
    from baserate.gates.settings import columns_of

    if given.path in STDIN:
        return ""
    return ", ".join(
        quoted(name, quotes=False) for name, _ in columns_of(given.path, given.options)[:MOST_NAMED]
    )


def conditions_of(
    priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...]
) -> list[Conditions]:
    """One set of conditions a base rate; the sample's own where none is given. Everything wrong
    with them is found in one pass.
    """
    findings, chosen, found = Findings(), None, list[Conditions]()
    with findings:
        if costs and profits:
            raise refuse("BR513", "costs and profits are given together", "give --cost or --profit")
        chosen = (
            Costs.parse(",".join(costs or profits), profits=bool(profits))
            if costs or profits
            else None
        )
    for text in priors or ("sample",):
        estimate = getattr(text, "estimate", None)
        for part in shares(text) if estimate is None else [estimate]:
            with findings:
                found.append(_noted(Conditions(part, chosen), getattr(text, "notes", ())))
    findings.settle()
    return found


def _noted(at: Conditions, notes: tuple[Note, ...]) -> Conditions:
    """A base rate that was estimated says so."""
    at._put(notes=(*at.notes, *notes))
    return at


def shares(text: str) -> list[str]:
    """The parts of a list, unless the whole is a number with a decimal comma, which is refused as
    such.
    """
    parts = notation.several(text)
    return [text] if len(parts) == 2 and notation.number(parts[0]) == 0 else parts


def volume_of(text: str | None) -> float | None:
    """A number of cases, as people write it: 1000000, 1e6, 1_000_000, 1,000,000 or 10k."""
    if text is None:
        return None
    bare = (
        notation.without_thousands(text.strip().casefold()) if len(text) <= notation.LONGEST else ""
    )
    unit = next((unit for unit in ("k", "m") if bare.endswith(unit)), "")
    value = notation.number(bare.removesuffix(unit).strip())
    if value is None or not 0 < value * notation.UNITS[unit] <= MOST_CASES:
        raise refuse(
            "BR520",
            f"a volume is a number of cases above 0, got {quoted(text)}",
            "--volume 1000000",
        )
    return float(value * notation.UNITS[unit])


def threshold_of(text: str) -> float | int | None:
    """A threshold from the command line; "none" flags nothing."""
    if text.strip().casefold() == "none":
        return None
    if text.strip().casefold() in ("inf", "-inf"):
        return float(text)
    value = notation.number(text)
    if value is None or abs(value) > LARGEST:
        raise refuse(
            "BR529",
            f"a threshold is a number, or none to flag nothing; got {quoted(text)}",
            "--threshold 0.5",
        )
    return value.numerator if value.denominator == 1 else float(value)


def thresholds_of(texts: tuple[str, ...], models: tuple[str, ...]) -> dict[str, Any] | None:
    """A threshold for every model, from one for all ("0.5") or one each ("m1=0.5"); None where none
    is given.
    """
    if not texts:
        return None
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if equals and name not in models:
            raise refuse(
                "BR408",
                f"--threshold {quoted(text)}: there is no model {quoted(name)}",
                f"one of {', '.join(map(quoted, models))}",
            )
        for model in [name] if equals else models:
            if model in given:
                raise refuse("BR529", f"{quoted(model)} is given two thresholds", "give one each")
            given[model] = threshold_of(value if equals else text)
    absent = [model for model in models if model not in given]
    if absent:
        raise refuse(
            "BR529",
            f"no threshold is given for {quoted(absent[0])}",
            f"--threshold {absent[0]}=0.5",
        )
    return given


def level_of(text: str) -> float:
    """A level as people write it: 95%, 0.95."""
    written = notation.share(text)
    if written is None:
        raise refuse("BR580", f"a level is a share, got {quoted(text)}", "--level 95%")
    return checked_level(float(written.value))


threshold_probability = click.option(
    "--threshold-probability",
    metavar="SHARE",
    help=(
        "The probability at which one would act, for net benefit: 10%; instead of the one that the"
        " costs give."
    ),
)


def at_probability(measure: Measure, text: str | None) -> Measure:
    """Net benefit at the threshold probability that is given; nothing else has one."""
    if text is None:
        return measure
    written = notation.share(text)
    if measure.name != "net_benefit" or measure.parameters:
        raise refuse(
            "BR655",
            f"a threshold probability applies to net_benefit, and not to {measure}",
            "--optimize net_benefit",
        )
    if written is None or not 0 < written.value < 1:
        raise refuse(
            "BR655",
            f"a threshold probability lies between 0 and 1, got {quoted(text)}",
            "--threshold-probability 10%",
        )
    return Measure("net_benefit", (("t", float(written.value)),))


# ----------------------------------------------------------------------
# Rows that belong together, on the command line: counted by cluster, which are the units of every
# interval.


@dataclass(frozen=True)
class Clusters:
    """The clusters of every model, the counts of all of them together, and what is to be said of
    clusters.
    """

    groups: Mapping[str, GroupedCounts]
    models: dict[str, Counts]
    notes: tuple[Note, ...]


def clusters_of(given: Given, wanted: Wanted) -> Clusters:
    """The cases of a file by cluster."""
    refuse_masses(wanted.weight is not None)
    cases, table = read_cases(given.path, wanted, given.options)
    try:
        groups = {
            name: grouped_cases(cases, name, cases.beside["cluster"]) for name in wanted.scores
        }
    except InputError as error:
        raise error.moved(table.place) from None
    return Clusters(
        groups,
        {name: each.total() for name, each in groups.items()},
        cluster_notes(next(iter(groups.values()))),
    )


# ----------------------------------------------------------------------
# Options of counting on a cluster, gathered into one value.


# Bytes that a distinct score of a positive takes in condensed counts, which have up to three cells
# for each (310 were measured).
CONDENSED = 3 * POSITIVE
_options = (
    click.option(
        "--engine",
        metavar="NAME",
        help="dask, or spark in a session: count Parquet where it lies; only distinct scores come.",
    ),
    click.option(
        "--master",
        metavar="ADDRESS",
        help="With --engine dask: the scheduler, tcp://host:8786.",
    ),
    click.option(
        "--keep",
        metavar="WHAT",
        help=(
            "With --engine: all distinct scores, or positives for condensed counts; what fits,"
            " unless said."
        ),
    ),
    click.option(
        "--cells",
        type=int,
        metavar="NUMBER",
        help=(
            f"With --engine: the most distinct scores to hold here ({MOST_CELLS} unless said; or"
            " --memory)."
        ),
    ),
)


def engine(command: Command) -> Command:
    """What is said of a cluster reaches the command in one piece: None where nothing is."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        said = {name: named.pop(name) for name in ("engine", "master", "keep", "cells")}
        if said["engine"] is not None:
            named["path"], said["cells"] = _within_memory(named["path"], said["cells"])
        return command(*arguments, cluster=_cluster(**said), **named)

    for option in reversed(_options):
        run = option(run)
    return run


def _within_memory(given: Any, cells: int | None) -> tuple[Any, int | None]:
    """There the ceiling on memory is one on how many cells come here, and nothing is left to be
    said of it.
    """
    ceiling: Ceiling = given.options.ceiling
    if ceiling.memory is None:
        return given, cells
    if cells is not None:
        raise refuse(
            "BR955", "--memory and --cells both say how much may be held here", "give one of them"
        )
    free = given.options._replace(ceiling=replace(ceiling, memory=None))
    return given._replace(options=free), max(ceiling.room // CONDENSED, 1)


def _cluster(engine: str | None, master: str | None, keep: str | None, cells: int | None) -> Any:
    if engine is None:
        beside = next(
            (
                name
                for name, value in (("master", master), ("keep", keep), ("cells", cells))
                if value is not None
            ),
            None,
        )
        if beside is not None:
            raise refuse(
                "BR955",
                f"--{beside} applies to a cluster, and no engine is named",
                "--engine spark, or --engine dask",
            )
        return None
    from baserate.read.spark import ENGINES, Cluster

    if engine not in ENGINES:
        raise refuse(
            "BR955",
            f"there is no engine {quoted(engine)}",
            f"--engine {' or '.join(ENGINES)}; without it, files are counted here",
        )
    if engine == "spark" and master is not None:
        raise refuse(
            "BR955",
            "a Spark session has its master already",
            "leave --master out, or --engine dask",
        )
    if keep not in (None, "all", "positives"):
        raise refuse(
            "BR227",
            f"keep is all or positives, got {quoted(keep)}",
            Fix("keep='positives'", "--keep positives"),
        )
    return Cluster(engine, master, keep, MOST_CELLS if cells is None else checked_cells(cells))  # type: ignore[arg-type]


def check_there(sources: Iterable[str], wanted: Wanted, given: Options) -> None:
    """Whether a cluster can count this at all."""
    from baserate.read import spark

    spark.check_there(wanted, given)
    for source in sources:
        spark.check_parquet(source)


def reader(cluster: Any) -> AbstractContextManager[Any]:
    """What opens files there; nothing where files are counted here."""
    if cluster is None:
        return nullcontext()
    from baserate.read import spark

    return spark.reader(cluster)
