"""Landgrebe et al. 2004, claim by claim: equations, figures, Table 2 with its 48 cells, and what
the text says of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from baserate_studies.claims import Claim
from baserate_studies.landgrebe import figures, formulas, texts
from baserate_studies.landgrebe.populations import ldc_fpr, qdc_fpr, two_gaussians_fpr
from baserate_studies.landgrebe.tables import (
    FITTED,
    PRINTED,
    PRIORS,
    RECALL,
    Table,
    agreeing,
    published,
    table,
)
from baserate_studies.values import Found, How

SPREAD = 0.4  # two deviations of the ratio of two standard errors, each from 30 folds
TWICE = "twice the ± of the paper; it and the value are taken for anything that rounds to them"


def found(how: How) -> Found:
    """Every claim of the paper."""
    made = table(how)
    return Found(
        (
            *formulas.claims(),
            *texts.claims(made),
            *_cells(made),
            *_errors(made),
            _deviations(made),
            _draws(made),
        ),
        figures.pictures(),
    )


def _cells(made: Table) -> Iterator[Claim]:
    """Table 2, in units of the paper's ± and beside the population where that is known."""
    population = {
        ("TwoGaussians", "LDC"): two_gaussians_fpr(RECALL),
        ("TwoGaussians", "QDC"): two_gaussians_fpr(RECALL),
        ("Highleyman", "LDC"): float(ldc_fpr(RECALL)),
        ("Highleyman", "QDC"): qdc_fpr(RECALL),
    }
    for cell in published():
        crossed = made[cell.data, cell.classifier].middle
        ours = crossed.posfrac(cell.prior)
        away = f"{(ours - cell.value) / cell.error:+.1f} of the paper's ±; " if cell.error else ""
        fpr = population.get((cell.data, cell.classifier))
        whole = (
            ""
            if fpr is None
            else f"; population {100 * (cell.prior * RECALL + (1 - cell.prior) * fpr):.4f}"
        )
        fitted = cell.data == FITTED
        remark = "; the data are a stand-in that was fitted to this table" if fitted else ""
        yield Claim(
            f"table2-{cell.data}-{cell.classifier}-{cell.prior:g}".lower(),
            ("L36",),
            cell.value,
            ours,
            cell.tolerance,
            TWICE,
            f"{away}our ± {crossed.posfrac_error(cell.prior):.2f}{whole}{remark}",
            unit="%",
            fitted=fitted,
        )


def _errors(made: Table) -> Iterator[Claim]:
    """The ± at the smallest prior: those at the others are the same number times 1 − P."""
    for cell in published():
        if cell.prior == PRIORS[-1]:
            ours = made[cell.data, cell.classifier].middle.posfrac_error(cell.prior)
            reason = (
                "two deviations of a ratio of standard errors from 30 folds each (40 %), and half a"
                " unit of the last digit"
            )
            name = f"table2-error-{cell.data}-{cell.classifier}".lower()
            yield Claim(
                name,
                ("L36",),
                cell.error,
                ours,
                SPREAD * cell.error + PRINTED,
                reason,
                unit="%",
                fitted=cell.data == FITTED,
            )


def _deviations(made: Table) -> Claim:
    """The caption calls the ± standard deviations."""
    linear = made["TwoGaussians", "LDC"].middle
    deviation = 100 * (1 - PRIORS[-1]) * float(linear.fprs.std(ddof=1))
    text = (
        f"TwoGaussians, LDC: standard deviation {deviation:.2f}, standard error"
        f" {linear.posfrac_error(PRIORS[-1]):.2f}, printed ± 1.02"
    )
    close = abs(deviation - 1.02) < abs(linear.posfrac_error(PRIORS[-1]) - 1.02)
    return Claim(
        "table2-caption",
        ("L36",),
        "± are standard deviations",
        text,
        reason="over the folds",
        holds=close,
        errata=("B12b",),
    )


def _draws(made: Table) -> Claim:
    """What a single draw gives, as the paper had one: the median of many passes more easily."""
    every = agreeing(made)
    cells = sum(cell.data != FITTED for cell in published())
    text = (
        f"of {cells} cells whose data were published, {', '.join(map(str, every))} agree in single"
        f" draws (seeds 0 to {len(every) - 1})"
    )
    return Claim(
        "table2-single-draws",
        ("L36",),
        None,
        text,
        reason="the paper had one draw: a check of ours",
    )
