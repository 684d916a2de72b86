"""Is a folder of results whole? And a program that is killed while it writes some, again and again.

python -m tests.graph.report.whole FOLDER KILLS INTERRUPTS
"""

import hashlib
import json
import math
import os
import random
import shutil
import signal
import sys
import time
import traceback
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx as nx
from matplotlib.image import imread

from spinney import LearnedGraph
from spinney._core.files import PREFIX
from spinney.graph.export.spreadsheet import read_csv
from spinney.graph.report import OUTPUTS, write_results

NAMES = {output.name for output in OUTPUTS}
BEFORE = ("nothing", "an earlier result", "an earlier result among other files")
BRIEF = tuple(output for output in OUTPUTS if output.name == "nodes.csv")


def check_whole(folder):
    """Every file is there, can be read, and is the one that the record names; return the record."""
    there = {path.name for path in folder.iterdir()}
    assert there >= NAMES, f"missing: {NAMES - there}"
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert set(record["files"]) == NAMES - {"run.json"}
    for name, checksum in record["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum, name
    edges = read_csv(folder / "edges.csv")
    assert len(read_csv(folder / "pairs.csv")) >= len(edges)
    graph = nx.read_graphml(folder / "graph.graphml")
    assert graph.number_of_edges() == len(edges)
    assert len(graph) == len(read_csv(folder / "nodes.csv"))
    assert ET.parse(folder / "graph.svg").getroot().tag.endswith("svg")
    assert imread(folder / "graph.png").ndim == 3
    assert (folder / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    return record


def hidden(folder):
    """What lies around that nobody asked for."""
    return [str(path) for path in folder.rglob(".*")]


def _view(mark):
    import spinney
    from spinney.datasets import load_sachs

    graph = spinney.learn(load_sachs().X.iloc[:200])
    return LearnedGraph.of(graph, title="killed", run={"mark": mark})


def _child(work):
    """Start a process that does some work, as this one would."""
    number = os.fork()
    if number:
        return number
    try:
        work()
        os._exit(0)
    except KeyboardInterrupt:
        os._exit(130)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _end(number, after_s, how):
    time.sleep(after_s)
    os.kill(number, how)
    return os.waitpid(number, 0)[1]


def _prepare(target, before, earlier):
    if before != "nothing":
        shutil.copytree(earlier, target)
    if before == "an earlier result among other files":
        (target / "notes").mkdir()
        (target / "notes" / "mine.txt").write_text("mine")


def _state(target):
    """Say which result is there, and that it is whole."""
    if not target.exists():
        return "absent"
    return check_whole(target)["mark"]


def main(folder, kills, interrupts):
    """Kill and interrupt, look at what is there, and print how often each was found."""
    # What a shell starts in the background ignores Ctrl-C, and so would all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    old, new = _view("old"), _view("new")
    for view in (old, new):
        view.layout, view.nodes  # noqa: B018  # so that it is writing that is broken off
    earlier = write_results(folder / "earlier", old)
    took_s = math.inf  # the first also loads what it needs; others may slow down any of them
    for _ in range(3):
        start = time.perf_counter()
        write_results(folder / "whole", new, force=True)
        took_s = min(took_s, time.perf_counter() - start)
    chance = random.Random(20261116)
    found, broken_off = {}, 0
    for k in range(kills + interrupts):
        how = signal.SIGKILL if k < kills else signal.SIGINT
        before = BEFORE[k % len(BEFORE)]
        place = folder / str(k)
        place.mkdir()
        target = place / "results"
        _prepare(target, before, earlier)
        # One in three near the end, where files are moved.
        late = k // len(BEFORE) % 3 == 0
        after_s = took_s * (chance.uniform(0.8, 1.1) if late else chance.uniform(0.0, 1.0))
        number = _child(lambda target=target: write_results(target, new, force=True))
        status = _end(number, after_s, how)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) in (0, 130), status
        broken_off += os.WIFEXITED(status) and os.WEXITSTATUS(status) == 130
        state = _state(target)
        assert state in {"nothing": ("absent", "new")}.get(before, ("absent", "old", "new"))
        if how == signal.SIGINT:
            assert hidden(place) == []
            assert state != "absent" or before == "nothing"
        # The next run, of one file that is the same in both.
        write_results(place / "another", new, outputs=BRIEF)
        assert target.exists() or before == "nothing"  # between two renames; it is brought now
        if before == "an earlier result among other files":
            assert (target / "notes" / "mine.txt").read_text() == "mine"
        if target.exists():
            write_results(target, new, outputs=BRIEF, force=True)
            assert _state(target) in ("old", "new")
        # A process that is killed cannot remove its temporary folder, and leaves nothing else.
        assert {Path(path).name[: len(PREFIX)] for path in hidden(place)} <= {PREFIX}
        key = f"{how.name} {before}: {state}"
        found[key] = found.get(key, 0) + 1
    assert interrupts == 0 or broken_off > 0  # else nothing was interrupted at work
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
