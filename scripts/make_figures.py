"""Make the figures of the documentation: ``python -m scripts.make_figures``."""

from __future__ import annotations

from pathlib import Path

import spinney
from reproduce.copula_gallery import plot_gallery
from spinney.datasets import load_penguins

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PENGUINS = {
    "boxes": ("species", "bill_length_mm"),
    "mosaic": ("species", "island"),
    "sex": ("sex", "body_mass_g"),
    "points": ("flipper_length_mm", "body_mass_g"),
}
"""Pairs of the penguins that are drawn, one for each two kinds."""


def main() -> None:
    """Write every figure."""
    plot_gallery().savefig(IMAGES / "copula_gallery.png", dpi=110)
    pairs()


def pairs() -> None:
    """Write the pictures of pairs of docs/learn.md."""
    penguins = spinney.learn(load_penguins())
    for name, (u, v) in PENGUINS.items():
        penguins.plot_pair(u, v).figure.savefig(IMAGES / f"penguins_{name}.png", dpi=110)


if __name__ == "__main__":
    main()
