"""Writes requirements/sbom.json, the bill of materials of what a user installs, from the lock, in
CycloneDX 1.6: `python requirements/sbom.py`. A test holds the file to what this gives.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def bill() -> dict[str, Any]:
    """The package, and every locked version of what it needs, with the hashes of its files."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
    text = (HERE.parent / "src" / "baserate" / "__init__.py").read_text()
    version = re.search(r'^__version__ = "(.+)"', text, re.MULTILINE)
    own = _component(project["name"], version[1] if version else "")
    parts = [_locked(*found) for found in _lines()]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}],
    }


def _lines() -> list[tuple[str, str, str]]:
    """Name, version, and the rest of each entry of the lock."""
    text = (HERE / "run.txt").read_text().replace("\\\n", " ")
    return re.findall(r"^([\w.-]+)==(\S+)(.*)", text, re.MULTILINE)


def _component(name: str, version: str) -> dict[str, Any]:
    where = f"pkg:pypi/{name}@{version}"
    return {
        "type": "library",
        "bom-ref": where,
        "name": name,
        "version": version,
        "purl": where,
    }


def _locked(name: str, version: str, rest: str) -> dict[str, Any]:
    hashes = [
        {"alg": "SHA-256", "content": one} for one in re.findall(r"--hash=sha256:(\w+)", rest)
    ]
    url = f"https://pypi.org/project/{name}/{version}/"
    files = {"type": "distribution", "url": url, "hashes": hashes}
    return _component(name, version) | {"externalReferences": [files]}


if __name__ == "__main__":
    (HERE / "sbom.json").write_text(json.dumps(bill(), indent=1) + "\n")
