"""``python -m spinney.reproduce``: the figures without typer or rich."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spinney.exceptions import InputError
from spinney.reproduce.session import FIGURES, QUICK, Options, reproduce, stop_at_first_interrupt


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m spinney.reproduce",
        description="Reproduce figures of the founding paper. What is done is not done again: "
        "an interrupted run goes on by the same command.",
    )
    parser.add_argument("figures", nargs="+", help=f"{', '.join(FIGURES)}, or all")
    parser.add_argument("--repetitions", type=int, help="tables per size (default 100)")
    parser.add_argument("--cuts-repetitions", type=int, help="tables for EF-cuts (default 20)")
    parser.add_argument("--subsamples", type=int, help="subsamples per well, figure 6 (default 5)")
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of rows")
    parser.add_argument("--methods", nargs="+", help="run these methods only")
    parser.add_argument("--workers", type=int, help="processes (default: one per processor)")
    parser.add_argument("--out", type=Path, default=Path("reproduction"), help="folder of results")
    parser.add_argument("--quick", action="store_true", help=f"small: {QUICK}")
    parser.add_argument("--draw-only", action="store_true", help="draw what is there, run nothing")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; return 0 if all went well, 1 if a method failed, 2 for wrong wishes, 130 on Ctrl-C."""
    asked = parse(arguments)
    options = Options(**{name: value for name, value in vars(asked).items() if name != "figures"})
    try:
        with stop_at_first_interrupt():
            outcome = reproduce(asked.figures, options)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"Stopped; {asked.out} keeps what is done. Go on by the same command.")
        return 130
    for judgement in outcome.judgements:
        print(f"{judgement.verdict:>14}: {judgement.sentence}")
    return 1 if outcome.failed else 0


if __name__ == "__main__":
    sys.exit(main())
