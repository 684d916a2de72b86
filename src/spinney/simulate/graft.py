"""Columns added to a real table, so that a part of the truth is known exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special, stats

from spinney._core.arrays import Bools, Floats
from spinney._core.choices import read_seed
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, stream
from spinney.tables import NOMINAL, Kind, Table, read_table
from spinney.tables.columns import default_names

Rng = np.random.Generator
Law = TypeVar("Law")

MIN_ROWS = 8
PARENTS = (0.05, 0.50, 0.28, 0.12, 0.05)
"""Probabilities of none, one, … four parents."""
STRENGTHS = (0.25, 5.0)
"""Range of the signal's standard deviation divided by that of the noise."""
LEAST_SHARE = 0.5
"""Share of the rows in which all parents of a graft must be present."""
RAW_LIMIT = 4.0
"""Standardised values of a parent are cut off here: no outlier is the whole effect."""


@dataclass(frozen=True, eq=False)
class Grafted:
    """A real table with grafts and strangers, and what is known of its graph.

    Attributes
    ----------
    X : DataFrame of shape (n, d)
        The columns of the original table, then the strangers, then the grafts.
    adjacency : boolean array of shape (d, d)
        The known edges.
    known : boolean array of shape (d, d)
        Pairs whose truth is known: the edges in `adjacency`, and known non-edges. The rest (two
        columns of the original table, two strangers, two columns that only a common child
        connects) is unknown.
    parents : dict
        Names of the parents of each graft, by the name of the graft.
    parameters : dict
        Arguments of :func:`graft`, other than the table and the seed.
    seed : int
        What `random_state` was.
    read : Table or None
        What :func:`~spinney.tables.read_table` gives of `X`, if it has been read already.

    Examples
    --------
    >>> from spinney.simulate import gaussian_mrf
    >>> graft(gaussian_mrf(100, 5, random_state=1).table, n_grafts=3, strangers=1)
    <Grafted: 100 rows, 9 columns, 3 grafts, ... edges, ... of 36 pairs known, seed 0>
    """

    X: pd.DataFrame
    adjacency: Bools
    known: Bools
    parents: dict[str, tuple[str, ...]]
    parameters: dict[str, Any]
    seed: int
    read: Table | None = None

    @property
    def table(self) -> pd.DataFrame:
        """The table, as other simulators call it."""
        return self.X

    @property
    def n_edges(self) -> int:
        """Number of known edges."""
        return int(self.adjacency.sum()) // 2

    @property
    def n_known(self) -> int:
        """Number of pairs whose truth is known."""
        return int(np.triu(self.known, 1).sum())

    def __repr__(self) -> str:
        n, d = self.X.shape
        return (
            f"<Grafted: {n} rows, {d} columns, {len(self.parents)} grafts, {self.n_edges} edges, "
            f"{self.n_known} of {d * (d - 1) // 2} pairs known, seed {self.seed}>"
        )

    def keep(self, names: Iterable[Any]) -> Grafted:
        """Keep some columns only, and only what is still known without the others.

        Where a column is taken out, any two columns that may be its neighbours may become
        dependent: unless they are an edge anyway, they are unknown from then on.

        Parameters
        ----------
        names : iterable
            Names of the columns to keep, in any order.

        Examples
        --------
        >>> from spinney.simulate import gaussian_mrf
        >>> grown = graft(gaussian_mrf(100, 5, random_state=1).table, n_grafts=2)
        >>> list(grown.keep(["x0", "x3"]).X)
        ['x0', 'x3']
        """
        wanted = set(names)
        known = self.known.copy()
        stays = np.array([name in wanted for name in self.X.columns])
        possible = self.adjacency | ~known
        for k in np.flatnonzero(~stays):
            near = np.flatnonzero(possible[k])
            joined = np.ix_(near, near)
            known[joined] &= self.adjacency[joined]
            possible[joined] = True
        np.fill_diagonal(known, True)
        rest = np.ix_(stays, stays)
        parents = {name: of for name, of in self.parents.items() if name in wanted}
        return replace(
            self,
            X=self.X.loc[:, stays],
            adjacency=self.adjacency[rest],
            known=known[rest],
            parents=parents,
            read=self.read if stays.all() else None,
        )


