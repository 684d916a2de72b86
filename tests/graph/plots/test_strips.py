"""Strips: every row is a point of its level, quartiles are the data's, and jitter repeats."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from spinney.exceptions import InputError
from spinney.graph.plots import plot_strip
from spinney.graph.plots.strips import HALF_WIDTH, axis_scale, jitter
from spinney.graph.plots.style import LINES


def axes():
    return Figure(figsize=(5, 4)).subplots()


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    levels = rng.integers(3, size=300)
    return levels, rng.normal(size=300) + levels


@settings(max_examples=40)
@given(
    values=st.lists(st.floats(-1e6, 1e6), max_size=60),
    seed=st.integers(0, 5),
)
def test_jitter_keeps_levels_apart_and_repeats(values, seed):
    shifts = jitter(values, seed)
    assert shifts.shape == (len(values),)
    assert (np.abs(shifts) <= HALF_WIDTH).all()
    np.testing.assert_array_equal(shifts, jitter(values, seed))


def test_jitter_is_wide_where_values_are_many():
    values = np.concatenate([np.random.default_rng(0).normal(size=5000), [6.0, 6.1, -6.0]])
    shifts = np.abs(jitter(values))
    assert shifts[np.abs(values) < 0.5].max() > 0.9 * HALF_WIDTH
    assert shifts[-3:].max() < 0.1 * HALF_WIDTH


@pytest.mark.parametrize("horizontal", [False, True])
def test_every_row_is_a_point_of_its_level(data, horizontal):
    levels, values = data
    codes = levels.astype(float)
    codes[:2], values[2:5] = np.nan, np.nan
    ax = plot_strip(codes, values, level_names="abc", ax=axes(), horizontal=horizontal)
    points = [c.get_offsets() for c in ax.collections if isinstance(c, PathCollection)]
    across, along = (1, 0) if horizontal else (0, 1)
    for k in range(3):
        own = values[(codes == k) & ~np.isnan(values)]
        np.testing.assert_array_equal(points[k][:, along], own)
        assert (np.abs(points[k][:, across] - k) <= HALF_WIDTH).all()
    labels = ax.get_yticklabels() if horizontal else ax.get_xticklabels()
    counts = [int(((codes == k) & ~np.isnan(values)).sum()) for k in range(3)]
    for label, name, count in zip(labels, "abc", counts, strict=True):
        assert label.get_text().startswith(name)
        assert f"n = {count}" in label.get_text()


def test_boxes_are_quartiles(data):
    levels, values = data
    ax = plot_strip(levels, values, level_names="abc", ax=axes())
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    for k, box in enumerate(boxes):
        low, high = np.percentile(values[levels == k], [25, 75])
        assert box.get_y() == pytest.approx(low)
        assert box.get_height() == pytest.approx(high - low)
    assert len(boxes) == 3
    few = plot_strip([0, 0, 1], [1.0, 2.0, 3.0], level_names="ab", ax=axes())
    assert not few.patches


def test_fitted_quartiles_stand_beside(data):
    fitted = np.array([[0.0, 0.5, 1.0], [np.nan] * 3, [1.0, 2.0, 4.0]])
    ax = plot_strip(*data, level_names="abc", ax=axes(), fitted=fitted)
    lines = [line for line in ax.lines if len(line.get_ydata()) == 2]
    assert [list(line.get_ydata()) for line in lines] == [[0.0, 1.0], [1.0, 4.0]]
    assert {to_hex(line.get_color()).upper() for line in lines} == {LINES}


def test_scales_follow_the_data():
    rng = np.random.default_rng(2)
    assert axis_scale(rng.normal(size=500)) == "linear"
    assert axis_scale(rng.exponential(size=500)) == "linear"
    assert axis_scale(rng.lognormal(sigma=2.0, size=500)) == "log"
    assert axis_scale(rng.standard_cauchy(500)) == "asinh"
    assert axis_scale([1.0, 1e6]) == "linear"
    skewed = rng.lognormal(sigma=2.0, size=500)
    for shown, scale in ((skewed, "log"), (skewed - np.median(skewed), "asinh")):
        codes = np.zeros(500, dtype=int)
        ax = plot_strip(codes, shown, level_names=["a"], names=("u", "v"), ax=axes())
        assert ax.get_yscale() == scale
        assert ax.get_ylabel() == f"v ({scale} scale)"


@pytest.mark.parametrize(
    ("levels", "values", "message"),
    [
        ([0, 1], [0.0], "as long as each other, not 2, 1"),
        ([0, 2], [0.0, 1.0], "level 2, but names for 2 levels"),
    ],
)
def test_what_makes_no_sense_is_refused(levels, values, message):
    with pytest.raises(InputError, match=message):
        plot_strip(levels, values, level_names="ab", ax=axes())
