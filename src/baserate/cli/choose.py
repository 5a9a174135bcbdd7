"""`baserate choose`: which model, at which threshold; with `--amount`, where every case has its own
amount.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import click

from baserate import notation
from baserate.atomic import Grid
from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.prior import in_field, with_prior_from
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions
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
from baserate.read.table import Wanted

# ----------------------------------------------------------------------
# `baserate choose --amount`: which model, at which threshold, where every case has its own amount.


SHOWN = ("alerts", "amount_caught", "amount_missed", "cost", "expected_cost")
HEADINGS = {
    "alerts": "alerts",
    "amount_caught": "amount caught",
    "amount_missed": "amount missed",
    "cost": "cost",
    "expected_cost": "cost per case",
}


class Money(NamedTuple):
    """What was said of amounts; None and nothing where it was not."""

    amount: str | None = None
    review: str | None = None
    recovered: str | None = None
    amount_missing: str | None = None
    currency: str | None = None

    def wanted(
        self,
        given: options.Given,
        label: str | None,
        scores: tuple[str, ...],
        positive: str | None,
        design: str,
    ) -> Wanted:
        """The columns to read."""
        return options.wanted(
            given,
            label,
            scores,
            positive=positive,
            amount=self.amount,
            currency=self.currency,
            design=design,
        )

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


def _number(option: str, text: str, example: float) -> Any:
    value = notation.number(notation.without_thousands(text.strip()))
    if value is None:
        raise refuse(
            "BR514",
            f"{option} takes a plain number, got {quoted(text)}",
            f"{option} {example:g} (no currency)",
        )
    return value


class Question(NamedTuple):
    """The rule, the conditions and the volume."""

    rule: str | None
    at: Sequence[Conditions]
    volume: float | None


def said(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of amounts, which reach the command in one piece."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        money = Money(**{name: named.pop(name) for name in Money._fields})
        alone = [name for name in Money._fields[1:] if getattr(money, name) is not None]
        if money.amount is None and alone:
            raise refuse(
                "BR001",
                f"--{alone[0].replace('_', '-')} says nothing without --amount",
                "--amount COLUMN",
            )
        return command(*arguments, money=money, **named)

    for name, metavar, text in reversed(
        (
            (
                "--amount",
                "COLUMN",
                "What each case is worth: a miss costs its amount, an alert a review.",
            ),
            ("--review", "NUMBER", "What reviewing one flagged case costs, with --amount."),
            (
                "--recovered",
                "SHARE",
                "The share of a caught amount that is not lost after all (all of it unless said).",
            ),
            (
                "--amount-missing",
                "mean",
                "mean: where an amount is missing, take the mean of its class, and say so.",
            ),
            ("--currency", "COLUMN", "The currency of each amount: more than one is refused."),
        )
    ):
        run = click.option(name, metavar=metavar, help=text)(run)
    return run


def check_unused(given: Mapping[str, object]) -> None:
    """Nothing that was said is ignored in silence."""
    for name, value in given.items():
        if value:
            text = (
                f"{name} says nothing beside --amount: the cost by amounts is made lowest, and"
                " every case counts once"
            )
            raise refuse("BR001", text, f"leave {name} or --amount out")


def choose_by_amounts(
    given: options.Given,
    wanted: Wanted,
    money: Money,
    question: Question,
    surety: IntervalOptions,
    *,
    as_json: bool,
) -> None:
    """Count, choose, and tell."""
    prices = money.prices
    with options.reading(given.path):
        models = amounts_from(given.path, wanted, given.options, money.amount_missing)
    answers, refusals = made_by(
        choose_amount_model,
        models,
        question.rule,
        question.at,
        volume=question.volume,
        level=surety.level,
        **prices,
    )
    if surety.replicates:
        answers = _with_amount_intervals(answers, models, surety)
    made = [answer.choice for answer in answers if answer.choice is not None]
    settings = {
        name: [choice.points[name] for choice in made if name in choice.points] for name in models
    }
    notes = document.merged([*refusals, *_notes(models, settings)])
    if as_json:
        click.echo(document.text(_document(models, settings, made, question.at, (notes, surety))))
    else:
        _tell_amounts(answers, list(models), surety)
    say(notes)


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


def _document(
    models: Mapping[str, Amounts],
    settings: Mapping[str, Sequence[AmountPoint]],
    made: Sequence[AmountChoice],
    at: Sequence[Conditions],
    beside: tuple[Sequence[Note], IntervalOptions],
) -> dict[str, Any]:
    notes, how = beside
    counts = {name: amounts.counts for name, amounts in models.items()}
    parts: dict[str, Any] = {"seed": how.seed, "verdict": [_verdict(choice) for choice in made]}
    aucs = auc_intervals(counts, how)
    content = document.of_models("choose", counts, {}, at, notes, aucs=aucs, **parts)
    for part in content["models"]:
        amounts = models[part["name"]]
        part["amounts"] = {
            "positive": document.number(amounts.total_positive_amount),
            "negative": document.number(amounts.total_negative_amount),
            "decimals": amounts.decimals,
            "digest": amounts.digest,
            "points": [_point(point) for point in settings[part["name"]]],
        }
    return content


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


def _tell_amounts(
    answers: Sequence[Answer[AmountChoice]], models: Sequence[str], surety: IntervalOptions
) -> None:
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
    tell("\n".join(sentences), table, *said, *filter(None, [tables.of_leads(made)]))


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


# ----------------------------------------------------------------------
# `baserate choose`: which model, at which threshold.


@click.command(name="choose", cls=Sectioned)
@options.source_of_any_size
@click.argument("rule", required=False)
@click.option(
    "--rule", "named_rule", metavar="RULE", help="The rule, if it does not stand behind the file."
)
@options.conditions
@options.prior_from
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
@options.threshold_probability
@click.option("--mix", is_flag=True, help="Also try mixtures of two thresholds on the ROC hull.")
@options.calibrated_at
@said
@options.intervals
@options.as_json
@with_prior_from
def choose_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    rule: str | None,
    named_rule: str | None,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    optimize: str | None,
    guarantee: str | None,
    threshold_probability: str | None,
    mix: bool,
    calibrated_at: str | None,
    money: Money,
    level: str,
    replicates: int | None,
    seed: int,
    as_json: bool,
) -> None:
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
    asked_rule, surety = (
        _one_rule(rule, named_rule),
        IntervalOptions(options.level_of(level), replicates, seed),
    )
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    if money.amount is not None:
        beside = {
            "--weight": weight,
            "--optimize": optimize,
            "--guarantee": guarantee,
            "--mix": mix,
            "--calibrated-at": calibrated_at,
        }
        check_unused(beside)
        wanted, question = (
            money.wanted(path, label, scores, positive, design),
            Question(asked_rule, at, cases),
        )
        return choose_by_amounts(path, wanted, money, question, surety, as_json=as_json)
    together = options.counted_together(path, label, scores, positive, weight, design)
    best = _optimized(optimize, threshold_probability, cases)
    asked = {
        "volume": cases,
        "optimize": best,
        "mix": mix,
        "calibrated_at": calibrated_at,
        "guarantee": guarantee,
    }
    options.check_unused(
        {"--replicates": guarantee and replicates},
        "beside --guarantee, whose threshold is not chosen again",
    )
    answers, refusals = _answered(together, asked_rule, at, asked, surety)
    if path.options.ceiling.memory is not None and optimize is None:
        answers = _untested(
            answers,
            _comparison(
                path.path, label, scores, positive, (asked_rule, priors, costs, profits, volume)
            ),
        )
    read = {
        "path": path,
        "label": label,
        "positive": positive,
        "design": design,
        "priors": priors,
        "replicates": replicates,
    }
    return _present(together, at, answers, refusals, surety, read, as_json=as_json)


def _present(
    together: JointCounts | dict[str, Counts],
    at: list[Conditions],
    answers: list[Answer[Choice]],
    refusals: Sequence[Note],
    surety: IntervalOptions,
    read: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """The choices with their intervals on stdout, as JSON or for a person; then the notes, on
    stderr.
    """
    models = options.each_model(together)
    with Progress("resampling") as progress:
        found = completed(models, settings_of(models, answers), surety, progress)
    found = in_field(found, read, surety)
    answers = with_points(answers, found.points, surety)
    notes = [
        *refusals,
        *document.notes_of(models, found.points),
        *found.notes,
        *_same_scores(together),
    ]
    if as_json:
        verdict = [
            {**document.of_choice(answer.choice), **comparisons.of_leads(answer.choice)}
            for answer in answers
            if answer.choice is not None
        ]
        parts: dict[str, Any] = {"seed": surety.seed, "verdict": verdict}
        aucs = auc_intervals(models, surety)
        click.echo(
            document.text(
                document.of_models("choose", models, found.points, at, notes, aucs=aucs, **parts)
            )
        )
    else:
        how = comparisons.thresholds_taken(
            chosen=True, corrected=found.corrected, resamples=surety.resamples
        )
        _tell(answers, list(models), how)
    say(notes)


def _same_scores(models: JointCounts | dict[str, Counts]) -> tuple[Note, ...]:
    """Columns that are the same; counts of each model alone do not say."""
    return same_scores(models, models.models) if isinstance(models, JointCounts) else ()


def _optimized(
    optimize: str | None, threshold_probability: str | None, cases: float | None
) -> Measure | None:
    """What to make best; net benefit at the threshold probability that is given."""
    best = (
        None
        if optimize is None
        else options.at_probability(parse(optimize, cases), threshold_probability)
    )
    options.check_unused(
        {"--threshold-probability": threshold_probability if best is None else None},
        "without --optimize net_benefit",
    )
    return best


def _one_rule(rule: str | None, named_rule: str | None) -> str | None:
    if rule is not None and named_rule is not None:
        raise refuse("BR533", "two rules are given", 'join them by "and"')
    return rule if named_rule is None else named_rule


def _answered(
    models: JointCounts | dict[str, Counts],
    rule: str | None,
    at: list[Conditions],
    asked: dict[str, Any],
    surety: IntervalOptions,
) -> tuple[list[Answer[Choice]], list[Note]]:
    """The choice at each base rate, with the test of its lead; resampled where that is asked
    for.
    """
    with Progress("resampling") as progress:
        told = {
            "level": surety.level,
            "replicates": surety.replicates or None,
            "seed": surety.seed,
            "progress": progress,
        }
        return choices(models, rule, at, **asked, **told)


def _tell(answers: list[Answer[Choice]], models: list[str], how: str) -> None:
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
    tell(
        "\n".join(sentences),
        tables.of_points(rows),
        leads,
        comparisons.of_intervals(rows, how),
        *theories,
    )


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


def _comparison(
    path: str,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    asked: tuple[Any, ...],
) -> str:
    """The whole command that tests the difference."""
    rule, priors, costs, profits, volume = asked
    given = [
        ("--label", label),
        *(("--score", name) for name in scores),
        ("--positive", positive),
        ("--rule", rule),
    ]
    given += (
        [("--prior", str(prior)) for prior in priors]
        + [("--cost", text) for text in costs]
        + [("--profit", text) for text in profits]
    )
    words = [
        word for pair in (*given, ("--volume", volume)) if pair[1] is not None for word in pair
    ]
    return shlex.join(["baserate", "compare", path, *words])
