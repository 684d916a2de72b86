"""``spinney simulate``: a table whose true graph is known."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from spinney._core.choices import check_choice
from spinney._core.files import whole_folder
from spinney._core.text import counted
from spinney.cli._options import DebugOption, ForceOption, JsonOption, QuietOption, dump, opt
from spinney.cli._print import console, print_files, say_on
from spinney.exceptions import InputError
from spinney.graph.report.folder import check_files

if TYPE_CHECKING:
    import pandas as pd

    from spinney.simulate import Simulated

RESULTS = {
    "table.csv": "the table",
    "truth.csv": "the true edges",
    "simulation.json": "how it was drawn, to draw it again",
}
"""The files written, and what they hold."""


class Simulator(NamedTuple):
    """A kind of table.

    Attributes
    ----------
    meaning : str
        A short description.
    function : str
        The function of :mod:`spinney.simulate` that draws the table, or the graph on which normal
        columns are drawn.
    options : tuple of str
        Options that it accepts.
    mixed : bool
        Whether columns are then cut into levels.
    """

    meaning: str
    function: str
    options: tuple[str, ...] = ()
    mixed: bool = False


BOTH, COMPONENTS = ("degree", "components"), ("components",)
SIMULATORS: dict[str, Simulator] = {
    "gaussian": Simulator("normal columns on a random graph", "gaussian_mrf", BOTH),
    "hubs": Simulator("normal columns, three of them with many edges", "hub_graph"),
    "scale-free": Simulator("normal columns, a few of them with many edges", "scale_free_graph"),
    "independent": Simulator("normal columns without edges", "independent"),
    "t-cliques": Simulator(
        "cliques that depend in their tails, with hardly a correlation", "t_cliques"
    ),
    "copula-forest": Simulator(
        "columns on a forest, with copulas of all families", "copula_forest", COMPONENTS
    ),
    "ising": Simulator("yes or no on a forest", "ising_forest", COMPONENTS),
    "potts": Simulator("categories on a forest", "potts_forest", COMPONENTS),
    "mixed": Simulator(
        *("numbers, ordered levels and yes or no on a random graph", "gaussian_mrf", BOTH),
        mixed=True,
    ),
}
"""The kinds, by name."""


def complete_simulator(incomplete: str) -> Iterator[tuple[str, str]]:
    """Complete a kind of simulated table, with its description."""
    for name, simulator in SIMULATORS.items():
        if name.startswith(incomplete):
            yield name, simulator.meaning


def simulate(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help=", ".join(SIMULATORS) + ".", autocompletion=complete_simulator
        ),
    ],
    rows: Annotated[int, opt("N", "Number of rows.", "--rows", "-n", min=1)] = 500,
    columns: Annotated[int, opt("N", "Number of columns.", "--columns", "-d", min=2)] = 25,
    degree: Annotated[
        float | None, opt("X", "Mean number of neighbours.", min=0.0, show_default="2")
    ] = None,
    components: Annotated[
        int | None, opt("N", "Number of components.", min=1, show_default="1")
    ] = None,
    gaps: Annotated[
        float, opt("X", "Share of the values that are missing.", min=0.0, max=0.9)
    ] = 0.0,
    seed: Annotated[int, opt("N", "The same seed gives the same table.", min=0)] = 0,
    out: Annotated[
        Path | None, opt("DIR", "Folder of the files.", "--out", "-o", show_default="KIND-table")
    ] = None,
    force: ForceOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Draw a table whose true graph is known, to try methods on.

    Writes table.csv, truth.csv and simulation.json: all of them or none.

    Example: [bold]spinney simulate gaussian --rows 300 --columns 20[/bold]
    """
    name = check_choice(kind, SIMULATORS, "kind of table")
    simulator = SIMULATORS[name]
    for option, given in (("degree", degree), ("components", components)):
        if given is not None and option not in simulator.options:
            raise InputError(f"Tables of the kind '{name}' have no --{option}. Leave it out.")
    folder = Path(f"{name}-table") if out is None else out
    check_files(folder, RESULTS, force=force)

    options = {
        "rows": rows,
        "columns": columns,
        "degree": 2.0 if degree is None else degree,
        "components": components or 1,
        "seed": seed,
        "gaps": gaps,
    }
    drawn = _draw(simulator, options)
    truth = _truth(drawn)
    with whole_folder(folder) as temporary:
        _write(temporary, name, options, drawn, truth)
    told = {
        "kind": name,
        "rows": len(drawn.X),
        "columns": drawn.X.shape[1],
        "edges": drawn.n_edges,
        "components": drawn.n_components,
        "seed": seed,
        "files": [str(folder / file) for file in RESULTS],
    }
    if as_json:
        dump(told)
    elif not quiet:
        _show(told, simulator.meaning, folder)


