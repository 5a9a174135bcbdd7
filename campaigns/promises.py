"""The promises: what is promised, how it is shown, how far a full campaign goes."""

from typing import NamedTuple


class Promise(NamedTuple):
    """A promise; `goal` is the number of trials of a full campaign, 0 where nothing is run yet."""

    text: str
    trial: str = ""
    goal: int = 0
    also: str = ""  # other evidence, or why there is none yet
    why: str = ""  # of failures: what they are


SERVER = "Not yet: it concerns `baserate serve`, which does not exist; nothing listens."
ONE_IN_TWENTY = (
    "Readers that have a process of their own had it in one batch of twenty; in the others they"
    " ran in the process of the campaign, which is quicker."
)
PROMISES = {
    1: Promise(
        "Every count, rate, AUC, average precision and cost is right",
        "an answer on a random data set (ties, weights, any prior), against fractions; a measure"
        " is the nearest float64, a summary within 8 units in the last place",
        1_000_000,
    ),
    2: Promise(
        "A certified reference set is answered",
        "an answer of the [reference set](reference-set.md)",
        63_979,
    ),
    3: Promise(
        "Intervals cover what they say",
        also="Not a count of failures: the tables of [coverage](../../benchmarks/coverage.md),"
        " `python benchmarks/coverage.py`; below 30 cases of a class some methods cover less, and"
        " say so.",
    ),
    4: Promise(
        "Every way to read the same data gives the same counts",
        "a data set counted from arrays, a frame, CSV and Parquet, by C and by NumPy: one digest",
        10_000,
        f"{ONE_IN_TWENTY} Spark and Dask: `tests/read/test_every_engine.py`.",
    ),
    5: Promise(
        "Laws hold for all counts (permute, split, replicate, rescale, …)",
        "a test of `tests/laws`, 100 drawn examples each (`make laws`: 2,500)",
        60,
    ),
    6: Promise(
        "No row is lost",
        "an odd text file: rows read = used + refused",
        100_000,
        ONE_IN_TWENTY,
    ),
    7: Promise(
        "Nothing is guessed in silence",
        "a test of the [catalogue of bad inputs](../reference/bad-inputs.md)",
        300,
    ),
    8: Promise(
        "What is undefined is never a number",
        "an answer on a random, often degenerate data set: finite, or undefined with a reason; no"
        " NaN in JSON",
        1_000_000,
    ),
    9: Promise(
        "Corruption is detected",
        "1 to 3 bits flipped in a saved `.counts` file: refused",
        100_000,
        "Parquet with page checksums: `tests/read/test_parquet_files.py`. Formats without"
        " checksums cannot show it.",
    ),
    10: Promise(
        "Any file gives a result or one line of refusal",
        "a damaged file of any format: no traceback, no death of the parent, no hang, no wrong"
        " count",
        100_000,
        "One file in fifty through `count` and its process; the others to the readers directly.",
    ),
    11: Promise(
        "kill -9 at any moment leaves the old file or the new one",
        "a process killed while it saves: nothing corrupt, nothing missing",
        2_000,
        "Every command that writes: below.",
    ),
    12: Promise(
        "A full disk is one line and exit status 74",
        "a command whose first, second, … `write`, `fsync`, `rename` or `ftruncate` fails (strace),"
        " full or broken disk: the old file or the whole new one, status 0 or 74, one line, no"
        " draft",
        300,
        "stdout and stderr that are full: `tests/cli/test_lost_streams.py`. Disks of a drawn size,"
        " allocations in the reader and calls of databases made to fail: below.",
    ),
    13: Promise(
        "Little memory is an answer or a refusal, never a hang or a kill",
        "a command under a limit on its address space, from 64 MB to 1 GB",
        600,
        "The ceiling `--memory` at 10⁸ rows and more: `benchmarks/scale.py`. More than 2³¹ rows,"
        " and an hour of counting, adding and saving: below.",
    ),
    15: Promise(
        "Signals stop cleanly: exit status 130, 143 or 129, no traceback, no draft",
        "a SIGINT, SIGTERM or SIGHUP at a random moment of a count that writes a file",
        1_000,
        "While Python itself starts, before it reaches the first line of baserate (some"
        " hundredths of a second), a SIGINT is a traceback of Python's, which no program can"
        " prevent; such trials are not counted as failures.",
    ),
    16: Promise(
        "No script from data runs in a report",
        "a test with hostile names in Chromium",
        60,
        "More than 5,000 drawn strings in Chromium and in Firefox: below.",
    ),
    17: Promise(
        "A report is inert, and small",
        "a test of the page: its policy, its size, its requests",
        60,
    ),
    18: Promise(
        "No formula and no escape sequence leaves in output",
        "a test of names that a terminal or a spreadsheet would obey",
        4,
        "Drawn formulas opened in LibreOffice, and drawn escape sequences on a terminal: below.",
    ),
    19: Promise(
        "No SQL injection",
        "a drawn column name (quotes, keywords, signs) counted from a DuckDB file beside a canary",
        100_000,
        ONE_IN_TWENTY,
    ),
    20: Promise(
        "No path leads outside",
        also="Not yet for requests over HTTP (there is no server). Output through a link, or over"
        " an input, is refused: `tests/test_atomic.py`, rows H of"
        " [bad inputs](../reference/bad-inputs.md).",
    ),
    21: Promise("Only the user's own page is served", also=SERVER),
    22: Promise(
        "Bombs stop",
        "a drawn .gz, .bz2 or .xz of 100 to 1,000 MB: refused in one line, within 5 s of processor"
        " time and 200 MB",
        100,
        "zip, zst and nested ones: `tests/read/test_streams.py`.",
    ),
    23: Promise("Every refusal of a request is logged", also=SERVER),
    24: Promise("A server holds for a day", also=SERVER),
    25: Promise(
        "Offline: nothing connects",
        "a command run under strace: no system call of it or of its children has an address of a"
        " network",
        50,
        "The whole suite, on 2026-11-18 in a network namespace with loopback alone: 16,219 tests"
        " passed, and one that demanded an answer changed since.",
    ),
    26: Promise(
        "The same input gives the same bytes",
        "a command's output under another hash seed and with `-O`: identical",
        200,
        "A user without rights and read-only site-packages, and other versions of Python and of the"
        " packages: below. Other systems than Linux: not yet.",
    ),
    27: Promise(
        "No code from data runs",
        "a test with pickles and hooks in every disguise",
        20,
    ),
    28: Promise(
        "A build can be made again",
        "a second wheel from the same sources, built in another folder: byte-identical",
        2,
        "Hashes of every dependency: `requirements/`; bill of materials (CycloneDX):"
        " `requirements/sbom.json`. Audit for known weaknesses: not yet.",
    ),
    29: Promise(
        "The tests would notice",
        "a mutant drawn at random (one operator, number or statement of the counting core,"
        " measures, decisions or inference changed): a test that runs this line fails",
        600,
        "A failure is a mutant that survives, those that no test can tell among them:"
        " [what failed](#what-failed) has the share without these. Every branch of the counting"
        " core is reached by `make test`. Each part was judged on its own branch, before these were"
        " merged: a killed mutant was not always run again after later changes. Mutants of the C"
        " sources: below.",
    ),
    30: Promise(
        "Old outputs stay readable",
        "a test that reads a file saved by an earlier version: the digest that this one gave",
        10,
        "So far there is one version, 0.1; its files are kept in `tests/counts/saved`, and a"
        " release adds its own ([file format](../reference/file-format.md)).",
    ),
}

