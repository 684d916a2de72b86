"""Files whose libraries give data frames: Parquet, AnnData, SPSS, Stata, SAS and R."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from spinney._core.choices import check_choice
from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.kinds import MOST_ORDINAL_VALUES
from spinney.tables.readers.grid import clean_names, with_row_names
from spinney.tables.readers.sources import SAVE, Options, Source, columns_text, library, reading
from spinney.tables.table import show
from spinney.tables.table_file import TableFile

MOST_CELLS = 200_000_000
"""Cells of the largest matrix of AnnData that is read: as numbers they take 1.6 GB."""


def read_parquet(source: Source, options: Options) -> TableFile:
    """Read a Parquet file."""
    parquet = library("pyarrow.parquet", ".parquet", "parquet")
    with reading(source, "a Parquet file"), parquet.ParquetFile(BytesIO(source.data)) as file:
        table = file.read()
        table.validate(full=True)  # text that is no text would be found too late
        frame = table.to_pandas(split_blocks=True)  # without a copy of the numbers
    return TableFile(*_named(frame, source), "parquet")


def read_anndata(source: Source, options: Options) -> TableFile:
    """Read the matrix of an AnnData file."""
    anndata = library("anndata", ".h5ad", "anndata")
    h5py = library("h5py", ".h5ad", "anndata")
    with reading(source, "an AnnData file"), h5py.File(BytesIO(source.data), "r") as file:
        if not {"X", "obs", "var"} <= set(file):
            raise InputError(
                f"{source.label} is an HDF5 file, but no AnnData file with a matrix X. {SAVE}"
            )
        X, obs, var = (anndata.io.read_elem(file[part]) for part in ("X", "obs", "var"))
        aside = [part for part in ("layers", "obsm", "raw") if len(file.get(part, ()))]
    found = _matrix(X, obs, var.index, "X", source)
    more = (f"{listed(aside)} not read",) if aside else ()
    return TableFile(found.frame, (*found.decisions, *more), "h5ad", extra=found.extra)


def take_anndata(adata: Any, layer: str | None) -> TableFile:
    """Take the matrix of an AnnData object in memory, or one of its layers."""
    source = Source("AnnData")
    layers = list(adata.layers)
    X = adata.X if layer is None else adata.layers[check_choice(layer, layers, "layer")]
    if X is None:
        raise InputError(f"The AnnData object has no X. Name a layer: {listed(layers)}.")
    return _matrix(X, adata.obs, adata.var.index, layer or "X", source)


def read_stats(program: str, form: str, source: Source, options: Options) -> TableFile:
    """Read a file of a program by pyreadstat; labels of values are levels, ordered by codes."""
    stats = library("pyreadstat", f".{form}", "stats")
    read: Callable[..., tuple[pd.DataFrame, Any]] = getattr(stats, f"read_{form}")
    with reading(source, f"a file of {program}"), _on_disc(source, form) as path:
        frame, meta = read(str(path))
    frame, said = _with_labels(frame, meta.variable_value_labels)
    if options.labels != "no":
        known = {name: (label or "").strip() for name, label in meta.column_names_to_labels.items()}
        both = "{0}: {1}" if options.labels == "both" else "{1}"
        told = {n: both.format(n, label) for n, label in known.items() if label not in ("", n)}
        frame = frame.rename(columns=told)
    frame, named = _named(frame, source)
    return TableFile(frame, (*said, *named), program.lower())


def read_r(source: Source, options: Options) -> TableFile:
    """Read the data frame that `sheet` names, or the first of a file of R."""
    pyreadr = library("pyreadr", ".rds", "stats")
    with reading(source, "a file of R"), _on_disc(source, "rds") as path:
        found = pyreadr.read_r(str(path))
    tables = {str(name): table for name, table in found.items() if table.shape[1] > 1}
    if not tables:
        raise InputError(
            f"{source.label} holds no data frame of two columns. Save one with saveRDS."
        )
    name = next(iter(tables))
    if options.sheet is not None:
        name = check_choice(str(options.sheet), tables, f"data frame in {source.label}:")
    others = listed([quoted(other) for other in tables if other != name], most=4)
    why = f"(others: {others}; choose with sheet=)"
    said = (f"data frame {quoted(name)} taken {why}",) if others and options.sheet is None else ()
    frame = tables[name]
    if frame.index.tolist() == [str(k) for k in range(1, len(frame) + 1)]:
        frame = frame.reset_index(drop=True)
    frame, named = _named(frame, source)
    return TableFile(frame, (*said, *named), "r")


@contextmanager
def _on_disc(source: Source, form: str) -> Iterator[Path]:
    """Write unpacked bytes to a file, as some libraries read files only."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{form}"
        path.write_bytes(source.data)
        yield path


