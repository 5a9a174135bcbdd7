"""`Report`: a document, and the file in which a person reads it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from baserate.atomic import write_atomically
from baserate.html_tables import table
from baserate.outputs import reserved
from baserate.report_html.contents import Contents
from baserate.report_html.embedding import page
from baserate.report_html.static import body

UNTITLED = "Which model, at which threshold"


@dataclass(frozen=True, eq=False)
class Report:
    """One file for a person, and the same as a document for a program.

    `document` is what `--json` gives; `html` the whole file as text; `save` writes it, at once or not at all.
    """

    document: Mapping[str, Any] = field(repr=False)
    contents: Contents = field(repr=False)

    @property
    def title(self) -> str:
        return self.document["report"]["title"] or UNTITLED

    @property
    def sentences(self) -> Sequence[str]:
        """The answers in words; where conditions are uncertain, what to do under all of them comes first."""
        return self.contents.sentences

    @cached_property
    def html(self) -> str:
        return page(self.title, body(self.contents, self.document, self.title), self.document)

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the file; one that is there already is replaced only with `force`."""
        with reserved(os.fspath(path), force=force) as check:
            content = self.html.encode()
            check()
            write_atomically(path, [content])

    def __repr__(self) -> str:
        return f"Report: {self.sentences[0]}"

    def _repr_html_(self) -> str:
        rows = [(str(place), text) for place, text in enumerate(self.sentences, 1)]
        return table(self.title, ("", "answer"), rows)
