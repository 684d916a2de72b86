"""Models of tables with levels and gaps come back from their files, whole or not at all."""

import numpy as np
import pytest
from tests.core.state.cases import assert_same, round_trip
from tests.models.real_tables import QUICK, left_out, mixed_frame

from spinney import PairCopulas, RootedForests, load_model
from spinney._core.state import save_model
from spinney.exceptions import InputError
from spinney.pairs.cells import PairTables
from spinney.pairs.explained import Explained
from spinney.pairs.pair_fit import PairFit
from spinney.tables import read_table

pytestmark = left_out


@pytest.fixture(scope="module")
def table():
    return read_table(mixed_frame())


@pytest.fixture(scope="module")
def potentials(table):
    return PairFit(QUICK).fit(table)


@pytest.mark.parametrize("asked", [False, True])
def test_pair_fits_come_back(table, potentials, tmp_path, asked):
    if asked:
        potentials.log_margins(table)
    loaded = load_model(save_model(potentials, tmp_path / "pairs"))
    assert set(vars(loaded)) == set(vars(potentials))
    assert loaded.table_.columns == table.columns
    assert loaded.table_.left_out == table.left_out
    assert_same(loaded.table_.values, potentials.table_.values)
    assert_same(loaded.log_margins(table), potentials.log_margins(table))
    assert_same(loaded.log_density(table), potentials.log_density(table))
    assert_same(loaded.fitted_log_density_, potentials.fitted_log_density_)
    assert_same(loaded.cross_fitted_log_density_, potentials.cross_fitted_log_density_)
    assert_same(loaded.densities_.log_density, potentials.densities_.log_density)
    assert_same(loaded.describe(), potentials.describe())
    assert_same(loaded.fit(table).n_parameters_, potentials.n_parameters_)


@pytest.mark.parametrize("kinds", ["only copulas", "only tables"])
def test_potentials_of_one_kind_come_back(tmp_path, kinds):
    frame = mixed_frame().drop(columns=["id", "site", "day"])
    kept = frame.drop(columns="colour") if kinds == "only copulas" else frame[["smoker", "colour"]]
    table = read_table(kept)
    model = PairFit(QUICK).fit(table)
    loaded = load_model(save_model(model, tmp_path / "pairs"))
    assert (loaded.copulas_ is None) == (kinds == "only tables")
    assert (loaded.tables_ is None) == (kinds == "only copulas")
    assert_same(loaded.log_density(table), model.log_density(table))


def test_explained_pairs_come_back():
    explained = Explained(np.array([False, True, False]), np.array([-1, 1, -1]))
    loaded = round_trip(explained)
    assert_same(loaded.pairs, explained.pairs)
    assert_same(loaded.through, explained.through)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_rows_": np.zeros(3, dtype=np.int64)}, "15 pairs throughout"),
        ({"n_features_in_": 5}, "10 pairs throughout"),
        ({"explained_": Explained(np.zeros(3, bool), np.zeros(3, int))}, "15 pairs throughout"),
        ({"explained_": Explained(np.ones(15, bool), np.full(15, 9))}, "no column of its own"),
        ({"_smooth": [None]}, "copulas and tables of other pairs"),
        ({"tables_": None}, "copulas and tables of other pairs"),
        ({"copulas_": None}, "copulas and tables of other pairs"),
    ],
    ids=["rows", "columns", "explained", "through", "smooth", "tables", "copulas"],
)
def test_parts_that_do_not_fit_together_are_refused(table, tmp_path, change, message):
    model = PairFit(PairCopulas(["gaussian"], criterion="bic"), PairTables()).fit(table)
    for name, value in change.items():
        setattr(model, name, value)
    with pytest.raises(InputError, match=message):
        load_model(save_model(model, tmp_path / "changed"))


def test_rows_of_other_columns_are_refused(tmp_path):
    frame = mixed_frame()
    model = RootedForests(QUICK, n_penalties=3).fit(frame)
    other = RootedForests(QUICK, n_penalties=3).fit(frame.drop(columns="height"))
    model.pair_fit_ = other.pair_fit_
    with pytest.raises(InputError, match="and its table differ in columns"):
        load_model(model.save(tmp_path / "model"))
