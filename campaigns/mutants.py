"""Do the tests notice a mistake? One operator, number or statement of the core is changed, and the
tests that run that line are run.

    python campaigns/mutants.py counts 0 25            the first 25 of a random order
    python campaigns/mutants.py counts 0 25 second     of another one
    python campaigns/mutants.py counts again < texts   those whose texts are given

An order is always the same, and a change of the sources leaves that of the other mutants as it is.
Each part of the sources has its own tests, which judge first, and those of the whole, which judge
after them. They are loaded once; each mutant is a fork of that process in which the code of one
function is replaced. Which tests run which lines is found once, under coverage, and kept in build/.
Mutants are made inside functions only, not in messages (f-strings) nor in what runs while modules
load.
"""

import ast
import gc
import hashlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest

import coverage

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "baserate"
KNOWN = ROOT / "build" / "tests_of_lines.json"
# The parts: their files, and their own tests.
PARTS = {
    "counts": (
        ("counts/*.py", "kernels/portable.py"),
        ("tests/counts", "tests/kernels", "tests/laws", "src/baserate/counts"),
    ),
    "measures": (
        ("measures/*.py",),
        ("tests/measures", "tests/decisions/test_calculator.py", "tests/decisions/test_isolines.py",
         "tests/decisions/test_exact_along.py", "tests/decisions/test_without_prior.py",
         "tests/test_published_rates.py", "src/baserate/measures"),
    ),
    "read": (
        ("read/cases.py",),
        tuple(f"tests/read/test_{name}.py" for name in ("bad_labels", "bad_scores", "bad_weights",
              "classes", "many_rows", "treatments", "frames", "answers", "peers"))
        + tuple(f"tests/bad_inputs/test_{name}.py" for name in ("a_labels", "b_scores",
                "c_weights")),
    ),
    "decisions": (
        ("decisions/*.py",),
        ("tests/decisions", "tests/curves/test_decisions_at_priors.py",
         "tests/segments/test_unlabelled_alerts.py", "src/baserate/decisions"),
    ),
    "inference": (("inference/*.py",), ("tests/inference", "src/baserate/inference")),
}  # fmt: skip
# The tests of the whole: what a mutant of any part can be found by. Not all tests: those of
# reports, drawings and files of many kinds cost much, and are about other parts.
WHOLE = ("tests/laws", "tests/api", "tests/counts", "tests/measures", "tests/decisions",
         *(f"tests/curves/test_{name}.py" for name in ("points", "values", "threshold_table",
           "summary_values")),
         *(f"tests/cli/test_{name}.py" for name in ("amounts", "calc", "choose", "choose_on_test",
           "clusters", "compare", "curve", "decide", "expect", "gate", "gate_requirements",
           "intervals", "plan", "prior", "slices", "table")),
         "tests/test_costs.py", "tests/test_conditions.py", "tests/test_uncertain.py",
         "tests/test_designs.py")  # fmt: skip
PYTEST = ("-q", "-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:xdist", "--no-header", "-rN")
SECONDS, HANGS = 10, 30  # no new test is begun after the first, and the second is no end
SOUND = 2  # as the first, for tests without a mutant
UNSOUND = 99  # the exit status where a mutant could not be made
TOO_LONG = 2  # seconds of processor time under coverage: such a test judges no mutants
SOON = 0.001

# ----------------------------------------------------------------------
# What may be changed, and into what.

SWAPPED: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
PAIRS = (("min", "max"), ("any", "all"), ("minimum", "maximum"), ("floor", "ceil"),
         ("left", "right"), ("argmin", "argmax"))  # fmt: skip
RENAMED = {old: new for pair in PAIRS for old, new in (pair, pair[::-1])}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Mutant(NamedTuple):
    """The change of one node; `place` numbers the nodes of a file."""

    file: str
    function: str
    line: int
    end: int
    place: int
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.was}  →  {self.now}"


