"""The evidence of a table: every channel of every pair, and what it was computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.pairs import pair_index, pair_nodes
from spinney.evidence.channels import CHANNELS, N_EVEN
from spinney.exceptions import InputError
from spinney.forests.posterior import Ladder
from spinney.pairs.chunked import ChunkedDensities
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.pair_fit import PairFit
from spinney.pairs.rows import Rows

__all__ = ["Evidence"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a table says of every pair of its columns; see :func:`measure`.

    Attributes
    ----------
    values : float32 array of shape (n_pairs, n_channels)
        Pairs in the order of ``np.triu_indices(d, 1)``, channels in that of ``CHANNELS``.
    names : tuple of str
        Names of the columns.
    n_samples : int
        Rows of the table.
    rows : PlainRows or MixedRows
        The rows, in an order of their own, and how their values are read.
    potentials : PairCopulas or PairFit
        The fitted pair densities.
    densities : PairDensities or ChunkedDensities
        What they say of every row; of long tables, summed up when asked for.
    ladder : Ladder
        Probabilities of edges, from four rows that share a forest to all.
    """

    values: NDArray[np.float32]
    names: tuple[str, ...]
    n_samples: int
    rows: Rows
    potentials: PairCopulas | PairFit
    densities: PairDensities | ChunkedDensities
    ladder: Ladder

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def even(self) -> NDArray[np.float32]:
        """Channels that do not change when a column is negated, shape (n_pairs, n_even)."""
        return self.values[:, :N_EVEN]

    @property
    def odd(self) -> NDArray[np.float32]:
        """Channels that change their sign when a column is negated, shape (n_pairs, n_odd)."""
        return self.values[:, N_EVEN:]

    def tensor(self) -> NDArray[np.float32]:
        """All channels by columns, shape (d, d, n_channels): symmetric, zero on the diagonal."""
        d = self.n_nodes
        whole = np.zeros((d, d, self.values.shape[1]), dtype=np.float32)
        first, second = pair_nodes(d)
        whole[first, second] = whole[second, first] = self.values
        return whole

    def to_frame(self) -> pd.DataFrame:
        """One row per pair: source, target, and every channel."""
        first, second = pair_nodes(self.n_nodes)
        names = np.array(self.names, dtype=object)
        frame = pd.DataFrame(self.values, columns=[channel.name for channel in CHANNELS])
        frame.insert(0, "source", names[first])
        frame.insert(1, "target", names[second])
        return frame

    def why(self, u: int | str, v: int | str) -> pd.DataFrame:
        """All that is known of one pair: channel, value, meaning.

        Parameters
        ----------
        u, v : int or str
            Two columns, by position or name, in any order.

        Raises
        ------
        InputError
            If there is no such column, or both are the same.
        """
        pair = pair_index(self._position(u), self._position(v), self.n_nodes)
        return pd.DataFrame(
            {
                "channel": [channel.name for channel in CHANNELS],
                "value": self.values[pair],
                "meaning": [channel.meaning for channel in CHANNELS],
            }
        )

    def _position(self, node: Any) -> int:
        if isinstance(node, str) and node in self.names:
            return self.names.index(node)
        if isinstance(node, int | np.integer) and 0 <= node < self.n_nodes:
            return int(node)
        raise InputError(
            f"There is no column {node!r} among {', '.join(self.names[:8])} …. Give a name, or a "
            f"position from 0 to {self.n_nodes - 1}."
        )
