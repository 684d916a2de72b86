"""Draw the figures of docs/models.md: ``python docs/figures/forests.py`` from the root."""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import mpmath
import numpy as np

from spinney import forests
from spinney._core.pairs import pair_nodes
from spinney.forests.reference import eliminate, grounded_network, resistances

mpl.use("Agg")
HERE = Path(__file__).parent
GREEN, BROWN, GREY, BLUE = "#2f6f4f", "#8a5a2b", "#9a9a9a", "#3b6ea5"
plt.rcParams.update(
    {
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.dpi": 140,
        "savefig.bbox": "tight",
    }
)


def star_mesh():
    """Five nodes and the ground, eliminated one by one."""
    d = 5
    places = np.array([[0, 1], [-1.1, 0.4], [-0.9, -0.7], [1.05, -0.75], [1.0, 0.45], [0, -1.75]])
    W = np.zeros((d, d))
    for u, v, w in ((0, 1, 2.0), (0, 4, 1.5), (0, 2, 1.0), (1, 2, 0.6), (3, 4, 1.2)):
        W[u, v] = W[v, u] = w
    w = grounded_network(W, np.full(d, 0.5))
    figure, axes = plt.subplots(1, 4, figsize=(11, 3.4))
    fill = np.zeros_like(w)
    for k, axis in enumerate(axes):
        for i in range(k, d + 1):
            for j in range(i + 1, d + 1):
                if w[i, j] > 0:
                    new = fill[i, j] / w[i, j]
                    axis.plot(*places[[i, j]].T, color=GREY, lw=3.2 * w[i, j], zorder=1)
                    if new > 0:
                        axis.plot(*places[[i, j]].T, color=GREEN, lw=3.2 * fill[i, j], zorder=2)
        axis.scatter(*places[k:d].T, s=170, color="white", edgecolor="black", zorder=3)
        for i in range(k, d):
            weight = "bold" if i == k else "normal"
            axis.text(*places[i], str(i + 1), ha="center", va="center", weight=weight, zorder=4)
        axis.plot([-0.35, 0.35], [places[d, 1]] * 2, color=BROWN, lw=4, zorder=3)
        axis.text(0, places[d, 1] - 0.28, "ground", ha="center", color=BROWN)
        axis.set_aspect("equal")
        axis.axis("off")
        axis.set_xlim(-1.35, 1.35)
        axis.set_ylim(-2.2, 1.35)
        total = w[k, k + 1 :].sum()
        axis.set_title(f"$s_{k + 1}$ = {total:.3g}", fontsize=10)
        share = w[k, k + 1 :] / total
        fill[:] = 0
        fill[k + 1 :, k + 1 :] = np.outer(share, w[k, k + 1 :])
        w[k + 1 :, k + 1 :] += fill[k + 1 :, k + 1 :]
    figure.savefig(HERE / "star-mesh.png")


def exact(W, digits=90):
    """Log-partition and resistances of ``I + L(W)`` with many digits."""
    with mpmath.workdps(digits):
        d = len(W)
        M = mpmath.matrix(d, d)
        for i in range(d):
            for j in range(d):
                M[i, j] = -mpmath.mpf(float(W[i, j]))
            M[i, i] = 1 + sum(mpmath.mpf(float(W[i, j])) for j in range(d) if j != i)
        G = M**-1
        R = [[G[i, i] + G[j, j] - 2 * G[i, j] for j in range(d)] for i in range(d)]
        return mpmath.log(mpmath.det(M)), R


def accuracy():
    """Errors of both routes as the weights spread."""
    rng = np.random.default_rng(1)
    d = 12
    u, v = pair_nodes(d)
    spreads = np.arange(0, 15, 1.0)
    errors = {
        name: [] for name in ("R, inverse", "R, elimination", "Z, Cholesky", "Z, elimination")
    }
    for spread in spreads:
        worst = dict.fromkeys(errors, 0.0)
        for _ in range(3):
            W = np.triu(10 ** rng.uniform(-spread, spread, (d, d)), 1)
            W += W.T
            log_z, R = exact(W)
            M = np.diag(1 + W.sum(axis=1)) - W
            G = np.linalg.inv(M)
            totals, shares = eliminate(grounded_network(W, np.ones(d)))
            mine = resistances(totals, shares)
            try:
                theirs = 2 * np.log(np.diagonal(np.linalg.cholesky(M))).sum()
            except np.linalg.LinAlgError:
                theirs = np.inf
            found = {
                "Z, Cholesky": abs(float(theirs - log_z)),
                "Z, elimination": abs(float(np.log(totals).sum() - log_z)),
            }
            for name, guess in (
                ("R, inverse", np.add.outer(np.diagonal(G), np.diagonal(G)) - 2 * G),
                ("R, elimination", mine[:d, :d]),
            ):
                found[name] = max(
                    abs(float(guess[i, j] / R[i][j] - 1)) for i, j in zip(u, v, strict=True)
                )
            worst = {name: max(worst[name], found[name]) for name in worst}
        for name in errors:
            errors[name].append(max(worst[name], 1e-17))
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True)
    for axis, letter, title, rival in (
        (axes[0], "R", "resistances (relative error)", "inverse"),
        (axes[1], "Z", "log-partition (error)", "Cholesky"),
    ):
        ours, theirs = errors[f"{letter}, elimination"], np.array(errors[f"{letter}, {rival}"])
        axis.semilogy(2 * spreads, theirs, "o-", color=BROWN, label=rival)
        axis.semilogy(2 * spreads, ours, "o-", color=GREEN, label="elimination, recursion on R")
        axis.axhline(2.2e-16, color=GREY, ls=":", lw=1)
        axis.set_xlabel("decades that the weights span")
        axis.set_title(title, fontsize=10)
        axis.legend(frameon=False)
    axes[0].set_ylim(1e-17, 1.0)
    figure.savefig(HERE / "accuracy.png")


def root_weights():
    """Show what the root weight does: forests at three values, and how many trees they have."""
    rng = np.random.default_rng(8)
    d = 60
    points = rng.random((d, 2))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    W = np.exp(-((distance / 0.12) ** 2)) * (1 - np.eye(d))
    figure, axes = plt.subplots(1, 4, figsize=(12, 3.1), width_ratios=(1, 1, 1, 1.3))
    alphas = (0.02, 0.3, 3.0)
    for axis, alpha, colour in zip(axes, alphas, (GREEN, BLUE, BROWN), strict=False):
        drawn = forests.sample(W, alpha, random_state=5)
        for a, b in drawn.edges():
            axis.plot(*points[[a, b]].T, color=colour, lw=1.4, zorder=1)
        root = drawn.parents[0] < 0
        axis.scatter(*points[~root].T, s=9, color="black", zorder=2)
        axis.scatter(*points[root].T, s=42, color="white", edgecolor="black", zorder=3)
        axis.set_title(f"α = {alpha}: {drawn.n_trees[0]} trees", fontsize=10)
        axis.set_aspect("equal")
        axis.axis("off")
        chances = forests.tree_count_distribution(W, alpha)
        seen = np.flatnonzero(chances > 1e-5)
        axes[3].plot(seen, chances[seen], "o-", ms=3, color=colour, label=f"α = {alpha}")
    axes[3].set_xlabel("number of trees")
    axes[3].set_title("its distribution, in closed form", fontsize=10)
    axes[3].legend(frameon=False)
    figure.savefig(HERE / "root-weights.png")


if __name__ == "__main__":
    star_mesh()
    accuracy()
    root_weights()
