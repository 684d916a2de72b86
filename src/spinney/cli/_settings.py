"""The options of ``spinney learn``: what determines the graph, and how the work is done.

Every field is an option. :class:`LearnSettings` also defines the ``settings`` of run.json, which
``--again`` reads.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal

import typer

from spinney.cli._options import (
    DEBUG,
    DEFAULT,
    FORCE,
    JOBS,
    JSON,
    JUDGE,
    QUIET,
    TAKES_KINDS,
    TAKES_KNOWLEDGE,
    TAKES_PAIR_COPULAS,
    check_estimator,
    complete_estimator,
    option,
    shared,
)
from spinney.exceptions import InputError

__all__ = ["Job", "LearnSettings", "check_request", "option_of"]

RUN, RESULTS = "The run", "Results"
of_table, of_method, of_more, of_run, of_results = (
    partial(option, heading)
    for heading in ("The table", "How to learn", "Besides the graph", RUN, RESULTS)
)
"""Options under each heading of the help."""
DATA = typer.Argument(
    metavar="DATA",
    help="CSV, Excel, Parquet, AnnData, SPSS, Stata, SAS or R; may be packed; - is standard input.",
    show_default=False,
)


@dataclass(frozen=True, kw_only=True)
class LearnSettings:
    """All that determines the graph besides the data: options, as typed."""

    columns: tuple[str, ...] = of_table(
        (), "NAMES", "Learn from these columns only: a,b,'x*'. Names with commas in double quotes."
    )
    drop: tuple[str, ...] = of_table((), "NAMES", "Leave these columns out: a,b,'x*'.")
    kind: tuple[str, ...] = of_table(
        (),
        "COLUMN=KIND",
        "What a column is: continuous, ordinal, binary or nominal; 'q*=ordinal' for all "
        "names that begin with q; 'pain=none<some<much' for text in this order. May be repeated.",
    )
    na: tuple[str, ...] = of_table(
        (), "VALUES", "Values that mean missing, besides empty cells, NA and ?: -99,unknown."
    )
    missing: Literal["pairwise", "drop", "error"] = of_table(
        "pairwise",
        "RULE",
        "Missing values: pairwise (each pair by the rows that have both), drop (rows), or error.",
    )
    ties: Literal["auto", "average", "random", "levels"] = of_table(
        "auto",
        "RULE",
        "Equal values in continuous columns: auto, average, random or levels; for forests.",
    )
    header: Literal["auto", "yes", "no"] = of_table(
        "auto", "WHETHER", "Whether the first line holds names: auto, yes or no."
    )
    decimal: Literal["auto", ".", ","] = of_table(
        "auto", "MARK", "Decimal mark of text: auto (column by column), . or ,"
    )
    sheet: str | None = of_table(
        None,
        "NAME",
        "Sheet of an Excel file, by name or number; data frame of an R file.",
        show_default="the first",
    )
    labels: Literal["no", "yes", "both"] = of_table(
        "no",
        "WHETHER",
        "Columns of SPSS, Stata and SAS files by name (no), label (yes), or both.",
    )
    unit: str | None = of_table(
        None,
        "COLUMN",
        "The column with the unit of each row, such as a patient: rows of one unit do not count as "
        f"independent, and the column is not learned from; with {JUDGE} only.",
    )
    weights: str | None = of_table(
        None,
        "COLUMN",
        "The column with the survey weight of each row, which is not learned from; with "
        f"{JUDGE} only.",
    )
    estimator: str = of_method(
        DEFAULT,
        "NAME",
        "Method; 'spinney info' lists all.",
        "--estimator",
        "-e",
        autocompletion=complete_estimator,
    )
    fdr: float | None = of_method(
        None,
        "X",
        f"Largest expected share of false edges, in place of --cut; with {JUDGE} only.",
        min=0.0,
        max=1.0,
    )
    cut: float | None = of_method(
        None,
        "X",
        f"Probability above which a pair is an edge; with {JUDGE} only.",
        show_default="0.5",
        min=0.0,
        max=1.0,
    )
    sure: float = of_method(
        0.9,
        "X",
        f"A pair is present from this probability on, and absent up to 1 - X; with {JUDGE} only.",
        min=0.5,
        max=1.0,
    )
    min_strength: float | None = of_method(
        None,
        "X",
        "Drop edges whose strength has a 95 % interval that extends below X, such as 0.1; "
        f"with {JUDGE} only.",
        min=0.0,
        max=1.0,
    )
    required: str | None = of_method(
        None, "FILE", "Pairs of columns that are always edges, a line each: a,b."
    )
    forbidden: str | None = of_method(None, "FILE", "Pairs of columns that are never edges.")
    prior: str | None = of_method(
        None,
        "X|FILE",
        "Share of all pairs expected to be edges, such as 0.2; or a table with columns source, "
        f"target and probability, for single pairs; with {JUDGE} only.",
    )
    families: str | None = of_method(
        None, "NAMES", "Copula families to choose from, such as gaussian,student; for forests."
    )
    criterion: Literal["cv", "aic", "bic"] | None = of_method(
        None, "NAME", "How pair copulas are chosen: cv, aic or bic; for forests.", show_default="cv"
    )
    precision: float | None = of_method(
        None,
        "X",
        "Learn from as many rows as it takes to know a correlation near 0 to ± X "
        "(0.01: 10,001 rows), drawn at random.",
    )
    rows: str | None = of_method(
        None,
        "N",
        "Learn from this many rows, drawn at random, or from all.",
        show_default="at most 20,000",
    )
    seed: int = of_method(0, "N", "Seed of everything random.", min=0)
    group: str | None = of_more(
        None, "COLUMN", "A graph for each value of this column, and how probably they differ."
    )
    permutations: int | None = of_more(
        None,
        "[N]",
        "With --group: test whether the networks differ as wholes, by N permutations of the rows "
        "(1,000).",
        min=20,
    )
    paired: str | None = of_more(
        None,
        "COLUMN",
        "With --group: the column that identifies persons, if the same persons are in both "
        "groups; permutations swap their rows.",
    )
    stability: int | None = of_more(
        None,
        "[N]",
        "How often each edge is found, intervals of strengths, CS coefficients and tests of "
        "differences, from N bootstrap samples and N subsets of the rows (1,000, fewer for large "
        "tables). After an interrupt the same command continues.",
        min=0,
    )
    check: bool = of_more(
        False,
        None,
        "Add columns with known edges to the table, and count how many of these edges are found.",
        "--check",
    )
    device: Literal["cpu", "cuda"] = of_run(
        "cpu", "WHICH", f"Processor: cpu, or cuda (an NVIDIA GPU); with {JUDGE} only."
    )

    @property
    def n_rows(self) -> Any:
        """``--rows`` as a number if it is one.

        Examples
        --------
        >>> LearnSettings(rows="50000").n_rows, LearnSettings(rows="all").n_rows
        (50000, 'all')
        """
        return int(self.rows) if self.rows and self.rows.isdecimal() else self.rows

    def as_dict(self) -> dict[str, Any]:
        """Return plain values by name, in a fixed order."""
        values = ((entry.name, getattr(self, entry.name)) for entry in fields(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


@dataclass(frozen=True, kw_only=True)
class Job:
    """The data, how the work is done, and where the results go; none of it changes a number.

    Fields are options, which are allowed beside ``--again``.
    """

    data: str = field(default="", metadata={"option": DATA})
    jobs: int = shared(-1, JOBS, RUN)
    cluster: str | None = of_run(
        None,
        "ADDRESS",
        "Work on the Dask cluster with this scheduler: tcp://10.0.0.1:8786. Needs "
        r"spinney\[cluster].",
    )
    again: str | None = of_run(
        None, "RUN.JSON", "Repeat an earlier run with all its settings; on other data if given."
    )
    debug: bool = shared(False, DEBUG, RUN)
    out: str | None = of_results(
        None, "DIR", "Folder of the results.", "--out", "-o", show_default="DATA-graph"
    )
    force: bool = shared(False, FORCE, RESULTS)
    layout: Literal["components", "circle", "spring"] = of_results(
        "components",
        "HOW",
        "Where the picture places columns: components (side by side), circle or spring.",
    )
    colour_by: str | None = of_results(
        None, "FILE", "Colour the names of columns by group: a table with columns name and group."
    )
    ring: Literal["predictability"] | None = of_results(
        None, "WHAT", "Ring around each column in the picture: predictability."
    )
    model: bool = of_results(
        False,
        None,
        "Also write graph.spinney, for spinney.load_model in Python; it holds the data.",
        "--model",
    )
    report: bool = of_results(
        True,
        None,
        "Write the page and the pictures, or tables and graphs only: quicker.",
        "--report/--no-report",
    )
    quiet: bool = shared(False, QUIET, RESULTS)
    json: bool = shared(False, JSON, RESULTS)

    @property
    def stem(self) -> str:
        """Name of the data without folder and suffixes, for titles.

        Examples
        --------
        >>> [Job(data=name).stem for name in ("some/cells.csv.gz", "-", "cells.v2.xlsx")]
        ['cells', 'standard-input', 'cells.v2']
        """
        if self.data == "-":
            return "standard-input"
        name = Path(self.data).name
        for packed in (".gz", ".bz2", ".xz", ".zip", ".zst"):
            name = name.removesuffix(packed)
        return Path(name).stem or "table"

    @property
    def folder(self) -> Path:
        """Folder of the results."""
        return Path(f"{self.stem}-graph" if self.out is None else self.out)


# Refused before the data are read and heavy libraries are loaded


_EXCLUDE = {
    ("columns", "drop"): "",
    ("fdr", "cut"): "",
    ("unit", "weights"): ": spinney has no effective sample size of weighted rows within units",
    ("rows", "precision"): "",
}
"""Options of which one may be given, and why."""
_ONLY_JUDGE = frozenset({JUDGE})
_USES: tuple[tuple[tuple[str, ...], frozenset[str], str], ...] = (
    (
        (
            *("fdr", "cut", "sure", "min_strength", "prior", "unit", "weights", "group"),
            *("stability", "check", "device", "permutations", "paired"),
        ),
        _ONLY_JUDGE,
        f"{{option}} goes with {JUDGE} only, not with '{{name}}'. Leave it out, or use "
        f"--estimator {JUDGE}.",
    ),
    (
        ("families", "criterion", "ties"),
        TAKES_PAIR_COPULAS,
        "Estimator '{name}' uses no pair copulas. Leave {option} out.",
    ),
    (
        ("kind", "missing"),
        TAKES_KINDS,
        "Estimator '{name}' takes all columns as numbers. Leave {option} out.",
    ),
    (
        ("required", "forbidden"),
        TAKES_KNOWLEDGE,
        "Estimator '{name}' does not take known edges. Leave {option} out, or use "
        f"--estimator {' or '.join(sorted(TAKES_KNOWLEDGE))}.",
    ),
)
"""Options that only some estimators can use: which options, which estimators, and what to say."""


def check_request(settings: LearnSettings, job: Job) -> None:
    """Refuse requests that cannot be met, whatever the data."""
    name = check_estimator(settings.estimator)
    # A repeated run needs no files of known edges: its record has them.
    known = () if job.again else (settings.required, settings.forbidden)
    for file in (None if job.data == "-" else job.data, *known, job.colour_by):
        if file is not None and not os.path.lexists(file):
            raise InputError(f"There is no file '{file}'. Check the path.")
    if job.jobs == 0:
        raise InputError("--jobs must be a number of threads, or -1 for all cores; got 0.")
    changed = {
        entry.name for entry in fields(settings) if getattr(settings, entry.name) != entry.default
    }
    if 0 < (settings.stability or 0) < 20:
        raise InputError(
            f"--stability takes a number of samples, 20 or more; got {settings.stability}."
        )
    for (one, other), why in _EXCLUDE.items():
        if {one, other} <= changed:
            raise InputError(f"--{one} and --{other} exclude each other{why}. Give one of them.")
    for what in ("permutations", "paired"):
        if what in changed and settings.group is None:
            raise InputError(f"--{what} compares groups. Name their column with --group.")
    for options, takers, sentence in _USES:
        for own in options if name not in takers else ():
            if own in changed:
                raise InputError(sentence.format(name=name, option=option_of(own)))


def option_of(name: str) -> str:
    """Name the option that sets a field.

    Examples
    --------
    >>> option_of("min_strength")
    '--min-strength'
    """
    return f"--{name.replace('_', '-')}"
