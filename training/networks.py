"""Discrete Bayesian networks, drawn at random or made by experts: tables whose truth is exact.

The file of expert networks, one JSON object a line (``net``, and ``nodes`` with ``name``,
``levels``, ``parents``, ``prob``), is that of the environment variable
``SPINNEY_EXPERT_NETWORKS``, or ``build/expert-networks.jsonl.xz``; it does not come with the
package. Networks of one study share a stem, their name without digits at its end. Stems are dealt
out by their names: a fifth is kept apart for reports, a tenth for choices and calibration, and
training gets the rest.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.simulate import Simulated
from spinney.tables import BINARY, CONTINUOUS, NOMINAL, ORDINAL, Kind
from spinney.tables.kinds import MOST_ORDINAL_VALUES
from training.world.directed import moral
from training.world.source import Bools, Floats, log_between, pick
from training.world.tables import settle

__all__ = [
    "Network",
    "draw_expert",
    "draw_network",
    "expert_networks",
    "find_file",
    "part_of",
    "random_network",
]

Rng = np.random.Generator

PARTS = ("report", "tune", "train")
"""Kept apart for reports; for choices and calibration; for training."""
SALT = 202
"""The first with which the parts hold about a fifth and a tenth of the networks and of the studies,
and the two networks that are also in the repository of bnlearn are for reports."""
SAME = 1e-5
"""Probabilities that differ by less are the same: those of the file have six digits."""
ROWS = (20, 20_000)
SHAPES = {"any": 0.35, "tree": 0.2, "layers": 0.2, "colliders": 0.25}
"""Shapes of random networks; see :func:`_random_parents`."""
TABLES = {"dirichlet": 0.4, "logits": 0.25, "noisy or": 0.15, "gates": 0.2}
"""How tables of probabilities are drawn; half of the networks have one way, half have several."""
MOST_CONFIGURATIONS = 1500
"""Combinations of the parents' levels; parents beyond are dropped."""
MOST_WORK = 6e6
"""Pairs times rows."""
CHEAP = 60_000
"""Work up to which each number of rows is kept; beyond it the more work, the rarer."""
MIXED = 0.25
"""Share of the tables with columns of numbers, which depend on columns with levels."""
GAPS = 0.08
"""Share of the tables in which values are missing, by chance."""


@dataclass(frozen=True, eq=False)
class Network:
    """A discrete Bayesian network.

    Attributes
    ----------
    parents : tuple of tuple of int
        Parents of each node, which come before it.
    tables : tuple of arrays
        Probabilities of each node: an axis for each parent, in their order, then its own.
    name : str
        What it is called.

    Examples
    --------
    >>> coin, copy = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]])
    >>> Network(((), (0,)), (coin, copy), "copy").adjacency
    array([[False,  True],
           [ True, False]])
    """

    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]
    name: str

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def n_levels(self) -> list[int]:
        """Levels of each node."""
        return [table.shape[-1] for table in self.tables]

    @cached_property
    def depends(self) -> Bools:
        """Whether the table of v depends on u, in entry (u, v)."""
        found = np.zeros((len(self), len(self)), dtype=bool)
        for node, (parents, table) in enumerate(zip(self.parents, self.tables, strict=True)):
            for axis, parent in enumerate(parents):
                found[parent, node] = bool((np.ptp(table, axis=axis) > SAME).any())
        return found

    @property
    def adjacency(self) -> Bools:
        """The moral graph: parents and children, and parents of a child, if its table depends."""
        return moral(self.depends)

    def sample(self, n: int, rng: Rng) -> NDArray[np.int64]:
        """Draw n rows of positions among levels."""
        X = np.empty((len(self), n), dtype=np.int64)
        uniform = rng.random((len(self), n))
        for node, (parents, table) in enumerate(zip(self.parents, self.tables, strict=True)):
            place = np.zeros(n, dtype=np.int64)
            for parent, size in zip(parents, table.shape, strict=False):
                place *= size
                place += X[parent]
            limits = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
            if not parents:
                X[node] = np.searchsorted(limits[0, :-1], uniform[node], side="right")
                continue
            X[node] = 0
            for level in range(table.shape[-1] - 1):
                X[node] += uniform[node] >= limits[place, level]
        return X.T

    def among(self, nodes: Iterable[int]) -> Network:
        """Keep some nodes and everything that they descend from: nothing is summed over."""
        kept: set[int] = set()
        waiting = list(nodes)
        while waiting:
            if (node := waiting.pop()) not in kept:
                kept.add(node)
                waiting += self.parents[node]
        order = sorted(kept)
        place = {node: k for k, node in enumerate(order)}
        return Network(
            tuple(tuple(place[p] for p in self.parents[node]) for node in order),
            tuple(self.tables[node] for node in order),
            self.name,
        )

    def varied(self, rng: Rng) -> Network:
        """Change tables such that each depends on the same parents as before.

        Probabilities are raised to a power of 0.5 … 2, and in some tables the levels of a parent
        or of the node are permuted.
        """
        power = log_between(rng, 0.5, 2.0)
        shuffled = rng.uniform(0, 0.6)
        tables = []
        for table in self.tables:
            if not shuffled or rng.uniform() < 0.7:
                raised = table**power
                table = raised / raised.sum(axis=-1, keepdims=True)
            for axis, size in enumerate(table.shape):
                if rng.uniform() < shuffled:
                    table = table.take(rng.permutation(size), axis=axis)
            tables.append(table)
        return Network(self.parents, tuple(tables), self.name)


