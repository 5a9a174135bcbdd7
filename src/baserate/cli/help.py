"""The help of a command in sections: its own options first, and below them what commands share."""

from __future__ import annotations

import click

SECTIONS = {
    "The data": (
        "label",
        "scores",
        "positive",
        "weight",
        "design",
        "id",
        "join",
        "by_position",
        "group",
        "cluster",
        "day",
        "tz",
        "amount",
        "currency",
    ),
    "Conditions": ("priors", "prior_from", "costs", "profits", "volume"),
    "How sure": ("level", "replicates", "seed", "method"),
    "Odd labels and scores": (
        "negative",
        "missing_label",
        "normalize_labels",
        "cast_labels",
        "label_threshold",
        "nan_score",
        "lower_is_positive",
        "dedupe",
        "amount_missing",
    ),
    "Text and compressed files": (
        "delimiter",
        "encoding",
        "decimal",
        "thousands",
        "percent",
        "no_header",
        "columns",
        "skip_lines",
        "skip_bad",
        "max_bytes",
    ),
    "More than memory holds": ("memory", "approx", "resume"),
    "A cluster": ("engine", "master", "keep", "cells"),
    "Output": ("as_json", "output", "force", "private"),
}
HOME = {name: section for section, names in SECTIONS.items() for name in names}
OWN = "Options"


class Sectioned(click.Command):
    """A command whose options are listed in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Its own options first."""
        parts: dict[str, list[tuple[str, str]]] = {section: [] for section in (OWN, *SECTIONS)}
        for option in self.get_params(ctx):
            shown = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if shown is not None:
                home = "Output" if "--help" in option.opts else HOME.get(option.name or "", OWN)
                parts[home].append(shown)
        for section, records in parts.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)
