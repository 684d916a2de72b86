"""Which page belongs under which: tables of contents, kept out of pages that a code host shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["CONTENTS", "setup", "toctree"]

CONTENTS = {
    "index": [
        "Guide <start>",
        "Gallery <gallery/index>",
        "Methods <judge>",
        "Results <accuracy>",
        "API <api/index>",
    ],
    "start": [
        "Choosing and reading <choosing>",
        "Limits <limits>",
        "Your table <tables>",
        "Your graph <learn>",
        "Groups <groups>",
        "Stability <stability>",
        "Reporting a network <reporting>",
        "Large tables, a GPU, many machines <large-tables>",
        "Questions and troubleshooting <faq>",
        "Coming from R or scikit-learn <coming-from>",
        "Command line <commands>",
        "Glossary <glossary>",
    ],
    "judge": [
        "Tables of training <world>",
        "The forest models <models>",
        "Pairs of columns <copulas>",
    ],
    "accuracy": [
        "How accuracy was measured <accuracy-how>",
        "The founding paper again <reproduction>",
    ],
    "gallery/index": [
        f"generated/{name}"
        for name in (
            "sachs",
            "blood_cells",
            "penguins",
            "anes",
            "likert",
            "economy",
            "clinic",
            "genes",
            "stocks",
            "dream4",
        )
    ],
}
"""Pages below each page, in order, as a toctree has them."""


def toctree(entries: list[str]) -> str:
    r"""Write a hidden table of contents.

    Examples
    --------
    >>> toctree(["Guide <start>"])
    '\n\n```{toctree}\n:hidden:\nGuide <start>\n```\n'
    """
    return "\n\n" + "\n".join(["```{toctree}", ":hidden:", *entries, "```"]) + "\n"


def _append(app: Sphinx, name: str, source: list[str]) -> None:
    if name in CONTENTS:
        pages = [entry.partition("<")[2].rstrip(">") or entry for entry in CONTENTS[name]]
        folder = Path(app.srcdir, name).parent
        there = [
            entry
            for entry, page in zip(CONTENTS[name], pages, strict=True)
            if list(folder.glob(f"{page}.*"))
        ]
        source[0] += toctree(there)


def setup(app: Sphinx) -> dict[str, bool]:
    """Append a table of contents to each page that has others below it."""
    app.connect("source-read", _append)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
