"""`report`: one HTML file that opens offline, with its style, script and data inside, readable
without JavaScript.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from html import escape
from importlib.resources import files
from pathlib import PurePath
from typing import Any, NamedTuple

from baserate.atomic import Grid, Page, reserve_output, write_atomically
from baserate.conditions import (
    Conditions,
    CostsLike,
    Prior,
    Uncertain,
    checked_conditions,
    one_or_several,
    refuse_estimate,
    told,
)
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves import named
from baserate.curves.curve import Curve
from baserate.decisions.selection import settings_of
from baserate.errors import InputError, escaped, grouped, number_of, quoted, refuse
from baserate.inference.decide import recommend
from baserate.inference.intervals import IntervalOptions, auc_intervals
from baserate.measures.confusion import in_costs, measure
from baserate.measures.isolines import IsoCost, iso_cost_line
from baserate.notation import checked_volume
from baserate.numbers import html_table
from baserate.plots.figures import (
    SMALL_PRIOR,
    cost_panel,
    curve_panel,
    roc_panel,
    winner_map_panel,
)
from baserate.plots.panels import PALETTE, Panel
from baserate.reports.content import (
    MIDDLE,
    Contents,
    answered_nearby,
    best_of,
    checked_slices,
    drawn_points,
    of_contents,
    ranked,
    sliced,
)
from baserate.results.choice import Choice
from baserate.results.operating_point import (
    OperatingPoint,
    describe_briefly,
    describe_setting,
    format_threshold,
)
from baserate.results.values import checked_level, is_corrected
from baserate.verbs.sources import verb
from baserate.views import choices, segment_tables, tables
from baserate.views.document import read
from baserate.views.tables import UNDEFINED, Row

# ----------------------------------------------------------------------
# The charts of a report that needs no JavaScript: the usual panels of the points that it holds, at
# the first base rate asked for.


MOST_DRAWN = len(PALETTE) - 1  # one colour a model
Curves = Mapping[str, Curve]
Chosen = Mapping[str, OperatingPoint]


def drawings(models: Mapping[str, Points], chosen: Chosen, at: Conditions) -> Iterator[Panel]:
    """ROC, B-ROC, precision, share flagged, gains and cost curve; what cannot be drawn of these
    cases is left out.
    """
    drawn = dict(list(models.items())[:MOST_DRAWN])
    points = {name: point for name, point in chosen.items() if name in drawn}
    marked = list(points.values())
    rare = any(point.at.prior is not None and point.at.prior < SMALL_PRIOR for point in marked)
    ways: tuple[Callable[[], Panel], ...] = (
        lambda: roc_panel(
            _curves(drawn, named.roc),
            points=points,
            iso_costs=[_one_cost(point) for point in marked[:1]],
            log=rare,
        ),
        lambda: curve_panel(_curves(drawn, named.broc, at), points=points),
        lambda: curve_panel(_curves(drawn, named.pr, at), points=points),
        lambda: curve_panel(_curves(drawn, named.posfrac_curve, at), points=points, log=rare),
        lambda: curve_panel(_curves(drawn, named.gain_curve, at), points=points),
        lambda: cost_panel(_curves(drawn, named.cost_curve)),
    )
    for way in ways:
        try:
            yield way()
        except InputError:  # one class only: most curves do not exist
            continue


def _one_cost(point: OperatingPoint) -> IsoCost:
    return iso_cost_line(point.at, fpr=point.fpr, tpr=point.tpr)


def _curves(
    models: Mapping[str, Points], curve: Callable[..., Curve], at: Conditions | None = None
) -> Curves:
    return {
        name: curve(points) if at is None else curve(points, at=at)
        for name, points in models.items()
    }


# ----------------------------------------------------------------------
# One file: a page with its style, its script and its data inside, and a policy that lets nothing
# else run or load.


# What could end a script element, begin a comment in it, or end a line of JavaScript, is written as
# JSON writes any sign.
ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data: blob:; base-uri"
    " 'none'; form-action 'none'"
)


class Bundle(NamedTuple):
    """The script and the style of the page."""

    script: str
    style: str


@cache
def bundle() -> Bundle:
    """As they were built from `frontend/`."""
    folder = files("baserate.reports") / "bundle"
    return Bundle(
        *((folder / name).read_text(encoding="utf-8") for name in ("report.js", "report.css"))
    )


def page(title: str, static: str, content: Mapping[str, Any]) -> str:
    """The whole file: what is seen without JavaScript, and the document that JavaScript reads."""
    parts = bundle()
    policy = POLICY.format(script=fingerprint(parts.script), style=fingerprint(parts.style))
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            (
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta'
                ' name="color-scheme" content="light dark">\n'
            ),
            f"<title>{escape(escaped(title))}</title>\n<style>{parts.style}</style>\n</head>\n<body>\n",
            f'<div id="static">\n{static}\n</div>\n<div id="app" aria-busy="true" hidden></div>\n',
            f'<script type="application/json" id="baserate-data">{island(content)}</script>\n',
            f"<script>{parts.script}</script>\n</body>\n</html>\n",
        )
    )


def island(content: Mapping[str, Any]) -> str:
    """The document as JSON in ASCII, without a sign that means something to HTML."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).translate(ESCAPES)


