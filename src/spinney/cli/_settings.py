"""What ``spinney learn`` was asked for: what decides about the graph, and how the work is done."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

__all__ = ["Job", "Settings", "option_of"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All that decides about the graph, besides the data; ``run.json`` holds it.

    Attributes are the options of the same names, texts as they were typed.
    """

    estimator: str
    families: str | None = None
    criterion: str | None = None
    fdr: float | None = None
    compare: bool = True
    required: str | None = None
    forbidden: str | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    missing: str = "pairwise"
    ties: str = "auto"
    header: str = "auto"
    decimal: str = "auto"
    sheet: str | None = None
    group: str | None = None
    stability: int | None = None
    precision: float | None = None
    rows: str | None = None
    screen: str = "auto"
    device: str = "cpu"
    seed: int = 0

    @property
    def n_rows(self) -> int | Literal["all"] | None:
        """``--rows`` as a number, or "all"; what is neither is told by :func:`check_request`.

        Examples
        --------
        >>> Settings(estimator="x", rows="50000").n_rows
        50000
        """
        if self.rows is None or self.rows == "all":
            return None if self.rows is None else "all"
        return int(self.rows)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values by name, in a fixed order."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


@dataclass(frozen=True, kw_only=True)
class Job:
    """How the work is done and where its results go; it changes no number of them.

    Attributes
    ----------
    data : str
        The file as it was named; ``"-"`` is standard input.
    folder : Path
        Of the results.
    force, model, quiet, json, debug : bool
        The options of these names.
    jobs : int
        Threads.
    time_limit_s : float or None
        Seconds.
    """

    data: str
    folder: Path
    force: bool = False
    model: bool = False
    jobs: int = -1
    time_limit_s: float | None = None
    quiet: bool = False
    json: bool = False
    debug: bool = False

    @property
    def stem(self) -> str:
        """Name of the data without folder and endings, for titles."""
        return stem_of(self.data)


def stem_of(data: str) -> str:
    """Name a table by its file.

    Examples
    --------
    >>> stem_of("some/cells.csv.gz"), stem_of("-"), stem_of("cells.v2.xlsx")
    ('cells', 'standard-input', 'cells.v2')
    """
    if data == "-":
        return "standard-input"
    name = Path(data).name
    for packed in (".gz", ".bz2", ".xz", ".zip", ".zst"):
        name = name.removesuffix(packed)
    return Path(name).stem or "table"


def option_of(name: str) -> str:
    """Name the option that sets a field.

    Examples
    --------
    >>> option_of("time_limit"), option_of("compare")
    ('--time-limit', '--no-compare')
    """
    return {"compare": "--no-compare"}.get(name, f"--{name.replace('_', '-')}")
