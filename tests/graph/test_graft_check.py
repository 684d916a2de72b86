"""Columns grown on a user's table: what is found of their edges."""

import numpy as np
import pandas as pd
import pytest

from spinney import DataWarning, RootedForests, learn
from spinney.exceptions import InputError
from spinney.graph import LearnedGraph
from spinney.models.baselines import PartialCorrelation


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "y": x + rng.normal(size=n),
            "level": np.digitize(x + rng.normal(size=n), [-1, 0, 1]),
            "city": rng.choice(["Bonn", "Kiel", "Ulm"], n),
            "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )


@pytest.fixture(scope="module")
def graph():
    return learn(table(), required=[("x", "city")])


def test_strong_edges_are_found_and_few_others(graph):
    checked = graph.check(12)
    found = checked.found.set_index("explained").share
    assert found[0.7] >= 0.7 > found[0.02]
    others = checked.pairs[~checked.pairs.edge]
    assert others.kept.mean() < 0.1
    # Every pair has a column that was grown: of the others nothing is known.
    grown = checked.pairs[["source", "target"]].apply(lambda x: x.str.startswith("graft"))
    assert grown.any(axis=1).all()
    assert (
        checked.summary().count(f"of {checked.pairs.edge.sum()} edges of added columns were found")
        == 1
    )
    assert "; the probabilities predict" in checked.summary()


def test_the_seed_decides_and_workers_do_not(graph):
    first, again, other = (
        graph.check(2, random_state=seed, n_jobs=jobs).pairs
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    )
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


def test_any_estimator_that_keeps_its_table():
    model = RootedForests(n_penalties=4).fit(table())
    checked = LearnedGraph.of(model).check(6)
    assert "probability" not in checked.pairs
    assert "taken for edges. " in checked.summary()


def test_what_cannot_be_checked_says_so(graph):
    plain = LearnedGraph.of(PartialCorrelation().fit(table()[["x", "y"]]))
    with pytest.raises(InputError, match="does not keep its table"):
        plain.check()
    with pytest.warns(DataWarning, match="few"):
        small = learn(table(12)[["x", "y"]])
    with pytest.raises(InputError, match="20 rows or more; the table has 12"):
        small.check()
    with pytest.raises(InputError, match="n_repetitions must be 1 or more"):
        graph.check(0)
