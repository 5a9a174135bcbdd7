"""Reports for tests: what lies in the file, read back by a parser of its own, and models to make
them of.
"""

import itertools
import json
from html.parser import HTMLParser
from unittest import mock

import numpy as np

import baserate as br
from baserate.inference import best_model

VOID = {"meta", "link", "img", "input", "br", "hr", "base", "path", "circle", "rect"}


class Page(HTMLParser):
    """The elements of a page, the text of each script and style, and the text that a person reads
    in the static part.
    """

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.inside, self.raw, self.texts, self.open = (
            [],
            {"script": [], "style": []},
            [],
            [],
            [],
        )
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        inner = self.open[-1] if self.open else ""
        if inner in self.inside:
            self.inside[inner][-1] += data
        elif data.strip():
            self.texts.append(data.strip())

    @property
    def document(self):
        """The embedded document."""
        return json.loads(self.inside["script"][0])


def as_in_page(content):
    """A document as a page has it: the points of the models are those of the answers, and not
    written twice.
    """
    return {**content, "models": [{**one, "points": []} for one in content["models"]]}


def drawn(rows, seed, models=1, share=0.05):
    """Labels, and scores of so many models, all of them distinct."""
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < share
    labels[:2] = True, False
    return labels, {f"m{i}": rng.normal(size=rows) + labels * (1 + i / 10) for i in range(models)}


def counted(rows, seed, models=1, share=0.05):
    """Their counts by name."""
    labels, scores = drawn(rows, seed, models, share)
    return {name: br.count(labels, values) for name, values in scores.items()}


def leads_on_page(joint, report, choice, level=0.95):
    """The lead of a choice as a page tests it, which knows what its document (`report`)
    has of the cases.
    """
    table = _fewest_together(joint, report, list(choice.points))
    with mock.patch.object(best_model, "_Table", table):
        return best_model.leads(joint, choice.points, choice.model, level=level)


def _fewest_together(joint, report, names):
    """A table of what pairs flag together that knows only how many cases stand between the lines
    of a report: the fewest that are possible.
    """

    class Table(best_model._Table):
        def __init__(self, joint, flags):
            super().__init__(joint, flags)
            for i, j in itertools.combinations(range(len(flags)), 2):
                for kind, cells in enumerate((joint.positives, joint.negatives)):
                    self.products[kind][i, j] = self.products[kind][j, i] = sum(
                        share * part * self.least(names[i], names[j], one, other, cells)
                        for one, share in _steps(flags[i])
                        for other, part in _steps(flags[j])
                    )

        def least(self, first, second, one, other, cells):
            found = []
            for a, b in itertools.product(
                self.lines_beside(first, one), self.lines_beside(second, other)
            ):
                beyond = sum(
                    max(0, cells[line].sum() - cells[mask].sum())
                    for line, mask in ((a, one), (b, other))
                )
                found.append(cells[a & b].sum() - beyond)
            return max(found)

        def lines_beside(self, name, mask):
            points = br.Points.of(joint.marginal(name))
            place = next(i for i, one in enumerate(report["points"]) if one["name"] == name)
            lines = {*report["points"][place]["hull"], *report["joint"]["lines"][place]}
            here = points.place(joint.scores[name][mask].min().item()) if mask.any() else 0
            ends = max(x for x in lines if x <= here), min(x for x in lines if x >= here)
            for line in ends:
                yield joint.scores[name] >= points.scores[line - 1] if line else mask & False

    return Table


def _steps(flags):
    """Thresholds, as masks, and the share of each, that add up to what is flagged."""
    shares = np.unique(flags[(flags > 0) & (flags < 1)])
    yield flags == 1, 1 - (shares[0] if len(shares) else 0)
    if len(shares):
        yield flags > 0, shares[0]
