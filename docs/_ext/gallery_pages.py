"""The gallery: scripts in plain Python, run when the site is built, with what they print and draw.

A script whose data cannot be bundled names their folder in a line ``# needs: FOLDER``. It is run
where the environment variable SPINNEY_DATA leads to such a folder; elsewhere the outputs that are
kept in ``gallery/outputs`` are shown, with their date and the judge's fingerprint.
``python gallery_pages.py`` renews those.
Code that begins with a line ``# fold: TITLE`` is folded away under that title.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from run_example import Cell, cells_of

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["cards", "data_folder", "needs", "setup", "write_gallery"]

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
SOURCES = GALLERY.parents[1] / "src"


def needs(source: str) -> str | None:
    r"""Read which folder of data a script asks for.

    Examples
    --------
    >>> needs("# needs: sp500\nx = 1"), needs("x = 1")
    ('sp500', None)
    """
    found = re.search(r"^# needs: (\S+)$", source, re.M)
    return found.group(1) if found else None


def data_folder(name: str) -> Path | None:
    """Find a folder of data, if it is there."""
    root = os.environ.get("SPINNEY_DATA")
    folder = Path(root) / name if root else None
    return folder if folder is not None and folder.is_dir() else None


def write_gallery(pages: Path, work: Path) -> None:
    """Run what has changed and write a page per script."""
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    for script in sorted(GALLERY.glob("*.py")):
        source = script.read_text(encoding="utf-8")
        wanted = needs(source)
        stored = wanted is not None and data_folder(wanted) is None
        folder = GALLERY / "outputs" / script.stem if stored else _run(script, work)
        record = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        for picture in folder.glob("*.png"):
            shutil.copy(picture, pages)
        text = _page(script.stem, cells_of(source), record, wanted if stored else None)
        (pages / f"{script.stem}.md").write_text(text, encoding="utf-8")


def cards(text: str) -> str:
    r"""Turn the lists of an index, which a code host shows, into cards with pictures.

    Examples
    --------
    >>> cards("- [Cells](sachs.py): 853 cells.\n").splitlines()[0]
    '::::{grid} 1 2 2 3'
    """

    def card(found: re.Match[str]) -> str:
        title, name, words = found.groups()
        picture = f":img-top: generated/{name}-1.png\n:img-alt: The graph of the page"
        link = f":link: generated/{name}\n:link-type: doc"
        return f":::{{grid-item-card}} {title}\n{link}\n{picture}\n\n{words}\n:::\n"

    def grid(found: re.Match[str]) -> str:
        inside = re.sub(r"- \[(.*?)\]\((\w+)\.py\): (.*)\n", card, found[0])
        return f"::::{{grid}} 1 2 2 3\n:gutter: 3\n:class-container: gallery\n\n{inside}::::\n"

    return re.sub(r"(?:- \[.*?\]\(\w+\.py\): .*\n)+", grid, text)


def _dress(app: Sphinx, name: str, source: list[str]) -> None:
    """Lead links to scripts to the pages that are made of them."""
    if name == "gallery/index":
        source[0] = cards(source[0])
    source[0] = re.sub(r"\]\(gallery/(\w+)\.py\)", r"](gallery/generated/\1.md)", source[0])


def _run(script: Path, work: Path) -> Path:
    """Run a script in a process of its own, unless neither it nor the package has changed."""
    folder = work / script.stem
    key = _key(script)
    if (folder / "key").exists() and (folder / "key").read_text() == key:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    print(f"running gallery/{script.name} …", flush=True)
    runner = Path(__file__).with_name("run_example.py")
    paths = os.pathsep.join(filter(None, [str(SOURCES), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"}
    subprocess.run([sys.executable, runner, script, folder], check=True, env=environment)
    (folder / "key").write_text(key)
    return folder


def _key(script: Path) -> str:
    digest = hashlib.sha256()
    for path in [script, *sorted(SOURCES.rglob("*.py")), *sorted(SOURCES.rglob("*.npz"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _page(name: str, cells: list[Cell], record: dict[str, Any], missing: str | None) -> str:
    """Write a page: text, code, output and pictures, cell by cell."""
    title, _, rest = cells[0].text.partition("\n")
    parts = [f"# {title.rstrip('.')}\n", rest.strip() + "\n"]
    if missing:
        parts.append(_kept_note(missing, record["made"]))
    for cell, result in zip(cells[1:], record["cells"][1:], strict=True):
        if cell.text:
            parts.append(cell.text + "\n")
        fold = re.match(r"# fold: (.*)\n", cell.code)
        if fold:
            code = cell.code[fold.end() :]
            parts.append(f"````{{dropdown}} {fold[1]}\n```python\n{code}\n```\n````\n")
        elif cell.code:
            parts.append(f"```python\n{cell.code}\n```\n")
        if result["output"]:
            parts.append(f"```{{code-block}} text\n:class: output\n\n{result['output']}\n```\n")
        for number, picture in enumerate(result["figures"], start=1):
            alt = f"Picture {number} drawn by the code above"
            parts.append(f"![{alt}]({picture})\n")
    parts.append(f"The script: {{download}}`{name}.py <../{name}.py>`.\n")
    return "\n".join(parts)


def _kept_note(missing: str, made: str) -> str:
    return (
        ":::{note}\nThese data may not be passed on with the package, so the outputs below are "
        f"those of {made}. To run the script yourself, put the tables into a folder `{missing}`, "
        "named as the first cell reads them, and set the environment variable `SPINNEY_DATA` to "
        "its parent.\n:::\n"
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Run the scripts before Sphinx lists its sources."""
    app.connect(
        "config-inited",
        lambda app, _: write_gallery(
            Path(app.srcdir, "gallery", "generated"), Path(app.outdir).parent / "gallery"
        ),
    )
    app.connect("source-read", _dress)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    from spinney.judge import Judge

    for path in sorted(GALLERY.glob("*.py")):
        name = needs(path.read_text(encoding="utf-8"))
        if name and data_folder(name):
            folder = _run(path, Path("build/gallery"))
            kept = GALLERY / "outputs" / path.stem
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("key"))
            record = json.loads((kept / "result.json").read_text(encoding="utf-8"))
            record["judge"] = Judge.load().fingerprint
            text = json.dumps(record, indent=1) + "\n"
            (kept / "result.json").write_text(text, encoding="utf-8")
