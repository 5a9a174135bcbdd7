"""Arrow's own files: IPC files, IPC streams and Feather (version 2). Everything is validated in full before a value is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from baserate.engines.arrow_columns import from_arrow, kind_of
from baserate.engines.extras import needed
from baserate.engines.identifiers import check_columns
from baserate.engines.table_rows import in_table
from baserate.engines.typed import check_use
from baserate.engines.wanted import Table, Wanted
from baserate.engines.whole_files import unchanged
from baserate.errors import InputError, quoted, refuse_file

MAGIC, OLD_FEATHER = b"ARROW1", b"FEA1"
STREAM_END = b"\xff\xff\xff\xff\0\0\0\0"
AHEAD, MESSAGE = 8, b"\xff\xff\xff\xff"  # bytes of magic and padding before the schema, and how a message begins
COPY = "get a whole copy of the file, or write it again"


def read_arrow(path: str, wanted: Wanted) -> Table:
    """The wanted columns of an Arrow or Feather file, or of a stream that was saved."""
    with unchanged([path]) as sha256, _refused(path):
        table = _table(path, wanted)
        kinds = {name: kind_of(table.schema.field(name).type) for name in wanted.columns}
        for name, kind in kinds.items():
            check_use(path, name, kind, wanted)
        table.validate(full=True)
        if not table.num_rows:
            raise refuse_file(path, "BR603", "has columns but no rows", "give a file with cases")
        columns = {name: from_arrow(table.column(name), kind) for name, kind in kinds.items()}
    return Table(path, columns, table.num_rows, sha256=sha256, place=in_table(path))


def _table(path: str, wanted: Wanted) -> Any:
    """The wanted columns, unchecked. Read into memory, not mapped: a file that shrinks under a map kills the process."""
    pa = needed("pyarrow", "arrow")
    with pa.OSFile(path, "rb") as file:
        first = file.read(len(MAGIC))
        if first.startswith(OLD_FEATHER):
            raise refuse_file(path, "BR703", "is Feather of version 1", "write it again with version=2")
        if first != MAGIC:
            _check_end(path, file)
        file.seek(0)
        open_reader = pa.ipc.open_file if first == MAGIC else pa.ipc.open_stream
        with open_reader(file) as reader:
            names = reader.schema.names
            if first == MAGIC:
                _check_schema(path, file, reader.schema)
            check_columns(path, names, wanted.columns)
            places = sorted(names.index(name) for name in wanted.columns)
        file.seek(0)
        with open_reader(file, options=pa.ipc.IpcReadOptions(included_fields=places, ensure_native_endian=True)) as reader:
            return reader.read_all()


def _check_schema(path: str, file: Any, schema: Any) -> None:
    """A file holds its schema twice, ahead of the data and behind them: where they differ, numbers would be read as others."""
    file.seek(AHEAD)
    if file.read(len(MESSAGE)) != MESSAGE:  # by polars, which writes the first one in a form of its own
        return
    file.seek(AHEAD)
    with needed("pyarrow", "arrow").ipc.open_stream(file) as stream:
        if not stream.schema.equals(schema):
            raise refuse_file(path, "BR703", "is damaged: its two schemas differ", COPY)


def _check_end(path: str, file: Any) -> None:
    """A stream that was cut off between two batches reads like a whole one, but for the mark at its end."""
    file.seek(max(file.size() - len(STREAM_END), 0))
    if file.read() != STREAM_END:
        raise refuse_file(path, "BR703", "is not a whole Arrow file: no mark at its end (cut off?)", COPY)


@contextmanager
def _refused(path: str) -> Iterator[None]:
    """Whatever Arrow says of damaged bytes becomes one line of ours."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        # The system's own, not Arrow's, which wants any amount of memory where the damage is in a length.
        if (isinstance(error, OSError) and error.errno) or (isinstance(error, MemoryError) and "arrow" not in type(error).__module__):
            raise
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise refuse_file(path, "BR703", f"is not a whole Arrow file: {quoted(text, quotes=False)}", COPY) from error
