"""Results of a learned graph: a folder of files, and a page that explains them.

:data:`OUTPUTS` lists the files of a folder of results, :func:`write_results` writes them.
:func:`spinney.graph.export.spreadsheet.read_csv` reads its tables back.
"""

from spinney.graph.report.folder import OUTPUTS, Output, check_files, write_results

__all__ = ["OUTPUTS", "Output", "check_files", "write_results"]
