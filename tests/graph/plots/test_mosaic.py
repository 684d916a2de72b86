"""Mosaics: areas are shares, colours are residuals, and every row is in one cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from scipy.stats import contingency

from spinney.exceptions import InputError
from spinney.graph.plots import mosaic_table, plot_mosaic
from spinney.graph.plots.mosaic import CLASSES, GAP


def axes(size=5.0):
    return Figure(figsize=(size, size)).subplots()


def draw(x, y, k, m, **options):
    names = [f"a{i}" for i in range(k)], [f"b{j}" for j in range(m)]
    return plot_mosaic(x, y, levels_x=names[0], levels_y=names[1], ax=axes(), **options)


def cells(ax):
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 6), m=st.integers(2, 6))
def test_residuals_and_v_agree_with_scipy(seed, k, m):
    rng = np.random.default_rng(seed)
    x = rng.integers(k, size=200)
    y = np.where(rng.random(200) < 0.3, x % m, rng.integers(m, size=200))
    x[:k], y[:m] = np.arange(k), np.arange(m)  # every level is there
    table = mosaic_table(x, y, k, m)
    expected = contingency.expected_freq(table.counts)
    np.testing.assert_allclose(table.expected, expected, rtol=1e-12)
    residuals = (table.counts - expected) / np.sqrt(expected)
    np.testing.assert_allclose(table.residuals, residuals, rtol=1e-10, atol=1e-12)
    assert table.cramers_v == pytest.approx(contingency.association(table.counts), rel=1e-10)
    assert table.counts.tolist() == [
        [int(((x == i) & (y == j)).sum()) for j in range(m)] for i in range(k)
    ]


def test_cells_are_as_large_as_their_shares():
    rng = np.random.default_rng(3)
    x, y = rng.choice(3, 400, p=[0.6, 0.3, 0.1]), rng.integers(2, size=400)
    ax = draw(x, y, 3, 2)
    boxes = cells(ax)
    assert len(boxes) == 6
    free = 1 - 2 * GAP
    for k in range(3):
        for j in range(2):
            box = boxes[2 * k + j]
            area = box.get_width() * box.get_height() / free
            assert area == pytest.approx(((x == k) & (y == j)).mean(), rel=1e-9)
        # Columns are full, and the first level lies below.
        assert boxes[2 * k].get_y() == pytest.approx(0.0, abs=1e-12)
        assert boxes[2 * k + 1].get_y() == pytest.approx(boxes[2 * k].get_height())
    assert boxes[2].get_x() == pytest.approx(boxes[0].get_width() + GAP)


def test_colours_say_where_there_are_more_and_where_fewer():
    x = np.repeat([0, 0, 1, 1], [90, 10, 10, 90])
    y = np.repeat([0, 1, 0, 1], [90, 10, 10, 90])
    below, above = CLASSES[0][0], CLASSES[-1][0]
    colours = [to_hex(box.get_facecolor()).upper() for box in cells(draw(x, y, 2, 2))]
    assert colours == [above, below, below, above]


def test_rows_with_gaps_are_left_out_and_counted():
    x = np.array([0, 1, np.nan, 1, -1, 0])
    y = np.array([1, np.nan, 0, 1, 0, 0])
    table = mosaic_table(x, y, 2, 2)
    assert table.n_missing == 3
    assert table.counts.tolist() == [[1, 1], [0, 1]]


def test_a_cell_without_rows_is_a_line_and_a_level_without_rows_is_not_there():
    x, y = np.array([0, 0, 2, 2]), np.array([0, 1, 1, 1])
    ax = draw(x, y, 3, 2)
    assert len(cells(ax)) == 4
    empty = [box for box in cells(ax) if box.get_height() == 0]
    assert len(empty) == 1
    assert empty[0].get_linewidth() > 1
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a0", "a2"]
    table = mosaic_table(x, y, 3, 2)
    assert table.residuals[1].tolist() == [0.0, 0.0]


def test_counts_are_written_where_there_is_room():
    x = np.repeat([0, 1], [1000, 1])
    ax = draw(x, np.tile([0, 1], 501)[:1001], 2, 2)
    assert [text.get_text() for text in ax.texts] == ["500\n50 %", "500\n50 %"]


def test_names_are_taken_as_they_are_and_a_legend_may_be_left_away():
    ax = draw([0, 1, 0], [0, 1, 1], 2, 2, names=("$a_1$", "b"), legend=False)
    assert ax.get_xlabel() == "$a_1$"
    assert ax.get_legend() is None
    assert "−2 to 2" in [t.get_text() for t in draw([0, 1], [0, 1], 2, 2).get_legend().get_texts()]


def test_no_rows_at_all():
    assert cells(draw([], [], 2, 2)) == []
    assert cells(draw([np.nan], [1.0], 2, 2)) == []


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0, 1], [0], "as long as each other, not 2, 1"),
        ([0, 2], [0, 1], "x has level 2, but names for 2 levels"),
    ],
)
def test_what_makes_no_sense_is_refused(x, y, message):
    with pytest.raises(InputError, match=message):
        draw(x, y, 2, 2)


def test_small_axes_and_long_names_raise_no_warning():
    long = [f"a very long name of a level {k}" for k in range(10)]
    codes = np.random.default_rng(0).integers(10, size=(2, 30))
    ax = Figure(figsize=(1, 1), layout="constrained").subplots()
    assert plot_mosaic(*codes, levels_x=long, levels_y=long, ax=ax) is ax
