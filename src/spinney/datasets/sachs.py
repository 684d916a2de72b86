"""Protein signalling in human T cells (Sachs et al. 2005), with two versions of the truth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import pandas as pd

from spinney._core.choices import check_choice
from spinney.datasets._files import read_bundled

__all__ = ["SachsData", "load_sachs"]

# Directed edges, "source target".
_TRUTHS = {
    "consensus20": """
        Erk Akt, Mek Erk, PIP2 PKC, PIP3 Akt, PIP3 PIP2, PIP3 Plcg, PKA Akt, PKA Erk, PKA Jnk,
        PKA Mek, PKA P38, PKA Raf, PKC Jnk, PKC Mek, PKC P38, PKC PKA, PKC Raf, Plcg PIP2,
        Plcg PKC, Raf Mek""",
    "bnlearn17": """
        Erk Akt, PKA Akt, Mek Erk, PKA Erk, PKA Jnk, PKC Jnk, PKA Mek, PKC Mek, Raf Mek, PKA P38,
        PKC P38, PIP3 PIP2, Plcg PIP2, Plcg PIP3, PKC PKA, PKA Raf, PKC Raf""",
}

_OBSERVATIONAL = "cd3cd28"


@dataclass(frozen=True, eq=False)
class SachsData:
    """The table of :func:`load_sachs` and what is known of its graph.

    Attributes
    ----------
    X : data frame of shape (n, 11)
        Fluorescence intensities of the proteins, one row per cell.
    edges : data frame
        Directed edges of the chosen truth: columns ``source`` and ``target``.
    conditions : Series of shape (n,)
        The experimental condition of each row.
    description : str
        Origin, licence and version in one sentence.
    """

    X: pd.DataFrame
    edges: pd.DataFrame
    conditions: pd.Series[str]
    description: str

    @property
    def moral_edges(self) -> pd.DataFrame:
        """Undirected edges of the moral graph: the skeleton, with all parents of a child joined.

        This is the Markov random field that a directed network implies, hence the graph that
        an undirected method can hope to find. Columns ``source`` and ``target``, names sorted.
        """
        pairs = {(min(edge), max(edge)) for edge in self._pairs()}
        for _, parents in self.edges.groupby("target")["source"]:
            pairs |= set(combinations(sorted(parents), 2))
        return pd.DataFrame(sorted(pairs), columns=["source", "target"])

    @property
    def adjacency(self) -> pd.DataFrame:
        """Skeleton of `edges` as a symmetric boolean table in the column order of `X`."""
        return self._adjacency(self.edges)

    @property
    def moral_adjacency(self) -> pd.DataFrame:
        """Moral graph as a symmetric boolean table in the column order of `X`."""
        return self._adjacency(self.moral_edges)

    def _pairs(self) -> list[tuple[str, str]]:
        return list(zip(self.edges["source"], self.edges["target"], strict=True))

    def _adjacency(self, edges: pd.DataFrame) -> pd.DataFrame:
        matrix = pd.DataFrame(False, index=self.X.columns, columns=self.X.columns)
        for source, target in zip(edges["source"], edges["target"], strict=True):
            matrix.loc[source, target] = matrix.loc[target, source] = True
        return matrix


def load_sachs(
    version: Literal["observational", "all_conditions"] = "observational",
    *,
    truth: Literal["consensus20", "bnlearn17"] = "consensus20",
) -> SachsData:
    """Load the protein-signalling data of Sachs et al. (2005).

    Eleven phosphorylated proteins and phospholipids in single human T cells, by flow cytometry.

    Parameters
    ----------
    version : {"observational", "all_conditions"}
        ``"observational"``: the 853 cells under general stimulation (anti-CD3/CD28) alone.
        ``"all_conditions"``: 7,466 cells of nine conditions, six of which act on a protein of
        the table, so that the rows are not draws from one distribution.
    truth : {"consensus20", "bnlearn17"}
        ``"consensus20"``: the 20 edges accepted by biologists, a connected graph (22 moral
        edges). ``"bnlearn17"``: the 17 edges of the network that Sachs et al. report, as the
        bnlearn repository gives it; {PIP2, PIP3, Plcg} are a component of their own (17 moral
        edges). Neither is certain: the consensus is what was known, not what was shown.

    Returns
    -------
    SachsData
        `X`, `edges`, `moral_edges`, `adjacency`, `moral_adjacency`, `conditions`, `description`.

    Raises
    ------
    InputError
        If `version` or `truth` is not one of those above.

    Notes
    -----
    Values are raw intensities with three significant digits: many ties (only 249 to 367 distinct
    values per column among the 853 rows; 9 % of PKC is exactly 1, the detection floor, under all
    conditions) and extreme skew (skewness up to 27). Ranks do not mind; moments do.

    Source: the causal-datasets collection, which places the data in the public domain (CC0).

    References
    ----------
    .. [1] K. Sachs, O. Perez, D. Pe'er, D. A. Lauffenburger and G. P. Nolan (2005). Causal
       protein-signaling networks derived from multiparameter single-cell data. Science 308,
       523-529.

    Examples
    --------
    >>> from spinney.datasets import load_sachs
    >>> sachs = load_sachs()
    >>> sachs.X.shape, len(sachs.edges), int(sachs.adjacency.to_numpy().sum()) // 2
    ((853, 11), 20, 20)
    """
    check_choice(version, ("observational", "all_conditions"), "version")
    check_choice(truth, tuple(_TRUTHS), "truth")
    table = read_bundled("sachs.csv.xz", decimals=2)
    if version == "observational":
        table = table[table["condition"] == _OBSERVATIONAL]
    edges = [tuple(edge.split()) for edge in _TRUTHS[truth].split(",")]
    return SachsData(
        X=table.drop(columns="condition").reset_index(drop=True),
        edges=pd.DataFrame(edges, columns=["source", "target"]),
        conditions=table["condition"].reset_index(drop=True),
        description=(
            f"Sachs et al. (2005), protein signalling in human T cells, {version}: {len(table)} "
            f"cells, 11 proteins, truth '{truth}'. CC0."
        ),
    )