def _with_labels(
    frame: pd.DataFrame, labels: Mapping[str, Mapping[Any, str]]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Give values their labels, where most values have one, or there are few."""
    named: list[str] = []
    codes: list[str] = []
    for name, own in labels.items():
        present = pd.unique(frame[name].dropna())
        known = [value for value in present if value in own]
        if len(present) > MOST_ORDINAL_VALUES and 2 * len(known) < len(present):
            codes += [f"{name}={show(value)} ({quoted(own[value])})" for value in known]
        elif known:
            texts = {value: own.get(value, show(value)) for value in sorted(present)}
            if len({*texts.values()}) < len(texts):  # one label for two codes
                texts = {value: f"{text} ({show(value)})" for value, text in texts.items()}
            dtype = pd.CategoricalDtype(list(texts.values()), ordered=True)
            frame[name] = frame[name].map(texts).astype(dtype)
            named.append(name)
    said = []
    if named:
        said.append(
            f"value labels of {columns_text(named)} are levels in the order of their codes "
            f"(otherwise: kind={{{named[0]!r}: 'nominal'}})"
        )
    if codes:
        first = codes[0].partition(" ")[0]
        said.append(
            f"labelled values left among numbers: {listed(codes, most=4)}; if they mean "
            f"missing, say na=['{first}']"
        )
    return frame, tuple(said)


def _matrix(X: Any, obs: pd.DataFrame, variables: Any, what: str, source: Source) -> TableFile:
    n_rows, n_columns = X.shape
    _check_not_empty(X.shape, source)
    if n_rows * n_columns > MOST_CELLS:
        raise InputError(
            f"{source.label} holds a table of {n_rows:,} × {n_columns:,} cells; at most "
            f"{MOST_CELLS:,} are read. Keep the rows and columns that are needed."
        )
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    names, renamed = clean_names(list(variables))
    frame = pd.DataFrame(dense, index=obs.index, columns=names)
    extra = obs.set_axis([str(name) for name in obs.columns], axis=1)
    said = [f"{what} read: {n_rows:,} observations of {n_columns:,} variables", *renamed]
    if extra.shape[1]:
        said.append(
            f"{columns_text(list(extra.columns))} of obs kept apart from the table, for groups"
        )
    return TableFile(frame, tuple(said), "h5ad", extra=extra if extra.shape[1] else None)


def _named(frame: pd.DataFrame, source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Give names to the columns and rows of a data frame from a file, and say which."""
    _check_not_empty(frame.shape, source)
    given = [str(name) for name in frame.columns]
    names, said = clean_names(given)
    frame = frame.set_axis(names, axis=1)
    if isinstance(frame.index, pd.RangeIndex):
        frame, role = with_row_names(frame, given[0])
        return frame, (*said, *role)
    levels = ", ".join(quoted(str(name)) for name in frame.index.names if name is not None)
    which = f" ({levels})" if levels else ""
    return frame, (*said, f"the index of the table{which} taken for row names")


def _check_not_empty(shape: tuple[int, ...], source: Source) -> None:
    """Refuse a table without rows or columns."""
    if 0 in shape:
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
