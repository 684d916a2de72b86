"""What all sections work from: the view, its pairs in order, and which of them are told in full."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.pairs import n_pairs
from spinney.graph.report.content.labels import label_names, relabel
from spinney.tables import Table

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["MOST_PAIRS", "MOST_TOLD", "Facts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_PAIRS = 4000
"""Pairs that are listed, unless more are edges."""
MOST_TOLD = 600
"""Pairs of which data, fit and evidence are told."""


@dataclass(frozen=True, eq=False)
class Facts:
    """A view, and what several sections need of it, computed once.

    Attributes
    ----------
    view : GraphView
        The graph.
    """

    view: GraphView

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.view.names)

    @property
    def table(self) -> Table | None:
        """The table, if the model keeps it; its rows are in an order of their own."""
        return self.view.table

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the columns, short enough to be shown."""
        return label_names(self.view.names)

    def say(self, text: str) -> str:
        """Write a text about the columns with their labels."""
        return relabel(text, self.view.names, self.labels)

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Every pair, the edges first, each group best first; with positions ``i`` < ``j``."""
        ends = np.asarray(self.view.pair_positions, dtype=np.int64)
        found = self.view.pairs.assign(i=ends.min(axis=1), j=ends.max(axis=1))
        order = np.argsort(~found["edge"].to_numpy(dtype=bool), kind="stable")
        return found.iloc[order].reset_index(drop=True)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(np.triu(self.view.adjacency, 1).sum())

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The pairs that are listed: all edges, and the next best."""
        return self.ranked.head(max(MOST_PAIRS, self.n_edges))

    @cached_property
    def told(self) -> list[tuple[int, int]]:
        """The pairs of which everything is told, by position, best first."""
        head = self.ranked.head(MOST_TOLD)
        return list(zip(head["i"].tolist(), head["j"].tolist(), strict=True))

    def positions(self, pairs: pd.DataFrame | list[tuple[int, int]]) -> Ints:
        """Places of pairs among ``np.triu_indices(d, 1)``."""
        if isinstance(pairs, pd.DataFrame):
            i, j = pairs["i"].to_numpy(), pairs["j"].to_numpy()
        else:
            i, j = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return np.asarray(i * (2 * self.d - i - 1) // 2 + j - i - 1, dtype=np.int64)

    @cached_property
    def described(self) -> pd.DataFrame | None:
        """Fitted copulas of the listed pairs, in their order; None if the model fits none."""
        describe = getattr(self.view.potentials, "describe", None)
        if describe is None:
            return None
        found: pd.DataFrame = describe(self.positions(self.shown))
        return found.reset_index(drop=True)

    @cached_property
    def ranks(self) -> dict[tuple[int, int], int]:
        """Place of each listed pair in the list."""
        shown = self.shown
        ends = zip(shown["i"].tolist(), shown["j"].tolist(), strict=True)
        return {pair: place for place, pair in enumerate(ends)}

    def description(self, i: int, j: int) -> dict[str, Any] | None:
        """Fitted copula of a listed pair; None if there is none."""
        if self.described is None:
            return None
        return {str(k): v for k, v in self._described_rows[self.ranks[i, j]].items()}

    @cached_property
    def _described_rows(self) -> list[dict[Any, Any]]:
        return [] if self.described is None else self.described.to_dict("records")

    @property
    def n_pairs(self) -> int:
        """Number of all pairs."""
        return n_pairs(self.d)

    @cached_property
    def checks(self) -> list[dict[str, str]]:
        """What the data were looked over for; see :mod:`spinney.graph.report.content.checks`."""
        from spinney.graph.report.content.checks import look_over

        return look_over(self)
