"""PairFit: each pair by what its columns are, put together in the order of pairs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.models.real_tables import QUICK, mixed_frame

from spinney._core.pairs import n_pairs, pair_nodes
from spinney.exceptions import InputError
from spinney.pairs.cells import PairTables
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.pair_fit import PairFit, canonical_rows
from spinney.pairs.pseudo import PseudoTable
from spinney.tables import read_table


@pytest.fixture(scope="module")
def table():
    return read_table(mixed_frame())


@pytest.fixture(scope="module")
def potentials(table):
    return PairFit(QUICK).fit(table)


@pytest.fixture(scope="module")
def pseudo(potentials):
    return potentials.pseudo_


def part_of(pseudo, columns):
    columns = list(columns)
    return PseudoTable(
        pseudo.u[:, columns],
        pseudo.codes[:, columns],
        tuple(pseudo.masses[k] for k in columns),
        pseudo.nominal[columns],
        tuple(pseudo.names[k] for k in columns),
    )


def nominal_pairs(pseudo):
    first, second = pair_nodes(pseudo.n_columns)
    return np.flatnonzero(pseudo.nominal[first] | pseudo.nominal[second])


def test_every_pair_is_what_its_own_class_makes_of_it(potentials, pseudo):
    tables = nominal_pairs(pseudo)
    ordered = np.setdiff1d(np.arange(15), tables)
    copulas = clone(QUICK).fit(pseudo, pairs=ordered)
    contingency = PairTables(pseudo, tables, cv=3)
    for name in ("fitted_log_density_", "cross_fitted_log_density_"):
        found = getattr(potentials, name)
        np.testing.assert_array_equal(found[:, ordered], getattr(copulas, name))
        np.testing.assert_array_equal(found[:, tables], getattr(contingency, name))
    for name in ("n_parameters_", "n_rows_", "known_"):
        found = getattr(potentials, name)
        np.testing.assert_array_equal(found[ordered], getattr(copulas, name))
        np.testing.assert_array_equal(found[tables], getattr(contingency, name))


def test_settings_of_copulas_go_to_tables(table):
    model = PairFit(PairCopulas(["gaussian"], cv=4, margin=2.5, random_state=7)).fit(table)
    own = PairTables(model.pseudo_, cv=4, margin=2.5, random_state=7)
    np.testing.assert_array_equal(model.tables_.held_out_, own.held_out_)
    assert model.tables_.fold_of_row_.max() == 3


def test_some_pairs_are_those_of_all(potentials, pseudo):
    whole = potentials.log_density(pseudo)
    for pairs in ([3], [7, 2], [14, 0, 8, 8], np.arange(15)[::-1], []):
        found = potentials.log_density(pseudo, pairs=pairs)
        np.testing.assert_array_equal(found, whole[:, np.asarray(pairs, dtype=int)])


def test_missing_values_count_as_independence(potentials, pseudo):
    first, second = pair_nodes(6)
    absent = ~(pseudo.present[:, first] & pseudo.present[:, second])
    assert absent.any()
    for found in (
        potentials.log_density(pseudo),
        potentials.fitted_log_density_,
        potentials.cross_fitted_log_density_,
    ):
        assert (found[absent] == 0.0).all()
    assert np.abs(potentials.log_density(pseudo)[~absent]).max() > 0.5


def test_descriptions_are_of_the_pairs_asked_for(potentials, pseudo):
    whole = potentials.describe()
    first, second = pair_nodes(6)
    names = np.array(pseudo.names)
    assert whole["u"].tolist() == names[first].tolist()
    assert whole["v"].tolist() == names[second].tolist()
    kinds = set(whole["family"][nominal_pairs(pseudo)])
    assert kinds <= {"independence", "table", "classes"}
    assert "table" in kinds
    for pairs in ([5], [12, 3, 0], nominal_pairs(pseudo)[::-1]):
        part = potentials.describe(pairs)
        expected = whole.iloc[np.asarray(pairs)].reset_index(drop=True)
        assert part.drop(columns="parameters").equals(expected.drop(columns="parameters"))


def test_other_columns_are_refused(potentials, pseudo):
    fewer = part_of(pseudo, range(4))
    with pytest.raises(InputError, match="has 4 columns, but the pairs were fitted on 6"):
        potentials.log_density(fewer)


@pytest.mark.parametrize("kinds", ["all", "halves"])
def test_rows_have_an_order_of_their_own(pseudo, rng, kinds):
    """Where levels halve the rows, all are at the same distance from the middle."""
    if kinds == "halves":
        codes = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
        half = np.array([0.5, 0.5])
        gaps, ordered = np.full(codes.shape, np.nan), np.zeros(2, dtype=bool)
        pseudo = PseudoTable(gaps, codes, (half, half), ordered, ("a", "b"))
    order = canonical_rows(pseudo)
    shuffled = rng.permutation(len(pseudo))
    again = canonical_rows(pseudo.take(shuffled))
    one, other = pseudo.take(order), pseudo.take(shuffled).take(again)
    np.testing.assert_array_equal(one.u, other.u)
    np.testing.assert_array_equal(one.codes, other.codes)


# Listed pairs: the same as where every pair has an entry


def listed_table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 6)).cumsum(axis=1)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["b"] = pd.Categorical.from_codes((X[:, 1] > 0).astype(int), ["no", "yes"])
    colour = np.digitize(X[:, 3], [-1.0, 1.0])
    frame["d"] = pd.Categorical.from_codes(colour, ["red", "green", "blue"])
    frame.loc[:30, "e"] = np.nan
    return read_table(frame, kind={"d": "nominal"})


LISTED = np.array([0, 2, 5, 7, 9, 11, 14])


@pytest.fixture(scope="module")
def both():
    return PairFit().fit(listed_table()), PairFit().fit(listed_table(), pairs=LISTED)


def test_listed_pairs_are_fitted_as_all_are(both):
    whole, listed = both
    np.testing.assert_array_equal(listed.pairs_, LISTED)
    assert whole.pairs_ is None
    for name in ("n_parameters_", "n_rows_", "known_"):
        np.testing.assert_array_equal(getattr(listed, name), getattr(whole, name)[LISTED])
    np.testing.assert_array_equal(listed.fitted_log_density_, whole.fitted_log_density_[:, LISTED])
    np.testing.assert_array_equal(
        listed.cross_fitted_log_density_, whole.cross_fitted_log_density_[:, LISTED]
    )
    pd.testing.assert_frame_equal(listed.describe(LISTED), whole.describe(LISTED))
    pd.testing.assert_frame_equal(
        listed.describe().reset_index(drop=True), whole.describe(LISTED).reset_index(drop=True)
    )


def test_pairs_that_are_not_listed_are_independent(both):
    whole, listed = both
    asked = [1, 2, 13]
    assert listed.describe(asked)["family"].tolist()[0::2] == ["independence"] * 2
    expected = np.zeros((120, 3))
    expected[:, 1] = whole.log_density(whole.table_)[:, 2]
    np.testing.assert_array_equal(listed.log_density(listed.table_, asked), expected)
    with pytest.raises(InputError, match="no pair 15"):
        listed.describe([n_pairs(6)])


def test_densities_keep_to_listed_pairs(both):
    _, listed = both
    densities = listed.densities_
    np.testing.assert_array_equal(densities.pairs, LISTED)
    assert densities.n_nodes == 6
    np.testing.assert_array_equal(densities.listed, listed.fitted_log_density_)


def test_numbers_have_copulas():
    table = read_table(np.random.default_rng(4).normal(size=(80, 5)).cumsum(axis=1))
    whole, listed = PairFit().fit(table), PairFit().fit(table, pairs=[3, 8])
    assert isinstance(listed.potentials, PairCopulas)
    np.testing.assert_array_equal(listed.copulas_.parameters_, whole.copulas_.parameters_[[3, 8]])
    np.testing.assert_array_equal(listed.densities_.listed, whole.densities_.listed[:, [3, 8]])
