"""The ingredients of the world as tables of Markdown, from the constants that draws use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from training.world.directed import CURVES, INTERACTING, MULTIPLIED, NOISE_SHARES
from training.world.elliptical import PRECISIONS, SIGNS
from training.world.laws import CLIQUE_LAWS, FOREST_LAWS, GRAPH_LAWS, TWO_LAWS
from training.world.motifs import BENDS, DEPENDENT, INTERACTIONS, MOTIFS, ROOTS
from training.world.pairs import FAMILIES, FURTHER, FURTHER_SHARE, MIXED, ONE_FAMILY
from training.world.shapes import MOSTLY_ISOLATED, SHAPES, UNION
from training.world.spoils import SPOILS, meaning, meaning_of
from training.world.tables import COLUMN_KINDS, GAP_WAYS, LEVEL_STYLES
from training.world.world import (
    FEW,
    FIELDS,
    FORMATS,
    MEMORY,
    MEMORY_RANGE,
    MOTIF_GAPS,
    NO_EDGES,
    World,
)

__all__ = ["ingredients"]


def ingredients() -> str:
    """List every ingredient with its probability; `docs/world.md` holds this text.

    Examples
    --------
    >>> print(ingredients()[:28])
    ### Which part of the world
    """
    world = World()
    motifs = sum(motif.share for motif in MOTIFS.values())
    empty = (1 - motifs) * world.empty
    familiar = (1 - motifs) * (1 - world.empty) * world.familiar
    parts = {
        "motifs": motifs,
        "all columns independent": empty,
        "the package's own simulators": familiar,
        "any graph, any law": 1 - motifs - empty - familiar,
    }
    drawn_motifs = [
        (name, _percent(motif.share), _range(motif.columns), _range(motif.rows),
         meaning(motif.draw))
        for name, motif in MOTIFS.items()
    ]  # fmt: skip
    simple = 1 - MOSTLY_ISOLATED - UNION
    total = sum(shape.share for shape in SHAPES.values())
    shapes = [
        (kind, _percent(simple * shape.share / total), str(shape.fewest), _list(shape.groups),
         shape.meaning)
        for kind, shape in SHAPES.items()
    ]  # fmt: skip
    shapes += [
        ("mostly isolated", _percent(MOSTLY_ISOLATED), "6", "those of its part",
         "one of these on 10–50 % of the nodes"),
        ("union", _percent(UNION), "6", "those of its parts", "2–4 of these, disjoint"),
    ]  # fmt: skip
    memory = f"inputs are series with correlation {MEMORY_RANGE[0]}–{MEMORY_RANGE[1]} at lag one"
    spoils = [("autocorrelation", _percent(MEMORY), memory)]
    spoils += [(name, _percent(share), meaning_of(name)) for name, share in SPOILS.items()]
    families = ", ".join(_shares(FAMILIES))
    causes = [
        ("effect of a parent (curved causes)", *_joined(CURVES)),
        ("noise", *_joined(NOISE_SHARES)),
        ("two parents act by their product", _percent(INTERACTING)),
        ("a parent acts on the size of the noise", _percent(MULTIPLIED)),
    ]
    sections = [
        "### Which part of the world",
        _table(("part", "share"), [(name, _percent(share)) for name, share in parts.items()]),
        f"Outside the motifs, {_percent(NO_EDGES)} of the tables of any graph with at most {FEW} "
        "columns have independent columns instead.",
        "### Motifs",
        _table(("motif", "share of all tables", "columns", "rows", "what"), drawn_motifs),
        _table(("motifs", "shares"), [
            ("bends", *_joined({name: share for name, (share, _) in BENDS.items()})),
            ("causes without causes (bent causes, near-copies)", *_joined(ROOTS)),
            ("dependent rows", *_joined(DEPENDENT)),
            ("interactions", *_joined(INTERACTIONS)),
        ]),
        f"Values are missing in {_percent(MOTIF_GAPS)} of the motifs. Motifs have none of the "
        "formats and spoils below.",
        "### What tables look like",
        _table(("table", "share"), [(name, _percent(share)) for name, share in FORMATS.items()]),
        "### Graphs",
        _table(("kind", "share", "fewest nodes", "groups", "what"), shapes),
        "### Laws of values",
        _table(("law", "forests", "cliques apart", "other graphs"), [
            (law, *(_percent(laws[law]) if law in laws else ""
                    for laws in (FOREST_LAWS, CLIQUE_LAWS, GRAPH_LAWS)))
            for law in dict.fromkeys([*FOREST_LAWS, *CLIQUE_LAWS, *GRAPH_LAWS])
        ]),
        f"In {_percent(TWO_LAWS)} of the unions, components have one of two laws.",
        _table(("Gaussian and Student", "shares"), [
            ("precision matrix", *_joined(PRECISIONS)),
            ("signs of partial correlations (dominant, partial, singular)", *_joined(SIGNS)),
        ]),
        f"Copulas: {families}; one family in all edges in {_percent(ONE_FAMILY)} of the tables; "
        f"{_percent(FURTHER_SHARE)} with {_further()} too; in {_percent(MIXED)}, every "
        "fourth edge is a mixture of two copulas.",
        _table(("causes", "shares"), causes),
        "### Levels and gaps",
        f"Of the tables with levels outside the package's own simulators, {_percent(FIELDS)} are "
        "Ising, Potts or ordered fields (60 sweeps of Gibbs sampling); the others are cut.",
        _table(("cut tables", "shares"), [
            ("style", *_joined(LEVEL_STYLES)),
            ("columns of mixed tables", *_joined(COLUMN_KINDS)),
            ("gaps", *_joined(GAP_WAYS)),
        ]),
        "### Spoils",
        _table(("spoil", "chance", "what"), spoils),
    ]  # fmt: skip
    return "\n\n".join(sections) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _shares(shares: Mapping[Any, float]) -> list[str]:
    total = sum(shares.values())
    return [f"{name} {_percent(share / total)}" for name, share in shares.items()]


def _joined(shares: Mapping[Any, float]) -> tuple[str]:
    return (", ".join(_shares(shares)),)


def _further() -> str:
    return " and ".join(name for name in FURTHER if name not in FAMILIES)


def _range(ends: tuple[int, int]) -> str:
    return f"{ends[0]}–{ends[1]}"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "–"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
