"""From a learned graph to what a reader is handed: a folder of results, and a page that explains.

:func:`view_of` puts all that is known of a learned graph into one form, whatever learned it;
:data:`OUTPUTS` lists the files of a folder of results, :func:`write_results` writes them, and
:func:`read_edges` and its like read the tables back. The parts are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.graph.report.folder import check_folder as check_folder
    from spinney.graph.report.folder import write_results as write_results
    from spinney.graph.report.html import write_report as write_report
    from spinney.graph.report.outputs import OUTPUTS as OUTPUTS
    from spinney.graph.report.outputs import Output as Output
    from spinney.graph.report.tables import read_edges as read_edges
    from spinney.graph.report.tables import read_nodes as read_nodes
    from spinney.graph.report.tables import read_pairs as read_pairs
    from spinney.graph.report.view import GraphView as GraphView
    from spinney.graph.report.view import view_of as view_of

_HOME = {
    "OUTPUTS": "outputs",
    "Output": "outputs",
    "check_folder": "folder",
    "write_results": "folder",
    "write_report": "html",
    "read_edges": "tables",
    "read_nodes": "tables",
    "read_pairs": "tables",
    "GraphView": "view",
    "view_of": "view",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"spinney.graph.report.{_HOME[name]}"), name)
    raise AttributeError(f"module 'spinney.graph.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