def fingerprint(text: str) -> str:
    """What a policy calls a text that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# ----------------------------------------------------------------------
# Text, tables and lists as plain HTML: everything escaped, and what users named kept apart from the
# direction of the text around it.


def written(text: str) -> str:
    """Text as text: no markup, nothing that turns the direction."""
    return escape(escaped(text), quote=True)


def block(text: str, caption: str = "", whole: Mapping[str, str] | None = None) -> str:
    """A page, a table or paragraphs, whichever it is; `whole` are the names that tables show
    shortened, to be read on hover.
    """
    if isinstance(text, Page):
        return "\n".join(block(part, whole=whole) for part in text.blocks)
    if isinstance(text, Grid):
        return grid(text, caption, whole or {})
    return "\n".join(f"<p>{written(line)}</p>" for line in text.split("\n") if line)


def grid(found: Grid, caption: str, whole: Mapping[str, str]) -> str:
    """A table whose first columns name its rows."""
    head = "".join(
        f'<th scope="col">{written(heading)}</th>' if heading else "<td></td>"
        for heading in found.headings
    )
    body = "".join(f"<tr>{''.join(_cells(row, found.left, whole))}</tr>" for row in found.rows)
    above = f"<caption>{written(caption)}</caption>" if caption else ""
    return (
        '<div class="scroll"'
        f' tabindex="0"><table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'  # noqa: E501
    )


def _cells(row: Sequence[str], left: int, whole: Mapping[str, str]) -> Iterator[str]:
    for place, text in enumerate(row):
        title = f' title="{written(whole[text])}"' if place < left and text in whole else ""
        # A heading without words names nothing.
        yield (
            f'<th scope="row"{title}><bdi>{written(text)}</bdi></th>'
            if place < left and text
            else f"<td>{written(text)}</td>"
        )


def items(lines: Iterable[str]) -> str:
    """A list; nothing where it is empty."""
    inside = "".join(f"<li>{written(line)}</li>" for line in lines)
    return f"<ul>{inside}</ul>" if inside else ""


def section(part: str, title: str, *inside: str) -> str:
    """A part of the page under its heading; nothing where it is empty."""
    content = "\n".join(filter(None, inside))
    return (
        f'<section data-part="{part}">\n<h2>{written(title)}</h2>\n{content}\n</section>'
        if content
        else ""
    )


def terms(definitions: Iterable[Mapping[str, str]]) -> str:
    """Words and what they mean."""
    return f"<dl>{''.join(map(_term, definitions))}</dl>"


def _term(one: Mapping[str, str]) -> str:
    source = f" <small>{written(one['sources'])}</small>" if one["sources"] else ""
    return f"<dt>{written(one['title'])}</dt><dd>{written(one['text'])}{source}</dd>"


# ----------------------------------------------------------------------
# The report without JavaScript: the answer in words first, then numbers, charts, and what to know
# of them.


# Of how many cases a report speaks where no volume was given: of as many as have so many positives
# among them.
FEWEST_POSITIVES, MOST_VOLUME = 10, 1e9
A_YEAR = {"day": 365, "week": 52, "month": 12, "year": 1}
# With fewer cases flagged a threshold is not chosen, but met by chance.
TOO_FEW = 5
# How many alerts are real is said as a percentage from one in ten on, in more digits near all.
ONE_IN, SURE = 0.1, 0.95
HOW = (
    "taking the thresholds as fixed in advance",
    "corrected for choosing the thresholds on these cases",
)
PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of the winner map


def body(contents: Contents, content: Mapping[str, Any], title: str, made_on: dt.date) -> str:
    """All of it."""
    found, said = content["report"], contents.sentences
    names = {
        short: name for name in contents.models if (short := quoted(name, quotes=False)) != name
    }
    first = 1 if contents.decision is None else 2  # how many sentences stand above everything
    headed, *lead = [*plainly(contents), *said[:first]]
    parts = (
        (
            f"<header>\n<h1><bdi>{written(title)}</bdi></h1>\n<p"
            f' class="answer">{written(headed)}</p>\n{"".join(map(block, lead))}\n'
            f'<p><time datetime="{made_on}">{written_date(made_on)}</time></p>\n</header>'
        ),
        section("answers", "The other answers", items(said[first:])),
        _outcomes(contents),
        section("shows", "What these cases can show, and what not", items(found["shows"])),
        section(
            "models",
            "Models",
            block(tables.of_models(contents.models, contents.aucs), whole=names),
        ),
        section("points", "Where to set them", *_points(contents, names)),
        section("charts", "Charts", _charts(contents)),
        section("slices", "Slices", *_slices(contents)),
        section(
            "decision", "Where base rate and costs are not known exactly", *_decision(contents)
        ),
        section("notes", "Notes", items(plain_notes(content["notes"]))),
        section("sources", "Sources", *_sources(contents)),
        section("definitions", "What the words mean", terms(found["definitions"])),
    )
    return "\n".join(filter(None, parts))


# What a note advises to type, at its end: no word for somebody who reads a report.
COMMANDS = re.compile(r"(?:\. Override: .*|(?<=held-out data): .*|: show --threshold .*)$")


def plain_notes(notes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Notes without codes and commands, each once."""
    texts = (COMMANDS.sub("", note["text"]) for note in notes)
    return list(dict.fromkeys(f"{text[0].upper()}{text[1:]}" for text in texts))


