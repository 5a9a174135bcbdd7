"""How much there is to read: nodes of Python's syntax tree by folder, and lines of everything else.

Nodes are counted instead of lines, because line breaks, short names and merged files do not change
them. Docstrings and comments are free. A string that holds SQL counts by its words. The total of
the core and the learners has a limit, `nodes` in tools/size.toml, which goes down from issue to
issue; `until` there names the issue that ends a temporary rise.

Run `make size`, or `python tools/size.py [ROOT]`.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMIT_FILE = Path(__file__).with_suffix(".toml")
CORE = "baserate (the core)"
LEARNERS = "baserate_learners"
STUDIES = "baserate_studies"
TOTAL = "core and learners"
SQL_KEYWORD = re.compile(
    r"(?i)\b(select|from|where|group by|order by|case when|try_cast|create|insert|join)\b"
)
SQL_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Size:
    """Files, nodes of the syntax tree, and how many of these are statements."""

    files: int = 0
    nodes: int = 0
    statements: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(
            self.files + other.files, self.nodes + other.nodes, self.statements + other.statements
        )


@dataclass(frozen=True)
class Limit:
    """The most nodes that the core and the learners may have."""

    nodes: int
    until: str | None = None


def is_docstring(node: ast.AST) -> bool:
    """Is the node a text that stands alone as a statement?"""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def count_sql_words(node: ast.AST) -> int:
    """Return the number of words and signs in a string that holds SQL, else 0."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return 0
    holds_sql = len(SQL_KEYWORD.findall(node.value)) >= 2
    return len(SQL_WORD.findall(node.value)) if holds_sql else 0


def measure_source(text: str) -> Size:
    """Return the size of the source text of one file."""
    nodes = statements = 0
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr_context) or is_docstring(node):
            continue
        nodes += 1 + count_sql_words(node)
        statements += isinstance(node, ast.stmt)
        waiting.extend(ast.iter_child_nodes(node))
    return Size(1, nodes, statements)


def folder_of(path: Path) -> str:
    """Return the line of the table that counts a file, from its path below `src`."""
    package, *rest = path.parts
    if package != "baserate":
        return package
    folder = rest[0] if len(rest) > 1 else ""
    return LEARNERS if folder == "learners" else f"{package}/{folder}"


def measure_folders(source: Path) -> dict[str, Size]:
    """Return the size of each folder of the core and of each other package below `src`."""
    folders: dict[str, Size] = defaultdict(Size)
    for path in sorted(source.rglob("*.py")):
        folders[folder_of(path.relative_to(source))] += measure_source(path.read_text("utf-8"))
    return dict(folders)


def add_sizes(sizes: list[Size]) -> Size:
    """Return the sum of several sizes."""
    return sum(sizes, Size())


def size_of_core(folders: dict[str, Size]) -> Size:
    """Return the size of `baserate` without its learners."""
    return add_sizes([size for name, size in folders.items() if name.startswith("baserate/")])


def size_of_core_and_learners(folders: dict[str, Size]) -> Size:
    """Return the size that tools/size.toml limits."""
    return size_of_core(folders) + folders.get(LEARNERS, Size())


def read_limit(path: Path = LIMIT_FILE) -> Limit:
    """Return the limit that a file such as tools/size.toml gives."""
    return Limit(**tomllib.loads(path.read_text("utf-8")))


def count_lines(folder: Path, pattern: str) -> int:
    """Return the number of lines of the files of one kind below a folder."""
    paths = [path for path in folder.rglob(pattern) if "node_modules" not in path.parts]
    return sum(len(path.read_text("utf-8", errors="replace").splitlines()) for path in paths)


def format_row(name: str, size: Size) -> str:
    """Return one line of the table."""
    return f"{name:28}{size.files:6}{size.nodes:10,}{size.statements:12,}"


def format_table(folders: dict[str, Size]) -> str:
    """Return the folders of the core from the largest to the smallest, and the packages."""
    core = {name: size for name, size in folders.items() if name.startswith("baserate/")}
    ordered = sorted(core.items(), key=lambda row: -row[1].nodes)
    rows = [format_row(name, size) for name, size in ordered]
    rows.append(format_row(CORE, size_of_core(folders)))
    rows.extend(format_row(name, folders[name]) for name in (LEARNERS, STUDIES) if name in folders)
    rows.append(format_row(TOTAL, size_of_core_and_learners(folders)))
    return "\n".join([f"{'folder':28}{'files':>6}{'nodes':>10}{'statements':>12}", *rows])


def describe_limit(nodes: int, limit: Limit) -> str:
    """Return a sentence that compares a number of nodes with the limit."""
    difference = limit.nodes - nodes
    compared = f"{difference:,} below" if difference >= 0 else f"{-difference:,} ABOVE"
    until = "" if limit.until is None else f" (raised until: {limit.until})"
    return f"{TOTAL}: {nodes:,} nodes, {compared} the limit of {limit.nodes:,}{until}"


def describe_lines(root: Path) -> str:
    """Return how many lines there are of what is not Python of the package."""
    c = count_lines(root / "src", "*.[ch]")
    typescript = count_lines(root / "frontend" / "src", "*.ts")
    tests = count_lines(root / "tests", "*.py")
    docs = count_lines(root / "docs", "*.md")
    return f"lines: C {c:,}, TypeScript {typescript:,}, tests {tests:,}, docs {docs:,}"


def main() -> None:
    """Print the table, the lines and the distance from the limit."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    folders = measure_folders(root / "src")
    print(format_table(folders))
    print(describe_lines(root))
    print(describe_limit(size_of_core_and_learners(folders).nodes, read_limit()))


if __name__ == "__main__":
    main()
