"""Which pairs go which way: plain ones in tiles, those with levels or gaps in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney.pairs.copulas._block import (
    Densities,
    Fits,
    Rule,
    empty_fits,
    fit_pairs,
    write_log_density,
)
from spinney.pairs.copulas._fit_one import Candidates
from spinney.pairs.copulas.cluster import fit_tiles_on_cluster, fit_uneven_on_cluster
from spinney.pairs.copulas.coordinates import Coordinates, Layout
from spinney.pairs.copulas.kendall import KendallTable, kendall_tau_of_pairs
from spinney.pairs.copulas.listing import Listing, Some
from spinney.pairs.copulas.tiles import MEMORY, Tile, block_size, over_tiles, put
from spinney.pairs.copulas.uneven import (
    Uneven,
    common_rows,
    fit_uneven,
    ranked_values,
    write_uneven,
)
from spinney.pairs.pseudo import PseudoTable
from spinney.scale.tasks import on_cluster

__all__ = ["Receive", "Rows", "taus_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Receive = Callable[[Ints, Floats], None]
"""Takes the log-densities of some listed pairs: their places, and numbers of shape (pairs, n)."""


def taus_of(values: Floats, first: Ints, second: Ints, device: str) -> Floats:
    """Kendall's tau-b of pairs of columns; the same numbers on every device."""
    table = KendallTable(values)
    if table.bits and device == "cuda":
        from spinney.pairs.copulas.cuda import tau_on_device

        return tau_on_device(table, first, second)
    return table.tau(first, second)