def written_date(day: dt.date) -> str:
    """A date as people write it: 19 November 2026."""
    return f"{day.day} {day:%B %Y}"


def plainly(contents: Contents) -> list[str]:
    """The first answer in its fewest words, and what it comes to in cases; nothing over ranges, and
    where nothing is known of the field.
    """
    choice = contents.first
    if contents.decision is not None or choice is None or choice.point.at.prior is None:
        return []
    found = [] if choice.point.counted is not None else [in_cases(choice, contents.volume)]
    return [headline(choice), *found]


def headline(choice: Choice) -> str:
    """Which model to use, and which scores to flag."""
    if choice.unbeaten is not None:
        return f"{choice.unbeaten.capitalize()}."
    names, point = _or(choice.models), choice.point
    flagged = point.confusion.tp + point.confusion.fp
    if point.threshold is not None and not isinstance(flagged, float) and flagged < TOO_FEW:
        seen = number_of(math.ceil(flagged), "case")
        return f"These cases cannot choose: {names} would rest on {seen} flagged here."
    if len(choice.models) > 1:
        return f"Use {names}."
    if point.share != 1:
        return f"Use {names}, {describe_setting(point)}."
    flags = (
        "flag nothing" if point.threshold is None else f"flag scores from {format_threshold(point)}"
    )
    return f"Use {names}, {flags}."


def _or(names: Iterable[str]) -> str:
    return " or ".join(quoted(name, quotes=False) for name in names)


