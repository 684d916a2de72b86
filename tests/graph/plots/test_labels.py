"""Names along an axis: none covers another, and they move no farther than they must."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.optimize import minimize

from spinney.graph.plots.labels import label_levels, spread
from spinney.graph.plots.style import shorten, text_width, wrap


@given(
    wanted=st.lists(st.floats(0, 100), min_size=1, max_size=8),
    sizes=st.lists(st.floats(1, 30), min_size=8, max_size=8),
)
def test_spread_intervals_do_not_overlap_and_stay_inside(wanted, sizes):
    wanted, sizes = np.sort(wanted), np.array(sizes[: len(wanted)])
    found = spread(wanted, sizes, -200.0, 300.0)
    assert (np.diff(found) >= (sizes[1:] + sizes[:-1]) / 2 - 1e-9).all()
    tight = spread(wanted, sizes, 0.0, sizes.sum() + 1.0)
    assert (np.diff(tight) >= (sizes[1:] + sizes[:-1]) / 2 - 1e-9).all()
    assert tight[0] - sizes[0] / 2 >= -1e-9
    assert tight[-1] + sizes[-1] / 2 <= sizes.sum() + 1 + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_spread_moves_least_against_a_general_solver(seed):
    rng = np.random.default_rng(seed)
    wanted, sizes = np.sort(rng.uniform(0, 40, 6)), rng.uniform(3, 12, 6)
    gaps = (sizes[1:] + sizes[:-1]) / 2
    low, high = 0.0, sizes.sum() + 3.0
    solved = minimize(
        lambda p: ((p - wanted) ** 2).sum(),
        low + np.cumsum(sizes) - sizes / 2,
        constraints=[
            {"type": "ineq", "fun": lambda p: np.diff(p) - gaps},
            {"type": "ineq", "fun": lambda p: p[0] - sizes[0] / 2 - low},
            {"type": "ineq", "fun": lambda p: high - p[-1] - sizes[-1] / 2},
        ],
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    np.testing.assert_allclose(spread(wanted, sizes, low, high), solved.x, atol=1e-4)


@given(text=st.text(alphabet="ab _-/", min_size=1, max_size=40), width=st.floats(20, 90))
@settings(max_examples=60)
def test_wrapped_texts_keep_their_letters_or_say_that_they_were_cut(text, width):
    lines = wrap(text, width, 3).split("\n")
    assert len(lines) <= 3
    assert all(text_width(line) <= width + 1e-9 for line in lines)
    if "…" not in "".join(lines):
        assert "".join("".join(lines).split()) == "".join(text.split())


def test_cut_names_stay_apart():
    names = [f"a very long name of a level, number {k}" for k in range(4)]
    ax = Figure(figsize=(3, 3)).subplots()
    ax.set(xlim=(-0.5, 3.5))
    label_levels(ax, "x", range(4), names)
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert len(set(shown)) == 4
    assert shorten("abcdefghij", 30.0, middle=True)[-1] == "j"


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("count", [2, 5, 10, 30])
@pytest.mark.parametrize("name", ["{}", "level {}", "{} a name of many words, and then some"])
def test_no_two_labels_overlap(axis, count, name):
    figure = Figure(figsize=(4, 4), dpi=72)
    ax = figure.subplots()
    shares = 0.7 ** np.arange(count)
    centres = np.cumsum(shares / shares.sum()) - shares / shares.sum() / 2
    label_levels(ax, axis, centres, [name.format(k) for k in range(count)], movable=True)
    figure.draw_without_rendering()
    labels = ax.get_xticklabels() if axis == "x" else ax.get_yticklabels()
    assert labels
    if labels[0].get_rotation():  # leaning: the distance between their lines
        x = np.array([label.get_position()[0] for label in labels]) * ax.bbox.width
        apart = np.diff(x) * np.sin(np.radians(labels[0].get_rotation()))
        assert (apart >= 8.0).all()
        return
    boxes = [label.get_window_extent() for label in labels]
    for box, after in pairwise(boxes):
        assert after.x0 >= box.x1 - 1 if axis == "x" else after.y0 >= box.y1 - 3
