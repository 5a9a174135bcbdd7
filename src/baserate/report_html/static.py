"""The report without JavaScript: the answer in words first, then numbers, charts, and what to know of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from baserate import breakdowns, judgements, recommendations, tables
from baserate.conditions import told
from baserate.decisions.operating import OperatingPoint, brief
from baserate.document import read
from baserate.errors import grouped, quoted
from baserate.measures.confusions import measure
from baserate.measures.values import in_costs
from baserate.notes import Source
from baserate.pages import Grid
from baserate.plots.cost_figures import winner_map_panel
from baserate.report_html.charts import MOST_DRAWN, drawings
from baserate.report_html.contents import MIDDLE, Contents
from baserate.report_html.limits import is_corrected
from baserate.report_html.markup import block, items, section, terms, written
from baserate.tables import UNDEFINED, Row

# Of so many cases where no volume was given: even at a base rate of 1e-5 there are some positives among them.
USUAL_VOLUME = 1_000_000
HOW = ("taking the thresholds as fixed in advance", "corrected for choosing the thresholds on these cases")
PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of the winner map


def body(contents: Contents, content: Mapping[str, Any], title: str) -> str:
    """All of it."""
    found, said = content["report"], contents.sentences
    names = {short: name for name in contents.models if (short := quoted(name, quotes=False)) != name}
    notes = [f"{note['code']}: {note['text']}" for note in content["notes"]]
    first = 1 if contents.decision is None else 2  # how many sentences stand above everything
    lead = "".join(f"\n{block(text)}" for text in said[1:first])
    parts = (
        f'<header>\n<h1><bdi>{written(title)}</bdi></h1>\n<p class="answer">{written(said[0])}</p>{lead}\n</header>',
        section("answers", "The other answers", items(said[first:])),
        _outcomes(contents),
        section("shows", "What these cases can show, and what not", items(found["shows"])),
        section("models", "Models", block(tables.of_models(contents.models, contents.known), whole=names)),
        section("points", "Where to set them", *_points(contents, names)),
        section("charts", "Charts", _charts(contents)),
        section("slices", "Slices", *_slices(contents)),
        section("decision", "Where base rate and costs are not known exactly", *_decision(contents)),
        section("notes", "Notes", items(notes)),
        section("sources", "Sources", *_sources(contents)),
        section("definitions", "What the words mean", terms(found["definitions"])),
    )
    return "\n".join(filter(None, parts))


def _outcomes(contents: Contents) -> str:
    """The four outcomes in natural numbers, where the chosen model is set."""
    choice = contents.first
    if choice is None or choice.point.at.prior is None or choice.point.counted is not None:
        return ""  # nothing is known of the field, or not how many of the flagged cases without a label are positive
    volume = contents.volume or USUAL_VOLUME
    table, where = outcome_table(choice.point, volume), quoted(choice.model, quotes=False)
    middle = "" if contents.decision is None else f"{MIDDLE} "
    caption = f"{middle}{where}, {brief(choice.point)}, at {told(choice.point.at, by_cost=in_costs(choice.point.optimized))}"
    return section("outcomes", f"Out of {grouped(round(volume))} cases", block(table, caption))


def outcome_table(point: OperatingPoint, volume: float) -> Grid:
    """What becomes of so many cases."""
    values = {name: _of_volume(point, name, volume) for name in ("caught", "false_alarms", "alerts", "missed")}
    passed = volume - values["alerts"]
    clear = passed - values["missed"]
    positives, negatives = values["caught"] + values["missed"], values["false_alarms"] + clear
    rows = (
        ("flagged", values["caught"], values["false_alarms"], values["alerts"]),
        ("not flagged", values["missed"], clear, passed),
        ("together", positives, negatives, volume),
    )
    return Grid(("", "positive", "negative", "together"), [(name, *map(_cases, numbers)) for name, *numbers in rows])


def _of_volume(point: OperatingPoint, name: str, volume: float) -> float:
    return read(point, name) if point.volume == volume else float(measure(name, point.confusion, at=point.at, volume=volume))


def _cases(value: float) -> str:
    if math.isnan(value):
        return UNDEFINED
    return tables.cases(value)


def _points(contents: Contents, names: Mapping[str, str]) -> Iterator[str]:
    """For every rule a table of all models at all base rates, and their intervals."""
    for one in contents.asked:
        made = [(answer.at, {} if answer.choice is None else answer.choice.points) for answer in one.answers]
        rows = [Row(name, at, points.get(name)) for at, points in made for name in contents.models]
        rows = tables.with_baselines(rows, one.answers)
        there = [row.point for row in rows if row.point is not None]
        if there:
            yield block(tables.headed(there))
            yield block(tables.of_points(rows), whole=names)
            yield block(tables.of_leads([answer.choice for answer in one.answers if answer.choice is not None]))
            yield block(judgements.of_intervals(rows, contents.known, HOW[is_corrected(there, contents.known)]), whole=names)


def _charts(contents: Contents) -> str:
    ranked = [*contents.chosen, *(name for name in contents.models if name not in contents.chosen)][:MOST_DRAWN]
    # In the order of the models, so that each has its colour also in the live page.
    drawn = {name: points for name, points in contents.points.items() if name in ranked}
    panels = [panel.svg() for panel in drawings(drawn, contents.chosen, contents.at[0])]
    if not panels:
        return ""
    left_out = len(contents.models) - MOST_DRAWN
    more = block(f"The {MOST_DRAWN} best models; {left_out} more are in the tables.") if left_out > 0 else ""
    return f'{more}<div class="charts">{"".join(f"<figure>{panel}</figure>" for panel in panels)}</div>'


def _slices(contents: Contents) -> Iterator[str]:
    for one in contents.slices:
        yield f"<h3>{written(quoted(one.model, quotes=False))} by {written(quoted(one.column, quotes=False))}</h3>"
        yield block(breakdowns.of_slices(one.found, alerts=False))


def _decision(contents: Contents) -> Iterator[str]:
    if contents.decision is None:
        return
    yield from (block(part) for part in recommendations.in_words(contents.decision))
    if contents.decision.map is not None and contents.decision.map.wins:
        drawing = winner_map_panel(contents.decision.map, priors=PRIORS, cost_ratios=RATIOS).svg()
        yield f'<div class="charts"><figure data-part="map">{drawing}</figure></div>'


def _sources(contents: Contents) -> Iterator[str]:
    sources: dict[Source, None] = dict.fromkeys(source for counts in contents.models.values() for source in counts.ledger.sources)
    for source in sources:
        yield block(tables.source(replace(source, path=source.name)))
        yield block(f"SHA-256 {source.sha256}") if source.sha256 else ""
