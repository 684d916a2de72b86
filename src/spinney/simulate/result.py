"""What a simulator returns: the table and the truth behind it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.components import component_labels
from spinney._core.files import whole_file
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import Copula
from spinney.pairs.copulas.registry import family_class
from spinney.simulate.margins import transform_margins
from spinney.tables import CONTINUOUS, NOMINAL, Kind

__all__ = ["Simulated"]

FORMAT = "spinney simulated table, version 1"
_ARRAYS = ("X", "adjacency", "labels", "precision", "correlation")


@dataclass(frozen=True, eq=False)
class Simulated:
    """A simulated table with its truth.

    Attributes
    ----------
    X : array of shape (n, d)
        The table: values of continuous columns, codes 0, 1, … of levels, NaN where a value is
        missing. :attr:`table` is the same as a data frame that says which columns are which.
    adjacency : boolean array of shape (d, d)
        The true graph.
    labels : int array of shape (d,)
        Connected component of each node, numbered in the order of their first nodes.
    name : str
        The simulator.
    parameters : dict
        Its arguments, other than the seed.
    seed : int
        What `random_state` was; together with `name` and `parameters` it gives the table again.
    precision : array of shape (d, d) or None
        Inverse covariance of Gaussian data (of the table before any change of its margins).
    correlation : array of shape (d, d) or None
        Correlation of the t vectors behind t-copula cliques.
    copulas : dict or None
        Pair copula of every edge (u, v), u < v, of a copula forest; the first argument is u.
    margins : tuple of str
        Kind of each column's margin; see :func:`transform_margins`. Without meaning where a
        column has levels.
    kinds : tuple of str
        Kind of each column: ``"continuous"``, ``"ordinal"``, ``"binary"`` or ``"nominal"``.
    pair_tables : dict or None
        Probabilities of the levels of both ends of every edge (u, v), u < v, of a forest of
        discrete columns; u goes down the rows. They are what the table was drawn from, and exact.

    Examples
    --------
    >>> from spinney.simulate import gaussian_mrf
    >>> gaussian_mrf(100, 25, degree=2, components=2, random_state=1)
    <Simulated gaussian_mrf: 100 rows, 25 nodes, 25 edges, 2 components, seed 1>
    """

    X: NDArray[np.float64]
    adjacency: NDArray[np.bool_]
    name: str
    parameters: dict[str, Any]
    seed: int
    precision: NDArray[np.float64] | None = None
    correlation: NDArray[np.float64] | None = None
    copulas: Mapping[tuple[int, int], Copula] | None = None
    margins: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    pair_tables: Mapping[tuple[int, int], NDArray[np.float64]] | None = None

    def __post_init__(self) -> None:
        d = self.X.shape[1]
        if not self.margins:
            object.__setattr__(self, "margins", ("normal",) * d)
        if not self.kinds:
            object.__setattr__(self, "kinds", (CONTINUOUS,) * d)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """Connected component of each node, numbered in the order of their first nodes."""
        return component_labels(self.adjacency)

    @property
    def n_components(self) -> int:
        """Number of connected components of the truth."""
        return int(self.labels.max()) + 1

    @property
    def n_edges(self) -> int:
        """Number of true edges."""
        return int(self.adjacency.sum()) // 2

    @property
    def table(self) -> pd.DataFrame:
        """The table as people have it: columns x0, x1, … with types that tell their kinds.

        Continuous columns are floats with NaN for gaps; nominal ones are unordered categories
        a, b, …; ordinal and binary ones are whole numbers, ``Int64`` where values are missing.

        Examples
        --------
        >>> from spinney.simulate import potts_forest
        >>> potts_forest(3, 2, random_state=1).table
          x0 x1
        0  ...
        """
        columns = zip(self.X.T, self.kinds, strict=True)
        return pd.DataFrame({f"x{k}": _column(x, kind) for k, (x, kind) in enumerate(columns)})

    @property
    def graph(self) -> Any:
        """The truth as a networkx graph on the nodes 0 … d-1."""
        return nx.from_numpy_array(self.adjacency.astype(int))

    def __repr__(self) -> str:
        n, d = self.X.shape
        return (
            f"<Simulated {self.name}: {n} rows, {d} nodes, {self.n_edges} edges, "
            f"{self.n_components} components, seed {self.seed}>"
        )

    def with_margins(self, kinds: str | Sequence[str]) -> Simulated:
        """Change the margins, which leaves the copula, hence the graph, as it is (ties apart).

        Parameters
        ----------
        kinds : str or sequence of str
            As in :func:`transform_margins`; ``"mixed"`` draws from the table's own seed.

        Examples
        --------
        >>> from spinney.simulate import independent
        >>> bool((independent(50, 3, random_state=0).with_margins("skewed").X > 0).all())
        True
        """
        if set(self.kinds) != {CONTINUOUS}:
            raise InputError("Some columns have levels, whose margins cannot be changed.")
        if set(self.margins) != {"normal"}:
            raise InputError("The margins have been changed already. Start from the table before.")
        X, margins = transform_margins(self.X, kinds, self.seed)
        return replace(self, X=X, margins=margins)

    def write(self, path: str | Path) -> Path:
        """Write everything to one file, whole or not at all; :meth:`read` reads it back.

        The file is a numpy archive (``.npz``) of plain arrays and one JSON text; nothing in it
        is pickled.

        Examples
        --------
        >>> import tempfile
        >>> from spinney.simulate import independent
        >>> path = independent(4, 2, random_state=0).write(tempfile.mkdtemp() + "/table.npz")
        >>> Simulated.read(path)
        <Simulated independent: 4 rows, 2 nodes, 0 edges, 2 components, seed 0>
        """
        header = {
            "format": FORMAT,
            "name": self.name,
            "parameters": self.parameters,
            "seed": self.seed,
            "margins": list(self.margins),
            "kinds": list(self.kinds),
            "copulas": None if self.copulas is None else _copulas_to_rows(self.copulas),
            "pair_tables": None if self.pair_tables is None else _tables_to_rows(self.pair_tables),
        }
        arrays = {key: getattr(self, key) for key in _ARRAYS if getattr(self, key) is not None}
        target = Path(path)
        with whole_file(target) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header, default=_plain)), **arrays)
        return target

    @classmethod
    def read(cls, path: str | Path) -> Simulated:
        """Read what :meth:`write` wrote.

        Raises
        ------
        InputError
            If the file is not one of ours.
        FileNotFoundError
            If there is none.
        """
        try:
            with np.load(path, allow_pickle=False) as archive:
                header = json.loads(str(archive["header"]))
                arrays = {key: archive[key] for key in _ARRAYS if key in archive.files}
            if header["format"] != FORMAT:
                raise ValueError(header["format"])
        except (ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile) as e:
            raise InputError(f"'{path}' is not a table written by Simulated.write.") from e
        arrays.pop("labels")  # in the file for those who read it without us
        rows = header["copulas"]
        tables = header.get("pair_tables")  # files of the first releases have none
        return cls(
            name=header["name"],
            parameters=header["parameters"],
            seed=header["seed"],
            margins=tuple(header["margins"]),
            kinds=tuple(header.get("kinds", ())),
            pair_tables=None if tables is None else _rows_to_tables(tables),
            copulas=None if rows is None else _rows_to_copulas(rows),
            **arrays,
        )


def _column(x: NDArray[np.float64], kind: Kind) -> pd.Series:
    """Give a column the type that tells its kind."""
    if kind == CONTINUOUS:
        return pd.Series(x)
    missing = np.isnan(x)
    codes = np.where(missing, -1, x).astype(np.int64)
    if kind == NOMINAL:
        letters = [_letters(code) for code in range(int(codes.max()) + 1)]
        return pd.Series(pd.Categorical.from_codes(codes, pd.Index(letters)))
    if missing.any():
        return pd.Series(pd.arrays.IntegerArray(codes, missing))
    return pd.Series(codes)


def _letters(code: int) -> str:
    """Name a level by letters: a, b and so on to z, then ba, bb and so on."""
    rest, last = divmod(code, 26)
    return (_letters(rest) if rest else "") + chr(ord("a") + last)


def _plain(value: Any) -> Any:
    """Numbers of numpy as Python's own."""
    return value.item()


def _copulas_to_rows(copulas: Mapping[tuple[int, int], Copula]) -> list[dict[str, Any]]:
    return [
        {
            "u": u,
            "v": v,
            "family": copula.family,
            "rotation": copula.rotation,
            "parameters": list(copula.parameters),
        }
        for (u, v), copula in copulas.items()
    ]


def _rows_to_copulas(rows: list[dict[str, Any]]) -> dict[tuple[int, int], Copula]:
    copulas = {}
    for row in rows:
        family = family_class(row["family"])
        turned = {} if family.rotations == (0,) else {"rotation": row["rotation"]}
        copulas[row["u"], row["v"]] = family(*row["parameters"], **turned)
    return copulas


def _tables_to_rows(
    tables: Mapping[tuple[int, int], NDArray[np.float64]],
) -> list[dict[str, Any]]:
    return [{"u": u, "v": v, "table": table.tolist()} for (u, v), table in tables.items()]


def _rows_to_tables(rows: list[dict[str, Any]]) -> dict[tuple[int, int], NDArray[np.float64]]:
    return {(row["u"], row["v"]): np.array(row["table"]) for row in rows}
