"""The world: a documented prior over tables, from which one seed draws one table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from spinney._core.choices import read_seed
from spinney.exceptions import InputError
from spinney.simulate.levels import threshold
from spinney.simulate.result import Simulated
from spinney.tables import CONTINUOUS, Kind
from training.world.familiar import (
    DISCRETE_SHARES,
    Familiar,
    draw_familiar,
    draw_levels,
)
from training.world.fields import field_values
from training.world.laws import draw_values, independent_values
from training.world.motifs import MOTIFS, draw_motif
from training.world.shapes import Shape, draw_shape, groups_of_shape
from training.world.sizes import (
    DEAR_CHEAP,
    DEAR_SIZES,
    FAMILIAR_SIZES,
    LARGE,
    LARGE_SIZES,
    LONG,
    LONG_CHEAP,
    LONG_SIZES,
    SIZES,
    WIDE,
    WIDE_SIZES,
    draw_size,
)
from training.world.source import Source, Values, between, pick
from training.world.spoils import (
    FAMILIAR_SPOILED,
    apply_spoils,
    choose_spoils,
)
from training.world.tables import cut_columns, gap_mask, settle

__all__ = ["FORMATS", "GROUPS", "World"]

GROUPS = ("trees", "loops", "cliques", "hubs", "non-gaussian", "noise")
"""Groups of tables that can be left out."""
FORMATS = {"plain": 0.61, "levels": 0.215, "gaps": 0.135, "levels and gaps": 0.04}
"""What tables look like: continuous and whole, with levels, with gaps, with both."""
FIELDS = 0.35
"""Share of the tables with levels that are Ising, Potts or ordered fields on any graph."""
MOST_CELLS_OF_A_FIELD = 20_000
"""Cells beyond which a field would take too long; such tables are cut."""
MOTIF_GAPS = 0.1
"""Share of the motifs in which values are missing."""
MEMORY = 0.08
"""Share of the tables outside the familiar part whose rows follow each other in time."""
MEMORY_RANGE = (0.1, 0.97)
"""Range of the correlation of an input with itself one row earlier, up to nearly random walks."""
FEWEST = 6
"""Fewest columns of tables of the package's own simulators."""
FEW, NO_EDGES = 4, 0.5
"""Columns up to which a table of any graph has independent columns instead with this probability:
otherwise most pairs of the smallest tables would be edges."""
_KEY = 7
_ATTEMPTS = 10_000


