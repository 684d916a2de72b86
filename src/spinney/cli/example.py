"""``spinney example``: a table that comes with the package, to try things on."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from spinney._core.choices import check_choice
from spinney._core.files import whole_file
from spinney.cli._options import DebugOption, ForceOption, JsonOption, QuietOption, dump, opt
from spinney.exceptions import InputError
from spinney.graph.report.folder import check_files

EXAMPLES = {
    "sachs": ("853 T cells, 11 signalling proteins", ""),
    "penguins": ("344 penguins: species, island, sex and measurements, with missing values", ""),
    "anes96": ("944 American voters of 1996: answers on scales", " --kind income=ordinal"),
    "pbmc": ("1,932 B cells, 14 proteins, with and without a stimulus", " --group stimulus"),
}
"""What each table holds, and an option that suits it."""


def example(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help=", ".join(EXAMPLES) + ". Without a name, all are listed.",
            autocompletion=lambda incomplete: [n for n in EXAMPLES if n.startswith(incomplete)],
            show_default=False,
        ),
    ] = "",
    out: Annotated[
        Path | None, opt("FILE", "The file to write.", "--out", "-o", show_default="NAME.csv")
    ] = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Write a table that comes with the package to a file, to try things on.

    Example: [bold]spinney example sachs[/bold]
    """
    if not name:
        if as_json:
            dump({each: about for each, (about, _) in EXAMPLES.items()})
        elif not quiet:
            for each, (about, _) in EXAMPLES.items():
                typer.echo(f"{each:10}{about}")
            typer.echo("\nTo write one to a file: spinney example sachs")
        return
    about, option = EXAMPLES[check_choice(name, EXAMPLES, "example")]
    path = Path(f"{name}.csv") if out is None else out
    if path.is_file() and not force:
        raise InputError(f"'{path}' is there already. Give --force to replace it, or --out FILE.")
    check_files(path.parent, [path.name], force=True)
    text = _text(name)
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    if as_json:
        dump({"file": str(path), "about": about, "rows": text.count("\n") - 1})
    elif not quiet:
        typer.echo(f"{path}: {about}\n\nNext:\n  spinney learn {shlex.quote(str(path))}{option}")


def _text(name: str) -> str:
    from spinney import datasets

    if name in ("penguins", "anes96"):
        return datasets.path(f"{name}.csv").read_text(encoding="utf-8")
    if name == "sachs":
        table = datasets.load_sachs().X
    else:
        cells = datasets.load_pbmc("igm+", ["Reference", "BCR/FcR-XL"])
        table = cells.X.assign(stimulus=cells.stimuli.to_numpy())
    return table.to_csv(index=False, lineterminator="\n")
