"""The tables of cells that come with the package: of Sachs et al., and PBMC."""

import networkx as nx
import numpy as np
import pytest

from spinney.datasets import (
    PBMC_CELL_TYPES,
    PBMC_PHOSPHO_SITES,
    PBMC_STIMULI,
    PBMC_SURFACE_MARKERS,
    SachsData,
    load_pbmc,
    load_sachs,
    pbmc_counts,
)
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


# Blood cells


def test_shape_and_sum_of_blood_cells_are_those_of_the_source():
    pbmc = load_pbmc(surface_markers=True)
    assert pbmc.X.shape == (51_936, 23)
    assert list(pbmc.X.columns) == [*PBMC_SURFACE_MARKERS, *PBMC_PHOSPHO_SITES]
    units = np.rint(pbmc.X.to_numpy() * 10_000)
    # Sum of the source file in units of its fourth decimal; any changed cell shows.
    assert int(units.sum()) == 13_456_799_241
    assert np.array_equal(pbmc.X.to_numpy(), units / 10_000)


def test_sites_alone_are_the_default_and_the_traps_are_as_documented():
    X = load_pbmc().X
    assert tuple(X.columns) == PBMC_PHOSPHO_SITES
    share = (X <= 0).mean()
    assert share.mean() == pytest.approx(0.1416, abs=5e-5)
    assert share.idxmax() == "pStat3"


def test_counts_agree_with_what_is_loaded():
    counts = pbmc_counts()
    assert counts.shape == (14, 4)
    assert counts.to_numpy().sum() == 51_936
    for cell_type in ("nk", "igm-", "cd14-hladrhigh"):
        for stimulus in PBMC_STIMULI:
            pbmc = load_pbmc(cell_type, stimulus)
            assert len(pbmc.X) == counts.loc[cell_type, stimulus]
            assert set(pbmc.cell_types) == {cell_type}
            assert set(pbmc.stimuli) == {stimulus}
            assert list(pbmc.X.index) == list(range(len(pbmc.X)))


def test_names_listed_are_those_in_the_data():
    pbmc = load_pbmc()
    assert set(pbmc.cell_types) == set(PBMC_CELL_TYPES)
    assert set(pbmc.stimuli) == set(PBMC_STIMULI)


def test_several_kinds_are_taken_together():
    both = load_pbmc(["cd4+", "cd8+"], stimulus="Reference")
    assert len(both.X) == 3989 + 5068
    assert "cd4+, cd8+; Reference" in both.description


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cell_type": "CD4"}, r"no cell type 'CD4'. Did you mean 'cd4\+'\? Choose from: cd14"),
        ({"stimulus": "reference"}, "Did you mean 'Reference'"),
        ({"cell_type": ["nk", "zebra"]}, "no cell type 'zebra'. Choose from"),
        ({"stimulus": [3]}, "no stimulus 3. Choose from: Vanadate, Reference"),
    ],
)
def test_unknown_names_of_blood_cells_are_answered_with_those_there_are(arguments, message):
    with pytest.raises(InputError, match=message):
        load_pbmc(**arguments)


def test_what_a_caller_changes_of_blood_cells_does_not_reach_the_next_caller():
    first = load_pbmc("nk")
    before = first.X.iloc[0, 0]
    first.X.iloc[0, 0] = 99.0
    assert load_pbmc("nk").X.iloc[0, 0] == before
