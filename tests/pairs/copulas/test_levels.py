"""Pairs with levels: against plain maximum likelihood by differences of distribution functions."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, special
from tests.pairs.copulas.levels_cases import log_w, plain_fit, prior, pseudo

from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError
from spinney.pairs.copulas import FAMILIES, Clayton, Frank, Gaussian, Gumbel, PairCopulas, Student
from spinney.pairs.copulas.base import flips_of
from spinney.pairs.copulas.elliptical import DF_GRID
from spinney.pairs.copulas.levels import from_scale, to_scale
from spinney.pairs.pseudo import PseudoTable

ONE_PARAMETER = ["gaussian", "clayton", "gumbel", "frank"]


@pytest.fixture(scope="module")
def numbers():
    """Six columns: three dependent pairs of different families, and what follows from mixing."""
    rng = np.random.default_rng(11)
    blocks = [
        Gaussian(-0.6).sample(260, rng),
        Clayton(1.5, 180).sample(260, rng),
        Frank(4.0).sample(260, rng),
    ]
    X = np.hstack(blocks)
    X[:, 2] += 0.3 * X[:, 0]
    X[:, 4] -= 0.3 * X[:, 3]
    return X


@pytest.fixture(scope="module")
def table(numbers):
    return pseudo(numbers, [4, 0, 3, 7, 0, 2])


@pytest.fixture(scope="module")
def fitted(table):
    return PairCopulas(ONE_PARAMETER).fit(table)


def plausible(family, rotation, tau):
    flip_u, flip_v = flips_of(rotation)
    return FAMILIES[family].rotations == (0,) or (flip_u != flip_v) == (tau < 0)


def bounds(family, tau):
    if family in ("clayton", "gumbel"):
        return {"low": 1e-3 + (family == "gumbel"), "high": 12.0}
    low, high = (-0.95, 0.95) if family == "gaussian" else (-25.0, 25.0)
    return {"low": 1e-3, "high": high} if tau > 0 else {"low": low, "high": -1e-3}


def plain_candidates(family, table, i, j, tau):
    return [
        plain_fit(family, rotation, table, i, j, **bounds(family, tau))
        for rotation in FAMILIES[family].rotations
        if plausible(family, rotation, tau)
    ]


@pytest.fixture(scope="module")
def fitted_alone(table):
    """Each family by itself, so that its parameters are known wherever it beats independence."""
    families = [family for family in ONE_PARAMETER if family != "independence"]
    return {family: PairCopulas([family], "aic", margin=0.0).fit(table) for family in families}


def climbed(copula, table, i, j):
    """What a search climbs: the log-likelihood of the rows, and of the prior rows of cells."""
    return log_w(copula, table, i, j).sum() + prior(copula, table, i, j)


@pytest.mark.parametrize("pair", range(15))
def test_likelihoods_equal_the_plain_maximum(table, fitted, fitted_alone, pair):
    i, j = (int(nodes[pair]) for nodes in pair_nodes(6))
    tau = fitted.sample_tau_[pair]
    assert fitted.log_likelihood_[pair, 0] == 0.0
    for family, alone in fitted_alone.items():
        best = max(
            plain_candidates(family, table, i, j, tau), key=lambda c: climbed(c, table, i, j)
        )
        found = alone.copula(i, j)
        if found.family == "independence":
            assert log_w(best, table, i, j).sum() < 1.0 + 1e-4, family
            continue
        top = climbed(best, table, i, j)
        assert climbed(found, table, i, j) == pytest.approx(top, abs=1e-4), family
        likelihood = log_w(found, table, i, j).sum()
        column = fitted.families_.index(family)
        assert alone.table_.log_likelihood[pair] == pytest.approx(likelihood, abs=1e-8)
        # Beside others it is climbed from elsewhere, and ends a part of a standard error away.
        assert fitted.log_likelihood_[pair, column] == pytest.approx(likelihood, abs=1e-3)


def test_rare_cells_in_one_fold_do_not_hide_a_strong_pair():
    u, v = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [51, 21, 3, 45], axis=1)
    masses = (np.bincount(u) / 120, np.bincount(v) / 120)
    codes, no = np.column_stack([u, v]), np.full((120, 2), np.nan)
    for seed in range(20):
        rows = np.random.default_rng(seed).permutation(120)
        table = PseudoTable(no, codes[rows], masses, np.zeros(2, dtype=bool), ("u", "v"))
        fitted = PairCopulas(random_state=seed).fit(table)
        # All three rows of the rare cell may be in one fold; without it the cell is empty.
        assert fitted.table_.held_out_log_density[0] * 120 > 10.0


def test_an_empty_cell_is_not_perfect_dependence():
    codes = np.repeat([[0, 0], [0, 1], [1, 1]], [30, 10, 40], axis=0)
    masses = (np.array([0.5, 0.5]), np.array([30, 50]) / 80)
    no = np.full((80, 2), np.nan)
    table = PseudoTable(no, codes, masses, np.zeros(2, dtype=bool), ("u", "v"))
    assert PairCopulas().fit(table).copula(0, 1).rho < 0.99


@pytest.mark.parametrize("pair", [0, 1, 5, 9, 12, 14])
def test_held_out_density_equals_a_plain_loop_over_folds(table, fitted, pair):
    i, j = (int(nodes[pair]) for nodes in pair_nodes(6))
    copula = fitted.copula(i, j)
    plain = np.zeros(len(table))
    for fold in range(5):
        out = fitted.fold_of_row_ == fold
        if copula.family != "independence":
            rest = table.take(np.flatnonzero(~out))
            tau = fitted.sample_tau_[pair]
            refit = plain_fit(
                copula.family, copula.rotation, rest, i, j, **bounds(copula.family, tau)
            )
            plain[out] = log_w(refit, table.take(np.flatnonzero(out)), i, j)
    np.testing.assert_allclose(fitted.cross_fitted_log_density_[:, pair], plain, atol=2e-3)
    assert fitted.table_.held_out_log_density[pair] == pytest.approx(plain.mean(), abs=1e-5)


def test_chosen_copulas_have_the_densities_of_their_classes(table, fitted):
    first, second = pair_nodes(6)
    density, own = fitted.log_density(table), fitted.fitted_log_density_
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        plain = log_w(fitted.copula(int(i), int(j)), table, i, j)
        np.testing.assert_allclose(density[:, pair], plain, atol=1e-9)
        assert density[:, pair].sum() == pytest.approx(fitted.table_.log_likelihood[pair], abs=1e-8)
    np.testing.assert_array_equal(density, own)


@pytest.mark.parametrize("levels", [pytest.param((6, 5), marks=pytest.mark.slow), (0, 5)])
def test_students_second_parameter_is_found_as_by_trying_them_all(levels):
    rng = np.random.default_rng(0)
    X = special.ndtri(Student(0.5, 2.0).sample(400, rng))
    table = pseudo(X, levels)
    fitted = PairCopulas(["student"]).fit(table)
    best = -np.inf
    for df in DF_GRID:
        found = optimize.minimize_scalar(
            lambda rho, df=df: -climbed(Student(rho, df), table, 0, 1),
            bounds=(0.0, 0.95),
            method="bounded",
            options={"xatol": 1e-6},
        )
        best = max(best, -found.fun)
    assert climbed(fitted.copula(0, 1), table, 0, 1) == pytest.approx(best, abs=1e-4)
    assert fitted.family_[0] == "student"


@pytest.mark.parametrize("levels", [(6, 6), (0, 6), (6, 0)])
@pytest.mark.parametrize(
    "copula",
    [Clayton(2.0), Clayton(2.0, 90), Gumbel(2.0, 180), Gumbel(2.0), Frank(-6.0), Student(0.4, 1.4)],
    ids=str,
)
def test_large_samples_show_their_family_through_levels(copula, levels):
    table = pseudo(copula.sample(4000, random_state=1), levels)
    chosen = PairCopulas().fit(table).copula(0, 1)
    assert (chosen.family, chosen.rotation) == (copula.family, copula.rotation)
    assert chosen.tau == pytest.approx(copula.tau, abs=0.04)


def test_independent_columns_of_two_levels_stay_independent():
    chosen = []
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(300, 6))
        chosen += PairCopulas().fit(pseudo(X, [2] * 6)).family_.tolist()
    # A family must gain more than the margin of 1 on rows it has not seen: likelihood ratios above
    # 4, hence 4.6 % of independent pairs. Of 300 that is 14, and 27 is beyond three deviations.
    assert np.sum(np.array(chosen) != "independence") <= 27


def test_four_cells_are_one_model():
    X = Gaussian(0.6).sample(300, random_state=2)
    fitted = PairCopulas().fit(pseudo(X, [2, 2]))
    tried = np.isfinite(fitted.log_likelihood_[0])
    assert np.array(fitted.families_)[tried].tolist() == ["independence", "gaussian"]
    clayton = PairCopulas(["clayton"]).fit(pseudo(X, [2, 2]))
    assert clayton.log_likelihood_[0, 1] == pytest.approx(fitted.log_likelihood_[0, 1], abs=1e-6)


def test_mirroring_a_column_changes_signs_only(table):
    fitted = PairCopulas(["gaussian", "frank"]).fit(table)
    mirrored = PseudoTable(
        1 - table.u,
        np.where(table.codes >= 0, table.n_levels - 1 - table.codes, -1),
        tuple(mass[::-1] for mass in table.masses),
        table.nominal,
        table.names,
    )
    flips = np.array([True, False, True, False, False, False])
    both = PseudoTable(
        np.where(flips, mirrored.u, table.u),
        np.where(flips, mirrored.codes, table.codes),
        tuple(m if f else t for m, t, f in zip(mirrored.masses, table.masses, flips, strict=True)),
        table.nominal,
        table.names,
    )
    turned = PairCopulas(["gaussian", "frank"]).fit(both)
    first, second = pair_nodes(6)
    sign = np.where(flips[first] != flips[second], -1.0, 1.0)
    np.testing.assert_array_equal(turned.family_, fitted.family_)
    np.testing.assert_allclose(turned.parameters_[:, 0], sign * fitted.parameters_[:, 0], atol=1e-6)
    np.testing.assert_allclose(turned.log_likelihood_, fitted.log_likelihood_, atol=1e-7)


def test_the_order_of_rows_does_not_matter(table):
    order = np.random.default_rng(0).permutation(len(table))
    one, two = (PairCopulas(criterion="bic").fit(t) for t in (table, table.take(order)))
    np.testing.assert_array_equal(one.family_, two.family_)
    np.testing.assert_allclose(one.log_likelihood_, two.log_likelihood_, atol=1e-6)


def test_perfect_dependence_stays_finite():
    X = np.repeat(np.arange(200.0)[:, None], 3, axis=1)
    fitted = PairCopulas().fit(pseudo(X, [4, 4, 0]))
    assert np.isfinite(fitted.fitted_log_density_).all()
    assert np.isfinite(fitted.cross_fitted_log_density_).all()
    assert (fitted.family_ != "independence").all()


def test_a_column_with_one_value_left_is_independent(table):
    codes = table.codes.copy()
    codes[:, 0] = 0
    constant = replace(table, codes=codes)
    fitted = PairCopulas().fit(constant)
    assert (fitted.family_[:5] == "independence").all()
    assert (fitted.log_density(constant)[:, :5] == 0.0).all()


def test_nominal_columns_are_skipped(table):
    nominal = np.array([True, False, False, False, False, False])
    fitted = PairCopulas().fit(replace(table, nominal=nominal))
    assert (fitted.family_[:5] == "independence").all()
    assert (fitted.family_[5:] != "independence").any()


def test_what_cannot_be_is_refused(table, fitted):
    codes, u = table.codes.copy(), table.u.copy()
    codes[3, 0], u[2, 1] = 9, 1.0
    with pytest.raises(InputError, match="has a code 9, but only 4 levels"):
        PairCopulas().fit(replace(table, codes=codes))
    with pytest.raises(InputError, match=r"column 'x1' reaches 1.0 at row 2"):
        PairCopulas().fit(replace(table, u=u))
    with pytest.raises(InputError, match="has levels, which plain numbers cannot show"):
        fitted.log_density(np.full((3, 6), 0.5))
    with pytest.raises(InputError, match="the pairs were fitted to"):
        fitted.log_density(replace(table, names=tuple("abcdef")))


@pytest.mark.parametrize(
    ("theta", "scale"), [(0.3, (0.0, 0.0)), (3.0, (0.0, 2.0)), (4.0, (1.0, 1.0))]
)
def test_scales_come_back(theta, scale):
    assert from_scale(to_scale(theta, np.array(scale)), np.array(scale)) == pytest.approx(theta)