def _draw(simulator: Simulator, options: Mapping[str, Any]) -> Simulated:
    from spinney import simulate

    n, d, seed = (options[name] for name in ("rows", "columns", "seed"))
    function = getattr(simulate, simulator.function)
    if simulator.function.endswith("_graph"):
        drawn = simulate.gaussian(n, function(d, random_state=seed), seed)
    else:
        known = {name: options[name] for name in simulator.options}
        drawn = function(n, d, random_state=seed, **known)
    if simulator.mixed:
        drawn = simulate.threshold(drawn, "mixed", random_state=seed)
    if options["gaps"]:
        drawn = simulate.with_gaps(drawn, options["gaps"], random_state=seed)
    return drawn


def _truth(drawn: Simulated) -> pd.DataFrame:
    """List the true edges: with partial correlations of normal columns, or tau of copulas."""
    import numpy as np
    import pandas as pd

    from spinney.evidence.matrices import partial_correlation

    names, ends = list(drawn.table.columns), np.argwhere(np.triu(drawn.adjacency, 1))
    pairs = [(names[i], names[j]) for i, j in ends]
    truth = pd.DataFrame(pairs, columns=["source", "target"])
    # Of columns that were changed after they were drawn, the precision is not theirs.
    if drawn.precision is not None and drawn.name in ("gaussian", "gaussian_mrf"):
        truth["strength"] = partial_correlation(drawn.precision)[tuple(ends.T)]
    elif drawn.copulas is not None:
        copulas = [drawn.copulas[u, v] for u, v in ends.tolist()]
        truth["family"] = [copula.family for copula in copulas]
        truth["tau"] = [float(copula.tau) for copula in copulas]
    return truth


def _write(
    folder: Path, kind: str, options: dict[str, Any], drawn: Simulated, truth: pd.DataFrame
) -> None:
    """Write all files."""
    from spinney import __version__

    form: dict[str, Any] = {"index": False, "float_format": "%.10g", "lineterminator": "\n"}
    drawn.table.to_csv(folder / "table.csv", **form)
    truth.to_csv(folder / "truth.csv", **form)
    note = {
        "made_by": "spinney simulate",
        "version": __version__,
        "kind": kind,
        "options": options,
        "simulator": drawn.name,
        "parameters": drawn.parameters,
        "kinds": list(drawn.kinds),
    }
    text = json.dumps(note, indent=2, default=lambda value: value.tolist())
    (folder / "simulation.json").write_text(text + "\n", encoding="utf-8")


def _show(told: dict[str, Any], meaning: str, folder: Path) -> None:
    out = console()
    say_on(
        out,
        f"{told['kind']} ({meaning}): {counted(told['rows'], 'row')} × "
        f"{counted(told['columns'], 'column')}, {counted(told['edges'], 'true edge')}, "
        f"{counted(told['components'], 'component')}, seed {told['seed']}",
    )
    print_files(out, {str(folder / name): meaning for name, meaning in RESULTS.items()})
    table, truth, graph = (
        shlex.quote(str(folder / name)) for name in ("table.csv", "truth.csv", "graph")
    )
    learn = f"  spinney learn {table} --out {graph}"
    say_on(out, "", "Next:", learn, f"  spinney compare {truth} {graph}")
