"""t-copula cliques: dependent inside, independent across, marginally normal."""

import numpy as np
import pytest
from scipy import stats

from spinney._core.pairs import pair_nodes, to_pairs
from spinney.exceptions import InputError
from spinney.pairs.copulas import Student
from spinney.simulate import t_cliques

N = 20_000


@pytest.fixture(scope="module")
def data():
    return t_cliques(N, 25, df=1.0, random_state=4)


def test_cliques_are_independent_across(data):
    u, v = pair_nodes(25)
    between = data.labels[u] != data.labels[v]
    # Student copulas with r = 0 are uncorrelated yet dependent: look at sizes as well as values.
    for scores in (data.X, np.abs(data.X)):
        r = to_pairs(stats.spearmanr(scores).statistic)
        assert np.abs(r[between]).max() * np.sqrt(N) < 4.2
    assert r[~between].min() * np.sqrt(N) > 20  # of the sizes, whatever the correlations


def test_triples_across_cliques_are_independent(data):
    # Pairs could be independent where triples are not: compare the octants of three cliques.
    first = [int(np.flatnonzero(data.labels == k)[0]) for k in range(3)]
    code = (data.X[:, first] > 0) @ [4, 2, 1]
    assert stats.chisquare(np.bincount(code, minlength=8)).pvalue > 1e-3


def test_margins_are_normal(data):
    for column in data.X.T:
        assert stats.kstest(column, "norm").pvalue > 1e-4
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize("df", [1.0, 4.0])
def test_pairs_inside_have_the_student_copula_promised(df):
    data = t_cliques(N, 6, df=df, random_state=0, sizes=(3,), correlation=0.5)
    U = stats.norm.cdf(data.X)
    u, v = np.argwhere(np.triu(data.adjacency))[0]
    assert data.correlation[u, v] == pytest.approx(0.5, abs=1e-15)

    def log_likelihood(rho, df):
        return Student(rho, df).logpdf(U[:, u], U[:, v]).sum()

    # Given one variable, the transform of the other by the truth is uniform and independent of it.
    p = Student(0.5, df).hfunc(U[:, u], U[:, v])
    assert stats.kstest(p, "uniform").pvalue > 1e-3
    assert abs(stats.spearmanr(p, U[:, u]).statistic) * np.sqrt(N) < 3.5
    best = log_likelihood(0.5, df)
    for wrong in ((0.45, df), (0.55, df), (0.5, 0.7 * df), (0.5, 1.4 * df)):
        assert log_likelihood(*wrong) < best - 5


def test_three_members_share_one_scale():
    """Given the scale a clique is normal: the exact distribution of its squared radius is F."""
    data = t_cliques(N, 4, df=1.0, random_state=1, sizes=(4,), correlation=0.6)
    T = stats.t.ppf(stats.norm.cdf(data.X), 1.0)
    radius = np.einsum("ij,jk,ik->i", T, np.linalg.inv(data.correlation), T) / 4
    assert stats.kstest(radius, stats.f(4, 1).cdf).pvalue > 1e-3


def test_extreme_scales_stay_finite():
    assert np.isfinite(t_cliques(50_000, 6, df=0.5, random_state=0).X).all()


def test_impossible_wishes_are_refused():
    with pytest.raises(InputError, match="df must be at least"):
        t_cliques(10, df=0.1)
    with pytest.raises(InputError, match="correlation must lie"):
        t_cliques(10, correlation=1.0)


def test_correlation_matrices_are_uniform():
    """Each correlation of a uniform 3 x 3 matrix is Beta(3/2, 3/2) on (-1, 1)."""
    tables = [t_cliques(1, 60, random_state=seed, sizes=(3,)) for seed in range(60)]
    drawn = [table.correlation for table in tables]
    cliques = [(t, np.flatnonzero(t.labels == k)) for t in tables for k in range(20)]
    r = np.array([t.correlation[nodes[0], nodes[1]] for t, nodes in cliques])
    assert len(r) == 60 * 20
    assert stats.kstest(r, stats.beta(1.5, 1.5, loc=-1, scale=2).cdf).pvalue > 1e-3
    for R in drawn:
        np.testing.assert_allclose(R, R.T, atol=1e-15)
        np.testing.assert_allclose(R.diagonal(), 1.0, rtol=1e-14)
        assert np.linalg.eigvalsh(R)[0] > 0
