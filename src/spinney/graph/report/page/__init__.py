"""The page that explains a learned graph: one self-contained HTML file from a payload.

Templates, the page's own scripts and styles, and plotly's script are combined.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any, NamedTuple

import pandas as pd

from spinney._core.files import cache_folder, whole_file
from spinney._core.text import counted, shorten_middle

__all__ = ["fill_template", "joined", "number", "policy", "render", "shorten", "shown"]

ROWS_WITHOUT_SCRIPT = 200
"""Rows of the table of pairs without the script; more if there are more edges."""
EDGES_WITHOUT_SCRIPT = 1500
HUBS = 8

# Inside <script> these could end the element or, in old browsers, a line of code.
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def render(payload: Mapping[str, Any]) -> str:
    """Make the page of a graph from its payload.

    Parameters
    ----------
    payload : mapping
        All that :func:`spinney.graph.report.content.build` lists, in plain JSON types.

    Returns
    -------
    str
        One self-contained HTML file: no network, no server, no other file. The same payload
        gives the same page.

    Raises
    ------
    ValueError
        If the payload holds a number that JSON lacks (infinite or NaN).

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.graph import LearnedGraph
    >>> from spinney.graph.report.content import build
    >>> from spinney.models.baselines import ChowLiu
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> page = render(build(LearnedGraph.of(ChowLiu().fit(X), title="<b>cells</b>")))
    >>> "<title>&lt;b&gt;cells&lt;/b&gt;" in page, "<b>cells" in page
    (True, False)
    """
    plotly = plotly_script()
    first, main = joined(("first.js",)), _main_script()
    return fill_template(
        "page.html.j2",
        page=payload,
        pairs=_pairs(payload),
        loose=[
            i for part in payload["components"] if len(part["nodes"]) == 1 for i in part["nodes"]
        ],
        hubs=_hubs(payload),
        strengths=_strengths(payload),
        stable=_stable(payload),
        json=_embedded(payload),
        plotly=plotly.packed,
        policy=policy(first, main, packed=plotly),
        first=first,
        main=main,
        style=joined(STYLES),
    )


def fill_template(name: str, **values: Any) -> str:
    """Fill in a template."""
    page = _templates().get_template(name).render(**values)
    # Lone surrogates cannot be written to a file.
    return str(page).encode("utf-8", "replace").decode("utf-8")


@cache
def _templates() -> Any:
    from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined

    folder = cache_folder()
    made = Environment(
        loader=PackageLoader("spinney.graph.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=None if folder is None else FileSystemBytecodeCache(str(folder)),
    )
    made.filters |= {"shown": shown, "shorten": shorten, "number": number}
    made.filters["sentence"] = sentence
    made.globals |= {"count": counted}
    return made


def _main_script() -> str:
    return f"(() => {{\n'use strict';\n{joined(SCRIPTS)}\n}})();"


def _embedded(payload: Mapping[str, Any]) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def _pairs(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the pairs shown without the script, with named parts."""
    named = _named(payload)
    kept = sum(bool(pair["kept"]) for pair in named)
    return named[: max(ROWS_WITHOUT_SCRIPT, min(kept, EDGES_WITHOUT_SCRIPT))]


def _named(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = payload["pair_columns"]
    named = [dict(zip(columns, row, strict=True)) for row in payload["pairs"]]
    # Edges come first in the list, but another pair may rank above an edge.
    for rank, pair in enumerate(sorted(named, key=lambda pair: -abs(pair["score"] or 0)), start=1):
        pair["rank"] = rank
    return named


def _strengths(payload: Mapping[str, Any]) -> str:
    """Draw the strengths, where they have intervals."""
    from spinney.graph.plots.strengths import COLUMNS, strengths_svg

    if not payload["strengths"] or not payload["score"]["is_probability"]:
        return ""
    n_edges = sum(bool(pair["kept"]) for pair in _named(payload))
    rows = [
        [cell.translate(_CONTROLS) if isinstance(cell, str) else cell for cell in row]
        for row in payload["strengths"]
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table.astype({"low": float, "high": float})  # all may be None
    return strengths_svg(table, n_edges)


def _hubs(payload: Mapping[str, Any]) -> list[int]:
    """Return the variables with most edges, best connected first."""
    nodes = payload["nodes"]
    joined = [index for index, node in enumerate(nodes) if node["degree"] > 0]
    joined.sort(key=lambda index: (-nodes[index]["degree"], -(nodes[index]["betweenness"] or 0)))
    return joined[:HUBS]


def _stable(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the edges with their frequencies, the least stable first."""
    if not payload["stability"]:
        return []
    found = {(i, j): share for i, j, share in payload["stability"]["frequencies"]}
    kept = [
        pair | {"frequency": found.get((pair["i"], pair["j"]))}
        for pair in _named(payload)
        if pair["kept"]
    ]
    known = [pair for pair in kept if pair["frequency"] is not None]
    return sorted(known, key=lambda pair: pair["frequency"])


# Scripts and style

# In this order: later ones use what earlier ones define.
SCRIPTS = (
    *("text.js", "payload.js", "theme.js", "tooltip.js", "state.js", "labels.js", "graph.js"),
    *("graph_moves.js", "controls.js", "pair_plots.js", "panel.js", "table.js", "heat.js"),
    *("print.js", "start.js"),
)
STYLES = ("base.css", "layout.css", "controls.css", "tables.css", "panel.css", "print.css")


class PackedScript(NamedTuple):
    """A compressed script, and the checksum of its text."""

    packed: str
    checksum: str


@cache
def joined(names: tuple[str, ...]) -> str:
    """Join asset files in the given order."""
    folder = files("spinney.graph.report.page") / "assets"
    return "\n".join((folder / name).read_text(encoding="utf-8").strip() for name in names)


@cache
def plotly_script() -> PackedScript:
    """Compress the script that comes with plotly's Python package, once: the result is kept."""
    folder = cache_folder()
    kept = None if folder is None else folder / f"plotly-{version('plotly')}.json"
    with suppress(OSError, ValueError, TypeError):
        return PackedScript(**json.loads(kept.read_bytes()))  # type: ignore[union-attr]  # TypeError
    from plotly.offline import get_plotlyjs

    code = get_plotlyjs().encode()
    # A fixed time in the header keeps pages reproducible to the byte.
    packed = base64.b64encode(gzip.compress(code, compresslevel=9, mtime=0)).decode("ascii")
    script = PackedScript(packed, _checksum(code))
    if kept is not None:
        with suppress(OSError), whole_file(kept) as temporary:
            temporary.write_text(json.dumps(script._asdict()), encoding="ascii")
    return script


def policy(*scripts: str, packed: PackedScript | None = None) -> str:
    """Return the content security policy of the page: run exactly these scripts.

    Nothing is requested, and a script injected by a name does not run, because its checksum is not
    listed. Plotly sets inline styles, so these are allowed.
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


# Names and numbers

# Control characters are shown by their Unicode pictures (U+2400 …). White space stays a space:
# headers of spreadsheets are often wrapped by hand.
_CONTROLS = {code: chr(0x2400 + code) for code in range(32)} | {127: "\u2421"}
_CONTROLS |= dict.fromkeys(range(9, 14), " ") | dict.fromkeys(range(0x80, 0xA0), "\ufffd")
# So do line and paragraph separators. Direction marks are shown, not obeyed.
_CONTROLS |= dict.fromkeys((0x2028, 0x2029), " ")
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
# Lone surrogates cannot be written as UTF-8.
_CONTROLS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def shown(text: Any) -> str:
    r"""Make control characters in a text visible.

    Examples
    --------
    >>> shown("body\nweight\x00")
    'body weight␀'
    """
    return str(text).translate(_CONTROLS)


def shorten(text: Any, limit: int = 48) -> str:
    """Cut the middle of a long text, and make control characters visible."""
    return shorten_middle(shown(text), limit)


def sentence(text: str) -> str:
    """Capitalise the first letter only.

    Examples
    --------
    >>> sentence("probability"), sentence("BB1, turned")
    ('Probability', 'BB1, turned')
    """
    return text[:1].upper() + text[1:]


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with this many decimals, or a dash if it is missing.

    Examples
    --------
    >>> number(0.98765), number(None), number(-0.5, 2), number(0.99996), number(1e-5)
    ('0.988', '–', '−0.50', '>0.999', '<0.001')
    """
    if value is None:
        return "–"
    if 1 - 0.5 * 10**-digits <= value < 1:  # rounding must not suggest certainty
        return f">{1 - 10**-digits:.{digits}f}"
    if 0 < value < 0.5 * 10**-digits:
        return f"<{10**-digits:.{digits}f}"
    return f"{value:.{digits}f}".replace("-", "−")
