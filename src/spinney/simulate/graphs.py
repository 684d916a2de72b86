"""Random and regular graphs as boolean matrices.

Except on the grid, the nodes are shuffled, so that their numbers say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import networkx as nx
import numpy as np

from spinney._core.arrays import Bools
from spinney._core.choices import read_seed
from spinney.exceptions import InputError
from spinney.simulate._streams import RandomState, check_count, stream

Edges = Iterable[tuple[int, int]]


def random_graph(
    d: int,
    degree: float = 2.0,
    components: int = 1,
    random_state: RandomState = None,
    *,
    sizes: Sequence[int] | None = None,
) -> Bools:
    r"""Draw a sparse graph with a given mean degree and number of connected components.

    The nodes are dealt out at random to the components; in each, a spanning tree is drawn
    uniformly from all trees; then edges are added within components, uniformly, until there are
    :math:`m = \mathrm{round}(d \cdot \mathrm{degree} / 2)` edges.

    Parameters
    ----------
    d : int
        Number of nodes.
    degree : float
        Mean number of neighbours.
    components : int
        Number of connected components.
    random_state : int or Generator, optional
        Seed.
    sizes : sequence of int, optional
        Sizes of the components; by default as equal as possible.

    Returns
    -------
    boolean array of shape (d, d)
        Symmetric, with an empty diagonal.

    Raises
    ------
    InputError
        If `degree` leaves too few edges to connect the components, or asks for more than fit in.

    Examples
    --------
    >>> A = random_graph(25, degree=2, components=2, random_state=0)
    >>> int(A.sum()) // 2
    25
    """
    d = check_count(d, "d", 1)
    rng = stream(read_seed(random_state), "graph")
    groups = _deal(d, components, sizes, rng)
    n_edges = round(d * degree / 2)
    least, most = d - len(groups), sum(len(g) * (len(g) - 1) // 2 for g in groups)
    if not least <= n_edges <= most:
        raise InputError(
            f"A mean degree of {degree:g} over {d} nodes means {n_edges} edges, but components of "
            f"sizes {', '.join(str(len(g)) for g in groups)} take {least} to {most}. "
            f"Choose a degree between {2 * least / d:.4g} and {2 * most / d:.4g}."
        )
    adjacency = _spanning_trees(d, groups, rng)
    allowed = np.zeros((d, d), dtype=bool)
    for group in groups:
        allowed[np.ix_(group, group)] = True
    free = np.argwhere(np.triu(allowed & ~adjacency, 1))
    chosen = free[rng.choice(len(free), n_edges - least, replace=False)]
    return adjacency | graph_of(d, chosen.tolist())


def forest_graph(
    d: int,
    components: int = 1,
    random_state: RandomState = None,
    *,
    sizes: Sequence[int] | None = None,
) -> Bools:
    """Draw a forest whose trees are uniformly random, by their Prüfer sequences [1]_.

    Parameters are those of :func:`random_graph`: each component is a tree.

    References
    ----------
    .. [1] H. Prüfer (1918). Neuer Beweis eines Satzes über Permutationen. Archiv der Mathematik
       und Physik 27, 742-744.

    Examples
    --------
    >>> int(forest_graph(25, components=2, random_state=0).sum()) // 2
    23
    """
    d = check_count(d, "d", 1)
    rng = stream(read_seed(random_state), "graph")
    return _spanning_trees(d, _deal(d, components, sizes, rng), rng)


def hub_graph(
    d: int, hubs: int = 3, random_state: RandomState = None, *, joined: bool = False
) -> Bools:
    """Draw stars: each node that is not a hub has an edge to the hub of its group.

    Parameters
    ----------
    d : int
        Number of nodes, dealt out to groups as equal in size as possible.
    hubs : int
        Number of groups.
    random_state : int or Generator, optional
        Seed.
    joined : bool
        Whether the hubs themselves form a path, which makes the graph connected.

    Examples
    --------
    >>> sorted(hub_graph(7, hubs=2, random_state=0).sum(axis=0).tolist())
    [1, 1, 1, 1, 1, 2, 3]
    """
    d = check_count(d, "d", 1)
    groups = _deal(d, hubs, None, stream(read_seed(random_state), "graph"), what="hubs")
    edges = [(group[0], leaf) for group in groups for leaf in group[1:]]
    if joined:
        edges += [(a[0], b[0]) for a, b in pairwise(groups)]
    return graph_of(d, edges)


def grid_graph(rows: int, columns: int) -> Bools:
    """Build a rectangular lattice; node ``r * columns + c`` lies in row r and column c.

    Parameters
    ----------
    rows, columns : int
        Size of the lattice.

    Examples
    --------
    >>> int(grid_graph(5, 5).sum()) // 2
    40
    """
    rows, columns = check_count(rows, "rows", 1), check_count(columns, "columns", 1)
    return nx.to_numpy_array(nx.grid_2d_graph(rows, columns), dtype=bool)


def scale_free_graph(d: int, edges_per_node: int = 1, random_state: RandomState = None) -> Bools:
    """Draw a scale-free graph by preferential attachment [1]_.

    Nodes arrive one by one and join `edges_per_node` different earlier nodes, chosen in
    proportion to the neighbours they have (the first to arrive joins all nodes that were there).

    Parameters
    ----------
    d : int
        Number of nodes.
    edges_per_node : int
        Edges that each new node brings; the graph has ``edges_per_node * (d - edges_per_node)``.
    random_state : int or Generator, optional
        Seed.

    References
    ----------
    .. [1] A.-L. Barabási and R. Albert (1999). Emergence of scaling in random networks. Science
       286, 509-512.

    Examples
    --------
    >>> int(scale_free_graph(25, 2, random_state=0).sum()) // 2
    46
    """
    d = check_count(d, "d", 2)
    m = check_count(edges_per_node, "edges_per_node", 1)
    if m >= d:
        raise InputError(f"edges_per_node must be less than d = {d}, got {m}.")
    rng = stream(read_seed(random_state), "graph")
    edges: list[tuple[int, int]] = []
    ends: list[int] = []  # every node once for each of its neighbours
    targets = list(range(m))
    for new in range(m, d):
        edges += [(new, old) for old in targets]
        ends += targets + [new] * m
        chosen: dict[int, None] = {}  # keeps the order of drawing, unlike a set
        while len(chosen) < m:
            chosen[ends[int(rng.integers(len(ends)))]] = None
        targets = list(chosen)
    place = rng.permutation(d)
    return graph_of(d, [(int(place[u]), int(place[v])) for u, v in edges])


def clique_graph(d: int, sizes: Sequence[int] = (3, 4), random_state: RandomState = None) -> Bools:
    """Draw a graph of separate cliques whose sizes come from a list.

    Sizes are drawn one after the other, uniformly from those that leave a number of nodes which
    the sizes can still make up.

    Parameters
    ----------
    d : int
        Number of nodes.
    sizes : sequence of int
        Possible sizes. The founding paper has 3 or 4.
    random_state : int or Generator, optional
        Seed.

    Examples
    --------
    >>> from spinney._core.components import component_labels
    >>> sorted(np.bincount(component_labels(clique_graph(25, random_state=0))).tolist())
    [3, 3, 3, 4, 4, 4, 4]
    """
    d = check_count(d, "d", 1)
    choices = sorted({check_count(size, "A clique size", 1) for size in sizes})
    reachable = [True] + [False] * d
    for total in range(1, d + 1):
        reachable[total] = any(s <= total and reachable[total - s] for s in choices)
    if not reachable[d]:
        raise InputError(
            f"{d} nodes cannot be split into cliques of sizes {', '.join(map(str, choices))}. "
            "Change d or sizes."
        )
    rng = stream(read_seed(random_state), "graph")
    order = rng.permutation(d)
    adjacency, left = np.zeros((d, d), dtype=bool), d
    while left:
        possible = [s for s in choices if s <= left and reachable[left - s]]
        size = possible[int(rng.integers(len(possible)))]
        clique = order[left - size : left]
        adjacency[np.ix_(clique, clique)] = True
        left -= size
    np.fill_diagonal(adjacency, False)
    return adjacency


def down_the_trees(d: int, edges: Edges) -> Iterator[tuple[int | None, int]]:
    """Yield each node of a forest after its parent, and with it; a root has none.

    Examples
    --------
    >>> list(down_the_trees(4, [(0, 2), (1, 2)]))
    [(None, 0), (0, 2), (2, 1), (None, 3)]
    """
    forest = nx.empty_graph(d)
    forest.add_edges_from(edges)
    for tree in nx.connected_components(forest):
        yield None, min(tree)
        yield from nx.bfs_edges(forest, min(tree))


def graph_of(d: int, edges: Edges) -> Bools:
    """Build the graph on d nodes that has some edges.

    Examples
    --------
    >>> graph_of(2, [(0, 1)])
    array([[False,  True],
           [ True, False]])
    """
    adjacency = np.zeros((d, d), dtype=bool)
    for u, v in edges:
        adjacency[u, v] = adjacency[v, u] = True
    return adjacency


def _deal(
    d: int,
    components: int,
    sizes: Sequence[int] | None,
    rng: np.random.Generator,
    what: str = "components",
) -> list[list[int]]:
    """Deal the shuffled nodes out to groups."""
    if sizes is None:
        k = check_count(components, what, 1)
        if k > d:
            raise InputError(f"{d} nodes cannot form {k} {what}.")
        sizes = [d // k + (j < d % k) for j in range(k)]
    elif sum(check_count(size, "A component size", 1) for size in sizes) != d:
        raise InputError(f"sizes must add up to d = {d}, but they add up to {sum(sizes)}.")
    order = rng.permutation(d).tolist()
    ends = np.cumsum(sizes).tolist()
    return [order[end - size : end] for size, end in zip(sizes, ends, strict=True)]


def _spanning_trees(d: int, groups: list[list[int]], rng: np.random.Generator) -> Bools:
    return graph_of(
        d, [(group[u], group[v]) for group in groups for u, v in _random_tree(len(group), rng)]
    )


def _random_tree(d: int, rng: np.random.Generator) -> Edges:
    """Draw uniformly from the d^(d-2) trees on d nodes, as a Prüfer sequence."""
    return nx.from_prufer_sequence(rng.integers(d, size=d - 2).tolist()).edges if d > 1 else []