def mutants(part: str, order: str = "first") -> list[Mutant]:
    """Every mutant of a part, in a random order that is always the same: that of the digests of
    their texts.
    """
    return in_order([mutant for path in mutated_files(part) for mutant in _of(path)], order)


def in_order(found: list[Any], order: str) -> list[Any]:
    keys, alike = dict[Any, str](), dict[str, int]()
    for mutant in found:
        text = f"{mutant.file} {mutant.function}: {mutant.was} → {mutant.now}"
        alike[text] = alike.get(text, 0) + 1
        keys[mutant] = hashlib.sha256(f"{order} {alike[text]} {text}".encode()).hexdigest()
    return sorted(found, key=keys.__getitem__)


def mutated_files(part: str) -> list[Path]:
    return sorted(path for pattern in PARTS[part][0] for path in SOURCE.glob(pattern))


def _of(path: Path) -> Iterator[Mutant]:
    text, name = path.read_text(), str(path.relative_to(SOURCE))
    for place, (function, node) in enumerate(_nodes(ast.parse(text))):
        was = _first_line(node)
        if _change(node):
            last = getattr(node, "test", node).end_lineno
            yield Mutant(name, function, node.lineno, last, place, was, _first_line(node))


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _nodes(tree: ast.Module) -> list[tuple[str, Any]]:
    """What functions do, each part with the function: no annotations, decorators, defaults or
    docstrings, and no messages.
    """
    return list(_walked(tree, ""))


def _walked(node: Any, function: str) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ast.JoinedStr | ast.arguments):
        return
    children = ast.iter_child_nodes(node)
    if isinstance(node, DEFINITIONS):
        function = function if isinstance(node, ast.ClassDef) else node.name
        children = iter(node.body)
    elif function and isinstance(node, ast.expr | ast.stmt):
        yield function, node
    for child in children:
        if child is not getattr(node, "annotation", None):
            yield from _walked(child, function)


def _change(node: Any) -> bool:
    """Change a node in place, if it is of a kind that is changed."""
    return _change_operator(node) or _change_value(node) or _change_course(node)


def _change_operator(node: Any) -> bool:
    match node:
        case ast.Compare(ops=[op, *_]):
            node.ops[0] = SWAPPED[type(op)]()
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op) if type(op) in SWAPPED:
            node.op = SWAPPED[type(op)]()
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert() as op):  # twice is not at all
            node.operand = ast.copy_location(ast.UnaryOp(op, node.operand), node)
        case _:
            return False
    return True


def _change_value(node: Any) -> bool:
    match node:
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() | float() as value) if value + 1 != value:
            node.value = value + 1
        case ast.Constant(value=str() as value) if value in ("left", "right"):
            node.value = RENAMED[value]
        case ast.Name(id=name) if name in RENAMED:
            node.id = RENAMED[name]
        case ast.Attribute(attr=name) if name in RENAMED:
            node.attr = RENAMED[name]
        case _:
            return False
    return True


def _change_course(node: Any) -> bool:
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare):
            node.test = _negated(test)
        case ast.Raise() | ast.Expr(value=ast.Call()):
            node.__class__ = ast.Pass
        case _:
            return False
    return True


def _negated(test: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), test), test)


def applied(mutant: Mutant) -> dict[tuple[str, int], CodeType]:
    """The code of every function of the mutated file, by its name and line."""
    path = SOURCE / mutant.file
    tree = ast.parse(path.read_text())
    _change(_nodes(tree)[mutant.place][1])
    return codes(compile(tree, str(path), "exec"))


def codes(module: CodeType) -> dict[tuple[str, int], CodeType]:
    """The code of a module and of the functions in it."""
    todo, found = [module], {}
    while todo:
        code = todo.pop()
        found[code.co_qualname, code.co_firstlineno] = code
        todo += [part for part in code.co_consts if isinstance(part, CodeType)]
    return found


def mutate(mutant: Mutant, functions: dict[str, list[FunctionType]]) -> None:
    """Replace the code of the functions that are loaded."""
    changed = applied(mutant)
    for function in functions[mutant.file]:
        own = function.__code__
        if own.co_name != "<lambda>":
            function.__code__ = changed[own.co_qualname, own.co_firstlineno]


