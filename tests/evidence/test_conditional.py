"""What one other column leaves of a pair, or brings out."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from spinney.evidence import measure
from spinney.evidence.conditional import rank_classes, strongest_partners
from spinney.evidence.measured import Measured
from spinney.scores import read_scores
from spinney.tables import read_table

BENDS = {
    "square": lambda y: y**2,
    "threshold": lambda y: 3.0 * (y > 1.0),
    "sine": lambda y: np.sin(3.0 * y),
}


def pair_of(columns, one, other):
    found = measure(read_table(pd.DataFrame(columns))).why(one, other)
    return found.set_index("channel")["value"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("bend", BENDS)
def test_a_common_cause_that_bends_explains_its_effects(bend, seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=500)
    x, z = (BENDS[bend](y) + 0.7 * rng.normal(size=500) for _ in range(2))
    pair = pair_of({"x": x, "y": y, "z": z, "other": rng.normal(size=500)}, "x", "z")
    assert pair["score_z"] > 7
    assert abs(pair["given_one_z"]) < 4
    assert pair["least_z"] < 4


@pytest.mark.parametrize("seed", range(3))
def test_the_cause_and_its_effects_are_not_explained(seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=500)
    x, z = (y**2 + 0.5 * rng.normal(size=500) for _ in range(2))
    assert pair_of({"x": x, "y": y, "z": z}, "x", "y")["least_z"] > 6


@pytest.mark.parametrize("seed", range(3))
def test_an_exclusive_or_shows_within_classes_alone(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 2, size=(2, 500))
    columns = {"x": x, "y": y, "z": x ^ y}
    for one, other in (("x", "y"), ("x", "z"), ("y", "z")):
        pair = pair_of(columns, one, other)
        assert abs(pair["score_z"]) < 3.5
        assert pair["most_z"] > 6


@pytest.mark.parametrize("seed", range(3))
def test_a_slope_that_turns_with_a_class_shows_within_classes_alone(seed):
    rng = np.random.default_rng(seed)
    x, kind = rng.normal(size=500), rng.integers(0, 2, size=500)
    y = np.where(kind == 1, x, -x) + 0.5 * rng.normal(size=500)
    label = np.where(kind == 1, "up", np.where(rng.random(500) < 0.5, "down", "under"))
    for column in (kind, label):
        pair = pair_of({"x": x, "y": y, "kind": column}, "x", "y")
        assert abs(pair["score_z"]) < 3.5
        assert pair["most_z"] > 6


def test_the_neighbours_of_near_copies_are_explained_and_the_copies_are_not():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=500)
        copy = y + 0.02 * rng.normal(size=500)
        columns = {"y": y, "copy": copy}
        columns["u"] = y + rng.normal(size=500)
        columns["v"] = copy + rng.normal(size=500)
        pair = pair_of(columns, "u", "v")
        assert pair["score_z"] > 7
        assert abs(pair["given_one_z"]) < 4
        assert pair["least_z"] < 4
        assert pair_of(columns, "y", "copy")["least_z"] > 10


def in_steps(y, n_classes):
    """Indicators of classes of ranks, and the ranks inside each, as columns of a design."""
    ranks = (stats.rankdata(y) - 0.5) / len(y)
    member = np.floor(n_classes * ranks)[:, None] == np.arange(n_classes)
    return np.hstack([member, member * ranks[:, None]]).astype(float)


@pytest.mark.parametrize("few", [False, True], ids=["classes with slopes", "own values"])
def test_given_one_is_the_partial_correlation_given_a_column_in_steps(few):
    """By least squares; √300 / 2 = 8.7 rows make nine classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, size=300) if few else rng.normal(size=300)
    frame = pd.DataFrame({"x": y + rng.normal(size=300), "y": y, "z": y + rng.normal(size=300)})
    design = (y[:, None] == np.arange(4)).astype(float) if few else in_steps(y, 9)
    scores = [special.ndtri((stats.rankdata(frame[k]) - 0.5) / 300) for k in "xz"]
    rest = [own - design @ np.linalg.lstsq(design, own, rcond=None)[0] for own in scores]
    expected = np.corrcoef(*rest)[0, 1]
    pair = pair_of(frame, "x", "z")
    assert pair["given_one"] == pytest.approx(expected, abs=0.01)  # medians for means of intervals
    deviate = np.sqrt(300 - design.shape[1] - 3) * np.arctanh(pair["given_one"])
    assert pair["given_one_z"] == pytest.approx(deviate, rel=1e-3)


def test_classes_of_ranks_are_the_same_from_both_ends():
    for n in (10, 33, 90):
        ranks = (np.arange(n) + 0.5) / n
        for n_classes in (3, 7, 11):
            found = rank_classes(ranks, n_classes)
            np.testing.assert_array_equal(n_classes - 1 - found[::-1], found)
            assert (np.diff(found) >= 0).all()
            assert set(found) == set(range(min(n_classes, n))) or n < 2 * n_classes
    ties = np.arange(1, 6) / 6  # middles of ranks that tie may lie on an edge
    np.testing.assert_array_equal(rank_classes(ties, 3), [0, 1, 1, 1, 2])


def test_in_wide_tables_the_strongest_partners_are_given():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 60))
    X[:, 1:11] += X[:, :1]
    partners = strongest_partners(Measured(read_scores(read_table(X))))
    assert partners.sum(axis=0).tolist() == [24] * 60
    assert partners[1:11, 0].all()
    assert not partners.diagonal().any()
    narrow = strongest_partners(Measured(read_scores(read_table(X[:, :9]))))
    np.testing.assert_array_equal(narrow, ~np.eye(9, dtype=bool))


def test_a_common_cause_is_found_in_a_wide_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 45))
    X[:, 0] = X[:, 2] ** 2 + 0.5 * X[:, 0]
    X[:, 1] = X[:, 2] ** 2 + 0.5 * X[:, 1]
    pair = measure(X).why(0, 1).set_index("channel")["value"]
    assert pair["score_z"] > 7
    assert abs(pair["given_one_z"]) < 4
    assert pair["least_z"] < 4
