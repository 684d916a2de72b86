"""Command line: ``python -m reproduce figure1 --quick``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from rich.console import Console
from rich.table import Table

from reproduce.claims import Judgement
from reproduce.session import Options, reproduce, stop_at_first_interrupt, without_nan
from spinney.exceptions import InputError
from spinney.scale.cluster import cluster

COLOURS = {"holds": "green", "does not hold": "red"}


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m reproduce",
        description="Reproduce figures of the founding paper, and judge its claims. Writes each "
        "figure as PNG and SVG, and its numbers as CSV and JSON. Finished repetitions are kept: "
        "the same command resumes a run that was stopped.",
    )
    add = parser.add_argument
    add("figures", nargs="+", metavar="FIGURE", help="figure1 to figure6, or all")
    add("--quick", action="store_true", help="few repetitions and sizes: five minutes in all")
    add("--repetitions", "-r", type=int, metavar="N", help="tables per size (100)")
    add("--cuts-repetitions", type=int, metavar="N", help="those for EF-cuts, the slowest (20)")
    add("--subsamples", type=int, metavar="N", help="of each well in figure 6 (5)")
    add("--sizes", type=whole_numbers, metavar="N,N", help="numbers of rows (the paper's)")
    add("--methods", type=names, metavar="NAMES", help="these only, such as ef-lambda,glasso")
    add("--workers", "-w", type=int, metavar="N", help="processes, of one thread each (all cores)")
    add("--cluster", metavar="ADDRESS", help="of a Dask scheduler; its workers need this folder")
    add("--out", "-o", type=Path, default=Options.out, metavar="DIR", help="folder of the results")
    add("--draw-only", action="store_true", help="run nothing; draw what is there")
    add("--quiet", "-q", action="store_true", help="print nothing but errors")
    add("--json", action="store_true", help="print the result as JSON")
    return parser.parse_args(arguments)


def whole_numbers(text: str) -> list[int]:
    """Read numbers between commas."""
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        told = f"takes whole numbers such as 50,100; got '{text}'"
        raise argparse.ArgumentTypeError(told) from None


def names(text: str) -> list[str]:
    """Read names between commas."""
    return [name.strip() for name in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the figures; the status is 1 if repetitions failed, 2 on bad input, 130 on Ctrl-C."""
    given = vars(parse(arguments))
    figures, address = given.pop("figures"), given.pop("cluster")
    quiet, tells_json = given.pop("quiet"), given.pop("json")
    options = Options(**given)
    try:
        with stop_at_first_interrupt(), nullcontext() if address is None else cluster(address):
            say = (lambda line: None) if quiet or tells_json else print
            outcome = reproduce(figures, options, say)
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        told = f"Stopped; '{options.out}' keeps what is done. Go on by the same command."
        print(told, file=sys.stderr)
        return 130
    if tells_json:
        content = {
            "judgements": [judgement.as_dict() for judgement in outcome.judgements],
            "files": [str(path) for path in outcome.written],
            "failed": len(outcome.failed),
        }
        print(without_nan(content, indent=2))
    elif not quiet:
        show(outcome.judgements)
    return 1 if outcome.failed else 0


def show(judgements: Sequence[Judgement]) -> None:
    """Print the verdicts on claims of which something was measured."""
    measured = [j for j in judgements if j.findings]
    if not measured:
        return
    table = Table("figure", "the paper says", "verdict", box=None, padding=(0, 2), pad_edge=False)
    for j in measured:
        colour = COLOURS.get(j.verdict, "yellow")
        table.add_row(j.figure.removeprefix("figure"), j.sentence, f"[{colour}]{j.verdict}[/]")
    console = Console()
    console.print()
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
