"""Blood cells: what changes under stimulation.

Bodenmiller et al. (2012) measured fourteen phosphorylation sites in single human blood cells by
mass cytometry, at rest and under stimuli. The founding paper of spinney's models looked at the same
sites.

## What was known

PMA with ionomycin bypasses the receptors: it switches on protein kinase C, and from there the
pathway runs over Mek and Erk to the kinases of the ribosomal protein S6, in nearly all cells.
BCR/FcR-XL cross-links the receptors of B cells; the first to act below the receptor are Btk, Plcg2
and BLNK, the relative of Slp76 in B cells.
"""

import matplotlib.pyplot as plt
import pandas as pd

from spinney import learn_groups
from spinney.datasets import load_pbmc


def compare(cell_type, stimulus):
    """Learn the cells at rest and those stimulated, and in what they differ."""
    cells = load_pbmc(cell_type, ["Reference", stimulus])
    # With an order of its own, the reference comes first.
    groups = pd.Categorical(cells.stimuli, categories=["Reference", stimulus])
    return learn_groups(cells.X, pd.Series(groups, name="stimulus"), n_jobs=1)


# %%
# ## What the graphs show
#
# B cells that carry IgM, at rest and under PMA. Each group has its graph, and each pair the
# probability that only one of the two has the edge. Wide lines are probable differences, grey ones
# are in both.
pma = compare("igm+", "PMA/Ionomycin")
pma.plot()
plt.show()

# %%
# Under PMA, S6 becomes a hub. Is this the pathway or chance? We look at other cells:
for cell_type in ("igm+", "nk", "cd4+"):
    found = pma if cell_type == "igm+" else compare(cell_type, "PMA/Ionomycin")
    row = found.differences.set_index(["source", "target"]).loc[("pErk", "pS6")]
    print(
        f"{cell_type:5s} pErk – pS6: {row['probability_Reference']:.2f} at rest, "
        f"{row['probability_PMA/Ionomycin']:.2f} under PMA"
    )

# %%
# pErk – pS6 appears in B cells, natural killer cells and CD4 T cells: three tables that share no
# cell.
#
# Cross-linking the receptor changes little. The strength that grows most, by 2.7 standard errors,
# is that of Slp76 – Plcg2, close below the receptor. The difference is taken given the neighbours
# in either graph, the strengths below given those in each group's own.
receptor = compare("igm+", "BCR/FcR-XL")
columns = ["source", "target", "strength_Reference", "strength_BCR/FcR-XL", "strength_z"]
stronger = receptor.differences[columns].dropna().nlargest(3, "strength_z")
print(stronger.round(2).to_string(index=False))

# %%
# ## Where it differs
#
# Zap70 is a kinase of T cells, and yet it has edges in B cells. Antibodies are not perfectly
# specific, channels of the instrument leak into each other, and a large cell has more of
# everything. How much is chance? Cells at rest, split at random, should not differ:
rest = load_pbmc("igm+", "Reference").X
for seed in range(3):
    shuffled = rest.sample(frac=1.0, random_state=seed, ignore_index=True)
    halves = ["first half" if k < len(rest) // 2 else "second half" for k in range(len(rest))]
    null = learn_groups(shuffled, halves, n_jobs=1)
    print(f"random halves: {null.expected_differences:.1f} differences expected")
print(f"rest and PMA:  {pma.expected_differences:.1f} differences expected")

# %%
# ## What not to conclude
#
# That a single difference is a finding. One that appears in three kinds of cells is better
# evidence. That cells are independent draws of people: all of these come from one plate. And this
# is not the founding paper's last figure, whose plates are not public; it is the same kind of study
# on the same sites.
