"""The checks of a build: read from `baserate.toml`, run, and reported; a pytest plugin."""
