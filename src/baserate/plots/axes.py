"""`Axis`: where a value lies between the two ends of an axis, and which values are written beside
it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from baserate.errors import quoted, refuse
from baserate.numbers import Floats

Scale = Literal["linear", "log", "deviate"]
Ticks = tuple[tuple[float, str], ...]
# How far beyond the frame a place is distinguished: what lies further away is drawn there, and
# clipped.
BEYOND = 0.5
MOST_DECADES = 7
LAST, FARTHEST = 300, 1e307  # powers of ten on a logarithmic axis, and the ends of a linear one
APART = 0.12  # of the axis, so that ticks do not run into each other
# Rates as DET plots show them.
RATES = (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, evenly by the value, by its logarithm, or by the normal deviate of a
    share.
    """

    label: str
    low: float = 0.0
    high: float = 1.0
    scale: Scale = "linear"
    ticks: Ticks = ()

    def __post_init__(self) -> None:
        ends = {"linear": (-math.inf, math.inf), "log": (0.0, math.inf), "deviate": (0.0, 1.0)}.get(
            self.scale
        )
        if ends is None:
            raise refuse(
                "BR650", f"there is no scale {quoted(self.scale)}", "linear, log or deviate"
            )
        if not ends[0] < self.low < self.high < ends[1]:
            span = f"{quoted(self.low)} to {quoted(self.high)}"
            raise refuse(
                "BR650",
                f"a {self.scale} axis cannot go from {span}",
                f"two numbers, rising, between {ends[0]:g} and {ends[1]:g}",
            )

    def place(self, values: Any) -> Floats:
        """Where the values lie: 0 at `low`, 1 at `high`; NaN stays NaN, and what is far outside is
        held a little beyond the frame.
        """
        given = self._scale_values(np.asarray(values, dtype=np.float64))
        low, high = self._scale_values(np.array([self.low, self.high]))
        # Halves, so that an axis over all floats does not overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            places: Floats = np.clip(
                (given / 2 - low / 2) / (high / 2 - low / 2), -BEYOND, 1 + BEYOND
            )
        return places

    def placed_ticks(self) -> list[tuple[float, str]]:
        """Where each tick lies, and what is written there."""
        places = self.place([value for value, _ in self.ticks]).tolist()
        return list(zip(places, (text for _, text in self.ticks), strict=True))

    def _scale_values(self, values: Floats) -> Floats:
        if self.scale == "linear":
            return values
        if self.scale == "log":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.log10(np.maximum(values, 0.0))
        from scipy.special import ndtri

        return np.asarray(ndtri(np.clip(values, 0.0, 1.0)))


def linear_axis(label: str, low: float = 0.0, high: float = 1.0) -> Axis:
    """An even axis with ticks at round values."""
    return Axis(label, low, high, "linear", _round_ticks(low, high))


def log_axis(label: str, low: float, high: float = 1.0) -> Axis:
    """An axis of orders of magnitude with a tick at each, or at every second or third."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / MOST_DECADES))
    ticks = tuple((10.0**power, _format_power(power)) for power in range(last, first - 1, -step))[
        ::-1
    ]
    return Axis(label, low, high, "log", ticks)


def deviate_axis(label: str, low: float = 1e-3, high: float = 0.95) -> Axis:
    """An axis of shares by their normal deviates."""
    bare = Axis(label, low, high, "deviate")
    ticks: list[tuple[float, str]] = []
    last = -1.0
    for rate in (rate for rate in RATES if low <= rate <= high):
        place = float(bare.place([rate])[0])
        if place - last >= APART:
            ticks.append((rate, _format_rate(rate)))
            last = place
    return Axis(label, low, high, "deviate", tuple(ticks))


def spanning_axis(label: str, values: Any, *, log: bool = False, room: float = 0.0) -> Axis:
    """An axis that holds all these values, with `room` to spare on both sides; on a logarithmic
    one, those above 0. None goes beyond 1e307.
    """
    known = np.asarray(values, dtype=np.float64)
    known = np.clip(known[np.isfinite(known) & ((known > 0) | (not log))], -FARTHEST, FARTHEST)
    low, high = (
        (float(known.min()), float(known.max())) if len(known) else (0.1 if log else 0.0, 1.0)
    )
    if log:
        first, last = (
            max(min(power, LAST), -LAST)
            for power in (math.floor(math.log10(low)), math.ceil(math.log10(high)))
        )
        return log_axis(label, 10.0 ** (first if first < last else last - 1), 10.0**last)
    if high / 2 - low / 2 <= 1e-9 * max(
        abs(low), abs(high)
    ):  # what is all one value is shown in the middle
        around = max(abs(low) * 1e-3, 0.5 if not low else 0.0, 1e-300)
        low, high = low - around, high + around
    spare = (high / 2 - low / 2) * 2 * room if room and high / 2 - low / 2 < 1e307 else 0.0
    return linear_axis(label, low - spare, high + spare)


def _round_ticks(low: float, high: float) -> Ticks:
    """Four to nine round values between the ends."""
    half = high / 2 - low / 2
    size = 10.0 ** math.floor(math.log10(half / 2)) if half > 1e-290 else half
    step = next(
        (factor * size for factor in (1, 2, 2.5, 5, 10) if half / (factor * size) <= 3.0), 10 * size
    )
    if not math.isfinite(low / step) or not math.isfinite(high / step):
        return ()
    whole = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    most = max(abs(low), abs(high))
    digits = min(15, max(3, 2 + math.ceil(math.log10(max(most / step, 1.0)))))
    return tuple((min(max(i * step, low), high), _format_number(i * step, digits)) for i in whole)


def _format_number(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}" if value else "0"
    mantissa, e, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if e else text


def _format_power(power: int) -> str:
    return f"{10.0**power:g}" if -3 <= power <= 5 else f"1e{power}"


def _format_rate(rate: float) -> str:
    return f"{rate:g}" if rate >= 1e-3 else f"1e{round(math.log10(rate))}"
