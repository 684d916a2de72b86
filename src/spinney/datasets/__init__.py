"""Real tables that come with the package, with their provenance and what is known of the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Literal

import pandas as pd

from spinney._core.choices import check_choice

__all__ = [
    "PBMC_CELL_TYPES",
    "PBMC_PHOSPHO_SITES",
    "PBMC_STIMULI",
    "PBMC_SURFACE_MARKERS",
    "PbmcData",
    "SachsData",
    "load_anes96",
    "load_pbmc",
    "load_penguins",
    "load_sachs",
    "path",
    "pbmc_counts",
]

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
_DATA = Path(str(files("spinney.datasets") / "data"))
_LEFT_TO_RIGHT = [
    *("extremely liberal", "liberal", "slightly liberal", "moderate"),
    *("slightly conservative", "conservative", "extremely conservative"),
]
_VOTERS: dict[str, list[str]] = {
    "selfLR": _LEFT_TO_RIGHT,
    "ClinLR": _LEFT_TO_RIGHT,
    "DoleLR": _LEFT_TO_RIGHT,
    "PID": [
        *("strong Democrat", "weak Democrat", "independent Democrat", "independent"),
        *("independent Republican", "weak Republican", "strong Republican"),
    ],
    "educ": [
        *("1-8 grades", "some high school", "high school graduate", "some college"),
        *("college degree", "master's degree", "PhD"),
    ],
    "vote": ["Clinton", "Dole"],
}
"""What the codes mean, in order; the file counts PID and vote from 0, the others from 1."""


@cache
def _read_bundled(name: str, decimals: int) -> pd.DataFrame:
    """Read a bundled table once; callers must copy what they return.

    Rounding to the `decimals` of the file makes the numbers the nearest ones to the printed text
    whichever parser pandas uses.
    """
    return pd.read_csv(_DATA / name).round(decimals)


def path(name: str) -> Path:
    """Find a bundled table that is a plain file.

    Parameters
    ----------
    name : {"penguins.csv", "anes96.csv"}
        The file.

    Returns
    -------
    Path
        Of a text file with a line of names, and ``NA`` where a value is missing.

    Raises
    ------
    InputError
        If there is no such file; the message lists those that there are.

    Examples
    --------
    >>> from spinney import datasets
    >>> with datasets.path("penguins.csv").open() as lines:
    ...     print(next(lines), end="")
    species,island,bill_length_mm,bill_depth_mm,flipper_length_mm,body_mass_g,sex,year
    """
    return _DATA / check_choice(name, ("penguins.csv", "anes96.csv"), "bundled file")


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
        """Edges of the moral graph: the skeleton, and edges between the parents of a child.

        This is the Markov random field that a directed network implies, hence the graph that
        an undirected method can hope to find. Columns ``source`` and ``target``, names sorted.
        """
        rows = self.edges[["source", "target"]].itertuples(index=False)
        pairs = {(min(edge), max(edge)) for edge in rows}
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
        edges). Neither is certain: the consensus rests on earlier studies, not on these data.

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
    conditions) and extreme skew (skewness up to 27). Ranks are not affected by it; moments are.

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
    table = _read_bundled("sachs.csv.xz", decimals=2)
    if version == "observational":
        table = table[table["condition"] == "cd3cd28"]
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


def load_penguins() -> pd.DataFrame:
    """Load size measurements of penguins, with species, island, sex and year.

    344 adult penguins of three species near Palmer Station, Antarctica. The file itself, with
    ``NA`` for missing values, is at ``spinney.datasets.path("penguins.csv")``.

    Returns
    -------
    data frame of shape (344, 8)
        ``species`` and ``island`` (categoricals without order, three levels each);
        ``bill_length_mm, bill_depth_mm, flipper_length_mm, body_mass_g`` (numbers; two birds have
        none of them);
        ``sex`` (categorical, two levels, 11 missing); ``year`` (ordered categorical, 2007 to 2009).

    Notes
    -----
    Some of the dependences are known. Gentoo were met on Biscoe only and Chinstrap on Dream only,
    so species and island are strongly dependent. Bill depth and body mass are *negatively*
    dependent over all birds and positively within each species and sex: a graph over the
    measurements alone mixes the two. Measurements are rounded (body mass to 25 g), hence tied.

    Source: the Python package ``palmerpenguins`` 0.1.6, whose description says: "Data are available
    by CC-0 license in accordance with the Palmer Station LTER Data Policy and the LTER Data Access
    Policy for Type I data." More is in ``data/PROVENANCE.md``.

    References
    ----------
    .. [1] A. M. Horst, A. P. Hill and K. B. Gorman (2020). palmerpenguins: Palmer Archipelago
       (Antarctica) penguin data. R package version 0.1.0. doi:10.5281/zenodo.3960218
    .. [2] K. B. Gorman, T. D. Williams and W. R. Fraser (2014). Ecological sexual dimorphism and
       environmental variability within a community of Antarctic penguins (genus Pygoscelis). PLoS
       ONE 9(3), e90081.

    Examples
    --------
    >>> from spinney.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.shape, int(penguins["sex"].isna().sum())
    ((344, 8), 11)
    >>> penguins["species"].value_counts(sort=False).to_dict()
    {'Adelie': 152, 'Chinstrap': 68, 'Gentoo': 124}
    """
    table = _read_bundled("penguins.csv", decimals=1)
    table = table.astype(dict.fromkeys(("species", "island", "sex"), "category"))
    table["year"] = pd.Categorical(table["year"], categories=[2007, 2008, 2009], ordered=True)
    return table


def load_anes96() -> pd.DataFrame:
    """Load answers of American voters in 1996: opinions, background, vote.

    A part of the American National Election Study of 1996: 944 respondents, no missing values. The
    file itself, with numbers for all answers, is at ``spinney.datasets.path("anes96.csv")``.

    Returns
    -------
    data frame of shape (944, 10)
        ``popul`` (population of the place in thousands; a quarter of them zero), ``TVnews`` (days a
        week with news on television, ordered, 0 to 7), ``selfLR, ClinLR, DoleLR`` (where one sees
        oneself, Clinton and Dole from left to right, seven steps), ``PID`` (party, seven steps from
        strong Democrat to strong Republican), ``age``, ``educ`` (seven steps), ``income`` (24
        classes of household income, ordered, 1: below 3,000 dollars, 24: from 105,000 dollars) and
        ``vote`` (Clinton or Dole). Steps are ordered categoricals.

    Notes
    -----
    Source: the Python package ``statsmodels`` 0.15.0, ``datasets/anes96``, which says: "This is
    public domain." More is in ``data/PROVENANCE.md``.

    References
    ----------
    .. [1] The American National Election Studies (electionstudies.org). 1996 study.

    Examples
    --------
    >>> from spinney.datasets import load_anes96
    >>> voters = load_anes96()
    >>> voters.shape, voters["vote"].value_counts(sort=False).to_dict()
    ((944, 10), {'Clinton': 551, 'Dole': 393})
    >>> voters["PID"].cat.categories[0], bool(voters["PID"].cat.ordered)
    ('strong Democrat', True)
    """
    table = _read_bundled("anes96.csv", decimals=0).copy()
    for name, levels in _VOTERS.items():
        codes = table[name] - (0 if name in ("PID", "vote") else 1)
        table[name] = pd.Categorical.from_codes(codes, categories=pd.Index(levels), ordered=True)
    for name, values in (("TVnews", range(8)), ("income", range(1, 25))):
        table[name] = pd.Categorical(table[name], categories=list(values), ordered=True)
    return table


# Blood cells by mass cytometry (Bodenmiller et al. 2012)

PBMC_CELL_TYPES = (
    *("cd14+hladr-", "cd14+hladrhigh", "cd14+hladrmid", "cd14+surf-"),
    *("cd14-hladr-", "cd14-hladrhigh", "cd14-hladrmid", "cd14-surf-"),
    *("cd4+", "cd8+", "dendritic", "igm+", "igm-", "nk"),
)
"""The 14 gated cell types."""

PBMC_STIMULI = ("Vanadate", "Reference", "BCR/FcR-XL", "PMA/Ionomycin")
"""The four stimuli; ``"Reference"`` means no stimulus."""

PBMC_SURFACE_MARKERS = ("CD20", "IgM", "CD4", "CD33", "HLA-DR", "CD14", "CD7", "CD3", "CD123")
"""The markers by which cells were gated."""

PBMC_PHOSPHO_SITES = (
    *("pStat1", "pSlp76", "pBtk", "pPlcg2", "pErk", "pLat", "pS6"),
    *("pNFkB", "pp38", "pStat5", "pAkt", "pSHP2", "pZap70", "pStat3"),
)
"""The 14 phosphorylation sites that the founding paper studies."""


@dataclass(frozen=True, eq=False)
class PbmcData:
    """The table of :func:`load_pbmc`.

    Attributes
    ----------
    X : data frame of shape (n, 14) or (n, 23)
        asinh(intensity / 5) of the phosphorylation sites, after the surface markers if asked for.
    cell_types, stimuli : Series of shape (n,)
        Cell type and stimulus of each row.
    description : str
        Origin, licence and selection in one sentence.
    """

    X: pd.DataFrame
    cell_types: pd.Series[str]
    stimuli: pd.Series[str]
    description: str


def load_pbmc(
    cell_type: str | Sequence[str] | None = None,
    stimulus: str | Sequence[str] | None = None,
    *,
    surface_markers: bool = False,
) -> PbmcData:
    """Load phosphorylation sites of human peripheral blood mononuclear cells.

    Single cells by mass cytometry: 14 phosphorylation sites in 14 gated cell types under four
    stimuli, 51,936 cells in all.

    Parameters
    ----------
    cell_type : str, sequence of str or None
        One or more of :data:`PBMC_CELL_TYPES`; None takes all.
    stimulus : str, sequence of str or None
        One or more of :data:`PBMC_STIMULI`; None takes all.
    surface_markers : bool
        Whether `X` also holds the nine markers by which the cells were gated.

    Returns
    -------
    PbmcData
        `X`, `cell_types`, `stimuli`, `description`.

    Raises
    ------
    InputError
        If a cell type or stimulus does not exist; the message lists those that do.

    See Also
    --------
    pbmc_counts : How many cells there are of each kind.

    Notes
    -----
    Values are asinh(x / 5) to four decimals, as is usual in mass cytometry. About one phospho
    value in seven (14 %; up to 31 % of a column, pStat3) lies at or below zero, where
    small counts are spread by noise, so logarithms and families for positive data do not apply.
    Ties are few. Some kinds of cell are rare: see :func:`pbmc_counts` before fitting. Cells of
    several types or stimuli together are a mixture, and their dependence is partly that of the
    mixture.

    The rows are the zero-dose wells of the staurosporine plate, hence the same sites in the same
    kind of study as the founding paper's, but not the plates of its last figure.

    Source: the R package ``bodenmiller``, public domain (CC0).

    References
    ----------
    .. [1] B. Bodenmiller et al. (2012). Multiplexed mass cytometry profiling of cellular states
       perturbed by small-molecule regulators. Nature Biotechnology 30, 858-867.

    Examples
    --------
    >>> from spinney.datasets import load_pbmc
    >>> load_pbmc("cd4+", "BCR/FcR-XL").X.shape
    (4076, 14)
    """
    table = _read_bundled("pbmc.csv.xz", decimals=4)
    types = _chosen(cell_type, PBMC_CELL_TYPES, "cell type")
    stimuli = _chosen(stimulus, PBMC_STIMULI, "stimulus")
    kept = table["cell_type"].isin(types) & table["stimulus"].isin(stimuli)
    rows = table[kept].reset_index(drop=True)
    told = "all cell types" if cell_type is None else ", ".join(types)
    told += "; all stimuli" if stimulus is None else f"; {', '.join(stimuli)}"
    columns = [*(PBMC_SURFACE_MARKERS if surface_markers else ()), *PBMC_PHOSPHO_SITES]
    return PbmcData(
        X=rows[columns].copy(),
        cell_types=rows["cell_type"],
        stimuli=rows["stimulus"],
        description=(
            f"Bodenmiller et al. (2012), human blood cells by mass cytometry: {len(rows)} cells "
            f"({told}), {len(columns)} columns, asinh(x / 5). CC0."
        ),
    )


def _chosen(names: str | Sequence[str] | None, known: Sequence[str], what: str) -> Sequence[str]:
    if names is None:
        return known
    wanted = [names] if isinstance(names, str) else names
    return [check_choice(name, known, what) for name in wanted]


def pbmc_counts() -> pd.DataFrame:
    """Count the cells of each type (rows) under each stimulus (columns) in :func:`load_pbmc`.

    Examples
    --------
    >>> from spinney.datasets import pbmc_counts
    >>> int(pbmc_counts().loc["nk", "Reference"])
    1755
    """
    table = _read_bundled("pbmc.csv.xz", decimals=4)
    counts = table.groupby(["cell_type", "stimulus"]).size().unstack(fill_value=0)
    return counts.loc[list(PBMC_CELL_TYPES), list(PBMC_STIMULI)]
