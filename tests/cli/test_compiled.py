"""Whether kernels are compiled is told from files alone, and is what numba itself says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spinney.cli import _compiled
from spinney.cli._compiled import kernels_compiled


def run(code, folder):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return done.stdout.strip()


def test_no_heavy_library_is_loaded(tmp_path):
    code = (
        "import sys\nfrom spinney.cli._compiled import kernels_compiled as is_there\n"
        "print(is_there())\n"
        "print([name for name in ('numba', 'numpy', 'pandas') if name in sys.modules])"
    )
    assert run(code, tmp_path).splitlines() == ["False", "[]"]


def test_the_folder_is_the_one_that_numba_takes(tmp_path, monkeypatch):
    code = "from spinney.forests import _lanes; print(_lanes.eliminate_sparse.stats.cache_path)"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert Path(run(code, tmp_path)) in set(_compiled._places(_compiled._ROOT / "forests"))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert _compiled._ROOT / "forests" / "__pycache__" in set(
        _compiled._places(_compiled._ROOT / "forests")
    )


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache with an index of each kind, newer than all sources."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    tag = f"py{sys.version_info.major}{sys.version_info.minor}{getattr(sys, 'abiflags', '')}"
    files = []
    for folder, (name, *_) in _compiled._SIGNS.items():
        (place,) = _compiled._places(_compiled._ROOT / folder)
        place.mkdir()
        files.append(place / f"{name}.some-12.{tag}.nbi")
        files[-1].touch()
    return files


def test_all_kinds_of_kernel_must_be_there(cache):
    assert kernels_compiled()
    cache[0].unlink()
    assert not kernels_compiled()


def test_older_than_their_sources_they_do_not_count(cache):
    os.utime(cache[1], (0, 0))
    assert not kernels_compiled()


def test_those_of_another_python_do_not_count(cache):
    cache[0].rename(cache[0].with_name(cache[0].name.replace(".py3", ".py2")))
    assert not kernels_compiled()
