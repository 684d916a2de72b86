"""Words about a run: memory, other methods, and differences from an earlier run."""

from __future__ import annotations

from spinney.notices import Notice
from spinney.wording import Door, Words

__all__ = ["WORDS"]

_COMMANDS = {"ef_lambda": "forests-lambda", "shared_forest": "shared-forest"}
"""Estimators of the command line for the methods compared."""


def _memory(notice: Notice, door: Door) -> str:
    needed, has = (f"{notice.facts[name]:.1f} GB" for name in ("needed", "has"))
    lacking = f"this machine has {has}" if notice.level == "error" else f"{has} are free here"
    cure = "Choose fewer columns with --columns, or take a part of the rows."
    return f"This needs about {needed} of memory, and {lacking}. {cure}"


def _method_slow(notice: Notice, door: Door) -> str:
    method = notice.facts["method"]
    cure = (
        f"--estimator {_COMMANDS[method]} learns with it alone"
        if door.options
        else "to have it nevertheless, name it in compare=[...]"
    )
    most = notice.facts["most"]
    return f"Not run: with more than {most:,} columns it takes minutes; {cure}."


def _method_too_long(notice: Notice, door: Door) -> str:
    n, n_pairs = notice.facts["n"], notice.facts["n_pairs"]
    how = "--rows" if door.options else "rows=..."
    return (
        f"Not run: it holds a number for each of {n:,} rows and {n_pairs:,} pairs, about "
        f"{8e-9 * n * n_pairs:.1f} GB; to have it, learn from fewer rows ({how})."
    )


WORDS: dict[str, Words] = {
    "memory-lacking": _memory,
    "method-slow": _method_slow,
    "method-too-long": _method_too_long,
    "method-whole": "Not run: {reason}, and of a wide table only some are fitted.",
    "again-other-data": (
        "The data are not those of the earlier run: their checksum differs. So the graph may be "
        "another."
    ),
    "again-other-judge": ("The judge is not that of the earlier run. So the graph may be another."),
    "again-other-version": (
        "The earlier run was made by spinney {then}; this is {now}. So the graph may be another."
    ),
}
