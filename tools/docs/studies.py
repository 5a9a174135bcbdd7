"""Write docs/evidence/studies.md from the records in docs/evidence/studies.

`baserate study all --data FOLDER -o MADE`, then `python tools/docs/studies.py MADE`, records a run:
its claims as JSON, its figures as SVG. A test compares the page with what this writes.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from baserate_studies.catalogue import STUDIES
from baserate_studies.claims import VERDICTS
from baserate_studies.wording import MEANINGS, said, shown

PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "studies.md"
FOLDER = PAGE.with_name("studies")
HEAD = """# Studies: the sources, claim by claim

@LEARNT@
## How to read the tables

Written by `python tools/docs/studies.py` from a recorded run of `baserate study all`; a test holds the page to its records. Every table, figure,
worked number and claim of the sources has a row: what was published, what comes out here, how close the two must be and why, and a verdict
that follows from those values:

@MEANINGS@
A row (L1, W20, T39, S21, C25) is a statement of Landgrebe et al., Weng & Poon, Tan et al., the slides, or Cárdenas & Baras, numbered in the
order of the text; B1 to B19 are errata.

```python
>>> from baserate_studies import Claim
>>> Claim("posfrac", ("L27",), 54.9, 52.14, 0.05, "half a unit of the last digit", errata=("B11",), unit="%").verdict
'erratum'

```

`baserate study landgrebe` prints one study, `--json` gives it to a program, `-o FOLDER` writes pages with every figure, `--full` repeats what
is repeated more often. In Python: `from baserate_studies import study`, and `study("weng", data="uci")["fig4"]`.

## Data

The classes of Landgrebe et al. are drawn again by `baserate_studies.generators`, from a seed: `two_gaussians`, `highleyman`, `lithuanian`,
and `multimodal`, whose modes were not published and are fitted. `balance_scale` is fully determined, `ten_records` is the table of Tan et al.
and of the slides, `one_attribute` the one-dimensional example.

```python
>>> from baserate_studies.generators import balance_scale, highleyman
>>> highleyman(2, 3, seed=1).x.shape, balance_scale().x.shape
((5, 2), (625, 4))

```

Table 3 of Weng & Poon is made three times: from the ranks of the scores of Weka 3.6.14, which are part of the package (a run of our own);
with learners of our own on the UCI sets, where `--data FOLDER` has them as CSV with a sidecar; and on the balance scale, with no data at all.
`fetch_uci(name, folder)` gets a set from OpenML by scikit-learn's `fetch_openml`, verifies how many cases of each class and how many missing
cells it has, and writes that format; `load_uci(name, folder)` reads it.

