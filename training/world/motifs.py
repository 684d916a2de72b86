"""Motifs: small structures that mislead evidence, drawn often enough to be learned.

Bent common causes, rows that depend on each other, rare levels, pure interactions, weak edges in
long tables, near-copies, and tables of few columns. Each is exact: the truth is the graph of the
law that values are drawn from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from spinney.tables import BINARY, CONTINUOUS, NOMINAL, ORDINAL, Kind
from training.world.directed import NOISES, moral
from training.world.elliptical import sample
from training.world.laws import draw_values, independent_values
from training.world.shapes import draw_shape
from training.world.sizes import work
from training.world.source import Bools, Floats, Ints, Source, Values, between, log_between, pick
from training.world.spoils import MARGIN_MAPS
from training.world.tables import cut_columns

__all__ = ["BENDS", "DEPENDENT", "MOTIFS", "Motif", "draw_motif", "draw_units"]

Rng = np.random.Generator
Bend = Callable[[Rng, Floats], Floats]


def _at(rng: Rng, u: Floats, low: float = 0.1, high: float = 0.9) -> float:
    """Draw a threshold that some values exceed."""
    return float(np.quantile(u, rng.uniform(low, high)))


def _steps(rng: Rng, u: Floats) -> Floats:
    k = int(rng.integers(3, 9))
    edges = np.sort(rng.uniform(u.min(), u.max(), k - 1))
    return rng.normal(size=k)[np.searchsorted(edges, u)]


BENDS: dict[str, tuple[float, Bend]] = {
    "square": (0.16, lambda rng, u: (u - rng.normal(0, 0.3) * (rng.uniform() < 0.5)) ** 2),
    "size": (0.1, lambda rng, u: np.abs(u - rng.normal(0, 0.3) * (rng.uniform() < 0.5))),
    "threshold": (0.28, lambda rng, u: (u > _at(rng, u)).astype(float)),
    "band": (0.08, lambda rng, u: (np.abs(u) < _at(rng, np.abs(u), 0.3, 0.8)).astype(float)),
    "hinge": (0.08, lambda rng, u: np.maximum(u - _at(rng, u, 0.3, 0.8), 0.0)),
    "sine": (0.18, lambda rng, u: np.sin(rng.uniform(1.5, 5.0) * u + rng.uniform(0, 2 * np.pi))),
    "steps": (0.12, _steps),
}
"""How a common cause acts, and how often."""
ROOTS = {"normal": 0.45, "uniform": 0.2, "day": 0.12, "skewed": 0.08, "levels": 0.15}
"""Laws of causes without causes: a day of the year is a whole number from 1 to 365."""
DEPENDENT = {"named units": 0.42, "units in order": 0.12, "series": 0.27, "walks": 0.19}
"""Why rows depend on each other. Units in order stand together; the table does not name them."""
INTERACTIONS = {"xor": 0.4, "sign by class": 0.3, "product": 0.2, "same sign": 0.1}
"""Ways in which two columns act together only."""


def forest_of_causes(
    rng: Rng, d: int, n: int, bent: float, copies: int = 0, isolated: float = 0.3
) -> Values:
    """Draw columns each of which is a function of one earlier column, and of noise.

    Parameters
    ----------
    rng : Generator
        Where numbers come from.
    d, n : int
        Columns and rows.
    bent : float
        Share of the effects that are bends; the others are lines.
    copies : int
        Columns that are their parent and noise of 0.005 … 0.1 of its spread; others may grow on
        either of the two.
    isolated : float
        Largest share of the columns that are independent of everything.
    """
    parents = np.zeros((d, d), dtype=bool)
    X, kinds = np.empty((n, d)), [CONTINUOUS] * d
    alone = rng.uniform(0, isolated)
    hubs = int(rng.integers(1, 1 + max(1, d // 4)))
    palette = {name: share for name, (share, _) in BENDS.items()}
    if rng.uniform() < 0.5:
        palette = dict.fromkeys(rng.choice(list(BENDS), int(rng.integers(1, 3))).tolist(), 1.0)
    noises = np.sort(np.exp(rng.uniform(np.log(0.1), np.log(2.0), 2)))
    law = NOISES[pick(rng, {"normal": 0.7, "skewed": 0.1, "heavy": 0.1, "short": 0.1})]
    twins = set((1 + rng.choice(d - 1, min(copies, d - 1), replace=False)).tolist())
    for k in range(d):
        if k not in twins and (k < min(hubs, d - 2) or (k and rng.uniform() < alone)):
            X[:, k], kinds[k] = _root(rng, n)
            continue
        if k == 0:
            X[:, k], kinds[k] = _root(rng, n)
            continue
        of = int(rng.integers(min(hubs, k) if rng.uniform() < 0.6 else k))
        if k in twins:
            numbers = [j for j in range(k) if kinds[j] == CONTINUOUS]
            if not numbers:
                X[:, k] = rng.standard_normal(n)
                continue
            of = numbers[int(rng.integers(len(numbers)))]
            parents[of, k] = True
            size = log_between(rng, 0.005, 0.1) * X[:, of].std()
            X[:, k] = X[:, of] + size * rng.standard_normal(n)
            continue
        signal = _effect(rng, X[:, of], kinds[of], palette if rng.uniform() < bent else None)
        parents[of, k] = True
        if k > 2 and rng.uniform() < 0.08:
            other = int(rng.integers(k))
            parents[other, k] = True
            signal = signal + (other != of) * _effect(rng, X[:, other], kinds[other], palette)
        noise = law(rng.standard_normal(n))
        X[:, k] = signal + between(rng, *noises) * noise / max(noise.std(), 1e-9)
    if rng.uniform() < 0.25:  # what has no children may be cut: no other column depends on it
        for k in np.flatnonzero(~parents.any(axis=1)).tolist():
            if kinds[k] == CONTINUOUS and k not in twins and rng.uniform() < 0.5:
                X[:, [k]], (kinds[k],) = cut_columns(rng, X[:, [k]])
    return Values(X, moral(parents), "bent causes", False, tuple(kinds))


def _root(rng: Rng, n: int) -> tuple[Floats, Kind]:
    law = pick(rng, ROOTS)
    if law == "levels":
        levels = int(rng.integers(2, 9))
        shares = rng.dirichlet(np.full(levels, 3.0))
        kind = BINARY if levels == 2 else pick(rng, {ORDINAL: 0.5, NOMINAL: 0.5})
        return rng.choice(levels, n, p=shares).astype(float), kind
    if law == "uniform":
        return rng.uniform(-1, 1, n), CONTINUOUS
    if law == "day":
        return rng.integers(1, 366, n).astype(float), CONTINUOUS
    x = rng.standard_normal(n)
    return (np.exp(0.7 * x) if law == "skewed" else x), CONTINUOUS


def _effect(rng: Rng, x: Floats, kind: Kind, palette: Mapping[str, float] | None) -> Floats:
    """Let a column act, with mean 0 and variance 1; a palette of None gives a line."""
    if kind != CONTINUOUS and (palette is not None or kind == NOMINAL):
        f = rng.normal(size=int(x.max()) + 1)[x.astype(np.int64)]
    else:
        u = ((x - x.mean()) / max(x.std(), 1e-9)).clip(-4, 4)
        f = u if palette is None else BENDS[pick(rng, palette)][1](rng, u)
        if f.std() < 1e-6:
            f = u
    return (f - f.mean()) / max(f.std(), 1e-9) * rng.choice((-1.0, 1.0))


def bent_causes(rng: Rng, d: int, n: int) -> Values:
    """Draw columns that depend on a common cause by bends, thresholds and waves."""
    return forest_of_causes(rng, d, n, bent=between(rng, 0.6, 1.0))


def near_copies(rng: Rng, d: int, n: int) -> Values:
    """Draw columns, one to three of which are near-copies of others."""
    copies = int(rng.integers(1, 1 + min(3, max(1, d // 3))))
    values = forest_of_causes(rng, d, n, between(rng, 0.0, 0.4), copies)
    return values._replace(law="near-copies")


def dependent_rows(rng: Rng, d: int, n: int) -> Values:
    """Draw rows that depend on each other: units, series and random walks.

    In half of the tables columns are independent of each other, otherwise the graph and the law
    are any of the world's.
    """
    way = pick(rng, DEPENDENT)
    uneven = bool(rng.uniform() < 0.3)
    units = None
    if "units" in way:
        units = draw_units(rng, n, shuffled=way == "named units" and rng.uniform() < 0.3)
        source = Source(rng, n, units=units, alike=between(rng, 0.1, 0.95), uneven=uneven)
    else:
        memory = 1.0 if way == "walks" else 1 - log_between(rng, 0.01, 0.5)
        source = Source(rng, n, memory, uneven=uneven)
    if d < 3 or rng.uniform() < 0.5:
        values = independent_values(source, d)
    else:
        values = draw_values(source, draw_shape(rng, d))
    X, kinds = values.X, values.kinds
    if kinds is None and rng.uniform() < 0.2:
        X, kinds = cut_columns(rng, X)
    return values._replace(
        X=X,
        kinds=kinds,
        law=f"{way}: {values.law}",
        units=units if way == "named units" else None,
    )


def draw_units(rng: Rng, n: int, shuffled: bool) -> Ints:
    """Deal rows out to 5 to 200 units, of one size or of several, in order or not."""
    k = int(min(log_between(rng, 5, 201), max(2, n // 3)))
    if rng.uniform() < 0.5:
        units = np.arange(n) * k // n
    else:
        units = np.sort(rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0))))
        units = np.unique(units, return_inverse=True)[1]
    units = units.astype(np.int64)
    return rng.permutation(units) if shuffled else units


def rare_levels(rng: Rng, d: int, n: int) -> Values:
    """Draw nominal columns of 5 to 15 levels, many of them rare.

    Half of the tables have independent columns; in the others each column may depend on one
    earlier column.
    """
    edges = 0.0 if rng.uniform() < 0.5 else between(rng, 0.3, 1.0)
    parents = np.zeros((d, d), dtype=bool)
    X, kinds = np.empty((n, d)), [NOMINAL] * d
    most = max(2, min(15, n // 5))
    sharpness = log_between(rng, 0.3, 3.0)
    for k in range(d):
        of = int(rng.integers(k)) if k and rng.uniform() < edges else None
        if rng.uniform() < 0.8:
            levels = int(rng.integers(min(5, most), most + 1))
            zipf = 1.0 / (1 + np.arange(levels)) ** rng.uniform(0, 2.0)
            base = rng.dirichlet(np.full(levels, 1.0)) if rng.uniform() < 0.5 else zipf / zipf.sum()
            rows: Any = base
            if of is not None:
                above = _classes(X[:, of], kinds[of])
                own = rng.dirichlet(np.full(levels, 1 / sharpness), int(above.max()) + 1)
                weight = between(rng, 0.2, 1.0)
                rows = ((1 - weight) * base + weight * own)[above]
            X[:, k] = _choose(rng, rows, n)
        else:
            kinds[k] = CONTINUOUS
            X[:, k] = rng.standard_normal(n)
            if of is not None:
                X[:, k] += between(rng, 0.3, 2.0) * _effect(rng, X[:, of], kinds[of], None)
        if of is not None:
            parents[of, k] = True
    return Values(X, moral(parents), "rare levels", False, tuple(kinds))


def _classes(x: Floats, kind: Kind) -> Ints:
    """Give the classes of a column by which another one is drawn."""
    return (x > np.median(x)).astype(np.int64) if kind == CONTINUOUS else x.astype(np.int64)


def _choose(rng: Rng, shares: Floats, n: int) -> Ints:
    """Draw a level for each row, by one list of shares or by one a row."""
    limits = np.cumsum(np.atleast_2d(shares), axis=1)[:, :-1]
    return (rng.uniform(size=(n, 1)) > limits).sum(axis=1)


def interactions(rng: Rng, d: int, n: int) -> Values:
    """Draw triples of columns in which one depends on the other two only together.

    Further columns are independent, or depend on one of these by a line.
    """
    parents = np.zeros((d, d), dtype=bool)
    X, kinds = rng.standard_normal((n, d)), [CONTINUOUS] * d
    threes = int(rng.integers(1, 1 + max(1, min(4, d // 3))))
    for k in range(threes):
        x, y, z = 3 * k, 3 * k + 1, 3 * k + 2
        parents[[x, y], z] = True
        way = pick(rng, INTERACTIONS)
        if way == "xor":
            for c in (x, y):
                share = 0.5 if rng.uniform() < 0.5 else between(rng, 0.3, 0.7)
                X[:, c], kinds[c] = rng.uniform(size=n) < share, BINARY
            flipped = rng.uniform(size=n) < log_between(rng, 0.01, 0.3)
            X[:, z], kinds[z] = (X[:, x] != X[:, y]) ^ flipped, BINARY
        elif way == "sign by class":
            slopes = np.array([-1.0, 1.0, 0.0][: int(rng.integers(2, 4))])
            X[:, y] = rng.integers(len(slopes), size=n)
            kinds[y] = BINARY if len(slopes) == 2 else NOMINAL
            noise = log_between(rng, 0.1, 2.0) * X[:, z]
            X[:, z] = slopes[X[:, y].astype(np.int64)] * X[:, x] + noise
        else:
            product = X[:, x] * X[:, y]
            if way == "same sign":
                product = np.sign(product)
            X[:, z] = product + log_between(rng, 0.1, 2.0) * X[:, z]
    share = between(rng, 0, 1)
    for k in range(3 * threes, d):
        if rng.uniform() < share:
            of = int(rng.integers(k))
            parents[of, k] = True
            X[:, k] += log_between(rng, 0.3, 3.0) * _effect(rng, X[:, of], kinds[of], None)
    return Values(X, moral(parents), "interactions", False, tuple(kinds))


def weak_edges(rng: Rng, d: int, n: int) -> Values:
    """Draw Gaussian rows whose partial correlations are 1.5 to 8 standard errors.

    In a quarter of the tables some edges are strong; a quarter of the tables are cut into levels.
    """
    adjacency = np.zeros((d, d), dtype=bool)
    weights = np.zeros((d, d))
    for _ in range(int(rng.integers(1, d + 1))):
        u, v = rng.choice(d, 2, replace=False).tolist()
        adjacency[u, v] = adjacency[v, u] = True
        weights[u, v] = weights[v, u] = rng.choice((-1.0, 1.0)) * log_between(rng, 1.5, 8.0)
    weights /= np.sqrt(n)
    if rng.uniform() < 0.25:
        strong = np.triu(rng.uniform(size=(d, d)) < between(rng, 0.1, 0.5), 1)
        strong |= strong.T
        weights[strong] *= 8
    largest = float(np.abs(np.linalg.eigvalsh(weights)).max())
    precision = np.eye(d) - weights * min(1.0, 0.9 / largest)
    X = sample(Source(rng, n), precision)
    kinds = None
    if rng.uniform() < 0.25:
        X, kinds = cut_columns(rng, X)
    return Values(X, adjacency, "weak edges", True, kinds, precision)


def few_columns(rng: Rng, d: int, n: int) -> Values:
    """Draw two to four columns of all kinds; they are independent in four tables of five."""
    if rng.uniform() < 0.2:
        return forest_of_causes(rng, d, n, bent=0.2)._replace(law="few columns")
    X, kinds = rng.standard_normal((n, d)), [CONTINUOUS] * d
    for k in range(d):
        way = rng.uniform()
        if way < 0.3:
            X[:, k] = NOISES[pick(rng, dict.fromkeys(NOISES, 1.0))](X[:, k])
        elif way < 0.4:
            X[:, k] = rng.standard_t(rng.uniform(1.0, 4.0), n)
        elif way < 0.5:
            X[:, k] = np.round(X[:, k] / (step := between(rng, 0.05, 0.7))) * step
        elif way < 0.75:
            kinds[k], X[:, k] = _levels(rng, n)
    none = np.zeros((d, d), dtype=bool)
    return Values(X, none, "few columns", False, tuple(kinds))


def _levels(rng: Rng, n: int) -> tuple[Kind, Ints]:
    kind = pick(rng, {BINARY: 0.4, ORDINAL: 0.25, NOMINAL: 0.35})
    most = n // 5 if kind == NOMINAL else n // 2
    levels = 2 if kind == BINARY else int(rng.integers(3, max(4, min(11, most + 1))))
    return kind, _choose(rng, rng.dirichlet(np.full(levels, log_between(rng, 0.5, 5.0))), n)


class Motif(NamedTuple):
    """A motif: its share of the world, ranges of columns and rows, and how it is drawn."""

    share: float
    columns: tuple[int, int]
    rows: tuple[int, int]
    draw: Callable[[Rng, int, int], Values]


MOTIFS = {
    "bent causes": Motif(0.08, (3, 25), (50, 5000), bent_causes),
    "dependent rows": Motif(0.07, (2, 25), (40, 5000), dependent_rows),
    "rare levels": Motif(0.05, (2, 15), (30, 500), rare_levels),
    "interactions": Motif(0.03, (3, 20), (50, 5000), interactions),
    "weak edges": Motif(0.04, (2, 30), (1000, 20_000), weak_edges),
    "near-copies": Motif(0.03, (3, 25), (40, 3000), near_copies),
    "few columns": Motif(0.05, (2, 4), (10, 200), few_columns),
}
"""Motifs with their shares of all tables of the world. Columns and rows are log-uniform."""
NO_MAPS = ("near-copies", "weak edges")
"""Motifs whose columns keep their margins: values far out would hide what is to be seen."""


def draw_motif(
    rng: Rng, name: str, columns: tuple[int, int], rows: tuple[int, int], most_work: float
) -> Values:
    """Draw a table of a motif within limits.

    Columns stand in random order; signs are random, and in three tables of ten columns of
    numbers are bent by growing maps, which changes no edge.
    """
    motif = MOTIFS[name]
    d = int(np.clip(int(log_between(rng, motif.columns[0], motif.columns[1] + 1)), *columns))
    most = max(rows[0], min(motif.rows[1], rows[1], int(most_work / work(d, 1))))
    least = min(max(motif.rows[0], rows[0]), most)
    values = motif.draw(rng, d, int(log_between(rng, least, most + 1)))
    kinds = values.kinds or (CONTINUOUS,) * d
    X = values.X.astype(float)
    maps = list(MARGIN_MAPS.values()) if name not in NO_MAPS and rng.uniform() < 0.3 else []
    for k in np.flatnonzero([kind == CONTINUOUS for kind in kinds]).tolist():
        if maps and rng.uniform() < 0.5 and (size := X[:, k].std()) > 0:
            X[:, k] = maps[int(rng.integers(len(maps)))]((X[:, k] - X[:, k].mean()) / size)
        X[:, k] *= rng.choice((-1.0, 1.0))
    order = rng.permutation(d)
    square = np.ix_(order, order)
    # The precision matrix is that before signs: it tells the pattern, and no more is asked of it.
    precision = None if values.precision is None else values.precision[square]
    return values._replace(
        X=X[:, order],
        adjacency=_checked(values.adjacency)[square],
        kinds=tuple(kinds[k] for k in order),
        precision=precision,
        details={**values.details, "motif": name},
    )


def _checked(adjacency: Bools) -> Bools:
    assert (adjacency == adjacency.T).all()
    return adjacency
