"""Edges that are known beforehand: ``--required`` and ``--forbidden``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spinney.cli._settings import Settings
from spinney.exceptions import InputError

__all__ = ["Pairs", "read_known_edges"]

Pairs = list[tuple[str, str]]


def read_known_edges(
    settings: Settings,
    names: Sequence[str],
    recorded: Mapping[str, Sequence[Sequence[str]]] | None = None,
) -> dict[str, Pairs]:
    """Read both files; or take the pairs that an earlier run has `recorded`.

    Examples
    --------
    >>> settings = Settings(estimator="graph-learner", required="gone.csv")
    >>> read_known_edges(settings, ["a", "b"], {"required": [["a", "b"]]})
    {'required': [('a', 'b')], 'forbidden': []}
    """
    files = {"required": settings.required, "forbidden": settings.forbidden}
    found: dict[str, Pairs] = {}
    for what, file in files.items():
        if recorded is not None:
            found[what] = [_recorded(pair, names) for pair in recorded.get(what, ())]
        elif file is None:
            found[what] = []
        else:
            from spinney.tables.readers import read_constraints

            found[what] = list(read_constraints(file, names))
    both = {frozenset(pair) for pair in found["required"]} & {
        frozenset(pair) for pair in found["forbidden"]
    }
    if both:
        u, v = sorted(next(iter(both)))
        raise InputError(
            f"'{u}' – '{v}' stands in both --required {settings.required} and "
            f"--forbidden {settings.forbidden}. Take it out of one of them."
        )
    return found


def _recorded(pair: Sequence[str], names: Sequence[str]) -> tuple[str, str]:
    u, v = pair
    for name in (u, v):
        if name not in names:
            raise InputError(
                f"The earlier run was told of the edge '{u}' – '{v}', but there is no column "
                f"'{name}' in these data."
            )
    return u, v
