"""How often verdicts are right, and how many pairs stay undecided, by rows; for docs/choosing.md.

``python docs/figures/verdicts.py`` draws verdicts.png beside itself, from what
``python -m benchmarks.real verdicts`` stored.
"""

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "benchmarks" / "results" / "real-2026-11-18.json"


def main() -> None:
    """Draw both panels."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    found = json.loads(RESULTS.read_text())["verdicts"]
    groups = [name for name in found if name.endswith("rows")]
    labels = [
        name.replace(" rows", "").replace("more than ", "> ").replace("-", "–") for name in groups
    ]
    place = np.arange(len(groups))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.8, 3.1), layout="constrained")
    for verdict, colour, shift in (("present", "#0072B2", -0.06), ("absent", "#D55E00", 0.06)):
        shares, errors = (
            [100 * found[name][f"{verdict}_{what}"] for name in groups]
            for what in ("right", "error")
        )
        left.errorbar(
            place + shift, shares, errors, fmt="o", color=colour, label=verdict, capsize=2
        )
    left.axhline(90, color="0.6", linewidth=0.8, linestyle="dashed")
    left.set(ylabel="verdicts that are right, %", ylim=(88, 100.6))
    left.legend(frameon=False, loc="center right", bbox_to_anchor=(1.0, 0.35))
    right.bar(place, [100 * found[name]["undecided_share"] for name in groups], color="0.6")
    right.set(ylabel="pairs that stay undecided, %")
    for ax in (left, right):
        ax.set_xticks(place, labels, fontsize=9)
        ax.set_xlabel("rows of the table")
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "verdicts.png", dpi=150)


if __name__ == "__main__":
    main()
