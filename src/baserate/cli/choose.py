"""`baserate choose`: which model, at which threshold; with `--amount`, where every case has its own
amount.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from baserate.cli.commands import make_command
from baserate.cli.runner import CEILING, Request, check_unused, refuse_given
from baserate.errors import quoted, refuse
from baserate.inference.expectation import UNKNOWN, VARYING
from baserate.read.amounts import count_amounts
from baserate.read.files import groups_of, read_cases
from baserate.verbs import choices

BESIDE_AMOUNT = "has no effect with --amount: every case counts once"


def count_models(
    request: Request,
    *,
    group: str | None = None,
    amount: str | None = None,
    amount_missing: str | None = None,
    currency: str | None = None,
) -> Any:
    """Count the models on the same cases where that is possible; by site, or with amounts.

    Parameters
    ----------
    request : Request
        The options that every command has.
    group : str, optional
        One threshold for all sites: the rule must hold at each of them.
    amount : str, optional
        Column of the amount of each case: a miss costs its amount, an alert a review.
    amount_missing : str, optional
        mean: where an amount is missing, use the mean of its class, with a note.
    currency : str, optional
        The currency of each amount: more than one is refused.
    """
    source = request.source
    is_open = group is not None or request.conditions.is_open
    if request.given.get("test") is not None:
        _check_test(request, is_open=is_open)
        source = source.and_test(request.given["test"])[0]
    _check_kind(request.conditions.kind)
    if amount is None:
        needy = {"--amount-missing": amount_missing, "--currency": currency}
        refuse_given(needy, "needs --amount", "--amount COLUMN", "BR001")
    if is_open:
        check_unused({"--memory": source.is_limited}, "over a range of base rates or costs")
    if amount is not None:
        refuse_given({"--weight": source.weight}, BESIDE_AMOUNT, "leave {} out", "BR001")
        wanted = source.wanted(amount=amount, currency=currency)
        with source.reading():
            cases = read_cases(source.path, wanted, source.options)
            return count_amounts(cases, amount_missing)
    if group is not None:
        wanted = source.wanted(group=group)
        return {
            name: groups_of(source.path, replace(wanted, scores=(name,)), source.options)
            for name in source.scores
        }
    resampled = is_open and request.intervals.replicates is not None
    return source.joint() if resampled else source.together()


def _check_kind(kind: str | None) -> None:
    if kind not in (None, UNKNOWN, VARYING):
        text = f"--kind is {UNKNOWN} or {VARYING}, got {quoted(kind)}"
        raise refuse("BR588", text, f"--kind {UNKNOWN}")


def _check_test(request: Request, *, is_open: bool) -> None:
    if is_open:
        raise refuse(
            "BR594",
            "--test cannot be combined with a range of base rates or costs, or with --by",
            "show the test data at the chosen --threshold",
        )
    if request.conditions.learned is not None:
        raise refuse(
            "BR594",
            "--test needs a given base rate: the error of an estimated one is known on the"
            " labelled cases alone",
            "--prior instead of --prior-from",
        )


def evaluate_on_test(choice: Any, request: Request, *, test: str | None = None) -> Any:
    """Evaluate the choice on held-out data, with the same columns and fixed thresholds.

    Parameters
    ----------
    choice : Choice
        What was chosen on the first file.
    request : Request
        The options that every command has.
    test : str, optional
        Held-out data: choose on the first file, and evaluate there, with the same columns and fixed
        thresholds.
    """
    if test is None:
        return choice
    names = ("amount", "amount_missing", "currency")
    columns = {name: request.given.get(name) for name in names}
    there = replace(request, source=request.source.and_test(test)[1], given={})
    return choice.on(count_models(there, **columns))


def advise_test(request: Request, results: Sequence[Any]) -> str:
    """Return the whole command that tests a difference that was not tested under a ceiling on
    memory: of the same choice, or of the thresholds that are fixed on test data.
    """
    made = [one for one in results if getattr(one, "untested", "")]
    if not request.source.is_limited or not made:
        return ""
    first = made[0]
    changes: dict[str, Any] = {"statistic": first.point.objective}
    if first.chosen is not None:
        points = first.points.items()
        cuts = {name: repr(point.threshold).replace("None", "none") for name, point in points}
        fixed = tuple(f"{name}={cut}" for name, cut in cuts.items())
        path = (request.given["test"],)
        changes |= {"path": path, "rule": None, "thresholds": fixed}
    elif request.given.get("optimize") is not None:  # compare makes the cost lowest
        return ""
    found = request.command("compare", *CEILING, **changes)
    return f"To test this difference, with all cases in memory:\n{found}"


choose_command = make_command(
    "choose",
    choices.choose,
    read=count_models,
    show=evaluate_on_test,
    advise=advise_test,
    instead={"all_priors": choices.lead_by_recall},
    rows={"threshold": (), "intervals": ()},
    also=("prior_from", "pilot", "kind", "memory", "svg"),
    help="""Choose the model and its cheapest threshold, or the best one that satisfies a RULE.

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
    """,  # noqa: E501
)
