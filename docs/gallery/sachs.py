"""Signalling proteins: what is already known, and what comes out.

Sachs et al. (2005) measured eleven phosphorylated proteins and lipids in single T cells. The
pathway between them is well studied, so one can see what a method that knows no biology finds. The
table comes with the package: 853 cells under one stimulation.
"""

import matplotlib.pyplot as plt

from spinney import learn
from spinney.datasets import load_sachs
from spinney.graph.plots import plot_pair

sachs = load_sachs()
found = learn(sachs.X, n_jobs=1)
print(found.summary())

# %%
# Width is probability, colour the sign given the neighbours.
found.plot()
plt.show()

# %%
# Edge by edge: a strength of 0.06 can be as certain as one of 0.80, with 853 rows. Columns that end
# in `kept` say which other methods have the edge.
columns = [
    "source",
    "target",
    "probability",
    "strength",
    "family",
    "ef_lambda_kept",
    "gaussian_kept",
]
print(found.edges[columns].to_string(index=False, float_format="%.2f"))

# %%
# Which of them are in the pathway as biologists draw it? A common effect joins its causes
# (moralisation), so a pair counts as known if it is an edge of the pathway or of its moral graph.
known = sachs.moral_adjacency
for edge in found.edges.itertuples():
    mark = "known" if known.loc[edge.source, edge.target] else "not in the pathway"
    print(f"{edge.source:5s} – {edge.target:5s} {mark}")

# %%
# Half of the known pathway is missing, and that is no failure of the method: in cells at one
# stimulation, most of the pathway hardly moves. A dependence that the data do not show cannot be
# found. Look at the data before telling a story: normal scores, and contours of the fitted copula.
figure, axes = plt.subplots(1, 3, figsize=(12, 4))
for ax, pair in zip(axes, [("Raf", "Mek"), ("PKC", "Jnk"), ("Plcg", "PIP2")], strict=True):
    plot_pair(found.learner, *pair, ax)
figure.tight_layout()
plt.show()

# %%
# What is known of a single pair:
print(found.why("PIP3", "P38"))
