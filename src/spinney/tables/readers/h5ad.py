"""AnnData, in memory and in files (.h5ad, by anndata): a matrix, and the columns of obs."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from spinney._core.choices import check_choice
from spinney._core.text import listed
from spinney.exceptions import InputError
from spinney.tables.readers.header import clean_names
from spinney.tables.readers.sources import (
    SAVE,
    Options,
    Reading,
    Source,
    check_not_empty,
    columns_text,
    library,
    reading,
)

MOST_CELLS = 200_000_000
"""Cells of the largest matrix that is read: as numbers they take 1.6 GB."""


def read(source: Source, options: Options) -> Reading:
    """Read the matrix of an AnnData file."""
    anndata = library("anndata", ".h5ad", "anndata")
    h5py = library("h5py", ".h5ad", "anndata")
    with reading(source, "an AnnData file"), h5py.File(BytesIO(source.data), "r") as file:
        if not {"X", "obs", "var"} <= set(file):
            raise InputError(
                f"{source.label} is an HDF5 file, but no AnnData file with a matrix X. {SAVE}"
            )
        stored = file["X"]
        shape = stored.shape if isinstance(stored, h5py.Dataset) else stored.attrs["shape"]
        _check_cells(int(shape[0]), int(shape[1]), source)
        X, obs, var = (anndata.io.read_elem(file[part]) for part in ("X", "obs", "var"))
        aside = [part for part in ("layers", "obsm", "raw") if len(file.get(part, ()))]
    found = _reading(X, obs, var.index, "X", source)
    more = (f"{listed(aside)} not read",) if aside else ()
    return Reading(found.frame, (*found.decisions, *more), "h5ad", extra=found.extra)


def read_object(adata: Any, layer: str | None) -> Reading:
    """Take the matrix of an AnnData object in memory, or one of its layers."""
    source = Source("AnnData")
    X = adata.X
    if layer is not None:
        X = adata.layers[check_choice(layer, list(adata.layers), "layer")]
    if X is None:
        raise InputError(
            f"The AnnData object has no X. Name a layer: {listed(list(adata.layers))}."
        )
    _check_cells(X.shape[0], X.shape[1], source)
    return _reading(X, adata.obs, adata.var.index, layer or "X", source)


def _reading(X: Any, obs: pd.DataFrame, variables: Any, what: str, source: Source) -> Reading:
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    check_not_empty(dense.shape, source)
    names, renamed = clean_names(list(variables))
    frame = pd.DataFrame(dense, index=obs.index, columns=names)
    extra = obs.set_axis([str(name) for name in obs.columns], axis=1)
    n_rows, n_columns = dense.shape
    said = [f"{what} read: {n_rows:,} observations of {n_columns:,} variables", *renamed]
    if extra.shape[1]:
        said.append(
            f"{columns_text(list(extra.columns))} of obs kept apart from the table, for groups"
        )
    return Reading(frame, tuple(said), "h5ad", extra=extra if extra.shape[1] else None)


def _check_cells(n_rows: int, n_columns: int, source: Source) -> None:
    """Refuse a matrix that is too large before it fills the memory."""
    if n_rows * n_columns > MOST_CELLS:
        raise InputError(
            f"{source.label} holds a table of {n_rows:,} × {n_columns:,} cells; at most "
            f"{MOST_CELLS:,} are read. Keep the rows and columns that are needed."
        )
