"""A new group of channels is a module and a line in the list of groups."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
import numpy as np
from spinney.evidence import CHANNELS, measure

assert [channel.name for channel in CHANNELS].count("climbed") == 1
found = measure(np.random.default_rng(0).normal(size=(60, 3)).cumsum(axis=1)).to_frame()
expected = found["ladder_all"] - found["ladder_4"]
np.testing.assert_allclose(found["climbed"], expected, rtol=1e-5)
"""


def test_a_new_group_is_a_file_and_a_line(tmp_path):
    copied = tmp_path / "spinney"
    shutil.copytree(ROOT, copied, ignore=shutil.ignore_patterns("__pycache__", "*.xz"))
    (copied / "evidence" / "climbed.py").write_text(MODULE)
    listing = copied / "evidence" / "groups.py"
    text = listing.read_text(encoding="utf-8")
    line = "GROUPS = (ladder, gains, correlations, scores)\n"
    assert text.count(line) == 1
    new = "(ladder, gains, correlations, scores, climbed)"
    added = f"from spinney.evidence import climbed\nGROUPS = {new}\n"
    listing.write_text(text.replace(line, added), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-c", USES],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