The sets are those of the UCI Machine Learning Repository (Dua & Graff). Their donors: anneal, David Sterling and Wray Buntine; audiology,
Baylor College of Medicine, Bruce Porter, in the form of Ross Quinlan; autos, Jeffrey C. Schlimmer (1985 Ward's Automotive Yearbook);
balance-scale, Tim Hume (Siegler's experiments); breast-cancer, M. Zwitter and M. Soklic, University Medical Centre, Institute of Oncology,
Ljubljana; heart-c, the Cleveland Clinic Foundation, Robert Detrano, M.D., Ph.D., with Janosi, Steinbrunn and Pfisterer; credit-rating,
Ross Quinlan; german-credit, Hans Hofmann, Universität Hamburg; glass, B. German, Home Office Forensic Science Service, and Vina Spiehler;
heart-statlog, the Statlog project; hepatitis, G. Gong, by way of Bojan Cestnik, Jožef Stefan Institute; horse-colic, Mary McLeish and Matt
Cecile, University of Guelph, and Will Taylor.
"""  # noqa: E501
LEARNT = """Five publications on which baserate is built, reproduced claim by claim. What the {claims} rows show:

- **What is printed mostly comes out.** {reproduced} printed numbers are reproduced to their last digit or within the error that the
  source gives; {close} more only within a wider tolerance, {differs} differ, and {erratum} rows are errata of the sources.
  {sentence_holds} sentences were judged true by a test of ours, and {formula_holds} formulas hold on numbers of our own: honest checks,
  but nothing that was published.
- **Landgrebe et al.** {table_2} The table shows the median of many draws, and that passes more easily than the one draw that a paper has:
  {draws}.
- **Weng & Poon.** From the ranks of Weka's scores {weka} of the 160 cells of Table 3 come out as printed and {weka_close} more within
  .01. With learners of our own {own} come out as printed, {own_close} more within .02, and {own_differs} differ, most of them of 3nn,
  whose distance on nominal attributes is not described. The published weighted area does not prefer the better curve of the paper's own
  Figure 1; strips of equal height do.
- **Tan, Steinbach & Kumar, and the slides.** The ten-record table, its measures and costs come out; so do fifteen errata of the chapter,
  a threshold of 1/101 where 1/102 is right among them. Costs in the splits of a tree alone saved nothing in 30 seeds; in its leaves,
  weights or pruning they did.
- **Cárdenas & Baras.** Nearly everything is a formula or a sentence; few numbers are printed. On two sets of real traffic the models
  change places with the base rate, as the paper says; a flood of false alarms is seen in one of them only.
"""  # noqa: E501
HEADINGS = (
    "claim",
    "rows",
    "published",
    "ours",
    "tolerance",
    "verdict",
    "why so close, and remarks",
)


def page() -> str:
    """The whole page."""
    made = [json.loads((FOLDER / f"{name}.json").read_text()) for name in STUDIES]
    rows = [
        f"| [{study['title']}](#{study['name']}) | {len(study['claims'])} | {_tally(study)} |"
        for study in made
    ]
    meanings = "\n".join(
        f"- *{verdict.replace('_', ' ')}*: {MEANINGS[verdict]}" for verdict in VERDICTS
    )
    head = HEAD.replace("@LEARNT@", _learnt(made)).replace("@MEANINGS@", f"{meanings}\n")
    table = "\n".join(
        [
            "## Verdicts\n",
            "| study | claims | verdicts |",
            "|---|---|---|",
            *rows,
            "",
            _table_2(made),
            "",
        ]
    )
    return "\n".join([head, table, *(part for study in made for part in _study(study))])


def _tally(study: dict[str, Any]) -> str:
    fitted = Counter(claim["verdict"] for claim in study["claims"] if claim["fitted"])
    return said(study["tally"], {verdict: fitted[verdict] for verdict in VERDICTS})


def _learnt(made: list[dict[str, Any]]) -> str:
    """Half a page of what came out, with its numbers read from the records."""
    tally: Counter[str] = sum((Counter(study["tally"]) for study in made), Counter())
    weng = [claim for study in made if study["name"] == "weng" for claim in study["claims"]]
    weka, own = (
        Counter(claim["verdict"] for claim in weng if claim["id"].startswith(f"table3-{kind}"))
        for kind in ("weka", "standins")
    )
    draws = next(
        claim["ours"]
        for study in made
        for claim in study["claims"]
        if claim["id"] == "table2-single-draws"
    )
    return LEARNT.format(
        claims=sum(tally.values()),
        **tally,
        table_2=" ".join(_table_2(made).split()),
        draws=draws,
        weka=weka["reproduced"],
        weka_close=weka["close"],
        own=own["reproduced"],
        own_close=own["close"],
        own_differs=own["differs"],
    )


def _table_2(made: list[dict[str, Any]]) -> str:
    """The cells on published data and those on fitted data, each counted by itself."""
    cells = [
        claim
        for study in made
        for claim in study["claims"]
        if re.fullmatch(r"table2-.*-0\.\d+", claim["id"])
    ]
    parts = [
        [claim["verdict"] == "reproduced" for claim in cells if claim["fitted"] == fitted]
        for fitted in (False, True)
    ]
    (published, known), (fitted, others) = ((sum(part), len(part)) for part in parts)
    first = (
        f"Of Landgrebe's Table 2, {published} of the {known} cells whose data were published agree."
    )
    apart = (
        f"The {others} cells of Multimodal, whose data\nare fitted to this very table, are counted"
        " apart"
    )
    return f"{first} {apart}: {fitted} agree, which shows little."


def _study(study: dict[str, Any]) -> list[str]:
    head = (
        f"## {study['name']}\n\n{study['title']}. {study['source']}. {len(study['claims'])} claims:"
        f" {_tally(study)}.\n"
    )
    figures = [
        f"![{figure['text']}](studies/{study['name']}-{figure['name']}.svg)\n\n{figure['text']}\n"
        for figure in study["figures"]
    ]
    claims = [
        "| " + " | ".join(HEADINGS) + " |",
        "|" + "---|" * len(HEADINGS),
        *(_row(claim) for claim in study["claims"]),
        "",
    ]
    return [head, *figures, "\n".join(claims)]


def _row(claim: dict[str, Any]) -> str:
    values = [
        tuple(claim[side]) if isinstance(claim[side], list) else claim[side]
        for side in ("published", "ours")
    ]
    tolerance = "—" if claim["tolerance"] is None else f"± {claim['tolerance']:.4g}"
    remarks = ". ".join(filter(None, (claim["reason"], claim["note"])))
    rows = ", ".join([*claim["inventory"], *claim["errata"]])
    published, ours = (shown(value, claim["unit"]) for value in values)
    cells = [
        claim["id"],
        rows,
        published,
        ours,
        tolerance,
        claim["verdict"].replace("_", " "),
        remarks,
    ]
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"


def record(made: Path) -> None:
    """Take over what `baserate study … -o MADE` wrote: every study by itself, one claim a line, and
    its figures.
    """
    FOLDER.mkdir(exist_ok=True)
    for study in json.loads((made / "studies.json").read_text())["studies"]:
        claims = ",\n".join(json.dumps(claim, ensure_ascii=False) for claim in study["claims"])
        rest = {key: value for key, value in study.items() if key != "claims"}
        text = (
            json.dumps(rest, ensure_ascii=False, indent=1)[:-2]
            + f',\n "claims": [\n{claims}\n ]\n}}\n'
        )
        (FOLDER / f"{study['name']}.json").write_text(text)
        drawn = re.findall(
            r"<figure[^>]*>(<svg.*?</svg>\n?)<figcaption>",
            (made / f"{study['name']}.html").read_text(),
            flags=re.DOTALL,
        )
        for figure, svg in zip(study["figures"], drawn, strict=True):
            (FOLDER / f"{study['name']}-{figure['name']}.svg").write_text(svg)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        record(Path(sys.argv[1]))
    PAGE.write_text(page())
