"""The pytest plugin in builds of their own: it fails them, passes them, and takes no part where
nobody asks.
"""

import os
import subprocess
import sys

import pytest
from tests.gates.files import BOTH, COMPARE, HEAD, REQUIRE, scored, settings

TEST = "def test_of_the_project():\n    pass\n"


def built(folder, *arguments):
    """A run of pytest as a build runs it: its exit status and what it prints."""
    (folder / "test_project.py").write_text(TEST)
    (folder / "pytest.ini").touch()
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "COLUMNS": "200",
        "PYTEST_ADDOPTS": "",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "baserate.gates.pytest_plugin",
        "-p",
        "no:cacheprovider",
        *arguments,
    ]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_build_passes(tmp_path):
    scored(tmp_path)
    settings(tmp_path)
    status, out = built(tmp_path, "--baserate", "-v")
    assert status == 0, out
    assert "baserate.toml::1. recall >= 0.5 of candidate, field" in out
    assert "3 passed" in out


def test_a_build_fails_with_the_sentence_and_no_traceback(tmp_path):
    scored(tmp_path, only_old=40, only_new=20)
    settings(tmp_path)
    status, out = built(tmp_path, "--baserate")
    assert status == 1
    assert "1 failed, 2 passed" in out
    assert "\nFailed: candidate against baseline in error: worse.\n" in out
    assert "FAILED baserate.toml::2. candidate against baseline by error, field" in out
    assert "Traceback" not in out
    assert "pytest_plugin.py" not in out


def test_nothing_is_checked_where_nobody_asks(tmp_path):
    settings(tmp_path)  # without cases, which a check would miss
    status, out = built(tmp_path)
    assert (status, "1 passed" in out) == (0, True)


def test_a_build_may_ask_in_its_settings(tmp_path):
    (tmp_path / "ci").mkdir()
    scored(tmp_path / "ci", only_old=40, only_new=20)
    settings(tmp_path / "ci")
    (tmp_path / "pytest.ini").write_text("[pytest]\nbaserate = ci/baserate.toml\n")
    status, out = built(tmp_path)
    assert (status, "1 failed, 2 passed" in out) == (1, True)


@pytest.mark.parametrize("wanted", ["compare", "require"])
def test_checks_are_selected_as_tests_are(tmp_path, wanted):
    scored(tmp_path, only_old=40, only_new=20)
    settings(tmp_path)
    status, out = built(
        tmp_path,
        "--baserate=baserate.toml",
        "-k",
        "against" if wanted == "compare" else "recall",
        ".",
    )
    assert (status, "2 deselected" in out) == (1 if wanted == "compare" else 0, True)


def test_input_that_cannot_be_judged_is_an_error_and_no_pass(tmp_path):
    settings(tmp_path)
    status, out = built(tmp_path, "--baserate")
    assert status == 1
    assert "1 passed, 2 errors" in out
    assert "scores.csv: No such file or directory" in out
    assert "Traceback" not in out
    scored(tmp_path)
    settings(tmp_path, BOTH.replace('"new"', '"gone"'))
    status, out = built(tmp_path, "--baserate")
    assert (status, "1 passed, 2 errors" in out, 'scores.csv: has no column "gone"' in out) == (
        1,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (
            BOTH.replace("label", "lable"),
            ("--baserate",),
            "BR841: baserate.toml: data.label is missing",
        ),
        (
            BOTH,
            ("--baserate=gone.toml",),
            "--baserate: gone.toml: No such file or directory. Fix: --baserate=FILE",
        ),
        (BOTH, ("--baserate", "."), "is not a regular file"),
        (
            BOTH,
            ("--baserate-markdown", "summary.md"),
            "--baserate-markdown: no checks are requested",
        ),
    ],
)
def test_wrong_settings_stop_the_build(tmp_path, text, arguments, said):
    scored(tmp_path)
    settings(tmp_path, text)
    status, out = built(tmp_path, *arguments)
    assert status == 4
    assert said in out
    assert "Traceback" not in out


def test_a_pinned_model_is_a_check_of_its_own(tmp_path):
    scored(tmp_path)
    settings(tmp_path, HEAD + f'[digests]\nbaseline = "{"0" * 64}"\n' + COMPARE)
    status, out = built(tmp_path, "--baserate")
    assert status == 1
    assert "ERROR baserate.toml::digests" in out
    assert "BR843" in out


def test_a_crash_is_an_error_with_its_traceback(tmp_path):
    scored(tmp_path)
    settings(tmp_path)
    (tmp_path / "conftest.py").write_text(
        "import baserate.gates.checks as r\nr.non_inferiority = lambda *a, **k: 1 / 0\n"
    )
    status, out = built(tmp_path, "--baserate", "--baserate-markdown", "summary.md")
    assert status == 1
    assert "ZeroDivisionError" in out
    assert (
        "**error**: 2. candidate against baseline by error, field. crashed: see the log"
        in (tmp_path / "summary.md").read_text()
    )


def test_a_summary_tells_every_check_also_one_that_did_not_run(tmp_path):
    scored(tmp_path)
    settings(tmp_path, HEAD + REQUIRE.replace("0.5", "0.99") + REQUIRE)
    status, _ = built(tmp_path, "--baserate", "--baserate-markdown", "summary.md", "-x")
    text = (tmp_path / "summary.md").read_text()
    assert status == 1
    assert text.startswith("### baserate: Failed: 2 of 2 checks\n")
    assert "**failed**: 1. recall &gt;= 0.99 of candidate, field. Failed. candidate: tpr" in text
    assert "**error**: 2. recall &gt;= 0.5 of candidate, field. was not run" in text


def test_a_summary_does_not_replace_a_file_of_another_kind(tmp_path):
    scored(tmp_path)
    settings(tmp_path)
    before = (tmp_path / "scores.csv").read_text()
    status, out = built(tmp_path, "--baserate", "--baserate-markdown", "scores.csv")
    assert (status, "scores.csv: exists and is not a summary of an earlier run" in out) == (4, True)
    assert (tmp_path / "scores.csv").read_text() == before


def test_a_summary_of_wrong_settings_says_what_is_wrong(tmp_path):
    (tmp_path / "summary.md").write_text("### baserate: Passed: 2 checks\n")
    settings(tmp_path, BOTH.replace("label", "lable"))
    assert built(tmp_path, "--baserate", "--baserate-markdown", "summary.md")[0] == 4
    assert "BR841: baserate.toml: data.label is missing" in (tmp_path / "summary.md").read_text()


def test_the_plugin_loads_nothing_of_size_until_it_is_used():
    heavy = ("numpy", "scipy", "click", "baserate.gates.settings")
    code = (
        f"import sys, baserate.gates.pytest_plugin; print([m for m in {heavy} if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
