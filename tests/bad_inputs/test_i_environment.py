"""Section I: runtime and environment."""

import contextlib
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.bad_inputs.bench import M, Y, table
from tests.bad_inputs.rows import also, row
from tests.bad_inputs.test_g_binary import CASES, show
from tests.cli.helpers_terminal import BASERATE, ESCAPE, in_terminal, run, stopped

import baserate as br
from baserate.read import files, quotas

GOOD = table(y=Y, m=M)
PAIRS = table(y=Y * 10, m=M * 10, n=M[::-1] * 10)
PAIR = (
    "--label",
    "y",
    "--score",
    "m",
    "--score",
    "n",
    "--statistic",
    "expected_cost",
    "--prior",
    "1%",
)


def ended(bench, sent):
    """The exit status and last words of a long run that is sent a signal; whether anything is left
    behind is looked at here.
    """
    Path("out").mkdir()
    status, said = stopped(
        sent, Path("out"), "compare", bench.file(PAIRS), *PAIR, "--replicates", "1000000"
    )
    assert os.listdir("out") == []
    return status, said.splitlines()[-1]


@row(
    138,
    "Ctrl-C, once or twice",
    why="exit status 130 and nothing left behind",
)
def test_row_138_ctrl_c_stops_tidily(bench):
    status, said = ended(bench, signal.SIGINT)
    assert status == 130
    return said


@also(138)
def test_row_138_ctrl_c_ends_the_process_that_reads_in_pieces_too(bench):
    if not Path("/proc/self/stat").exists():
        pytest.skip("processes are looked for in /proc")
    rng = np.random.default_rng(3)
    labels = rng.random(1_000_000) < 0.01
    cases = pa.table({"y": labels, "m": rng.random(len(labels)) + 0.2 * labels})
    parquet.write_table(cases, "big.parquet", row_group_size=500)
    words = ("count", "big.parquet", "--label", "y", "--score", "m", "--memory", "320MB")
    process = subprocess.Popen(
        [*BASERATE, *words, "-o", "y.counts"], stderr=subprocess.PIPE, text=True
    )
    try:
        while not (readers := children_of(process.pid)) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert os.listdir(".") == ["big.parquet"]
    assert readers
    assert not any(Path(f"/proc/{reader}").exists() for reader in readers)
    return said.strip()


