"""``spinney learn``: from a table to its graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spinney.cli._again import check_alone, read_earlier
from spinney.cli._checks import check_request
from spinney.cli._common import work_on
from spinney.cli._complete import complete_estimator
from spinney.cli._estimators import DEFAULT, JUDGE, default
from spinney.cli._learn_run import run_learn
from spinney.cli._settings import Job, Settings, stem_of
from spinney.cli._time_limit import duration
from spinney.exceptions import InputError

__all__ = ["learn"]

Names = list[str] | None
TABLE, METHOD, MORE, RUN, RESULTS = (
    "The table",
    "How to learn",
    "Besides the graph",
    "The run",
    "Results",
)
"""Headings in the help."""


def learn(
    context: typer.Context,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="DATA",
            help="CSV, TSV, Excel, Parquet or AnnData; may be packed; - is standard input.",
            show_default=False,
        ),
    ] = None,
    # The table
    columns: Annotated[
        Names,
        typer.Option(
            metavar="NAMES",
            help="Learn from these columns only: a,b,'x*'. Names with commas in double quotes.",
            rich_help_panel=TABLE,
        ),
    ] = None,
    drop: Annotated[
        Names,
        typer.Option(
            metavar="NAMES", help="Leave these columns out: a,b,'x*'.", rich_help_panel=TABLE
        ),
    ] = None,
    kind: Annotated[
        Names,
        typer.Option(
            metavar="COLUMN=KIND",
            help="What a column is: continuous, ordinal, binary or nominal; 'q*=ordinal' for all "
            "whose names begin so; 'pain=none<some<much' for text in this order. May be repeated.",
            rich_help_panel=TABLE,
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Gaps: pairwise (each pair by the rows that have both), drop (rows), or error.",
            rich_help_panel=TABLE,
        ),
    ] = "pairwise",
    ties: Annotated[
        str,
        typer.Option(
            metavar="RULE",
            help="Equal values in continuous columns: auto, average, random or levels.",
            rich_help_panel=TABLE,
        ),
    ] = "auto",
    header: Annotated[
        str,
        typer.Option(
            metavar="WHETHER",
            help="Whether the first line holds names: auto, yes or no.",
            rich_help_panel=TABLE,
        ),
    ] = "auto",
    decimal: Annotated[
        str,
        typer.Option(
            metavar="MARK",
            help="Decimal mark of text: auto (column by column), . or ,",
            rich_help_panel=TABLE,
        ),
    ] = "auto",
    sheet: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Sheet of an Excel file, by name or number.",
            show_default="the first",
            rich_help_panel=TABLE,
        ),
    ] = None,
    # How to learn
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator",
            "-e",
            metavar="NAME",
            help="How to learn; 'spinney info' lists them.",
            show_default=DEFAULT,
            autocompletion=complete_estimator,
            rich_help_panel=METHOD,
        ),
    ] = None,
    fdr: Annotated[
        float | None,
        typer.Option(
            "--fdr",
            metavar="X",
            min=0.0,
            max=1.0,
            help="Largest expected share of false edges, in place of a probability above 1/2; "
            f"with {JUDGE} only.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    required: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Pairs of columns that are edges in any case, a line each: a,b.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    forbidden: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Pairs of columns that are no edges in any case.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    families: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Copula families to choose from, such as gaussian,student; for forests.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How pair copulas are chosen: cv, aic or bic; for forests.",
            show_default="cv",
            rich_help_panel=METHOD,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Learn from as many rows as it takes to know a correlation near 0 to ± X "
            "(0.01: 10,001 rows), drawn at random.",
            rich_help_panel=METHOD,
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Learn from so many rows, drawn at random, or from all.",
            show_default="all up to 20,000",
            rich_help_panel=METHOD,
        ),
    ] = None,
    screen: Annotated[
        str,
        typer.Option(
            metavar="WHETHER",
            help="Whether pairs are screened first, and only those that pass are fitted and "
            "judged: auto (beyond 300 columns), on, off, or the share of independent pairs that "
            f"may pass, such as 0.01; with {JUDGE} only.",
            rich_help_panel=METHOD,
        ),
    ] = "auto",
    seed: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Seed of all that is random.", rich_help_panel=METHOD
        ),
    ] = 0,
    # Besides the graph
    compare: Annotated[
        bool,
        typer.Option(
            "--compare/--no-compare",
            help=f"Say what other methods make of each edge; with {JUDGE} only. Takes longest.",
            rich_help_panel=MORE,
        ),
    ] = True,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A graph for each value of this column, and how probably they differ.",
            rich_help_panel=MORE,
        ),
    ] = None,
    stability: Annotated[
        int | None,
        typer.Option(
            metavar="[N]",
            help="How often each edge is found again in halves of the rows, of N splits (50). "
            "After an interrupt the same command goes on.",
            rich_help_panel=MORE,
        ),
    ] = None,
    # The run
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Threads; -1 takes all cores.", rich_help_panel=RUN)
    ] = -1,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on the Dask cluster whose scheduler is there: tcp://10.0.0.1:8786. Needs "
            r"spinney\[cluster].",
            rich_help_panel=RUN,
        ),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help=f"What computes: cpu, or cuda (an NVIDIA GPU); with {JUDGE} only.",
            rich_help_panel=RUN,
        ),
    ] = "cpu",
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Such as 90s, 10m or 1h. What is besides the graph is cut short; without a "
            "graph by then, nothing is written.",
            rich_help_panel=RUN,
        ),
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN.JSON",
            help="Do an earlier run again, with all its settings; on other data if given.",
            rich_help_panel=RUN,
        ),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks of errors.", rich_help_panel=RUN)
    ] = False,
    # Results
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="Folder of the results.",
            show_default="DATA-graph",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace earlier results.", rich_help_panel=RESULTS)
    ] = False,
    model: Annotated[
        bool,
        typer.Option(
            "--model",
            help="Also write graph.spinney, for spinney.load_model in Python; it holds the data.",
            rich_help_panel=RESULTS,
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print errors only.", rich_help_panel=RESULTS)
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print one JSON object instead of words.", rich_help_panel=RESULTS
        ),
    ] = False,
) -> None:
    """Learn the graph of a table, and write it down.

    Writes a report, tables, pictures and files for other programs to a folder: all or none.
    Earlier ones are replaced only with --force; other files are left alone.

    Example: [bold]spinney learn cells.csv --fdr 0.05[/bold]
    """
    earlier = None
    if again is not None:
        check_alone(_given(context))
        earlier = read_earlier(again, data)
        settings, data = earlier.settings, earlier.data
    elif data is None:
        raise InputError("Which table? Name a file: spinney learn DATA, or - for standard input.")
    else:
        settings = Settings(
            estimator=estimator or default(),
            families=families,
            criterion=criterion,
            fdr=fdr,
            compare=compare,
            required=required,
            forbidden=forbidden,
            columns=tuple(columns or ()),
            drop=tuple(drop or ()),
            kind=tuple(kind or ()),
            missing=missing,
            ties=ties,
            header=header,
            decimal=decimal,
            sheet=sheet,
            group=group,
            stability=stability,
            precision=precision,
            rows=rows,
            screen=screen,
            device=device,
            seed=seed,
        )
    job = Job(
        data=data,
        folder=out or Path(f"{stem_of(data)}-graph"),
        force=force,
        model=model,
        jobs=jobs,
        time_limit_s=None if time_limit is None else duration(time_limit),
        quiet=quiet,
        json=json,
        debug=debug,
    )
    check_request(settings, job, is_new=earlier is None)
    with work_on(cluster):
        run_learn(settings, job, context.obj, earlier)


def _given(context: typer.Context) -> set[str]:
    """Name the options that stand on the command line."""
    return {
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None
        and source.name == "COMMANDLINE"
    }
