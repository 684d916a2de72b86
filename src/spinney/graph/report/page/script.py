"""Scripts and style of the page: its own, and plotly's, packed."""

from __future__ import annotations

import base64
import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["PackedScript", "joined", "plotly_script", "policy"]

# In this order: later ones use what earlier ones define.
SCRIPTS = (
    "text.js",
    "payload.js",
    "theme.js",
    "tooltip.js",
    "state.js",
    "labels.js",
    "graph.js",
    "graph_moves.js",
    "controls.js",
    "pair_plots.js",
    "panel.js",
    "table.js",
    "heat.js",
    "print.js",
    "start.js",
)
STYLES = ("base.css", "layout.css", "controls.css", "tables.css", "panel.css", "print.css")


class PackedScript(NamedTuple):
    """A script as text that takes little room, and its checksum unpacked."""

    packed: str
    checksum: str


@cache
def joined(names: tuple[str, ...]) -> str:
    """Join files of the folder of assets, in the order given."""
    folder = files("spinney.graph.report.page") / "assets"
    return "\n".join((folder / name).read_text(encoding="utf-8").strip() for name in names)


@cache
def plotly_script() -> PackedScript:
    """Pack plotly's own script, as its Python package brings it."""
    from plotly.offline import get_plotlyjs

    code = get_plotlyjs().encode()
    # A fixed time in the header: the same page twice is the same to the byte.
    packed = base64.b64encode(gzip.compress(code, compresslevel=9, mtime=0)).decode("ascii")
    return PackedScript(packed, _checksum(code))


def policy(*scripts: str, packed: PackedScript | None = None) -> str:
    """Say what the browser may do on this page: nothing but run exactly these scripts.

    Nothing is requested from anywhere, and a script that has found its way in by a name does not
    run: its checksum is not listed. Plotly sets styles on what it draws, so styles are free.
    """
    known = [_checksum(script.encode()) for script in scripts]
    if packed is not None:
        known.append(packed.checksum)
    return "; ".join(
        [
            "default-src 'none'",
            "script-src " + " ".join(f"'sha256-{checksum}'" for checksum in known),
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "font-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _checksum(code: bytes) -> str:
    return base64.b64encode(hashlib.sha256(code).digest()).decode("ascii")
