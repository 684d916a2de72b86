"""The evidence of a table: every channel of its pairs, and what it was computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import column_position
from spinney._core.pairs import PairIndex, pair_ends, pair_index
from spinney._core.storable import storable
from spinney.evidence.groups import CHANNELS, N_EVEN, PLACES
from spinney.exceptions import InputError
from spinney.forests.posterior import Ladder
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.pair_fit import PairFit
from spinney.scale.screening import Screened

__all__ = ["Evidence"]


@storable("Evidence")
@dataclass(frozen=True, eq=False)
class Evidence:
    """What a table says of its pairs of columns; see :func:`measure`.

    Of a wide table only the pairs that passed a screening are listed: there are 12 million pairs of
    5,000 columns. The channels of each listed pair were then measured in the neighbourhood that it
    was judged in, as if that were the whole table; "columns" says how many it has.

    Attributes
    ----------
    values : float32 array of shape (n_listed, n_channels)
        Listed pairs in the order of ``np.triu_indices(d, 1)``, channels in that of ``CHANNELS``.
    pair_fit : PairFit
        The fitted densities of the listed pairs, and the table, rows in an order of their own.
    ladder : Ladder or None
        Probabilities of edges, from four rows that share a forest to all; None for a wide table.
    screened : Screened or None
        What the screening of a wide table let pass; None if all pairs are listed.
    densities : PairDensities
        What they say of every row.
    """

    values: NDArray[np.float32]
    pair_fit: PairFit
    ladder: Ladder | None = None
    screened: Screened | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.pair_fit.table_.names

    @property
    def n_samples(self) -> int:
        """Rows of the table."""
        return len(self.pair_fit.table_)

    @property
    def potentials(self) -> PairCopulas | PairFit:
        """The fitted densities of the listed pairs, as estimators show them."""
        return self.pair_fit.potentials

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.names)

    @cached_property
    def index(self) -> PairIndex:
        """The listed pairs."""
        return self.pair_fit.index

    @property
    def even(self) -> NDArray[np.float32]:
        """Channels that do not change when a column is negated, shape (n_listed, n_even)."""
        return self.values[:, :N_EVEN]

    @property
    def odd(self) -> NDArray[np.float32]:
        """Channels that change their sign when a column is negated, shape (n_listed, n_odd)."""
        return self.values[:, N_EVEN:]

    @cached_property
    def densities(self) -> PairDensities:
        """What the fitted densities say of every row, computed when it is first asked for."""
        return self.pair_fit.densities_

    def channel(self, name: str) -> NDArray[np.float64]:
        """One channel of all listed pairs."""
        return self.values[:, PLACES[name]].astype(float)

    def tensor(self) -> NDArray[np.float32]:
        """All channels by columns, shape (d, d, n_channels): symmetric, zero on the diagonal."""
        d = self.n_nodes
        whole = np.zeros((d, d, self.values.shape[1]), dtype=np.float32)
        first, second = self.index.ends
        whole[first, second] = whole[second, first] = self.values
        return whole

    def to_frame(self) -> pd.DataFrame:
        """One row per listed pair: source, target, and every channel."""
        first, second = self.index.ends
        names = np.array(self.names, dtype=object)
        frame = pd.DataFrame(self.values, columns=[channel.name for channel in CHANNELS])
        frame.insert(0, "source", names[first])
        frame.insert(1, "target", names[second])
        return frame

    def why(self, u: int | str, v: int | str) -> pd.DataFrame:
        """All that is known of one pair: channel, value, meaning.

        A pair that is not listed has one line: its statistic in the screening, and why it was not
        judged.

        Parameters
        ----------
        u, v : int or str
            Two columns, by position or name, in any order.

        Raises
        ------
        InputError
            If there is no such column, or both are the same.
        """
        i, j = (column_position(node, self.names, "why") for node in (u, v))
        if i == j:
            raise InputError(f"why asks for two columns, not for {self.names[i]!r} and itself.")
        pair = pair_index(i, j, self.n_nodes)
        at = int(self.index.places_of(pair))
        if at < 0:
            return self._why_not_listed(pair)
        return pd.DataFrame(
            {
                "channel": [channel.name for channel in CHANNELS],
                "value": self.values[at],
                "meaning": [channel.meaning for channel in CHANNELS],
            }
        )

    def _why_not_listed(self, pair: int) -> pd.DataFrame:
        from spinney.scale.screening import screen

        screened: Any = self.screened
        both = screen(
            self.pair_fit.table_.take_columns(pair_ends([pair], self.n_nodes)), partners=1
        )
        if pair in screened.pairs:
            reason = "it passed, but no neighbourhood of stronger pairs has both its columns"
        else:
            reason = (
                f"it did not pass the level {screened.level:g}, nor is it among the "
                f"{screened.partners} strongest pairs of one of its columns"
            )
        meaning = f"the screening's largest statistic, as a standard normal variable; {reason}"
        strength = float(both.strength.max(initial=0.0))
        return pd.DataFrame({"channel": ["screening"], "value": [strength], "meaning": [meaning]})
