"""Signalling proteins: a pathway that is known.

Sachs et al. (2005) measured eleven phosphorylated proteins and lipids in single human T cells, and
learned a directed network from cells under nine conditions, most of them with a known target. The
table became a standard test of methods. We use only the 853 cells of one condition: no
intervention, just cells that differ from each other.

## What was known

Raf activates Mek, and Mek activates Erk. PKC acts on P38 and Jnk. Plcg cuts the lipid PIP2, which
is also made from PIP3. Erk and Akt were the surprise of 2005: no textbook linked them, and
knocking down Erk with siRNA confirmed it.
"""

import matplotlib.pyplot as plt

from spinney import learn
from spinney.datasets import load_sachs

sachs = load_sachs()
found = learn(sachs.X, n_jobs=1)
found.plot()
plt.show()

# %%
# ## What the graph shows
#
# Wide lines are strong edges, pale ones less probable; orange means opposite directions. We call a
# pair known if it is in the pathway that biologists agree on, or in its moral graph, in which
# causes of a common effect are joined.
edges = found.edges[["source", "target", "probability", "strength"]].round(2)
known = sachs.moral_adjacency
edges["known"] = [known.loc[u, v] for u, v in zip(edges["source"], edges["target"], strict=True)]
print(edges.to_string(index=False))

# %%
# spinney finds Raf – Mek, Erk – Akt, PKC with P38 and Jnk, and the triangle of the lipids in cells
# without an intervention. A weak edge can be as certain as a strong one: Plcg – PIP2 is hardly
# correlated, but depends in the tails.
figure, axes = plt.subplots(1, 3, figsize=(12, 4))
for ax, pair in zip(axes, [("Raf", "Mek"), ("PKC", "Jnk"), ("Plcg", "PIP2")], strict=True):
    found.plot_pair(*pair, ax)
figure.tight_layout()
plt.show()

# %%
# ## Where it differs
#
# Mek – Erk, the best-known step of all, is missing. In these cells the two hardly depend on each
# other.
print(sachs.X[["Raf", "Mek", "Erk"]].corr("spearman").round(2))

# %%
# Most of the missing edges are of this kind. PKA and PKC are drawn as masters of the pathway
# because drugs that act on them move everything below. Without these drugs they vary little, and a
# dependence that the cells do not show cannot be found in them.
#
# ## What not to conclude
#
# That a missing edge disproves a reaction; that an edge has a direction; that PKC – P38 is direct
# chemistry. Eleven molecules were measured out of thousands, and an unmeasured common cause can
# create an edge.
