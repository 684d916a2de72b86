"""A graph per group: which rows and columns it has, and what is said."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from spinney import DataWarning, learn, learn_groups
from spinney._core.pairs import pair_numbers
from spinney.exceptions import InputError
from spinney.graph.differences import couple
from spinney.judge import edge_strengths
from tests.graph.cases import chains, two_groups


@pytest.fixture(scope="module")
def frame():
    return two_groups()


@pytest.fixture(scope="module")
def grouped(frame):
    return learn_groups(frame, "g")


def test_each_graph_is_that_of_its_rows(frame, grouped):
    assert grouped.names == ("A", "B")
    assert grouped.sizes == (200, 150)
    for name, rows in frame.groupby("g"):
        alone = learn(rows.drop(columns="g"))
        found = grouped.graphs[name]
        assert "g" not in found.names
        np.testing.assert_array_equal(found.probabilities, alone.probabilities)


def test_the_difference_comes_first_and_the_rest_does_not_differ(grouped):
    table = grouped.differences
    assert tuple(table.loc[0, ["source", "target"]]) == ("d", "e")
    assert table["differs"].is_monotonic_decreasing
    assert table.loc[0, "differs"] > 0.6
    assert table.loc[1, "differs"] < 0.5
    assert len(table) == 15
    coupling = couple(*(grouped.probabilities[name] for name in "AB"))
    assert grouped.expected_differences == pytest.approx(coupling.differs.sum())
    assert 0.6 < grouped.expected_differences < 2.0
    np.testing.assert_array_equal(np.sort(table["differs_A_B"]), np.sort(coupling.differs))


def test_table_holds_what_the_graphs_say(grouped):
    table = grouped.differences.set_index(["source", "target"])
    for name, graph in grouped.graphs.items():
        for (u, v), row in table.iterrows():
            i, j = graph.names.index(u), graph.names.index(v)
            assert row[f"probability_{name}"] == graph.scores[i, j]
            strength = graph.strengths[i, j] if graph.joined[i, j] else np.nan
            np.testing.assert_equal(row[f"strength_{name}"], strength)
    both = table[["strength_A", "strength_B"]].notna().all(axis=1)
    assert both.sum() == 2
    shared = table[both]
    np.testing.assert_allclose(
        shared["strength_difference"], shared["strength_B"] - shared["strength_A"]
    )
    assert shared["strength_z"].abs().max() < 4.0
    assert table.loc[~both, ["strength_difference", "strength_z"]].isna().all(axis=None)


def test_strength_z_is_given_the_neighbours_of_either_end(grouped):
    """Of edges of both graphs, on the union of these."""
    either = np.any([graph.joined for graph in grouped.graphs.values()], axis=0)
    found = [edge_strengths(graph.table, either) for graph in grouped.graphs.values()]
    place = np.argwhere(np.triu(either, 1)).tolist().index([0, 1])
    row = grouped.differences.set_index(["source", "target"]).loc[("a", "b")]
    apart = np.arctanh(found[1].values[place]) - np.arctanh(found[0].values[place])
    z = apart / np.hypot(found[0].errors[place], found[1].errors[place])
    assert row["strength_z"] == pytest.approx(z)


def test_flipped_signs_of_scales_are_a_difference():
    """Five-point items: mood and sleep go together in one group, and against each other."""
    rng = np.random.default_rng(3)
    parts = []
    for group, r in (("A", 0.6), ("B", -0.6)):
        Z = rng.multivariate_normal([0, 0, 0], [[1, r, 0], [r, 1, 0], [0, 0, 1]], size=200)
        items = pd.DataFrame(np.digitize(Z, [-1.2, -0.4, 0.4, 1.2]) + 1)
        parts.append(items.set_axis(["mood", "sleep", "work"], axis=1).assign(g=group))
    grouped = learn_groups(pd.concat(parts, ignore_index=True), "g")
    assert grouped.differences.set_index(["source", "target"])["strength_z"]["mood", "sleep"] < -9
    told = " ".join(grouped.summary().split())
    assert "1 edge of both A and B differs in strength: mood – sleep (+0.5" in told
    [drawn] = grouped.drawn.values()
    assert drawn.edges[0, 1] == {"state": "unequal", "share": 1.0}


@pytest.mark.slow
def test_random_halves_do_not_differ_beside_levels():
    """A neighbour with levels once made strengths of random halves eleven errors apart."""
    rng = np.random.default_rng(4)
    z = []
    for _ in range(15):
        Z = rng.multivariate_normal(np.zeros(3), 0.5 * np.eye(3) + 0.5, size=400)
        frame = pd.DataFrame(Z, columns=list("xyz"))
        frame["z"] = np.digitize(frame["z"], [-0.4, 0.6])
        halves = rng.permutation(np.repeat(["one", "other"], 200)).tolist()
        z += learn_groups(frame, halves).differences["strength_z"].dropna().tolist()
    assert len(z) > 30
    assert 0.8 < np.sqrt(np.mean(np.square(z))) < 1.2


def test_summary_counts_and_names_the_difference(grouped):
    told = " ".join(grouped.summary().split())
    assert "of 15 pairs, 1 is an edge in only one of the two with a probability above 1/2" in told
    assert "d – e only in B" in told
    assert f"expected number of differences is {grouped.expected_differences:.1f}" in told
    assert "Be careful" in told


def test_labels_beside_the_table_do_what_a_column_does(frame, grouped):
    beside = learn_groups(frame.drop(columns="g"), frame["g"].to_list())
    pd.testing.assert_frame_equal(beside.differences, grouped.differences)
    array = frame.assign(g=(frame["g"] == "B").astype(float)).to_numpy(dtype=float)
    by_place = learn_groups(array, 6)
    assert by_place.names == ("0", "1")
    assert by_place.columns == ("x0", "x1", "x2", "x3", "x4", "x5")
    np.testing.assert_array_equal(by_place.differs, grouped.differs)


def test_three_groups_are_compared_two_by_two(frame):
    third = chains(120, 9).assign(g="C")
    grouped = learn_groups(pd.concat([frame, third], ignore_index=True), "g")
    table = grouped.differences
    names = ["differs_A_B", "differs_A_C", "differs_B_C"]
    np.testing.assert_array_equal(table["differs"], table[names].max(axis=1))
    assert {"strength_z_A_B", "strength_difference_B_C"} <= set(table)
    assert table.loc[0, "differs_A_C"] > 0.6 > 0.5 > table.loc[0, "differs_B_C"]
    assert grouped.expected_differences == pytest.approx(table[names].sum().sum())
    assert "is compared separately" in " ".join(grouped.summary().split())


def test_names_that_would_make_equal_columns_get_columns_of_their_own():
    frame = two_groups((60, 60))
    frame["g"] = np.repeat(["a", "b_c", "a_b", "c"], 30)
    table = learn_groups(frame, "g").differences
    assert {"differs_a_b_c", "differs_a_b_c_"} <= set(table)
    frame["g"] = np.repeat(["z", "difference"], 60)
    grouped = learn_groups(frame, "g")
    table = grouped.differences
    assert {"strength_z", "strength_z_", "strength_difference", "strength_difference_"} <= set(
        table
    )
    strengths = grouped.graphs["z"].strengths[grouped.graphs["z"].joined]
    assert set(table["strength_z"].dropna()) == set(strengths)


def test_kinds_are_decided_once(frame):
    """A scale of which one group shows two levels stays a scale there."""
    frame = frame.copy()
    scale = np.random.default_rng(0).integers(0, 4, len(frame))
    frame["lonely"] = np.where(frame["g"] == "A", scale % 2, scale)
    grouped = learn_groups(frame, "g")
    kinds = [
        graph.nodes.set_index("name").loc["lonely", "kind"] for graph in grouped.graphs.values()
    ]
    assert kinds == ["ordinal", "ordinal"]


def test_a_column_that_is_constant_in_a_group_is_left_out_there_and_said(frame):
    frame = frame.copy()
    frame.loc[frame["g"] == "A", "c"] = 1.5
    with pytest.warns(DataWarning, match="Group 'A': column 'c' is constant here"):
        grouped = learn_groups(frame, "g")
    assert "c" not in grouped.graphs["A"].names
    assert "c" in grouped.graphs["B"].names
    table = grouped.differences
    of_c = (table[["source", "target"]] == "c").any(axis=1)
    assert table.loc[of_c, ["differs", "probability_A"]].isna().all(axis=None)
    assert table.loc[of_c, "probability_B"].notna().all()
    assert table.loc[~of_c, "differs"].notna().all()
    assert "For 5 pairs there is too little data" in " ".join(grouped.summary().split())
    assert "constant" in grouped.summary()


def test_gaps_and_small_groups_are_said(frame):
    frame = frame.copy()
    frame["g"] = frame["g"].astype(object)
    frame.loc[[0, 1, 2], "g"] = None
    frame.loc[[3, 4, 5, 6], "g"] = "tiny"
    frame.loc[range(7, 17), "g"] = "ten"
    with pytest.warns(DataWarning) as caught:
        grouped = learn_groups(frame, "g")
    said = [str(warning.message) for warning in caught]
    assert any(s.startswith("3 of 350 rows have no value in 'g'") for s in said)
    assert any("Group 'tiny' of column 'g' is left out: it has 4 rows" in s for s in said)
    assert not any("Group 'ten' of column 'g' is left out" in s for s in said)
    assert grouped.names == ("A", "B", "ten")
    assert grouped.sizes == (183, 150, 10)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("nowhere", "group names a column 'nowhere' that the table does not have"),
        ("a", r"Column 'a' has 350 distinct values in 350 rows, too many for groups.*pandas\.cut"),
        (["A", "B"], "one value for each of the 350 rows; it has 2 entries"),
        (["A"] * 350, "two or more of them have 10 rows; in column 'group' there are 'A' 350"),
        (
            [f"person {k}" for k in range(350)],
            "350 distinct values in 350 rows.*or name another column",
        ),
        ([None] * 350, "there is nothing"),
    ],
)
def test_what_makes_no_groups_is_refused_in_a_sentence(frame, by, message):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        with pytest.raises(InputError, match=message):
            learn_groups(frame, by)


def test_unequal_sizes_are_said_and_nearly_equal_ones_are_not(grouped):
    assert "learn with rows=" not in grouped.summary()
    unequal = learn_groups(two_groups((160, 40)), "g")
    told = " ".join(unequal.summary().split())
    assert "from 40 to 160 rows" in told
    assert "to compare groups of equal size, learn with rows=40." in told


def test_options_reach_every_graph_and_decreed_pairs_do_not_differ(frame, grouped):
    required, forbidden = [("a", "lonely")], [(3, 4)]
    options = {"required": required, "forbidden": forbidden, "cut": 0.7}
    decreed = learn_groups(frame, "g", **options)
    table = decreed.differences.set_index(["source", "target"])
    assert table.loc[("a", "lonely"), "differs"] == 0.0
    assert table.loc[("d", "e"), "differs"] == 0.0
    for graph in decreed.graphs.values():
        assert graph.joined[0, 5]
        assert not graph.joined[3, 4]
        assert graph.learner.cut == 0.7
    # What is decreed says nothing of the others.
    known = [k for k in range(15) if k not in (4, 12)]
    alone = couple(*(grouped.probabilities[name][known] for name in "AB"))
    np.testing.assert_allclose(decreed.differs[known], alone.differs, rtol=1e-9)


def test_kinds_by_place_count_the_group_column(frame):
    frame = frame[["g", *"abcde"]].copy()
    frame["e"] = frame["e"].round()
    by_name = learn_groups(frame, "g", kind={"e": "continuous"})
    by_place = learn_groups(frame, "g", kind={5: "continuous"})
    for grouped in (by_name, by_place):
        assert grouped.graphs["A"].nodes["kind"].tolist() == ["continuous"] * 5


def test_rows_with_gaps_are_dropped_group_by_group(frame):
    frame = frame.copy()
    frame.loc[[0, 10, 340], "a"] = np.nan
    grouped = learn_groups(frame, "g", missing="drop")
    assert grouped.sizes == (198, 149)
    with pytest.raises(InputError, match="missing"):
        learn_groups(frame, "g", missing="error")


def test_random_halves_of_one_table_hardly_differ():
    found = []
    for seed in range(5):
        frame = chains(300, seed)
        labels = np.random.default_rng(seed).permutation(np.repeat(["A", "B"], 150))
        found.append(learn_groups(frame, labels).expected_differences)
    assert np.mean(found) < 0.5


def test_differences_are_drawn_as_they_are(grouped):
    found = grouped.drawn["A", "B"]
    at = grouped.columns.index("d"), grouped.columns.index("e")
    assert found.edges[at]["state"] == "gained"
    assert found.edges[at]["share"] > 0.6
    assert [name for _, name in found.nodes(data="label")] == list(grouped.columns)
    in_first = np.argwhere(np.triu(grouped.graphs["A"].joined)).tolist()
    assert all(found.has_edge(u, v) for u, v in in_first)
    differs = grouped.differs[pair_numbers(*np.array(found.edges).T, 6)]
    np.testing.assert_allclose([share for *_, share in found.edges(data="share")], differs)


def test_plot_takes_groups_in_either_order_and_no_others(grouped):
    for names, label in (((), "only in B (1)"), (("B", "A"), "only in B (1)")):
        ax = grouped.plot(*names, ax=Figure().subplots())
        legend = [text.get_text() for part in ax.artists for text in part.get_texts()]
        assert label in legend
    assert ax.get_title() == "B and A"
    with pytest.raises(InputError, match="'C'"):
        grouped.plot("A", "C")
    with pytest.raises(InputError, match="does not differ from itself"):
        grouped.plot("A", "A")
