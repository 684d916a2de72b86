"""Tables of all kinds of columns, with gaps: read, learned, scored, drawn and filled by all."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare
from sklearn.base import clone

from spinney import PairCopulas, RootedForests, SharedForest, load_model
from spinney.exceptions import DataWarning, InputError
from spinney.pairs.densities import PairDensities
from tests.models.real_tables import (
    FORESTS,
    KINDS,
    LEARNERS,
    QUICK,
    TRUE_EDGES,
    WITHOUT_SPANNING,
    all_cells,
    edges_of,
    left_out,
    mixed_frame,
)

pytestmark = left_out


@pytest.fixture(scope="module")
def table():
    return mixed_frame()


@pytest.fixture(scope="module")
def fitted(table):
    return {name: clone(model).fit(table) for name, model in LEARNERS.items()}


@pytest.mark.parametrize("name", LEARNERS)
def test_kinds_are_told_and_the_rest_is_named(fitted, table, name):
    model = fitted[name]
    read = model.table_
    assert dict(zip(read.names, read.kinds, strict=True)) == KINDS
    assert [column.name for column in read.left_out] == ["id", "site", "day"]
    assert model.node_names_ == tuple(KINDS)
    assert model.n_features_in_ == table.shape[1]
    assert list(model.feature_names_in_) == list(table.columns)
    assert model.adjacency_.shape == (6, 6)
    assert list(model.graph_.nodes) == list(KINDS)


def test_columns_without_use_are_told_in_one_sentence(table):
    with pytest.warns(DataWarning) as caught:
        RootedForests(QUICK, n_penalties=4).fit(table)
    (message,) = [str(warning.message) for warning in caught]
    assert message.startswith(
        "3 columns are left out: 'id' is named as an identifier, and its whole numbers never "
        "repeat; 'site' is constant; 'day' holds dates or times."
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_the_edges_are_found(fitted, name):
    model = fitted[name]
    assert edges_of(model) >= TRUE_EDGES
    if name in WITHOUT_SPANNING:
        assert edges_of(model) == TRUE_EDGES
    edges = model.edges_.set_index(["source", "target"])
    assert edges.loc[("smoker", "colour"), "family"] in ("table", "classes")
    assert edges.loc[("smoker", "colour"), "sign"] == 0
    assert np.isnan(edges.loc[("smoker", "colour"), "tau"])
    assert edges.loc[("weight", "grade"), "sign"] == 1
    assert edges.loc[("weight", "grade"), "tau"] > 0.3


@pytest.mark.parametrize("name", LEARNERS)
def test_the_rows_of_each_pair_are_in_the_output(fitted, table, name):
    model = fitted[name]
    for row in model.edges_.itertuples():
        assert row.rows == table[[row.source, row.target]].notna().all(axis=1).sum()
    assert model.unknown_pairs_.empty


@pytest.mark.parametrize("name", LEARNERS)
def test_every_row_has_a_density(fitted, table, name):
    model = fitted[name]
    scores = model.score_samples(table)
    assert scores.shape == (len(table),)
    assert np.isfinite(scores).all()
    assert model.score(table) == pytest.approx(scores.mean())
    # A row of which nothing is known says nothing; one more value makes it a margin.
    empty = table.iloc[:2].astype(object)
    empty.loc[:, :] = None
    np.testing.assert_allclose(model.score_samples(empty), 0.0, atol=1e-12)
    empty.loc[0, "tested"] = True
    assert np.exp(model.score_samples(empty)[0]) == pytest.approx(table["tested"].mean())


@pytest.mark.parametrize("name", LEARNERS)
def test_left_out_columns_may_be_left_out_of_new_rows(fitted, table, name):
    model = fitted[name]
    expected = model.score_samples(table.head(5))
    kept = table[list(KINDS)].head(5)
    np.testing.assert_array_equal(model.score_samples(kept), expected)
    np.testing.assert_array_equal(model.score_samples(kept.assign(extra=1.0)), expected)
    with pytest.raises(ValueError, match="colour"):
        model.score_samples(kept.drop(columns="colour"))


@pytest.mark.parametrize("name", LEARNERS)
def test_new_levels_are_refused(fitted, table, name):
    row = table.head(1).assign(smoker="sometimes")
    with pytest.raises(InputError, match=r"'smoker' holds 'sometimes'.*known: no, yes"):
        fitted[name].score_samples(row)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_rows_never_matters(fitted, table, name):
    moved = clone(LEARNERS[name]).fit(table.sample(frac=1.0, random_state=4))
    model = fitted[name]
    np.testing.assert_array_equal(moved.edge_weights_, model.edge_weights_)
    np.testing.assert_array_equal(moved.edge_ranking_, model.edge_ranking_)
    np.testing.assert_array_equal(moved.score_samples(table), model.score_samples(table))


@pytest.mark.parametrize("name", WITHOUT_SPANNING)
def test_labels_and_directions_never_matter(fitted, table, name):
    names = {"blue": "zinc", "green": "amber", "red": "moss"}
    other = table.assign(
        colour=table["colour"].map(names),
        grade=table["grade"].cat.reorder_categories(list("ABCD"), ordered=True),
        tested=~table["tested"],
    )
    moved, model = clone(LEARNERS[name]).fit(other), fitted[name]
    assert edges_of(moved) == edges_of(model)
    np.testing.assert_allclose(moved.edge_ranking_, model.edge_ranking_, rtol=0.1, atol=0.02)
    edges = moved.edges_.set_index(["source", "target"])
    assert edges.loc[("weight", "grade"), "sign"] == -1


@pytest.mark.parametrize("name", LEARNERS)
def test_saved_models_come_back_to_the_bit(fitted, table, name, tmp_path):
    model = fitted[name]
    loaded = load_model(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.score_samples(table), model.score_samples(table))
    np.testing.assert_array_equal(loaded.adjacency_, model.adjacency_)
    pd.testing.assert_frame_equal(loaded.edges_, model.edges_)
    pd.testing.assert_frame_equal(loaded.explained_pairs_, model.explained_pairs_)
    assert loaded.table_.columns == model.table_.columns
    assert loaded.table_.left_out == model.table_.left_out
    if name in FORESTS:
        pd.testing.assert_frame_equal(loaded.sample(7, 3), model.sample(7, 3))
        pd.testing.assert_frame_equal(
            loaded.impute(table.head(9), random_state=2),
            model.impute(table.head(9), random_state=2),
        )


def test_kinds_can_be_said(table):
    model = RootedForests(
        QUICK, kind={"colour": ["red", "blue", "green"], "id": "continuous"}, n_penalties=4
    ).fit(table)
    columns = {column.name: column for column in model.table_.columns}
    assert columns["colour"].kind == "ordinal"
    assert columns["colour"].levels == ("red", "blue", "green")
    assert columns["id"].kind == "continuous"
    with pytest.raises(InputError, match=r"There is no column 'color'. Did you mean 'colour'"):
        RootedForests(kind={"color": "nominal"}).fit(table)
    with pytest.raises(InputError, match="'colour' cannot be binary: it has 3 distinct values"):
        RootedForests(kind={"colour": "binary"}).fit(table)


def test_other_containers_give_the_same(table):
    polars = pytest.importorskip("polars")
    kept = table[list(KINDS)]
    learner = RootedForests(QUICK, n_penalties=8)
    expected = clone(learner).fit(kept)
    nullable = kept.assign(
        weight=kept["weight"].astype("Float64"),
        smoker=kept["smoker"].astype("string"),
        colour=kept["colour"].astype("category"),
        tested=kept["tested"].astype("boolean"),
    )
    grades = polars.Enum(list("DCBA"))
    by_polars = polars.DataFrame(
        {
            name: polars.Series(name, [None if pd.isna(x) else x for x in kept[name].tolist()])
            for name in kept
        }
    ).with_columns(polars.col("grade").cast(grades))
    for other in (nullable, by_polars):
        model = clone(learner).fit(other)
        assert model.table_.kinds == expected.table_.kinds
        np.testing.assert_array_equal(model.edge_weights_, expected.edge_weights_)
        np.testing.assert_array_equal(model.score_samples(other), expected.score_samples(kept))


def test_the_order_of_columns_hardly_matters(fitted, table):
    """Rows that tie are ordered by values, column by column, and so fall into other folds."""
    order = ["tested", "height", "colour", "day", "grade", "weight", "smoker"]
    moved = clone(LEARNERS["rooted"]).fit(table[order])
    assert edges_of(moved) == edges_of(fitted["rooted"])
    assert moved.score(table[order]) == pytest.approx(fitted["rooted"].score(table), abs=0.02)


# Rows that are drawn and gaps that are filled: values of the original kinds


@pytest.mark.parametrize("name", FORESTS)
def test_draws_are_of_the_original_kinds(fitted, table, name):
    drawn = fitted[name].sample(400, random_state=1)
    assert list(drawn.columns) == list(KINDS)
    assert not drawn.isna().any(axis=None)
    for column in ("weight", "height"):
        assert drawn[column].dtype == float
    assert drawn["weight"].min() > 0.0
    assert drawn["tested"].dtype == bool
    assert drawn["grade"].dtype == table["grade"].dtype
    assert not drawn["colour"].cat.ordered
    assert set(drawn["colour"]) == {"blue", "green", "red"}
    assert set(drawn["smoker"]) == {"no", "yes"}
    # What is drawn can be read again, and is not rare.
    assert np.isfinite(fitted[name].score_samples(drawn)).all()
    shares = drawn["smoker"].value_counts(normalize=True)
    assert shares["yes"] == pytest.approx((table["smoker"] == "yes").mean(), abs=0.1)


@pytest.mark.parametrize("name", FORESTS)
def test_drawn_columns_depend_as_the_fitted_do(fitted, table, name):
    drawn = fitted[name].sample(1500, random_state=2)
    tau = drawn["weight"].corr(drawn["grade"].cat.codes, "kendall")
    expected = table["weight"].corr(table["grade"].cat.codes, "kendall")
    assert tau == pytest.approx(expected, abs=0.12 if name != "trees" else 0.2)
    red = drawn["smoker"][drawn["colour"] == "red"].eq("yes").mean()
    blue = drawn["smoker"][drawn["colour"] == "blue"].eq("yes").mean()
    assert red > blue + 0.2


@pytest.mark.parametrize("name", FORESTS)
def test_what_is_present_stays(fitted, table, name):
    model, rows = fitted[name], table.head(60)
    filled = model.impute(rows, n_sweeps=3, random_state=4)
    assert list(filled.columns) == list(KINDS)
    assert not filled.isna().any(axis=None)
    for column in KINDS:
        there = rows[column].notna().to_numpy()
        assert filled[column][there].tolist() == rows[column][there].tolist()
    assert rows["weight"].isna().any()
    again = model.impute(rows, n_sweeps=3, random_state=4)
    pd.testing.assert_frame_equal(again, filled)
    other = model.impute(rows, n_sweeps=3, random_state=5)
    assert not other.equals(filled)


def test_rows_without_gaps_come_back_as_they_are(fitted, table):
    rows = table.dropna().head(5)
    filled = fitted["rooted"].impute(rows, random_state=0)
    for column in KINDS:
        assert filled[column].tolist() == rows[column].tolist()


def test_plain_models_fill_gaps_too(rng):
    x = rng.normal(size=(1000, 3))
    x[:, 1] += 3.0 * x[:, 0]
    model = RootedForests(QUICK).fit(x)
    rows = np.repeat([[2.0, np.nan, np.nan], [-2.0, np.nan, 0.5]], 200, axis=0)
    filled = model.impute(rows, random_state=0)
    assert isinstance(filled, np.ndarray)
    np.testing.assert_array_equal(filled[:, 0], rows[:, 0])
    np.testing.assert_array_equal(filled[200:, 2], 0.5)
    assert filled[:200, 1].mean() == pytest.approx(6.0, abs=0.6)
    assert filled[200:, 1].mean() == pytest.approx(-6.0, abs=0.6)
    assert abs(filled[:200, 2].mean()) < 0.3


@pytest.mark.slow
def test_gaps_are_filled_from_the_conditional_distribution(rng):
    """Of a mixture over forests of three binary columns, against the sum over all cells."""
    n, draws = 200, 800
    a = rng.uniform(size=n) < 0.4
    b = np.where(rng.uniform(size=n) < 0.5, a, rng.uniform(size=n) < 0.5)
    c = np.where(rng.uniform(size=n) < 0.4, b, rng.uniform(size=n) < 0.5)
    model = SharedForest(PairCopulas(["gaussian"], margin=0.0), edge_weight=1e-7).fit(
        pd.DataFrame({"a": a, "b": b, "c": c})
    )
    probabilities = model.edge_probabilities_
    assert ((probabilities > 0.1) & (probabilities < 0.9)).any()  # forests differ
    assert (probabilities > 0.9).any()  # and matter
    cells = all_cells(model.table_.columns)
    p = pd.Series(np.exp(model.score_samples(cells)))
    for known in ({"a": True}, {"b": False}, {"a": False, "c": True}):
        gaps = [name for name in "abc" if name not in known]
        rows = pd.DataFrame({name: [known.get(name)] * draws for name in "abc"}, dtype=object)
        filled = model.impute(rows, n_sweeps=8, random_state=7).astype(bool)
        match = np.logical_and.reduce([cells[name] == value for name, value in known.items()])
        expected = p[match] / p[match].sum()
        counts = filled.groupby(gaps).size()
        listed = cells.loc[match, gaps].to_numpy()
        order = [tuple(row) if len(gaps) > 1 else row[0] for row in listed]
        found = counts.reindex(order, fill_value=0).to_numpy()
        assert chisquare(found, draws * expected.to_numpy()).pvalue > 1e-3, known


def test_what_cannot_be_filled(fitted, table, rng):
    with pytest.raises(InputError, match="n_sweeps must be a whole number of at least 1, not 0"):
        fitted["rooted"].impute(table, n_sweeps=0)
    model = RootedForests().fit(PairDensities(rng.normal(scale=0.1, size=(40, 3))))
    with pytest.raises(InputError, match="cannot fill gaps"):
        model.impute(table)
