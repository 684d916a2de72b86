"""Run one script of the gallery, cell by cell, and keep what it prints and draws.

``python run_example.py SCRIPT FOLDER`` writes ``result.json`` and the pictures to FOLDER. A cell
begins with a line ``# %%``; comments that follow are its text. `pyplot.show` stores a picture.
"""

from __future__ import annotations

import ast
import contextlib
import datetime
import io
import json
import re
import sys
import time
import warnings
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

__all__ = ["Cell", "cells_of", "run"]


class Cell(NamedTuple):
    """A piece of a script: text in Markdown, then code from a line on."""

    text: str
    code: str
    line: int


def cells_of(source: str) -> list[Cell]:
    r"""Split a script into its docstring and its cells.

    Examples
    --------
    >>> cells_of('\"\"\"Title.\"\"\"\nx = 1\n# %%\n# Then\n# more.\ny = 2\n')[1:]
    [Cell(text='', code='x = 1', line=2), Cell(text='Then\nmore.', code='y = 2', line=6)]
    """
    head = ast.parse(source).body[0]
    docstring = ast.get_docstring(ast.parse(source)) or ""
    lines = source.splitlines()
    begin = int(head.end_lineno or 0) if docstring else 0
    starts = [begin, *(i for i, line in enumerate(lines) if line.startswith("# %%")), len(lines)]
    cells = [Cell(docstring, "", 1)]
    for start, end in pairwise(starts):
        body = lines[start:end]
        first = 1 if body and body[0].startswith("# %%") else 0
        last = first
        while first and last < len(body) and re.match("#(?! fold: )", body[last]):
            last += 1
        text = "\n".join(re.sub(r"^# ?", "", line) for line in body[first:last])
        code = body[last:]
        skipped = next((i for i, line in enumerate(code) if line.strip()), len(code))
        plain = "\n".join(code[skipped:]).rstrip()
        if text or plain:
            cells.append(Cell(text, plain, start + last + skipped + 1))
    return cells


def run(script: Path, folder: Path) -> None:
    """Run the cells in one namespace; seeds are the script's own business and are all fixed."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    plt.rcParams.update({"figure.dpi": 100, "savefig.dpi": 160, "savefig.bbox": "tight"})
    pictures: list[str] = []

    def show(*_: object, **__: object) -> None:
        for number in plt.get_fignums():
            pictures.append(f"{script.stem}-{len(pictures) + 1}.png")
            plt.figure(number).savefig(folder / pictures[-1], metadata={"Software": None})
        plt.close("all")

    plt.show = show
    warnings.simplefilter("error", DeprecationWarning)
    scope = {"__name__": "__main__", "__file__": str(script)}
    results, started = [], time.perf_counter()
    for cell in cells_of(script.read_text(encoding="utf-8")):
        already, printed = len(pictures), io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = compile("\n" * (cell.line - 1) + cell.code, script, "exec")
            exec(code, scope)  # the script is part of this repository
            show()
        results.append({"output": printed.getvalue().rstrip(), "figures": pictures[already:]})
    made = datetime.datetime.now(datetime.UTC).date().isoformat()
    record = {"made": made, "seconds": round(time.perf_counter() - started, 1), "cells": results}
    (folder / "result.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
