"""Options that several commands share: where the data lie, and under which conditions they are read."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import click

from baserate import notations
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.counts import Counts
from baserate.engines.dialects import Asked
from baserate.engines.file_counts import count_scores
from baserate.engines.files import Options
from baserate.engines.wanted import Wanted
from baserate.errors import Findings, quoted, refuse
from baserate.measures.confusions import LARGEST, MOST_CASES
from baserate.uncertainty.values import checked_level

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


SOURCE = "FILE"
_path = click.argument("path", metavar=SOURCE)
_paths = click.argument("path", metavar=f"{SOURCE}...", nargs=-1, required=True)
_reading = _together(
    click.option("--delimiter", metavar="SIGN", help="What separates columns in a text file, where it is not to be found out."),
    click.option("--encoding", metavar="NAME", help="The encoding of a text file that is not UTF-8, such as cp1252."),
    click.option("--decimal", metavar="SIGN", help="The decimal sign of a text file: a point or a comma."),
    click.option("--no-header", is_flag=True, help="The text file has no line of names; --columns gives them."),
    click.option("--columns", metavar="NAMES", help="The names of all columns, by commas, with --no-header."),
    click.option("--skip-lines", type=int, metavar="NUMBER", help="How many lines of a text file stand before its header."),
    click.option("--skip-bad", type=int, metavar="NUMBER", help="Leave out up to so many rows with too many or too few fields, and say so."),
    click.option("--max-bytes", type=int, metavar="NUMBER", help="The most that a compressed file may unpack to."),
)
_joining = _together(
    click.option("--id", metavar="COLUMN", help="The column by which the cases of several files are joined."),
    click.option("--join", metavar="inner", help="inner: keep the cases that all files have, and say how many were left out."),
    click.option("--by-position", is_flag=True, help="The rows of all files are the same cases in the same order."),
)


def _gathered(command: Command) -> Command:
    """What is said of how to read reaches the command in one piece, with the path."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        path, joined = named.pop("path"), {name: named.pop(name) for name in ("id", "join", "by_position") if name in named}
        said = {name: named.pop(name) for name in [field.name for field in fields(Asked) if field.name != "header"] + ["max_bytes"]}
        said = {name: value for name, value in said.items() if value is not None}
        if "columns" in said:
            said["columns"] = tuple(name.strip() for name in next(csv.reader([said["columns"]])))
        options = Options.of({**said, "header": not named.pop("no_header")})
        return command(*arguments, path=Given((path,) if isinstance(path, str) else path, options, **joined), **named)

    return run


_label = click.option("--label", required=True, metavar="COLUMN", help="The column that says which cases are positive.")
_positive = click.option("--positive", metavar="VALUE", help="The label of the positive cases, where 0/1 or yes/no does not already say it.")
_weight = click.option("--weight", metavar="COLUMN", help="A weight for each case.")
_design = click.option(
    "--design", default="random", metavar="DESIGN", help="case-control: somebody chose the class totals, so a base rate must be given."
)


def _score(*, required: bool) -> Callable[[Command], Command]:
    text = "A model's score; higher means more likely positive. May be repeated."
    return click.option("--score", "scores", required=required, multiple=True, metavar="COLUMN", help=text)


source = _together(_path, _label, _score(required=True), _positive, _weight, _design, _reading, _gathered)
# Where cases must be whole: weights do not say how many were seen.
source_several = _together(_paths, _label, _score(required=True), _positive, _design, _reading, _joining, _gathered)
source_unscored = _together(_path, _label, _score(required=False), _positive, _design, _reading, _gathered)

_level = click.option("--level", default="95%", show_default=True, metavar="SHARE", help="How sure an interval is to be.")
_seed = click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="The seed of what is drawn at random.")


def _replicates(text: str) -> Callable[[Command], Command]:
    return click.option("--replicates", type=int, metavar="NUMBER", help=text)


uncertainty = _together(_level, _replicates("How many resamples a bootstrap takes (2000 unless said)."), _seed)
# For chosen points: intervals that take the threshold as fixed come at once, those that choose it again take resamples.
intervals = _together(_level, _replicates("Resample so often, and choose the threshold again each time, for the intervals."), _seed)

