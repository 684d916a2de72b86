"""A family that the package does not know, brought in from this file by one line.

The proof that nothing in the batch fit knows families by name.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

from spinney._core.compile import kernel
from spinney.exceptions import InputError
from spinney.pairs.copulas import FAMILIES, Copula, PairCopulas, Student, block, sample_down
from spinney.pairs.copulas.batch import Batch, plain_u


@kernel
def _density(x: np.ndarray, y: np.ndarray, theta: float, out: np.ndarray) -> None:
    for k in range(out.size):
        out[k] = np.log(1.0 + theta * (1.0 - 2.0 * x[k]) * (1.0 - 2.0 * y[k]))


@kernel
def _score(x: np.ndarray, y: np.ndarray, theta: float, out: np.ndarray) -> None:
    for k in range(out.size):
        product = (1.0 - 2.0 * x[k]) * (1.0 - 2.0 * y[k])
        out[k] = product / (1.0 + theta * product)


@dataclass(frozen=True)
class Morgenstern(Copula):
    """Farlie, Gumbel and Morgenstern: c = 1 + theta (1 - 2u)(1 - 2v); tau = 2 theta / 9."""

    theta: float

    family: ClassVar[str] = "morgenstern"
    bounds: ClassVar[dict[str, tuple[float, float]]] = {"theta": (-1.0, 1.0)}
    fit_bounds: ClassVar[dict[str, tuple[float, float]]] = {"theta": (-0.999, 0.999)}
    batch: ClassVar[Batch | None] = Batch(
        coordinate=plain_u, density=_density, score=_score, sign="parameter"
    )

    def _log_density(self, x, y):
        return np.log1p(self.theta * (1 - 2 * x) * (1 - 2 * y))

    def _log_hfunc(self, x, y):
        return np.log(y + self.theta * (1 - 2 * x) * y * (1 - y))

    def _inverse_hfunc(self, x, log_p):
        a, p = self.theta * (1 - 2 * x), np.exp(log_p)
        return 2 * p / (1 + a + np.sqrt((1 + a) ** 2 - 4 * a * p))

    def _cdf(self, u, v):
        return u * v * (1 + self.theta * (1 - u) * (1 - v))

    @staticmethod
    def kendall(theta: Any) -> Any:
        return 2 * theta / 9


@dataclass(frozen=True)
class OneSided(Morgenstern):
    """The positive half, with the negative half by rotation."""

    rotation: int = 0

    family: ClassVar[str] = "one-sided"
    bounds: ClassVar[dict[str, tuple[float, float]]] = {"theta": (0.0, 1.0)}
    fit_bounds: ClassVar[dict[str, tuple[float, float]]] = {"theta": (0.001, 0.999)}
    rotations: ClassVar[tuple[int, ...]] = (0, 90)
    batch: ClassVar[Batch | None] = Batch(coordinate=plain_u, density=_density, score=_score)


@dataclass(frozen=True)
class Mirrored(Morgenstern):
    """The positive half, with the negative half by mirroring u and turning the sign."""

    family: ClassVar[str] = "mirrored"
    batch: ClassVar[Batch | None] = Batch(
        coordinate=plain_u, density=_density, score=_score, sign="mirror", weakest=1e-3
    )

    @property
    def _flips(self):
        return self.theta < 0, False

    def _log_density(self, x, y):
        return np.log1p(abs(self.theta) * (1 - 2 * x) * (1 - 2 * y))

    @staticmethod
    def kendall(theta: Any) -> Any:
        return 2 * np.abs(theta) / 9


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for cls in (Morgenstern, OneSided, Mirrored):
        monkeypatch.setitem(FAMILIES, cls.family, cls)  # the one line


def ranks(X):
    return stats.rankdata(X, axis=0) / (len(X) + 1)


def table(n, rng):
    """Two pairs from the family, of either sign, independent of each other."""
    return ranks(np.hstack([Morgenstern(theta).sample(n, rng) for theta in (0.95, -0.9)]))


def best(u, v):
    """Maximum likelihood on a fine grid."""
    theta = np.linspace(-0.999, 0.999, 20_001)
    product = ((1 - 2 * u) * (1 - 2 * v))[:, None]
    likelihood = np.log1p(theta * product).sum(axis=0)
    return theta[np.argmax(likelihood)], likelihood.max()


@pytest.mark.parametrize("theta", [-0.9, 0.3, 0.95])
def test_density_and_score(theta, rng):
    x, y = rng.uniform(size=(2, 30))
    out = np.empty(30)
    Morgenstern.batch.density(x, y, theta, out)
    np.testing.assert_allclose(out, Morgenstern(theta).logpdf(x, y), rtol=1e-12, atol=1e-14)
    Morgenstern.batch.score(x, y, theta, out)
    up, down = (Morgenstern(theta + step).logpdf(x, y) for step in (1e-6, -1e-6))
    np.testing.assert_allclose(out, (up - down) / 2e-6, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("family", ["morgenstern", "one-sided", "mirrored"])
def test_it_is_fitted_like_any_other(family, rng):
    U = table(600, rng)
    pairs = PairCopulas(families=[family]).fit(U)
    assert pairs.family_[[0, 5]].tolist() == [family, family]
    for pair, columns in ((0, (0, 1)), (5, (2, 3))):
        theta, likelihood = best(*U[:, columns].T)
        assert pairs.log_likelihood_[pair, 1] == pytest.approx(likelihood, abs=1e-6)
        copula = pairs.copula(*columns)
        sign = -1.0 if copula.rotation == 90 else 1.0
        assert sign * copula.theta == pytest.approx(theta, abs=2e-4)
        assert copula.tau == pytest.approx(2 * theta / 9, abs=1e-4)
        assert pairs.describe([pair]).tau[0] == pytest.approx(copula.tau, abs=1e-14)
        density = copula.logpdf(*U[:, columns].T)
        np.testing.assert_allclose(pairs.log_density(U)[:, pair], density, atol=1e-12)
        for fold in range(5):
            kept = pairs.fold_of_row_ != fold
            theta, _ = best(*U[kept][:, columns].T)
            fitted = pairs.fold_parameters_[pair, fold, 0]
            assert sign * fitted == pytest.approx(theta, abs=2e-4)


def test_it_is_chosen_on_its_own_data(rng):
    U = table(6000, rng)
    pairs = PairCopulas(families=["gaussian", "clayton", "gumbel", "morgenstern"]).fit(U)
    assert pairs.family_[[0, 5]].tolist() == ["morgenstern"] * 2
    assert (pairs.family_[1:5] == "independence").all()
    # What was there before is fitted as before.
    without = PairCopulas(families=["gaussian", "clayton", "gumbel"]).fit(U)
    np.testing.assert_array_equal(pairs.log_likelihood_[:, :4], without.log_likelihood_)


def test_it_is_sampled_from(rng):
    pairs = PairCopulas(families=["morgenstern"]).fit(table(600, rng))
    U = sample_down(pairs, np.tile([-1, 0, -1, 2], (4000, 1)), random_state=0)
    tau = stats.kendalltau(U[:, 0], U[:, 1]).statistic
    assert tau == pytest.approx(pairs.copula(0, 1).tau, abs=0.03)


def test_nothing_else_is_compiled_for_it(rng):
    PairCopulas(families=["gaussian"]).fit(table(50, rng))
    compiled = len(block.fit_pairs.signatures)
    PairCopulas(families=["morgenstern"]).fit(table(50, rng))
    assert len(block.fit_pairs.signatures) == compiled


def test_two_grids_are_refused(monkeypatch, rng):
    class Second(Student):
        family: ClassVar[str] = "second"

    monkeypatch.setitem(FAMILIES, "second", Second)
    with pytest.raises(
        InputError, match="one family with a grid at a time, not student and second"
    ):
        PairCopulas(families=["student", "second"]).fit(table(50, rng))
