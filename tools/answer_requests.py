"""Answer requests, one JSON object per line, with the package of the Python that runs this.

tools/against_reference.py starts one such process per side: `python answer_requests.py ADAPTER`.
What the package prints goes to standard error, so that standard output holds answers only.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import warnings
from contextlib import chdir
from pathlib import Path
from types import ModuleType
from typing import Any


def answer_line(adapter: ModuleType, line: str, folder: Path) -> dict[str, Any]:
    """Return the answers to one request, or what its refusal or error says."""
    try:
        answers = adapter.answer_request(json.loads(line), folder)
    except Exception as error:  # noqa: BLE001 (an error is an answer that is compared)
        answers = adapter.describe_error(error)
    return {name: hide_folder(value, folder) for name, value in answers.items()}


def hide_folder(value: Any, folder: Path) -> Any:
    """Return a text without the name of the folder, which differs between the sides."""
    return value.replace(str(folder), "FOLDER") if isinstance(value, str) else value


def main() -> None:
    """Answer until there are no more requests."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    adapter = importlib.import_module(sys.argv[1])
    print(json.dumps({"package": adapter.br.__file__}), file=output, flush=True)
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name).resolve()
        for line in sys.stdin:
            print(json.dumps(answer_line(adapter, line, folder)), file=output, flush=True)


if __name__ == "__main__":
    main()
