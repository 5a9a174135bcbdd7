"""`python -m baserate` is the command line."""

from baserate.cli import main

main()
