"""The rules by which a pair's copula is fitted and chosen, one test each.

The table has pairs on which breaking a rule shows: heavy tails, a Gumbel pair and negative
dependence, with few rows. Oracles are plain searches over the family classes.
"""

import numpy as np
import pytest
from scipy import optimize, stats

from spinney.pairs.copulas import FAMILIES, Clayton, Frank, Gaussian, Gumbel, PairCopulas, Student

N = 90
GRID = (1.0, 1.7, 2.8, 4.8, 8.0, 13.0)


@pytest.fixture(scope="module")
def table():
    """Columns 2k and 2k + 1 belong together; the rest is independent."""
    rng = np.random.default_rng(2)
    blocks = [
        Gaussian(0.6).sample(N, rng),
        Student(0.5, 2.0).sample(N, rng),
        Gumbel(2.0, 180).sample(N, rng),
        Frank(-6.0).sample(N, rng),
        Clayton(2.5, 270).sample(N, rng),
        Student(-0.2, 3.0).sample(N, rng),
    ]
    return stats.rankdata(np.hstack(blocks), axis=0) / (N + 1)


def position(k, d=12):
    """Position of the pair (2k, 2k + 1)."""
    return list(zip(*np.triu_indices(d, 1), strict=True)).index((2 * k, 2 * k + 1))


def best_of(family, u, v):
    """Maximum likelihood by the class: parameters, and log-likelihood."""
    cls = FAMILIES[family]
    if family == "student":
        fits = [_at_df(df, u, v) for df in GRID]
        copula = max(fits, key=lambda c: c.logpdf(u, v).sum())
    else:
        copula = cls.fit(u, v)
    return copula, float(copula.logpdf(u, v).sum())