conditions = _together(
    click.option(
        "--prior",
        "priors",
        multiple=True,
        metavar="SHARE",
        help='The base rate: 0.1%, "1 in 1000", 1:999, 1e-4, "12 per 100k"; several by commas.',
    ),
    click.option(
        "--cost", "costs", multiple=True, metavar="NAME=NUMBER", help="What an outcome costs: fn=100,fp=1 (also tp, tn; a reward is negative)."
    ),
    click.option("--profit", "profits", multiple=True, metavar="NAME=NUMBER", help="What an outcome earns, instead of --cost: tp=95,fp=-5."),
    click.option("--volume", metavar="CASES", help="How many cases there are, for example a day: counts alerts, caught and missed."),
)

as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON (schema baserate/1).")


def counted(given: Given, label: str, scores: tuple[str, ...], positive: str | None, weight: str | None, design: str) -> dict[str, Counts]:
    """The counts of every model in the file."""
    return count_scores(given.path, Wanted(label, scores, positive, weight, design=design), given.options)


def conditions_of(priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...]) -> list[Conditions]:
    """One set of conditions a base rate; the sample's own where none is given. Everything wrong with them is found in one pass."""
    findings, chosen, found = Findings(), None, list[Conditions]()
    with findings:
        if costs and profits:
            raise refuse("BR513", "costs and profits are given together", "give --cost or --profit")
        chosen = Costs.parse(",".join(costs or profits), profits=bool(profits)) if costs or profits else None
    for text in priors or ("sample",):
        for part in shares(text):
            with findings:
                found.append(Conditions(part, chosen))
    findings.settle()
    return found


def shares(text: str) -> list[str]:
    """The parts of a list, unless the whole is a number with a decimal comma, which is refused as such."""
    parts = notations.several(text)
    return [text] if len(parts) == 2 and notations.number(parts[0]) == 0 else parts


def volume_of(text: str | None) -> float | None:
    """A number of cases, as people write it: 1000000, 1e6, 1_000_000, 1,000,000 or 10k."""
    if text is None:
        return None
    bare = notations.without_thousands(text.strip().casefold()) if len(text) <= notations.LONGEST else ""
    unit = next((unit for unit in ("k", "m") if bare.endswith(unit)), "")
    value = notations.number(bare.removesuffix(unit).strip())
    if value is None or not 0 < value * notations.UNITS[unit] <= MOST_CASES:
        raise refuse("BR520", f"a volume is a number of cases above 0, got {quoted(text)}", "--volume 1000000")
    return float(value * notations.UNITS[unit])


def threshold_of(text: str) -> float | int | None:
    """A threshold from the command line; "none" flags nothing."""
    if text.strip().casefold() == "none":
        return None
    if text.strip().casefold() in ("inf", "-inf"):
        return float(text)
    value = notations.number(text)
    if value is None or abs(value) > LARGEST:
        raise refuse("BR529", f"a threshold is a number, or none to flag nothing; got {quoted(text)}", "--threshold 0.5")
    return value.numerator if value.denominator == 1 else float(value)


def thresholds_of(texts: tuple[str, ...], models: tuple[str, ...]) -> dict[str, Any] | None:
    """A threshold for every model, from one for all ("0.5") or one each ("m1=0.5"); None where none is given."""
    if not texts:
        return None
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if equals and name not in models:
            raise refuse("BR408", f"--threshold {quoted(text)}: there is no model {quoted(name)}", f"one of {', '.join(map(quoted, models))}")
        for model in [name] if equals else models:
            if model in given:
                raise refuse("BR529", f"{quoted(model)} is given two thresholds", "give one each")
            given[model] = threshold_of(value if equals else text)
    absent = [model for model in models if model not in given]
    if absent:
        raise refuse("BR529", f"no threshold is given for {quoted(absent[0])}", f"--threshold {absent[0]}=0.5")
    return given


def level_of(text: str) -> float:
    """A level as people write it: 95%, 0.95."""
    written = notations.share(text)
    if written is None:
        raise refuse("BR580", f"a level is a share, got {quoted(text)}", "--level 95%")
    return checked_level(float(written.value))
