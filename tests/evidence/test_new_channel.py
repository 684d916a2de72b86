"""A new group of channels is a module and a line in the list of groups."""

import subprocess
import sys
from pathlib import Path

import pytest

import spinney

ROOT = Path(spinney.__file__).parent

MODULE = '''
"""How far the ladder climbs from its first rung to its last."""

from spinney.evidence.channels import even, logit

CHANNELS = even("toy", climbed="difference of the logits of the last and the first rung")


def channels(measured):
    odds = logit(measured.ladder.probabilities)
    return {"climbed": odds[-1] - odds[0]}
'''
USES = """
import importlib.util, pathlib, sys

HERE = pathlib.Path(sys.argv[1])


class Here:
    # Two modules are taken from the folder: the new one, and the list with one line more.
    def find_spec(self, name, path=None, target=None):
        part = name.rpartition(".")[2]
        if name in ("spinney.evidence.climbed", "spinney.evidence.groups"):
            return importlib.util.spec_from_file_location(name, HERE / f"{part}.py")


sys.meta_path.insert(0, Here())

import numpy as np
from spinney.evidence import CHANNELS, measure

assert [channel.name for channel in CHANNELS].count("climbed") == 1
found = measure(np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=1)).to_frame()
expected = found["ladder_all"] - found["ladder_4"]
np.testing.assert_allclose(found["climbed"], expected, rtol=1e-5)
"""


@pytest.mark.slow
def test_a_new_group_is_a_file_and_a_line(tmp_path):
    text = (ROOT / "evidence" / "groups.py").read_text(encoding="utf-8")
    line = "GROUPS = (ladder, gains, correlations, beyond, scores)\n"
    assert text.count(line) == 1
    more = line.replace("scores)", "scores, climbed)")
    more = f"from spinney.evidence import climbed\n{more}"
    (tmp_path / "groups.py").write_text(text.replace(line, more), encoding="utf-8")
    (tmp_path / "climbed.py").write_text(MODULE, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-c", USES, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
