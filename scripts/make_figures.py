"""Make the figures of the documentation: ``python scripts/make_figures.py``."""

from __future__ import annotations

from pathlib import Path

from spinney.datasets import load_anes96, load_penguins
from spinney.graph.plots import draw_graph_page, plot_gallery, plot_pair
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
    real_tables()


def real_tables() -> None:
    """Write the figures of docs/real-tables.md."""
    penguins = RootedForests(n_jobs=-1).fit(load_penguins())
    draw_graph_page(penguins).savefig(IMAGES / "penguins_graph.png", dpi=130)
    for name, (u, v) in PENGUINS.items():
        plot_pair(penguins, u, v).figure.savefig(IMAGES / f"penguins_{name}.png", dpi=110)
    voters = RootedForests(n_jobs=-1).fit(load_anes96())
    draw_graph_page(voters).savefig(IMAGES / "anes96_graph.png", dpi=130)


if __name__ == "__main__":
    main()
