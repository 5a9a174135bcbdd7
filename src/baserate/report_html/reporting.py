"""`report`: everything that a person asks of a few models, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.errors import quoted, refuse
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.measures.confusions import checked_conditions, checked_volume
from baserate.recommendations import recommend
from baserate.report_html.answers import answered, best_of, known_of, settings_of
from baserate.report_html.contents import SEED, Contents, of_contents
from baserate.report_html.held import held_points
from baserate.report_html.parts import checked_slices, sliced
from baserate.report_html.values import Report
from baserate.uncertain import Uncertain
from baserate.uncertainty.field import refuse_estimate
from baserate.uncertainty.values import checked_level

ALONE, GROUP = "model", "group"


def report(  # noqa: PLR0913 (each is a question of its own)
    models: Counts | JointCounts | GroupedCounts | Mapping[str, Counts | GroupedCounts],
    *,
    at: Conditions | Uncertain | Sequence[Conditions] | None = None,
    rule: str | Sequence[str] | None = None,
    volume: float | None = None,
    budget: float | None = None,
    slices: Mapping[str, Any] | None = None,
    title: str | None = None,
    level: float = 0.95,
) -> Report:
    """Which model, at which threshold, in one file that opens offline?

    Each rule is answered at each of the conditions, exactly; `budget` is the number of alerts that can be looked at out of `volume` cases, and
    without rule and budget the cheapest threshold is chosen. Conditions that are `Uncertain` add the decision under all of them, as `decide`
    makes it. Models that were counted together (`count_models`) are also tested against each other. `slices` are `GroupedCounts` of each
    model by column; models that are `GroupedCounts` themselves are sliced too. In the file base rate, costs, threshold and volume can be moved.

    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
    >>> br.report({"a": counts}, at=br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50)))
    Report: At 1 in 100, costs (fp = 1, fn = 50), the cheapest threshold: score >= 0.6.
    """
    counted, groups = _counted(models)
    together = models if isinstance(models, JointCounts) else counted
    if title is not None and not isinstance(title, str):
        raise refuse("BR864", f"a title is text, got {type(title).__name__}", 'title="Fraud, November"')
    level, volume, conditions = checked_level(level), checked_volume(volume), _conditions(at)
    for one in conditions:
        refuse_estimate(one, "the report, in which the base rate can be moved,")
    rules = _rules(rule, budget, volume)
    by_column = checked_slices(slices if slices is not None else {GROUP: groups} if groups else {}, list(counted))
    shown, asked, notes = best_of(counted, *answered(together, rules, conditions, volume), rules=rules, at=conditions)
    settings = settings_of(shown, asked)
    found = sliced(by_column, settings, conditions[0], level)
    decision = recommend(shown, rules[0], at, volume=volume) if isinstance(at, Uncertain) else None
    points, known = held_points(shown, settings), known_of(shown, settings, level, SEED)
    contents = Contents(title, shown, points, asked, conditions, known, [*notes, *known.notes], found, decision)
    return Report(of_contents(contents), contents)


def _counted(models: Any) -> tuple[dict[str, Counts], dict[str, GroupedCounts]]:
    """Counts of each model, by its name, and those that are counted by group."""
    if isinstance(models, Counts | GroupedCounts):
        models = {ALONE: models}
    if isinstance(models, JointCounts):
        models = {name: models.marginal(name) for name in models.models}
    if not isinstance(models, Mapping) or not models:
        raise refuse("BR860", "a report needs the counts of each model by name", 'report({"logit": counts})')
    for name, counts in models.items():
        if not isinstance(name, str) or not isinstance(counts, Counts | GroupedCounts):
            text = f"a report is made of counts by name, got {type(counts).__name__} as {quoted(name)}"
            raise refuse("BR860", text, 'report({"logit": count(y, score)})')
    groups = {name: counts for name, counts in models.items() if isinstance(counts, GroupedCounts)}
    return {name: counts.total() if isinstance(counts, GroupedCounts) else counts for name, counts in models.items()}, groups


def _conditions(at: Any) -> list[Conditions]:
    if isinstance(at, Uncertain):
        return [at.middle()]
    several = list(at) if isinstance(at, Sequence) else [at]
    return [checked_conditions(one) for one in several] or [Conditions()]


def _rules(rule: str | Sequence[str] | None, budget: float | None, volume: float | None) -> list[str | None]:
    """The rules that were given, and the budget as one; the cheapest threshold where there is neither."""
    rules: list[str | None] = [rule] if isinstance(rule, str) else list(rule or ())
    if budget is not None:
        if volume is None:
            raise refuse("BR861", "a budget is a number of alerts out of a volume of cases", "volume=1_000_000 beside it")
        if isinstance(budget, bool) or not isinstance(budget, int | float) or not 0 <= budget <= volume:
            raise refuse("BR861", f"a budget is a number of alerts, got {quoted(budget)}", "budget=200 out of the volume")
        rules.append(f"alerts <= {budget!r}")
    return rules or [None]