def usual_volume(prior: float) -> float:
    """Of how many cases a report speaks where no volume is given: 1,000, or as many more as have
    ten positives among them.
    """
    volume = 1000.0
    while volume * prior < FEWEST_POSITIVES and volume < MOST_VOLUME:
        volume *= 10
    return volume


def often(value: float, period: str, noun: str = "") -> str:
    """A frequency below one per day as a number per longer period: "about 3 alerts a month"."""
    what = f" {noun}" if noun else ""
    for longer, times in A_YEAR.items():
        count = round(value * A_YEAR[period] / times)
        if times < A_YEAR[period] and count >= 1:
            many = f"one{what}" if count == 1 else f"{count}{what}{'s' if noun else ''}"
            return f"about {many} a {longer}"
    return f"less than one{what} a year"


def in_cases(choice: Choice, volume: float | None) -> str:
    """What is found in how many alerts, what the next model would find, and what errors cost: a
    day, or where no volume is given out of a round number of cases.
    """
    per = "" if volume is None else " a day"
    volume = volume or usual_volume(choice.point.at.prior or 1)
    point, name = choice.point, choice.point.optimized
    if choice.unbeaten is not None:
        base = choice.baselines[choice.unbeaten]
        sign = -1 if point.at.costs.earned else 1
        values = [tables.digits(sign * read(one, name) + 0.0, 4) for one in (base, point)]
        worth = f"{tables.heading(name, [base])} {values[0]}"
        return f"No model does better: {worth}, with {_or(choice.models[:1])} {values[1]}."

    def counted(one: OperatingPoint, measure: str) -> str:
        value = _of_volume(one, measure, volume)
        return tables.total(value) if measure == "volume_cost" else _cases(value)

    every = _of_volume(point, "caught", volume) + _of_volume(point, "missed", volume)
    positives = f"{_cases(every)} positive {'case' if _cases(every) == '1' else 'cases'}"
    who = "it" if len(choice.models) == 1 else _or(choice.models[:1])
    found = f"Of {positives}{per} {who} finds"
    caught, alerts = (_of_volume(point, name, volume) for name in ("caught", "alerts"))
    if point.threshold is None and point.share == 1:
        found += " none, as it flags nothing."
    elif per and 0 < caught < 1:
        many = often(alerts, "day", "alert") if alerts < 1 else f"{_cases(alerts)} alerts a day"
        found += f" {often(caught, 'day')} in {many}; {_are_real(point)}."
    else:
        span = in_words(_caught_span(point, volume))
        found += (
            f" {counted(point, 'caught')}{f' ({span})' if span else ''} in"
            f" {counted(point, 'alerts')} alerts; {_are_real(point)}."
        )
    return f"{found}{_next(choice, counted)}{_spent(choice, counted, per)}"


def _next(choice: Choice, counted: Callable[[OperatingPoint, str], str]) -> str:
    """What the next best model would find."""
    for name in ranked(choice)[1:2]:
        other = choice.points[name]
        return (
            f" {_or([name])} would find {counted(other, 'caught')} in {counted(other, 'alerts')}."
        )
    return ""


def _spent(choice: Choice, counted: Callable[[OperatingPoint, str], str], per: str) -> str:
    """What errors cost in all, beside the cheaper one of flagging nothing and everything; nothing
    without costs.
    """
    point, bases = choice.point, choice.baselines.items()
    base = min(bases, key=lambda one: one[1].expected_cost, default=None)
    if not point.at.costs_given or point.at.costs.earned or base is None:
        return ""
    name, cost = base[0].replace("flag", "flagging"), counted(base[1], "volume_cost")
    return f" Errors cost {counted(point, 'volume_cost')}{per}; {name} would cost {cost}."


def _caught_span(point: OperatingPoint, volume: float) -> str:
    """Between which bounds the number found lies; nothing where that is not known."""
    known = point.intervals.get("caught") if point.volume == volume else None
    rate = point.intervals.get("tpr")
    if known is None and rate is not None and point.at.prior is not None:
        cases = point.at.prior * volume
        known = replace(
            rate, value=rate.value * cases, low=rate.low * cases, high=rate.high * cases
        )
    return "" if known is None else tables.span(known, whole=True)


