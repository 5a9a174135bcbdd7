"""`baserate choose`: which model, at which threshold; with `--amount`, where every case has its own
amount.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import click

from baserate import notation
from baserate.atomic import Grid
from baserate.cli import options
from baserate.cli.options import listed
from baserate.cli.request import Request, at_probability, check_unused, each_model
from baserate.cli.runner import Result, command
from baserate.cli.terminal import Progress
from baserate.counts.amounts import Amounts
from baserate.counts.counts import Counts
from baserate.counts.joint import JointCounts
from baserate.decisions.amount_costs import CAUGHT, AmountChoice, AmountPoint
from baserate.decisions.operating_point import brief, setting
from baserate.decisions.selection import Answer, Choice, made_by, settings_of
from baserate.errors import escaped, number_of, quoted, refuse
from baserate.inference.amount_intervals import NAMES, amount_intervals, choose_amount_model
from baserate.inference.best_model import choices
from baserate.inference.intervals import (
    IntervalOptions,
    auc_intervals,
    completed,
    with_points,
)
from baserate.inference.paired import same_scores
from baserate.inference.values import percent
from baserate.measures.measure import Measure, parse
from baserate.notes import Note
from baserate.output import comparisons, document, tables
from baserate.output.tables import UNDEFINED, Row, digits, span
from baserate.read.files import amounts_from


@dataclass(frozen=True)
class ChooseOptions:
    """What is asked of a choice."""

    rule: str | None
    named_rule: str | None
    optimize: str | None
    guarantee: str | None
    threshold_probability: str | None
    mix: bool
    calibrated_at: str | None
    amount: str | None
    review: str | None
    recovered: str | None
    amount_missing: str | None
    currency: str | None

    @property
    def one_rule(self) -> str | None:
        """The rule, wherever it stands."""
        if self.rule is not None and self.named_rule is not None:
            raise refuse("BR533", "two rules are given", 'join them by "and"')
        return self.rule if self.named_rule is None else self.named_rule

    def check_amount(self, weight: str | None) -> None:
        """What goes with amounts is refused without them, and what does not is refused beside
        them.
        """
        if self.amount is None:
            for name in ("review", "recovered", "amount_missing", "currency"):
                if getattr(self, name) is not None:
                    text = f"--{name.replace('_', '-')} says nothing without --amount"
                    raise refuse("BR001", text, "--amount COLUMN")
            return
        beside = {
            "--weight": weight,
            "--optimize": self.optimize,
            "--guarantee": self.guarantee,
            "--mix": self.mix,
            "--calibrated-at": self.calibrated_at,
        }
        option = next((name for name, value in beside.items() if value), None)
        if option is not None:
            text = (
                f"{option} says nothing beside --amount: the cost by amounts is made lowest, and"
                " every case counts once"
            )
            raise refuse("BR001", text, f"leave {option} or --amount out")

    @property
    def prices(self) -> dict[str, Any]:
        """What a review costs and what is recovered, as numbers."""
        found: dict[str, Any] = {
            "review": None if self.review is None else _number("--review", self.review, 150)
        }
        if self.recovered is not None:
            written = notation.share(self.recovered)
            found["recovered"] = self.recovered if written is None else written.value
        return found

    def best(self, cases: float | None) -> Measure | None:
        """What to make best; net benefit at the threshold probability that is given."""
        if self.optimize is None:
            check_unused(
                {"--threshold-probability": self.threshold_probability},
                "without --optimize net_benefit",
            )
            return None
        return at_probability(parse(self.optimize, cases), self.threshold_probability)


def _number(option: str, text: str, example: float) -> Any:
    value = notation.number(notation.without_thousands(text.strip()))
    if value is None:
        raise refuse(
            "BR514",
            f"{option} takes a plain number, got {quoted(text)}",
            f"{option} {example:g} (no currency)",
        )
    return value


@command("choose")
@options.file()
@options.of_any_size
@click.argument("rule", required=False)
@click.option(
    "--rule", "named_rule", metavar="RULE", help="The rule, if it does not stand behind the file."
)
@options.conditions
@listed("prior_from")
@click.option(
    "--optimize",
    metavar="MEASURE",
    help="What to optimize among the thresholds that satisfy the rule, instead of the cost.",
)
@click.option(
    "--guarantee",
    metavar="REQUIREMENT",
    help=(
        "Choose among the thresholds at which this holds in the field with the confidence of"
        ' --level: "recall >= 0.9".'
    ),
)
@listed("threshold_probability")
@listed("mix", help="Also try mixtures of two thresholds on the ROC hull.")
@listed("calibrated_at", "amount")
@listed("review", help="What reviewing one flagged case costs, with --amount.")
@click.option(
    "--recovered",
    metavar="SHARE",
    help="The share of a caught amount that is not lost after all (all of it unless said).",
)
@listed("amount_missing", "currency")
@options.intervals_of_chosen
@options.answer
def choose_command(request: Request, **given: Any) -> Result:
    """Choose the model and its cheapest threshold, or the best one that keeps a RULE.

    A rule joins terms by "and": any measure, >= or <=, a number or a percentage; "alerts <= 200" is
    a budget and needs --volume.

    \b
    Examples:
      baserate choose scores.csv --label fraud --score logit --prior "1 in 1000" --cost fn=100,fp=1
      baserate choose scores.csv "recall >= 0.8 and posfrac <= 1%" --label fraud --score logit
      baserate choose scores.csv "alerts <= 200" --label fraud --score logit --score forest --prior 0.1% --volume 1000000
      baserate choose scores.csv --label fraud --score logit --guarantee "recall >= 0.9" --prior 0.1%
      baserate choose scores.csv --label fraud --score logit --amount eur --review 150
    """  # noqa: E501
    asked = ChooseOptions(**given)
    asked.check_amount(request.source.weight)
    request, rule = request.estimated(), asked.one_rule
    at, cases = request.conditions.exact(), request.conditions.cases
    if asked.amount is not None:
        return _by_amounts(request, asked)
    together = request.source.together()
    how: dict[str, Any] = {
        "volume": cases,
        "optimize": asked.best(cases),
        "mix": asked.mix,
        "calibrated_at": asked.calibrated_at,
        "guarantee": asked.guarantee,
    }
    check_unused(
        {"--replicates": asked.guarantee and request.intervals.replicates},
        "beside --guarantee, whose threshold is not chosen again",
    )
    with Progress("resampling") as progress:
        how |= {
            "level": request.intervals.level,
            "replicates": request.intervals.replicates or None,
            "seed": request.intervals.seed,
            "progress": progress,
        }
        answers, refusals = choices(together, rule, at, **how)
    if request.source.is_limited and asked.optimize is None:
        answers = _untested(answers, _comparison(request, rule))
    return _result(request, together, answers, refusals)


def _result(
    request: Request,
    together: JointCounts | dict[str, Counts],
    answers: list[Answer[Choice]],
    refusals: Sequence[Note],
) -> Result:
    """The choices with their intervals."""
    models, how = each_model(together), request.intervals
    with Progress("resampling") as progress:
        found = completed(models, settings_of(models, answers), how, progress)
    found = request.in_field(found)
    answers = with_points(answers, found.points, how)
    # Columns that are the same; counts of each model alone do not say.
    same = same_scores(together, together.models) if isinstance(together, JointCounts) else ()
    notes = [*refusals, *document.notes_of(models, found.points), *found.notes, *same]

    def content() -> dict[str, Any]:
        at, aucs = request.conditions.exact(), auc_intervals(models, how)
        made = [answer.choice for answer in answers if answer.choice is not None]
        verdict = [
            {**document.of_choice(choice), **comparisons.of_leads(choice)} for choice in made
        ]
        parts: dict[str, Any] = {"aucs": aucs, "seed": how.seed, "verdict": verdict}
        return document.of_models("choose", models, found.points, at, notes, **parts)

    taken = comparisons.thresholds_taken(
        chosen=True, corrected=found.corrected, resamples=how.resamples
    )
    return Result(notes, content, lambda: _text(answers, list(models), taken))


def _text(answers: list[Answer[Choice]], models: list[str], how: str) -> Iterator[str]:
    """A sentence for each base rate, then a table, and one of intervals."""
    sentences = [
        (
            tables.verdict(answer.choice, alone=len(models) == 1)
            if answer.choice
            else f"At {answer.at}: no model can satisfy the rule."
        )
        for answer in answers
    ]
    rows = [
        Row(name, answer.at, answer.choice.points.get(name) if answer.choice else None)
        for answer in answers
        for name in models
    ]
    rows = tables.with_baselines(rows, answers)
    theories = [
        line for answer in answers if answer.choice for line in tables.theories(answer.choice)
    ]
    leads = tables.of_leads([answer.choice for answer in answers if answer.choice])
    yield "\n".join(sentences)
    yield tables.of_points(rows)
    yield leads
    yield comparisons.of_intervals(rows, how)
    yield from theories


def _untested(answers: list[Answer[Choice]], command: str) -> list[Answer[Choice]]:
    """Why nothing was tested under a ceiling on memory, and what to do."""
    text = (
        "with --memory each model is counted alone; to test it, with all cases in memory:"
        f" {command}"
    )
    return [
        (
            answer
            if answer.choice is None or not answer.choice.untested
            else answer._replace(choice=replace(answer.choice, untested=text))
        )
        for answer in answers
    ]


def _comparison(request: Request, rule: str | None) -> str:
    """The whole command that tests the difference."""
    source, given = request.source, request.conditions
    words = [
        ("--label", source.label),
        *(("--score", name) for name in source.scores),
        ("--positive", source.positive),
        ("--rule", rule),
        *(("--prior", prior) for prior in given.priors),
        *(("--cost", text) for text in given.costs),
        *(("--profit", text) for text in given.profits),
        ("--volume", given.volume),
    ]
    named = [word for option, text in words if text is not None for word in (option, text)]
    return shlex.join(["baserate", "compare", source.path, *named])


# ----------------------------------------------------------------------
# `baserate choose --amount`: every case has its own amount.


SHOWN = ("alerts", "amount_caught", "amount_missed", "cost", "expected_cost")
HEADINGS = {
    "alerts": "alerts",
    "amount_caught": "amount caught",
    "amount_missed": "amount missed",
    "cost": "cost",
    "expected_cost": "cost per case",
}


def _by_amounts(request: Request, asked: ChooseOptions) -> Result:
    """Count and choose by amounts."""
    at, source, how = request.conditions.exact(), request.source, request.intervals
    wanted = source.wanted(amount=asked.amount, currency=asked.currency)
    prices = asked.prices
    with source.reading():
        models = amounts_from(source.path, wanted, source.options, asked.amount_missing)
    answers, refusals = made_by(
        choose_amount_model,
        models,
        asked.one_rule,
        at,
        volume=request.conditions.cases,
        level=how.level,
        **prices,
    )
    if how.replicates:
        answers = _with_amount_intervals(answers, models, how)
    made = [answer.choice for answer in answers if answer.choice is not None]
    settings = {
        name: [choice.points[name] for choice in made if name in choice.points] for name in models
    }
    notes = document.merged([*refusals, *_notes(models, settings)])

    def content() -> dict[str, Any]:
        counts = {name: amounts.counts for name, amounts in models.items()}
        parts: dict[str, Any] = {"seed": how.seed, "verdict": [_verdict(choice) for choice in made]}
        aucs = auc_intervals(counts, how)
        whole = document.of_models("choose", counts, {}, at, notes, aucs=aucs, **parts)
        for part in whole["models"]:
            name = part["name"]
            part["amounts"] = {**_totals(models[name]), "points": [*map(_point, settings[name])]}
        return whole

    return Result(notes, content, lambda: _amounts_text(answers, list(models), how))


def _totals(amounts: Amounts) -> dict[str, Any]:
    return {
        "positive": document.number(amounts.total_positive_amount),
        "negative": document.number(amounts.total_negative_amount),
        "decimals": amounts.decimals,
        "digest": amounts.digest,
    }


def _with_amount_intervals(
    answers: Sequence[Answer[AmountChoice]], models: Mapping[str, Amounts], how: IntervalOptions
) -> list[Answer[AmountChoice]]:
    """The answers, every chosen point with its intervals."""
    with Progress("resampling") as progress:
        asked: dict[str, Any] = {**asdict(how), "progress": progress}

        def resampled(choice: AmountChoice) -> AmountChoice:
            points = {
                name: replace(point, intervals=amount_intervals(point, models[name], **asked))
                for name, point in choice.points.items()
            }
            return replace(choice, points=points)

        return [
            answer._replace(choice=answer.choice and resampled(answer.choice)) for answer in answers
        ]


def _notes(
    models: Mapping[str, Amounts], settings: Mapping[str, Sequence[AmountPoint]]
) -> list[Note]:
    """Every note once; one that not all models share is said of its model."""
    seen: dict[Note, dict[str, None]] = {}
    for name, amounts in models.items():
        points = settings[name]
        resampled = [one for point in points for one in point.intervals.values()]
        for noted in (amounts, *points, *resampled):
            for note in noted.notes:
                seen.setdefault(note, {})[name] = None
    return [
        (
            note
            if len(names) == len(models)
            else Note(note.code, f"{', '.join(map(quoted, names))}: {note.text}", note.override)
        )
        for note, names in seen.items()
    ]


def _verdict(choice: AmountChoice) -> dict[str, Any]:
    point = choice.point
    name = point.point.optimized
    return {
        "at": document.conditions(point.at),
        "rule": point.point.rule or None,
        "optimized": name,
        "models": list(choice.models),
        "values": {
            model: document.number(getattr(one, name)) for model, one in choice.points.items()
        },
        "refused": {model: error.problems[0].text for model, error in choice.refused.items()},
        **comparisons.of_tested(choice),
        "baseline_untested": choice.baseline_untested,
    }


def _point(point: AmountPoint) -> dict[str, Any]:
    """A point and its sums, as bare numbers."""
    where, average = point.point, point.by_average
    more = document.share_of(where)
    if point.caught_best is not None and point.caught_worst is not None:
        more |= {"caught_best": point.caught_best, "caught_worst": point.caught_worst}
    return {
        "rule": where.rule or None,
        "optimized": where.optimized or None,
        "how": where.how,
        "at": {"prior": document.number(point.at.prior), "as_in_sample": point.at.as_in_sample},
        "threshold": document.threshold(point.threshold),
        **more,
        **document.outcomes(where.confusion),
        "review": None if where.optimized == CAUGHT else float(point.prices.review),
        "recovered": float(point.prices.recovered),
        "cases": document.whole(point.cases),
        **{name: document.number(getattr(point, name)) for name in (*NAMES, "amount_false_alarms")},
        "nothing": document.number(point.nothing),
        "everything": document.number(point.everything),
        "by_average": None if average is None else _point(average),
        "intervals": {name: document.of_interval(each) for name, each in point.intervals.items()},
    }


def _amounts_text(
    answers: Sequence[Answer[AmountChoice]], models: Sequence[str], surety: IntervalOptions
) -> list[str]:
    """A sentence or two for each base rate, then a table, and one of intervals."""
    sentences = [line for answer in answers for line in _sentences(answer, alone=len(models) == 1)]
    rows = [
        (answer, name, answer.choice.points.get(name) if answer.choice else None)
        for answer in answers
        for name in models
    ]
    table = _table(rows, len(answers) > 1, lambda point, name: _money(getattr(point, name)))
    said = [
        "No intervals: no formula knows how amounts are spread. --replicates 2000 resamples them."
    ]
    if surety.replicates:
        how = f"choosing the thresholds again on each of {surety.replicates} resamples"
        said = [
            f"{percent(surety.level)} intervals, {how}:",
            _table(rows, len(answers) > 1, lambda point, name: span(point.intervals[name])),
        ]
    made = [answer.choice for answer in answers if answer.choice is not None]
    return ["\n".join(sentences), table, *said, *filter(None, [tables.of_leads(made)])]


def _sentences(answer: Answer[AmountChoice], *, alone: bool) -> list[str]:
    choice = answer.choice
    if choice is None:
        return [f"At {answer.at}: no model can satisfy the rule."]
    point = choice.point
    by_amount = point.point.optimized == CAUGHT
    review = f"a review at {_money(float(point.prices.review))} and a miss at its amount"
    best = "the largest amount caught" if by_amount else f"{review}, the cheapest threshold"
    sample = ", as in the sample" if point.at.as_in_sample else ""
    rule = f" with {escaped(point.point.rule)}" if point.point.rule else ""
    where = setting(point.point)
    if not alone:
        names = " or ".join(quoted(name, quotes=False) for name in choice.models)
        where = f"choose {names}{f', {where}' if len(choice.models) == 1 else ''}"
    cost = "" if by_amount else f"cost {_money(point.cost)}, "
    sums = f"{cost}caught {_money(point.amount_caught)}, missed {_money(point.amount_missed)}"
    said = f"{sums}, of {number_of(point.cases, 'case')}"
    found = tables.lead_in_words(choice)
    lines = [f"At prior {point.at.prior:.6g}{sample}, {best}{rule}: {where} ({said}){found}."]
    if point.by_average is not None:
        lines.append(_compared(point, point.by_average))
    return lines


def _compared(point: AmountPoint, average: AmountPoint) -> str:
    """What the average amount would have chosen, and what that truly costs."""
    trivial = (
        f"Flagging nothing costs {_money(point.nothing)}, everything {_money(point.everything)};"
        " neither difference was tested."
    )
    if average.sums == point.sums:
        return f"With every miss at the average amount, the same. {trivial}"
    other = f"{setting(average.point)}, which truly costs {_money(average.cost)}"
    return f"With every miss at the average amount, one would choose: {other}. {trivial}"


Rows = Sequence[tuple[Answer[AmountChoice], str, AmountPoint | None]]


def _table(rows: Rows, several: bool, cell: Callable[[AmountPoint, str], str]) -> str:
    free = all(point is None or point.point.optimized == CAUGHT for _, _, point in rows)
    names = [
        name for name in SHOWN if not free or "cost" not in name
    ]  # nobody said what a review costs
    lines = []
    for answer, model, point in rows:
        prior = answer.at.prior if point is None else point.at.prior
        first = (UNDEFINED if prior is None else f"{prior:.6g}",) if several else ()
        cells = ["cannot satisfy the rule", *(UNDEFINED for _ in names)]
        if point is not None:
            cells = [brief(point.point), *(cell(point, name) for name in names)]
        lines.append((*first, quoted(model, quotes=False), *cells))
    headings = (
        *(("prior",) if several else ()),
        "model",
        "threshold",
        *(HEADINGS[name] for name in names),
    )
    return Grid(headings, lines, left=2 if several else 1)


def _money(value: float) -> str:
    """To the cent, with thousands apart; small sums to four digits."""
    if value and abs(value) < 1:
        return digits(value, 4)
    return f"{value:,.2f}".replace(",", " ").removesuffix(".00")
