"""AnnData files (.h5ad), by anndata: the matrix X, with the columns of obs beside it."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd

from spinney.exceptions import InputError
from spinney.tables.readers.formats import Format, Options, Reading, Source, check_cells, library
from spinney.tables.readers.header import clean_names
from spinney.tables.readers.wording import cause, listed, quoted

__all__ = ["H5AD"]

SIGN = b"\x89HDF\r\n\x1a\n"
ADVICE = "Keep the variables that are needed, such as the most variable: adata[:, names].write(…)."


def _recognises(source: Source) -> bool:
    return source.data.startswith(SIGN)


def _read(source: Source, options: Options) -> Reading:
    anndata = library("anndata", ".h5ad", "anndata")
    h5py = library("h5py", ".h5ad", "anndata")
    try:
        with h5py.File(BytesIO(source.data), "r") as file:
            if not {"X", "obs", "var"} <= set(file):
                raise InputError(
                    f"{source.label} is an HDF5 file, but no AnnData file with a matrix X. "
                    "Save the table as CSV in UTF-8."
                )
            stored = file["X"]
            shape = stored.shape if isinstance(stored, h5py.Dataset) else stored.attrs["shape"]
            n_rows, n_columns = (int(size) for size in shape)
            check_cells(n_rows, n_columns, source, ADVICE)
            X, obs, var = (anndata.io.read_elem(file[part]) for part in ("X", "obs", "var"))
            aside = [part for part in ("layers", "obsm", "raw") if len(file.get(part, ()))]
            frame = _frame(X, obs, var)
    except InputError:
        raise
    except MemoryError:
        raise InputError(f"{source.label} does not fit into memory. {ADVICE}") from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"{source.label} cannot be read as an AnnData file ({cause(error)}). Write it anew."
        ) from error
    if 0 in frame.shape:
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
    names, said = clean_names(list(frame.columns))
    frame = frame.set_axis(names, axis=1)
    said = [f"X read: {n_rows:,} observations of {n_columns:,} variables", *said]
    if obs.shape[1]:
        columns = listed([quoted(str(name)) for name in obs.columns])
        said.append(
            f"column{'s' if obs.shape[1] > 1 else ''} of obs ({columns}) kept beside the table, "
            "for --group"
        )
    if aside:
        said.append(f"{listed(aside)} not read")
    extra = obs.set_axis([str(name) for name in obs.columns], axis=1)
    return Reading(frame, tuple(said), "h5ad", extra=extra if extra.shape[1] else None)


def _frame(X: Any, obs: pd.DataFrame, var: pd.DataFrame) -> pd.DataFrame:
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    return pd.DataFrame(dense, index=obs.index, columns=[str(name) for name in var.index])


H5AD = Format("an AnnData table", _recognises, _read)
