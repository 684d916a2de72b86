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

from spinney._core.text import listed
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

RUN, RESULTS = "The run", "Results"
of_table, of_method, of_more, of_run, of_results = (
    partial(option, heading)
    for heading in ("The table", "How to learn", "Besides the graph", RUN, RESULTS)
)
"""Options under each heading of the help."""
JUDGED = f"with {JUDGE} only."
SHARE: Any = {"min": 0.0, "max": 1.0}
DATA = typer.Argument(
    metavar="DATA",
    help="CSV, Excel, Parquet, AnnData, SPSS, Stata, SAS or R; - reads standard input.",
    show_default=False,
)


@dataclass(frozen=True, kw_only=True)
class LearnSettings:
    """All that determines the graph besides the data: options, as typed."""

    columns: tuple[str, ...] = of_table(
        "NAMES",
        "Learn from these columns only: a,b,'x*'. Put names with commas in double quotes.",
        default=(),
    )
    drop: tuple[str, ...] = of_table("NAMES", "Leave these columns out: a,b,'x*'.", default=())
    kind: tuple[str, ...] = of_table(
        "COLUMN=KIND",
        "What a column is: continuous, ordinal, binary or nominal; 'q*=ordinal' for all "
        "names that begin with q; 'pain=none<some<much' for text in this order. May be repeated.",
        default=(),
    )
    na: tuple[str, ...] = of_table(
        "VALUES",
        "Values that mean missing, besides empty cells, NA and ?: -99,unknown.",
        default=(),
    )
    missing: Literal["pairwise", "drop", "error"] = of_table(
        "RULE",
        "Missing values: pairwise (each pair by the rows that have both), drop (rows), or error.",
        default="pairwise",
    )
    ties: Literal["auto", "average", "random", "levels"] = of_table(
        "RULE",
        "Equal values in continuous columns: auto, average, random or levels; for forests.",
        default="auto",
    )
    header: Literal["auto", "yes", "no"] = of_table(
        "WHETHER", "Whether the first line holds names: auto, yes or no.", default="auto"
    )
    decimal: Literal["auto", ".", ","] = of_table(
        "MARK", "Decimal mark of text: auto (column by column), . or ,", default="auto"
    )
    sheet: str | None = of_table(
        "NAME",
        "Sheet of an Excel file, by name or number; data frame of an R file.",
        show_default="the first",
    )
    labels: Literal["no", "yes", "both"] = of_table(
        "WHETHER",
        "Name columns of SPSS, Stata and SAS files by variable (no), label (yes), or both.",
        default="no",
    )
    unit: str | None = of_table(
        "COLUMN",
        "Column with the unit of each row, such as a patient. Rows of one unit do not count as "
        f"independent; the column is not in the graph; {JUDGED}",
    )
    weights: str | None = of_table(
        "COLUMN", f"Column with the survey weight of each row, which is not in the graph; {JUDGED}"
    )
    estimator: str = of_method(
        "NAME",
        "Method; 'spinney info' lists all.",
        "--estimator",
        "-e",
        default=DEFAULT,
        autocompletion=complete_estimator,
    )
    fdr: float | None = of_method(
        "X", f"Largest expected share of false edges, in place of --cut; {JUDGED}", **SHARE
    )
    cut: float | None = of_method(
        "X", f"Probability above which a pair is an edge; {JUDGED}", show_default="0.5", **SHARE
    )
    sure: float = of_method(
        "X",
        f"A pair is present with a probability of X or more, absent with 1 - X or less; {JUDGED}",
        default=0.9,
        min=0.5,
        max=1.0,
    )
    min_strength: float | None = of_method(
        "X",
        "Drop edges whose strength has a 95 % interval that extends below X, such as 0.1; "
        f"{JUDGED}",
        **SHARE,
    )
    required: str | None = of_method(
        "FILE", "Pairs of columns that are always edges, one pair per line: a,b."
    )
    forbidden: str | None = of_method("FILE", "Pairs of columns that are never edges.")
    prior: str | None = of_method(
        "X|FILE",
        "Share of all pairs expected to be edges, such as 0.2; or a table with columns source, "
        f"target and probability, for single pairs; {JUDGED}",
    )
    families: str | None = of_method(
        "NAMES", "Copula families to choose from, such as gaussian,student; for forests."
    )
    criterion: Literal["cv", "aic", "bic"] | None = of_method(
        "NAME", "How pair copulas are chosen: cv, aic or bic; for forests.", show_default="cv"
    )
    precision: float | None = of_method(
        "X",
        "Learn from as many rows as it takes to know a correlation near 0 to ± X "
        "(0.01: 10,001 rows), drawn at random.",
    )
    rows: str | None = of_method(
        "N", "Learn from N rows, drawn at random, or from all.", show_default="at most 20,000"
    )
    seed: int = of_method("N", "Seed of all random draws.", default=0, min=0)
    group: str | None = of_more(
        "COLUMN",
        "Learn a graph for each value of this column, and the probability of each difference.",
    )
    permutations: int | None = of_more(
        "[N]",
        "With --group: test whether the whole networks differ, by N permutations of the rows "
        "(1,000).",
        min=20,
    )
    paired: str | None = of_more(
        "COLUMN",
        "With --group: the column that identifies persons, if the same persons are in both "
        "groups; permutations swap their rows.",
    )
    stability: int | None = of_more(
        "[N]",
        "How often each edge is found, intervals of strengths, CS coefficients and tests of "
        "differences, from N bootstrap samples and N subsets of the rows (1,000, fewer for large "
        "tables). After an interruption, the same command continues.",
        min=0,
    )
    check: bool = of_more(
        None,
        "Add columns with known edges to the table, and count how many of these edges are found.",
        "--check",
        default=False,
    )
    device: Literal["cpu", "cuda"] = of_run(
        "WHICH", f"Processor: cpu, or cuda (an NVIDIA GPU); {JUDGED}", default="cpu"
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
        "ADDRESS",
        "Use the Dask cluster with this scheduler: tcp://10.0.0.1:8786. Needs "
        r"spinney\[cluster].",
    )
    again: str | None = of_run(
        "RUN.JSON", "Repeat an earlier run with all its settings; on other data if given."
    )
    debug: bool = shared(False, DEBUG, RUN)
    out: str | None = of_results(
        "DIR", "Folder of the results.", "--out", "-o", show_default="DATA-graph"
    )
    force: bool = shared(False, FORCE, RESULTS)
    layout: Literal["components", "circle", "spring"] = of_results(
        "HOW",
        "Where the picture places columns: components (side by side), circle or spring.",
        default="components",
    )
    colour_by: str | None = of_results(
        "FILE", "Colour the names of columns by group: a table with columns name and group."
    )
    ring: Literal["predictability"] | None = of_results(
        "WHAT", "Ring around each column in the picture: predictability."
    )
    model: bool = of_results(
        None,
        "Also write graph.spinney, for spinney.load_model in Python; it holds the data.",
        "--model",
        default=False,
    )
    report: bool = of_results(
        None,
        "Write the page and the pictures; without them the run is quicker.",
        "--report/--no-report",
        default=True,
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
_ONLY_JUDGE = (
    *("fdr", "cut", "sure", "min_strength", "prior", "unit", "weights", "group"),
    *("stability", "check", "device", "permutations", "paired"),
)
_USES = (
    (_ONLY_JUDGE, {JUDGE}),
    (("families", "criterion", "ties"), TAKES_PAIR_COPULAS),
    (("kind", "missing"), TAKES_KINDS),
    (("required", "forbidden"), TAKES_KNOWLEDGE),
)
"""Options that only some estimators can use, and which these are."""


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
    for options, takers in _USES:
        for own in options if name not in takers else ():
            if own in changed:
                raise InputError(
                    f"{option_of(own)} goes with {listed(sorted(takers))} only, not with '{name}'. "
                    "Leave it out, or choose another estimator."
                )


def option_of(name: str) -> str:
    """Name the option that sets a field.

    Examples
    --------
    >>> option_of("min_strength")
    '--min-strength'
    """
    return f"--{name.replace('_', '-')}"
