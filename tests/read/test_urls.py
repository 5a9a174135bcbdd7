"""Addresses of databases: no message, and no name of a model, holds any part of a user or a
password.
"""

import pytest

import baserate as br
from baserate.errors import Ledger, Source, repeated_sources
from baserate.read import table
from baserate.read.databases import is_clear, shown_anyhow
from baserate.read.duckdb import locked
from baserate.read.joins import name_models
from baserate.read.source import shown_source

LEAKING = [
    "postgresql://me:hush@word@host/base::t",
    "postgresql://me:hush/12@host/base::t",
    "postgresql://me:12/hush@host/base::t",
    "postgresql://me:12?hush@host/base::t",
    "postgresql://me:12#hush@host/base::t",
    "postgresql://me:hush::word@host/base::t",
    "postgresql://me/hush:word@host/base::t",
    "postgresql://host/base?user=me&password=hush",
    "mysql+pymysql://me:hush@word@host/base",
    "sqlite://me:hush@word@host/base",
    "https://me:hush@host/x.csv",
    "https://me:12/hush@host/x.csv",
    "https://host/x.csv?token=hush",
    "s3://me:hush@bucket/x.csv",
    "postgresql://[::1/hush::t",
]


@pytest.mark.parametrize("url", LEAKING)
def test_no_message_holds_a_password(url):
    with pytest.raises(br.InputError, match="BR7(08|17|30)") as caught:
        br.count(url, label="y", score="m")
    assert "hush" not in str(caught.value)
    assert "hush" not in shown_source(url)
    with pytest.raises(br.InputError, match="BR407") as caught:
        br.count([url], label="y", score=["m", "m"])
    assert "hush" not in str(caught.value)


def test_a_model_is_not_named_by_a_password():
    named = name_models(["postgresql://me:hush@one::t", "postgresql://me:hush@two::t"], ["m"])
    assert list(named) == ["one", "two"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:pass%40word@host:5432/base", "postgresql://host:5432/base"),
        ("postgresql://host/base?user=me@there&password=x", "postgresql://host/base"),
        ("sqlite:////data/a@b.db", "sqlite:////data/a@b.db"),
        ("s3://bucket/x.csv", "s3://bucket/x.csv"),
    ],
)
def test_plain_addresses_are_shown_without_the_person(url, shown):
    assert is_clear(url)
    assert shown_anyhow(url) == shown


def test_two_tables_without_a_hash_are_not_one_file():
    def ledger(sha256):
        return Ledger(1, 1, 0, (Source("x", sha256, 1, 1, 0, "y", "1"),))

    assert repeated_sources(ledger(""), ledger("")) == ()
    assert [note.code for note in repeated_sources(ledger("ab"), ledger("ab"))] == ["BR411"]


def test_duckdb_that_is_not_there_is_installed_by_its_own_name(monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(table.importlib, "import_module", absent)
    with (
        pytest.raises(
            br.InputError, match=r"BR714: duckdb is not installed\. Fix: pip install duckdb\."
        ),
        locked(),
    ):
        pass
