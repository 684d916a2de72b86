"""Genes: many more columns than rows.

Sixty samples of 300 genes: 44,850 pairs to judge from sixty rows. **The counts are simulated**,
with the seed below: eleven regulators drive twelve genes each, one gene in four has two of them,
and 158 genes do nothing. One regulator is not on the chip.

## What is known

In such tables many true edges cannot be shown, and a threshold on correlations shows many that are
not true: of 44,850 independent pairs, 450 have p < 0.01, and genes that share a regulator are
correlated without acting on each other.
"""

# fold: The code that makes the counts
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd

from spinney import learn
from spinney.graph.plots import plot_graph

rng = np.random.default_rng(25)
n, d, regulators, targets = 60, 300, 11, 12
names = [f"R{k}" for k in range(regulators)]
names += [f"g{k:03d}" for k in range(regulators, d + 1)]
activity, truth = rng.normal(size=(n, d + 1)), np.zeros((d + 1, d + 1), dtype=bool)
for k in range(regulators, regulators * (targets + 1)):
    first = (k - regulators) // targets
    activity[:, k] += rng.choice([-1, 1]) * rng.uniform(0.7, 1.4) * activity[:, first]
    truth[first, k] = True
    if k % 4 == 0:
        second = (first + 1) % regulators
        activity[:, k] += 0.8 * activity[:, second]
        truth[second, k] = truth[first, second] = True  # two causes of one gene are joined
counts = pd.DataFrame(2 ** (activity + 6), columns=names).astype(int)
truth = pd.DataFrame(truth | truth.T, index=names, columns=names)
hidden = [name for name in names if truth.loc["R10", name]]
counts = counts.drop(columns="R10")
print(counts.iloc[:3, 8:16].to_string(index=False))

# %%
# ## What the graph shows
#
# The genes that have an edge; regulators are coloured, and so are the genes whose regulator is
# missing. spinney knows neither.
found = learn(counts, n_jobs=1)
graph = nx.relabel_nodes(found.as_drawn, dict(enumerate(found.names)))
graph.remove_nodes_from(list(nx.isolates(graph)))
groups = dict.fromkeys(names[:10], "regulator") | dict.fromkeys(hidden, "R10 is missing")
nx.set_node_attributes(graph, groups, "group")
plot_graph(graph)
plt.show()

# %%
edges = found.edges
right = np.array([truth.loc[u, v] for u, v in zip(edges["source"], edges["target"], strict=True)])
of_hidden = edges["source"].isin(hidden) & edges["target"].isin(hidden)
print(f"{len(edges)} edges kept: {right.sum()} true, {(of_hidden & ~right).sum()} in R10's place")
print(f"true among the first 50: {right[:50].sum()}")
print("hubs:", ", ".join(found.nodes.nlargest(10, "degree")["name"]))

# %%
# The ten regulators that were measured are the ten hubs, and nearly every edge is true. A threshold
# on correlations, at as many edges, spends nearly half of them on genes that share a regulator and
# nothing else:
correlation = counts.corr("spearman").abs().to_numpy()
u, v = np.triu_indices(len(counts.columns), 1)
first = np.argsort(-correlation[u, v])[: len(edges)]
measured = truth.drop(index="R10", columns="R10").to_numpy()
print(f"of the {len(edges)} largest correlations {measured[u, v][first].sum()} are true")

# %%
# ## Where it differs
#
# R10 was not measured, so its genes have edges to each other: true in this table, where nothing
# explains them, and misleading about the cell. Some targets with two regulators have lost the
# weaker one. And spinney warns that the table is unlike those of training: use the
# probabilities as a ranking. `found.check()` measures on your own table how many known edges are
# found.
#
# ## What not to conclude
#
# That a gene without an edge is not regulated: with sixty samples only strong effects show. That
# hubs are regulators: in real cells a hub may be the amount of cells of one type, or the batch. Put
# batch and cell type into the table as columns.