def loaded() -> dict[str, list[FunctionType]]:
    """The functions of the sources that are loaded, by file."""
    gc.unfreeze()  # what is frozen is not listed
    found: dict[str, list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(f"{SOURCE}/"):
            name = str(Path(one.__code__.co_filename).relative_to(SOURCE))
            found.setdefault(name, []).append(one)
    gc.freeze()
    return found


# ----------------------------------------------------------------------
# Which tests run which lines.


class Plugin:
    """What both plugins of pytest share: how many examples a law is tried on, and no search for a
    simpler one where one fails.
    """

    examples = 100  # those of `make test`

    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings.get_profile("fast"), database=None,
                                  max_examples=self.examples,
                                  phases=(Phase.explicit, Phase.generate))  # fmt: skip
        settings.load_profile("mutants")


class Watch(Plugin):
    """Notes the lines that each test runs, and how long it takes."""

    examples = 3

    def __init__(self) -> None:
        files = [str(path) for part in PARTS for path in mutated_files(part)]
        self.coverage = coverage.Coverage(data_file=None, config_file=False, include=files)
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_collection_finish(self) -> None:
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.coverage.switch_context(item.nodeid)
        began = time.process_time()
        signal.signal(signal.SIGVTALRM, self.give_up)
        signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG)
        done = yield
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        self.seconds[item.nodeid] = round(time.process_time() - began, 3)
        return done

    def give_up(self, _signum: int, frame: FrameType | None) -> None:
        """End a test; a moment later where coverage has just taken its lock."""
        if frame and f"{os.sep}coverage{os.sep}" in frame.f_code.co_filename:
            signal.setitimer(signal.ITIMER_VIRTUAL, SOON)
        else:
            pytest.fail("too long")

    def lines(self) -> dict[str, dict[str, list[int]]]:
        """Lines by test and file."""
        self.coverage.stop()
        data, found = self.coverage.get_data(), {}
        for file in data.measured_files():
            name = str(Path(file).relative_to(SOURCE))
            for line, tests in data.contexts_by_lineno(file).items():
                for test in tests:
                    found.setdefault(test, {}).setdefault(name, []).append(line)
        return found


def watched(file: str) -> dict[str, Any]:
    """The tests of a file that pass: seconds, and lines by file of the sources."""
    watch = Watch()
    pytest.main([*PYTEST, file], plugins=[watch])
    lines = watch.lines()
    return {test: [spent, lines.get(test, {})] for test, spent in watch.seconds.items()
            if test not in watch.failed}  # fmt: skip


def known_tests(part: str) -> dict[str, Any]:
    """What is known of every test of a part; files that are new or changed are watched first."""
    texts = [path.read_bytes() for name in PARTS for path in mutated_files(name)]
    sources = hashlib.sha256(b"".join(texts)).hexdigest()
    known = json.loads(KNOWN.read_text()) if KNOWN.exists() else {}
    if known.get("sources") != sources:
        known = {"sources": sources, "files": {}}
    now = {str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()
           for name in tests_of(part) for path in test_files(ROOT / name)}  # fmt: skip
    files = known["files"]
    new = [name for name, digest in now.items() if files.get(name, [""])[0] != digest]
    if new and not os.fork():  # no thread that a test starts may be missing in the forks of a judge
        for name in new:
            files[name] = [now[name], watched(name)]
            KNOWN.parent.mkdir(exist_ok=True)
            KNOWN.write_text(json.dumps(known))
        os._exit(0)
    if new:
        os.wait()
        files = json.loads(KNOWN.read_text())["files"]
    return {test: seen for name in now for test, seen in files[name][1].items()}


def tests_of(part: str) -> tuple[str, ...]:
    """Where the tests of a part are, its own first."""
    return tuple(dict.fromkeys((*PARTS[part][1], *WHOLE)))


