"""The checks of `baserate.toml` as items of a pytest run: `pytest --baserate`. Nothing is loaded
before that is requested.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from baserate.gates.checks import Reader, Row
    from baserate.gates.settings import Comparison, Demand, Settings

SETTINGS = "baserate.toml"
ROWS = "baserate"
NOT_RUN = "was not run"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--baserate [FILE]`, or `baserate = FILE` in the settings of pytest."""
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
    given, named, summary = (
        config.getoption("baserate"),
        config.getini("baserate"),
        config.getoption("baserate_markdown"),
    )
    if given is not None:
        config.pluginmanager.register(
            Build(config.invocation_params.dir / given, summary), "baserate-checks"
        )
    elif named:
        config.pluginmanager.register(Build(config.rootpath / named, summary), "baserate-checks")
    elif summary is not None:
        raise pytest.UsageError("--baserate-markdown: no checks are requested. Fix: --baserate.")


class Build:
    """One run: its file of checks, and what they came to."""

    def __init__(self, path: Path, summary: str | None) -> None:
        self.path, self.summary = path, summary
        self.rows: dict[str, list[list[str]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """One item a check, behind the tests; added first, so that -k and --deselect see them."""
        self._check_summary(session.config)
        try:
            checks = list(Checks.from_parent(session, path=self.path).collect())
        except pytest.UsageError as error:
            self.rows = {"": _broken(self.path.name, str(error).splitlines())}
            raise
        self.rows = {item.nodeid: _broken(item.name, [NOT_RUN]) for item in checks}
        items.extend(checks)

    def _check_summary(self, config: pytest.Config) -> None:
        """A summary that cannot be written stops the run before anything is evaluated."""
        if self.summary is not None:
            from baserate.errors import InputError
            from baserate.gates.checks import check_summary, lines_of

            try:
                check_summary(config.invocation_params.dir / self.summary)
            except InputError as error:
                self.summary = None
                raise pytest.UsageError("\n".join(lines_of(error))) from None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What a check came to, also where it ran in another process."""
        found = dict(report.user_properties).get(ROWS)
        if isinstance(found, str) and report.when == "setup":
            crashed = _broken(report.nodeid.rpartition("::")[2], ["crashed: see the log"])
            self.rows[report.nodeid] = json.loads(found) or crashed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.summary is not None and not hasattr(session.config, "workerinput"):
            from baserate.gates.checks import Row, markdown, write_summary

            rows = [Row(*row) for rows in self.rows.values() for row in rows]
            write_summary(session.config.invocation_params.dir / self.summary, markdown(rows))


def _broken(name: str, lines: Sequence[str]) -> list[list[str]]:
    from baserate.gates.checks import broken

    return [list(row) for row in broken(name, lines)]


class Checks(pytest.File):
    """The file of settings."""

    def collect(self) -> Iterator[Item]:
        from baserate.errors import InputError
        from baserate.gates.checks import Reader, lines_of, numbered
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
        reader = Reader(settings.data)
        if settings.digests:
            yield Item.from_parent(self, name="digests", ask=(settings, reader))
        for i, check in enumerate(settings.checks, 1):
            yield Item.from_parent(
                self, name=numbered(i, check), ask=(settings, reader), check=check
            )


class Item(pytest.Item):
    """One check. It is evaluated where tests set up, so that input which cannot be evaluated is an
    error, and only a verdict can fail.
    """

    def __init__(
        self, *, ask: tuple[Settings, Reader], check: Demand | Comparison | None = None, **rest: Any
    ) -> None:
        super().__init__(**rest)
        self.settings, self.reader = ask
        self.check, self.failure = check, ""
        self.user_properties = [(ROWS, "[]")]

    def setup(self) -> None:
        from baserate.errors import InputError
        from baserate.gates.checks import lines_of

        try:
            rows: Sequence[Sequence[str]] = self._judged()
            failed = ""
        except (InputError, OSError) as error:
            lines = (
                lines_of(error)
                if isinstance(error, InputError)
                else [f"{error.filename}: {error.strerror}"]
            )
            rows, failed = _broken(self.name, lines), "\n".join(lines)
        self.user_properties = [(ROWS, json.dumps([list(row) for row in rows]))]
        if failed:
            pytest.fail(failed, pytrace=False)

    def _judged(self) -> list[Row]:
        from baserate.gates.checks import PASSED, Row, check_digests, judge, rows_of, text

        if self.check is None:
            check_digests(self.settings, self.reader)
            return [Row(PASSED, self.name, "", "", "", "as pinned")]
        outcome = judge(self.check, self.reader, self.settings.seed)
        self.failure = "" if outcome.passed else text(outcome)
        return rows_of(outcome, self.name)

    def runtest(self) -> None:
        """Fail with the words of the verdict, and no traceback."""
        if self.failure:
            pytest.fail(self.failure, pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"check {self.name}"
