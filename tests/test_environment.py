"""The command line where it runs: terminals of every width and none, other locales, signals, closed
pipes, read-only homes.
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli import helpers
from tests.cli.helpers import written
from tests.cli.helpers_terminal import BASERATE, ESCAPE, in_terminal, run, stopped

TWO = ("--label", "y", "--score", "model_a", "--score", "model_b")
LONG = (*TWO, "--statistic", "expected_cost", "--prior", "1%")


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    rows = [
        (i % 4 == 0, (i * 7 % 200) / 200 + (i % 4 == 0) / 4, (i * 11 % 200) / 200)
        for i in range(200)
    ]
    return written(
        tmp_path_factory.mktemp("data") / "scores.csv", ("y", "model_a", "model_b"), rows
    )


def answer(text):
    """The answer alone: notes are one line each, as everywhere."""
    return [line for line in text.split("\n") if not line.startswith("note ")]


@pytest.mark.parametrize("columns", [20, 40, 80, 0])
def test_a_terminal_of_any_width_shows_every_number(scores, columns):
    status, text = in_terminal(
        columns, "choose", scores, *TWO, "--prior", "1%", "--cost", "fn=20,fp=1"
    )
    assert status == 0
    piped = helpers.run("choose", scores, *TWO, "--prior", "1%", "--cost", "fn=20,fp=1").stdout
    numbers = set(re.findall(r"[0-9]+\.[0-9]+", piped))
    assert numbers
    assert numbers <= set(re.findall(r"[0-9]+\.[0-9]+", text))
    longest = max(len(word) for word in piped.split("  ")) + 4
    assert max(map(len, answer(text))) <= max(columns or 80, longest)


def test_a_pipe_has_no_width(scores):
    assert (
        run("show", scores, *TWO, env={"COLUMNS": "20"}).stdout
        == helpers.run("show", scores, *TWO).stdout
    )


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "xterm-256color"}])
def test_short_work_writes_no_escapes(scores, more):
    _, text = in_terminal(80, "show", scores, *TWO, **more)
    assert not ESCAPE.search(text)


def test_long_work_shows_how_far_it_is_on_a_terminal_only(scores):
    words = ("compare", scores, *LONG, "--replicates", "300")
    impatient = (
        sys.executable,
        "-c",
        "from baserate.cli import main, terminal; terminal.PATIENCE = 0; main.main()",
    )
    _, text = in_terminal(80, *words, program=impatient, TERM="xterm")
    assert "resampling" in text
    assert "300" in text
    assert "\x1b[?25l" not in text  # a cursor that is hidden stays so after Ctrl-C
    assert answer(ESCAPE.sub("", text).replace("\r", "\n"))[-1] == ""
    _, plain = in_terminal(80, *words, program=impatient, TERM="dumb")
    assert "resampling:" not in plain
    assert not ESCAPE.search(plain)


IMPATIENT = "from baserate.cli import main, terminal; terminal.PATIENCE = 0.0; main.main()"


def test_whoever_waits_for_a_file_is_told_so_on_a_terminal_only(scores):
    """The wait is shortened to nothing, so that any file is a long one."""
    impatient = (sys.executable, "-c", IMPATIENT)
    status, text = in_terminal(100, "show", scores, *TWO, program=impatient, TERM="xterm")
    assert status == 0
    assert f"reading {scores}" in ESCAPE.sub("", text)
    assert (
        "reading" not in in_terminal(100, "show", scores, *TWO, program=impatient, TERM="dumb")[1]
    )
    assert (
        "reading"
        not in subprocess.run(
            [*impatient, "show", scores, *TWO],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stderr
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.UTF-8", "tr_TR", "fa_IR"])
def test_every_locale_reads_and_prints_the_same_numbers(scores, locale):
    there = run(
        "show",
        scores,
        *TWO,
        env={"LANG": locale, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert there.returncode == 0
    here = helpers.run("show", scores, *TWO).stdout
    assert re.findall(r"[0-9.]+", there.stdout) == re.findall(r"[0-9.]+", here)


def test_a_closed_pipe_ends_quietly(scores):
    command = (
        f"{sys.executable} -m baserate curve roc {scores} {' '.join(TWO)} --csv --every | head -1;"
        " echo ${PIPESTATUS[0]}"
    )
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split("\n")[1] in ("0", "141")
    assert "Traceback" not in done.stderr


def test_a_second_ctrl_c_does_not_wait_for_the_tidying_up(scores, tmp_path):
    # The output's draft alone is slow to remove: the folder of the reader is removed earlier.
    slow = """
import os, time
unlink = os.unlink
def remove_slowly(path, **where):
    if "answer" in os.fspath(path):
        print("tidying", flush=True)
        time.sleep(60)
    unlink(path, **where)
