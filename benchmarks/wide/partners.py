"""Edges that are not among the strongest pairs of a column, and those in no neighbourhood."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks.wide.tables import REPORTING
from benchmarks.wide.truths import TRUTHS
from spinney._core.pairs import pair_numbers, to_pairs
from spinney.scale.neighbourhoods import together_in
from spinney.scale.partners import find_partners
from spinney.scale.wide import neighbourhoods_of
from spinney.scores import read_scores
from spinney.tables import read_table

__all__ = ["run"]

COLUMNS = (1000,)
ROWS = (100, 200)


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Look which edges are lost, for every kind of truth; reporting seeds."""
    found = []
    for d in options.columns or COLUMNS:
        for name, draw in TRUTHS.items():
            for n in ROWS:
                lost = np.array(
                    [_lost(*draw(n, d, seed)) for seed in REPORTING[: options.repetitions]]
                )
                edges, of_partners, of_parts = lost.sum(axis=0).tolist()
                row = {"truth": name, "rows": n, "columns": d, "edges": edges}
                row |= {"not_partners": of_partners, "in_no_neighbourhood": of_parts}
                print(f"  {row}", flush=True)
                found.append(row)
    return {"tables": found}


def _lost(X: Any, adjacency: Any) -> tuple[int, int, int]:
    """Count edges, those that are not listed as partners, and those that are not judged."""
    d = X.shape[1]
    partners = find_partners(read_scores(read_table(X)))
    parts = neighbourhoods_of(partners, d, np.empty(0, dtype=np.int64))
    edges = np.flatnonzero(to_pairs(adjacency) > 0)
    listed = np.isin(edges, pair_numbers(partners.first, partners.second, d))
    judged = together_in(parts, *np.nonzero(np.triu(adjacency, 1)), d)
    return len(edges), int((~listed).sum()), int((~judged).sum())