def random_network(rng: Rng, d: int) -> Network:
    """Draw a network of d nodes with two to six levels and up to four parents each.

    Tables are Dirichlet (of concentrations 0.1 … 5), additive in logits, noisy-or, or gates: the
    node is nearly determined by its parents (exclusive or, and, or, a threshold of their sum).
    """
    shape = pick(rng, SHAPES)
    parents = _random_parents(rng, d, shape)
    binary = rng.uniform(0, 1) ** 0.7
    most = int(rng.integers(3, 7))
    levels = np.where(rng.random(d) < binary, 2, rng.integers(2, most + 1, size=d))
    ways = TABLES if rng.uniform() < 0.5 else {pick(rng, TABLES): 1.0}
    concentration = log_between(rng, 0.1, 5.0)
    size, noise = log_between(rng, 0.3, 3.0), log_between(rng, 0.005, 0.2)
    tables, kept = [], []
    for node in range(d):
        above = _affordable(parents[node], levels)
        kept.append(tuple(above))
        shape_of = tuple(int(levels[p]) for p in above)
        own = int(levels[node])
        if not above:
            tables.append(_dirichlet(rng, (), own, max(concentration, 1.0)))
            continue
        way = pick(rng, ways)
        if way == "logits":
            tables.append(_logits(rng, shape_of, own, size))
        elif way == "noisy or":
            tables.append(_noisy_or(rng, shape_of, own))
        elif way == "gates":
            tables.append(_gate(rng, shape_of, own, noise))
        else:
            tables.append(_dirichlet(rng, shape_of, own, concentration))
    return Network(tuple(kept), tuple(tables), f"random ({shape})")


