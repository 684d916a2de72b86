"""Several graphs in one picture: what they share, and what only some have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_nodes
from spinney._core.text import plain_line, shorten_middle
from spinney.exceptions import InputError
from spinney.graph.plots.graph import Entry, GraphPicture, Line, legend_rows
from spinney.graph.plots.layout import GraphLayout, Positions, lay_out_graph
from spinney.graph.plots.style import BOTH, FALLING, INK, LINES, PURPLE, new_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SHARED, GAINED, LOST = "shared", "gained", "lost"
"""States of an edge of two graphs: in both, only in the second, only in the first."""
OTHER_SIGN, UNEQUAL, DOUBTFUL = "other sign", "unequal", "doubtful"
"""In both with opposite signs; in both with clearly different strengths; in one of two groups, but
probably not a difference."""
LIKELY = 0.5
"""Least probability of a difference that is drawn as one."""
LONGEST = 28
"""Longest name of a group."""
MOST_PANELS, PANELS_ABREAST = 9, 3
"""Most panels on a page, and in a row."""
MOST_INCHES = 30.0
CAPTION = "Wide coloured lines: groups differ, probably. Thin grey lines: both groups are alike."


class EdgeLook(NamedTuple):
    """How a class of edges is drawn: its name in the legend, colour, and dashes as in matplotlib.

    Classes should differ in their dashes too, not only in colour.
    """

    label: str
    colour: str
    dashes: Any = "solid"


def two_graph_looks(first: str, second: str) -> dict[str, EdgeLook]:
    """Choose how the edges of two graphs look; `first` and `second` are their names.

    Examples
    --------
    >>> two_graph_looks("before", "after")["lost"].label
    'only in before'
    """
    first, second = (shorten_middle(plain_line(name), LONGEST) for name in (first, second))
    return {
        SHARED: EdgeLook("in both", BOTH),
        DOUBTFUL: EdgeLook("in one, probably not a difference", BOTH, (0, (1.0, 1.6))),
        LOST: EdgeLook(f"only in {first}", FALLING, (0, (2.6, 1.3))),
        GAINED: EdgeLook(f"only in {second}", LINES),
        OTHER_SIGN: EdgeLook("in both, with opposite signs", PURPLE, (0, (4.0, 1.0, 0.8, 1.0))),
        UNEQUAL: EdgeLook("in both, strengths differ", PURPLE, (0, (6.0, 1.2))),
    }


def plot_edge_classes(
    graph: nx.Graph,
    looks: Mapping[str, EdgeLook],
    ax: Axes | None = None,
    *,
    layout: Positions | GraphLayout | None = None,
    title: str | None = None,
) -> Axes:
    """Draw a graph whose edges belong to classes, each with its own look.

    Parameters
    ----------
    graph : networkx.Graph
        Every edge has a ``state``, one of the keys of `looks`; it may have a ``share`` between 0
        and 1, which makes its line thin or wide. Nodes may have a ``label``.
    looks : mapping of str to EdgeLook
        The classes, in the order of drawing, the lowest first. The legend shows those with edges,
        and how many.
    ax : matplotlib axes, optional
        Where; by default on new axes of the right size.
    layout : mapping of nodes to positions, or GraphLayout, optional
        As in :func:`spinney.graph.plots.plot_graph`.
    title : str, optional
        Title.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> graph = nx.Graph()
    >>> graph.add_edge("Raf", "Mek", state="shared")
    >>> graph.add_edge("Mek", "Erk", state="gained")
    >>> ax = plot_edge_classes(graph, two_graph_looks("A", "B"), Figure().subplots())
    >>> [text.get_text() for legend in ax.artists for text in legend.get_texts()]
    ['in both (1)', 'only in B (1)']
    """
    return class_picture(graph, looks, layout).draw(ax, title)


def class_picture(
    graph: nx.Graph, looks: Mapping[str, EdgeLook], layout: Positions | GraphLayout | None = None
) -> GraphPicture:
    """Prepare the picture of :func:`plot_edge_classes`, which has the same parameters."""
    index = {node: k for k, node in enumerate(graph)}
    lines: dict[str, list[Line]] = {state: [] for state in looks}
    for u, v, data in graph.edges(data=True):
        state = data.get("state")
        if state not in lines:
            raise InputError(f"The edge {u} – {v} is of a class without a look: {state!r}.")
        width = float(np.clip(data.get("share", 0.5), 0, 1))
        lines[state].append(Line(index[u], index[v], width, *looks[state][1:]))
    entries = [
        Entry(f"{looks[state].label} ({len(own):,})", looks[state].colour, 2.2, looks[state].dashes)
        for state, own in lines.items()
        if own
    ]
    found = layout if isinstance(layout, GraphLayout) else lay_out_graph(graph, layout)
    drawn = [line for own in lines.values() for line in own]
    return GraphPicture(graph, found, drawn, legend_rows(entries))


def difference_graph(
    names: Sequence[str],
    edges: tuple[Bools, Bools],
    differs: Floats,
    in_first: Bools,
    unequal: Bools,
) -> nx.Graph:
    """Build the graph of two groups: each edge with its class and how probably it differs.

    Parameters
    ----------
    names : sequence of str
        The columns.
    edges : two bool arrays of shape (n_pairs,)
        The edges of each group, in the order of ``np.triu_indices(d, 1)``.
    differs : array of shape (n_pairs,)
        Probability that just one group has the edge; NaN where nothing is known.
    in_first : bool array of shape (n_pairs,)
        Whether it is the first group that has it, if only one does.
    unequal : bool array of shape (n_pairs,)
        Whether the strengths of an edge of both are clearly different.

    Examples
    --------
    >>> edges = np.array([False]), np.array([True])
    >>> no = np.array([False])
    >>> graph = difference_graph(["Raf", "Mek"], edges, np.array([0.9]), no, no)
    >>> graph.edges[0, 1]
    {'state': 'gained', 'share': 0.9}
    """
    differs = np.nan_to_num(differs)
    graph = nx.Graph(n_expected=float(differs.sum()))
    graph.add_nodes_from((k, {"label": str(name)}) for k, name in enumerate(names))
    first, second = edges
    u, v = pair_nodes(len(names))
    for k in np.flatnonzero(first | second | (differs > LIKELY)).tolist():
        if differs[k] > LIKELY:
            state, share = LOST if in_first[k] else GAINED, differs[k]
        elif unequal[k]:
            state, share = UNEQUAL, 1.0
        else:
            state, share = SHARED if first[k] and second[k] else DOUBTFUL, differs[k]
        graph.add_edge(int(u[k]), int(v[k]), state=state, share=float(share))
    return graph


def draw_differences_page(
    differences: Mapping[tuple[str, str], nx.Graph], *, title: str | None = None
) -> Figure:
    """Draw all pairs of groups on one page, with the same layout.

    Parameters
    ----------
    differences : mapping of two names to networkx.Graph
        By the names of the groups, as :func:`difference_graph` builds them. If there are more than
        nine, the nine with most differences are drawn.
    title : str, optional
        Title of the page.

    Returns
    -------
    matplotlib figure
        Independent of pyplot.
    """
    ranked = sorted(differences, key=lambda two: -differences[two].graph["n_expected"])
    shown = [two for two in differences if two in ranked[:MOST_PANELS]]
    union = nx.compose_all(list(differences.values()))
    layout = lay_out_graph(union)
    labels = [" and ".join(plain_line(name, LONGEST) for name in two) for two in shown]
    abreast = 2 if len(shown) == 4 else min(len(shown), PANELS_ABREAST)  # no empty corner
    down = ceil(len(shown) / abreast)
    panel = GraphPicture(union, layout, [], [[Entry("")]] * 2).inches(labels[0])
    size = np.maximum(panel, (4.6, 3.2)) * (abreast, down) + (0.0, 0.45)
    size *= min(1.0, MOST_INCHES / size.max())
    figure = new_page(tuple(size), 200)
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[call-arg, union-attr]
    if title is not None:
        figure.suptitle(plain_line(title, 90), fontsize=12, color=INK, parse_math=False)
    for k, (two, label) in enumerate(zip(shown, labels, strict=True)):
        ax = figure.add_subplot(down, abreast, k + 1)
        plot_edge_classes(differences[two], two_graph_looks(*two), ax, layout=layout, title=label)
    note = CAPTION
    if len(shown) < len(differences):
        note += f" {len(shown)} of {len(differences)} comparisons, those with most differences."
    figure.supxlabel(note, fontsize=7, color=INK, wrap=True)
    return figure
