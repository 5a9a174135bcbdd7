"""Names, layers and what an import costs: the promises of the package as a whole."""

import importlib.util
import inspect
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import baserate
import baserate.learners
import baserate_studies
from baserate.kernels import best

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

PUBLIC = {
    "AmountChoice",
    "AmountPoint",
    "Amounts",
    "Apart",
    "BRocDisplay",
    "Band",
    "Baseline",
    "Border",
    "Bounds",
    "BrierCurveDisplay",
    "Calibration",
    "Cases",
    "Change",
    "Check",
    "Choice",
    "Conditions",
    "Confusion",
    "CostCurveDisplay",
    "CostThresholdDisplay",
    "Costs",
    "Counts",
    "Crossing",
    "Curve",
    "Cut",
    "Day",
    "Days",
    "Decision",
    "DecisionCurveDisplay",
    "Decomposition",
    "Detectable",
    "Difference",
    "Distribution",
    "Doubt",
    "Draws",
    "Expectation",
    "Figure",
    "Fixed",
    "FoldCurve",
    "FoldMean",
    "GainDisplay",
    "GroupedCounts",
    "Held",
    "Infeasible",
    "InputError",
    "Interval",
    "IsoCost",
    "Isoline",
    "JointCounts",
    "KsDisplay",
    "LabelErrors",
    "Lead",
    "Leaders",
    "Learning",
    "Ledger",
    "LiftDisplay",
    "LogNormal",
    "LogUniform",
    "Measure",
    "Mixed",
    "Note",
    "OperatingPoint",
    "Outlook",
    "Panel",
    "Part",
    "Pilot",
    "Points",
    "PosfracDisplay",
    "PrGainDisplay",
    "PriorEstimate",
    "Range",
    "Rates",
    "Reading",
    "Regression",
    "Regret",
    "Report",
    "Requirement",
    "ShiftCheck",
    "Slice",
    "Slices",
    "Solved",
    "Source",
    "Stability",
    "Stretch",
    "Summary",
    "Superiority",
    "Support",
    "Triage",
    "Uncertain",
    "Undefined",
    "Unlabelled",
    "Verified",
    "Win",
    "WinnerMap",
    "__version__",
    "amount_cost_curve",
    "amount_intervals",
    "amount_missed_curve",
    "auc",
    "auc_bounds",
    "auprc",
    "average_curve",
    "average_precision",
    "band",
    "brier",
    "brier_curve",
    "brier_decomposition",
    "broc",
    "broc_mapping_figure",
    "broc_panel",
    "by_day",
    "by_group",
    "calibrate",
    "calibration_error",
    "cases_for_auc",
    "cases_for_mcnemar",
    "cases_needed",
    "check_label_shift",
    "choose",
    "choose_amount",
    "choose_amount_model",
    "choose_model",
    "compare",
    "compare_all",
    "compare_auc_file",
    "compare_frame",
    "correct_prior",
    "correct_probabilities",
    "cost_area",
    "cost_curve",
    "cost_lines",
    "cost_panel",
    "cost_threshold_curve",
    "cost_threshold_panel",
    "count",
    "count_amounts",
    "count_amounts_file",
    "count_classes",
    "count_chunks",
    "count_days",
    "count_days_file",
    "count_file",
    "count_frame",
    "count_groups",
    "count_groups_file",
    "count_groups_frame",
    "count_models",
    "count_models_file",
    "count_models_frame",
    "curve_panel",
    "count_unlabelled",
    "count_unlabelled_file",
    "decide",
    "decision_curve",
    "decision_panel",
    "density_panel",
    "det",
    "det_panel",
    "difference_band",
    "difference_panel",
    "estimate_prior",
    "expect",
    "expect_curve",
    "family",
    "fix",
    "flag_amount_at",
    "flag_at",
    "fold_mean",
    "gain_curve",
    "gain_panel",
    "gini",
    "guess",
    "h_measure",
    "histogram_panel",
    "ideal_baseline",
    "interval",
    "iso_cost_line",
    "isoline",
    "isoline_figure",
    "ks",
    "ks_curve",
    "label_error_table",
    "leaders_within",
    "lift_curve",
    "lift_panel",
    "load",
    "log_loss",
    "macro",
    "mcnemar_p",
    "measure",
    "min_cost",
    "npv_prior_curve",
    "outcome_tree_panel",
    "partial_auc",
    "posfrac_curve",
    "posfrac_panel",
    "power_to_show",
    "pr",
    "pr_gain",
    "pr_panel",
    "precision_prior_curve",
    "rate_interval",
    "regression",
    "regret",
    "reliability_curve",
    "reliability_panel",
    "report",
    "require",
    "roc",
    "roc_hull",
    "roc_panel",
    "scatter_panel",
    "smallest_detectable",
    "smallest_rate_shown",
    "solve_rates",
    "stability",
    "strip_weights",
    "strips_panel",
    "superiority",
    "support",
    "sweep",
    "to_broc",
    "trace",
    "triage",
    "under_label_errors",
    "under_verification",
    "value_of_learning",
    "weighted_auc",
    "weighted_auc_chance",
    "weighted_cost_area",
    "weighted_pr_area",
    "winner_map",
    "winner_map_panel",
    "winners",
}