def in_words(span: str) -> str:
    """Bounds on one side as a sentence says them."""
    return span.replace("<=", "at most").replace(">=", "at least")


def _are_real(point: OperatingPoint) -> str:
    precision = point.precision
    if math.isnan(precision) or precision == 0:
        return "none is real"
    if precision > ONE_IN:
        return f"{100 * precision:{'.3g' if precision > SURE else '.0f'}} % are real"
    return f"1 in {grouped(round(1 / precision))} is real"


def _outcomes(contents: Contents) -> str:
    """The four outcomes in natural numbers, where the chosen model is set."""
    choice = contents.first
    if choice is None or choice.point.at.prior is None or choice.point.counted is not None:
        # nothing is known of the field, or not how many of the flagged cases without a label are
        # positive
        return ""
    volume = contents.volume or usual_volume(choice.point.at.prior)
    table, where = outcome_table(choice.point, volume), quoted(choice.model, quotes=False)
    middle = "" if contents.decision is None else f"{MIDDLE} "
    caption = (
        f"{middle}{where}, {describe_briefly(choice.point)}, at"
        f" {told(choice.point.at, by_cost=in_costs(choice.point.optimized))}"
    )
    return section("outcomes", f"Out of {grouped(round(volume))} cases", block(table, caption))


def outcome_table(point: OperatingPoint, volume: float) -> Grid:
    """The outcomes of a number of cases."""
    values = {
        name: _of_volume(point, name, volume)
        for name in ("caught", "false_alarms", "alerts", "missed")
    }
    passed = volume - values["alerts"]
    clear = passed - values["missed"]
    positives, negatives = values["caught"] + values["missed"], values["false_alarms"] + clear
    rows = (
        ("flagged", values["caught"], values["false_alarms"], values["alerts"]),
        ("not flagged", values["missed"], clear, passed),
        ("total", positives, negatives, volume),
    )
    return Grid(
        ("", "positive", "negative", "total"),
        [(name, *map(_cases, numbers)) for name, *numbers in rows],
    )


def _of_volume(point: OperatingPoint, name: str, volume: float) -> float:
    return (
        read(point, name)
        if point.volume == volume
        else float(measure(point.confusion, name, at=point.at, volume=volume))
    )


