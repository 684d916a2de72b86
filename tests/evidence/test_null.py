"""Deviates of independent pairs are about standard normal, whatever the kinds of columns."""

import numpy as np
import pandas as pd
import pytest

from spinney.evidence import CHANNELS, measure
from spinney.tables import read_table

OVER_COLUMNS = {"given_one_z", "least_z", "most_z"}
"""The least or the most over other columns: not standard normal by construction."""
DEVIATES = [
    channel.name
    for channel in CHANNELS
    if channel.name.endswith("_z") and channel.name not in OVER_COLUMNS
]
LETTERS = np.array(list("abcdefghij"))


def normal(rng, n):
    return pd.DataFrame(rng.normal(size=(n, 6)))


def yes(share):
    return lambda rng, n: pd.DataFrame((rng.random((n, 6)) < share).astype(int))


def five_points(rng, n):
    return pd.DataFrame(np.digitize(rng.normal(size=(n, 6)), [-1.0, -0.3, 0.3, 1.0]))


def rare_levels(rng, n):
    """Ten levels: two fifths of the rows have the first, and so on of those that are left."""
    return pd.DataFrame(LETTERS[np.minimum(rng.geometric(0.4, size=(n, 6)) - 1, 9)])


def gaps(rng, n):
    return normal(rng, n).mask(rng.random((n, 6)) < 0.2)


def mixed(rng, n):
    parts = [make(rng, n).iloc[:, :2] for make in (normal, yes(0.3), five_points, rare_levels)]
    frame = pd.concat(parts, axis=1, ignore_index=True)
    return frame.mask(rng.random(frame.shape) < 0.1)


def deviates(make, n):
    frames = []
    for seed in range(40):
        frame = make(np.random.default_rng(seed), n)
        frames.append(measure(read_table(frame)).to_frame()[DEVIATES])
    found = pd.concat(frames)
    return found.where(found != 0.0)  # exactly 0: there is no such number of these kinds


@pytest.mark.parametrize(
    ("make", "n", "n_channels"),
    [
        pytest.param(normal, 60, 8, id="continuous, 60 rows"),
        pytest.param(normal, 300, 8, id="continuous"),
        pytest.param(yes(0.3), 200, 7, id="yes and no, 0.3"),
        # Of fewer rows too few have both: their number is 0, 1 or 2, and no deviate is normal.
        pytest.param(yes(0.05), 500, 7, id="yes and no, 0.05"),
        pytest.param(five_points, 200, 8, id="five points"),
        pytest.param(rare_levels, 60, 3, id="rare levels, 60 rows"),
        pytest.param(rare_levels, 200, 3, id="rare levels"),
        pytest.param(gaps, 200, 8, id="gaps"),
        pytest.param(mixed, 200, 8, id="mixed"),
    ],
)
def test_deviates_of_independent_columns_are_about_standard_normal(make, n, n_channels):
    found = deviates(make, n)
    there = found.columns[found.notna().any()]
    assert len(there) == n_channels
    for name in there:
        assert abs(found[name].mean()) < 0.35, name
        assert 0.6 < found[name].std() < 1.25, name


def test_deviates_with_next_to_no_ridge_beside_nominal_columns_and_few_rows():
    assert deviates(mixed, 60)["partial_free_z"].std() < 1.25


@pytest.mark.parametrize("make", [normal, yes(0.3), yes(0.05), five_points, rare_levels])
def test_the_most_over_columns_is_larger_and_the_least_smaller_but_not_by_much(make):
    frames = [
        measure(read_table(make(np.random.default_rng(seed), 200))).to_frame() for seed in range(20)
    ]
    found = pd.concat(frames)
    assert 0.0 < found["most_z"].mean() < 2.0
    assert found["most_z"].max() < 5.5
    assert -2.0 < found["least_z"].mean() < 0.35
    assert found["least_z"].max() < 4.5
    assert (found["given_one_z"].abs() <= found["score_z"].abs() + 1e-5).all()


def test_a_column_that_rows_are_sorted_by_explains_as_much_as_in_any_order():
    rng = np.random.default_rng(5)
    kind = np.sort(rng.integers(0, 3, 300))
    place = np.where(rng.random(300) < 0.8, kind, rng.integers(0, 3, 300))
    order = np.lexsort((place, kind))
    frame = pd.DataFrame({"kind": kind, "place": place[order]}).astype("category")
    for name in ("x", "y"):
        frame[name] = 1.5 * kind + rng.normal(size=300)

    def partial_of(frame, channel):
        found = measure(frame).to_frame().set_index(["source", "target"])
        return found.loc[("place", "x"), channel]

    shuffled = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    for channel in ("partial_any_z", "partial_shapes_z"):
        assert abs(partial_of(shuffled, channel)) < 3
        assert partial_of(frame, channel) == pytest.approx(partial_of(shuffled, channel), abs=0.5)
