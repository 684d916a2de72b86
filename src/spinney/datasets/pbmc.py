"""Phosphorylation in human blood cells by mass cytometry (Bodenmiller et al. 2012)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from spinney._core.choices import check_choice
from spinney.datasets.tables import read_bundled

__all__ = [
    "PBMC_CELL_TYPES",
    "PBMC_PHOSPHO_SITES",
    "PBMC_STIMULI",
    "PBMC_SURFACE_MARKERS",
    "PbmcData",
    "load_pbmc",
    "pbmc_counts",
]

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
        asinh(intensity / 5) of the phosphorylation sites, after the surface markers if requested.
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
    table = read_bundled("pbmc.csv.xz", decimals=4)
    kept = pd.Series(True, index=table.index)
    said = []
    for column, chosen, choices, what in (
        ("cell_type", cell_type, PBMC_CELL_TYPES, "cell type"),
        ("stimulus", stimulus, PBMC_STIMULI, "stimulus"),
    ):
        if chosen is None:
            said.append("all cell types" if column == "cell_type" else "all stimuli")
            continue
        wanted = [chosen] if isinstance(chosen, str) else list(chosen)
        names = [check_choice(name, choices, what) for name in wanted]
        kept &= table[column].isin(names)
        said.append(", ".join(names))
    rows = table[kept].reset_index(drop=True)
    columns = (
        (*PBMC_SURFACE_MARKERS, *PBMC_PHOSPHO_SITES) if surface_markers else PBMC_PHOSPHO_SITES
    )
    return PbmcData(
        X=rows[list(columns)].copy(),
        cell_types=rows["cell_type"],
        stimuli=rows["stimulus"],
        description=(
            f"Bodenmiller et al. (2012), human blood cells by mass cytometry: {len(rows)} cells "
            f"({'; '.join(said)}), {len(columns)} columns, asinh(x / 5). CC0."
        ),
    )


def pbmc_counts() -> pd.DataFrame:
    """Count the cells of each type (rows) under each stimulus (columns) in :func:`load_pbmc`.

    Examples
    --------
    >>> from spinney.datasets import pbmc_counts
    >>> int(pbmc_counts().loc["nk", "Reference"])
    1755
    """
    table = read_bundled("pbmc.csv.xz", decimals=4)
    counts = table.groupby(["cell_type", "stimulus"]).size().unstack(fill_value=0)
    return counts.loc[list(PBMC_CELL_TYPES), list(PBMC_STIMULI)]
