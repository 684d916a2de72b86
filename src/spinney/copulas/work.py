"""Which pairs go which way: plain ones in tiles, those with levels or gaps in blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney.copulas._block import Densities, Fits, Rule, empty_fits, fit_pairs, write_log_density
from spinney.copulas._fit_one import Candidates
from spinney.copulas.coordinates import Coordinates, Layout
from spinney.copulas.kendall import kendall_tau_of_pairs
from spinney.copulas.listing import Listing, Some
from spinney.copulas.tiles import Tile, over_tiles
from spinney.copulas.uneven import Uneven, common_rows, fit_uneven, ranked_values, write_uneven
from spinney.tables import PseudoTable

__all__ = ["Rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Rows(NamedTuple):
    """The rows of a table in folds, and how to work on them.

    Attributes
    ----------
    order : array of int
        Sorts rows by fold.
    folds : array of int
        Where each fold begins then, and where the last ends.
    n_jobs, progress
        As in :class:`~spinney.copulas.PairCopulas`.

    Notes
    -----
    A penalty per parameter of None stands for half the logarithm of the number of rows.
    """

    order: Ints
    folds: Ints
    n_jobs: int | None
    progress: bool

    def fit_plain(
        self,
        values: Floats,
        some: Some,
        taus: Floats,
        rule: Rule,
        penalty: float | None,
        what: tuple[Candidates, Layout],
        fits: Fits,
    ) -> None:
        """Fit some pairs of continuous columns without gaps.

        `values` are sorted by fold; columns that are in none of the pairs are not looked at. `taus`
        and `fits` have an entry for each listed pair.
        """
        candidates, layout = what
        n_folds, n_families = fits.fold_parameters.shape[1], fits.criterion.shape[1]
        per_parameter = 0.5 * float(np.log(len(values))) if penalty is None else penalty
        rule = rule._replace(penalty=per_parameter)

        def work(where: Coordinates, tile: Tile) -> None:
            places = some.places[tile.pairs]
            part = empty_fits(places.size, n_folds, n_families)
            fit_pairs(
                where, tile.first, tile.second, taus[places], self.folds, rule, candidates, part
            )
            for whole, piece in zip(fits, part, strict=True):
                whole[places] = piece

        over_tiles(
            work, values, some[1:], layout, label="fitting pairs", n_jobs=self.n_jobs,
            progress=self.progress,
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
        families, candidates, layout = what
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
            values = table.u[self.order]
            self.fit_plain(values, some, taus, rule, penalty, (candidates, layout), fits)
        uneven = np.flatnonzero(wanted & ~even)
        if uneven.size:
            fit_uneven(
                Uneven.of(table, self.order, self.folds, own_margins=True),
                listing.some(uneven),
                common_rows(table, listing),
                taus,
                rule._replace(penalty=0.5 if penalty is None else penalty),
                penalty is None,
                (families, candidates, layout),
                fits,
                n_jobs=self.n_jobs,
                progress=self.progress,
            )
        return taus

    def write_plain(
        self,
        values: Floats,
        some: Some,
        column_of: Ints,
        copulas: Densities,
        layout: Layout,
        result: Floats,
    ) -> None:
        """Log-densities of pairs of continuous columns, to their columns of `result`.

        `column_of` and `copulas` have an entry for each listed pair.
        """

        def work(where: Coordinates, tile: Tile) -> None:
            places = some.places[tile.pairs]
            buffer = np.empty((places.size, len(values)))
            part = copulas.take(places)
            write_log_density(where, tile.first, tile.second, part, self.folds, buffer)
            result[:, column_of[places]] = buffer.T

        over_tiles(
            work, values, some[1:], layout, label="log-densities", n_jobs=self.n_jobs,
            progress=self.progress,
        )  # fmt: skip

    def write_pseudo(
        self,
        table: PseudoTable,
        own_margins: bool,
        listing: Listing,
        column_of: Ints,
        copulas: Densities,
        what: tuple[tuple[str, ...], Ints, Layout],
        result: Floats,
    ) -> None:
        """Log-densities of pairs of a table that may have levels and gaps.

        Those whose `column_of` is not -1, to that column of `result`. With `own_margins` pairs with
        gaps have the margins of their own rows, otherwise those that the table brings. `what` are
        the families, that of each pair, and the layout.
        """
        families, family, layout = what
        present = table.present[self.order]
        plain = (table.n_levels == 0) & (present.all(axis=0) | (not own_margins))
        first, second = listing.first, listing.second
        ordered = ~(table.nominal[first] | table.nominal[second])
        wanted = (column_of >= 0) & (family != families.index("independence")) & ordered
        even = wanted & plain[first] & plain[second]
        if even.any():
            some = listing.some(np.flatnonzero(even))
            values = np.where(present, table.u[self.order], 0.5)
            self.write_plain(values, some, column_of, copulas, layout, result)
            both = present[:, some.first] & present[:, some.second]
            result[:, column_of[even]] *= both
        uneven = np.flatnonzero(wanted & ~even)
        if uneven.size:
            write_uneven(
                Uneven.of(table, self.order, self.folds, own_margins),
                listing.some(uneven),
                column_of,
                copulas,
                (families, family, layout),
                result,
                n_jobs=self.n_jobs,
                progress=self.progress,
            )
