"""Results of a learned graph: a folder of files, and a page that explains them.

:data:`OUTPUTS` lists the files of a folder of results, :func:`write_results` writes them, and
:func:`read_edges`, :func:`read_pairs` and :func:`read_nodes` read the tables back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.graph.report.folder import OUTPUTS as OUTPUTS
    from spinney.graph.report.folder import Output as Output
    from spinney.graph.report.folder import check_files as check_files
    from spinney.graph.report.folder import write_results as write_results
    from spinney.graph.report.writers import read_edges as read_edges
    from spinney.graph.report.writers import read_nodes as read_nodes
    from spinney.graph.report.writers import read_pairs as read_pairs
    from spinney.graph.report.writers import write_report as write_report

_FOLDER, _WRITERS = "spinney.graph.report.folder", "spinney.graph.report.writers"
__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("OUTPUTS", "Output", "check_files", "write_results"), _FOLDER),
        **dict.fromkeys(("read_edges", "read_nodes", "read_pairs", "write_report"), _WRITERS),
    },
)
