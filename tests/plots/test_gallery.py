"""The gallery shows what its script draws."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "reference"
GALLERY = runpy.run_path(str(ROOT / "tools" / "docs" / "gallery.py"))
NAMES = {entry.name: entry for entry in GALLERY["ENTRIES"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_its_script_draws(name):
    assert (DOCS / "gallery" / f"{name}.svg").read_text() == NAMES[name].draw().svg(), (
        "run: make docs"
    )


def test_the_page_is_what_its_script_writes_and_no_picture_is_left_over():
    assert (DOCS / "gallery.md").read_text() == GALLERY["page"](), "run: make docs"
    assert {path.stem for path in (DOCS / "gallery").iterdir()} == set(NAMES)
