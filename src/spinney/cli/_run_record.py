"""What the record of a run says: ``run.json``."""

from __future__ import annotations

from typing import Any

from spinney.cli._inputs import Inputs
from spinney.cli._learning import Found
from spinney.cli._settings import Job, Settings
from spinney.cli._shell import Shell
from spinney.cli._times import Times

__all__ = ["counts_of", "record_of"]


def record_of(
    inputs: Inputs, settings: Settings, job: Job, found: Found, shell: Shell, times: Times
) -> dict[str, Any]:
    """Say how a graph was made: all that is needed to make it again, and what came out."""
    from spinney.graph.report.run_record import make_record

    cut = found.cut_short
    result: dict[str, Any] = (
        counts_of(found.graphs[""])
        if found.grouped is None
        else {"groups": {name: counts_of(graph) for name, graph in found.graphs.items()}}
    )
    left_out = inputs.table.left_out
    return make_record(
        command=["spinney", *shell.words],
        settings=settings.as_dict(),
        how={
            "jobs": job.jobs,
            "time_limit_s": job.time_limit_s,
            "out": str(job.folder),
            "force": job.force,
            "model": job.model,
        },
        data=inputs.describe_data(job.data),
        known_edges=inputs.known_edges,
        judge=found.judge_reference,
        times_s=times.as_dict(),
        result={
            **result,
            "left_out": {column.name: column.reason for column in left_out},
            "cut_short": {
                "comparisons": list(cut.comparisons),
                "stability_fits": dict(cut.stability_fits),
            },
        },
    )


def counts_of(graph: Any) -> dict[str, Any]:
    """Count what is in a learned graph: a LearnedGraph, or a fitted estimator.

    Examples
    --------
    >>> from spinney.models.baselines import ChowLiu
    >>> import numpy as np
    >>> counts_of(ChowLiu().fit(np.arange(12.0).reshape(6, 2) ** [1, 2]))
    {'columns': 2, 'pairs': 1, 'edges': 1, 'components': 1}
    """
    from spinney._core.pairs import PairIndex  # here, because it needs numpy

    model = getattr(graph, "learner", graph)
    d = len(model.adjacency_)
    counts: dict[str, Any] = {
        "columns": d,
        "pairs": d * (d - 1) // 2,
        "edges": int(model.adjacency_.sum()) // 2,
        "components": int(model.n_components_),
    }
    drawn = getattr(getattr(model, "table_", None), "drawn", None)
    if drawn is not None:
        counts["rows"] = {"used": drawn.n_rows, "of": drawn.n_whole, "seed": drawn.seed}
    judged = PairIndex.of_model(model, d)
    if judged.numbers is not None:  # the others have probability 0
        counts["judged_pairs"] = len(judged)
    screened = getattr(model, "screened_", None)
    if screened is not None:
        counts["screening"] = {
            "passed": len(screened),
            "level": screened.level,
            "partners": screened.partners,
        }
    if model is not graph:
        counts["unknown_pairs"] = len(model.unknown_pairs_)
        counts["expected_false"] = float(graph.n_expected_false)
        counts["expected_missed"] = float(graph.n_expected_missed)
    return counts
