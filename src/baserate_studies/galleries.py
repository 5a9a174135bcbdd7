"""Studies as pages: one file each that loads nothing, with every figure beside what was published,
and every claim in a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from baserate.extend import escaped, number_of
from baserate_studies.claims import VERDICTS, Claim
from baserate_studies.values import HEADINGS, Picture, Study
from baserate_studies.wording import MEANINGS, row

INDEX = "index.html"
REMARKS = "why so close, and remarks"
# A claim about a figure stands beside it; where there are more than so many, the rest is in the
# table of all claims.
BESIDE = 12
COLOURS = {
    "reproduced": "#117733",
    "close": "#44710f",
    "sentence_holds": "#0b6b75",
    "formula_holds": "#2b5c9e",
    "differs": "#cc3311",
    "erratum": "#996600",
    "not_reproducible": "#595959",
    "not_a_claim": "#737373",
}
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:96rem;margin:2rem auto;padding:0"
    " 1rem;color:#111;background:#fff}h1{line-height:1.2}h2{margin-top:3rem}a{color:#0b5394}table{border-collapse:collapse;font-size:.875rem}tbody"  # noqa: E501
    " th{font-weight:400}th,td{border-bottom:1px solid #ddd;padding:.25rem"
    " .6rem;text-align:left;vertical-align:top}td.number{text-align:right}tr.total>*{font-weight:600;border-top:2px"  # noqa: E501
    " solid #999}:target{outline:2px solid #0b5394}.beside{display:flex;flex-wrap:wrap;gap:0"
    " 2rem;align-items:flex-start}.claims{flex:1 1 46rem;overflow-x:auto}.claims"
    " table{min-width:46rem}figure{margin:0 0 1rem;flex:0 1"
    " 23rem}figure.wide{flex-basis:42rem}svg{max-width:100%;height:auto}figcaption{font-size:.9rem}dl{display:grid;grid-template-columns:max-content"  # noqa: E501
    " 1fr;gap:.25rem 1rem}dd{margin:0}.verdict{white-space:nowrap;font-weight:600}"
    + "".join(
        f"tr.{verdict}{{box-shadow:inset 4px 0 {colour}}}.verdict.{verdict}{{color:{colour}}}"
        for verdict, colour in COLOURS.items()
    )
    + "@media print{body{max-width:none}tr{break-inside:avoid}}"
)
# Nothing is fetched, and nothing runs: the page says so itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def gallery(studies: Sequence[Study]) -> dict[str, str]:
    """The pages by their file names: a list of studies, and a page for each."""
    pages = {f"{study.name}.html": _page(study.title, _study(study)) for study in studies}
    return {
        INDEX: _page(
            "The sources, claim by claim",
            [_list(studies), "<h2>What the verdicts mean</h2>", _meanings()],
        ),
        **pages,
    }


def _page(title: str, parts: Sequence[str]) -> str:
    head = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><meta name="viewport"'
        ' content="width=device-width,initial-scale=1">'
        f"<title>{_text(title)}</title><style>{STYLE}</style></head>"
    )
    body = "\n".join(parts)
    return f"{head}\n<body><main><h1>{_text(title)}</h1>\n{body}\n</main></body></html>\n"


def _list(studies: Sequence[Study]) -> str:
    """Every study with how many of its claims have each verdict, and all of them together."""
    head = "".join(
        f'<th scope="col">{_text(heading)}</th>'
        for heading in ("study", "claims", *map(_words, VERDICTS))
    )
    rows = []
    for study in studies:
        name = (
            '<th scope="row"><a'
            f' href="{_text(study.name)}.html">{_text(study.title)}</a><br>{_text(study.source)}</th>'  # noqa: E501
        )
        rows.append(f"<tr>{name}{_numbers(study.tally)}</tr>")
        if any(study.fitted.values()):
            rows.append(
                '<tr><th scope="row">of these, on data fitted to the'
                f" source</th>{_numbers(study.fitted)}</tr>"
            )
    together: Counter[str] = sum((Counter(study.tally) for study in studies), Counter())
    total = (
        '<tr class="total"><th'
        f' scope="row">together</th>{_numbers({verdict: together[verdict] for verdict in VERDICTS})}</tr>'  # noqa: E501
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}{total}</tbody></table>"


def _numbers(tally: dict[str, int]) -> str:
    return "".join(
        f'<td class="number">{count}</td>' for count in (sum(tally.values()), *tally.values())
    )


def _meanings() -> str:
    return f"<dl>{''.join(f'<dt>{_verdict(verdict)}</dt><dd>{_text(MEANINGS[verdict])}</dd>' for verdict in VERDICTS)}</dl>"  # noqa: E501


def _study(study: Study) -> list[str]:
    counted = _counted(study.tally)
    apart = sum(study.fitted.values())
    fitted = (
        f" Of these, {apart} on data fitted to the source: {_counted(study.fitted)}."
        if apart
        else ""
    )
    figures = "".join(
        f'<li><a href="#{_text(picture.name)}">{_text(_heading(picture))}</a></li>'
        for picture in study.figures
    )
    return [
        f'<nav><a href="{INDEX}">All studies</a></nav>',
        (
            f"<p>{_text(study.source)}</p><p>{number_of(len(study.claims), 'claim')}:"
            f" {counted}.{fitted}</p>"
        ),
        (
            f'<nav aria-label="Figures"><ul>{figures}<li><a href="#every-claim">Every'
            " claim</a></li></ul></nav>"
        ),
        *(_figure(picture, study.claims) for picture in study.figures),
        '<h2 id="every-claim">Every claim</h2>',
        f'<div class="claims">{table(study.claims, anchored=True)}</div>',
    ]


def _counted(tally: dict[str, int]) -> str:
    return ", ".join(f"{count} {_verdict(verdict)}" for verdict, count in tally.items() if count)


def _heading(picture: Picture) -> str:
    return f"{', '.join(picture.inventory)}: {picture.drawing.title}"


def _figure(picture: Picture, claims: Sequence[Claim]) -> str:
    """A figure, what to see in it, and beside it the claims that concern it."""
    about = [claim for claim in claims if picture.concerns(claim) and claim.published is not None]
    more = (
        f'<p><a href="#every-claim">{number_of(len(about) - BESIDE, "more claim")}</a></p>'
        if len(about) > BESIDE
        else ""
    )
    beside = f'<div class="claims">{table(about[:BESIDE])}{more}</div>' if about else ""
    several = ' class="wide"' if len(getattr(picture.drawing, "panels", ())) > 1 else ""
    figure = f"<figure{several}>{picture.drawing.svg()}<figcaption>{_text(picture.words)}</figcaption></figure>"  # noqa: E501
    return (
        f'<h2 id="{_text(picture.name)}">{_text(_heading(picture))}</h2><div'
        f' class="beside">{figure}{beside}</div>'
    )


def table(claims: Sequence[Claim], *, anchored: bool = False) -> str:
    """Claims as an HTML table, with the reason of each tolerance and the note; in the table of all
    of them each can be linked to.
    """
    head = "".join(f'<th scope="col">{_text(heading)}</th>' for heading in (*HEADINGS, REMARKS))
    rows = "".join(_row(claim, anchored=anchored) for claim in claims)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(claim: Claim, *, anchored: bool) -> str:
    name, *middle, _ = row(claim)
    place = f"claim-{_text(claim.id)}"
    first = (
        f'<th scope="row" id="{place}">{_text(name)}</th>'
        if anchored
        else f'<th scope="row"><a href="#{place}">{_text(name)}</a></th>'
    )
    remarks = " ".join(filter(None, (_sentence(claim.reason), _sentence(claim.note))))
    cells = "".join(
        f"<td>{cell}</td>"
        for cell in (*map(_text, middle), _verdict(claim.verdict), _text(remarks))
    )
    return f'<tr class="{claim.verdict}">{first}{cells}</tr>'


def _verdict(verdict: str) -> str:
    return f'<span class="verdict {verdict}">{_words(verdict)}</span>'


def _words(verdict: str) -> str:
    return verdict.replace("_", " ")


def _sentence(text: str) -> str:
    first = text[:1].upper() if text[:1].isascii() else text[:1]  # α stays α
    return f"{first}{text[1:].rstrip('.')}." if text else ""


def _text(value: str) -> str:
    return escape(escaped(value), quote=True)
