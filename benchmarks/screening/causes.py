"""Edges between causes of one effect: how many each of the two rounds of a screening loses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from spinney._core.pairs import n_pairs, to_pairs
from spinney.scale.screening import Screened, add_co_parents, screen
from spinney.tables import read_table

SIZES = ((300, 310), (200, 1000), (200, 2000))
SHARES = (0.58, 0.27, 0.1, 0.05)
"""How many columns have no parent, one, two and three."""


def linear_causes(
    n: int, d: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Draw a table whose columns are sums of up to three earlier ones, and its moral graph."""
    X = rng.normal(size=(n, d))
    parents = np.zeros((d, d), dtype=bool)
    for child in range(1, d):
        count = min(int(rng.choice(len(SHARES), p=SHARES)), child)
        if not count:
            continue
        above = rng.choice(child, count, replace=False)
        sizes = rng.uniform(0.6, 1.0, count) * rng.choice([-1.0, 1.0], count)
        noise = rng.uniform(0.2, 0.7)
        signal = X[:, above] @ (sizes / np.sqrt((sizes**2).sum()))
        X[:, child] = np.sqrt(1.0 - noise) * signal + np.sqrt(noise) * X[:, child]
        X[:, child] /= X[:, child].std()
        parents[above, child] = True
    graph = parents | parents.T | (parents.astype(int) @ parents.T.astype(int) > 0)
    np.fill_diagonal(graph, False)
    return X, graph


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Screen tables of linear causes, in one round and in two."""
    repetitions = 2 if quick else 4
    cells = []
    for n, d in SIZES[: 1 if quick else None]:
        found = np.zeros((repetitions, 2, 2))
        edges = 0
        for r in range(repetitions):
            X, graph = linear_causes(n, d, np.random.default_rng([seed, n, d, r]))
            component = connected_components(graph)[1]
            truth = to_pairs(graph) > 0
            apart = to_pairs((component[:, None] != component).astype(float)) > 0
            edges += int(truth.sum())
            table = read_table(X)
            # Lost are pairs that pass neither by level nor among the strongest; the share of
            # independent pairs is by level alone.
            for k, partners in enumerate((50, 0)):
                first = screen(table, partners=partners)
                for round_, screened in enumerate((first, add_co_parents(table, first))):
                    passed = _passed(screened)
                    found[r, k, round_] = passed[apart].mean() if k else (truth & ~passed).sum()
        lost, share = found[:, 0].sum(axis=0), found[:, 1].mean(axis=0)
        cell = {"n": n, "d": d, "edges": edges, "lost": lost.tolist(), "share": share.tolist()}
        print(
            f"  | {n} | {d:,} | {edges:,} | {lost[0]:.0f} | {lost[1]:.0f} | {100 * share[0]:.2f} % "
            f"| {100 * share[1]:.2f} % |"
        )
        cells.append(cell)
    return {"cells": cells}


def _passed(screened: Screened) -> NDArray[np.bool_]:
    passed = np.zeros(n_pairs(screened.n_nodes), dtype=bool)
    passed[screened.pairs] = True
    return passed
