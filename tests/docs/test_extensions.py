"""The extensions that the site is built with: contents, formulas, scripts of the gallery."""

import doctest
import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from spinney.judge import Judge
from tests.docs.pages import PAGES, ROOT

EXTENSIONS = ROOT / "docs" / "_ext"


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    yield importlib.import_module
    for path in EXTENSIONS.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.mark.parametrize("name", ["contents", "gallery_pages", "mathml", "run_example"])
def test_examples(load, name):
    pytest.importorskip("sphinx", reason="it comes with the extra 'docs'")
    pytest.importorskip("latex2mathml", reason="it comes with the extra 'docs'")
    result = doctest.testmod(load(name))
    assert result.attempted
    assert result.failed == 0


def test_a_script_runs_cell_by_cell(load, tmp_path):
    script = tmp_path / "one.py"
    script.write_text(
        '"""Title."""\nimport matplotlib.pyplot as plt\nx = 1\n# %%\n# Words.\nprint(x + 1)\n'
        "plt.plot([0, 1])\nplt.show()\n# %%\nprint(x + 2)\n"
    )
    load("run_example").run(script, tmp_path / "out")
    cells = json.loads((tmp_path / "out" / "result.json").read_text())["cells"]
    assert [cell["output"] for cell in cells] == ["", "", "2", "3"]
    assert [cell["figures"] for cell in cells] == [[], [], ["one-1.png"], []]
    assert (tmp_path / "out" / "one-1.png").read_bytes().startswith(b"\x89PNG")


def test_code_is_folded_away_under_its_title(load):
    pytest.importorskip("sphinx", reason="it comes with the extra 'docs'")
    cells = load("run_example").cells_of('"""T."""\n# %%\n# Words.\n# fold: How\nx = 1\n')
    record = {"cells": [{"output": "", "figures": []}] * 2}
    page = load("gallery_pages")._page("one", cells, record, None)
    assert "Words.\n\n````{dropdown} How\n```python\nx = 1\n```\n````\n" in page


def test_an_error_names_the_line_of_the_script(load, tmp_path):
    script = tmp_path / "two.py"
    script.write_text('"""Title."""\nx = 1\n# %%\n# Words.\n1 / 0\n')
    with pytest.raises(ZeroDivisionError) as caught:
        load("run_example").run(script, tmp_path / "out")
    assert caught.traceback[-1].lineno == 4  # counted from zero


def test_every_page_is_in_the_contents(load):
    listed = [
        (Path(page).parent / (entry.partition("<")[2].rstrip(">") or entry)).as_posix()
        for page, entries in load("contents").CONTENTS.items()
        for entry in entries
    ]
    pages = [path.relative_to(ROOT / "docs") for path in PAGES if path.name != "README.md"]
    expected = {page.with_suffix("").as_posix() for page in pages} - {"index"}
    assert expected <= set(listed)
    assert len(listed) == len(set(listed))


def test_pages_show_no_directive_on_a_code_host():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"^(?:```|:::+)\{.*|\{[\w:]+\}`", text, re.M), page.name


def test_kept_outputs_fit_their_scripts(load):
    """A script that was changed without being run again has other cells than its record."""
    run_example = load("run_example")
    scripts = sorted((ROOT / "docs" / "gallery").glob("*.py"))
    kept = [path for path in scripts if "\n# needs: " in path.read_text(encoding="utf-8")]
    assert kept
    for script in kept:
        folder = ROOT / "docs" / "gallery" / "outputs" / script.stem
        record = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        source = script.read_text(encoding="utf-8")
        assert len(run_example.cells_of(source)) == len(record["cells"])
        pictures = [name for cell in record["cells"] for name in cell["figures"]]
        assert sorted(p.name for p in folder.glob("*.png")) == sorted(pictures)
        assert record["judge"] == Judge.load().fingerprint, "python docs/_ext/gallery_pages.py"
