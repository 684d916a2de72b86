"""``spinney reproduce``: the founding paper's figures, and which of its claims hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spinney.cli._options import DebugOption, JsonOption, QuietOption, dump, work_on
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
        typer.Option(
            "--quick", help="Few repetitions and sizes: within five minutes in all on two cores."
        ),
    ] = False,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions", "-r", metavar="N", help="Tables per size.", show_default="100"
        ),
    ] = None,
    cuts_repetitions: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Tables per size for EF-cuts, the slowest.", show_default="20"
        ),
    ] = None,
    subsamples: Annotated[
        int | None,
        typer.Option(metavar="N", help="Subsamples of each well in figure 6.", show_default="5"),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(metavar="N,N", help="Numbers of rows.", show_default="the paper's")
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Run these methods only, such as ef-lambda,glasso."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="N",
            help="Processes, of one thread each.",
            show_default="all processors",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Work on the Dask cluster whose scheduler is there: tcp://10.0.0.1:8786.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of the results.")
    ] = Path("reproduction"),
    draw_only: Annotated[
        bool, typer.Option("--draw-only", help="Run nothing; draw what is there.")
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Reproduce figures of the founding paper, and judge its claims.

    Writes each figure as PNG and SVG, its numbers as CSV and JSON. Every
    finished repetition is kept, and the same command goes on where a run was
    stopped.

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