def graft(
    table: Any,
    *,
    n_grafts: int | None = None,
    n_parents: int | None = None,
    strangers: int | None = None,
    strength: float | None = None,
    gaps: bool = True,
    shuffle: bool = False,
    rows_like: Callable[[Rng], Floats] | None = None,
    random_state: RandomState = 0,
    growth: Callable[..., Growth] | None = None,
) -> Grafted:
    r"""Add columns with known parents to a table whose own graph is unknown.

    An added column, a graft, is a known function of up to four other columns, its parents, and of
    noise that is independent of everything,

    .. math:: g = h\Bigl(s \sum_j w_j f_j(x_j) + e^{a f_k(x_k)}\, \varepsilon\Bigr)

    Each :math:`f` is a line, a bend, a saturating curve or a step, or an effect of each class of a
    nominal column. Sometimes a product :math:`f_j f_k` is added, or a parent changes the size of
    the noise. The noise has one of several distributions. The function :math:`h` bends, ranks,
    rounds, censors or counts the column, or cuts it into levels or classes. Earlier grafts may be
    parents of later ones. So given its parents, a graft is independent of all columns that are not
    its descendants, whatever the table is like.

    Strangers are copies of columns of the table whose rows are permuted together: they are
    independent of all other columns, but not of each other.

    Parameters
    ----------
    table : data frame or array
        The table, of at least 8 rows. Numbers, text, truth values and missing values will do.
        Columns that :func:`spinney.learn` would leave out stay in the table, but are not parents.
    n_grafts, strangers : int, optional
        How many to add; by default drawn at random.
    n_parents : int, optional
        Parents of every graft, as far as there are columns that can be; by default none to four.
    strength : float, optional
        Standard deviation of the signal divided by that of the noise; by default drawn for each
        graft between 0.25 and 5.
    gaps : bool
        Whether values of some grafts are taken out at random.
    shuffle : bool
        Whether to permute the rows of each column of the table independently first. Then the
        table's own columns are known to be independent.
    rows_like : function of a Generator, optional
        Draws a number for each row, independently of the table. The noise of a graft then has the
        order of such numbers, so that its rows depend on each other as these do.
    random_state : int, Generator or None
        The same seed and table give the same grafts.
    growth : callable, optional
        What is called in place of :class:`Growth`, for grafts of other kinds.

    Returns
    -------
    Grafted
        The table, its edges, and which pairs are known.

    Raises
    ------
    InputError
        If the table has fewer than 8 rows, no column, or a column name twice.

    Notes
    -----
    A graft and its parent are a known edge. Two columns of which at least one is a graft or a
    stranger are a known non-edge if neither is a parent of the other and they have no child in
    common. A common child joins its parents in the moral graph for nearly all distributions of the
    noise, but the strength of that dependence varies: such pairs are unknown, unless they are
    parent and child themselves. Where another column is a one-to-one function of a parent, either
    could be the parent, and both pairs are unknown.

    A graft is missing where one of its parents is missing. In the other rows it is the function
    above, so the independences hold among the rows in which the columns are present. Values that
    are removed at random are independent of everything; later grafts use the values before they
    were removed.

    Examples
    --------
    >>> from spinney.simulate import gaussian_mrf
    >>> grown = graft(gaussian_mrf(200, 4, random_state=0).table, n_grafts=2, random_state=3)
    >>> list(grown.X)
    ['x0', 'x1', 'x2', 'x3', 'graft1', 'graft2']
    >>> grown.adjacency.shape, bool(grown.known[:4, :4].any() and not grown.known[0, 1])
    ((6, 6), True)
    """
    frame = _as_frame(table)
    if strength is not None and not strength > 0:
        raise InputError(f"strength must be positive, got {strength!r}.")
    seed = read_seed(random_state)
    rng = stream(seed, "grafts")
    d = frame.shape[1]
    if n_grafts is None:
        n_grafts = int(rng.integers(1, max(2, min(12, d)) + 1))
    if strangers is None:
        strangers = int(rng.integers(1, 4)) if rng.random() < 0.4 else 0
    n_strangers = min(check_count(strangers, "strangers", 0), d)
    check_count(n_grafts, "n_grafts", 0)
    if n_parents is not None:
        check_count(n_parents, "n_parents", 0)
    if shuffle:
        mixed = {
            name: x.iloc[rng.permutation(len(x))].set_axis(x.index) for name, x in frame.items()
        }
        frame = pd.DataFrame(mixed)
    real = _sources(frame)
    columns: dict[Any, Any] = dict(frame.items())
    columns |= _shuffle(frame, n_strangers, rng)
    growing: dict[int, ParentColumn] = dict(real)
    born: dict[int, tuple[int, ...]] = {}
    how = (growth or Growth)(n_parents, strength, gaps, rows_like)
    for k, own in enumerate(rng.spawn(n_grafts)):
        place = d + n_strangers + k
        shown, born[place], source = how.grow(growing, len(frame), own)
        name = _new_name(f"graft{k + 1}", columns)
        columns[name] = pd.Series(shown, index=frame.index, name=name)
        if source is not None:
            growing[place] = source
    X = pd.DataFrame(columns)
    adjacency, known = _truth(d, n_strangers, born, {} if shuffle else _twins(real))
    if shuffle:
        known[:d, :d] = ~_married(born, len(known))[:d, :d]
    names = list(X.columns)
    parents = {names[g]: tuple(names[p] for p in of) for g, of in born.items()}
    parameters: dict[str, Any] = {"n_grafts": n_grafts, "n_parents": n_parents}
    parameters |= {"strangers": n_strangers, "strength": strength, "gaps": gaps, "shuffle": shuffle}
    return Grafted(X, adjacency, known, parents, parameters, seed)