def _cases(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return tables.cases(value)


def _points(contents: Contents, names: Mapping[str, str]) -> Iterator[str]:
    """For every rule a table of all models at all base rates, and their intervals."""
    for one in contents.asked:
        made = [
            (answer.at, {} if answer.choice is None else answer.choice.points)
            for answer in one.answers
        ]
        rows = [Row(name, at, points.get(name)) for at, points in made for name in contents.models]
        rows = tables.with_baselines(rows, one.answers)
        there = [row.point for row in rows if row.point is not None]
        if there:
            yield block(tables.heading_of_points(there))
            yield block(tables.of_points(rows), whole=names)
            choices_made = [answer.choice for answer in one.answers if answer.choice is not None]
            yield block(tables.of_leads(choices_made))
            corrected = is_corrected(there)
            several = tables.not_for_models(choices_made) if corrected else ""
            yield block(
                tables.of_intervals(rows, f"{HOW[corrected]}{several}"),
                whole=names,
            )


def _charts(contents: Contents) -> str:
    order = [*contents.chosen, *(name for name in contents.models if name not in contents.chosen)][
        :MOST_DRAWN
    ]
    # In the order of the models, so that each has its colour also in the live page.
    drawn = {name: points for name, points in contents.points.items() if name in order}
    panels = [panel.svg() for panel in drawings(drawn, contents.chosen, contents.at[0])]
    if not panels:
        return ""
    left_out = len(contents.models) - MOST_DRAWN
    more = (
        block(f"The {MOST_DRAWN} best models; {left_out} more are in the tables.")
        if left_out > 0
        else ""
    )
    return (
        f"{more}<div"
        f' class="charts">{"".join(f"<figure>{panel}</figure>" for panel in panels)}</div>'
    )


SLICED_AS_FIXED = (
    "The thresholds were chosen on these same cases. Here they are treated as fixed in advance, so"
    " these intervals and bounds are optimistic."
)


def _slices(contents: Contents) -> Iterator[str]:
    if any(one.found.chosen for one in contents.slices):
        yield block(SLICED_AS_FIXED)
    for one in contents.slices:
        yield (
            f"<h3>{written(quoted(one.model, quotes=False))} by"
            f" {written(quoted(one.column, quotes=False))}</h3>"
        )
        yield block(segment_tables.describe_slices(one.found))
        yield from map(block, segment_tables.tabulate_slices(one.found, alerts=False))


def _decision(contents: Contents) -> Iterator[str]:
    if contents.decision is None:
        return
    yield block(choices.decided(contents.decision.decision))
    yield from map(block, choices.tabulate_recommendation(contents.decision))
    if contents.decision.map is not None and contents.decision.map.wins:
        drawing = winner_map_panel(contents.decision.map, priors=PRIORS, cost_ratios=RATIOS).svg()
        yield f'<div class="charts"><figure data-part="map">{drawing}</figure></div>'


def _sources(contents: Contents) -> Iterator[str]:
    for source in contents.sources:
        yield block(tables.source(replace(source, path=source.name)))
        yield block(f"SHA-256 {source.sha256}") if source.sha256 else ""


# ----------------------------------------------------------------------
# `Report`: a document, and the file in which a person reads it.


UNTITLED = "Which model, at which threshold"


@dataclass(frozen=True, eq=False)
class Report:
    """A report: an HTML page for a person, and a JSON document for a program.

    `document` is what `--json` gives; `html` the whole file as text; `save` writes it, at once or
    not at all.
    """

    document: Mapping[str, Any] = field(repr=False)
    contents: Contents = field(repr=False)

    @property
    def title(self) -> str:
        """The title that was given, or the name of the file that was read."""
        names = {PurePath(source.name).name for source in self.contents.sources}
        return self.document["report"]["title"] or (names.pop() if len(names) == 1 else UNTITLED)

    @property
    def sentences(self) -> Sequence[str]:
        """The answers in words; where conditions are uncertain, what to do under all of them comes
        first.
        """
        return self.contents.sentences

    @cached_property
    def html(self) -> str:
        # The points of the models are those of the answers: they are not written twice.
        models = [{**one, "points": []} for one in self.document["models"]]
        today = dt.datetime.now(dt.UTC).date()
        static = body(self.contents, self.document, self.title, today)
        window = f"{self.title} · {written_date(today)}"
        return page(window, static, {**self.document, "models": models})

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the file; one that is there already is replaced only with `force`."""
        with reserve_output(os.fspath(path), force=force) as check:
            content = self.html.encode()
            check()
            write_atomically(path, [content])

    def __repr__(self) -> str:
        return f"Report: {self.sentences[0]}"

    def _repr_html_(self) -> str:
        rows = [(str(place), text) for place, text in enumerate(self.sentences, 1)]
        return html_table(self.title, ("", "answer"), rows)


# ----------------------------------------------------------------------
# `report`: everything that a person asks of a few models, in one file.


ALONE, GROUP = "model", "group"


@verb
def report(  # noqa: PLR0913 (each is a question of its own)
    models: Counts | JointCounts | GroupedCounts | Mapping[str, Any],
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    rule: str | Sequence[str] | None = None,
    volume: float | None = None,
    budget: float | None = None,
    slices: Mapping[str, Any] | None = None,
    title: str | None = None,
    level: float = 0.95,
) -> Report:
    """Which model, at which threshold, in one file that opens offline?

    Each rule is answered at each of the conditions, exactly; `budget` is the number of alerts that
    can be looked at out of `volume` cases, and without rule and budget the cheapest threshold is
    chosen. Several conditions (`at=[…]`, `prior=[…]`) are answered one by one; those that are not
    known exactly add the choice with the least regret. Models that were counted together
    (`JointCounts`) are also tested against each other.
    `slices` are `GroupedCounts` of each model by column; models that are `GroupedCounts` themselves
    are sliced too. In the file base rate, costs, threshold and volume can be moved.

    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
    >>> br.report({"a": counts}, at=br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50)))
    Report: Use a at score ≥ 0.6, the cheapest threshold. At a base rate of 1%, costs (fp = 1, fn = 50), its cost per case is 0.1490.
    """  # noqa: E501
    at = one_or_several(at, prior, costs)
    counted, groups = _counted(models)
    together = models if isinstance(models, JointCounts) else counted
    if title is not None and not isinstance(title, str):
        raise refuse(
            "BR532", f"a title is text, got {type(title).__name__}", 'title="Fraud, November"'
        )
    level, volume, conditions = checked_level(level), checked_volume(volume), _conditions(at)
    for one in conditions:
        refuse_estimate(one, "the report, in which the base rate can be moved,")
    rules = _rules(rule, budget, volume)
    by_column = checked_slices(
        slices if slices is not None else {GROUP: groups} if groups else {}, list(counted)
    )
    names, asked, notes = best_of(together, rules, conditions, volume, level)
    shown = {name: counted[name] for name in names}
    settings = settings_of(shown, (answer for one in asked for answer in one.answers))
    found = sliced(by_column, settings, conditions[0], level)
    same = models.only(tuple(shown)) if isinstance(models, JointCounts) else None
    decision = (
        recommend(shown, rules[0], at, together=same, volume=volume, level=level)
        if isinstance(at, Uncertain)
        else None
    )
    contents = Contents(
        title,
        shown,
        drawn_points(shown, settings),
        asked,
        conditions,
        level,
        auc_intervals(shown, IntervalOptions(level)),
        notes,
        found,
        decision,
        answered_nearby(same or shown, asked[0], level) if decision is None else (),
    )
    return Report(of_contents(contents), contents)


def _counted(models: Any) -> tuple[dict[str, Counts], dict[str, GroupedCounts]]:
    """Counts of each model, by its name, and those that are counted by group."""
    if isinstance(models, Counts | GroupedCounts):
        models = {ALONE: models}
    if isinstance(models, JointCounts):
        models = {name: models.marginal(name) for name in models.models}
    if not isinstance(models, Mapping) or not models:
        raise refuse(
            "BR429", "a report needs the counts of each model by name", 'report({"logit": counts})'
        )
    for name, counts in models.items():
        if not isinstance(name, str) or not isinstance(counts, Counts | GroupedCounts):
            text = (
                f"a report is made of counts by name, got {type(counts).__name__} as {quoted(name)}"
            )
            raise refuse("BR429", text, 'report({"logit": count(y, score)})')
    groups = {name: counts for name, counts in models.items() if isinstance(counts, GroupedCounts)}
    return {
        name: counts.total() if isinstance(counts, GroupedCounts) else counts
        for name, counts in models.items()
    }, groups


def _conditions(at: Any) -> list[Conditions]:
    if isinstance(at, Uncertain):
        return [at.middle()]
    several = list(at) if isinstance(at, Sequence) else [at]
    return [checked_conditions(one) for one in several] or [Conditions()]


def _rules(
    rule: str | Sequence[str] | None, budget: float | None, volume: float | None
) -> list[str | None]:
    """The rules that were given, and the budget as one; the cheapest threshold where there is
    neither.
    """
    rules: list[str | None] = [rule] if isinstance(rule, str) else list(rule or ())
    if budget is not None:
        if volume is None:
            raise refuse(
                "BR520",
                "a budget is a number of alerts out of a volume of cases",
                "volume=1_000_000 beside it",
            )
        if (
            isinstance(budget, bool)
            or not isinstance(budget, int | float)
            or not 0 <= budget <= volume
        ):
            raise refuse(
                "BR520",
                f"a budget is a number of alerts, got {quoted(budget)}",
                "budget=200 out of the volume",
            )
        rules.append(f"alerts <= {budget!r}")
    return rules or [None]
