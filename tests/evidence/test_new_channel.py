"""A new group of channels is a module and a line in the list of groups."""

import subprocess
import sys
from pathlib import Path

import pytest

import spinney

ROOT = Path(spinney.__file__).parent

MODULE = '''
"""The share of variance that two columns have in common."""

from spinney.evidence.measured import even

CHANNELS = even("toy", common="squared correlation of normal scores")


def channels(measured):
    return {"common": measured.score**2}
'''
USES = """
import importlib.util, pathlib, sys

HERE = pathlib.Path(sys.argv[1])


class Here:
    # Two modules are taken from the folder: the new one, and the list with one line more.
    def find_spec(self, name, path=None, target=None):
        part = name.rpartition(".")[2]
        if name in ("spinney.evidence.common", "spinney.evidence.evidence"):
            return importlib.util.spec_from_file_location(name, HERE / f"{part}.py")


sys.meta_path.insert(0, Here())

import numpy as np
from spinney.evidence import CHANNELS, measure

assert [channel.name for channel in CHANNELS].count("common") == 1
found = measure(np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=1)).to_frame()
np.testing.assert_allclose(found["common"], found["score"] ** 2, rtol=1e-5)
"""


@pytest.mark.slow
def test_a_new_group_is_a_file_and_a_line(tmp_path):
    text = (ROOT / "evidence" / "evidence.py").read_text(encoding="utf-8")
    line = "GROUPS = (correlations, conditional, facts)\n"
    assert text.count(line) == 1
    more = line.replace("facts)", "facts, common)")
    more = f"from spinney.evidence import common\n\n{more}"
    (tmp_path / "evidence.py").write_text(text.replace(line, more), encoding="utf-8")
    (tmp_path / "common.py").write_text(MODULE, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-c", USES, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