# Further campaigns of a promise, each with trials of its own kind.
FURTHER = {
    "11-commands": Promise(
        "kill -9 of every command that writes",
        "a command (`count`, `choose`, … `gate`: thirteen of them) killed at a random moment, or"
        " as soon as its draft is there: the old file or the whole new one, and the next run"
        " leaves no draft",
        2_000,
    ),
    "12-disk": Promise(
        "A disk that is too small",
        "a command that writes to a disk of its own (tmpfs), from 4 kB to a little more than its"
        " file needs: the old file or the whole new one, status 0 or 74, one line, no draft",
        500,
    ),
    "12-postgres": Promise(
        "A server that goes away",
        "a table or query of PostgreSQL counted while the server ends the connection before the"
        " first, second, … statement, or that statement fails: the right counts or one refusal,"
        " and the next count right",
        28,
    ),
    "12-sql": Promise(
        "A call of a database that fails",
        "a file read with the first, second, … call of DuckDB or SQLite made to fail once: the"
        " right counts or one refusal, the file as it was, nothing left behind, and the next count"
        " right",
        200,
    ),
    "12-allocations": Promise(
        "An allocation that fails in the process that reads",
        "a command whose reader gets no memory for its n-th allocation, n drawn: the same answer,"
        " or one line and exit status 2 or 74",
        300,
    ),
    "13-rows": Promise(
        "More than 2³¹ rows",
        "a total of 2³¹ + 2²⁶ rows or more, counted piece by piece: every cell exact",
        1,
    ),
    "15-calls": Promise(
        "A signal at any call",
        "a SIGINT, SIGTERM or SIGHUP at a drawn call of a Python function of a count, imports"
        " and callbacks included: exit status 130, 143 or 129, no traceback, no draft, never"
        " swallowed",
        1_000,
    ),
    "16-payloads": Promise(
        "Drawn strings in every field of a report",
        "a string that would set a variable, as the name of a model, group, column, file, label,"
        " note or title, in one browser (each once in Chromium and once in Firefox): the page is"
        " walked through and its charts are saved and opened alone; no script, dialog, markup,"
        " request or refusal by the policy",
        10_000,
        "Of 300 such strings, 75 run by themselves where they stand unescaped on a bare page;"
        " every batch shows on such a page that both browsers notice.",
    ),
    "18-cells": Promise(
        "Drawn formulas and escape sequences as names",
        "a formula as the name of a model in every CSV of `table`, `curve` and the report, opened"
        " in LibreOffice with four separators: no cell is a formula; or an escape sequence,"
        " direction mark or line end printed by commands to a terminal: none arrives",
        700,
        "In the sources before, formulas left in `curve --csv` over a range of base rates and"
        " behind a semicolon, and control characters in all CSV.",
    ),
    "26-user": Promise(
        "A user without rights",
        "a command run by `nobody`, with packages and a home that cannot be written: the same"
        " output as for root",
        50,
    ),
    "29-again": Promise(
        "Other mutants",
        "a mutant of another random order, before any test was written for it",
        130,
        "Tests were written after that for those that survived. A further 150 of inference and 210"
        " of decisions, as fresh: 129 and 180 killed.",
    ),
    "29-c": Promise(
        "Mutants of the C sources",
        "a mutant drawn at random of the extension in C (headers and macros included), compiled"
        " with one change: a test that calls its function fails",
        80,
        "Not counted: a change that does not compile, or to the same machine code. The tests are"
        " those of the kernels and of counting (`tests/laws`).",
    ),
}
