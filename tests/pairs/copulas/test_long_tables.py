"""Long tables: coordinates are computed once and looked up, a few columns at a time."""

import numpy as np
import pytest

from spinney import PairCopulas
from spinney.pairs.copulas import blocks
from spinney.pairs.copulas.candidates import lay_out
from spinney.pairs.copulas.coordinates import coordinates, look_up
from spinney.pairs.copulas.registry import family_names
from spinney.pairs.copulas.student import DF_GRID
from spinney.pairs.margins import pseudo_observations


def _table(ties):
    rng = np.random.default_rng(5)
    X = rng.standard_t(4, size=(120, 6)) @ (np.eye(6) + 0.4 * rng.normal(size=(6, 6)))
    if ties:
        X[:, 1] = X[:, 1].round(1)
    return pseudo_observations(X)


@pytest.mark.parametrize("ties", [False, True])
def test_coordinates_are_looked_up(ties):
    U = _table(ties)
    _, _, layout = lay_out(family_names("default"), DF_GRID)
    known = look_up(U, layout)
    assert len(known.values) < 2 * len(U)
    found, expected = coordinates(U[:, [4, 1]], layout, known), coordinates(U[:, [4, 1]], layout)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14, atol=1e-14)


def test_columns_that_share_no_values_are_not_looked_up(rng):
    _, _, layout = lay_out(family_names("default"), DF_GRID)
    assert look_up(rng.uniform(size=(50, 3)), layout) is None


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_fits_of_long_tables_are_those_of_short_ones(n_jobs, monkeypatch):
    U = _table(False)
    whole = PairCopulas(n_jobs=n_jobs).fit(U)
    monkeypatch.setattr(blocks, "LONG", 10)
    monkeypatch.setattr(blocks, "MEMORY", 1)  # two or four columns at a time
    parts = PairCopulas(n_jobs=n_jobs).fit(U)
    for name in ("family_", "rotation_", "parameters_", "log_likelihood_", "held_out_"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    np.testing.assert_array_equal(parts.fitted_log_density_, whole.fitted_log_density_)
    np.testing.assert_array_equal(parts.cross_fitted_log_density_, whole.cross_fitted_log_density_)
