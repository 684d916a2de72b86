"""``run.json``: how a graph was made, and ``--again``, which repeats it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney import __version__
from spinney.cli._settings import Job, LearnSettings, option_of
from spinney.exceptions import InputError
from spinney.graph.report.folder import read_run
from spinney.notices import Notice, warn

if TYPE_CHECKING:
    from spinney.cli._inputs import Inputs
    from spinney.cli._learning import Found
    from spinney.graph import LearnedGraph


# Writing


def record_of(
    inputs: Inputs,
    settings: LearnSettings,
    job: Job,
    found: Found,
    words: tuple[str, ...],
    time_s: float,
) -> dict[str, Any]:
    """Record how a graph was made, all that is needed to repeat it, and the result."""
    from spinney.graph.report.folder import make_record

    counts: dict[str, Any] = {name: counts_of(graph) for name, graph in found.graphs.items()}
    left_out = inputs.table.left_out
    return make_record(
        command=["spinney", *words],
        settings=settings.as_dict(),
        how={name: getattr(job, name) for name in ("jobs", "force", "model", "layout", "ring")}
        | {"out": str(job.folder), "colour_by": inputs.colour_by},
        data=inputs.describe_data(job.data),
        known_edges=inputs.known_edges,
        judge=found.judge,
        time_s=time_s,
        result={
            **(counts[""] if found.grouped is None else {"groups": counts}),
            "left_out": {column.name: column.reason for column in left_out},
        },
    )


def counts_of(graph: LearnedGraph) -> dict[str, Any]:
    """Count what is in a learned graph.

    Examples
    --------
    >>> from spinney.graph import LearnedGraph
    >>> from spinney.models.baselines import ChowLiu
    >>> import numpy as np
    >>> counts_of(LearnedGraph.of(ChowLiu().fit(np.arange(12.0).reshape(6, 2) ** [1, 2])))
    {'columns': 2, 'pairs': 1, 'edges': 1, 'components': 1}
    """
    counts: dict[str, Any] = {
        "columns": len(graph.names),
        "pairs": math.comb(len(graph.names), 2),
        "edges": graph.n_edges,
        "components": int(graph.learner.n_components_),
    }
    drawn = None if graph.table is None else graph.table.drawn
    if drawn is not None:
        counts["rows"] = {"used": drawn.n_rows, "of": drawn.n_whole, "seed": drawn.seed}
    if graph.judged.numbers is not None:  # the others have probability 0
        counts["judged_pairs"] = len(graph.judged)
    if graph.is_probability:
        counts["unknown_pairs"] = len(graph.learner.unknown_pairs_)
        counts["expected_false"] = graph.expected_false
        counts["expected_missed"] = graph.expected_missed
    return counts


# Again


@dataclass(frozen=True)
class Earlier:
    """An earlier run: its record, its settings, and the data to repeat it with."""

    record: dict[str, Any]
    settings: LearnSettings
    data: str

    @property
    def how(self) -> dict[str, Any]:
        """Options by which it wrote its results: the picture, and whether there was a model."""
        told = self.record.get("how", {})
        return {name: told[name] for name in ("layout", "ring", "model") if name in told}

    def warn_of_differences(self, checksum: str, judge: Mapping[str, str] | None) -> None:
        """Warn about differences that may change the graph."""
        fingerprint = (self.record.get("judge") or {}).get("fingerprint")
        earlier = self.record["spinney_version"]
        told = {
            "data": "The data are not those of the earlier run: their checksum differs.",
            "judge": "The judge is not that of the earlier run.",
            "version": f"The earlier run was made by spinney {earlier}; this is {__version__}.",
        }
        then = (self.record["data"].get("sha256"), fingerprint, earlier)
        now = (checksum, (judge or {}).get("fingerprint"), __version__)
        for (code, text), one, other in zip(told.items(), then, now, strict=True):
            if one != other:
                warn(Notice(f"again-other-{code}", f"{text} So the graph may differ."))

    def tables_are_the_same(self, folder: Path) -> bool:
        """Whether all tables in a folder of results are the same, byte by byte."""
        then, now = (record.get("files", {}) for record in (self.record, read_run(folder)))
        tables = {name for name in {*then, *now} if name.endswith(".csv")}
        return bool(tables) and all(then.get(name) == now.get(name) for name in tables)


def check_alone(given: set[str]) -> None:
    """Refuse options that would change the graph beside ``--again``."""
    beside = sorted(given & {entry.name for entry in fields(LearnSettings)})
    if beside:
        raise InputError(
            f"--again takes all settings from run.json. Leave {option_of(beside[0])} out, or "
            "leave --again out."
        )


def read_earlier(place: str | Path, data: str = "") -> Earlier:
    """Read the record of an earlier run, and find its data if none are given."""
    path, record = Path(place), read_run(place)
    path = path / "run.json" if path.is_dir() else path
    told = record["settings"]
    strange = sorted(set(told) - {entry.name for entry in fields(LearnSettings)})
    if strange:
        raise InputError(
            f"'{path}' has a setting that spinney {__version__} does not know: {strange[0]!r}."
        )
    # JSON has lists in place of tuples; an older version may lack a setting.
    values: dict[str, Any] = {
        name: tuple(x) if isinstance(x, list) else x for name, x in told.items()
    }
    return Earlier(record, LearnSettings(**values), data or _find_data(path, record["data"]))


def _find_data(path: Path, told: dict[str, Any]) -> str:
    """Look for the data at their old path, then beside the folder of results."""
    named = told.get("path")
    if not isinstance(named, str) or not named:
        raise InputError(f"'{path}' is damaged: it does not name its data.")
    for place in (Path(named), path.absolute().parent.parent / Path(named).name):
        if named != "-" and place.is_file():
            return str(place)
    lost = (
        f"The run of '{path}' read standard input."
        if named == "-"
        else f"There is no file '{named}' any more, from which '{path}' was learned."
    )
    raise InputError(f"{lost} Give the data: spinney learn --again {path} DATA.")
