"""``spinney reproduce``: the founding paper's figures, and which of its claims hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spinney.cli._options import DebugOption, JsonOption, QuietOption, dump, opt, work_on
from spinney.cli._print import console
from spinney.cli._shell import FAILED, INTERRUPTED, say

if TYPE_CHECKING:
    from spinney.reproduce.claims import Judgement

__all__ = ["reproduce"]


def reproduce(
    figures: Annotated[
        list[str], typer.Argument(metavar="FIGURE...", help="figure1 to figure6, or all.")
    ],
    quick: Annotated[
        bool,
        opt(None, "Few repetitions and sizes: within five minutes in all on two cores.", "--quick"),
    ] = False,
    repetitions: Annotated[
        int | None, opt("N", "Tables per size.", "--repetitions", "-r", show_default="100")
    ] = None,
    cuts_repetitions: Annotated[
        int | None, opt("N", "Tables per size for EF-cuts, the slowest.", show_default="20")
    ] = None,
    subsamples: Annotated[
        int | None, opt("N", "Subsamples of each well in figure 6.", show_default="5")
    ] = None,
    sizes: Annotated[str | None, opt("N,N", "Numbers of rows.", show_default="the paper's")] = None,
    methods: Annotated[
        str | None, opt("NAMES", "Run these methods only, such as ef-lambda,glasso.")
    ] = None,
    workers: Annotated[
        int | None,
        opt(
            "N", "Processes, of one thread each.", "--workers", "-w", show_default="all processors"
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        opt("ADDRESS", "Work on the Dask cluster whose scheduler is there: tcp://10.0.0.1:8786."),
    ] = None,
    out: Annotated[Path, opt("DIR", "Folder of the results.", "--out", "-o")] = Path(
        "reproduction"
    ),
    draw_only: Annotated[
        bool, opt(None, "Run nothing; draw what is there.", "--draw-only")
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Reproduce figures of the founding paper, and judge its claims.

    Writes each figure as PNG and SVG, and its numbers as CSV and JSON. Finished
    repetitions are kept: the same command resumes a run that was stopped.

    Example: [bold]spinney reproduce figure1 --quick[/bold]
    """
    # From here on it takes a moment: these bring in everything else.
    from spinney.reproduce.session import Options, stop_at_first_interrupt
    from spinney.reproduce.session import reproduce as run

    options = Options(
        out=out,
        repetitions=repetitions,
        cuts_repetitions=cuts_repetitions,
        subsamples=subsamples,
        sizes=None if sizes is None else _whole_numbers(sizes),
        methods=None if methods is None else [name.strip() for name in methods.split(",")],
        workers=workers,
        quick=quick,
        draw_only=draw_only,
    )
    try:
        with stop_at_first_interrupt(), work_on(cluster):
            outcome = run(figures, options, (lambda line: None) if quiet or as_json else typer.echo)
    except KeyboardInterrupt:
        say(f"Stopped; '{out}' keeps what is done. Go on by the same command.")
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        dump(
            {
                "judgements": [judgement.as_dict() for judgement in outcome.judgements],
                "files": [str(path) for path in outcome.written],
                "failed": len(outcome.failed),
            }
        )
    elif not quiet:
        _show(outcome.judgements)
    if outcome.failed:
        raise typer.Exit(FAILED)


def _whole_numbers(text: str) -> list[int]:
    from spinney.exceptions import InputError

    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(f"--sizes takes whole numbers such as 50,100; got '{text}'.") from error


def _show(judgements: list[Judgement]) -> None:
    from rich.table import Table

    measured = [j for j in judgements if j.findings]
    if not measured:
        return
    table = Table("figure", "the paper says", "verdict", box=None, padding=(0, 2), pad_edge=False)
    colours: dict[str, Any] = {"holds": "green", "does not hold": "red"}
    for j in measured:
        colour = colours.get(j.verdict, "yellow")
        table.add_row(j.figure.removeprefix("figure"), j.sentence, f"[{colour}]{j.verdict}[/]")
    out = console()
    out.print()
    out.print(table)