def _at_df(df, u, v):
    found = optimize.minimize_scalar(
        lambda rho: -Student(rho, df).logpdf(u, v).sum(),
        bounds=(-0.999, 0.999),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return Student(float(found.x), df)


@pytest.mark.parametrize(
    ("family", "k"), [("gaussian", 0), ("student", 1), ("gumbel", 2), ("frank", 3), ("clayton", 4)]
)
def test_held_out_is_judged_by_a_fit_that_did_not_see_it(table, family, k):
    pairs = PairCopulas(families=[family], margin=0.0, df_grid=GRID).fit(table)
    pair, (u, v) = position(k), table[:, [2 * k, 2 * k + 1]].T
    common, likelihood = best_of(family, u, v)
    assert pairs.family_[pair] == family
    assert pairs.rotation_[pair] == common.rotation
    assert pairs.log_likelihood_[pair, 1] == pytest.approx(likelihood, abs=1e-3)
    assert pairs.parameters_[pair, 0] == pytest.approx(common.parameters[0], abs=2e-3)
    held_out = np.zeros(N)
    for fold in range(5):
        out = pairs.fold_of_row_ == fold
        fitted, _ = best_of(family, u[~out], v[~out])
        mine = pairs.fold_parameters_[pair, fold, : len(fitted.parameters)]
        np.testing.assert_allclose(mine, fitted.parameters, atol=5e-3)
        # So far from the common fit that to take that one would show.
        held_out[out] = fitted.logpdf(u[out], v[out])
    assert np.ptp(pairs.fold_parameters_[pair, :, 0]) > 0.03
    assert pairs.criterion_[pair, 1] == pytest.approx(held_out.sum(), abs=2e-2)
    assert pairs.criterion_[pair, 1] < likelihood - 0.2
    np.testing.assert_allclose(pairs.cross_fitted_log_density_[:, pair], held_out, atol=2e-2)


def test_degrees_of_freedom_are_chosen_without_the_fold(table):
    pairs = PairCopulas(families=["student"], margin=0.0, df_grid=GRID).fit(table)
    changed = 0
    for k in (1, 5):
        pair, (u, v) = position(k), table[:, [2 * k, 2 * k + 1]].T
        for fold in range(5):
            kept = pairs.fold_of_row_ != fold
            likelihood = [
                _at_df(df, u[kept], v[kept]).logpdf(u[kept], v[kept]).sum() for df in GRID
            ]
            df = GRID[int(np.argmax(likelihood))]
            assert pairs.fold_parameters_[pair, fold, 1] == df
            changed += df != pairs.parameters_[pair, 1]
    assert changed  # somewhere the rows of the fold would have decided otherwise


@pytest.mark.parametrize("criterion", ["cv", "aic", "bic"])
@pytest.mark.parametrize("simple", ["independence", "gaussian"])
def test_more_parameters_must_win_by_the_margin(criterion, simple):
    # Strong, so that the Gaussian copula itself is further from independence than from Student's.
    table = stats.rankdata(Student(0.85, 1.2).sample(N, 3), axis=0) / (N + 1)

    def fit(families, margin):
        return PairCopulas(families=families, criterion=criterion, margin=margin).fit(table)

    value = {name: fit([name], 0.0).criterion_[0, 1] for name in ("gaussian", "student")}
    gain = value["student"] - value.get(simple, 0.0)
    assert value["gaussian"] > 1.1 * gain > 3.0 or simple == "independence"
    families = ["student"] if simple == "independence" else ["gaussian", "student"]
    for order in (families, families[::-1]):  # the order of the candidates does not matter
        assert fit(order, 0.98 * gain).family_[0] == "student"
        assert fit(order, 1.02 * gain).family_[0] == simple


def test_as_many_parameters_need_no_margin(table):
    for order in (["gaussian", "gumbel"], ["gumbel", "gaussian"]):
        for margin in (0.0, 8.0):
            pairs = PairCopulas(families=order, margin=margin).fit(table[:, [4, 5]])
            assert pairs.family_[0] == "gumbel"
    free = PairCopulas(families=["gaussian"], margin=0.0).fit(table[:, [4, 5]])
    assert pairs.criterion_[0, 1] - free.criterion_[0, 1] < 8.0


@pytest.mark.parametrize(("criterion", "charge"), [("aic", 1.0), ("bic", 0.5 * np.log(N))])
def test_each_parameter_is_charged(table, criterion, charge):
    pairs = PairCopulas(criterion=criterion, margin=0.0).fit(table)
    count = [0, 1, 2, 1, 1, 1]
    expected = pairs.log_likelihood_ - charge * np.array(count)
    np.testing.assert_allclose(pairs.criterion_, expected, rtol=1e-12)
    best = np.array(pairs.families_)[np.argmax(expected, axis=1)]
    np.testing.assert_array_equal(pairs.family_, best)
    # The charge decides: with nothing to pay other families would win.
    free = np.array(pairs.families_)[np.argmax(pairs.log_likelihood_, axis=1)]
    assert (free != best).sum() > 10
    numbers = dict(zip(pairs.families_, count, strict=True))
    assert pairs.n_parameters_.tolist() == [numbers[name] for name in pairs.family_]
    assert set(pairs.n_parameters_) == {0, 1, 2}


@pytest.mark.parametrize("criterion", ["cv", "bic"])
def test_the_stated_held_out_density_is_that_of_the_rows(table, criterion):
    pairs = PairCopulas(criterion=criterion).fit(table)
    rows = pairs.cross_fitted_log_density_.mean(axis=0)
    np.testing.assert_allclose(pairs.table_.held_out_log_density, rows, atol=1e-12)
    kept = pairs.family_ != "independence"
    assert (rows[kept] < pairs.table_.log_likelihood[kept] / N).all()


@pytest.mark.parametrize("family", ["clayton", "gumbel", "joe"])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_each_rotation_is_found(family, rotation):
    tau = 0.6
    theta = {"clayton": 3.0, "gumbel": 2.5, "joe": 3.8}[family]
    truth = FAMILIES[family](theta, rotation)
    U = stats.rankdata(truth.sample(300, 4), axis=0) / 301
    pairs = PairCopulas(families=[family]).fit(U)
    assert pairs.rotation_[0] == rotation
    sign = 1 if rotation in (0, 180) else -1
    assert pairs.describe().tau[0] == pytest.approx(sign * tau, abs=0.1)
    # As for the class: both at once may find no better.
    assert pairs.copula(0, 1).theta == pytest.approx(FAMILIES[family].fit(*U.T).theta, rel=1e-4)
    turned = {0: 0, 90: 270, 180: 180, 270: 90}[rotation]
    assert pairs.copula(1, 0).rotation == turned


@pytest.mark.parametrize("theta", [-7.0, 7.0])
def test_the_sign_of_frank_is_that_of_tau(theta):
    U = stats.rankdata(Frank(theta).sample(200, 1), axis=0) / 201
    pairs = PairCopulas(families=["frank"]).fit(U)
    assert pairs.parameters_[0, 0] == pytest.approx(Frank.fit(*U.T).theta, rel=1e-4)
    assert (np.sign(pairs.fold_parameters_[0, :, 0]) == np.sign(theta)).all()
    assert np.sign(pairs.describe().tau[0]) == np.sign(theta)
    density = pairs.copula(0, 1).logpdf(*U.T)
    np.testing.assert_allclose(pairs.log_density(U)[:, 0], density, atol=1e-10)
