"""Real tables that come with the package, with their provenance and what is known of the truth."""

from spinney.datasets.tables import (
    PBMC_CELL_TYPES,
    PBMC_PHOSPHO_SITES,
    PBMC_STIMULI,
    PBMC_SURFACE_MARKERS,
    PbmcData,
    SachsData,
    load_anes96,
    load_pbmc,
    load_penguins,
    load_sachs,
    path,
    pbmc_counts,
)

__all__ = [
    "PBMC_CELL_TYPES",
    "PBMC_PHOSPHO_SITES",
    "PBMC_STIMULI",
    "PBMC_SURFACE_MARKERS",
    "PbmcData",
    "SachsData",
    "load_anes96",
    "load_pbmc",
    "load_penguins",
    "load_sachs",
    "path",
    "pbmc_counts",
]
