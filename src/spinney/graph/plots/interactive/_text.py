"""Names in plotly's figures, which reads some HTML and TeX out of every text."""

from __future__ import annotations

from html import escape
from typing import Any

from spinney._core.text import plain_line
from spinney.graph.plots.style import INK

__all__ = ["shown", "template"]

LONGEST, LONGEST_IN_HOVER = 28, 200


def shown(name: object, longest: int = LONGEST) -> str:
    """Write a name so that plotly shows it as it is, in one line of bounded length.

    Examples
    --------
    >>> shown("<b>bold</b> & $x$")
    '&lt;b&gt;bold&lt;/b&gt; &amp; &#36;x&#36;'
    """
    # A dollar would begin a formula; as an entity it is shown, and nothing else.
    return escape(plain_line(name, longest), quote=False).replace("$", "&#36;")


def template(title: str | None = None, **more: Any) -> dict[str, Any]:
    """Layout that all figures share: quiet, on white, with letters of one size."""
    layout: dict[str, Any] = {
        "template": "plotly_white",
        "font": {"color": INK, "size": 12},
        "margin": {"l": 40, "r": 20, "t": 50 if title else 25, "b": 40},
        "hoverlabel": {"align": "left"},
    }
    if title is not None:
        layout["title"] = {"text": shown(title, LONGEST_IN_HOVER), "x": 0.5}
    return layout | more