class ParentColumn(NamedTuple):
    """A column that grafts can grow on.

    `values` are numbers, or codes of classes, without gaps: where `missing` is True they are
    values of other rows, on which nothing that is shown depends.
    """

    values: Floats
    missing: Bools
    kind: Kind


def _as_frame(table: Any) -> pd.DataFrame:
    if isinstance(table, pd.DataFrame):
        frame = table.copy()
    else:
        frame = pd.DataFrame(np.asarray(table))
        frame.columns = pd.Index(default_names(frame.shape[1]))
    if len(frame) < MIN_ROWS or not frame.shape[1]:
        raise InputError(
            f"Grafts need a table of at least {MIN_ROWS} rows and one column, got {len(frame)} "
            f"rows and {frame.shape[1]} columns."
        )
    if frame.columns.duplicated().any():
        raise InputError(f"Two columns are called {frame.columns[frame.columns.duplicated()][0]}.")
    return frame


def _sources(frame: pd.DataFrame) -> dict[int, ParentColumn]:
    """Find the columns that something can be learned from, by their places."""
    try:
        table = read_table(frame, min_columns=1)
    except InputError:
        return {}
    places = {str(name): k for k, name in enumerate(frame.columns)}
    found = {}
    for column, values in zip(table.columns, table.values.T, strict=True):
        missing = np.isnan(values)
        present = values[~missing]
        # What counts the rows is an identifier or not depending on the other columns.
        counts = len(np.unique(present)) == np.ptp(present) + 1 == len(present)
        if len(present) >= MIN_ROWS and not counts:
            filled = values.copy()
            filled[missing] = np.resize(present, missing.sum())
            found[places[column.name]] = ParentColumn(filled, missing, column.kind)
    return found


def _shuffle(frame: pd.DataFrame, n_strangers: int, rng: Rng) -> dict[str, Any]:
    """Take some columns once more, their rows permuted together."""
    order = rng.permutation(len(frame))
    chosen = np.sort(rng.choice(frame.shape[1], n_strangers, replace=False))
    found: dict[str, Any] = {}
    for k in chosen:
        column = frame.iloc[:, k]
        name = _new_name(f"{column.name} shuffled", {**dict(frame.items()), **found})
        found[name] = column.iloc[order].set_axis(frame.index).rename(name)
    return found


def _new_name(name: str, taken: dict[Any, Any]) -> str:
    while name in taken:
        name += "'"
    return name


def _truth(
    d: int, n_strangers: int, born: dict[int, tuple[int, ...]], twins: dict[int, set[int]]
) -> tuple[Bools, Bools]:
    total = d + n_strangers + len(born)
    adjacency = np.zeros((total, total), dtype=bool)
    known = np.ones((total, total), dtype=bool)
    known[:d, :d] = False
    known[d : d + n_strangers, d : d + n_strangers] = False
    for child, parents in born.items():
        adjacency[child, list(parents)] = adjacency[list(parents), child] = True
    known &= adjacency | ~_married(born, total)
    for child, parents in born.items():
        for parent in parents:
            for other in {parent, *twins[parent]} if twins.get(parent) else ():
                known[child, other] = known[other, child] = False
    adjacency &= known
    np.fill_diagonal(known, True)
    return adjacency, known


