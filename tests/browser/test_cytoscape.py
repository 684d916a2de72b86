"""Cytoscape.js opens graph.cyjs: every column and edge, placed and styled, without a complaint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spinney.graph.report.writers import write_cyjs
from tests.docs.pages import ROOT
from tests.graph.report.hostile import hostile_view

pytestmark = pytest.mark.slow

LIBRARY = ROOT / "build" / "node_modules" / "cytoscape" / "dist" / "cytoscape.min.js"
DRAW = """(told) => {
  const container = document.getElementById('cy');
  const cy = cytoscape({ ...told, container, layout: { name: 'preset' } });
  return {
    names: cy.nodes().map((node) => node.data('name')),
    places: cy.nodes().map((node) => node.position()),
    widths: cy.edges().map((edge) => edge.numericStyle('width')),
    ends: cy.edges().map((edge) => [edge.source().id(), edge.target().id()]),
  };
}"""


@pytest.mark.skipif(not LIBRARY.exists(), reason="no Cytoscape.js: `make browser` installs it")
def test_cytoscape_js_draws_the_graph(browser: Any, tmp_path: Path) -> None:
    view = hostile_view()
    write_cyjs(tmp_path / "graph.cyjs", view)
    told = json.loads((tmp_path / "graph.cyjs").read_text(encoding="utf-8"))
    page, complaints = browser.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content("<div id='cy' style='width: 800px; height: 600px'></div>")
    page.add_script_tag(path=LIBRARY)
    drawn = page.evaluate(DRAW, told)
    assert drawn["names"] == list(view.names)
    assert drawn["places"] == [node["position"] for node in told["elements"]["nodes"]]
    edges = [edge["data"] for edge in told["elements"]["edges"]]
    assert drawn["ends"] == [[edge["source"], edge["target"]] for edge in edges] != []
    assert drawn["widths"] == pytest.approx([edge["width"] for edge in edges])
    assert complaints == []
    page.close()
