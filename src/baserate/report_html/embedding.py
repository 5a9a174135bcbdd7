"""One file: a page with its style, its script and its data inside, and a policy that lets nothing else run or load."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, NamedTuple

from baserate.errors import escaped

# What could end a script element, begin a comment in it, or end a line of JavaScript, is written as JSON writes any sign.
ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
POLICY = "default-src 'none'; script-src '{script}'; style-src '{style}'; img-src data: blob:; base-uri 'none'; form-action 'none'"


class Bundle(NamedTuple):
    """The script and the style of the page."""

    script: str
    style: str


@cache
def bundle() -> Bundle:
    """As they were built from `frontend/`."""
    folder = files("baserate.report_html") / "bundle"
    return Bundle(*((folder / name).read_text(encoding="utf-8") for name in ("report.js", "report.css")))


def page(title: str, static: str, content: Mapping[str, Any]) -> str:
    """The whole file: what is seen without JavaScript, and the document that JavaScript reads."""
    parts = bundle()
    policy = POLICY.format(script=fingerprint(parts.script), style=fingerprint(parts.style))
    return "".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n',
            f"<title>{escape(escaped(title))}</title>\n<style>{parts.style}</style>\n</head>\n<body>\n",
            f'<div id="static">\n{static}\n</div>\n<div id="app" hidden></div>\n',
            f'<script type="application/json" id="baserate-data">{island(content)}</script>\n',
            f"<script>{parts.script}</script>\n</body>\n</html>\n",
        )
    )


def island(content: Mapping[str, Any]) -> str:
    """The document as JSON in ASCII, without a sign that means something to HTML."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).translate(ESCAPES)


def fingerprint(text: str) -> str:
    """What a policy calls a text that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
