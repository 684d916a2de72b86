"""Learned graphs in notebooks: a few lines of HTML, in which names are nothing but text.

Colours come from the page around it, so that light and dark themes both can be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from spinney._core.text import counted, plain_line, probability_text

LONGEST = 40
MOST_EDGES = 10
_HEADINGS = {"source": "column", "target": "column", "rotation": "°", "sign_means": "sign means"}
_SHOWN = (
    "source",
    "target",
    "probability",
    "share",
    "frequency",
    "sign",
    "strength",
    "weight",
    "sign_means",
)
_STYLE = (
    ".spinney-graph{font-size:.9em;line-height:1.45;max-width:60em;overflow-x:auto}"
    ".spinney-graph p{margin:.3em 0}"
    ".spinney-graph table{border-collapse:collapse;margin:.4em 0;color:inherit}"
    ".spinney-graph tr,.spinney-graph td,.spinney-graph th"
    "{padding:.15em .8em .15em 0;border:none;background:none;color:inherit;text-align:right}"
    ".spinney-graph :is(td,th):nth-child(-n+2){text-align:left}"
)
"""Style; without it plain text and a plain table remain."""


def shown(name: object, longest: int = LONGEST) -> str:
    """Write a name as text of HTML, in one line of bounded length.

    Examples
    --------
    >>> shown("<script>alert('x')</script>")
    '&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;'
    """
    return escape(plain_line(name, longest), quote=True)


def sentence(text: str) -> str:
    """Put a sentence into a paragraph; what is in it is text.

    Examples
    --------
    >>> sentence("a < b")
    '<p>a &lt; b</p>'
    """
    return f"<p>{shown(text, 2000)}</p>"


def block(parts: Iterable[str]) -> str:
    """Put parts, which are HTML already, under each other."""
    return f'<style>{_STYLE}</style><div class="spinney-graph">{"".join(parts)}</div>'


def edges_html(edges: Any, labels: Mapping[str, str] | None = None) -> str:
    """Lay out the first edges of a table of edges.

    Parameters
    ----------
    edges : pandas.DataFrame
        The first first; of its columns those that a reader asks for are shown.
    labels : mapping, optional
        What to call columns.

    Examples
    --------
    >>> import pandas as pd
    >>> made = edges_html(pd.DataFrame({"source": ["a"], "target": ["b<"], "weight": [0.5]}))
    >>> "b&lt;" in made, "0.5" in made
    (True, True)
    """
    columns = [name for name in _SHOWN if name in edges]
    names = {**_HEADINGS, **(labels or {})}
    head = "".join(f'<th scope="col">{shown(names.get(name, name))}</th>' for name in columns)
    rows = [
        "".join(f"<td>{_value(name, row[name])}{_interval(name, row)}</td>" for name in columns)
        for row in edges.head(MOST_EDGES).to_dict("records")
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    more = len(edges) - len(rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return table + (sentence(f"and {more:,} more") if more > 0 else "")


def _value(column: str, value: Any) -> str:
    if column in ("source", "target"):
        return f'<bdi dir="auto">{shown(value)}</bdi>'
    if value != value:
        return ""
    if column == "sign_means":
        return shown(value, 3 * LONGEST)
    if column == "sign":
        return {1: "+", -1: "−"}.get(int(value), "")
    if column in ("probability", "share", "frequency"):
        return _share(float(value))
    return f"{float(value):.3g}"


def _interval(column: str, row: Mapping[str, Any]) -> str:
    low, high = (row.get(name, float("nan")) for name in ("strength_low", "strength_high"))
    return f" ({low:.2f} to {high:.2f})" if column in ("strength", "weight") and low == low else ""


def _share(value: float) -> str:
    """Write a share so that neither end is rounded to certainty."""
    return shown(probability_text(value, 2)) if 0.0 < value < 1.0 else f"{value:.2f}"


def graph_sentence(n_edges: int, labels: Sequence[int]) -> str:
    """Count edges and components.

    Examples
    --------
    >>> graph_sentence(1, [0, 0, 1])
    '1 edge among 3 columns; 2 components, of which 1 is a column without an edge.'
    """
    sizes = Counter(labels)
    alone = sum(size == 1 for size in sizes.values())
    noun = "a column" if alone == 1 else "columns"
    single = f", of which {alone} {'is' if alone == 1 else 'are'} {noun} without an edge"
    return (
        f"{counted(n_edges, 'edge')} among {counted(len(labels), 'column')}; "
        f"{counted(len(sizes), 'component')}{single if alone else ''}."
    )
