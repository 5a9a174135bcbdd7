"""Names, layers and what an import costs: the promises of the package as a whole."""

import importlib
import inspect
import json
import pkgutil
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import baserate
import baserate_learners
import baserate_studies
from baserate.kernels import best

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def submodules():
    return [
        module.name
        for module in pkgutil.walk_packages(baserate.__path__, "baserate.")
        if not module.name.endswith("__main__")
    ]


SPACES = ["", *baserate.NAMESPACES]


def home(space):
    return importlib.import_module(f"baserate.{space}" if space else "baserate")


@pytest.mark.parametrize("space", SPACES)
def test_names_are_those_of_the_stub_that_type_checkers_read(space):
    named = [*baserate.read_stub(baserate.stub_of(space))]
    assert named
    own = [] if space else ["__version__"]
    assert home(space).__all__ == sorted([*own, *named])
    assert dir(home(space)) == sorted([*own, *named, *(() if space else baserate.NAMESPACES)])
    for name, module in baserate.read_stub(baserate.stub_of(space)).items():
        defined = importlib.import_module(module)
        assert getattr(home(space), name) is getattr(defined, name)


def test_there_are_few_names_at_the_top():
    assert len(baserate.__all__) <= 85


def test_no_public_name_is_that_of_a_module_beside_it():
    """An import of the module would replace the name."""
    for name in submodules():
        if name != "baserate.kernels.compiled" or best.NAME == "C":
            importlib.import_module(name)
    for package in (*map(home, SPACES), baserate_learners, baserate_studies):
        modules = {module.name for module in pkgutil.iter_modules(getattr(package, "__path__", []))}
        assert not modules & set(package.__all__)
        assert all(not inspect.ismodule(getattr(package, name)) for name in package.__all__)


def test_import_loads_no_optional_or_slow_dependency():
    code = (
        "import sys, json, baserate; print(json.dumps(sorted({m.split('.')[0] for m in"
        " sys.modules})))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = {
        "scipy",
        "sklearn",
        "matplotlib",
        "duckdb",
        "pyspark",
        "pandas",
        "polars",
        "pyarrow",
        "narwhals",
        "click",
        "csv",
        "asyncio",
    }
    assert not slow & set(json.loads(run.stdout))


def test_counting_arrays_loads_no_dataframe_library():
    code = (
        "import sys, json, baserate; baserate.count([0, 1], [1, 2]); print(json.dumps('narwhals' in"
        " sys.modules))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "false"
    )


def test_counting_a_file_loads_little_more_than_its_reader(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,s\n" + "0,0.25\n1,0.75\n" * 100_000)  # read in a process of its own
    code = (
        "import sys, json, baserate; baserate.count(sys.argv[1], label='y', score='s');"
        " print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    unneeded = {"duckdb", "numpy.ma", "sqlite3", "scipy", "baserate.conditions", "baserate.curves"}
    assert not unneeded & set(json.loads(run.stdout))


@pytest.mark.parametrize("space", SPACES)
def test_every_public_name_says_what_it_is_for(space):
    undocumented = [
        name
        for name in home(space).__all__
        if name != "__version__" and not inspect.getdoc(getattr(home(space), name))
    ]
    assert undocumented == []


def test_codes_of_problems_and_notes_are_documented():
    """docs/reference/codes.md lists every code that the sources can show, and no other."""
    used = {code for path in SOURCES for code in re.findall(r'"(BR\d{3})"', path.read_text())}
    listed = re.findall(
        r"^\| (BR\d{3}) \|",
        (ROOT / "docs" / "reference" / "codes.md").read_text(),
        flags=re.MULTILINE,
    )
    assert len(listed) == len(set(listed))
    assert used == set(listed)


def test_the_version_agrees_everywhere():
    assert f'version: "{baserate.__version__}"' in (ROOT / "CITATION.cff").read_text()
    assert f"## {baserate.__version__}" in (ROOT / "CHANGELOG.md").read_text()


DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "benchmarks").glob("*.md"),
    *(ROOT / "reference").glob("*.md"),
]
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)")


def anchors(document):
    """What a link into this page may name: its headings, as GitHub and MkDocs write them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), flags=re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-") for words in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_the_documents_lead_somewhere(document):
    for path, anchor in LINK.findall(document.read_text()):
        target = document.parent / path if path else document
        assert target.exists(), path
        assert target.is_dir() or target.stat().st_size, path
        if anchor:
            assert anchor in anchors(target), f"{path}#{anchor}"


@pytest.mark.parametrize("name", ["measures", "curves", "reference"])
def test_generated_pages_are_what_the_package_gives(name):
    generator = runpy.run_path(str(ROOT / "tools" / "docs" / f"{name}.py"))
    assert generator["page"]() == generator["PAGE"].read_text(), "run: make docs"


def test_everything_the_names_table_promises_is_in_the_glossary():
    glossary = (ROOT / "docs" / "reference" / "glossary.md").read_text()
    for name in (
        "tpr",
        "fpr",
        "precision",
        "npv",
        "posfrac",
        "prior",
        "skew",
        "effective_prior",
        "expected_cost",
        "threshold",
        "hull",
        "case",
    ):
        assert f"`{name}`" in glossary


def test_every_learner_says_what_it_is_for():
    assert all(
        inspect.getdoc(getattr(baserate_learners, name)) for name in baserate_learners.__all__
    )
    assert dir(baserate_learners) == sorted(baserate_learners.__all__)


@pytest.mark.parametrize(
    ("name", "home"), [("MetaCost", "baserate_learners"), ("count_folds", "baserate")]
)
def test_the_old_place_of_a_learner_names_the_new_one(name, home):
    with pytest.raises(ImportError, match=f"from {home} import {name}$"):
        getattr(baserate.learners, name)
