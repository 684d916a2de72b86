"""Signalling proteins: from 853 cells to a graph.

Sachs et al. (2005) measured eleven phosphorylated proteins and lipids in single immune cells. The
pathway between them is well studied, so one can see what a graph that knows nothing of biology finds.
The table comes with the package.
"""

from spinney import learn
from spinney.datasets import load_sachs

sachs = load_sachs()
found = learn(sachs.X, n_jobs=1)
print(found.summary())

# %%
# Every edge has a probability, and a strength: the partial correlation given its neighbours.
columns = ["source", "target", "probability", "strength", "tau", "family"]
print(found.edges[columns].to_string(index=False, float_format="%.2f"))
