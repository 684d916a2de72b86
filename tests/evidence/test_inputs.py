"""The scales on which the judge reads evidence."""

import numpy as np
import pytest

from spinney.evidence import CHANNELS, PLACES, compress, judge_inputs, measure


def test_scales_against_plain_formulas():
    x = np.linspace(-500, 500, 101)
    assert compress(x) == pytest.approx(3 * np.log(x / 3 + np.sqrt(x**2 / 9 + 1)), abs=1e-9)
    assert compress(1e-3) == pytest.approx(1e-3, rel=1e-6)


def test_deviates_are_bent_down_and_others_are_not():
    values = measure(np.random.default_rng(0).normal(size=(300, 4)).cumsum(axis=1)).values
    before = values.copy()
    found = judge_inputs(values)
    np.testing.assert_array_equal(values, before)
    assert found.dtype == np.float32
    for k, channel in enumerate(CHANNELS):
        own = values[:, k].astype(float)
        if channel.unit == "deviate":
            own = 3 * np.arcsinh(own / 3)
        np.testing.assert_allclose(found[:, k], own, rtol=1e-5, atol=1e-6)
    assert np.abs(values[:, PLACES["score_z"]]).max() > 10
