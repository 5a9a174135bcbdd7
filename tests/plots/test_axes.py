"""An axis: where values lie, and which of them are written."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.plots.axes import Axis, deviate_axis, linear_axis, log_axis, spanning_axis

wide = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.lists(
        st.one_of(
            wide, st.sampled_from([0.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324])
        ),
        max_size=20,
    ),
    st.booleans(),
)
def test_any_values_have_an_axis_that_holds_them(values, log):
    axis = spanning_axis("x", values, log=log)
    known = np.array(
        [value for value in values if abs(value) <= 1e307 and (1e-300 <= value <= 1e300 or not log)]
    )
    assert axis.low < axis.high
    assert ((axis.place(known) >= -1e-9) & (axis.place(known) <= 1 + 1e-9)).all()
    assert len(axis.ticks) <= 12
    assert all(
        axis.low * (1 - 1e-9) <= value <= axis.high * (1 + 1e-9) or axis.low <= value <= axis.high
        for value, _ in axis.ticks
    )


@given(wide, wide)
def test_the_ends_lie_at_0_and_1_and_order_is_kept(one, other):
    low, high = sorted((one, other))
    if high / 2 - low / 2 <= 1e-9 * max(abs(low), abs(high)):
        return
    axis = linear_axis("x", low, high)
    assert axis.place([low, high]).tolist() == [0.0, 1.0]
    between = np.sort(axis.place(np.linspace(low / 2, high / 2, 9) * 2))
    assert (np.diff(between) >= 0).all()


@pytest.mark.parametrize(
    "axis", [log_axis("x", 1e-5), deviate_axis("x", 1e-4, 0.99), linear_axis("x")]
)
def test_places_rise_with_values_and_what_is_beyond_stays_a_little_beyond(axis):
    values = (
        np.geomspace(axis.low, axis.high, 50) if axis.low else np.linspace(axis.low, axis.high, 50)
    )
    assert (np.diff(axis.place(values)) > 0).all()
    assert axis.place([axis.low, axis.high]).tolist() == pytest.approx([0.0, 1.0])
    assert axis.place([-5.0, 0.0]).min() >= -0.5
    assert axis.place([1.0, 9e9]).max() <= 1.5
    assert np.isnan(axis.place([math.nan])).all()


def test_deviates_are_those_of_the_normal_distribution():
    from statistics import NormalDist

    axis = deviate_axis("x", 0.01, 0.9)
    low, high = (NormalDist().inv_cdf(rate) for rate in (0.01, 0.9))
    assert axis.place([0.3])[0] == pytest.approx((NormalDist().inv_cdf(0.3) - low) / (high - low))


@pytest.mark.parametrize(
    ("low", "high", "scale"),
    [
        (1, 0, "linear"),
        (0, 1, "log"),
        (0, 0.5, "deviate"),
        (0.1, 1, "deviate"),
        (0, math.inf, "linear"),
    ],
)
def test_an_axis_that_cannot_be_is_refused(low, high, scale):
    with pytest.raises(br.InputError, match="BR650: a .* axis cannot go from"):
        Axis("x", low, high, scale)


def test_an_unknown_scale_is_refused():
    with pytest.raises(br.InputError, match='BR650: there is no scale "cubic"'):
        Axis("x", 0, 1, "cubic")


def test_ticks_near_a_large_number_are_told_apart():
    shown = [text for _, text in linear_axis("x", 1e9, 1e9 + 1).ticks]
    assert len(set(shown)) == len(shown) > 3
