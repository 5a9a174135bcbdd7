"""Addresses of databases: what may be shown of them, and messages about them with every password taken out."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from baserate.engines.locked_duckdb import reason
from baserate.errors import InputError, refuse, refuse_file

HIDDEN = "***"
SECRET = ("password", "passwd", "pwd", "sslpassword", "token", "secret", "key")
CHECK = "check the address, the user and the password"


def shown_url(url: str) -> str:
    """The address without user, password and options: what a message, a note and a ledger may hold."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")) if parts.netloc else f"{parts.scheme}://{parts.path}"


def check_url(url: str) -> None:
    """Refuse what is no address, without repeating it: it may well hold a password."""
    if not is_clear(url):
        raise refuse("BR730", "the address of the database cannot be read", "write %40 for @, %3A for : and %2F for / in a user or password")


def is_clear(url: str) -> bool:
    """Whether it is plain where user and password end. A "/", "?" or "#" in them ends the host too early, and an "@" comes after it."""
    try:
        parts = urlsplit(url)
        person, port = parts.netloc.rpartition("@")[0], parts.port
    except ValueError:
        return False
    if not person and parts.netloc and ("@" in parts.path or (":" in parts.netloc and "@" in parts.query + parts.fragment)):
        return False
    return "@" not in person and person.count(":") <= 1 and port != 0


def shown_anyhow(url: str) -> str:
    """The same as `shown_url` for an address that may not be plain: then nothing but its beginning."""
    return shown_url(url) if is_clear(url) else f"{url.partition('://')[0]}://…"


def unreached(url: str, error: BaseException) -> InputError:
    """The refusal where a database cannot be reached or does not let us in."""
    return refuse_file(shown_url(url), "BR730", without_secrets(url, reason(_cause(error))), CHECK)


def without_secrets(url: str, text: str) -> str:
    """A foreign message with every password of the address taken out, however it is spelled."""
    parts = urlsplit(url)
    options = [value for name, values in parse_qs(parts.query).items() if name.casefold().endswith(SECRET) for value in values]
    for secret in filter(None, (parts.password, unquote(parts.password or ""), *options)):
        text = text.replace(secret, HIDDEN)
    return text.replace(url, shown_url(url))


def _cause(error: BaseException) -> Exception:
    """What the server or the library beneath said, in one line and without the statement."""
    text = str(getattr(error, "orig", None) or error)
    for mark in ("ERROR:  ", "FATAL:  ", "failed: ", "Failed to connect: "):
        if mark in text:
            text = text.split(mark, 1)[1]
            break
    return Exception(text.partition(" Query was:")[0])
