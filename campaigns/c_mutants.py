"""The same for the C sources: one operator, number or statement is changed, the extension is
compiled again, and the tests that use it are run.

    python campaigns/c_mutants.py kernels 0 20           the first 20 of a random order
    python campaigns/c_mutants.py kernels again < texts  those whose texts are given

Mutants are made inside functions and macros that stand for them. One that does not compile, or to
the same machine code, is none. The tests are loaded once; in a fork for each mutant the functions
of the changed extension replace those that were built. Files are read in that process.
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from campaigns import mutants

# The parts: the extension, its files, and its tests.
PARTS = {
    "kernels": (
        "baserate.kernels._kernels",
        ("kernels/_kernels.c", "kernels/*.h"),
        ("tests/kernels", "tests/laws/test_counting.py"),
    ),
}  # fmt: skip
FLAGS = ("-shared", "-fPIC", "-O1", "-g0", "-ffp-contract=off", "-w")
USE = 3  # the group of FUNCTION that is the use of a macro
AROUND = 30  # characters shown on either side of a change

# ----------------------------------------------------------------------
# What may be changed, and into what.

SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
           "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "&": "|", "|": "&",
           "^": "&", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
           "|=": "&=", ">>=": "<<="}  # fmt: skip
SPACED = "|".join(map(re.escape, sorted(SWAPPED, key=len, reverse=True)))
NO_STATEMENT = "return|for|while|if|else|switch|case|do"
# Operators between operands have a space on either side; pointers and signs do not.
CHANGES: tuple[tuple[str, Callable[[str], str]], ...] = (
    (rf"(?<=\s)(?:{SPACED})(?=\s)", lambda was: SWAPPED[was]),
    (r"\+\+|--", lambda was: "--" if was == "++" else "++"),
    (r"[!~](?!=)|(?<=[\s(])-(?=[\w(])", lambda _: ""),
    (r"(?<![\w.])\d+(?=u?\b(?!\.|;))", lambda was: str(int(was) + 1)),
    (r"(?<![\w.])\d+(?=u?;)", lambda was: "0" if was == "1" else str(int(was) + 1)),  # a truth
    (r"(?<=if \()\w+(?=\))|(?<=[=(,] )\w+(?= \? )", lambda was: f"!{was}"),
    (r"\b(?:break|continue)(?=;)", lambda was: "break" if was == "continue" else "continue"),
    # A statement that is a call or an assignment.
    (rf"(?<=[;{{}})\\]\n) +(?!(?:{NO_STATEMENT})\b)(?:[*\w]\S* [-+*/|^&]?= |\w+\()[^;{{}}]*(?=;)",
     lambda _: ""),
)  # fmt: skip
NO_CODE = re.compile(
    r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''  # comments and texts
    r"|^#(?!define.*\\$).*?$"  # what is for the preprocessor alone
    r"|^ +(?:unsigned long long|\w+) \*?\w+\[\d+\]",  # how long an array is
    re.DOTALL | re.MULTILINE,
)
# A macro of several lines, a function, or the use of a macro that makes one.
FUNCTION = re.compile(
    r"^#define (\w+)\(.*\\\n(?:.*\\\n)*.*$"
    r"|^(?:static|VECTORS|PyMODINIT_FUNC)\b[^;=\n(]*?(?:NAMED\()?(\w+)\)?\([^;]*?\{"
    r"(?:.*\}$|[^\0]*?^\})"
    r"|^([A-Z_]+)\(.*\)$",
    re.MULTILINE,
)


class Mutant(NamedTuple):
    """The change of one stretch of a file."""

    file: str
    function: str
    line: int
    begin: int
    end: int
    new: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.was}  →  {self.now}"


def order_of(part: str, order: str = "first") -> list[Mutant]:
    """Every change of a part, in a random order that is always the same."""
    return mutants.in_order([mutant for path in files(part) for mutant in _of(path)], order)


def files(part: str) -> list[Path]:
    """The C file of an extension, and its headers."""
    return [path for pattern in PARTS[part][1] for path in sorted(mutants.SOURCE.glob(pattern))]


def _of(path: Path) -> Iterator[Mutant]:
    text, name = path.read_text(), str(path.relative_to(mutants.SOURCE))
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for function in FUNCTION.finditer(code):
        for pattern, change in CHANGES:
            for found in re.compile(pattern).finditer(code, *function.span()):
                begin, end = found.end() - len(found[0].lstrip()), found.end()
                new, line = change(found[0]), text.count("\n", 0, begin) + 1
                shown = _shown(text, begin, end, new)
                yield Mutant(name, function[function.lastindex], line, begin, end, new, *shown)


def _shown(text: str, begin: int, end: int, new: str) -> tuple[str, str]:
    """What stands there, and what instead, with what is beside it on the line."""
    ahead = text[:begin].rpartition("\n")[2][-AROUND:]
    behind = text[end:].partition("\n")[0][:AROUND].rstrip("\\ ")
    texts = (ahead + text[begin:end] + behind, ahead + new + behind)
    was, now = (re.sub(r"[\s\\]+", " ", one).strip() for one in texts)
    return was, now


def compiled(part: str, mutant: Mutant | None, folder: Path) -> Path | None:
    """The extension with this change; None where it does not compile."""
    for path in files(part):
        shutil.copy(path, folder)
    if mutant:
        path = folder / Path(mutant.file).name
        text = path.read_text()
        path.write_text(text[: mutant.begin] + mutant.new + text[mutant.end :])
    made = folder / f"{'changed' if mutant else 'sound'}.so"
    include = sysconfig.get_paths()["include"]
    command = [sysconfig.get_config_var("CC") or "cc", *FLAGS, "-I", include, "-o", str(made)]
    done = subprocess.run([*command, files(part)[0].name], cwd=folder, capture_output=True,
                          check=False)  # fmt: skip
    return None if done.returncode else made


def put(part: str, path: Path) -> None:
    """The functions of this extension in the place of those that were built."""
    name = PARTS[part][0]
    loader = ExtensionFileLoader(name, str(path))
    made = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(made)
    there = vars(sys.modules[name])
    for key in [key for key in there if not key.startswith("__")]:
        del there[key]
    there |= {key: value for key, value in vars(made).items() if not key.startswith("__")}
    assert all(one.__self__.__file__ == str(path) for one in there.values()
               if isinstance(one, BuiltinFunctionType))  # fmt: skip


# ----------------------------------------------------------------------
# Running them.


def reached(part: str) -> dict[str, set[str]]:
    """Of each function that Python calls: the names of all that it may call in turn."""
    text, known = "\n".join(path.read_text() for path in files(part)), dict[str, set[str]]()
    for found in FUNCTION.finditer(NO_CODE.sub(" ", text)):
        name = found[found.lastindex or 0]
        if found.lastindex == USE:  # the first argument is the name of the function
            name = found[0].partition("(")[2].partition(",")[0]
        known.setdefault(name, set()).update(re.findall(r"\w+(?=[()])|(?<=[?:] )\w+", found[0]))
    entries = re.findall(r'\{"(\w+)", (\w+), METH', text)
    return {entry: _closed(function, known) for entry, function in entries}


def _closed(first: str, known: dict[str, set[str]]) -> set[str]:
    todo, found = [first], set[str]()
    while todo:
        word = todo.pop()
        for name in {word, re.sub("_(i64|i32|sums|two_sums)$", "", word)} - found:
            found.add(name)
            todo += known.get(name, ())
    return found


class Judge(mutants.Judge):
    """Runs, for each mutant, the tests that call its function in a fork, the fastest first."""

    seconds = 20

    def __init__(self, part: str, drawn: list[Mutant], folder: Path) -> None:
        self.part, self.own, self.folder, self.drawn = part, PARTS[part][2][:1], folder, drawn
        self.verdicts, self.reached = list[tuple[Any, str]](), reached(part)
        self.sound, self.failed = compiled(part, None, folder), None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        from baserate.read import source

        source.is_confined = lambda *_: False  # no reader has another process
        self.tests = self.timed(session.items)
        for mutant in self.drawn:
            made = compiled(self.part, mutant, self.folder)
            if made and made.read_bytes() != self.sound.read_bytes():
                verdict = self.forked(mutant, self.chosen(mutant, session.items), made)
                self.verdicts.append((mutant, verdict))
                print(f"{verdict:9} {mutant}", file=sys.stderr, flush=True)
        return True

    def chosen(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        callers = {one for one, names in self.reached.items() if mutant.function in names}
        return self.fastest([
            item for item in items
            if {*self.tests.get(item.nodeid, (0, ()))[1]} & (callers or {*self.reached})
        ])  # fmt: skip

    def mutate(self, _: Mutant, made: Path) -> None:
        try:
            put(self.part, made)
        except (ImportError, SystemError):  # any test would fail
            os._exit(1)

    def timed(self, items: list[pytest.Item]) -> dict[str, Any]:
        """The seconds of every test with the sources as they are, and what it calls."""
        path = self.folder / "tests.json"
        if not os.fork():
            put(self.part, self.sound)
            found, self.failed, calls = dict[str, Any](), set[str](), set[str]()
            module = sys.modules[PARTS[self.part][0]]
            for name in self.reached:
                setattr(module, name, noting(name, getattr(module, name), calls))
            for item, after in zip(items, [*items[1:], None], strict=True):
                began = time.process_time()
                calls.clear()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                found[item.nodeid] = time.process_time() - began, sorted(calls)
            quick = {test: seen for test, seen in found.items() if seen[0] < mutants.TOO_LONG}
            path.write_text(json.dumps([quick, sorted(self.failed)]))
            os._exit(0)
        os.wait()
        found, failed = json.loads(path.read_text())
        assert not failed, f"tests fail without a mutant: {failed}"
        return found

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.failed is None:
            os._exit(1)
        elif report.failed:
            self.failed.add(report.nodeid)


def noting(name: str, function: Any, calls: set[str]) -> Any:
    """The function, which notes that it is called."""

    def called(*given: Any) -> Any:
        calls.add(name)
        return function(*given)

    return called


def judged(part: str, drawn: list[Mutant]) -> list[tuple[Mutant, str]]:
    """The verdict on these mutants."""
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(part, drawn, Path(folder))
        pytest.main([*mutants.PYTEST, "-p", "no:faulthandler", *PARTS[part][2]], plugins=[judge])
    return judge.verdicts


if __name__ == "__main__":
    mutants.main(order_of, judged, *sys.argv[1:])
