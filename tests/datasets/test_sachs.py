import networkx as nx
import numpy as np
import pytest

from spinney.datasets import SachsData, load_sachs
from spinney.exceptions import InputError

PROTEINS = ["Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk"]
TRUTHS = ["consensus20", "bnlearn17"]


@pytest.mark.parametrize(("version", "rows"), [("observational", 853), ("all_conditions", 7466)])
def test_shape_and_sum_are_those_of_the_source(version, rows):
    sachs = load_sachs(version)
    assert sachs.X.shape == (rows, 11)
    assert list(sachs.X.columns) == PROTEINS
    hundredths = np.rint(sachs.X.to_numpy() * 100)
    # Sums of the source files, in hundredths; any changed cell shows.
    assert int(hundredths.sum()) == {853: 80_142_924, 7466: 1_100_968_387}[rows]
    assert np.array_equal(sachs.X.to_numpy(), hundredths / 100)
    assert str(rows) in sachs.description


def test_first_row_is_that_of_the_source():
    first = [26.4, 13.2, 8.82, 18.3, 58.8, 6.61, 17.0, 414.0, 17.0, 44.9, 40.0]
    assert load_sachs().X.iloc[0].tolist() == first


def test_conditions_number_nine_and_the_observational_rows_are_one_of_them():
    every = load_sachs("all_conditions")
    counts = every.conditions.value_counts()
    assert len(counts) == 9
    assert counts["cd3cd28"] == 853
    assert counts["pma"] == 913
    observational = load_sachs()
    assert set(observational.conditions) == {"cd3cd28"}
    same = every.X[every.conditions == "cd3cd28"].reset_index(drop=True)
    assert same.equals(observational.X)


@pytest.mark.parametrize(
    ("truth", "edges", "moral", "components"),
    [("consensus20", 20, 22, 1), ("bnlearn17", 17, 17, 2)],
)
def test_truths_have_the_stated_edges_and_components(truth, edges, moral, components):
    sachs = load_sachs(truth=truth)
    assert len(sachs.edges) == len(sachs.edges.drop_duplicates()) == edges
    assert len(sachs.moral_edges) == moral
    graph = nx.from_pandas_adjacency(sachs.adjacency)
    assert graph.number_of_edges() == edges
    assert nx.number_connected_components(graph) == components


@pytest.mark.parametrize("truth", TRUTHS)
def test_moral_graph_agrees_with_networkx(truth):
    sachs = load_sachs(truth=truth)
    directed = nx.from_pandas_edgelist(sachs.edges, create_using=nx.DiGraph)
    assert nx.is_directed_acyclic_graph(directed)
    expected = {frozenset(edge) for edge in nx.moral_graph(directed).edges}
    assert {frozenset(edge) for edge in sachs.moral_edges.to_numpy().tolist()} == expected


@pytest.mark.parametrize("truth", TRUTHS)
def test_adjacencies_are_symmetric_in_the_order_of_the_columns(truth):
    sachs = load_sachs(truth=truth)
    for adjacency in (sachs.adjacency, sachs.moral_adjacency):
        matrix = adjacency.to_numpy()
        assert matrix.dtype == bool
        assert list(adjacency.columns) == list(adjacency.index) == list(sachs.X.columns)
        assert (matrix == matrix.T).all()
        assert not matrix.diagonal().any()
    assert (sachs.adjacency.to_numpy() <= sachs.moral_adjacency.to_numpy()).all()


def test_what_a_caller_changes_does_not_reach_the_next_caller():
    first = load_sachs()
    first.X.iloc[0, 0] = -1.0
    assert load_sachs().X.iloc[0, 0] == 26.4
    with pytest.raises(AttributeError):
        first.X = None
    assert isinstance(first, SachsData)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"version": "observation"}, r"no version 'observation'. Did you mean 'observational'\?"),
        ({"truth": "consensus"}, r"no truth 'consensus'. Did you mean 'consensus20'\?"),
        ({"truth": None}, "Choose from: consensus20, bnlearn17"),
    ],
)
def test_unknown_names_are_answered_with_those_there_are(arguments, message):
    with pytest.raises(InputError, match=message):
        load_sachs(**arguments)
