"""A table's evidence in a few dozen numbers, by which it is compared with other tables.

They do not depend on the order of the columns, nor on their signs (odd channels count by their
absolute values). What they are for is told in :mod:`spinney.evidence.out_of_distribution`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, to_matrix
from spinney.evidence.groups import CHANNELS, PLACES
from spinney.evidence.inputs import judge_inputs
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.evidence.evidence import Evidence

__all__ = [
    "N_FREE",
    "N_SIZES",
    "SUMMARIES",
    "SUMMARY_NAMES",
    "Summary",
    "SummaryVector",
    "table_summaries_from_pairs",
    "table_summary",
]

Floats = NDArray[np.float64]

TIED = 0.02
"""Share of tied pairs of rows from which on a column has many ties."""
N_SIZES = 2
"""The first summaries: log d and log n."""
N_FREE = 8
"""The first summaries again, with gaps, levels and ties: those that do not depend on the size."""


@dataclass(frozen=True)
class Summary:
    """One number about a table.

    Attributes
    ----------
    name : str
        Short name.
    topic : str
        What it is about; of summaries with the same topic, one is told to the user.
    words : str
        What it is, as the subject of a sentence.
    """

    name: str
    topic: str
    words: str


class SummaryVector(NamedTuple):
    """Summaries of one table.

    Attributes
    ----------
    names : tuple of str
        Always :data:`SUMMARY_NAMES`.
    values : array of shape (n_summaries,)
    """

    names: tuple[str, ...]
    values: Floats


class _Looked(NamedTuple):
    """A channel that is summarised over pairs, in words, and from where on a pair is strong."""

    channel: str
    words: str
    strong: float


_LOOKED = (
    _Looked("information", "the information per row (as Fisher's z)", 0.3),
    _Looked("score", "the absolute correlation of normal scores", 0.3),
    _Looked("score_z", "the deviate of that correlation", 3.0),
    _Looked("shapes_z", "the deviate of a bent dependence", 3.0),
    _Looked("partial_free", "the absolute partial correlation with next to no ridge", 0.2),
    _Looked("partial", "the absolute partial correlation", 0.1),
    _Looked("partial_shapes_z", "the deviate of any dependence given all other columns", 3.0),
    _Looked("least_z", "the deviate of any dependence given one other column", 3.0),
    _Looked("most_z", "the deviate of the dependence within classes of another column", 3.0),
)
_STATISTICS = {
    "mean": "the mean over pairs of",
    "median": "the median over pairs of",
    "high": "the 90 % quantile over pairs of",
    "top": "the 99 % quantile over pairs of",
}
_QUANTILES = (0.5, 0.9, 0.99)


def _all_summaries() -> tuple[Summary, ...]:
    found = [
        Summary("log_d", "size", "the logarithm of the number of columns"),
        Summary("log_n", "size", "the logarithm of the number of rows"),
        Summary("gaps", "gaps", "the share of rows where one of two columns has a gap"),
        Summary("gaps_most", "gaps", "the share of rows with a gap in the worst pair"),
        Summary("ties_one", "levels", "the share of pairs where a column has many ties"),
        Summary("ties_both", "levels", "the share of pairs where both columns have many ties"),
        Summary("nominal", "levels", "the mean number of nominal columns in a pair"),
        Summary("tied", "ties", "the mean share of tied rows"),
        Summary("first_eigenvalue", "eigenvalues", "the first eigenvalue's share of all"),
        Summary("second_eigenvalue", "eigenvalues", "the second eigenvalue's share of all"),
        Summary("flatness", "eigenvalues", "the evenness of the eigenvalues of the correlations"),
        Summary("collinearity", "eigenvalues", "the mean logarithm of the eigenvalues"),
        Summary("neighbour", "neighbours", "the median over columns of the largest correlation"),
        Summary("loneliest", "neighbours", "the largest correlation of the loneliest column"),
        Summary("hub", "hub", "the busiest column's share of squared correlations over the mean"),
    ]
    for channel, words, strong in _LOOKED:
        found += [
            Summary(f"{channel}_{short}", channel, f"{statistic} {words}")
            for short, statistic in _STATISTICS.items()
        ]
        above = f"the share of pairs that pass {strong:g} in {words}"
        found.append(Summary(f"{channel}_strong", channel, above))
    return tuple(found)


SUMMARIES = {summary.name: summary for summary in _all_summaries()}
"""All summaries by name, in order."""
SUMMARY_NAMES = tuple(SUMMARIES)
_ODD = {channel.name for channel in CHANNELS if channel.parity == "odd"}
_STRONG = np.array([looked.strong for looked in _LOOKED])
_LEAST_EIGENVALUE = 1e-3


def table_summary(evidence: Evidence) -> SummaryVector:
    """Boil the evidence of a table down to :data:`SUMMARY_NAMES`.

    Parameters
    ----------
    evidence : Evidence
        From :func:`spinney.evidence.measure`.

    Returns
    -------
    SummaryVector
        Names and values; finite always.

    Examples
    --------
    >>> from spinney.evidence import measure
    >>> from spinney.simulate import gaussian_mrf
    >>> summary = table_summary(measure(gaussian_mrf(50, 4, random_state=0).table))
    >>> summary.names[:2], summary.values[:2].round(2)
    (('log_d', 'log_n'), array([1.39, 3.91]))
    """
    read = judge_inputs(evidence.values)
    return SummaryVector(SUMMARY_NAMES, _summarise(read, evidence.n_nodes, evidence.n_samples))


def table_summaries_from_pairs(
    values: ArrayLike, n_nodes: ArrayLike, n_samples: ArrayLike
) -> Floats:
    """Summarise many tables whose evidence lies in one list of pairs.

    Parameters
    ----------
    values : array of shape (n_pairs of all tables, n_channels)
        Evidence of the pairs as the judge reads it (:func:`judge_inputs`), table after table; any
        floating type.
    n_nodes, n_samples : arrays of shape (n_tables,) or numbers
        Columns and rows of each table; numbers if there is one table.

    Returns
    -------
    array of shape (n_tables, n_summaries)

    Raises
    ------
    InputError
        If the tables need another number of pairs than there are.
    """
    pairs = np.asarray(values)
    columns, rows = np.atleast_1d(n_nodes, n_samples)
    ends = np.cumsum([n_pairs(int(d)) for d in columns])
    if len(pairs) != ends[-1] or pairs.shape[1] != len(CHANNELS):
        raise InputError(
            f"Tables of {len(columns)} sizes with {len(CHANNELS)} channels need an array of shape "
            f"({ends[-1]}, {len(CHANNELS)}); got {pairs.shape}."
        )
    parts = zip(np.split(pairs, ends[:-1]), columns, rows, strict=True)
    return np.array([_summarise(part, int(d), int(n)) for part, d, n in parts])


def _summarise(values: NDArray[np.floating], d: int, n: int) -> Floats:
    if d < 2:
        raise InputError("A table with a single column has no pairs, hence no evidence.")
    numbers = np.asarray(values, dtype=np.float64)

    def channel(name: str) -> Floats:
        column: Floats = numbers[:, PLACES[name]]
        return column

    looked = np.stack([_look(channel, name) for name, _, _ in _LOOKED], axis=1)
    over_pairs = np.stack(
        [
            looked.mean(axis=0),
            *np.quantile(looked, _QUANTILES, axis=0),
            (looked > _STRONG).mean(axis=0),
        ],
        axis=1,
    )
    gaps = 1.0 - np.expm1(channel("rows")) / np.exp(channel("all_rows"))
    table = [
        np.log(d),
        np.log(n),
        gaps.mean(),
        gaps.max(),
        (channel("tied") > TIED).mean(),
        (channel("tied_least") > TIED).mean(),
        channel("nominal").mean(),
        channel("tied").mean(),
    ]
    return np.concatenate([table, _matrix_summaries(channel("score")), over_pairs.ravel()])


def _look(channel: Callable[[str], Floats], name: str) -> Floats:
    return np.abs(channel(name)) if name in _ODD else channel(name)


def _matrix_summaries(correlations: Floats) -> Floats:
    """Summarise the matrix of correlations by its eigenvalues and its columns."""
    matrix = to_matrix(correlations)
    squares = matrix**2
    strongest = np.abs(matrix).max(axis=1)
    busy = squares.sum(axis=1)
    d = len(matrix)
    eigenvalues = np.linalg.eigvalsh(matrix + np.eye(d))
    flatness = d / (d + squares.sum())  # (sum of eigenvalues)^2 / (d times the sum of squares)
    return np.array(
        [
            eigenvalues[-1] / d,
            eigenvalues[-2] / d,
            flatness,
            np.log(np.maximum(eigenvalues, _LEAST_EIGENVALUE)).mean(),
            np.median(strongest),
            strongest.min(),
            busy.max() / max(busy.mean(), 1e-12),
        ]
    )
