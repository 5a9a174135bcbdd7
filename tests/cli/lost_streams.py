"""Commands run on streams that lose what is written: a process that loads everything once, and
forks for each of them.

Each line of JSON on standard input is [words, the descriptor that is full or null]; each line of
the answer is [status, stdout, stderr].
"""

import gc
import json
import os
import shutil
import sys
import tempfile

from baserate.cli import main


def ran(words, full):
    """The exit status of a command and what it wrote, in a process of its own whose stdout (1) or
    stderr (2) is a full disk.
    """
    shutil.rmtree("baserate-demo", ignore_errors=True)
    files = {number: tempfile.TemporaryFile() for number in (1, 2)}  # noqa: SIM115 (for as long as the process lives)
    child = os.fork()
    if not child:
        for number, file in files.items():
            os.dup2(os.open("/dev/full", os.O_WRONLY) if number == full else file.fileno(), number)
        main.main(words)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    said = []
    for file in files.values():
        file.seek(0)
        said.append(file.read().decode())
    return [status, *said]


if __name__ == "__main__":
    for name in main.commands():
        main.cli.get_command(None, name)
    import scipy.special  # noqa: F401

    gc.collect()
    gc.freeze()  # no process copies what is loaded, only to look at it when it ends
    asked = [json.loads(line) for line in sys.stdin]
    print(json.dumps([ran(words, full) for words, full in asked]))
