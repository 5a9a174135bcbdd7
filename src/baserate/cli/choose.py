"""`baserate choose`: which model, at which threshold; with `--amount`, where every case has its own
amount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import click

from baserate import notation
from baserate.atomic import Grid
from baserate.cli import options
from baserate.cli.runner import (
    CEILING,
    ConditionOptions,
    Request,
    Result,
    check_unused,
    command,
    each_model,
    measures_of,
    parsed_measure,
    refuse_given,
)
from baserate.cli.terminal import Progress
from baserate.counts.amounts import Amounts
from baserate.counts.counts import Counts, JointCounts, same_scores
from baserate.decisions.amount_costs import CAUGHT, AmountChoice, AmountPoint
from baserate.decisions.selection import Answer, settings_of
from baserate.errors import QUIET, Note, escaped, number_of, quoted, refuse
from baserate.inference.choose_again import AMOUNT_SUMS
from baserate.inference.intervals import (
    IntervalOptions,
    auc_intervals,
)
from baserate.measures.confusion import Measure, parse
from baserate.read.amounts import count_amounts
from baserate.read.files import read_cases
from baserate.results.choice import Choice, best_of_several
from baserate.results.notes import merge_notes, notes_by_model
from baserate.results.operating_point import OperatingPoint, describe_briefly, describe_setting
from baserate.results.values import is_corrected, percent
from baserate.verbs.choices import (
    choose_amounts_at_each,
    choose_at_each,
    evaluate_amounts_on,
    evaluate_choice_on,
)
from baserate.views import comparisons, document, tables


@dataclass(frozen=True)
class ChooseOptions:
    """The question that `choose` answers."""

    rule: str | None
    measures: tuple[str, ...]
    test: str | None
    optimize: str | None
    guarantee: str | None
    group: str | None
    all_priors: bool
    amount: str | None
    review: str | None
    recovered: str | None
    amount_missing: str | None
    currency: str | None

    def check_amount(self, weight: str | None) -> None:
        """What goes with amounts is refused without them, and what does not is refused beside
        them.
        """
        if self.amount is None:
            needy = {
                "--review": self.review is not None,
                "--recovered": self.recovered is not None,
                "--amount-missing": self.amount_missing is not None,
                "--currency": self.currency is not None,
            }
            refuse_given(needy, "needs --amount", "--amount COLUMN", "BR001")
            return
        beside = {
            "--weight": weight,
            "--optimize": self.optimize,
            "--guarantee": self.guarantee,
            "--measure": self.measures,
        }
        why = (
            "has no effect with --amount: the cost by amounts is made lowest, and every case"
            " counts once"
        )
        refuse_given(beside, why, "leave {} or --amount out", "BR001")

    def check_alone(self, request: Request, why: str) -> None:
        """Refuse what goes with exact conditions only."""
        why = f"cannot be combined with {why}"
        instead = "show the test data at the chosen --threshold"
        refuse_given({"--test": self.test}, why, instead, "BR594")
        unused = {
            "--optimize": self.optimize if not self.all_priors else None,
            "--guarantee": self.guarantee,
            "--amount": self.amount,
            "--measure": self.measures,
            "--memory": request.source.is_limited,
        }
        refuse_given(unused, why, "leave {} out", "BR594")

    @property
    def prices(self) -> dict[str, Any]:
        """What a review costs and what is recovered, as numbers."""
        found: dict[str, Any] = {"review": None if self.review is None else _price(self.review)}
        if self.recovered is not None:
            written = notation.parse_share(self.recovered)
            found["recovered"] = self.recovered if written is None else written.value
        return found

    def best(self, given: ConditionOptions) -> Measure | None:
        """What to make best."""
        return None if self.optimize is None else parsed_measure(self.optimize, given)


def _price(text: str) -> Fraction:
    value = notation.parse_number(notation.without_thousands(text.strip()))
    if value is None:
        raise refuse(
            "BR514",
            f"--review takes a plain number, got {quoted(text)}",
            "--review 150 (no currency)",
        )
    return value


@command("choose")
@options.file()
@options.of_any_size
@options.behind_file
@options.listed("rule", "budget_rule")
@click.option(
    "--test",
    metavar="FILE",
    help=(
        "Held-out data: choose on the first file, and evaluate there, with the same columns and"
        " fixed thresholds."
    ),
)
@options.conditions
@options.listed("prior_from", "pilot", "kind")
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
@options.listed("measures")
@options.listed("all_priors")
@options.listed("group", help="One threshold for all sites: the rule must hold at each of them.")
@options.listed("amount")
@options.listed("review", help="Cost of reviewing one flagged case, with --amount.")
@click.option(
    "--recovered",
    metavar="SHARE",
    help="Share of a caught amount that is recovered (default: all).",
)
@options.listed("amount_missing", "currency")
@options.intervals_of_chosen
@options.listed(
    "svg",
    help="Also draw the ROC with the chosen points into this SVG file; over a range, the winner"
    " map.",
)
@options.answer
def choose_command(request: Request, **given: Any) -> Result:
    """Choose the model and its cheapest threshold, or the best one that satisfies a RULE.

    A rule joins terms by "and": any measure, >= or <=, a number or a percentage; "alerts <= 200" is
    a budget and needs --volume. Base rate and costs may be ranges (0.05%..0.3%, fn=100..1000),
    log-uniform, or from a pilot sample: the setting with the lowest regret (its cost above the
    best possible cost) is then chosen; --replicates also shows where models do not differ
    significantly.

    \b
    Examples:
      baserate choose scores.csv --label fraud --score logit --prior "1 in 1000" --cost fn=100,fp=1
      baserate choose dev.csv --test test.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=1
      baserate choose scores.csv "recall >= 0.8 and posfrac <= 1%" --label fraud --score logit
      baserate choose scores.csv "alerts <= 200" --label fraud --score logit --score forest --prior 0.1% --volume 1000000
      baserate choose scores.csv --label fraud --score logit --guarantee "recall >= 0.9" --prior 0.1%
      baserate choose scores.csv --label fraud --score logit --amount eur --review 150
      baserate choose scores.csv --label fraud --score logit --score forest --prior 1e-5..1e-3 --cost fn=100..1000,fp=1
      baserate choose scores.csv "recall >= 0.8" --label sick --score m1 --by hospital --pilot 12/5000 --cost fn=50,fp=1
      baserate choose scores.csv "fdr <= 50%" --label attack --score ids1 --score ids2 --optimize tpr --all-priors
    """  # noqa: E501
    asked = ChooseOptions(**given)
    asked.check_amount(request.source.weight)
    uncertain = request.conditions.is_uncertain or request.conditions.kind is not None
    if asked.all_priors or asked.group is not None or uncertain:
        return _over_range(request, asked)
    request, test = _with_test(request, asked.test)
    request, rule = request.estimated(), asked.rule
    at, cases = request.conditions.exact(), request.conditions.cases
    if asked.amount is not None:
        return _by_amounts(request, asked, test)
    together = request.source.together()
    best = asked.best(request.conditions)
    check_unused(
        {"--replicates": asked.guarantee and request.intervals.replicates},
        "beside --guarantee, whose threshold is not chosen again",
    )
    names = measures_of(asked.measures, request.conditions)
    with Progress("resampling") as progress:
        answers, refusals = choose_at_each(
            together,
            rule,
            at,
            volume=cases,
            optimize=best,
            guarantee=asked.guarantee,
            measures=names,
            progress=progress,
            **interval_keywords(request.intervals),
        )
    answers = [_in_field(request, answer) for answer in _untested(request, answers)]
    return _result(request, together, answers, refusals, test, names)


def _in_field(request: Request, answer: Answer[Choice]) -> Answer[Choice]:
    """The answer with intervals that include the error of an estimated base rate."""
    if answer.choice is None or request.conditions.learned is None:
        return answer
    points = answer.choice.points
    found = dict(zip(points, request.in_field(list(points.items())), strict=True))
    return answer._replace(choice=replace(answer.choice, points=found))


def interval_keywords(how: IntervalOptions) -> dict[str, Any]:
    """Return how intervals are requested, as keywords of the verbs."""
    intervals = "fixed" if how.replicates == 0 else "default"
    return {
        "level": how.level,
        "replicates": how.replicates or None,
        "seed": how.seed,
        "intervals": intervals,
    }


def _over_range(request: Request, asked: ChooseOptions) -> Result:
    """The choice where base rate and costs are not known exactly, or at every site."""
    from baserate.cli import ranges

    if not asked.all_priors:
        why = "a range of base rates or costs" if asked.group is None else "--by"
        asked.check_alone(request, why)
        return ranges.decided(request, asked.rule, asked.group)
    asked.check_alone(request, "--all-priors")
    given = request.conditions
    beside = {
        "--by": asked.group,
        "--cost": given.costs,
        "--profit": given.profits,
        "--volume": given.volume,
        "--pilot": given.pilot,
        "--replicates": request.intervals.replicates,
        "--svg": request.output.svg,
    }
    check_unused(beside, "with --all-priors")
    if asked.optimize is None or parse(asked.optimize).name != "tpr":
        raise refuse("BR594", "--all-priors compares the recall", "--optimize tpr")
    return ranges.best_recalls(request, asked.rule)


def _with_test(request: Request, path: str | None) -> tuple[Request, Request | None]:
    """The request, and the same of the test data where they are given."""
    if path is None:
        return request, None
    if request.conditions.prior_from is not None:
        raise refuse(
            "BR594",
            "--test needs a given base rate: the error of an estimated one is known on the"
            " labelled cases alone",
            "--prior instead of --prior-from",
        )
    first, test = request.source.and_test(path)
    return replace(request, source=first), replace(request, source=test)


def _result(
    request: Request,
    together: JointCounts | dict[str, Counts],
    answers: list[Answer[Choice]],
    refusals: Sequence[Note],
    test: Request | None,
    names: tuple[str, ...],
) -> Result:
    """The choices with their intervals, and what they do on the test data."""
    models, how = each_model(together), request.intervals
    points = settings_of(models, answers)
    corrected = is_corrected(point for several in points.values() for point in several)
    # Columns that are the same; counts of each model alone do not say.
    same = same_scores(together, together.models) if isinstance(together, JointCounts) else ()
    made = [answer.choice for answer in answers if answer.choice]
    several = [note for choice in made for note in best_of_several(choice)]
    beside = [note for choice in made for one in choice.differences for note in one.notes]
    notes = [*refusals, *document.notes_of(models, points)]
    notes += dict.fromkeys((*same, *several, *beside))
    tested = None if test is None else _on_test(test, answers)
    notes = notes if tested is None else _beside_test(notes, tested.notes)

    def content() -> dict[str, Any]:
        at, aucs = request.conditions.exact(), auc_intervals(models, how)
        parts: dict[str, Any] = {"aucs": aucs, "seed": how.seed, "verdict": _verdicts(answers)}
        if tested is not None:
            parts["test"] = tested.content(at, how)
        return document.of_models("choose", models, points, at, notes, **parts)

    taken = tables.thresholds_taken(
        chosen=True, corrected=corrected, resamples=how.resamples, among=made
    )

    def text() -> Iterator[str]:
        if tested is not None:
            return _text_on_test(answers, tested, names)
        return _text(answers, list(models), taken, names, _how_to_test(request, answers))

    return Result(notes, content, text, drawing=lambda: _drawn(models, answers))


def _drawn(models: Mapping[str, Counts], answers: Sequence[Answer[Choice]]) -> str:
    """The ROC of every model, and the chosen points on it."""
    from baserate.curves.named import roc
    from baserate.plots.figures import roc_panel

    points = {
        f"{name}, {describe_briefly(point)}": point
        for answer in answers
        if answer.choice is not None
        for name, point in answer.choice.points.items()
    }
    return roc_panel({name: roc(counts) for name, counts in models.items()}, points=points).svg()


def _verdicts(answers: Sequence[Answer[Choice]]) -> list[dict[str, Any]]:
    return [
        {**document.of_choice(answer.choice), **comparisons.of_leads(answer.choice)}
        for answer in answers
        if answer.choice is not None
    ]


@dataclass(frozen=True)
class Tested:
    """The chosen models on the test data, at the thresholds that were chosen."""

    models: dict[str, Counts]
    answers: list[Answer[Choice]]
    notes: list[Note]
    hint: str

    def content(self, at: Sequence[Any], how: IntervalOptions) -> dict[str, Any]:
        """The same parts as those of the answer itself."""
        points = settings_of(self.models, self.answers)
        aucs = auc_intervals(self.models, how)
        whole = document.of_models("choose", self.models, points, at, self.notes, aucs=aucs)
        return {
            "sources": whole["sources"],
            "models": whole["models"],
            "verdict": _verdicts(self.answers),
        }


def _on_test(request: Request, answers: Sequence[Answer[Choice]]) -> Tested:
    """Count the test data, and read there what was chosen."""
    together, how = request.source.together(), request.intervals
    names = {name for answer in answers if answer.choice for name in answer.choice.points}
    there = [
        answer._replace(
            choice=answer.choice and evaluate_choice_on(answer.choice, together, how=how)
        )
        for answer in answers
    ]
    models = {name: counts for name, counts in each_model(together).items() if name in names}
    notes = document.notes_of(models, settings_of(models, there))
    hint = _how_to_test(request, there, on_test=True)
    return Tested(models, _untested(request, there), notes, hint)


def _beside_test(notes: Sequence[Note], tested: Sequence[Note]) -> list[Note]:
    """The notes on both files, without those on data that are the same; what holds of the test
    data alone says so. On label shift and the scale of the scores one note is enough.
    """
    kept = [note for note in notes if note.code not in ("BR528", "BR638", "BR657")]
    once = {note.code for note in kept} & {"BR526", *QUIET}
    return kept + [
        Note(note.code, f"test data: {note.text}", note.override)
        for note in tested
        if note not in kept and note.code not in once
    ]


def _text_on_test(
    answers: list[Answer[Choice]], tested: Tested, shown: Sequence[str]
) -> Iterator[str]:
    """A sentence for each base rate and the tables of the test data; then what was seen where it
    was chosen.
    """
    names = list(tested.models)
    pairs = list(zip(answers, tested.answers, strict=True))
    yield "\n".join(
        tables.verdict_on_test(there.choice, here.choice)
        if there.choice and here.choice
        else f"At {here.at}: no model can satisfy the rule."
        for here, there in pairs
    )
    rows, seen = (
        tables.with_baselines(tables.rows(each, names), each) for each in (tested.answers, answers)
    )
    cuts = {row[:2]: row.point for row in rows}
    seen = [row._replace(point=_shown_as(row.point, cuts.get(row[:2]))) for row in seen]
    yield tested.hint
    yield "On the test data:"
    yield tables.of_points(rows, shown)
    yield tables.of_leads([answer.choice for answer in tested.answers if answer.choice])
    yield tables.of_intervals(rows, "at these thresholds, fixed in advance", shown)
    yield "On the data it was chosen on:"
    yield tables.of_points(seen, shown)


def _shown_as(here: OperatingPoint | None, there: OperatingPoint | None) -> OperatingPoint | None:
    """The point with the digits that its threshold has on the test data: one number for both."""
    if here is None or there is None:
        return here
    return replace(here, below=there.below, lower_below=there.lower_below)


def _text(
    answers: list[Answer[Choice]], models: list[str], how: str, shown: Sequence[str], hint: str
) -> Iterator[str]:
    """A sentence for each base rate, then a table, and one of intervals."""
    sentences = [
        (
            tables.verdict(answer.choice, alone=len(models) == 1, counts=True)
            if answer.choice
            else f"At {answer.at}: no model can satisfy the rule."
        )
        for answer in answers
    ]
    rows = tables.with_baselines(tables.rows(answers, models), answers)
    made = [answer.choice for answer in answers if answer.choice]
    leads = tables.of_leads(made, resampling=True)
    yield "\n".join(sentences)
    yield hint
    yield tables.of_points(rows, shown)
    yield leads
    yield tables.of_intervals(rows, how, shown)


def _untested(request: Request, answers: Sequence[Answer[Choice]]) -> list[Answer[Choice]]:
    """The answers, with the reason why nothing was tested under a ceiling on memory."""
    text = "with --memory each model is counted alone"
    limited = request.source.is_limited
    return [
        (
            answer
            if answer.choice is None or not answer.choice.untested or not limited
            else answer._replace(choice=replace(answer.choice, untested=text))
        )
        for answer in answers
    ]


def _how_to_test(
    request: Request, answers: Sequence[Answer[Choice]], *, on_test: bool = False
) -> str:
    """The whole command that tests a difference that was not tested under a ceiling on memory: of
    the same choice, or of the thresholds that are fixed on test data.
    """
    made = [answer.choice for answer in answers if answer.choice and answer.choice.untested]
    if not request.source.is_limited or not made:
        return ""
    changes: dict[str, Any] = {"statistic": made[0].point.objective}
    if on_test:
        points = made[0].points.items()
        cuts = {name: repr(point.threshold).replace("None", "none") for name, point in points}
        fixed = tuple(f"{name}={cut}" for name, cut in cuts.items())
        changes |= {"path": (request.source.path,), "rule": None, "thresholds": fixed}
    elif request.given.get("optimize") is not None:  # compare makes the cost lowest
        return ""
    found = request.command("compare", *CEILING, **changes)
    return f"To test this difference, with all cases in memory:\n{found}"


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


def _amounts(request: Request, asked: ChooseOptions) -> Any:
    """The amounts of every model in the file."""
    source = request.source
    wanted = source.wanted(amount=asked.amount, currency=asked.currency)
    with source.reading():
        cases = read_cases(source.path, wanted, source.options)
        return count_amounts(cases, asked.amount_missing)


def _by_amounts(request: Request, asked: ChooseOptions, test: Request | None) -> Result:
    """Count and choose by amounts."""
    at, how = request.conditions.exact(), request.intervals
    prices, models = asked.prices, _amounts(request, asked)
    with Progress("resampling") as progress:
        answers, refusals = choose_amounts_at_each(
            models,
            asked.rule,
            at,
            volume=request.conditions.cases,
            progress=progress,
            **interval_keywords(how),
            **prices,
        )
    found = _amounts_known(models, answers, refusals)
    tested = None if test is None else _amounts_on_test(test, asked, found.answers)
    notes = found.notes if tested is None else _beside_test(found.notes, tested.notes)

    def content() -> dict[str, Any]:
        parts: dict[str, Any] = {"seed": how.seed}
        if tested is not None:
            whole = _amounts_content(tested, at, how)
            parts["test"] = {name: whole[name] for name in ("sources", "models", "verdict")}
        return _amounts_content(replace(found, notes=notes), at, how, **parts)

    def text() -> list[str]:
        if tested is None:
            return _amounts_text(found.answers, list(models), how)
        return _amounts_text_on_test(found.answers, tested, how)

    return Result(notes, content, text)


@dataclass(frozen=True)
class AmountsKnown:
    """The chosen models by their amounts, on the data of choice or on the test data."""

    models: Mapping[str, Amounts]
    answers: Sequence[Answer[AmountChoice]]
    notes: Sequence[Note]

    @property
    def made(self) -> list[AmountChoice]:
        """The choices at all base rates at which one could be made."""
        return [answer.choice for answer in self.answers if answer.choice is not None]


def _amounts_known(
    models: Mapping[str, Amounts],
    answers: Sequence[Answer[AmountChoice]],
    refusals: Sequence[Note] = (),
) -> AmountsKnown:
    """The answers, and every note once."""
    found, said = AmountsKnown(models, answers, ()), dict[str, list[Note]]()
    for name, amounts in models.items():
        points = [choice.points[name] for choice in found.made if name in choice.points]
        resampled = [one for point in points for one in point.intervals.values()]
        noted = (amounts, *points, *resampled)
        said[name] = [note for one in noted for note in one.notes]
    return replace(found, notes=merge_notes([*refusals, *notes_by_model(said)]))


def _amounts_content(
    found: AmountsKnown, at: Sequence[Any], how: IntervalOptions, **parts: Any
) -> dict[str, Any]:
    counts = {name: amounts.counts for name, amounts in found.models.items()}
    parts["verdict"] = [_verdict(choice) for choice in found.made]
    aucs = auc_intervals(counts, how)
    whole = document.of_models("choose", counts, {}, at, found.notes, aucs=aucs, **parts)
    for part in whole["models"]:
        name = part["name"]
        amounts = found.models[name]
        part["amounts"] = {
            "positive": document.number(amounts.total_positive_amount),
            "negative": document.number(amounts.total_negative_amount),
            "decimals": amounts.decimals,
            "digest": amounts.digest,
            "points": [_point(one.points[name]) for one in found.made if name in one.points],
        }
    return whole


def _amounts_on_test(
    request: Request, asked: ChooseOptions, answers: Sequence[Answer[AmountChoice]]
) -> AmountsKnown:
    """Count the test data, and read there what was chosen."""
    models, how = _amounts(request, asked), request.intervals
    moved = [
        answer._replace(
            choice=answer.choice and evaluate_amounts_on(answer.choice, models, how=how)
        )
        for answer in answers
    ]
    return _amounts_known(models, moved)


def _amounts_text_on_test(
    answers: Sequence[Answer[AmountChoice]], tested: AmountsKnown, how: IntervalOptions
) -> list[str]:
    """The sentences and tables of the test data, then what was seen where it was chosen."""
    names, several = list(tested.models), len(answers) > 1
    sentence, *rest = _amounts_text(tested.answers, names, how, on_test=True)
    return [
        sentence,
        "On the test data:",
        *rest,
        "On the data it was chosen on:",
        _table(_amount_rows(answers, names), several, _sum),
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
        **comparisons.of_leads(choice),
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
        **{
            name: document.number(getattr(point, name))
            for name in (*AMOUNT_SUMS, "amount_false_alarms")
        },
        "nothing": document.number(point.nothing),
        "everything": document.number(point.everything),
        "by_average": None if average is None else _point(average),
        "intervals": {name: document.of_interval(each) for name, each in point.intervals.items()},
    }


def _amount_rows(answers: Sequence[Answer[AmountChoice]], models: Sequence[str]) -> Rows:
    return [
        (answer, name, answer.choice.points.get(name) if answer.choice else None)
        for answer in answers
        for name in models
    ]


def _sum(point: AmountPoint, name: str) -> str:
    return (tables.cases if name == "alerts" else _money)(getattr(point, name))


def _amounts_text(
    answers: Sequence[Answer[AmountChoice]],
    models: Sequence[str],
    surety: IntervalOptions,
    *,
    on_test: bool = False,
) -> list[str]:
    """A sentence or two for each base rate, then a table, and one of intervals."""
    alone = len(models) == 1
    sentences = [
        line for answer in answers for line in _sentences(answer, alone=alone, on_test=on_test)
    ]
    rows = _amount_rows(answers, models)
    table = _table(rows, len(answers) > 1, _sum)
    said = list[str]()
    known = [one for _, _, point in rows if point for one in point.intervals.values()]
    if known:
        fixed = on_test or surety.replicates == 0
        again = "at these thresholds, by" if fixed else "choosing the thresholds again on each of"
        said = [
            f"{percent(surety.level)} intervals, {again} {known[0].replicates} resamples:",
            _table(
                rows, len(answers) > 1, lambda point, name: tables.span(point.intervals.get(name))
            ),
        ]
    made = [answer.choice for answer in answers if answer.choice is not None]
    return ["\n".join(sentences), table, *said, *filter(None, [tables.of_leads(made)])]


def _sentences(answer: Answer[AmountChoice], *, alone: bool, on_test: bool = False) -> list[str]:
    choice = answer.choice
    if choice is None:
        return [f"At {answer.at}: no model can satisfy the rule."]
    point = choice.point
    by_amount = point.point.optimized == CAUGHT
    review = f", a review at {_money(float(point.prices.review))} and a miss at its amount"
    best = "that catches the largest amount" if by_amount else "with the lowest cost"
    rule = f" with {escaped(point.point.rule)}" if point.point.rule else ""
    names = " or ".join(quoted(name, quotes=False) for name in choice.models)
    where = f"Use {names}"
    if point.point.regardless is not None:
        where = describe_setting(point.point).capitalize()
    elif len(choice.models) == 1:
        where += f" at {describe_setting(point.point)}{f', the threshold {best}' if alone else ''}"
    cost = "" if by_amount else f"cost {_money(point.cost)}, "
    sums = f"{cost}caught {_money(point.amount_caught)}, missed {_money(point.amount_missed)}"
    said = f"{sums}, of {number_of(point.cases, 'case')}{' of the test data' if on_test else ''}"
    found = tables.lead_on_test(choice) if on_test else tables.lead_in_words(choice)
    lines = [f"{where}. At {point.at.spoken}{'' if by_amount else review}{rule}: {said}{found}."]
    if point.by_average is not None:
        lines.append(_compared(choice, point.by_average))
    return lines


def _compared(choice: AmountChoice, average: AmountPoint) -> str:
    """What the average amount would have chosen, and what that truly costs; and whether one answer
    for all cases would cost more.
    """
    point = choice.point
    trivial = (
        f"Flagging nothing costs {_money(point.nothing)}, everything {_money(point.everything)}"
        f"{_over_baseline(choice)}."
    )
    if average.sums == point.sums:
        return f"If every miss cost the average amount, the choice would be the same. {trivial}"
    other = f"{describe_setting(average.point)}, which actually costs {_money(average.cost)}"
    return f"If every miss cost the average amount, the choice would be {other}. {trivial}"


def _over_baseline(choice: AmountChoice) -> str:
    lead = choice.lead_over_baseline
    if lead is None:
        why = choice.baseline_untested
        return f"; the difference was not tested ({why})" if why else ""
    sure = "is" if lead.significant else "is not"
    base = lead.models[0].split()[1]
    return f"; the difference to flagging {base} {sure} significant ({tables.p_in_words([lead])})"


Rows = Sequence[tuple[Answer[AmountChoice], str, AmountPoint | None]]


def _table(rows: Rows, several: bool, cell: Callable[[AmountPoint, str], str]) -> str:
    free = all(point is None or point.point.optimized == CAUGHT for _, _, point in rows)
    names = [
        name for name in SHOWN if not free or "cost" not in name
    ]  # nobody said what a review costs
    lines = []
    for answer, model, point in rows:
        prior = answer.at.prior if point is None else point.at.prior
        first = (tables.UNDEFINED if prior is None else f"{prior:.6g}",) if several else ()
        cells = ["cannot satisfy the rule", *(tables.UNDEFINED for _ in names)]
        if point is not None:
            cells = [describe_briefly(point.point), *(cell(point, name) for name in names)]
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
        return tables.digits(value, 4)
    return f"{value:,.2f}".removesuffix(".00")
