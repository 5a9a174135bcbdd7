"""The checks of `baserate.toml` as items of a pytest run: `pytest --baserate`. Nothing is loaded
before that is requested.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from baserate.gates.checks import Entry, Reader
    from baserate.gates.settings import Check, Settings

SETTINGS = "baserate.toml"
ENTRY = "baserate"
Strings = Sequence[str]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--baserate [FILE]`, and `baserate = FILE` in the settings of pytest."""
    group = parser.getgroup("baserate", "checks of classifiers at the base rate of the field")
    text = (
        f"Run the checks of this file too ({SETTINGS} unless named; write --baserate=FILE where"
        " paths of tests follow)."
    )
    group.addoption(
        "--baserate", nargs="?", const=SETTINGS, default=None, metavar="FILE", help=text
    )
    group.addoption(
        "--baserate-markdown",
        default=None,
        metavar="FILE",
        help="Write a summary of these checks for the page of a change.",
    )
    parser.addini(
        "baserate",
        help="The file of checks that every run takes along, relative to the root.",
        default="",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Where checks are requested, take part in the run; a summary without checks would be taken for
    one of checks that pass.
    """
    given, named = config.getoption("baserate"), config.getini("baserate")
    summary = config.getoption("baserate_markdown")
    if given is None and not named:
        if summary is not None:
            raise pytest.UsageError(
                "--baserate-markdown: no checks are requested. Fix: --baserate."
            )
        return
    path = config.rootpath / named if given is None else config.invocation_params.dir / given
    config.pluginmanager.register(Build(path, summary), "baserate-checks")


class Build:
    """One run: its file of checks, and what they came to."""

    def __init__(self, path: Path, summary: str | None) -> None:
        self.path, self.summary = path, summary
        self.entries: dict[str, Strings] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Add one item a check behind the tests, first, so that -k and --deselect see them."""
        self.check_summary(session.config)
        try:
            checks = list(Checks.from_parent(session, path=self.path).collect())
        except pytest.UsageError as error:
            self.entries = {"": broken(self.path.name, str(error).splitlines())}
            raise
        self.entries = {item.nodeid: broken(item.name, ["was not run"]) for item in checks}
        items.extend(checks)

    def check_summary(self, config: pytest.Config) -> None:
        """Stop the run before anything is evaluated where the summary cannot be written."""
        if self.summary is not None:
            from baserate.errors import InputError
            from baserate.gates.checks import check_summary, lines_of

            try:
                check_summary(config.invocation_params.dir / self.summary)
            except InputError as error:
                self.summary = None
                raise pytest.UsageError("\n".join(lines_of(error))) from None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a check came to, also where it ran in another process."""
        found = dict(report.user_properties).get(ENTRY)
        if isinstance(found, str) and report.when == "setup":
            crashed = broken(report.nodeid.rpartition("::")[2], ["crashed: see the log"])
            self.entries[report.nodeid] = json.loads(found) or crashed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the summary."""
        if self.summary is not None and not hasattr(session.config, "workerinput"):
            from baserate.gates.checks import Entry, markdown, write_summary

            text = markdown([Entry(*entry) for entry in self.entries.values()])
            write_summary(session.config.invocation_params.dir / self.summary, text)


def broken(name: str, lines: Strings) -> Entry:
    """Return the entry of a check that was not evaluated."""
    from baserate.gates.checks import break_entry

    return break_entry(name, lines)


class Checks(pytest.File):
    """The file of settings."""

    def collect(self) -> Iterator[Item]:
        """Yield an item for each check."""
        from baserate.errors import InputError
        from baserate.gates.checks import Reader, lines_of, number_check
        from baserate.gates.settings import load

        here = Path.cwd()
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        try:
            settings = load(path)
        except InputError as error:
            raise pytest.UsageError("\n".join(lines_of(error))) from None
        except OSError as error:
            raise pytest.UsageError(
                f"--baserate: {path}: {error.strerror}. Fix: --baserate=FILE, the file of checks."
            ) from None
        ask = settings, Reader(settings.data)
        if settings.digests:
            yield Item.from_parent(self, name="digests", ask=ask)
        for number, check in enumerate(settings.checks, 1):
            yield Item.from_parent(self, name=number_check(number, check), ask=ask, check=check)


class Item(pytest.Item):
    """One check. It is evaluated where tests set up, so that input which cannot be evaluated is an
    error, and only a verdict can fail.
    """

    def __init__(
        self,
        *,
        name: str,
        parent: Checks,
        ask: tuple[Settings, Reader],
        check: Check | None = None,
    ) -> None:
        super().__init__(name, parent)
        self.settings, self.reader = ask
        self.check, self.failure = check, ""
        self.user_properties = [(ENTRY, "[]")]

    def setup(self) -> None:
        """Evaluate the check."""
        from baserate.errors import InputError
        from baserate.gates.checks import lines_of

        lines: list[str] = []
        try:
            entry = self.evaluate()
        except InputError as error:
            lines = lines_of(error)
        except OSError as error:
            lines = [f"{error.filename}: {error.strerror}"]
        if lines:
            entry = broken(self.name, lines)
        self.user_properties = [(ENTRY, json.dumps(entry))]
        if lines:
            pytest.fail("\n".join(lines), pytrace=False)

    def evaluate(self) -> Entry:
        """Return what the check came to; what was pinned passes unless it is refused."""
        from baserate.gates.checks import (
            PASSED,
            Entry,
            check_digests,
            describe,
            judge,
            make_entry,
        )

        if self.check is None:
            check_digests(self.settings, self.reader)
            return Entry(PASSED, self.name, "As pinned.")
        outcome = judge(self.check, self.reader, self.settings.seed)
        self.failure = "" if outcome.passed else describe(outcome)
        return make_entry(outcome, self.name)

    def runtest(self) -> None:
        """Fail with the words of the verdict, and no traceback."""
        if self.failure:
            pytest.fail(self.failure, pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return where the check stands."""
        return self.path, None, f"check {self.name}"
