"""Real tables that come with the package, with their provenance and what is known of the truth."""

from spinney.datasets._files import path
from spinney.datasets.anes96 import load_anes96
from spinney.datasets.pbmc import (
    PBMC_CELL_TYPES,
    PBMC_PHOSPHO_SITES,
    PBMC_STIMULI,
    PBMC_SURFACE_MARKERS,
    PbmcData,
    load_pbmc,
    pbmc_counts,
)
from spinney.datasets.penguins import load_penguins
from spinney.datasets.sachs import SachsData, load_sachs

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
