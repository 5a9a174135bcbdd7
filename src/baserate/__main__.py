"""`baserate`, and `python -m baserate`: ready for a Ctrl-C, and sure of room to load, before
anything else is loaded. What comes before this file (Python's own start) is Python's.
"""

import os
import sys

IO, INTERRUPTED = 74, 130


def _stop_at_once(*_: object) -> None:
    _write_text(2, "stopped\n")
    os._exit(INTERRUPTED)


def _write_text(to: int, text: str) -> None:
    try:
        os.write(to, text.encode())
    except OSError:  # nobody reads it
        return


try:
    import signal  # loads others: the one moment without a handler
except KeyboardInterrupt:
    _stop_at_once()

# Bytes that the libraries take before any data come. With less, OpenBLAS may neither load nor fail,
# but try for ever.
LEAST = {
    "RLIMIT_AS": (240_000_000, "the address space", "ulimit -v"),
    "RLIMIT_DATA": (160_000_000, "the data of a process", "ulimit -d"),
}


def main() -> None:
    """The command line. While it loads there is nothing to tidy up: a Ctrl-C ends the process at
    once.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop_at_once)
    _check_room()
    from baserate.cli import main

    main.main()


def _check_room() -> None:
    """Refuse where a limit that the user set leaves no room for the libraries."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, (least, what, command) in LEAST.items():
        limit = resource.getrlimit(getattr(resource, name))[0]
        if limit != resource.RLIM_INFINITY and limit < least:
            text = (
                f"{what} is limited to {limit // 10**6} MB ({command}), and baserate needs at least"
                f" {least // 10**6} MB to load"
            )
            _refuse_to_load(text, f"raise the limit ({command})")


def _refuse_to_load(text: str, fix: str) -> None:
    said, to = f"error BR701: {text}. Fix: {fix}.\n", 2
    if "--json" in sys.argv:
        import json

        problem = {"code": "BR701", "where": {}, "text": text, "fix": fix}
        said, to = json.dumps({"schema": "baserate/1", "errors": [problem]}) + "\n", 1
    _write_text(to, said)
    os._exit(IO)


if __name__ == "__main__":
    main()
