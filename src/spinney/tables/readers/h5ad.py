"""AnnData files (.h5ad), by anndata: the matrix X, with the columns of obs beside it."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from spinney._core.text import listed
from spinney.exceptions import InputError
from spinney.tables.readers.formats import (
    Options,
    Reading,
    Source,
    check_cells,
    columns_text,
    library,
    reading,
)
from spinney.tables.readers.header import clean_names


def read(source: Source, options: Options) -> Reading:
    """Read the matrix of an AnnData file."""
    anndata = library("anndata", ".h5ad", "anndata")
    h5py = library("h5py", ".h5ad", "anndata")
    with reading(source, "an AnnData file"), h5py.File(BytesIO(source.data), "r") as file:
        if not {"X", "obs", "var"} <= set(file):
            raise InputError(
                f"{source.label} is an HDF5 file, but no AnnData file with a matrix X. Save the "
                "table as CSV in UTF-8."
            )
        stored = file["X"]
        shape = stored.shape if isinstance(stored, h5py.Dataset) else stored.attrs["shape"]
        n_rows, n_columns = (int(size) for size in shape)
        check_cells(n_rows, n_columns, source)
        X, obs, var = (anndata.io.read_elem(file[part]) for part in ("X", "obs", "var"))
        aside = [part for part in ("layers", "obsm", "raw") if len(file.get(part, ()))]
        frame = _frame(X, obs, var)
    if 0 in frame.shape:
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
    names, renamed = clean_names(list(frame.columns))
    extra = obs.set_axis([str(name) for name in obs.columns], axis=1)
    said = [f"X read: {n_rows:,} observations of {n_columns:,} variables", *renamed]
    if extra.shape[1]:
        said.append(f"{columns_text(list(extra.columns))} of obs kept beside the table, for groups")
    said += [f"{listed(aside)} not read"] if aside else []
    frame = frame.set_axis(names, axis=1)
    return Reading(frame, tuple(said), "h5ad", extra=extra if extra.shape[1] else None)


def _frame(X: Any, obs: pd.DataFrame, var: pd.DataFrame) -> pd.DataFrame:
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    return pd.DataFrame(dense, index=obs.index, columns=[str(name) for name in var.index])
