"""Files of SPSS, Stata, SAS (by pyreadstat) and R (by pyreadr)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from spinney._core.choices import check_choice
from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.kinds import MOST_ORDINAL_VALUES
from spinney.tables.readers.parquet import name_frame
from spinney.tables.readers.sources import (
    Options,
    Reading,
    Source,
    columns_text,
    library,
    reading,
)
from spinney.tables.table import show

STARTS = {
    rb"\$FL[23]": ("SPSS", "sav"),
    rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00": ("Stata", "dta"),
    rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf": ("SAS", "sas7bdat"),
    rb"HEADER RECORD\*{7}LIB": ("SAS", "xport"),
    rb"(?:RD[XA][23]\n)?[XAB]\n\x00\x00\x00|RD[XA][23]\n": ("R", "rds"),
}
"""How files start, which program wrote them, and the name of their format."""
Labels = Mapping[Any, str]


def find(source: Source) -> tuple[str, str]:
    """Return which program wrote a file, and its format; empty if it is none of these.

    Examples
    --------
    >>> find(Source("survey.sav", b"", b"$FL2@(#) SPSS DATA FILE"))
    ('SPSS', 'sav')
    """
    found = (known for start, known in STARTS.items() if re.match(start, source.data))
    return next(found, ("", ""))


def read(source: Source, options: Options) -> Reading:
    """Read a file; labels of values are levels, in the order of their codes."""
    program, form = find(source)
    said: tuple[str, ...] = ()
    with TemporaryDirectory() as folder:  # the libraries read files only
        path = Path(folder) / f"table.{form}"
        path.write_bytes(source.data)
        if program == "R":
            frame, said = _read_r(path, source, options)
        else:
            stats = library("pyreadstat", f".{form}", "stats")
            read: Callable[..., tuple[pd.DataFrame, Any]] = getattr(stats, f"read_{form}")
            with reading(source, f"a file of {program}"):
                frame, meta = read(str(path))
            frame, said = _with_labels(frame, meta.variable_value_labels)
            names = [_name(name, meta.column_names_to_labels, options) for name in frame.columns]
            frame = frame.set_axis(names, axis=1)
    frame, named = name_frame(frame, source)
    return Reading(frame, (*said, *named), program.lower())


def _name(name: str, labels: Mapping[str, str | None], options: Options) -> str:
    label = (labels.get(name) or "").strip()
    if options.labels == "no" or label in ("", name):
        return name
    return label if options.labels == "yes" else f"{name}: {label}"


def _with_labels(
    frame: pd.DataFrame, labels: Mapping[str, Labels]
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
            order = sorted(present)
            texts = [own[value] if value in own else show(value) for value in order]
            if len(set(texts)) < len(texts):  # one label for two codes
                texts = [
                    f"{text} ({show(value)})" for text, value in zip(texts, order, strict=True)
                ]
            dtype = pd.CategoricalDtype(texts, ordered=True)
            frame[name] = frame[name].map(dict(zip(order, texts, strict=True))).astype(dtype)
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


def _read_r(path: Path, source: Source, options: Options) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read the table that `sheet` names, or the first of a file of R."""
    pyreadr = library("pyreadr", ".rds", "stats")
    with reading(source, "a file of R"):
        found = {str(name): table for name, table in pyreadr.read_r(str(path)).items()}
    tables = {name: table for name, table in found.items() if table.shape[1] > 1}
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
    return frame, said
