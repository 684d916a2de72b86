"""The files of a folder of results, each in one line; whatever lists them reads it here.

A new output is a file with a function ``write(path, view)``, and a line here. Only names and
places: nothing is imported until it is written.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["MODEL_FILE", "OUTPUTS", "Output"]


class Output(NamedTuple):
    """One file of a folder of results.

    Attributes
    ----------
    name : str
        Of the file.
    meaning : str
        What it is, in a few words for a list of files.
    place : str
        Module of :mod:`spinney.graph.report` and its function that writes it: ``"tables.write_edges"``.
    """

    name: str
    meaning: str
    place: str

    def write(self, path: Path, view: GraphView) -> None:
        """Write the file."""
        module, _, function = self.place.rpartition(".")
        getattr(import_module(f"spinney.graph.report.{module}"), function)(path, view)


OUTPUTS: tuple[Output, ...] = (
    Output("report.html", "all of it, explained; open it in a browser", "html.write_report"),
    Output("edges.csv", "every edge with its numbers", "tables.write_edges"),
    Output("pairs.csv", "pairs, the most likely edge first", "tables.write_pairs"),
    Output("nodes.csv", "every column: component, degree, centralities", "tables.write_nodes"),
    Output("graph.graphml", "for Cytoscape, Gephi or networkx", "graphs.write_graphml"),
    Output("graph.cyjs", "for Cytoscape, styled", "graphs.write_cyjs"),
    Output("graph.svg", "the picture, to be edited", "pictures.write_svg"),
    Output("graph.png", "the picture", "pictures.write_png"),
    Output("run.json", "how it was made, to do it again", "run_record.write_run"),
)
"""The files, in the order in which they are written: the record of the run, which has the checksums
of all others, is the last."""

MODEL_FILE = Output("graph.spinney", "the model, for Python", "model_file.write_model")
"""The model itself, which is written where it is asked for: it holds the data."""
