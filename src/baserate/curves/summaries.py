"""The summaries by name: each a function of counts that gives one number, and prints as one would
type it.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from baserate.conditions import Conditions, Costs
from baserate.counts.counts import Counts
from baserate.curves import areas, calibration
from baserate.curves.areas import SUMMARIES
from baserate.errors import quoted, refuse
from baserate.measures.registry import plain_name
from baserate.notation import parse_number, split_call

__all__ = ["SUMMARIES", "Summary", "areas", "calibration", "summary_named"]  # both fill the table

SWITCHES = {"true": True, "yes": True, "false": False, "no": False}
# The summaries that can be requested, by each of their names.
NAMES = {
    word: name
    for name, entry in SUMMARIES.items()
    if entry.single
    for word in (name, *entry.synonyms)
}


@dataclass(frozen=True)
class Summary:
    """One of the summaries, with its parameters: `Summary.parse("partial_auc(fpr=0..0.1,
    standardized)")(counts)`.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> summary = br.Summary.parse("weighted_auc(alpha=0.5, strips=segments)")
    >>> summary(counts), br.Summary.parse(str(summary)) == summary
    (0.46875, True)
    """

    name: str
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Summary:
        """A summary from its name, or name(option=value, …); a band is written fpr=0..0.1, a switch
        by its name alone.
        """
        written, arguments = split_call(text, "summary")
        name = NAMES.get(plain_name(written))
        if name is None:
            known = list(dict.fromkeys(NAMES.values()))
            near = difflib.get_close_matches(written, known, n=1)
            raise refuse(
                "BR531",
                f"unknown summary {quoted(written)}",
                f'"{near[0]}"' if near else f"one of {', '.join(known)}",
            )
        options = _read_options(name, arguments)
        for key, needed in SUMMARIES[name].options.items():
            if needed and key not in options:
                raise refuse("BR532", f"{name} needs {key}", f"{name}({key}=…)")
        return cls(name, tuple(options.items()))

    def __call__(self, counts: Counts, at: Conditions | None = None) -> float:
        """Its value; the conditions are used where it depends on them."""
        entry, given = SUMMARIES[self.name], dict(self.options)
        value: float = entry.function(counts, **(given | {"at": at} if entry.takes_at else given))
        return value

    def chance(self, counts: Counts) -> float | None:
        """What a random classifier gets, where that depends on the parameters: the weighted AUC's
        is not one half.
        """
        chance = SUMMARIES[self.name].chance
        return None if chance is None else chance(counts, **dict(self.options))

    def __str__(self) -> str:
        inside = ", ".join(
            name if value is True else f"{name}={_format_value(value)}"
            for name, value in self.options
        )
        return f"{self.name}({inside})" if inside else self.name

    __repr__ = __str__


def summary_named(text: str) -> Summary | None:
    """A summary by its name in any case, or by what else it is called; None for what is no
    summary.
    """
    return Summary.parse(text) if plain_name(text.partition("(")[0]) in NAMES else None


def _read_options(name: str, arguments: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    allowed = SUMMARIES[name].options
    given: dict[str, Any] = {}
    for key, equals, value in arguments:
        if key not in allowed or key in given:
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
            raise refuse(
                "BR532",
                f"{name} {'is given' if key in given else 'has no option'}"
                f" {quoted(key)}{' twice' * (key in given)}",
                takes,
            )
        given[key] = _parse_value(value) if equals else True
    return given


def _parse_value(text: str) -> Any:
    low, dots, high = text.partition("..")
    ends = parse_number(low), parse_number(high)
    if dots and ends[0] is not None and ends[1] is not None:
        return float(ends[0]), float(ends[1])
    if text.casefold() in SWITCHES:
        return SWITCHES[text.casefold()]
    single = parse_number(text)
    if single is not None:
        return int(single) if single.denominator == 1 else float(single)
    # Costs inside a summary separate their parts by a slash, as commas separate options.
    return (
        Costs.parse(text.replace("/", ",").replace(":", "="))
        if text.casefold()[:3] in ("fp:", "fn:", "tp:", "tn:")
        else text
    )


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{value[0]!r}..{value[1]!r}"
    if isinstance(value, Costs):
        return f"fp:{value.fp!r}/fn:{value.fn!r}/tp:{value.tp!r}/tn:{value.tn!r}"
    return str(value)
