"""Readers that crash, hang, run out of memory or lose their parent: one line, no process and no
file are left.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from tests.read.tables import assert_refused

import baserate as br
from baserate.read import apart, files, quotas
from baserate.read.source import Options
from baserate.read.table import ColumnRoles

W = ColumnRoles("y", ("s",))
LIMITED = pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are Linux's")
pytestmark = pytest.mark.own_reader


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder for temporary files, which has to be empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.iterdir())


@pytest.fixture
def source(tmp_path):
    np.savez(tmp_path / "a.npz", y=[0, 1, 1], s=[0.1, 0.2, 0.3])
    return str(tmp_path / "a.npz")


def read(source):
    return files.read_cases(source, W, Options())


def instead(monkeypatch, code):
    """Start this in place of the reader, once it has been told what to read."""
    monkeypatch.setattr(apart, "START", apart.START.replace("main(request)", code))


@pytest.mark.parametrize(
    ("code", "match"),
    [
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            r"the reader crashed on this file \(SIGSEGV\); nothing was counted",
        ),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
            r"the reader crashed on this file \(SIGKILL; out of memory\?\)",
        ),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)",
            "took more than 6 hours of processor time",
        ),
        ("import os; os.write(1, bytes(5)); os.abort()", "SIGABRT"),
        ("sys.exit(3)", r"ended early \(status 3\)"),
        ("1 / 0", r"ended early \(status 1\)"),
    ],
)
def test_a_reader_that_crashes_is_one_line(source, temporary, monkeypatch, code, match):
    instead(monkeypatch, code)
    assert_refused(lambda: read(source), "BR707", match, source)


def test_what_python_said_is_the_cause(source, temporary, monkeypatch):
    instead(monkeypatch, "1 / 0")
    with pytest.raises(br.InputError, match="BR707") as caught:
        read(source)
    assert "ZeroDivisionError" in str(caught.value.__cause__)


def test_an_error_that_nobody_expects_is_one_line_too(source, temporary, monkeypatch):
    instead(
        monkeypatch,
        "from baserate.read import npz; npz.read_npz = lambda *_: 1 / 0; main(request)",
    )
    assert_refused(
        lambda: read(source),
        "BR707",
        r"the reader failed on this file \(ZeroDivisionError: division by zero\)",
        source,
    )


def test_only_the_end_of_what_python_said_is_read(source, temporary, monkeypatch):
    instead(monkeypatch, "sys.stderr.write('x' * 10**6 + 'the end'); sys.exit(3)")
    with pytest.raises(br.InputError, match="BR707") as caught:
        read(source)
    assert str(caught.value.__cause__) == "x" * (apart.MOST_SAID - 7) + "the end"


@pytest.mark.parametrize(
    ("start", "match"),
    [
        (
            "import no_such_module",
            "did not start .ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("print('usage: python [option]', flush=True)", "did not start .it said nothing"),
        ("", "did not start .it said nothing"),
        ("import os; os.abort()", "did not start"),
    ],
)
def test_a_reader_that_does_not_start_is_no_fault_of_the_file(
    source, temporary, monkeypatch, start, match
):
    monkeypatch.setattr(apart, "START", start)
    assert_refused(lambda: read(source), "BR709", match, source)


def test_a_python_that_is_none_is_said_to_be(source, temporary, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(Path(source).parent / "absent"))
    assert_refused(lambda: read(source), "BR709", "did not start .*No such file", source)
    monkeypatch.setattr(sys, "executable", source)
    assert_refused(lambda: read(source), "BR709", "did not start .*Permission denied", source)


@pytest.mark.skipif(
    not hasattr(os, "waitid"),
    reason="without it the number of a process is let go before its group is ended",
)
@pytest.mark.parametrize("how", ["os._exit(3)", "os.abort()"])
def test_what_a_reader_started_ends_with_it(source, temporary, monkeypatch, tmp_path, how):
    told = tmp_path / "told"
    child = (
        f"os.close(0), os.close(1), os.close(2), open({str(told)!r}, 'w').write(str(os.getpid())),"
        " time.sleep(600)"
    )
    waits = f"while not os.path.exists({str(told)!r}): time.sleep(0.01)"
    instead(monkeypatch, f"import os, time\nif not os.fork(): {child}\n{waits}\n{how}")
    assert_refused(lambda: read(source), "BR707", "ended early|crashed", source)
    wait_for(told.read_text)
    wait_for(lambda: not is_running(int(told.read_text())))


def test_what_a_reader_prints_is_not_its_answer(source, temporary, monkeypatch):
    prints = "lambda *given: (os.write(1, b'noise'), print('more', flush=True), real(*given))[-1]"
    instead(
        monkeypatch,
        "import os; from baserate.read import npz; real = npz.read_npz;"
        f" npz.read_npz = {prints}; main(request)",
    )
    assert len(read(source).positive) == 3


@LIMITED
def test_a_reader_that_wants_more_memory_than_there_is(tmp_path, temporary, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", y=np.zeros(30_000_000), s=np.zeros(30_000_000))
    monkeypatch.setattr(files, "machine_memory", lambda: 300_000_000)
    path = str(tmp_path / "a.npz")
    assert_refused(
        lambda: read(path),
        "BR701",
        r"needs more memory to be read than there is \(300.0 MB\)",
        path,
    )


REPORT = """
def report():
    import json, os, resource
    limits = {{name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if name.startswith("RLIMIT_")}}
    with open({!r}, "w") as file:
        json.dump([limits, dict(os.environ), os.getsid(0) == os.getpid(), sorted(sys.modules)], file)
    return 1 / 0
