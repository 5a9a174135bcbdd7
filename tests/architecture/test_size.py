"""The package stays as small as tools/size.toml says, and the size is measured as it says."""

from pathlib import Path

import pytest
from tools import size

ROOT = Path(__file__).parents[2]


def test_core_and_learners_are_not_larger_than_the_limit():
    folders = size.measure_folders(ROOT / "src")
    nodes = size.size_of_core_and_learners(folders).nodes
    limit = size.read_limit()
    assert nodes <= limit.nodes, (
        f"{size.describe_limit(nodes, limit)}. `make size` shows the folders. Make it smaller, or "
        'raise `nodes` in tools/size.toml with a line until = "<the issue that ends the rise>".'
    )


def test_layout_comments_docstrings_and_long_names_do_not_count():
    short = size.measure_source("def f(a): return g(a, 1)")
    long = size.measure_source(
        '"""A module."""\n\n\ndef function(argument):\n    """Do it."""\n    # a remark\n'
        "    return other(\n        argument,\n        1,\n    )\n"
    )
    assert short.nodes == long.nodes
    assert short.statements == long.statements == 2


def test_words_of_sql_in_a_string_count():
    text = size.measure_source('query = "all of the words"').nodes
    sql = size.measure_source('query = "select a, b from t"').nodes
    assert sql - text == len(["select", "a", ",", "b", "from", "t"])


@pytest.mark.parametrize("learners", ["baserate/learners", "baserate_learners"])
def test_learners_and_studies_have_lines_of_their_own(tmp_path, learners):
    for folder in ("baserate", "baserate/read", learners, "baserate_studies/deep"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "module.py").write_text("x = 1\n")
    folders = size.measure_folders(tmp_path)
    one = size.measure_source("x = 1\n")
    assert folders == {
        "baserate/": one,
        "baserate/read": one,
        "baserate_learners": one,
        "baserate_studies": one,
    }
    assert size.size_of_core(folders) == one + one
    assert size.size_of_core_and_learners(folders) == one + one + one
    names = [line.split("  ")[0] for line in size.format_table(folders).splitlines()]
    assert names[-4:] == [size.CORE, size.LEARNERS, size.STUDIES, size.TOTAL]


@pytest.mark.parametrize(
    ("nodes", "words"),
    [(90, "10 below the limit of 100"), (100, "0 below"), (1100, "1,000 ABOVE the limit of 100")],
)
def test_the_distance_from_the_limit_is_said(nodes, words):
    assert words in size.describe_limit(nodes, size.Limit(100))
    assert size.describe_limit(nodes, size.Limit(100, "Cut first")).endswith(
        "(raised until: Cut first)"
    )
