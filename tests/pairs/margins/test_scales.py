import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spinney.pairs.margins.scales import Asinh, Linear, Log, YeoJohnson, robust_spread

LINEAR = Linear(exponent=3, location=0.2, spread=0.05)
SCALES = [
    LINEAR,
    Asinh(LINEAR),
    *(YeoJohnson(LINEAR, power) for power in (0.0, 1e-9, 0.3, 1.0, 1.7, 2.0)),
    Log(location=0.4, spread=1.3),
]


@pytest.mark.parametrize("scale", SCALES, ids=repr)
def test_inverse_undoes_forward_and_slope_is_the_derivative(scale):
    x = np.geomspace(1e-3, 50, 40)
    if not isinstance(scale, Log):
        x = np.concatenate([-x[::-1], x])
    y = scale.forward(x)
    assert (np.diff(y) > 0).all()
    np.testing.assert_allclose(scale.inverse(y), x, rtol=1e-10)
    step = 1e-5 * np.abs(x)
    slope = (scale.forward(x + step) - scale.forward(x - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(scale.log_slope(x)), slope, rtol=1e-6)


@pytest.mark.parametrize("scale", SCALES, ids=repr)
def test_image_is_the_whole_line_and_the_way_back_is_finite(scale):
    x = scale.inverse(np.array([-1e4, -30.0, 0.0, 30.0, 1e4]))
    assert np.isfinite(x).all()
    assert (np.diff(x) >= 0).all()


@given(st.floats(0, 2), st.floats(-50, 50))
def test_yeo_johnson_agrees_with_scipy(power, x):
    identity = Linear(exponent=0, location=0.0, spread=1.0)
    ours = YeoJohnson(identity, power).forward(np.array([x]))
    np.testing.assert_allclose(ours, stats.yeojohnson(np.array([x]), power), rtol=1e-9, atol=1e-300)


def test_yeo_johnson_power_is_scipys_where_that_is_admissible(rng):
    x = np.sort(rng.gamma(2.0, size=500))
    linear = Linear.fit(x)
    fitted = YeoJohnson.fit(linear, x, np.ones(500))
    expected = stats.yeojohnson_normmax(linear.forward(x))
    assert 0 < expected < 1
    assert fitted.power == pytest.approx(expected, abs=2e-3)
    assert YeoJohnson.fit(linear, x**6, np.ones(500)).power < 1e-2


@pytest.mark.parametrize("unit", [1.0, 1e300, 1e-300, 2.0**-1060])
def test_linear_scale_does_not_mind_the_unit(unit, rng):
    x = np.round(rng.normal(size=99), 2)
    np.testing.assert_allclose(
        Linear.fit(x * unit).forward(x * unit), Linear.fit(x).forward(x), rtol=1e-3, atol=1e-3
    )


def test_robust_spread_looks_past_outliers_and_ties(rng):
    x = rng.normal(size=20_000)
    assert robust_spread(x) == pytest.approx(1.0, rel=0.02)
    x[0] = 1e9
    assert robust_spread(x) == pytest.approx(1.0, rel=0.02)
    zeros = np.concatenate([np.zeros(850), np.ones(150)])
    assert robust_spread(zeros) == pytest.approx(np.std(zeros))
    assert robust_spread(np.append(np.zeros(99), 1.0)) > 0
