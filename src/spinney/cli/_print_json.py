"""``spinney learn --json``: what was found, as one JSON object."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import typer

from spinney import __version__
from spinney.cli._inputs import Inputs
from spinney.cli._learning import Found
from spinney.cli._run_record import counts_of
from spinney.cli._settings import Job
from spinney.cli._shell import Shell
from spinney.cli._times import Times

if TYPE_CHECKING:
    import pandas as pd

    from spinney.graph import LearnedGraph
    from spinney.graph.report import Output

__all__ = ["print_json", "records"]


def print_json(
    inputs: Inputs,
    job: Job,
    found: Found,
    views: dict[str, LearnedGraph],
    shell: Shell,
    times: Times,
    outputs: tuple[Output, ...],
) -> None:
    """Print one object: where the files are, edges, counts, warnings, decisions, times."""
    told: dict[str, Any] = {
        "spinney_version": __version__,
        "data": inputs.describe_data(job.data),
        "folder": str(job.folder),
    }
    folders = {"": job.folder}
    if found.grouped is not None:
        from spinney.cli._print_groups import beside_groups, group_folders

        folders = group_folders(found.grouped, job.folder)
    graphs = {
        name: {
            **counts_of(found.graphs[name]),
            "edges": records(view.edges),
            "n_edges": len(view.edges),
            "files": {
                output.name: str(folders[name] / output.name) for output in outputs
            },
            "stability": _stability(found, name),
        }
        for name, view in views.items()
    }  # fmt: skip
    if found.grouped is None:
        told |= graphs[""]
    else:
        told["files"] = {output.name: str(job.folder / output.name) for output in beside_groups()}
        told["groups"] = graphs
        told["differences"] = records(found.grouped.differences)
    told["left_out"] = [column.name for column in inputs.table.left_out] if inputs.table else []
    told["decisions"] = list(inputs.file.decisions)
    told["warnings"] = list(shell.warned)
    told["cut_short"] = {
        "comparisons": list(found.cut_short.comparisons),
        "stability_fits": dict(found.cut_short.stability_fits),
    }
    told["times_s"] = {name: round(seconds, 3) for name, seconds in times.as_dict().items()}
    typer.echo(json.dumps(told, indent=2, allow_nan=False))


def _stability(found: Found, name: str) -> dict[str, Any] | None:
    if name not in found.stability:
        return None
    stability = found.stability[name]
    return {"n_fits": stability.n_fits, "pairs": records(stability.pairs)}


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Turn rows into objects of plain values; what is missing is null.

    Examples
    --------
    >>> import pandas as pd
    >>> records(pd.DataFrame({"a": [1, 2], "b": [0.5, float("nan")], "c": [True, None]}))
    [{'a': 1, 'b': 0.5, 'c': True}, {'a': 2, 'b': None, 'c': None}]
    """
    return [
        {str(key): _plain(value) for key, value in row.items()} for row in table.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    import pandas as pd

    if isinstance(value, list | tuple) or hasattr(value, "tolist"):
        value = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(value, list | tuple):
            return [_plain(entry) for entry in value]
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value
