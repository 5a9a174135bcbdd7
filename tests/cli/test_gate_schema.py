"""The schema wants every part of what `gate` says in JSON, and no part that it does not say."""

import jsonschema
import pytest
from tests.cli.helpers import VALID, answered, damaged
from tests.cli.helpers_gate import COMPARED, REQUIRED, USUAL, cases, graded, plain, sliced

INVALID = "is not valid under any of the given schemas"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "scores.csv"


def in_result(path):
    """The place in the document: all but the sources belong to the result."""
    return path if path == ("sources",) else ("result", *path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), None),
        (("comparisons",), None),
        (("verdict", "passed"), None),
        (("verdict", "outcome"), "bad"),
        (("verdict", "margin"), -1),
        (("verdict", "failed"), "all cases"),
        (("verdict", "checks"), []),
        (("sources",), []),
        (("comparisons", 0, "slice"), None),
        (("comparisons", 0, "slice"), "day"),
        (("comparisons", 0, "whole"), None),
        (("comparisons", 0, "whole"), False),
        (("comparisons", 0, "whole"), "yes"),
        (("comparisons", 0, "extra"), 1),
        (("comparisons", 0, "detectable"), None),
        (("comparisons", 0, "outcome"), "bad"),
        (("comparisons", 0, "p_adjusted"), 2),
        (("seed",), "0"),
    ],
)
def test_the_schema_wants_every_part_of_a_comparison(file, capsys, path, value):
    document = answered(capsys, "gate", plain(file, cases(12, 5, both=40)), *COMPARED)
    with pytest.raises(jsonschema.ValidationError, match=INVALID):
        VALID.validate(damaged(document, *in_result(path), value=value))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict", "checks"), None),
        (("verdict", "checks"), []),
        *(
            (("verdict", "checks", 0, key), None)
            for key in (
                "model",
                "slice",
                "whole",
                "outcome",
                "bound",
                "level",
                "method",
                "side",
                "threshold",
                "at",
            )
        ),
        (("verdict", "unjudged"), None),
        (("verdict", "unjudged"), "none"),
        (("verdict", "unjudged"), ["x"]),
        (("verdict", "unjudged"), [{"model": "m", "slice": "x"}]),
        (("verdict", "unjudged"), [{"model": "m", "slice": "x", "reason": ""}]),
        (("verdict", "unjudged"), [{"model": "m", "slice": None, "reason": "no positives"}]),
        (
            ("verdict", "unjudged"),
            [{"model": "m", "slice": "x", "reason": "no positives", "whole": False}],
        ),
        (("verdict", "extra"), 1),
        (("comparisons",), []),
        (("seed",), "0"),
        (("seed",), -1),
        (("sources",), []),
        (("verdict", "checks", 0, "whole"), "yes"),
        (("verdict", "checks", 0, "slice"), "x"),
        (("verdict", "checks", 0, "extra"), 1),
        (("verdict", "checks", 0, "outcome"), "passed"),
        (("verdict", "checks", 0, "side"), "both"),
        (("verdict", "checks", 0, "low"), "0.9"),
        (("verdict", "checks", 0, "cases_needed"), 1.5),
    ],
)
def test_the_schema_wants_every_part_of_a_requirement(file, capsys, path, value):
    document = answered(capsys, "gate", graded(file, USUAL), "recall >= 0.9", *REQUIRED, status=1)
    with pytest.raises(jsonschema.ValidationError, match=INVALID):
        VALID.validate(damaged(document, *in_result(path), value=value))


def test_the_schema_lets_only_the_first_comparison_be_that_of_all_cases(file, capsys):
    path = sliced(file, {"A": cases(12, 5, both=40), "B": cases(5, 12, both=40)})
    document = answered(capsys, "gate", path, *COMPARED, "--slice", "site")
    with pytest.raises(jsonschema.ValidationError, match=INVALID):
        VALID.validate(damaged(document, "result", "comparisons", 1, "whole", value=True))


@pytest.mark.parametrize("more", ["slice", "whole", "outcome", "detectable"])
def test_the_schema_keeps_the_words_of_gates_out_of_other_comparisons(file, capsys, more):
    path = plain(file, cases(12, 5, both=40))
    document = answered(
        capsys,
        "compare",
        path,
        "--label",
        "y",
        "--score",
        "old",
        "--score",
        "new",
        "--threshold",
        "0.5",
    )
    judged = answered(capsys, "gate", path, *COMPARED)["result"]["comparisons"][0]
    with pytest.raises(jsonschema.ValidationError, match=INVALID):
        VALID.validate(damaged(document, "result", "comparisons", 0, more, value=judged[more]))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("checks", 0, "outcome"), "not met"),
        (("unjudged",), [{"model": "m", "slice": "x", "reason": "no positives"}]),
    ],
)
def test_the_schema_lets_nothing_pass_that_is_missed_or_not_judged(file, capsys, path, value):
    document = answered(capsys, "gate", graded(file, USUAL), "recall >= 0.5", *REQUIRED)
    with pytest.raises(jsonschema.ValidationError, match=INVALID):
        VALID.validate(damaged(document, "result", "verdict", *path, value=value))
    VALID.validate(damaged(document, "result", "verdict", "passed", value=False))
