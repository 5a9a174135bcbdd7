"""`baserate completion`: the script that completes commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from baserate.cli.options import Sectioned
from baserate.errors import quoted, refuse

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_BASERATE_COMPLETE"


@click.command(name="completion", cls=Sectioned)
@click.argument("shell", metavar="|".join(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands and options in SHELL.

    \b
    Examples:
      baserate completion bash >> ~/.bashrc
      baserate completion fish > ~/.config/fish/completions/baserate.fish
    """
    found = get_completion_class(shell) if shell in SHELLS else None
    if found is None:
        raise refuse(
            "BR001", f"there is no completion for {quoted(shell)}", f"one of {', '.join(SHELLS)}"
        )
    click.echo(found(context.find_root().command, {}, "baserate", VARIABLE).source())
