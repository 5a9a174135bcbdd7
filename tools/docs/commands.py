"""Write a page for each command into docs/reference/commands, from its --help-all.

A test compares the pages with what this writes.
"""

from pathlib import Path

import click

from baserate.cli.main import cli, commands, grouped_commands
from baserate.cli.options import WHOLE, reading_help

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "commands"
WIDTH = 110
HEAD = "Written from `--help-all` by `python tools/docs/commands.py`."


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    context = click.Context(cli, info_name="baserate", help_option_names=["-h", "--help"])
    rows = [
        f"| {group if place == 0 else ''} | [{name}]({name}.md) | {text} |"
        for group, part in grouped_commands().items()
        for place, (name, text) in enumerate(part.items())
    ]
    index = [
        "# The commands\n",
        f"{HEAD}\n",
        "| | command | what for |",
        "|---|---|---|",
        *rows,
        "",
        "Options of reading, which many commands share: [reading](reading.md).",
        "",
        *_ends(),
    ]
    return {
        "README.md": "\n".join(index),
        "reading.md": _reading(),
        **{f"{name}.md": _page(name, context) for name in commands()},
    }


def _reading() -> str:
    wide = click.Context(cli, terminal_width=WIDTH, max_content_width=WIDTH)
    head = "Written from `baserate help reading` by `python tools/docs/commands.py`."
    text = reading_help(wide).rstrip()
    return f"# Options of reading\n\n{head} [All commands](README.md)\n\n```\n{text}\n```\n"


def _page(name: str, context: click.Context) -> str:
    command = cli.get_command(context, name)
    assert command is not None
    inner = click.Context(
        command, info_name=name, parent=context, terminal_width=WIDTH, max_content_width=WIDTH
    )
    inner.meta[WHOLE] = True
    return (
        f"# baserate {name}\n\n{HEAD} [All"
        f" commands](README.md)\n\n```\n{command.get_help(inner)}\n```\n"
    )


def _ends() -> list[str]:
    return [
        (
            "The answer goes to stdout, notes and progress to stderr; `-o FILE` writes the answer"
            " to a file, and `--json` prints it as"
        ),
        (
            "[documented](../schema.json) JSON. Exit status: 0 an answer; 1 a gate that does not"
            " pass; 2 wrong input; 3 a demand that cannot be"
        ),
        (
            "met; 70 a bug of ours; 74 a failure to read or write; 130 and 143 stopped by Ctrl-C or"
            " by a signal; 141 a closed pipe."
        ),
        "",
        (
            "A shell completes commands and options after"
            ' `eval "$(_BASERATE_COMPLETE=bash_source baserate)"` in `~/.bashrc`; likewise'
            " `zsh_source` and `fish_source`."
        ),
        "",
    ]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