class Rows(NamedTuple):
    """The rows of a table in folds, and how to work on them.

    Attributes
    ----------
    order : array of int
        Sorts rows by fold.
    folds : array of int
        Where each fold begins then, and where the last ends.
    n_jobs, progress
        As in :class:`~spinney.pairs.copulas.PairCopulas`.
    device : str
        Where pairs of continuous columns without gaps are worked on.

    Notes
    -----
    A penalty per parameter of None stands for half the logarithm of the number of rows.
    """

    order: Ints
    folds: Ints
    n_jobs: int | None
    progress: bool
    device: str = "cpu"

    def fit_plain(
        self,
        values: Floats,
        some: Some,
        taus: Floats,
        rule: Rule,
        penalty: float | None,
        what: tuple[tuple[str, ...], Candidates, Layout],
        fits: Fits,
    ) -> None:
        """Fit some pairs of continuous columns without gaps.

        `values` are those of the table; columns that are in none of the pairs are not looked at.
        `taus` and `fits` have an entry for each listed pair.
        """
        families, candidates, layout = what
        per_parameter = 0.5 * float(np.log(len(values))) if penalty is None else penalty
        rule = rule._replace(penalty=per_parameter)
        if self.device == "cuda":
            from spinney.pairs.copulas.cuda import fit_on_device

            pairs, kernels = (some, taus), (candidates, layout)
            values = values[self.order]
            fit_on_device(values, pairs, self.folds, rule, kernels, fits, progress=self.progress)
            return
        if on_cluster() and some.places.size > block_size(len(values)):
            how = (self.folds, rule, families, layout.grid)
            most = MEMORY // max(len(values) * layout.n_bytes, 1)
            fit_tiles_on_cluster(
                values[self.order], some, taus, how, most, fits, progress=self.progress
            )
            return

        def work(where: Coordinates, tile: Tile) -> None:
            places = some.places[tile.pairs]
            part = empty_fits(places.size, self.folds.size - 1, len(families))
            fit_pairs(
                where, tile.first, tile.second, taus[places], self.folds, rule, candidates, part
            )
            put(fits, places, part)

        over_tiles(
            work, values, some[1:], layout, label="fitting pairs", n_jobs=self.n_jobs,
            progress=self.progress, order=self.order,
        )  # fmt: skip

    def fit_pseudo(
        self,
        table: PseudoTable,
        listing: Listing,
        wanted: Bools,
        rule: Rule,
        penalty: float | None,
        what: tuple[tuple[str, ...], Candidates, Layout],
        fits: Fits,
    ) -> Floats:
        """Fit wanted pairs of a table that may have levels and gaps; return all listed pairs' tau.

        Pairs that are not wanted, have a nominal column or one with a single value are left as
        independence; their tau is NaN.
        """
        first, second = listing.first, listing.second
        wanted = wanted & ~(table.nominal[first] | table.nominal[second])
        taus = np.full(first.size, np.nan)
        taus[wanted] = kendall_tau_of_pairs(ranked_values(table), first[wanted], second[wanted])
        wanted &= ~np.isnan(taus)
        fits.log_likelihood[:, 0] = fits.criterion[:, 0] = 0.0  # of independence
        plain = (table.n_levels == 0) & table.present.all(axis=0)
        even = wanted & plain[first] & plain[second]
        if even.any():
            some = listing.some(np.flatnonzero(even))
            self.fit_plain(table.u, some, taus, rule, penalty, what, fits)
        uneven = np.flatnonzero(wanted & ~even)
        if uneven.size:
            many = uneven.size > block_size(len(table))
            fit = fit_uneven_on_cluster if many and on_cluster() else fit_uneven
            fit(
                Uneven.of(table, self.order, self.folds, own_margins=True),
                listing.some(uneven),
                common_rows(table, listing),
                taus,
                rule._replace(penalty=0.5 if penalty is None else penalty),
                penalty is None,
                what,
                fits,
                n_jobs=self.n_jobs,
                progress=self.progress,
            )
        return taus

    def write_plain(
        self,
        values: Floats,
        some: Some,
        copulas: Densities,
        layout: Layout,
        receive: Receive,
    ) -> None:
        """Log-densities of pairs of continuous columns, handed over piece by piece.

        `copulas` has an entry for each listed pair.
        """
        if self.device == "cuda":
            from spinney.pairs.copulas.cuda import write_on_device

            what = (copulas, layout)
            write_on_device(values, some, self.folds, what, receive, progress=self.progress)
            return

        def work(where: Coordinates, tile: Tile) -> None:
            places = some.places[tile.pairs]
            buffer = np.empty((places.size, len(values)))
            part = copulas.take(places)
            write_log_density(where, tile.first, tile.second, part, self.folds, buffer)
            receive(places, buffer)

        over_tiles(
            work, values, some[1:], layout, label="log-densities", n_jobs=self.n_jobs,
            progress=self.progress,
        )  # fmt: skip

    def write_pseudo(
        self,
        table: PseudoTable,
        own_margins: bool,
        listing: Listing,
        asked: Bools,
        copulas: Densities,
        what: tuple[tuple[str, ...], Ints, Layout],
        receive: Receive,
    ) -> None:
        """Log-densities of the pairs that are asked for, of a table with levels and gaps.

        They are handed over piece by piece, those of independent pairs not at all. With
        `own_margins` pairs with gaps have the margins of their own rows, otherwise those that the
        table brings. `what` are the families, that of each pair, and the layout.
        """
        families, family, layout = what
        present = table.present[self.order]
        plain = (table.n_levels == 0) & (present.all(axis=0) | (not own_margins))
        first, second = listing.first, listing.second
        ordered = ~(table.nominal[first] | table.nominal[second])
        wanted = asked & (family != families.index("independence")) & ordered
        even = wanted & plain[first] & plain[second]
        if even.any():
            some = listing.some(np.flatnonzero(even))
            values = np.where(present, table.u[self.order], 0.5)

            def receive_present(places: Ints, found: Floats) -> None:
                both = present[:, first[places]] & present[:, second[places]]
                receive(places, found * both.T)

            whole = bool(present[:, plain].all())
            self.write_plain(values, some, copulas, layout, receive if whole else receive_present)
        uneven = np.flatnonzero(wanted & ~even)
        if uneven.size:
            write_uneven(
                Uneven.of(table, self.order, self.folds, own_margins),
                listing.some(uneven),
                copulas,
                (families, family, layout),
                receive,
                n_jobs=self.n_jobs,
                progress=self.progress,
            )
