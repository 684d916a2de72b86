"""Densities of tables with levels: they sum to one, margins of rows with gaps, and the truth."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from spinney import SharedForest
from spinney.models.baselines import ChowLiu
from spinney.simulate import ising_forest, potts_forest
from tests.models.real_tables import LEARNERS, QUICK, all_cells


def discrete_frame(rng, n=400):
    """Four dependent columns with levels: ordinal, binary, nominal, binary."""
    z = rng.normal(size=(n, 4))
    z[:, 1] += z[:, 0]
    z[:, 2] += z[:, 1]
    z[:, 3] -= z[:, 1]
    return pd.DataFrame(
        {
            "stars": np.digitize(z[:, 0], [-0.8, 0.1, 1.0]),
            "yes": z[:, 1] > 0.3,
            "colour": np.array(["blue", "green", "red"])[np.digitize(z[:, 2], [-1.0, 0.8])],
            "answer": np.where(z[:, 3] > -0.2, "b", "a"),
        }
    )


@pytest.fixture(scope="module")
def discrete():
    return discrete_frame(np.random.default_rng(8))


@pytest.fixture(scope="module")
def fitted(discrete):
    return {name: clone(model).fit(discrete) for name, model in LEARNERS.items()}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_probabilities_of_all_cells_sum_to_one(fitted, name):
    model = fitted[name]
    assert model.adjacency_.any()
    cells = all_cells(model.table_.columns)
    assert len(cells) == 4 * 2 * 3 * 2
    assert np.exp(model.score_samples(cells)).sum() == pytest.approx(1.0, abs=1e-6)
    # And it is no product of margins.
    assert np.abs(model.log_likelihood_ratio(cells)).max() > 0.5


@pytest.mark.parametrize("name", LEARNERS)
def test_every_single_value_has_its_share_of_the_rows(fitted, discrete, name):
    """Without gaps the margins of the model are those of the table."""
    model = fitted[name]
    cells = all_cells(model.table_.columns)
    p = pd.Series(np.exp(model.score_samples(cells)))
    for column in discrete:
        for value in set(discrete[column]):
            found = p[cells[column] == value].sum()
            assert found == pytest.approx((discrete[column] == value).mean(), abs=1e-6)


def test_a_gap_in_a_leaf_gives_the_margin_of_the_rest(discrete):
    """Summed over a leaf its edge is one, so that w = 1 is exact."""
    model = ChowLiu(criterion=None, potentials=QUICK).fit(discrete)
    cells = all_cells(model.table_.columns)
    p = np.exp(model.score_samples(cells))
    leaves = [name for name, degree in model.graph_.degree if degree == 1]
    assert leaves
    for leaf in leaves:
        others = [name for name in cells if name != leaf]
        for kept, rows in cells.groupby(others, observed=True):
            row = rows.iloc[:1].astype(object).assign(**{leaf: None})
            found = np.exp(model.score_samples(row))[0]
            assert found == pytest.approx(p[rows.index].sum(), abs=1e-9), kept


def test_a_gap_in_the_middle_is_an_approximation(discrete):
    """What the docs say: there w = 1 parts the tree, and the sum over cells is another number."""
    model = ChowLiu(criterion=None, potentials=QUICK).fit(discrete)
    cells = all_cells(model.table_.columns)
    p = np.exp(model.score_samples(cells))
    middle = max(model.graph_.degree, key=lambda item: item[1])[0]
    others = [name for name in cells if name != middle]
    apart = []
    for _, rows in cells.groupby(others, observed=True):
        row = rows.iloc[:1].astype(object).assign(**{middle: None})
        apart.append(abs(np.exp(model.score_samples(row))[0] - p[rows.index].sum()))
    assert 1e-3 < max(apart) < 0.1


def truth_of(data):
    """Probabilities of all cells of a simulated forest, by its pair tables."""
    d = data.X.shape[1]
    margins: list = [None] * d
    for (u, v), table in data.pair_tables.items():
        margins[u], margins[v] = table.sum(axis=1), table.sum(axis=0)
    cells = np.array(list(itertools.product(*[range(len(margin)) for margin in margins])))
    p = np.prod([margins[k][cells[:, k]] for k in range(d)], axis=0)
    for (u, v), table in data.pair_tables.items():
        p *= (table / np.outer(margins[u], margins[v]))[cells[:, u], cells[:, v]]
    assert p.sum() == pytest.approx(1.0)
    return p


def variation(model, data):
    """Total variation between the fitted and the true distribution of all cells."""
    p = np.exp(model.score_samples(all_cells(model.table_.columns)))
    return 0.5 * np.abs(p - truth_of(data)).sum()


WORLDS = {
    "ising": lambda n: ising_forest(n, 5, components=1, random_state=3),
    "potts": lambda n: potts_forest(n, 4, components=2, random_state=3),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    "model",
    [
        ChowLiu(potentials=QUICK),
        pytest.param(SharedForest(QUICK, n_subsets=8), marks=pytest.mark.slow),
    ],
)
def test_forests_of_levels_against_exact_inference(world, model):
    """With the edges found, what is left are the errors of shares, of order 1/√n each."""
    apart = {}
    for n in (500, 8000):
        data = WORLDS[world](n)
        fitted = clone(model).fit(data.table)
        if n == 8000:
            found = nx.from_numpy_array(fitted.adjacency_)
            assert nx.utils.edges_equal(found.edges, nx.from_numpy_array(data.adjacency).edges)
        apart[n] = variation(fitted, data)
        assert apart[n] < np.sqrt(len(truth_of(data)) / n)
    assert apart[8000] < 0.6 * apart[500]