def test_files(path: Path) -> list[Path]:
    """The files with tests below a folder."""
    if path.is_file():
        return [path]
    return sorted(path.rglob("test_*.py" if path.parent.name == "tests" else "*.py"))


# ----------------------------------------------------------------------
# Running them.


class Judge(Plugin):
    """Runs, for each mutant, the tests of its line in a fork."""

    seconds = SECONDS

    def __init__(self, part: str, mutants: list[Mutant], tests: dict[str, Any]) -> None:
        self.own, self.mutants, self.tests = PARTS[part][1], mutants, tests
        self.verdicts: list[tuple[Mutant, str]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        functions = loaded()
        assert all(mutant.file in functions for mutant in self.mutants)
        sound = self.forked(None, self.fastest(session.items), functions)
        assert sound == "survived", "tests fail without a mutant"
        for mutant in self.mutants:
            items = self.chosen(mutant, session.items)
            verdict = self.forked(mutant, items, functions) if items else "no test"
            self.verdicts.append((mutant, verdict))
            print(f"{verdict:9} {mutant}", file=sys.stderr, flush=True)
        return True

    def chosen(self, mutant: Mutant, items: list[pytest.Item]) -> list[pytest.Item]:
        """The tests that run this line: first the own ones of the part, and the fastest first."""
        own = set(range(mutant.line, mutant.end + 1))
        known = {test: lines.get(mutant.file, ()) for test, (_, lines) in self.tests.items()}
        return self.fastest(
            [item for item in items if not own.isdisjoint(known.get(item.nodeid, ()))]
        )

    def fastest(self, items: list[pytest.Item]) -> list[pytest.Item]:
        known = [item for item in items if item.nodeid in self.tests]
        return sorted(known, key=lambda item: (not item.nodeid.startswith(self.own),
                                               self.tests[item.nodeid][0]))  # fmt: skip

    def mutate(self, mutant: Mutant, functions: Any) -> None:
        mutate(mutant, functions)

    def forked(self, mutant: Mutant | None, items: list[pytest.Item], functions: Any) -> str:
        """How the tests end with this mutant: "killed" where one fails."""
        child = os.fork()
        if not child:
            try:
                if mutant:
                    self.mutate(mutant, functions)
            except BaseException:  # noqa: BLE001 (no verdict on the mutant)
                os._exit(UNSOUND)
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (HANGS, HANGS))
                resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
                signal.alarm(60 * HANGS)
                began = time.process_time()
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os.dup2(1, 2)
                for item, after in zip(items, [*items[1:], None], strict=True):
                    item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                    if time.process_time() - began > (self.seconds if mutant else SOUND):
                        break
            except BaseException:  # noqa: BLE001 (a mutant may do anything)
                os._exit(1)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == UNSOUND:
            raise RuntimeError(f"not made: {mutant}")
        if -status in (signal.SIGXCPU, signal.SIGALRM, signal.SIGKILL):
            return "timeout"
        return "survived" if status == 0 else "killed"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os._exit(1)


def judged(part: str, drawn: list[Mutant]) -> list[tuple[Mutant, str]]:
    """The verdict on these mutants."""
    tests = known_tests(part)
    judge = Judge(part, drawn, tests)
    pytest.main([*PYTEST, *tests_of(part)], plugins=[judge])
    return judge.verdicts


def main(order_of: Any, judged: Any, part: str, *words: str) -> None:
    """`begin number [order]`, or `again` and the texts of mutants, one a line, on stdin."""
    if words == ("again",):
        texts = set(sys.stdin.read().splitlines())
        drawn = [mutant for mutant in order_of(part) if str(mutant) in texts]
    else:
        begin, number, order = int(words[0]), int(words[1]), (*words[2:], "first")[0]
        drawn = order_of(part, order)[begin : begin + number]
    for mutant, verdict in judged(part, drawn):
        print(json.dumps([str(mutant), verdict], ensure_ascii=False))


if __name__ == "__main__":
    main(mutants, judged, *sys.argv[1:])
