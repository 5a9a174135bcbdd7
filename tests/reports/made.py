"""Reports for tests: what lies in the file, read back by a parser of its own, and models to make
them of.
"""

import json
from html.parser import HTMLParser

import numpy as np

import baserate as br

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