os.unlink = remove_slowly
from baserate.cli.main import main
main()
"""
    words = ("compare", scores, *LONG, "--replicates", "1000000", "-o", str(tmp_path / "answer"))
    process = subprocess.Popen(
        [sys.executable, "-c", slow, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / ".answer.writing").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "tidying\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (-signal.SIGINT, "")


def test_an_interrupt_that_somebody_ignores_stays_ignored():
    ignored = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        " from baserate.cli import main as cli; "
    )
    asked = ignored + "cli._run = lambda _: signal.getsignal(signal.SIGINT); cli.main([])"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (int(signal.SIG_IGN), "")


def test_a_read_only_home_and_no_home_are_no_matter(scores):
    assert run("show", scores, *TWO, env={"HOME": "/nonexistent"}).returncode == 0
    bare = {name: value for name, value in os.environ.items() if name != "HOME"}
    assert (
        subprocess.run(
            [*BASERATE, "show", scores, *TWO],
            env=bare,
            capture_output=True,
            timeout=60,
            check=False,
        ).returncode
        == 0
    )


@pytest.mark.parametrize(
    "flags", [("-O",), ("-OO",), ("-W", "error"), ("-X", "dev", "-W", "error")]
)
def test_python_may_be_strict_or_careless(scores, flags):
    done = subprocess.run(
        [sys.executable, *flags, "-m", "baserate", "show", scores, *TWO],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, helpers.run("show", scores, *TWO).stdout)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands(shell):
    program = str(Path(sys.executable).with_name("baserate"))
    words = {"COMP_WORDS": "baserate ch", "COMP_CWORD": "1"}

    def asked(what):
        given = {**os.environ, **words, "_BASERATE_COMPLETE": f"{shell}_{what}"}
        return subprocess.run(
            [program], env=given, capture_output=True, text=True, timeout=60, check=False
        ).stdout

    assert f"{shell}_complete" in asked("source")
    assert "choose" in asked("complete") or shell == "fish"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("shw",), "show"),
        (("show", "x.csv", "--labl", "y"), "--label"),
        (("show", "x.csv", "--label", "y", "--score", "m", "--rule", "recal >= 0.8"), "recall"),
        (("curve", "rocc", "x.csv", "--label", "y", "--score", "m"), "roc"),
        (("show", "x.csv", "--label", "y", "--score", "m", "--cost", "fnn=5"), "fn"),
        (("show", "x.csv", "--label", "y", "--score", "M1"), "m1"),
    ],
)
def test_a_slip_of_the_pen_is_answered_with_what_was_meant(tmp_path, words, meant):
    written(tmp_path / "x.csv", ("y", "m", "m1"), [(0, 1, 2), (1, 2, 3)])
    done = helpers.run(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert meant in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_traceback_is_shown_only_where_it_is_asked_for(tmp_path):
    words = ("show", tmp_path / "none.csv", "--label", "y", "--score", "m")
    assert "Traceback" not in helpers.run(*words).stderr
    assert "Traceback" in helpers.run(*words, "--debug").stderr


def test_a_closed_terminal_leaves_nothing_behind(scores, tmp_path):
    words = ("compare", scores, *LONG, "--replicates", "1000000")
    status, said = stopped(signal.SIGHUP, tmp_path, *words)
    assert (status, said.splitlines()[-1]) == (129, "stopped")
    assert os.listdir(tmp_path) == []


def test_nohup_is_heeded():
    ignored = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        " from baserate.cli import main as cli; "
    )
    asked = (
        ignored + "cli._run = lambda _: int(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN);"
        " cli.main([])"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")


# The command line is told to stop while it loads: by a module that is loaded in the middle of it.
LOADING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
kill, sent, stop = os.kill, signal.SIGINT, sys.argv[1]
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == stop:
            kill(os.getpid(), sent)
sys.meta_path.insert(0, Stop())
del sys.modules["signal"]  # loaded again, as at the start of a process
sys.argv[1:] = ["show", "x.csv"]
from baserate.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["signal", "resource", "baserate.cli", "click.core"])
def test_ctrl_c_while_the_program_loads_is_one_line(module):
    done = subprocess.run(
        [sys.executable, "-c", LOADING, module],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


# The command is told to stop where Python swallows exceptions: in a destructor, and in the callback
# of a weak reference, as one ends every import.
SWALLOWED = """
import os, signal, sys, time, weakref
from baserate.cli import main as cli
class Thing:
    pass
class Stop:
    def __del__(self):
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
def answered(_):
    thing = Stop() if sys.argv[1] == "destructor" else Thing()
    seen = weakref.ref(thing, lambda _: Stop.__del__(None)) if sys.argv[1] == "callback" else None
    del thing
    time.sleep(30)
    return 0
cli._answered = answered
cli.main(["show", "x.csv"])
"""


@pytest.mark.parametrize("place", ["destructor", "callback"])
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_stop_is_not_swallowed(place, name, status):
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED, place, name],
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "stopped\n")


# And where Python makes another error of it: in what a class calls for its attributes.
WRAPPED = """
import os, signal, sys
from baserate.cli import main as cli
class Field:
    def __set_name__(self, *_):
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
cli.cli.main = lambda *_, **__: type("Answer", (), {"notes": Field()})
cli.main(["show", "x.csv"])
"""


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_stop_is_not_taken_for_a_bug(name, status):
    done = subprocess.run(
        [sys.executable, "-c", WRAPPED, name],
        capture_output=True,
        text=True,
        timeout=25,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "stopped\n")


def test_what_else_python_swallows_is_shown_as_ever():
    code = """
from baserate.cli import main as cli
class Broken:
    def __del__(self):
        raise ValueError("in a destructor")
cli._answered = lambda _: (Broken(), 0)[1]
cli.main([])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=25, check=False
    )
    assert done.returncode == 0
    assert "ValueError: in a destructor" in done.stderr


def test_a_signal_while_the_handlers_are_put_back_is_one_line():
    code = """
import os, signal
from baserate.cli import main as cli
usual, heard = signal.signal, []
def put(signum, handler):
    if handler is signal.SIG_DFL and not heard:  # the first that is put back
        heard.append(signum)
        os.kill(os.getpid(), signal.SIGTERM)
    return usual(signum, handler)
signal.signal = put
cli._answered = lambda _: 0
cli.main([])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=25, check=False
    )
    assert (done.returncode, done.stderr) == (143, "stopped\n")
