"""The graph of a table, from any estimator: numbers, tables, words and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import check_choice, column_position
from spinney._core.components import component_labels
from spinney._core.graph import check_fitted, edge_graph, edge_share, high_level, shown_potentials
from spinney._core.pairs import PairIndex, n_pairs
from spinney._core.registry import registered
from spinney._core.text import counted
from spinney.exceptions import InputError
from spinney.judge.learner import Learner
from spinney.notices import Notice
from spinney.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spinney.graph.graft_check import GraftCheck
    from spinney.graph.methods import PaperText
    from spinney.graph.plots.layout import GraphLayout
    from spinney.models import RootedForests

Floats = NDArray[np.float64]

RINGS = ("predictability",)
"""What a ring can show."""


@dataclass(frozen=True, eq=False, repr=False)
class LearnedGraph:
    """The graph of a table, as :func:`spinney.learn` or any fitted estimator finds it.

    :func:`spinney.learn` returns one; :meth:`of` makes one from any fitted estimator. Its methods
    write summaries, files, pages and pictures.

    Attributes
    ----------
    learner : estimator
        What learned it: the judge, with the parameters and attributes of :class:`GraphLearner`; or
        another fitted estimator.
    raised : tuple of Notice
        What was warned of while learning.
    title : str
        Name of the table, for pictures and pages.
    stability, groups : Stability, and GroupedGraphs, optional
        Further results, for the page.
    reading : tuple of str
        How the file was read, one decision each.
    run : mapping, optional
        How the graph was made.
    as_given : Table, optional
        The table with its rows in the order of the file; fitted models may reorder them.
    checked : GraftCheck, optional
        What :meth:`check` found, for the page and the files.
    arranged : {"components", "circle", "spring"}
        How nodes are placed in pictures; see :func:`spinney.graph.plots.plot_graph`.
    colour_by : mapping of str to str, optional
        Group of each column, which colours its name in pictures.
    ring : {"predictability"}, optional
        What the ring around each name shows in pictures.

    warnings : tuple of str
        What to be careful about, the most important first; the summary has the first three.
    estimator : str
        Name of the estimator on the command line.
    score : str
        Column that ranks the pairs: ``"probability"`` (of the judge only), ``"share"`` (of
        forests), ``"frequency"`` (of fits to parts of the table) or ``"weight"``.
    edges : pandas.DataFrame
        One row per edge, best first: ``source``, ``target``, the score, ``sign`` and ``strength``
        (given the neighbours, with its 95 % interval from ``strength_low`` to ``strength_high``;
        other estimators have a ``weight``), and where they are known ``sign_means`` (in words),
        ``tau`` (Kendall's tau-b of the two columns alone), ``rows`` and ``verdict``. Forest models
        add ``family``, ``rotation``, ``parameters``, ``lower_tail`` and ``upper_tail`` of the
        pair's copula.
    pairs : pandas.DataFrame
        Every pair, best first: ``rank`` (from 1), ``source``, ``target``, the score (missing where
        fewer than ten rows have both values), ``edge`` (whether it is one), ``sign`` (0: not
        known), ``strength`` or ``weight`` (of edges), ``rows``, ``verdict`` ("present", "absent" or
        "undecided"; of probabilities only), ``expected_fdr`` (of probabilities:
        the expected share of false edges among this and all better pairs). Of
        a table with more than 800 columns only the most probable pairs are listed, 50 for each
        column; all others have probability 0.
    nodes : pandas.DataFrame
        Every column, in the order of the table: ``name``, ``kind``, ``component``, ``degree``,
        ``rows`` (how many values there are), ``betweenness``, ``closeness``, and ``strength`` (sum
        over its edges, signs left out), ``predictability`` (how much of it the neighbours explain,
        cross-validated: see :func:`spinney.graph.columns.predictability`),
        ``expected_influence`` and ``expected_influence_2`` (sum of its signed strengths, within one
        and two steps), with `colour_by` also ``bridge_strength``, ``bridge_influence`` and
        ``bridge_betweenness`` (to columns of other groups); with stability ``degree_low`` and
        ``degree_high``, between which 95 % of the bootstrap samples lie, and likewise
        of the centralities.
    components : list of tuples of str
        Connected components, the largest first.
    adjacency, probabilities : pandas.DataFrame of shape (d, d)
        Whether each pair is an edge, and its probability, by name; ``joined`` and ``scores`` are
        the same as arrays.
    verdicts : pandas.DataFrame of shape (d, d)
        Whether each pair is "present" (probability at least `sure`, 0.9 by default), "absent" (at
        most 1 - `sure`) or "undecided", as pairs with too few rows in common are.
    strengths : array of shape (d, d)
        Strength of each edge given the neighbours.
    signs : int array of shape (d, d)
        1 where two columns rise together, -1 where one falls as the other rises, 0 unknown.
    expected_false, expected_missed : float or None
        Expected number of false edges here, and of true edges that are not here; None where the
        score is not a probability.

    Examples
    --------
    >>> from spinney.graph import learn
    >>> from spinney.simulate import copula_forest
    >>> graph = learn(copula_forest(300, 5, random_state=0).X)
    >>> graph
    <LearnedGraph: 4 of 10 pairs of 5 columns are edges; expected 0.0 false, 0.0 missed>
    >>> print(graph.summary())
    5 columns (300 rows): 4 of 10 pairs are edges (probability above 0.5). ...
    """

    learner: Any
    raised: tuple[Notice, ...] = ()
    _: KW_ONLY
    title: str = ""
    stability: Any = None
    groups: Any = None
    reading: tuple[str, ...] = ()
    run: Mapping[str, Any] | None = None
    as_given: Table | None = None
    checked: GraftCheck | None = None
    arranged: str = "components"
    colour_by: Mapping[str, str] | None = None
    ring: str | None = None

    @classmethod
    def of(cls, found: Any, *, raised: tuple[Notice, ...] = (), **about: Any) -> LearnedGraph:
        """Make a graph from a fitted estimator or another graph, and add information to it.

        Parameters
        ----------
        found : LearnedGraph or estimator
            What :func:`spinney.learn` returned, or a fitted estimator.
        raised : tuple of Notice
            Added to those of a LearnedGraph.
        **about
            ``title``, ``stability``, ``groups``, ``reading``, ``run``, ``as_given``,
            ``arranged``, ``colour_by``, ``ring``; see the class.

        Raises
        ------
        InputError
            If it has no graph.

        Examples
        --------
        >>> from spinney.models.baselines import ChowLiu
        >>> X = np.random.default_rng(0).normal(size=(100, 3))
        >>> X[:, 2] -= X[:, 0]
        >>> graph = LearnedGraph.of(ChowLiu().fit(X), title="three columns")
        >>> graph.estimator, graph.score
        ('chow-liu', 'weight')
        >>> graph.edges[["source", "target", "sign"]]
          source target  sign
        0     x0     x2    -1
        """
        if not isinstance(found, cls):
            if isinstance(found, Learner):
                check_fitted(found)
            if not hasattr(found, "adjacency_"):
                kind = type(found).__name__
                raise InputError(f"A {kind} has no learned graph. Fit it to a table first.")
            found = cls(found)
        return replace(found, raised=(*found.raised, *raised), **about)

    def at(
        self,
        cut: float = 0.5,
        *,
        fdr: float | None = None,
        min_strength: float | None = None,
        sure: float | None = None,
    ) -> LearnedGraph:
        """Return the graph with another cut, or another target, without learning again.

        The options are those of :func:`spinney.learn`. Stability, groups and the record of the run
        are not kept, because they belong to this graph.

        Examples
        --------
        >>> from spinney.graph import learn
        >>> from spinney.simulate import copula_forest
        >>> graph = learn(copula_forest(300, 5, random_state=0).X)
        >>> graph.at(0.01).n_edges >= graph.n_edges >= graph.at(0.999).n_edges
        True
        """
        if not self.is_probability:
            raise InputError(f"at needs probabilities, and {self.estimator} gives none.")
        learner = self.learner.at(cut, fdr=fdr, min_strength=min_strength, sure=sure)
        return replace(self, learner=learner, stability=None, groups=None, run=None)

    # Numbers

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(map(str, self.learner.node_names_))

    @property
    def estimator(self) -> str:
        """Name of the estimator on the command line."""
        kind = type(self.learner)
        name = "GraphLearner" if self.is_probability else kind.__name__
        return registered()[name].command if name in registered() else name

    @cached_property
    def _score(self) -> tuple[str, str, str]:
        """Column of the score, its name in words, and the estimator's attribute."""
        share = edge_share(self.learner)
        if share is None:
            return "weight", "weight", "edge_weights_"
        # Only the judge gives probabilities; forests give the share of forests with the edge.
        forests = share.column == "probability" and not isinstance(self.learner, Learner)
        return "share" if forests else share.column, share.label, share.attribute

    @property
    def score(self) -> str:
        """Column that ranks the pairs."""
        return self._score[0]

    @property
    def score_label(self) -> str:
        """The score in words, such as "share of forests"."""
        return self._score[1]

    @property
    def scores(self) -> Floats:
        """The score of every pair, shape (d, d); NaN where nothing is known."""
        return np.asarray(getattr(self.learner, self._score[2]), dtype=float)

    @property
    def is_probability(self) -> bool:
        """Whether the score is a calibrated probability, that is, given by the judge."""
        return self.score == "probability"

    @property
    def strength(self) -> str:
        """Name of the column with the strength of edges: ``"strength"`` or ``"weight"``."""
        return "strength" if self.is_probability else "weight"

    @property
    def probabilities(self) -> pd.DataFrame:
        """Probability of each pair, by the names of the columns: ``.loc["age", "sex"]``."""
        return self._by_name(self.learner.edge_probabilities_)

    @property
    def verdicts(self) -> pd.DataFrame:
        """Whether each pair is "present", "absent" or "undecided", by name; see the class."""
        from spinney.graph.words import verdicts

        if not self.is_probability:
            raise InputError(f"verdicts need probabilities, and {self.estimator} gives none.")
        found = verdicts(self.scores, self.learner.sure)
        np.fill_diagonal(found, "")
        return self._by_name(found)

    @property
    def joined(self) -> NDArray[np.bool_]:
        """Which pairs are edges, an array of shape (d, d)."""
        return np.asarray(self.learner.adjacency_, dtype=bool)

    @property
    def adjacency(self) -> pd.DataFrame:
        """Which pairs are edges, by the names of the columns: ``adjacency.loc["age", "sex"]``."""
        return self._by_name(self.joined)

    def _by_name(self, values: NDArray[Any]) -> pd.DataFrame:
        return pd.DataFrame(values, index=list(self.names), columns=list(self.names))

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(np.count_nonzero(self.joined)) // 2

    @property
    def strengths(self) -> Floats:
        """Partial correlation of each edge given the neighbours (or its weight), shape (d, d)."""
        return np.asarray(self.learner.edge_weights_, dtype=float)

    @property
    def known_strengths(self) -> Floats:
        """Strength or weight of each edge, shape (d, d); NaN elsewhere."""
        return np.where(self.joined, self.strengths, np.nan)

    @cached_property
    def signs(self) -> NDArray[np.int64]:
        """Signs of the dependence, shape (d, d)."""
        signs = getattr(self.learner, "edge_signs_", None)
        if signs is not None:
            return np.asarray(signs, dtype=np.int64)
        found = np.zeros(self.joined.shape, dtype=np.int64)
        if "sign" in self.edges:
            first, second = self.edge_positions.T
            found[first, second] = found[second, first] = self.edges["sign"].to_numpy()
        return found

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Component of each column, numbered from 0 in order of first columns."""
        return component_labels(self.joined)

    @property
    def components(self) -> list[tuple[str, ...]]:
        """Connected components as names, the largest first."""
        parts: dict[int, list[str]] = {}
        for name, label in zip(self.names, self.labels.tolist(), strict=True):
            parts.setdefault(label, []).append(name)
        return sorted(map(tuple, parts.values()), key=len, reverse=True)

    # Questions

    def neighbours(self, column: str | int) -> list[str]:
        """List the columns joined to this one, given by name or position; the best edge first."""
        name = self.names[column_position(column, self.names, "neighbours")]
        ends = self.edges[["source", "target"]].to_numpy().tolist()
        return [v if u == name else u for u, v in ends if name in (u, v)]

    neighbors = neighbours

    def markov_blanket(self, *columns: str | int) -> list[str]:
        r"""List the Markov blanket of some columns: the other columns that are joined to them [1]_.

        Given the blanket B, the columns A are independent of all others,

        .. math:: x_A \perp\!\!\!\perp x_{-(A \cup B)} \mid x_B .

        Parameters
        ----------
        *columns : str or int
            One or more columns, by name or position.

        References
        ----------
        .. [1] J. Pearl (1988). Probabilistic Reasoning in Intelligent Systems. Morgan Kaufmann,
           section 3.2.

        Examples
        --------
        >>> from spinney.graph import learn
        >>> from spinney.simulate import copula_forest
        >>> learn(copula_forest(300, 5, random_state=0).X).markov_blanket("x0")
        ['x3', 'x4']
        """
        own = [self.names[column_position(each, self.names, "markov_blanket")] for each in columns]
        near = dict.fromkeys(name for each in own for name in self.neighbours(each))
        return [name for name in near if name not in own]

    @property
    def expected_false(self) -> float | None:
        """Expected number of edges here that are false."""
        return float(self.learner.expected_false_) if self.is_probability else None

    @property
    def expected_missed(self) -> float | None:
        """Expected number of true edges that are not here."""
        return float(self.learner.expected_missed_) if self.is_probability else None

    # Sources

    @cached_property
    def judged(self) -> PairIndex:
        """The pairs that are listed: all, or some of a wide table."""
        return PairIndex.of_model(self.learner, len(self.names))

    @property
    def evidence(self) -> Any:
        """The evidence of every pair, or of those that are listed; or None."""
        return getattr(self.learner, "evidence_", None)

    @property
    def potentials(self) -> Any:
        """The pair densities that the graph was learned from; None if it was from evidence."""
        return shown_potentials(self.learner)

    @property
    def table(self) -> Table | None:
        """The table as it was read, if the estimator keeps it."""
        for model in (self.learner, getattr(self.learner, "estimator_", None)):
            table = getattr(model, "table_", None)
            if isinstance(table, Table):
                return table
        return None

    @property
    def nominal(self) -> NDArray[np.bool_]:
        """Which columns have no order, so that strengths of their edges have no sign."""
        return np.zeros(len(self.names), bool) if self.table is None else self.table.nominal

    # Tables

    @cached_property
    def edges(self) -> pd.DataFrame:
        """One row per edge, best first; see the class."""
        from spinney.graph.graph_tables import edges_of

        return edges_of(self)

    @cached_property
    def edge_positions(self) -> NDArray[np.intp]:
        """Column numbers of each row of `edges`, shape (n_edges, 2)."""
        place = {name: k for k, name in enumerate(self.names)}
        ends = self.edges[["source", "target"]].to_numpy()
        return np.array([[place[u], place[v]] for u, v in ends], dtype=np.intp).reshape(-1, 2)

    @property
    def pairs(self) -> pd.DataFrame:
        """Every pair that was judged, best first; see the class."""
        return self._ranked[0]

    @property
    def pair_positions(self) -> NDArray[np.intp]:
        """Column numbers of each row of `pairs`."""
        return self._ranked[1]

    @cached_property
    def _ranked(self) -> tuple[pd.DataFrame, NDArray[np.intp]]:
        from spinney.graph.graph_tables import pairs_of

        return pairs_of(self)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """Every column of the table; see the class."""
        from spinney.graph.graph_tables import nodes_of

        return nodes_of(self)

    @cached_property
    def predictability(self) -> Floats:
        """How much of each column its neighbours explain; see `nodes`."""
        from spinney.graph.columns import predictability

        return predictability(self)

    @cached_property
    def near_duplicates(self) -> pd.DataFrame:
        """Pairs of columns that are nearly the same: ``correlation`` and topological ``overlap``.

        See :func:`spinney.graph.columns.near_duplicates`.
        """
        from spinney.graph.columns import near_duplicates

        if self.table is None:
            raise InputError(f"near_duplicates needs the table, and {self.estimator} keeps none.")
        return near_duplicates(self.table)

    # Other forms

    def to_networkx(self) -> nx.Graph:
        """Return the graph for networkx, nodes by name, edges with the numbers of `edges`."""
        graph = edge_graph(self.learner)
        if self.table is not None:
            nx.set_node_attributes(
                graph, dict(zip(self.names, self.table.kinds, strict=True)), "kind"
            )
        for row in self.edges.to_dict("records"):
            edge = graph.edges[row["source"], row["target"]]
            edge[self.strength] = edge.pop("weight")
        return graph

    def to_anndata(self, adata: Any) -> None:
        """Write the graph into an AnnData object; see :func:`spinney.graph.export.to_anndata`."""
        from spinney.graph.export import to_anndata

        to_anndata(self, adata)

    @property
    def heading(self) -> str:
        """Title in words: what it is of, and how many edges there are."""
        told = f"{counted(self.n_edges, 'edge') if self.n_edges else 'no edges'} among "
        told += counted(len(self.names), "column")
        return f"{self.title}: {told}" if self.title else told

    @cached_property
    def as_drawn(self) -> nx.Graph:
        """The graph as it is drawn: columns by number, with names, kinds, strengths and signs.

        Columns whose values are words have the one that counts as high (``up``).
        """
        graph = nx.Graph(**{self.score: self.score_label})
        for k, name in enumerate(self.names):
            graph.add_node(k, label=name)
        for k, column in enumerate(() if self.table is None else self.table.columns):
            graph.nodes[k]["kind"] = str(column.kind)
            if (up := high_level(column)) is not None:
                graph.nodes[k]["up"] = up
        for name, group in (self.colour_by or {}).items():
            place = self.names.index(check_choice(name, self.names, "column"))
            graph.nodes[place]["group"] = str(group)
        if self.ring is not None:
            check_choice(self.ring, RINGS, "ring")
            shares = self.predictability
            for k in np.flatnonzero(np.isfinite(shares)).tolist():
                graph.nodes[k]["ring"] = float(np.clip(shares[k], 0.0, 1.0))
        scores, strengths = self.scores, self.strengths
        if self.is_probability:
            graph.graph["sure"] = self.learner.sure
        for u, v in self.edge_positions.tolist():
            told = {self.score: float(scores[u, v]), "sign": int(self.signs[u, v])}
            told.setdefault(self.strength, float(strengths[u, v]))
            graph.add_edge(u, v, **told)
        return graph

    @cached_property
    def layout(self) -> GraphLayout:
        """Where the nodes go, in points, with room for their names."""
        from spinney.graph.plots.layout import lay_out_graph

        return lay_out_graph(self.as_drawn, self.arranged)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        colour_by: Mapping[str, str] | None = None,
        ring: str | None = None,
        **options: Any,
    ) -> Axes:
        """Draw the graph with matplotlib: wide lines are strong edges, dark ones are certain.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default new ones of the right size.
        colour_by : mapping of str to str, optional
            Group of each column, which colours its name.
        ring : {"predictability"}, optional
            Draw a ring around each name, closed as far as its neighbours explain the column.
        **options
            ``layout`` ("components", "circle" or "spring", or positions by name), ``title`` and
            ``legend``; see :func:`spinney.graph.plots.plot_graph`.
        """
        from spinney.graph.plots import plot_graph

        colours = self.colour_by if colour_by is None else colour_by
        view = replace(self, colour_by=colours, ring=ring or self.ring)
        return plot_graph(view, ax, **{"layout": self.arranged, **options})

    def plot_strengths(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the strength of each edge with its 95 % interval, a line per edge.

        `options` are those of :func:`spinney.graph.plots.plot_strengths`.
        """
        from spinney.graph.plots import plot_strengths

        return plot_strengths(self, ax, **options)

    def plot_pair(self, u: str | int, v: str | int, ax: Axes | None = None) -> Axes:
        """Draw two columns; see :func:`spinney.graph.plots.plot_pair`."""
        from spinney.graph.plots import plot_pair

        return plot_pair(self, u, v, ax)

    # Words

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to be careful about, the most important first."""
        from spinney.graph.words import cautions

        return tuple(map(str, cautions(self)))

    def summary(self) -> str:
        """Say in plain words what was found, how certain it is, and what to be careful about."""
        from spinney.graph.words import summarise

        return summarise(self)

    def why(self, u: str | int, v: str | int) -> str:
        """Explain in a paragraph the evidence for and against an edge between two columns.

        It describes whether the two are dependent alone, which other column explains that or brings
        it out, and what is left given all others. ``evidence.why(u, v)`` has all that was measured.

        Parameters
        ----------
        u, v : str or int
            The columns, by name or position.

        Examples
        --------
        >>> from spinney.datasets import load_penguins
        >>> from spinney.graph import learn
        >>> print(learn(load_penguins()).why("species", "sex"))
        species – sex: ... Alone they look independent (p = 0.98). Once body_mass_g is known ...
        """
        names = self.names
        i, j = (column_position(column, names, "why") for column in (u, v))
        if i == j:
            raise InputError(f"why asks for two columns, not for {names[i]!r} and itself.")
        from spinney.graph.pair_words import tell_why

        return tell_why(self, min(i, j), max(i, j))

    def methods(self) -> PaperText:
        """Write words for a paper: methods, results, a caption, and a table of the edges.

        All numbers are those of this run. ``print(found.methods())`` gives a document in Markdown;
        its parts are ``methods``, ``results``, ``caption``, ``table`` and ``latex``.
        """
        from spinney.graph.methods import paper_text

        return paper_text(self)

    def checklist(self) -> pd.DataFrame:
        """List what reporting standards ask for, with what this run has and lacks.

        See :func:`spinney.graph.methods.checklist`.
        """
        from spinney.graph.methods import checklist

        return checklist(self)

    def __str__(self) -> str:
        return self.summary()

    def check(self, n_repetitions: int | None = None, **options: Any) -> GraftCheck:
        """Add columns with known edges to the table, and see which of these edges are found.

        See :func:`spinney.graph.graft_check.check_by_grafts` for the options.
        """
        from spinney.graph.graft_check import check_by_grafts

        return check_by_grafts(self, n_repetitions, **options)

    def __repr__(self) -> str:
        d = len(self.names)
        expected = ""
        if self.is_probability:
            false, missed = self.expected_false, self.expected_missed
            expected = f"; expected {false:.1f} false, {missed:.1f} missed"
        return (
            f"<LearnedGraph: {self.n_edges:,} of {n_pairs(d):,} pairs of {d:,} columns are edges"
            f"{expected}>"
        )

    def _repr_html_(self) -> str:
        from spinney.graph.report.writers import graph_html

        return graph_html(self)

    # A density

    def density(self, **parameters: Any) -> RootedForests:
        """Fit a density to the table with these edges only.

        It is a mixture of the forests that the graph contains, and can score rows
        (``score_samples``), draw new ones (``sample``) and fill missing values (``impute``). See
        :func:`spinney.graph.density.density_on_graph`.
        """
        from spinney.graph.density import density_on_graph

        return density_on_graph(self.learner, **parameters)

    # Files

    def save(self, path: str | Path) -> Path:
        """Write everything to one file; :meth:`load` reads it back.

        The file holds the table, and the name of the judge.
        """
        from spinney._core.files import save_model

        return save_model(self if self.is_probability else self.learner, path)

    def report(self, path: str | Path) -> Path:
        """Write the page that explains the graph: one file, to open in a browser.

        Parameters
        ----------
        path : path
            Name of the file, such as ``"report.html"``.
        """
        from spinney.graph.report.writers import write_report

        write_report(path, self)
        return Path(path)

    @classmethod
    def load(cls, path: str | Path) -> LearnedGraph:
        """Read what :meth:`save` wrote."""
        from spinney._core.files import load_model

        found = load_model(path)
        if not isinstance(found, cls):
            raise InputError(
                f"'{path}' holds a {type(found).__name__}, not a LearnedGraph. Use "
                "spinney.load_model."
            )
        return found
