"""Settings and cases for the checks of a build."""

import tomllib

from tests.cli.helpers_gate import cases, sliced

HEAD = """
[data]
source = "scores.csv"
label = "y"

[models]
baseline = "old"
candidate = "new"

[scenario.field]
threshold = 0.5
"""
COMPARE = """
[[compare]]
scenario = "field"
"""
REQUIRE = """
[[require]]
scenario = "field"
model = "candidate"
rule = "recall >= 0.5"
"""
BOTH = HEAD + REQUIRE + COMPARE


def settings(folder, text=BOTH, name="baserate.toml"):
    """The file of settings."""
    tomllib.loads(text)  # a test that breaks TOML itself writes its own file
    path = folder / name
    path.write_text(text)
    return str(path)


def scored(folder, only_old=12, only_new=5, both=200):
    """Cases of two models in two slices, so many of which only one model has right."""
    rows = list(enumerate(cases(only_old, only_new, both=both)))
    return sliced(
        folder / "scores.csv",
        {"A": [row for i, row in rows if i % 4 < 2], "B": [row for i, row in rows if i % 4 > 1]},
    )
