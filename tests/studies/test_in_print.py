"""*Reproduced* is said only of numbers that the source prints: looked for in the text of the source
itself, where that is at hand.
"""

import json
import re
from pathlib import Path

import pytest

RECORDS = Path(__file__).parents[2] / "docs" / "evidence" / "studies"
SOURCES = {"landgrebe": "000", "weng": "001", "tan": "002", "slides": "003", "cardenas": "004"}
# Written in words or as a quotient there: four defects in a million; an angle's cosine never, so
# nothing else may be added lightly.
IN_WORDS = {"base-rate-six-sigma"}


def spellings(number):
    """How a number may be printed: with or without a leading zero, as a share or in percent."""
    forms = {
        f"{value:{form}}"
        for value in (number, 100 * number)
        for form in ("g", ".1f", ".2f", ".3f", ".4f", ".6f")
    }
    return forms | {form.removeprefix("0") for form in forms if form.startswith("0.")}


def in_print(number, text):
    return any(
        re.search(rf"(?<![\d.]){re.escape(form)}(?!\d|\.\d)", text) for form in spellings(number)
    )


@pytest.mark.parametrize("name", SOURCES)
def test_a_reproduced_number_stands_in_the_text_of_its_source(name, shared):
    (source,) = (
        (shared.parent / "seeds").glob(f"{SOURCES[name]}*")
        if (shared.parent / "seeds").is_dir()
        else (None,)
    )
    if source is None:
        pytest.skip("no text of the sources")
    text = source.read_text()
    claims = [
        claim
        for claim in json.loads((RECORDS / f"{name}.json").read_text())["claims"]
        if claim["verdict"] in ("reproduced", "close")
    ]
    assert claims
    missing = {
        claim["id"]: number
        for claim in claims
        for number in (
            claim["published"] if isinstance(claim["published"], list) else [claim["published"]]
        )
        if not in_print(number, text) and claim["id"] not in IN_WORDS
    }
    assert missing == {}


def test_a_number_that_is_not_printed_is_noticed():
    assert in_print(0.8, "equal to (1/5)/(100/400) = 0.8. This")
    assert in_print(0.99, "achieve 99% accuracy")
    assert not in_print(0.1875, "0.18 and 1875 and 0.187")
    assert not in_print(0.6, "0.62, 0.65, 1.6 and 60.5")
