"""How far a long run has got: on a terminal, after a second, with the time left."""

from __future__ import annotations

import sys
import time

import click

PATIENCE = 1.0
EVERY = 0.2


class Progress:
    """A line on stderr that is written over, and gone at the end; nothing where nobody looks."""

    def __init__(self, what: str) -> None:
        self.what, self.started, self.shown = what, time.monotonic(), 0.0
        self.visible = bool(sys.stderr is not None and sys.stderr.isatty())

    def __call__(self, done: int, total: int) -> None:
        passed = time.monotonic() - self.started
        if not self.visible or passed < PATIENCE or passed - self.shown < EVERY:
            return
        self.shown = passed
        left = passed * (total - done) / max(done, 1)
        click.echo(f"\r{self.what}: {done} of {total} ({100 * done // max(total, 1)} %), {left:.0f} s left \x1b[K", nl=False, err=True)

    def close(self) -> None:
        """Take the line away."""
        if self.shown:
            click.echo("\r\x1b[K", nl=False, err=True)