def submodules():
    return [
        module.name
        for module in pkgutil.walk_packages(baserate.__path__, "baserate.")
        if not module.name.endswith("__main__")
    ]


def test_the_public_names_are_these():
    """A change here is a change of the contract: write it into the changelog."""
    assert set(baserate.__all__) == PUBLIC


def test_type_checkers_and_the_package_find_every_name_in_the_same_place():
    text = (ROOT / "src" / "baserate" / "__init__.py").read_text()
    imports = re.findall(
        r"^    from baserate\.([\w.]+) import (\([^)]*\)|[^\n]+)", text, flags=re.MULTILINE
    )
    typed = {name: module for module, names in imports for name in re.findall(r"\w+", names)}
    assert typed == baserate._MODULE_OF
    assert set(typed) | {"__version__"} == PUBLIC


def test_no_public_name_is_that_of_a_module_beside_it():
    """An import of the module would replace the name."""
    for name in submodules():
        if name != "baserate.kernels.compiled" or best.NAME == "C":
            importlib.import_module(name)
    for package in (baserate, baserate.learners, baserate_studies):
        modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
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
        "rich",
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


def test_every_public_name_says_what_it_is_for():
    undocumented = [
        name
        for name in baserate.__all__
        if name != "__version__" and not inspect.getdoc(getattr(baserate, name))
    ]
    assert undocumented == []


def test_codes_of_problems_and_notes_are_documented():
    """docs/codes.md lists every code that the sources can show, and no other."""
    used = {code for path in SOURCES for code in re.findall(r'"(BR\d{3})"', path.read_text())}
    listed = re.findall(
        r"^\| (BR\d{3}) \|", (ROOT / "docs" / "codes.md").read_text(), flags=re.MULTILINE
    )
    assert len(listed) == len(set(listed))
    assert used == set(listed)


def test_the_version_agrees_everywhere():
    assert f'version: "{baserate.__version__}"' in (ROOT / "CITATION.cff").read_text()
    assert f"## {baserate.__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "CONTRIBUTING.md",
        "docs/how-it-works.md",
        "docs/glossary.md",
        "docs/file-format.md",
        "docs/codes.md",
        "docs/choosing.md",
        "docs/amounts.md",
        "docs/measures.md",
        "docs/curves.md",
        "docs/gallery.md",
        "docs/studies.md",
        "docs/bad-inputs.md",
        "docs/gates.md",
        "docs/notebooks.md",
        "docs/peers.md",
        "docs/report.md",
        "docs/guarantees.md",
        "docs/uncertainty.md",
        "docs/deciding.md",
        "benchmarks/README.md",
    ],
)
def test_links_between_the_documents_lead_somewhere(path):
    document = ROOT / path
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
    found = [document.parent / target for target in targets]
    assert [
        str(target)
        for target in found
        if not target.exists() or (target.is_file() and not target.stat().st_size)
    ] == []


@pytest.mark.parametrize("name", ["measures", "curves"])
def test_generated_pages_are_what_the_package_gives(name):
    spec = importlib.util.spec_from_file_location(f"{name}_page", ROOT / "docs" / f"{name}.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert generator.page() == (ROOT / "docs" / f"{name}.md").read_text(), "run: make docs"


def test_everything_the_names_table_promises_is_in_the_glossary():
    glossary = (ROOT / "docs" / "glossary.md").read_text()
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
