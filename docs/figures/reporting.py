"""The figure of docs/reporting.md: ``python docs/figures/reporting.py``."""

from pathlib import Path

import spinney
from spinney.datasets import load_anes96

found = spinney.learn(load_anes96(), n_jobs=1)
figure = found.plot(title="Voters of 1996").figure
figure.savefig(Path(__file__).parents[1] / "images" / "reporting.png", dpi=130)
