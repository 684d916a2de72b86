"""Make the figures of the documentation: ``python scripts/make_figures.py``."""

from __future__ import annotations

from pathlib import Path

from spinney.datasets import load_penguins
from spinney.graph.plots import plot_gallery, plot_pair
from spinney.models import RootedForests

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PENGUINS = {
    "strip": ("species", "bill_length_mm"),
    "mosaic": ("species", "island"),
    "sex": ("sex", "body_mass_g"),
    "contours": ("flipper_length_mm", "body_mass_g"),
}
"""Pairs of the penguins that are drawn, one for each two kinds."""


def main() -> None:
    """Write every figure."""
    plot_gallery().savefig(IMAGES / "copula_gallery.png", dpi=110)
    pairs()


def pairs() -> None:
    """Write the pictures of pairs of docs/learn.md."""
    penguins = RootedForests(n_jobs=-1).fit(load_penguins())
    for name, (u, v) in PENGUINS.items():
        plot_pair(penguins, u, v).figure.savefig(IMAGES / f"penguins_{name}.png", dpi=110)


if __name__ == "__main__":
    main()