def _married(born: dict[int, tuple[int, ...]], total: int) -> Bools:
    """Find the pairs with a child in common."""
    child = np.zeros((total, total), dtype=np.int64)
    for g, parents in born.items():
        child[g, list(parents)] = 1
    married = child.T @ child > 0
    np.fill_diagonal(married, False)
    return married


def _twins(sources: dict[int, ParentColumn]) -> dict[int, set[int]]:
    """Find the columns that are one-to-one functions of each other, where both are present.

    Any two columns without ties are one-to-one in a table of finitely many rows, so functions of
    such columns must rise or fall.
    """
    found: dict[int, set[int]] = {k: set() for k in sources}
    codes = {k: np.unique(one.values, return_inverse=True)[1] for k, one in sources.items()}
    for u, v in combinations(sources, 2):
        x, y = codes[u], codes[v]
        if (missing := sources[u].missing | sources[v].missing).any():
            x, y = (np.unique(z[~missing], return_inverse=True)[1] for z in (x, y))
        if not len(x) or x.max() != y.max() or x.max() == 0:
            continue
        same = bool((x == y).all() or (x == y.max() - y).all())
        if not same and 4 * x.max() < len(x):
            same = len(np.unique(x * (y.max() + 1) + y)) == x.max() + 1
        if same:
            found[u].add(v)
            found[v].add(u)
    return found


@dataclass
class Growth:
    """How grafts are grown; the attributes are arguments of :func:`graft`."""

    n_parents: int | None = None
    strength: float | None = None
    gaps: bool = True
    rows_like: Callable[[Rng], Floats] | None = None

    def grow(
        self, sources: dict[int, ParentColumn], n: int, rng: Rng
    ) -> tuple[Any, tuple[int, ...], ParentColumn | None]:
        """Grow one column: as the table shows it, its parents, and as later grafts see it."""
        wanted = self.n_parents
        if wanted is None:
            wanted = int(rng.choice(len(PARENTS), p=PARENTS))
        parents, effects, missing = _choose_parents(sources, n, wanted, rng)
        present = ~missing
        strong, faint = self.parted(effects, present, rng)
        signal, size = _mechanism(strong, rng)
        s = self.strength
        if s is None:
            s = float(np.exp(rng.uniform(*np.log(STRENGTHS))))
        latent = s * signal + faint + size * self.noise(n, rng)
        shown, kind, values = _show(latent, present, rng)
        if len(strong) == len(effects):
            function = self.function([sources[place] for place in parents], signal, present, rng)
            if function is not None:
                shown, kind, values = function, "continuous", function
        out = missing.copy()
        often = 0.4 if missing.any() or any(x.missing.any() for x in sources.values()) else 0.1
        if rng.random() < often and self.gaps:
            drawn = rng.random(n) < rng.uniform(0.02, 0.3)
            if (~(out | drawn)).sum() >= MIN_ROWS and varies(values[~(out | drawn)]):
                out |= drawn
        if out.any():
            shown = shown.copy()
            shown[out] = None if shown.dtype == object else np.nan
        source = ParentColumn(values, missing, kind) if varies(values[present]) else None
        return shown, parents, source

    def parted(
        self, effects: list[Floats], present: Bools, rng: Rng
    ) -> tuple[list[Floats], Floats | float]:
        """Part the effects of the parents into strong ones and the sum of the others."""
        return effects, 0.0

    def noise(self, n: int, rng: Rng) -> Floats:
        """Draw the noise, in the order of `rows_like` if that is given."""
        noise = _pick(NOISES, rng)(n, rng) * rng.choice([-1.0, 1.0])
        if self.rows_like is not None:
            order = np.lexsort((rng.random(n), self.rows_like(rng)))  # equal numbers in any order
            noise[order] = np.sort(noise)
        return np.asarray(noise)

    def function(
        self, parents: list[ParentColumn], signal: Floats | float, present: Bools, rng: Rng
    ) -> Floats | None:
        """Give what the column is in place of signal and noise, if anything."""
        return None


