"""The ingredients of the world as tables of Markdown, from the constants that draws use."""

from __future__ import annotations

from collections.abc import Sequence

from training.world.motifs import MOTIFS
from training.world.spoils import SPOILS, meaning, meaning_of
from training.world.tables import GAP_WAYS
from training.world.world import FORMATS, MEMORY, MEMORY_RANGE, World

__all__ = ["ingredients"]


def ingredients() -> str:
    """List parts, motifs and spoils with their shares; `docs/world.md` holds this text.

    Examples
    --------
    >>> print(ingredients()[:16])
    | part | share |
    """
    world = World()
    motifs = sum(motif.share for motif in MOTIFS.values())
    empty = (1 - motifs) * world.empty
    familiar = (1 - motifs) * (1 - world.empty) * world.familiar
    parts = {
        "motifs": motifs,
        "all columns independent": empty,
        "the package's own simulators": familiar,
        "any graph, any law of values": 1 - motifs - empty - familiar,
    }
    drawn_motifs = [
        (
            name,
            _percent(motif.share),
            "–".join(map(str, motif.columns)),
            "–".join(map(str, motif.rows)),
            meaning(motif.draw).removeprefix("draw "),
        )
        for name, motif in MOTIFS.items()
    ]
    low, high = MEMORY_RANGE
    memory = f"rows are a series with correlation {low} to {high} at lag one"
    spoils = [("autocorrelation", _percent(MEMORY), memory)]
    spoils += [(name, _percent(share), meaning_of(name)) for name, share in SPOILS.items()]
    total = sum(GAP_WAYS.values())
    ways = {
        "random": "by chance",
        "some columns": "by chance in some columns",
        "depends": "depending on another column",
    }
    gaps = ", ".join(f"{ways[way]} {_percent(share / total)}" for way, share in GAP_WAYS.items())
    missing = FORMATS["gaps"] + FORMATS["levels and gaps"]
    levels = FORMATS["levels"] + FORMATS["levels and gaps"]
    sections = [
        _table(("part", "share"), [(name, _percent(share)) for name, share in parts.items()]),
        _table(("motif", "share of all tables", "columns", "rows", "what it has"), drawn_motifs),
        f"Outside the motifs, {_percent(levels)} of the tables have columns with levels, and "
        f"{_percent(missing)} have missing values ({gaps}). Each of the following happens to a "
        "table of continuous columns, of any graph and any law, with the given chance:",
        _table(("what happens to values", "chance", "what it does"), spoils),
    ]
    return "\n\n".join(sections) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
