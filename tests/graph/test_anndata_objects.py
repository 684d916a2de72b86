"""AnnData objects in memory, by a stand-in with the same attributes."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import spinney
from spinney.exceptions import InputError


@pytest.fixture
def adata(rng):
    n = 120
    X = rng.normal(size=(n, 4))
    X[:, 1] += X[:, 0]
    logs = X.copy()
    logs[:, 3] += 2 * logs[:, 2]
    genes = pd.Index(["Raf", "Mek", "Erk", "Akt"])
    obs = pd.DataFrame(
        {"donor": np.repeat(["d1", "d2", "d3", "d4"], n // 4)}, index=[f"cell{k}" for k in range(n)]
    )
    return SimpleNamespace(
        X=csr_matrix(X),
        layers={"log": logs},
        obs=obs,
        var=pd.DataFrame(index=genes),
        obs_names=obs.index,
        varp={},
        uns={},
    )


def edges(found):
    return {tuple(sorted(edge)) for edge in found.to_networkx().edges}


def test_a_matrix_or_a_layer_is_learned_from(adata):
    found = spinney.learn(adata)
    assert found.names == ("Raf", "Mek", "Erk", "Akt")
    assert ("Mek", "Raf") in edges(found)
    assert ("Akt", "Erk") not in edges(found)
    assert ("Akt", "Erk") in edges(spinney.learn(adata, layer="log"))


def test_columns_of_obs_are_units_and_groups(adata):
    found = spinney.learn(adata, unit="donor")
    assert found.table.units.max() == 3
    grouped = spinney.learn_groups(adata, "donor", layer="log")
    assert list(grouped.graphs) == ["d1", "d2", "d3", "d4"]


def test_the_graph_is_written_back(adata):
    adata.X = np.column_stack([adata.X.toarray()[:, :3], np.ones(120)])
    with pytest.warns(UserWarning, match="'Akt' is constant"):
        found = spinney.learn(adata)
    found.to_anndata(adata)
    probabilities = adata.varp["spinney_probabilities"].toarray()
    assert probabilities.shape == (4, 4)
    np.testing.assert_allclose(probabilities[:3, :3], np.asarray(found.probabilities))
    assert not probabilities[3].any()
    strengths = adata.varp["spinney_strengths"].toarray()
    assert strengths[0, 1] == found.edges["strength"].iloc[0]
    assert adata.uns["spinney"]["rows"] == 120
    pd.testing.assert_frame_equal(adata.uns["spinney"]["edges"], found.edges)
    adata.var = adata.var.rename(index={"Mek": "MAP2K1"})
    with pytest.raises(InputError, match="has no variable 'Mek', which the graph has"):
        found.to_anndata(adata)


def test_layers_that_are_not_there(adata):
    with pytest.raises(InputError, match=r"There is no layer 'logs'\. Did you mean 'log'"):
        spinney.learn(adata, layer="logs")
    with pytest.raises(InputError, match=r"^layer= goes with an AnnData object"):
        spinney.learn(np.zeros((9, 3)), layer="log")
    adata.X = None
    with pytest.raises(InputError, match=r"has no X\. Name a layer: log"):
        spinney.learn(adata)
