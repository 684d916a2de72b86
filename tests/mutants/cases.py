"""Mutants: one small fault each, with the tests that are to notice it.

They stand in the TOML files beside this one, a file per part of the package::

    [[mutant]]
    id = "sign-of-the-gradient"        # unique within its file
    file = "models/solvers.py"         # below src/spinney, or of reproduce/
    old = "x - step * gradient"        # occurs in the file exactly once
    new = "x + step * gradient"
    tests = ["tests/models/solvers/test_spg.py"]  # files or node ids, the quickest that notice
"""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PATIENCE_S = 1200


@dataclass(frozen=True)
class Mutant:
    """A fault and who is to notice it; `part` is the name of the TOML file."""

    part: str
    id: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.part}/{self.id}"

    def applied(self, source: str) -> str:
        """Put the fault into the text of its file."""
        return source.replace(self.old, self.new)


def read_mutants(folder: Path = HERE) -> list[Mutant]:
    """Read all mutants of a folder."""
    mutants = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
            mutants.append(Mutant(path.stem, **{**entry, "tests": tuple(entry["tests"])}))
    return mutants


def place_of(mutant: Mutant, source: Path, beside: Path) -> Path:
    """Find the file of a mutant: in the package, or else in what stands beside it."""
    inside = source / "spinney" / mutant.file
    return inside if inside.is_file() else beside / mutant.file


def faults_of(mutant: Mutant, root: Path = ROOT) -> Iterator[str]:
    """Say what is wrong with a mutant itself."""
    path = place_of(mutant, root / "src", root)
    if not path.is_file():
        yield f"there is no {mutant.file}"
        return
    source = path.read_text(encoding="utf-8")
    times = source.count(mutant.old)
    if times != 1:
        yield f"`old` occurs {times} times in {mutant.file}, not once"
    elif mutant.new == mutant.old:
        yield "`new` is `old`"
    elif path.suffix == ".py":
        try:
            part = _part_of(source, mutant.old)
            changed = ast.dump(ast.parse(mutant.applied(part)))
        except SyntaxError as error:
            yield f"{mutant.file} is no Python any more: {error}"
        else:
            if changed == ast.dump(ast.parse(part)):
                yield "`new` means the same as `old`"
    if not mutant.tests:
        yield "no test is named"
    for test in mutant.tests:
        if not is_there(test, root):
            yield f"there is no {test}"


@cache
def _ends(source: str) -> tuple[int, ...]:
    """Return after which lines statements end that stand in nothing else."""
    found = [statement.end_lineno or 0 for statement in ast.parse(source).body]
    return (0, *found[:-1], source.count("\n") + 1)


def _part_of(source: str, old: str) -> str:
    """Return the statements that hold a text; to read them all again would take its time."""
    start = source.index(old)
    first = source.count("\n", 0, start)
    last = source.count("\n", 0, start + len(old))
    ends = _ends(source)
    low, high = max(end for end in ends if end <= first), min(end for end in ends if end > last)
    return "".join(source.splitlines(keepends=True)[low:high])


@cache
def _names(source: str) -> frozenset[str]:
    """List classes and functions, those in classes as ``TestA::test_b``."""
    found = set()
    for statement in ast.parse(source).body:
        name = getattr(statement, "name", None)
        found.add(name)
        found |= {f"{name}::{getattr(n, 'name', '')}" for n in getattr(statement, "body", [])}
    return frozenset(found)


def is_there(node: str, root: Path = ROOT) -> bool:
    """Tell whether a file, or a class or function in it, exists; parameters are not looked at."""
    place, *names = node.split("::")
    if not place.startswith("tests/") or not (root / place).exists():
        return False
    if not names:
        return True
    name = "::".join(name.partition("[")[0] for name in names)
    return name in _names((root / place).read_text(encoding="utf-8"))


def copy_of_the_package(folder: Path, root: Path = ROOT) -> Path:
    """Copy ``src`` with its times, so that the machine code beside it stays valid.

    A copy of ``reproduce``, which is not in the package, stands in it.
    """
    # Half-written files of others that compile at the same time may be gone when it is their turn.
    passing = shutil.ignore_patterns("*.tmp.*", "*.pyc.*", "*.egg-info")
    copy = Path(shutil.copytree(root / "src", folder / "src", ignore=passing))
    shutil.copytree(root / "reproduce", copy / "reproduce", ignore=passing)
    return copy


def put_into(mutant: Mutant, source: Path) -> None:
    """Apply a mutant to a copy of ``src``.

    The file becomes the newest of all: kernels that may use it are compiled anew, for the stamp of
    their machine code is the latest change of the files that they use; all others are not.
    """
    path = place_of(mutant, source, source)
    latest = max(file.stat().st_mtime_ns for file in source.rglob("*.py"))
    path.write_text(mutant.applied(path.read_text(encoding="utf-8")), encoding="utf-8")
    later = latest + 2_000_000_000  # ns; Python's own cache counts whole seconds
    os.utime(path, ns=(later, later))


def run_tests(source: Path, tests: Sequence[str], root: Path = ROOT) -> tuple[int, str]:
    """Run tests against a copy of ``src``; return pytest's exit status and what it printed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    kept.pop("NUMBA_CACHE_DIR", None)  # machine code is sought beside the sources
    # The copy comes before the clone on the path: neither Python nor pytest puts the clone first.
    command = [sys.executable, "-P", "-m", "pytest", "--import-mode=append", "-x", "-q"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", *tests],
        cwd=root,
        env={**kept, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr
