"""The page that explains a learned graph: one self-contained HTML file from a payload.

Templates, the page's own scripts and styles, and plotly's script are combined.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from spinney._core.text import counted, plain_line, shorten_middle

__all__ = ["fill_template", "joined", "number", "policy", "render", "shorten"]

ROWS_WITHOUT_SCRIPT = 200
"""Rows of the table of pairs without the script; more if there are more edges."""
EDGES_WITHOUT_SCRIPT = 1500
HUBS = 8
READ_BY_SCRIPT = (
    *("nodes", "components", "pair_columns", "pairs", "score", "heat", "data", "fits", "why"),
    "groups",
)
"""Parts of the payload that the script reads; the others are only in the templates."""


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
    plotly, packed = plotly_script()
    first, main = joined(("first.js",)), f"(() => {{\n'use strict';\n{joined(SCRIPTS)}\n}})();"
    pairs = [dict(zip(payload["pair_columns"], row, strict=True)) for row in payload["pairs"]]
    n_edges = sum(pair["kept"] for pair in pairs)
    return fill_template(
        "page.html.j2",
        page=payload,
        pairs=pairs[: max(ROWS_WITHOUT_SCRIPT, min(n_edges, EDGES_WITHOUT_SCRIPT))],
        n_edges=n_edges,
        has_intervals=any(pair["low"] is not None for pair in pairs),
        hubs=_hubs(payload),
        json={name: payload[name] for name in READ_BY_SCRIPT},
        plotly=packed,
        policy=policy(first, main, plotly),
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
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("spinney.graph.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"shown": plain_line, "shorten": shorten, "number": number}
    made.filters["sentence"] = sentence
    made.globals |= {"count": counted}
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "allow_nan": False}
    return made


def _hubs(payload: Mapping[str, Any]) -> list[int]:
    """Return the variables with most edges, best connected first."""
    nodes = payload["nodes"]
    joined = [index for index, node in enumerate(nodes) if node["degree"] > 0]
    joined.sort(key=lambda index: (-nodes[index]["degree"], -(nodes[index]["betweenness"] or 0)))
    return joined[:HUBS]


# Scripts and style

# In this order: later ones use what earlier ones define.
SCRIPTS = (
    *("text.js", "payload.js", "theme.js", "hover.js", "state.js", "labels.js", "graph.js"),
    *("graph_moves.js", "controls.js", "pair_plots.js", "panel.js", "table.js", "heat.js"),
    *("print.js", "start.js"),
)
STYLES = ("base.css", "layout.css", "controls.css", "tables.css", "panel.css", "print.css")


@cache
def joined(names: tuple[str, ...]) -> str:
    """Join asset files in the given order."""
    folder = files("spinney.graph.report.page") / "assets"
    return "\n".join((folder / name).read_text(encoding="utf-8").strip() for name in names)


@cache
def plotly_script() -> tuple[str, str]:
    """Return the script that comes with plotly's Python package, plain and compressed."""
    from plotly.offline import get_plotlyjs

    code = get_plotlyjs()
    # A fixed time in the header keeps pages reproducible to the byte.
    return code, base64.b64encode(gzip.compress(code.encode(), mtime=0)).decode("ascii")


def policy(*scripts: str) -> str:
    """Return the content security policy of the page: run exactly these scripts.

    Nothing is requested, and a script injected by a name does not run, because its checksum is not
    listed. Plotly sets inline styles, so these are allowed.
    """
    sums = [hashlib.sha256(script.encode()).digest() for script in scripts]
    known = " ".join(f"'sha256-{base64.b64encode(one).decode('ascii')}'" for one in sums)
    return (
        f"default-src 'none'; script-src {known}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


# Names and numbers


def shorten(text: Any, limit: int = 48) -> str:
    """Write a text in one line, and cut its middle if it is long, as text.js does."""
    return shorten_middle(plain_line(text), limit)


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
    if value is None or value != value:
        return "–"
    if 1 - 0.5 * 10**-digits <= value < 1:  # rounding must not suggest certainty
        return f">{1 - 10**-digits:.{digits}f}"
    if 0 < value < 0.5 * 10**-digits:
        return f"<{10**-digits:.{digits}f}"
    return f"{value:.{digits}f}".replace("-", "−")
