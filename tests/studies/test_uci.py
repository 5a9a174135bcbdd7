"""UCI sets are read with their sidecars, and fetched from OpenML: here from a small server on this
machine, which answers as OpenML does.
"""

import hashlib
import http.server
import json
import threading
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate_studies.fetching import KNOWN, fetch_uci
from baserate_studies.generators import balance_scale
from baserate_studies.uci import load_uci
from baserate_studies.weng.standins import SETS, at_hand

COLUMNS = ("left-weight", "left-distance", "right-weight", "right-distance")


def scale_arff(rows=None):
    scale = balance_scale()
    cells = [
        ",".join([*(f"{value:g}" for value in row), tip])
        for row, tip in zip(scale.x, scale.classes, strict=True)
    ]
    head = [
        "@RELATION scale",
        *(f"@ATTRIBUTE {name} REAL" for name in COLUMNS),
        "@ATTRIBUTE class {L,B,R}",
        "@DATA",
    ]
    return "\n".join([*head, *cells[:rows], ""])


def anneal_arff():
    """Five classes with their true counts; a nominal attribute with missing values, and a numeric
    one.
    """
    labels = [label for label, count in KNOWN["anneal"].classes.items() for _ in range(count)]
    rows = [
        f"{('C', 'R', '?')[place % 3]},{place / 4:g},{label}" for place, label in enumerate(labels)
    ]
    head = [
        "@RELATION anneal",
        "@ATTRIBUTE product {C,R}",
        "@ATTRIBUTE carbon REAL",
        "@ATTRIBUTE class {1,2,3,5,U}",
        "@DATA",
    ]
    return "\n".join([*head, *rows, ""])


class OpenML(http.server.BaseHTTPRequestHandler):
    """Answers the four questions that scikit-learn asks of a set."""

    def do_GET(self):
        kind, number = self.path.strip("/").split("/")
        text = self.server.sets[number]
        lines = [
            line.split(maxsplit=2) for line in text.splitlines() if line.startswith("@ATTRIBUTE")
        ]
        cases = text.partition("@DATA\n")[2].count("\n")
        address = f"http://127.0.0.1:{self.server.server_port}"
        answers = {
            "info": {
                "data_set_description": {
                    "id": number, "name": "set", "version": "1", "status": "active", "format": "ARFF", "description": "",  # noqa: E501
                    "url": f"{address}/file/{number}", "md5_checksum": hashlib.md5(text.encode()).hexdigest(),  # noqa: E501
                }
            },
            "features": {
                "data_features": {
                    "feature": [
                        {
                            "index": str(i), "name": name, "data_type": "numeric" if of == "REAL" else "nominal",  # noqa: E501
                            "is_target": str(name == "class").lower(), "number_of_missing_values": "0",  # noqa: E501
                            "is_ignore": "false", "is_row_identifier": "false",
                        }
                        for i, (_, name, of) in enumerate(lines)
                    ]
                }
            },
            "qualities": {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": str(cases)}]}},  # noqa: E501
        }  # fmt: skip
        body = text.encode() if kind == "file" else json.dumps(answers[kind]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        """Tests say nothing."""


@pytest.fixture
def openml(monkeypatch):
    from sklearn.datasets import _openml

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OpenML)
    server.sets = {"11": scale_arff(), "2": anneal_arff()}
    for name, kind in (
        ("_DATA_INFO", "info"),
        ("_DATA_FEATURES", "features"),
        ("_DATA_QUALITIES", "qualities"),
    ):
        monkeypatch.setattr(_openml, name, f"http://127.0.0.1:{server.server_port}/{kind}/{{}}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_fetched_set_is_the_one_that_is_generated(openml, tmp_path):
    found = fetch_uci("balance_scale", tmp_path)
    assert repr(found) == "UciSet balance_scale: 625 cases, 4 attributes, 3 classes"
    assert np.array_equal(found.x, balance_scale().x)
    assert np.array_equal(found.classes, balance_scale().classes)
    assert np.array_equal(load_uci("balance_scale", tmp_path).x, found.x)


def test_missing_values_of_anneal_become_a_category(openml, tmp_path):
    found = fetch_uci("anneal", tmp_path)
    assert [attribute.values for attribute in found.attributes] == [("C", "R", "?"), ()]
    assert found.sizes == (3, 0)
    assert found.x[:4].tolist() == [[0, 0], [1, 0.25], [2, 0.5], [0, 0.75]]


def test_a_set_with_other_counts_is_refused_and_nothing_is_written(openml, tmp_path):
    openml.sets["11"] = scale_arff(600)
    with pytest.raises(
        br.InputError,
        match='BR924: OpenML\'s set 11 is not "balance_scale": classes .*, 0 missing cells',
    ):
        fetch_uci("balance_scale", tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_kept_and_unknown_sets_are_refused(openml, tmp_path):
    (tmp_path / "balance_scale.csv").write_text("mine")
    with pytest.raises(br.InputError, match="BR801"):
        fetch_uci("balance_scale", tmp_path)
    assert (tmp_path / "balance_scale.csv").read_text() == "mine"
    with pytest.raises(br.InputError, match='BR924: there is no set "iris" to fetch'):
        fetch_uci("iris", tmp_path)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("a,class\n1,x\n", "1 rows, classes .* are not what its sidecar says"),
        ("a,class\nred,x\ngreen,y\n", 'column "a" holds "green", which its sidecar does not know'),
        ("b,class\nred,x\n", "its columns are not those of its sidecar, with class last"),
    ],
)
def test_a_table_that_does_not_fit_its_sidecar_is_refused(tmp_path, table, words):
    types = {
        "a": {"type": "nominal", "values": ["red", "1"]},
        "class": {"type": "nominal", "values": ["x", "y"]},
    }
    (tmp_path / "set.json").write_text(
        json.dumps({"types": types, "class_counts": {"x": 1, "y": 1}, "missing_cells": 0})
    )
    (tmp_path / "set.csv").write_text(table)
    with pytest.raises(br.InputError, match=f"BR923.*{words}"):
        load_uci("set", tmp_path)


def test_every_problem_of_the_table_has_its_positives(shared):
    """Read from the sets where they are at hand."""
    folder = shared
    for problem in SETS.values():
        data = at_hand(problem.file, str(folder))
        assert (
            int((data.classes == problem.positive).sum())
            == KNOWN[problem.file].classes[problem.positive]
        )
    assert at_hand("anneal", None) is None
    assert at_hand("anneal", str(Path(folder) / "nowhere")) is None
