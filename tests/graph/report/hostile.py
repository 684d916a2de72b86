"""Names of columns that try to be something else, and graphs that have them."""

from types import SimpleNamespace

import numpy as np

from spinney import LearnedGraph

NAMES = (
    "plain",
    "<script>alert(1)</script>",
    '=HYPERLINK("http://example.org";"click")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\tindented",
    "\rreturned",
    " =1+1",
    "'=quoted already",
    "'plain apostrophe",
    'with "quotes", commas; and\nlines',
    "a;=1+1",
    "]]>&amp;<!--",
    "$x^2$ $$ \\alpha",
    "名前は長い",
    "שם משתנה",
    "اسم",
    "🧬 gene 👩‍🔬",
    "‮turned around",
    "nul\x00bell\x07escape\x1b[31m",
    "x" * 10_000,
    "NA",
    "nan",
    "None",
    "1e5",
    "true",
    "n3",
    "__proto__",
    " spaces around ",
    "line\u2028separator",
    "not\ufffea character",
)


def hostile_view(names=NAMES, **options):
    """A chain through all names, with frequencies, unknown strengths and signs among them."""
    d = len(names)
    frequencies = np.zeros((d, d))
    k = np.arange(d - 1)
    frequencies[k, k + 1] = np.linspace(0.5, 1.0, d - 1)
    frequencies += frequencies.T
    weights = np.where(frequencies > 0, frequencies - 0.7, 0.0)
    weights[0, 1] = weights[1, 0] = np.nan
    model = SimpleNamespace(
        node_names_=names,
        adjacency_=frequencies > 0,
        edge_weights_=weights,
        edge_ranking_=frequencies,
        edge_frequencies_=frequencies,
        edge_signs_=np.sign(np.nan_to_num(weights)).astype(int),
    )
    told = {"title": f"{names[1]} & {names[-1]}", **options}
    return LearnedGraph.of(model, **told)