def _random_parents(rng: Rng, d: int, shape: str) -> list[list[int]]:
    """Draw up to four parents for each node among those before it."""
    mean = rng.uniform(0.7, 2.2)
    if shape == "tree":
        mean = rng.uniform(0.6, 1.0)
    reach = d if rng.uniform() < 0.6 else int(rng.integers(2, max(3, d // 3) + 1))
    layers = np.sort(rng.integers(int(rng.integers(2, 5)), size=d))
    found: list[list[int]] = []
    for node in range(d):
        first = max(0, node - reach)
        candidates = list(range(first, node))
        if shape == "tree":
            count = int(rng.random() < mean)
        elif shape == "colliders":  # half of the nodes are roots, the others have two or more
            count = int(rng.integers(2, 5)) if rng.random() < 0.5 else int(rng.random() < 0.2)
        else:
            count = min(4, int(rng.poisson(mean)))
        if shape == "layers":
            above = int(layers[node]) - 1
            candidates = np.flatnonzero(layers[:node] == above).tolist()
        count = min(count, len(candidates), 4)
        found.append(sorted(rng.choice(candidates, count, replace=False).tolist()) if count else [])
    return found


def _affordable(parents: Sequence[int], levels: NDArray[np.int64]) -> list[int]:
    kept, total = [], 1
    for parent in parents:
        if total * levels[parent] <= MOST_CONFIGURATIONS:
            kept.append(parent)
            total *= int(levels[parent])
    return kept


def _dirichlet(rng: Rng, above: tuple[int, ...], own: int, concentration: float) -> Floats:
    shares = rng.standard_gamma(concentration, (*above, own)) + 1e-4
    return shares / shares.sum(axis=-1, keepdims=True)


def _logits(rng: Rng, above: tuple[int, ...], own: int, size: float) -> Floats:
    """Add an effect of each parent to the logits: any effects, or ordered ones."""
    logits = rng.normal(0, 0.7, (*(1,) * len(above), own))
    for axis, levels in enumerate(above):
        if rng.random() < 0.5:
            effect = np.outer(np.linspace(-1, 1, levels), np.linspace(-1, 1, own))
            effect *= 2 * size * rng.choice((-1.0, 1.0))
        else:
            effect = rng.normal(0, size, (levels, own))
        where = [1] * len(above) + [own]
        where[axis] = levels
        logits = logits + effect.reshape(where)
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True)) + 1e-6
    return shares / shares.sum(axis=-1, keepdims=True)


def _noisy_or(rng: Rng, above: tuple[int, ...], own: int) -> Floats:
    """Let each parent, the more the higher its level, raise the node above its lowest level."""
    off = np.array(1 - log_between(rng, 0.005, 0.2))
    for levels in above:
        fail = np.sort(1 - rng.uniform(0.2, 0.98) * np.linspace(0, 1, levels))[::-1]
        off = np.multiply.outer(off, fail)
    table = np.empty((*above, own))
    table[..., 0] = off
    rest = rng.dirichlet(np.full(own - 1, 2.0))
    table[..., 1:] = (1 - off)[..., None] * rest
    return table[..., ::-1] if rng.random() < 0.3 else table


def _gate(rng: Rng, above: tuple[int, ...], own: int, noise: float) -> Floats:
    """Let the parents determine the node, up to some noise."""
    grids = np.indices(above)
    high = [grid >= rng.integers(1, levels) for grid, levels in zip(grids, above, strict=True)]
    way = rng.integers(4)
    if way == 0:
        value = np.logical_xor.reduce(high).astype(np.int64) * (own - 1)
    elif way == 1:
        value = np.logical_and.reduce(high).astype(np.int64) * (own - 1)
    elif way == 2:
        value = np.logical_or.reduce(high).astype(np.int64) * (own - 1)
    else:
        total = sum(grid / (levels - 1) for grid, levels in zip(grids, above, strict=True))
        value = np.minimum((np.asarray(total) / len(above) * own).astype(np.int64), own - 1)
    rest = rng.dirichlet(np.full(own, 1.0))
    return (1 - noise) * np.eye(own)[value] + noise * rest


def draw_network(seed: int) -> Simulated:
    """Draw a table of a random network; the same seed gives the same table."""
    rng = np.random.default_rng([seed, 11])
    d = int(log_between(rng, 3, 61))
    network = random_network(rng, d)
    return draw_table(network, draw_rows(rng, d), rng, seed, "networks")


def draw_expert(
    seed: int, part: str = "train", *, rows: int | None = None, file: Path | None = None
) -> Simulated:
    """Draw a table of an expert network of a part.

    In training, half of the tables are of a part of the network that is closed under ancestors,
    and half of the networks are varied (:meth:`Network.varied`). Otherwise networks are as they
    are. By default the number of rows is drawn, too.
    """
    networks = expert_networks(part, file)
    rng = np.random.default_rng([seed, 13, PARTS.index(part)])
    network = networks[int(rng.integers(len(networks)))]
    if part == "train":
        if rng.uniform() < 0.5:
            some = rng.choice(len(network), int(rng.integers(1, len(network) + 1)), replace=False)
            smaller = network.among(some.tolist())
            network = smaller if len(smaller) >= 2 else network
        if rng.uniform() < 0.5:
            network = network.varied(rng)
    if rows is None:
        rows = draw_rows(rng, len(network))
    return draw_table(network, rows, rng, seed, "experts")


def draw_rows(rng: Rng, d: int) -> int:
    """Draw a number of rows, 20 to 20,000, median near 300; large tables are rarer."""
    for _ in range(1000):
        n = int(np.exp(rng.normal(np.log(400), 1.6)))
        work = d * (d - 1) // 2 * n
        if (
            ROWS[0] <= n <= ROWS[1]
            and work <= MOST_WORK
            and rng.uniform() < min(1.0, (CHEAP / max(work, 1)) ** 0.5)
        ):
            return n
    return 100


def draw_table(network: Network, n: int, rng: Rng, seed: int, source: str) -> Simulated:
    """Draw rows of a network, as a table of columns in random order.

    Levels are named at random; a column of three levels or more is nominal or ordered. Columns
    that have one value only are dropped, and the truth is that of the others.
    """
    X = network.sample(n, rng).astype(float)
    adjacency = network.adjacency
    levels = network.n_levels
    ordered = rng.uniform(0, 1) if rng.uniform() < 0.5 else float(rng.integers(2))
    kinds: list[Kind] = []
    for k, count in enumerate(levels):
        if count <= MOST_ORDINAL_VALUES and rng.random() < ordered:
            kinds.append(BINARY if count == 2 else ORDINAL)
            X[:, k] = X[:, k] if rng.random() < 0.5 else count - 1 - X[:, k]
        else:
            kinds.append(BINARY if count == 2 else NOMINAL)
            X[:, k] = rng.permutation(count)[X[:, k].astype(np.int64)]
    mixed = rng.uniform() < MIXED
    if mixed:
        X, adjacency = _with_numbers(rng, X, kinds, network.depends)
        kinds += [CONTINUOUS] * (X.shape[1] - len(kinds))
    varies = (X[0] != X).any(axis=0)
    if varies.sum() < 2:  # a row of its own for the two columns that there must be
        for k in np.flatnonzero(~varies)[: 2 - int(varies.sum())].tolist():
            X[int(rng.integers(n)), k] += 1.0
        varies = (X[0] != X).any(axis=0)
    order = rng.permutation(np.flatnonzero(varies))
    X = X[:, order]
    spoils = []
    if rng.uniform() < GAPS:
        gaps = rng.random(X.shape) < log_between(rng, 0.01, 0.3)
        gaps[:, (~gaps).sum(axis=0) < 8] = False
        X = np.where(gaps, np.nan, X)
        spoils.append("gaps")
    X, settled = settle(rng, X, tuple(kinds[k] for k in order))
    parameters: dict[str, Any] = {
        "n": n,
        "d": len(order),
        "source": source,
        "graph": source,
        "density": "mixed network" if mixed else "network",
        "details": {"network": network.name, "dropped": len(varies) - len(order)},
        "spoils": spoils,
        "groups": (),
    }
    return Simulated(X, adjacency[np.ix_(order, order)], source, parameters, seed, kinds=settled)


def _with_numbers(
    rng: Rng, X: Floats, kinds: Sequence[Kind], depends: Bools
) -> tuple[Floats, Bools]:
    """Add columns of numbers: normal given one or two other columns, with means by level."""
    n, d = X.shape
    more = int(rng.integers(1, 2 + max(1, d // 3)))
    parents = np.zeros((d + more, d + more), dtype=bool)
    parents[:d, :d] = depends
    columns = [X]
    for k in range(d, d + more):
        mean, spread = np.zeros(n), np.ones(n)
        for of in rng.choice(k, min(k, int(rng.integers(1, 3))), replace=False).tolist():
            size = log_between(rng, 0.2, 3.0)
            parents[of, k] = True
            if of >= d:
                mean += size * columns[of - d + 1][:, 0]
                continue
            codes = X[:, of].astype(np.int64)
            if kinds[of] == ORDINAL and rng.random() < 0.5:
                effect = np.linspace(-1, 1, int(codes.max()) + 2)
            else:
                effect = rng.normal(size=int(codes.max()) + 1)
            mean += size * effect[codes]
            if rng.random() < 0.1:
                spread *= np.exp(0.7 * rng.normal(size=int(codes.max()) + 1))[codes]
        column = mean + spread * rng.standard_normal(n)
        columns.append((column / max(column.std(), 1e-9))[:, None])
    return np.hstack(columns), moral(parents)


def find_file() -> Path | None:
    """Find the file of expert networks; None if there is none."""
    given = os.environ.get("SPINNEY_EXPERT_NETWORKS")
    path = Path(given) if given else Path(__file__).parents[1] / "build/expert-networks.jsonl.xz"
    return path if path.is_file() else None


def stem_of(name: str) -> str:
    """Give what networks of one study share.

    Examples
    --------
    >>> stem_of("covid12")
    'covid'
    """
    return re.sub(r"\d+$", "", name)


def part_of(name: str) -> str:
    """Tell which part a network belongs to, by its stem.

    Examples
    --------
    >>> part_of("asia"), part_of("earthquake"), part_of("titanic")
    ('report', 'report', 'train')
    """
    digest = hashlib.sha256(f"{SALT}:{stem_of(name)}".encode()).digest()
    place = int.from_bytes(digest[:8], "big") % 100
    return "report" if place < 20 else "tune" if place < 30 else "train"


def expert_networks(part: str, file: Path | None = None) -> tuple[Network, ...]:
    """Read the networks of a part.

    Raises
    ------
    InputError
        If there is no file, or it holds no network of the part.
    """
    file = find_file() if file is None else file
    if file is None:
        raise InputError(
            "There is no file of expert networks. Copy expert-networks.jsonl.xz to build/, or let "
            "SPINNEY_EXPERT_NETWORKS name another file."
        )
    if not (found := _read(file)[part]):
        raise InputError(f"{file} holds no network of the part '{part}'.")
    return found


@cache
def _read(file: Path) -> dict[str, tuple[Network, ...]]:
    found: dict[str, list[Network]] = {part: [] for part in PARTS}
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            network = as_network(json.loads(line))
            found[part_of(network.name)].append(network)
    return {part: tuple(networks) for part, networks in found.items()}


def as_network(told: dict[str, Any]) -> Network:
    """Build a network from what the file says of it, parents before children."""
    nodes = {node["name"]: node for node in told["nodes"]}
    order: list[str] = []
    waiting = list(nodes)[::-1]
    while waiting:
        name = waiting[-1]
        above = [parent for parent in nodes[name]["parents"] if parent not in order]
        if above and name not in order:
            waiting += above
            continue
        waiting.pop()
        if name not in order:
            order.append(name)
    place = {name: k for k, name in enumerate(order)}
    parents, tables = [], []
    for name in order:
        node = nodes[name]
        # The node's own level runs fastest, then the parents in their order: the first is next.
        above = node["parents"]
        sizes = [len(nodes[parent]["levels"]) for parent in above]
        table = np.reshape(node["prob"], (*sizes[::-1], len(node["levels"])))
        table = np.moveaxis(table, range(len(above)), range(len(above) - 1, -1, -1))
        table = table.clip(0, None)
        parents.append(tuple(place[parent] for parent in above))
        tables.append(np.ascontiguousarray(table / table.sum(axis=-1, keepdims=True)))
    return Network(tuple(parents), tuple(tables), told["net"])
