"""`baserate help`: the options of reading, or all options of a command."""

from __future__ import annotations

import click

from baserate.cli import options
from baserate.errors import quoted, refuse

READING = "reading"


@click.command(name="help", cls=options.Sectioned)
@click.argument("topic", default=READING, metavar=f"[{READING}|COMMAND]")
@click.pass_context
def help_command(context: click.Context, topic: str) -> None:
    """Show the options of reading, which many commands share, or all options of a COMMAND.

    \b
    Examples:
      baserate help reading
      baserate help choose
    """
    from baserate.cli.main import cli

    if topic == READING:
        click.echo(options.reading_help(context).rstrip())
        return
    root = context.find_root()
    command = cli.get_command(root, topic)
    if command is None:
        raise refuse("BR001", f"there is no command {quoted(topic)}", "see baserate --help")
    inner = click.Context(command, info_name=topic, parent=root)
    inner.meta[options.WHOLE] = True
    click.echo(command.get_help(inner))
