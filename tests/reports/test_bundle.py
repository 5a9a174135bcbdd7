"""The committed bundle is what the sources give, small, and safe to stand inside a page."""

import json
import re

import pytest
from tests.reports.frontend import BUNDLE, FRONTEND, node

NAMES = ("report.js", "report.css")


@pytest.mark.parametrize("name", NAMES)
def test_the_bundle_is_what_the_sources_give_byte_for_byte(name, tmp_path):
    node("build.mjs", tmp_path)
    assert (tmp_path / name).read_bytes() == (BUNDLE / name).read_bytes(), (
        "run make report-ui and commit the bundle"
    )


def test_the_types_of_the_front_end_hold():
    assert node(FRONTEND / "node_modules" / "typescript" / "bin" / "tsc", "--noEmit") == ""


def test_the_front_end_passes_its_own_tests(tmp_path):
    node("build.mjs", "core", FRONTEND / "build")
    said = node("--test", "tests/core.test.mjs")
    assert re.search(r"^# fail 0$", said, flags=re.MULTILINE)


def test_script_and_style_stay_far_below_two_hundred_kilobytes():
    assert (
        sum((BUNDLE / name).stat().st_size for name in NAMES) <= 148_000
    )  # with the sentence, the scores, the slices and every curve


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_the_bundle_ends_the_element_that_it_stands_in_or_asks_for_anything(name):
    text = (BUNDLE / name).read_text("utf-8")
    assert not re.search(r"</script|</style|<!--", text, flags=re.IGNORECASE)
    assert not re.search(
        r"\beval\(|new Function|\bfetch\(|XMLHttpRequest|innerHTML|@import|url\((?!#)", text
    )
    assert set(re.findall(r"https?://[^\"'`\s)]*", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_lock_names_no_host_and_every_package_by_its_digest():
    packages = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    assert all("resolved" not in package for package in packages.values())
    assert all(
        package.get("integrity", "").startswith("sha512-")
        for path, package in packages.items()
        if path
    )


def test_no_code_of_others_is_in_the_bundle_so_no_notice_has_to_travel_with_it():
    assert "dependencies" not in json.loads((FRONTEND / "package.json").read_text())
    sources = (FRONTEND / "src").rglob("*.ts")
    found = [re.findall(r'from "([^"]+)"', path.read_text("utf-8")) for path in sources]
    assert all(name.startswith(".") for names in found for name in names)