def _choose_parents(
    sources: dict[int, ParentColumn], n: int, wanted: int, rng: Rng
) -> tuple[tuple[int, ...], list[Floats], Bools]:
    """Draw parents that are present together often enough, and how each of them acts."""
    parents: list[int] = []
    effects: list[Floats] = []
    missing = np.zeros(n, dtype=bool)
    for place in rng.permutation(list(sources)).tolist():
        if len(parents) == wanted:
            break
        together = missing | sources[place].missing
        if (~together).sum() < max(MIN_ROWS, LEAST_SHARE * n):
            continue
        effect = _effect(sources[place], ~together, rng)
        # An effect that is not seen in the rows that remain is none.
        if all(varies(f[~together]) for f in (effect, *effects)):
            parents.append(place)
            effects.append(effect)
            missing = together
    return tuple(parents), effects, missing


def _effect(source: ParentColumn, present: Bools, rng: Rng) -> Floats:
    """Let a column act: a random function of it, of mean 0 and variance 1 where it is present."""
    if source.kind == NOMINAL:
        codes = source.values.astype(np.int64)
        return _standard(rng.normal(size=int(codes.max()) + 1)[codes], present)
    if rng.random() < 0.6:
        ranks = stats.rankdata(source.values)
        u = special.ndtri((ranks - 0.5) / len(ranks))
    else:
        u = _standard(source.values, present).clip(-RAW_LIMIT, RAW_LIMIT)
    u = _standard(u, present)
    bent = _standard(_pick(SHAPES, rng)(u, rng), present)
    return (bent if varies(bent[present]) else u) * rng.choice([-1.0, 1.0])


SHAPES: tuple[tuple[float, Callable[[Floats, Rng], Floats]], ...] = (
    (0.50, lambda u, rng: u),
    (0.10, lambda u, rng: u + rng.uniform(-0.8, 0.8) * u**2),
    (0.03, lambda u, rng: np.abs(u - rng.normal(0, 0.5))),
    (0.05, lambda u, rng: np.exp(np.minimum(u, 3.0) * rng.uniform(0.5, 1.0))),
    (0.02, lambda u, rng: np.sin(rng.uniform(1.0, 2.5) * u + rng.uniform(0, 2 * np.pi))),
    (0.15, lambda u, rng: np.tanh(rng.uniform(1.0, 4.0) * (u - rng.normal(0, 0.5)))),
    (0.10, lambda u, rng: (u > np.quantile(u, rng.uniform(0.2, 0.8))).astype(float)),
    (0.05, lambda u, rng: np.floor(rng.uniform(0.8, 2.0) * u)),
)
"""How a column of numbers acts, with the probabilities."""


def _mechanism(effects: list[Floats], rng: Rng) -> tuple[Floats | float, Floats | float]:
    """Put the effects together: a signal of variance 1 (or none), and the size of the noise."""
    k = len(effects)
    if not k:
        return 0.0, 1.0
    weights = rng.uniform(0.35, 1.0, size=k)
    size: Floats | float = 1.0
    kind = rng.random()
    extra: Floats | float = 0.0
    if kind < 0.08:  # the last parent acts on the noise's size, and perhaps on nothing else
        size = np.exp(rng.uniform(0.4, 1.0) * effects[-1].clip(-2.5, 2.5))
        weights[-1] *= rng.random() < 0.4
    elif kind < 0.25 and k >= 2:  # the first two act together, and perhaps only so
        extra = rng.uniform(0.5, 1.5) * effects[0] * effects[1]
        weights[:2] *= rng.random(2) < 0.75
    signal = extra + sum(w * f for w, f in zip(weights, effects, strict=True))
    spread = float(np.std(signal))
    return (signal / spread if spread > 1e-9 else np.zeros_like(effects[0])), size


def _pick(laws: Sequence[tuple[float, Law]], rng: Rng) -> Law:
    """Draw one of several functions by their probabilities."""
    return laws[int(rng.choice(len(laws), p=[weight for weight, _ in laws]))][1]


