"""Edges that matter: those that are surely strong stay as they were, the others are counted."""

import numpy as np
import pandas as pd
import pytest

import spinney
from spinney.exceptions import InputError


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    x, y, z, w = rng.normal(size=(4, 1500))
    frame = pd.DataFrame({"x": x, "y": y - x, "weak": z + 0.2 * x, "w": w + y})
    return frame.assign(kind=np.where(x + 0.4 * rng.normal(size=1500) > 0.5, "a", "b"))


@pytest.fixture(scope="module")
def whole(frame):
    return spinney.learn(frame, kind={"kind": "nominal"})


def surely(edges):
    return np.maximum(edges["strength_low"], -edges["strength_high"])


def test_weak_edges_are_left_out_and_counted(frame, whole):
    least = 0.2
    found = spinney.learn(frame, kind={"kind": "nominal"}, min_strength=least)
    stay = whole.edges[surely(whole.edges) > least]
    assert "kind" in set(stay["target"])
    assert 0 < len(stay) < len(whole.edges)
    pd.testing.assert_frame_equal(found.edges, stay.reset_index(drop=True))
    pd.testing.assert_frame_equal(whole.at(min_strength=least).edges, found.edges)
    n = len(whole.edges) - len(stay)
    assert found.learner.left_out_.facts["count"] == n
    words = " ".join(found.summary().split())
    assert f"{n} weak edge" in words
    assert "below 0.2, or may be" in words
    assert found.expected_missed == whole.expected_missed
    assert found.expected_false < whole.expected_false
    assert whole.learner.left_out_ is None


def test_required_edges_stay(frame):
    options = {"min_strength": 0.9}
    required = spinney.learn(frame[["x", "y", "weak"]], required=[("x", "weak")], **options)
    assert required.edges[["source", "target"]].to_numpy().tolist() == [["x", "weak"]]
    none = spinney.learn(frame[["x", "y", "weak"]], **options)
    assert "weak edges were left out: their strength is" in none.summary()


@pytest.mark.parametrize("wrong", [-0.1, 2, None, "much"])
def test_what_is_no_strength_is_refused(frame, wrong):
    with pytest.raises(InputError, match="min_strength must be a number between 0 and 1"):
        spinney.learn(frame, min_strength=wrong)
