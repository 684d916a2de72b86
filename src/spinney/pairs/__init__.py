"""From a table to the densities of its pairs: margins, copulas, tables of cells, `PairFit`."""

from spinney._core.registry import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    "spinney.pairs",
    {
        "PairDensities": "spinney.pairs.densities",
        "PairFit": "spinney.pairs.pair_fit",
        "PseudoTable": "spinney.pairs.pseudo",
    },
    ("cells", "copulas", "margins"),
)