NOISES: tuple[tuple[float, Callable[[int, Rng], Floats]], ...] = (
    (0.45, lambda n, rng: rng.normal(size=n)),
    (0.10, lambda n, rng: rng.standard_t(3, size=n) / 3**0.5),
    (0.10, lambda n, rng: rng.laplace(size=n) / 2**0.5),
    (0.10, lambda n, rng: rng.uniform(-(3**0.5), 3**0.5, size=n)),
    (0.10, lambda n, rng: rng.exponential(size=n) - 1.0),
    (0.08, lambda n, rng: (np.exp(0.8 * rng.normal(size=n)) - 1.377) / 1.304),
    (0.07, lambda n, rng: 0.6 * rng.normal(size=n) + 0.8 * rng.choice([-1.0, 1.0], size=n)),
)
"""Laws of the noise, of mean 0 and variance 1, with their probabilities."""


def _show(latent: Floats, present: Bools, rng: Rng) -> tuple[NDArray[Any], Kind, Floats]:
    """Give a column as the table shows it, and as later grafts see it."""
    latent = np.broadcast_to(latent, present.shape).astype(float)
    n = int(present.sum())
    z = _standard(latent, present)
    kind = rng.random()
    if kind < 0.30:
        x = rng.normal() * 10 + np.exp(rng.normal()) * z
    elif kind < 0.45:
        x = BENDS[int(rng.integers(len(BENDS)))](z)
    elif kind < 0.53:
        x = stats.rankdata(latent) / (len(latent) + 1)
    elif kind < 0.65:
        x = np.round(z / (step := rng.choice([0.1, 0.25, 0.5, 1.0]))) * step
    elif kind < 0.72:
        low, high = rng.uniform(0, 0.5), 1 - rng.choice([0.0, 0.3]) * rng.random()
        x = z.clip(*np.quantile(z[present], [low, high]))
    elif kind < 0.80:
        x = np.floor(np.exp(rng.uniform(0.0, 2.5) + rng.uniform(0.4, 0.9) * z.clip(-4, 4)))
    elif kind < 0.90 or n < 16:
        x = cut(z, present, int(rng.integers(2, 8)), rng)
    else:
        codes = _classes(z, present, int(rng.integers(2, 1 + min(6, n // 8))), rng)
        if varies(codes[present]):
            words = np.array(rng.permutation(WORDS), dtype=object)
            # Two classes have an order, by name; a later graft needs no other than that.
            return words[codes.astype(np.int64)], NOMINAL, codes
        x = z
    if not varies(x[present]):
        x = z
    return x, "continuous", x


WORDS = ("amber", "blue", "coral", "denim", "ecru", "fawn")
"""What classes are called."""
BENDS: tuple[Callable[[Floats], Floats], ...] = (
    lambda z: np.exp(z.clip(-6, 6)),
    lambda z: z**3,
    lambda z: np.sinh(2 * z.clip(-6, 6)),
    lambda z: np.sign(z) * np.sqrt(np.abs(z)),
    special.expit,
)


def cut(z: Floats, present: Bools, n_levels: int, rng: Rng) -> Floats:
    """Cut into levels 0, 1, … none of which is meant to be rare."""
    shares = 0.08 + (1 - 0.08 * n_levels) * rng.dirichlet(np.ones(n_levels))
    limits = np.quantile(z[present], np.cumsum(shares)[:-1].clip(0, 1))
    return np.searchsorted(limits, z).astype(float)


def _classes(z: Floats, present: Bools, n_classes: int, rng: Rng) -> Floats:
    """Draw classes: levels without their order, or the largest of several scores with noise."""
    if rng.random() < 0.5:
        names = rng.permutation(n_classes).astype(float)
        return names[cut(z, present, n_classes, rng).astype(np.int64)]
    slopes, shifts = rng.normal(size=n_classes), 0.5 * rng.normal(size=n_classes)
    noise = rng.gumbel(size=(len(z), n_classes))
    scores = shifts + np.multiply.outer(z, slopes * rng.uniform(1.0, 3.0)) + 0.5 * noise
    return np.argmax(scores, axis=1).astype(float)


def _standard(x: Floats, present: Bools) -> Floats:
    """Shift and scale to mean 0 and variance 1 over the rows that are present."""
    center, spread = float(x[present].mean()), float(x[present].std())
    return (x - center) / (spread if spread > 1e-12 * (1 + abs(center)) else 1.0)


def varies(x: Floats) -> bool:
    """Tell whether numbers differ by more than rounding."""
    return bool(np.ptp(x) > 1e-9 * (1 + np.abs(x).max()))
