"""The evidence of a wide table: every channel of the pairs that were looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from spinney._core.choices import column_position
from spinney._core.pairs import pair_ends, pair_index, places_of
from spinney.evidence.channels import CHANNELS, N_EVEN
from spinney.exceptions import InputError
from spinney.pairs.densities import PairDensities
from spinney.pairs.rows import Rows
from spinney.scale.screening import Screened, screen
from spinney.tables import Table

__all__ = ["WideEvidence", "columns_of", "listed_densities"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WideEvidence:
    """What a wide table says of the pairs that passed its screening.

    It reads like :class:`Evidence`, but has an entry for each listed pair only: there are
    12 million pairs of 5,000 columns. Of each listed pair the channels were measured in the
    neighbourhood that it was judged in, as if that were the whole table; "columns" says how many
    it has.

    Attributes
    ----------
    pairs : int array of shape (n_listed,)
        Numbers of the listed pairs, rising, in the order of ``np.triu_indices(d, 1)``.
    values : float32 array of shape (n_listed, n_channels)
        Their channels, in the order of ``CHANNELS``.
    names : tuple of str
        Names of the columns.
    n_samples : int
        Rows of the table.
    rows : PlainRows or MixedRows
        The rows, in an order of their own, and how their values are read.
    potentials : PairCopulas or PairFit
        The fitted densities of the listed pairs.
    screened : Screened
        What the screening let pass.
    """

    pairs: Ints
    values: NDArray[np.float32]
    names: tuple[str, ...]
    n_samples: int
    rows: Rows
    potentials: Any
    screened: Screened

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.names)

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
        return listed_densities(self.potentials)

    def to_frame(self) -> pd.DataFrame:
        """One row per listed pair: source, target, and every channel."""
        first, second = pair_ends(self.pairs, self.n_nodes)
        names = np.array(self.names, dtype=object)
        frame = pd.DataFrame(self.values, columns=[channel.name for channel in CHANNELS])
        frame.insert(0, "source", names[first])
        frame.insert(1, "target", names[second])
        return frame

    def why(self, u: int | str, v: int | str) -> pd.DataFrame:
        """All that is known of one pair: channel, value, meaning.

        Of a pair that is not listed that is one line: its statistic in the screening, and that it
        did not pass.

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
        at = int(places_of(pair, self.pairs))
        if at < 0:
            return self._not_listed(pair)
        return pd.DataFrame(
            {
                "channel": [channel.name for channel in CHANNELS],
                "value": self.values[at],
                "meaning": [channel.meaning for channel in CHANNELS],
            }
        )

    def _not_listed(self, pair: int) -> pd.DataFrame:
        nodes = np.concatenate(pair_ends([pair], self.n_nodes))
        both = screen(columns_of(self.rows.table, nodes), partners=1)
        strength = float(both.strength.max(initial=0.0))
        if pair in self.screened.pairs:
            reason = "it passed, but no neighbourhood of stronger pairs has both its columns"
        else:
            reason = (
                f"it did not pass the level {self.screened.level:g}, nor is it among the "
                f"{self.screened.partners} strongest pairs of one of its columns"
            )
        meaning = f"the screening's largest statistic, as a standard normal variable; {reason}"
        return pd.DataFrame({"channel": ["screening"], "value": [strength], "meaning": [meaning]})


def columns_of(table: Table, nodes: ArrayLike) -> Table:
    """Take some columns of a table, in the order given.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> table = read_table(np.random.default_rng(0).normal(size=(9, 3)))
    >>> columns_of(table, [2, 0]).names
    ('x2', 'x0')
    """
    chosen = np.asarray(nodes, dtype=np.int64)
    values = np.ascontiguousarray(table.values[:, chosen])
    return Table(values, tuple(table.columns[k] for k in chosen))


def listed_densities(potentials: Any) -> PairDensities:
    """Return what compact pair densities say of the rows that they were fitted on."""
    found = getattr(potentials, "densities_", None)
    if isinstance(found, PairDensities):
        return found
    return PairDensities(
        potentials.fitted_log_density_,
        potentials.n_parameters_,
        potentials.n_rows_,
        pairs=potentials.pairs_,
        n_nodes=potentials.n_features_in_,
    )