def children_of(parent):
    """The processes whose parent this is."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                found += [int(entry.name)] if int(fields[1]) == parent else []
    return found


@row(139, "SIGTERM, as a container gets it", why="exit status 143 and nothing left behind")
def test_row_139_sigterm_stops_tidily(bench):
    status, said = ended(bench, signal.SIGTERM)
    assert status == 143
    return said


@row(140, "no terminal, CI, NO_COLOR, TERM=dumb")
def test_row_140_without_a_terminal_there_are_plain_lines(bench):
    command = ("compare", bench.file(PAIRS), *PAIR, "--replicates", "200")
    done = run(*command, env={"CI": "true", "FORCE_COLOR": "1", "TERM": "xterm-256color"})
    assert not ESCAPE.search(done.stdout + done.stderr)
    for more in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert not ESCAPE.search(in_terminal(80, *bench.show(GOOD), **more)[1])
    return bench.accepted(*bench.show(GOOD))


@row(141, "a terminal of 20 columns, or of none", why="broken into more lines")
def test_row_141_a_narrow_terminal_shows_every_number(bench):
    command = bench.show(GOOD)
    numbers = set(re.findall(r"[0-9]+\.[0-9]+", bench.told(*command).out))
    for columns in (0, 20):
        status, text = in_terminal(columns, *command)
        assert status == 0
        assert numbers <= set(re.findall(r"[0-9]+\.[0-9]+", text))
    return tuple(text.splitlines()[:3])


@row(
    142,
    "LANG=C, standard output in another encoding",
    why="? for what the encoding lacks; where it should be ASCII, UTF-8",
)
def test_row_142_no_encoding_of_standard_output_makes_it_crash(bench):
    path, lines = bench.file(table(y=Y, **{"m→1": M})), []
    for encoding in ("latin-1", "ascii"):
        done = run(
            "show",
            path,
            "--label",
            "y",
            "--score",
            "m→1",
            env={"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": encoding},
        )
        assert done.returncode == 0
        lines += [line for line in done.stdout.splitlines() if re.match("m.1", line)]
    return tuple(lines)


@row(
    143,
    "no fonts, no CJK, dark mode, print",
    why="the fonts of the system, text in drawings, and rules for dark and for paper",
)
def test_row_143_a_report_needs_no_font_and_is_read_in_the_dark_and_on_paper(bench):
    path = bench.file(table(y=Y, 模型=M))
    done = bench.told("report", path, "--label", "y", "--score", "模型")
    assert done.status == 0
    page = Path("report.html").read_text()
    assert page.count("<svg xmlns") == page.count('font-family="system-ui, sans-serif"') == 6
    assert "模型</text>" in page
    assert not re.search(r"@font-face|url\((?!#)", page)
    assert all(rule in page for rule in ("color-scheme:light dark", "light-dark(", "@media print"))
    return done.out.splitlines()[-1]


@row(144, "no network")
def test_row_144_nothing_needs_a_network(bench):
    def offline(*_, **__):
        raise AssertionError("nothing asks the network")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, offline)
        patch.setattr(socket, "getaddrinfo", offline)
        feather.write_feather(CASES, "scores.feather")
        bench.accepted(*show("scores.feather"))
        assert bench.told("demo").status == 0
        return bench.accepted(*bench.show(GOOD))


@row(145, "a home that is read-only or missing, no temporary folder, any umask")
def test_row_145_only_the_folder_of_the_output_is_written_to(bench):
    command, nowhere = (
        bench.show(GOOD),
        {"HOME": "/nonexistent", "TMPDIR": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
    )
    done = run(*command, "-o", "answer.txt", "--private", env=nowhere, umask=0)
    assert (done.returncode, done.stderr) == (0, "")
    assert stat.S_IMODE(Path("answer.txt").stat().st_mode) == 0o600
    assert run(*command, "-o", "closed.txt", env=nowhere, umask=0o777).returncode == 0
    assert stat.S_IMODE(Path("closed.txt").stat().st_mode) == 0
    assert sorted(os.listdir()) == ["answer.txt", "closed.txt", "scores.csv"]
    return Path("answer.txt").read_text().splitlines()[0]


@row(146, "several time zones in the days, and clocks that change")
def test_row_146_days_are_utc_unless_a_zone_is_said(bench):
    times = [f"2026-03-{28 + i // 10}T{i % 10 + 12}:00:00+0{1 + i // 10}:00" for i in range(20)]
    command = (
        "slices",
        bench.file(table(y=Y, m=M, time=times)),
        "--label",
        "y",
        "--score",
        "m",
        "--day",
        "time",
        "--threshold",
        "0.1",
    )
    offsets = bench.noted("BR431", *command)
    assert "2 offsets seen (+0100, +0200)" in offsets
    changed = bench.noted("BR431", *command, "--tz", "Europe/Berlin")
    assert "2026-03-29 (23 h)" in changed
    return offsets, changed


@row(147, "an optional library that is not installed", why="pip sees to its version")
def test_row_147_a_library_that_is_missing_is_named_with_the_way_to_get_it(bench):
    feather.write_feather(CASES, "scores.feather")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "is_possible", lambda: False)  # another process would have the library
        patch.setitem(sys.modules, "pyarrow", None)
        arrow = bench.refused("BR714", *show("scores.feather"))
        patch.setitem(sys.modules, "sqlalchemy", None)
        database = bench.refused("BR714", *show("mysql://example.org/base::cases"))
    assert 'pip install "baserate[arrow]"' in arrow
    return arrow, database


@row(
    148,
    "a process that has threads, a notebook, Windows",
    why="the process that reads a file is started afresh, and never forked",
)
def test_row_148_a_reader_is_started_afresh_whatever_runs_beside_it(bench):
    def forked():
        raise AssertionError("nothing forks")

    feather.write_feather(CASES, "scores.feather")
    unguarded = (  # as in a notebook: no __main__ to import
        "import baserate as br; print(br.count('scores.feather', label='y', score='m'))"
    )
    script = subprocess.run(
        [sys.executable, "-"],
        input=unguarded,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert script.stderr == ""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(os, "fork", forked)
        read = list(
            pool.map(lambda _: str(br.count("scores.feather", label="y", score="m")), range(4))
        )
    assert set(read) == {script.stdout.strip()}
    return read[0]


@row(149, "less memory for a container than the machine has")
def test_row_149_the_memory_is_that_of_the_container(bench):
    limits = {"/proc/self/cgroup": ["0::/box"], "/sys/fs/cgroup/box/memory.max": ["250000000"]}
    np.savez_compressed("scores.npz", y=np.zeros(15_000_000), m=np.zeros(15_000_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotas, "_lines", lambda path: limits.get(str(path), []))
        return bench.refused("BR701", *show("scores.npz"))


@row(150, "python -O, -W error")
def test_row_150_python_may_be_strict_or_careless(bench):
    command = bench.show(GOOD)
    plain = bench.told(*command)
    for flags in (("-OO",), ("-X", "dev", "-W", "error")):
        status, text = in_terminal(
            200, *command, program=(sys.executable, *flags, "-m", "baserate")
        )
        assert (status, text) == (plain.status, plain.out)
    return plain.out.splitlines()[0]