@dataclass(frozen=True)
class World:
    """A prior over tables: graphs, values on them, and what happens to the values.

    The truth of a table is the graph of conditional dependence of the variables behind its
    columns. Noise, rounding, outliers, batches, populations, an influence or a size that all
    columns share, a floor of noise, levels, gaps and rows that follow each other in time are
    nuisances: they do not change the truth.
    `docs/world.md` lists every ingredient with its probability.

    Parameters
    ----------
    columns, rows : (int, int)
        Fewest and most columns and rows.
    most_work : float
        Largest number of pairs times rows, but for a few tables of up to five times as much.
    familiar : float
        Share of the tables of no motif that come from the package's own simulators with random
        parameters; half of these have 15 to 40 columns and 40 to 600 rows.
    empty : float
        Share of the tables all of whose columns are independent, among those of no motif.
    motifs : float
        How often motifs are drawn, relative to the shares in
        :data:`~training.world.motifs.MOTIFS`; 0 leaves them out and changes no other table.
    without : tuple of str
        Groups of :data:`GROUPS` of which no table is drawn. A table of such a group is drawn
        again, from the next child of the seed; all others are the same as without this option.

    Examples
    --------
    >>> data = World().draw(10_000_000)
    >>> data
    <Simulated world: ... rows, ... nodes, ... edges, ... components, seed 10000000>
    >>> sorted(data.parameters)
    ['attempt', 'd', 'density', 'details', 'graph', 'groups', 'n', 'parts', 'source', 'spoils']
    """

    columns: tuple[int, int] = (2, 300)
    rows: tuple[int, int] = (10, 20_000)
    most_work: float = 1.2e6
    familiar: float = 0.4
    empty: float = 0.06
    motifs: float = 1.0
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for group in self.without:
            if group not in GROUPS:
                raise InputError(
                    f"There is no group {group!r} to leave out. Choose from {', '.join(GROUPS)}."
                )
        for name, (low, high), least in (("columns", self.columns, 2), ("rows", self.rows, 10)):
            if not least <= low <= high:
                raise InputError(
                    f"{name} must be two whole numbers from {least} up, the smaller first, got "
                    f"{(low, high)!r}."
                )
        for name in ("familiar", "empty", "motifs"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} must lie in [0, 1], got {getattr(self, name)!r}.")

    def draw(self, seed: int) -> Simulated:
        """Draw the table of a seed.

        Parameters
        ----------
        seed : int
            One seed, one table, whatever was drawn before.

        Returns
        -------
        Simulated
            With the `parameters` ``graph`` (kind of graph) and ``parts`` (kinds of its parts),
            ``density`` (how values were drawn) and ``details``, ``spoils`` (list), ``groups``
            (those of :data:`GROUPS` it belongs to), ``source``, ``n``, ``d``.
        """
        seed = read_seed(seed)
        for attempt in range(_ATTEMPTS):
            data = self._attempt(seed, attempt)
            if not set(data.parameters["groups"]) & set(self.without):
                return data
        raise InputError(
            f"No table was found that belongs to none of the groups {', '.join(self.without)}. "
            "Leave out fewer."
        )

    def _attempt(self, seed: int, attempt: int) -> Simulated:
        root = np.random.SeedSequence(seed, spawn_key=(_KEY, attempt))
        *children, of_motifs, of_sizes = root.spawn(8)
        streams = (np.random.default_rng(child) for child in children)
        plan, sizer = next(streams), np.random.default_rng(of_sizes)
        fate = plan.uniform()
        form = pick(plan, FORMATS)
        if (name := self._choose_motif(sizer)) is not None:
            rng = np.random.default_rng(of_motifs)
            form = "gaps" if rng.uniform() < MOTIF_GAPS else "plain"
            made = self._motif(rng, name)
        elif fate < self.empty:
            made = self._wide(plan, streams, form, sizer, empty=True)
        elif fate < self.empty + (1 - self.empty) * self.familiar and self.columns[1] >= FEWEST:
            made = self._familiar(plan, streams, form, sizer)
        else:
            made = self._wide(plan, streams, form, sizer, empty=False)
        values, shape, spoils, source = made
        X, kinds = values.X, values.kinds or (CONTINUOUS,) * values.X.shape[1]
        extra = next(streams)
        if "gaps" in form:
            X = np.where(gap_mask(extra, X, values.adjacency), np.nan, X)
            spoils = [*spoils, "gaps"]
        X, kinds = settle(extra, X, kinds)
        n, d = X.shape
        parameters: dict[str, Any] = {
            "n": n,
            "d": d,
            "source": source,
            "graph": shape.kind,
            "parts": list(shape.parts),
            "density": values.law,
            "details": dict(values.details),
            "spoils": spoils,
            "groups": _groups(shape, values, spoils),
            "attempt": attempt,
        }
        return Simulated(
            X,
            values.adjacency,
            "world",
            parameters,
            seed,
            precision=values.precision,
            kinds=kinds,
            units=values.units,
        )

    def _choose_motif(self, sizer: np.random.Generator) -> str | None:
        shares: dict[str | None, float] = {
            name: self.motifs * motif.share
            for name, motif in MOTIFS.items()
            if motif.columns[0] <= self.columns[1]
        }
        shares[None] = 1 - sum(shares.values())
        return pick(sizer, shares)

    def _motif(self, rng: np.random.Generator, name: str) -> tuple[Values, Shape, list[str], str]:
        """Draw a table of a motif."""
        values = draw_motif(rng, name, self.columns, self.rows, self.most_work)
        spoils = ["dependent rows"] if name == "dependent rows" else []
        return values, Shape(values.adjacency, name, ()), spoils, "motif"

    def _size(
        self,
        plan: np.random.Generator,
        sizer: np.random.Generator,
        *,
        usual: bool,
        plain: bool,
        least: int = 2,
    ) -> tuple[int, int]:
        low, high = self.columns
        columns = (min(max(low, least), high), high)
        if usual:
            return draw_size(plan, FAMILIAR_SIZES, columns, self.rows, self.most_work)
        place, most_work = sizer.uniform(), self.most_work
        if place < LONG:
            return draw_size(plan, LONG_SIZES, columns, self.rows, 3 * most_work, LONG_CHEAP)
        if place < LONG + WIDE:
            return draw_size(plan, WIDE_SIZES, columns, self.rows, 5 * most_work, math.inf)
        if not plain:
            return draw_size(plan, DEAR_SIZES, columns, self.rows, self.most_work, DEAR_CHEAP)
        if plan.uniform() < LARGE:
            return draw_size(plan, LARGE_SIZES, columns, self.rows, 5 * self.most_work, math.inf)
        return draw_size(plan, SIZES, columns, self.rows, self.most_work)

    def _familiar(
        self,
        plan: np.random.Generator,
        streams: Iterator[np.random.Generator],
        form: str,
        sizer: np.random.Generator,
    ) -> tuple[Values, Shape, list[str], str]:
        """Draw from the package's own simulators."""
        usual = bool(plan.integers(2))
        d, n = self._size(plan, sizer, usual=usual, plain=form == "plain", least=FEWEST)
        rng, spoiler = next(streams), next(streams)
        levels = pick(plan, DISCRETE_SHARES) if "levels" in form else None
        spoils: list[str] = []
        if levels in ("ising", "potts"):
            made = draw_levels(rng, n, d, nominal=levels == "potts")
            data = made.data
        else:
            made = draw_familiar(rng, n, d)
            data = made.data
            if levels == "threshold":
                style = pick(plan, {"mixed": 0.4, "ordinal": 0.35, "binary": 0.25})
                count = 5 if plan.uniform() < 0.5 else int(plan.integers(3, 9))
                data = threshold(data, style, count)
                spoils = ["levels"]
            elif plan.uniform() < FAMILIAR_SPOILED:
                spoils = choose_spoils(spoiler)
                data = _with(data, apply_spoils(spoiler, data.X, spoils))
        values = Values(
            data.X,
            data.adjacency,
            made.law,
            made.gaussian,
            data.kinds,
            data.precision,
            {"simulator": data.name},
        )
        return values, _shape(made), spoils, "familiar"

    def _wide(
        self,
        plan: np.random.Generator,
        streams: Iterator[np.random.Generator],
        form: str,
        sizer: np.random.Generator,
        *,
        empty: bool,
    ) -> tuple[Values, Shape, list[str], str]:
        """Draw a graph of any kind, any values on it, and spoil them."""
        shaper, drawer, spoiler = next(streams), next(streams), next(streams)
        spoils = choose_spoils(spoiler)
        plain = form == "plain" and "rounding" not in spoils
        d, n = self._size(plan, sizer, usual=False, plain=plain)
        empty = empty or (d <= FEW and bool(sizer.uniform() < NO_EDGES))
        no_edge = Shape(np.zeros((d, d), dtype=bool), "empty", ())
        shape = no_edge if empty else draw_shape(shaper, d)
        field = "levels" in form and plan.uniform() < FIELDS and n * d <= MOST_CELLS_OF_A_FIELD
        if field and not empty:
            count = int(pick(plan, {2: 0.5, 3: 0.2, 4: 0.15, 5: 0.1, 6: 0.05}))
            ordered = plan.uniform() < 0.35
            values = field_values(Source(drawer, n), shape.adjacency, count, ordered)
            return values, shape, [], "wide"
        memory = between(plan, *MEMORY_RANGE) if plan.uniform() < MEMORY else 0.0
        source = Source(drawer, n, memory)
        values = independent_values(source, d) if empty else draw_values(source, shape)
        if "levels" in form:
            # What levels are cut from need not be rounded or bent.
            spoils = [name for name in spoils if name not in ("rounding", "margins")]
        X = apply_spoils(spoiler, values.X, spoils)
        if memory:
            spoils = ["autocorrelation", *spoils]
        kinds: tuple[Kind, ...] | None = None
        if "levels" in form:
            X, kinds = cut_columns(spoiler, X)
            spoils = [*spoils, "levels"]
        return values._replace(X=X, kinds=kinds), shape, spoils, "wide"


def _with(data: Simulated, X: Any) -> Simulated:
    return Simulated(
        X, data.adjacency, data.name, data.parameters, data.seed, precision=data.precision
    )


def _shape(made: Familiar) -> Shape:
    return Shape(made.data.adjacency, made.kind, made.parts)


def _groups(shape: Shape, values: Values, spoils: list[str]) -> tuple[str, ...]:
    """Find the leave-out groups of a table."""
    groups = groups_of_shape(shape.parts)
    if not values.gaussian or "outliers" in spoils:
        groups.add("non-gaussian")
    if "noise" in spoils or "rounding" in spoils:
        groups.add("noise")
    return tuple(group for group in GROUPS if group in groups)