"""  # noqa: E501


def test_the_limits_are_set_and_secrets_stay_outside(source, temporary, monkeypatch):
    resource = pytest.importorskip("resource", reason="limits are POSIX's")
    place = str(Path(source).parent / "report")
    instead(
        monkeypatch,
        "from baserate.read import apart_child; apart_child.answer_request = lambda *_: report();"
        f" exec({REPORT.format(place)!r}); main(request)",
    )
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    monkeypatch.setenv("PYTHONSTARTUP", "hush.py")
    assert_refused(lambda: read(source), "BR707", "ZeroDivisionError")
    limits, environment, leads, modules = json.loads(Path(place).read_text())
    assert limits["RLIMIT_CORE"] == [0, 0]
    assert (
        limits["RLIMIT_CPU"] == [quotas.CPU_S] * 2
        or resource.getrlimit(resource.RLIMIT_CPU)[1] != resource.RLIM_INFINITY
    )
    assert limits["RLIMIT_DATA"][0] <= quotas.machine_memory() or sys.platform != "linux"
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
    assert "hush" not in json.dumps(environment)
    assert leads
    assert not {"click", "scipy", "narwhals", "pandas", "pyarrow", "duckdb"} & {
        module.partition(".")[0] for module in modules
    }


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import subprocess; subprocess.run(['true'])",
        "import os; os.system('true')",
        "import pickle; pickle.loads(b'cos\\nsystem\\n(S\"true\"\\ntR.')",
    ],
)
def test_a_reader_starts_nothing_and_calls_nobody(source, temporary, monkeypatch, code):
    hostile = f"lambda *_: exec({code!r})"
    instead(
        monkeypatch,
        f"from baserate.read import npz; npz.read_npz = {hostile}; main(request)",
    )
    assert_refused(
        lambda: read(source),
        "BR707",
        "the reader failed on this file .PermissionError: a reader does not do",
        source,
    )


PARENT = '''
import sys, tempfile
from baserate.read import apart, files
from baserate.read.source import Options
from baserate.read.table import ColumnRoles
tempfile.tempdir = sys.argv[2]
waits = """import os, tempfile, time; from baserate.read import apart_child
def wait(*_):
    open(tempfile.gettempdir() + "/half", "w").close()
    print(os.getpid(), file=open(%r, "w"), flush=True)
    time.sleep(600)
apart_child.answer_request = wait
main(request)"""
apart.START = apart.START.replace("main(request)", waits % sys.argv[3])
files.read_cases(sys.argv[1], ColumnRoles("y", ("s",)), Options())
'''


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_reader_ends_with_its_parent_and_with_ctrl_c(source, tmp_path, sent):
    folder, told = tmp_path / "temporary", tmp_path / "told"
    folder.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, source, str(folder), str(told)], stderr=subprocess.PIPE
    )
    try:
        wait_for(lambda: told.exists() and told.read_text().strip())
        reader = int(told.read_text())
        assert is_running(reader)
        parent.send_signal(sent)
        _, said = parent.communicate(timeout=60)
    finally:
        parent.kill()
        parent.communicate()
    assert sent == signal.SIGKILL or b"KeyboardInterrupt" in said
    wait_for(lambda: not is_running(reader))
    if sent == signal.SIGKILL:  # then the next start removes what is left
        code = f"import tempfile; tempfile.tempdir = {str(folder)!r}; import baserate as br;"
        code += f" br.count({source!r}, label='y', score='s')"
        subprocess.run([sys.executable, "-c", code], check=True)
    assert not list(folder.iterdir())


def wait_for(happens):
    end = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()


def test_memory_is_that_of_the_machine_or_of_its_container(monkeypatch):
    whole = quotas.machine_memory()
    assert 0 < whole <= quotas.UNKNOWN
    found = {
        "/proc/self/cgroup": ["4:memory:/a/b", "3:cpu:/x", "0::/c"],
        "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": ["9223372036854771712"],
        "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": ["1000000"],
        "/sys/fs/cgroup/c/memory.max": ["max"],
        "/sys/fs/cgroup/memory.max": ["2000000"],
    }
    monkeypatch.setattr(quotas, "_lines", lambda path: found.get(str(path), []))
    monkeypatch.setattr(quotas.sys, "platform", "linux")
    assert quotas.machine_memory() == 1_000_000
    del found["/sys/fs/cgroup/memory/a/memory.limit_in_bytes"]
    assert quotas.machine_memory() == 2_000_000
