"""DREAM4: a gene network of 100 genes from 100 measurements.

The DREAM4 challenge simulated gene expression from networks of 100 genes, and kept the networks
secret. In the multifactorial part each row is one small disturbance of all genes at once. There are
as many columns as rows, 4,950 pairs, and one true edge among 29: here a ranking is worth more than
a graph.
"""

# needs: dream4
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import precision_recall_curve

from spinney import GraphLearner
from spinney.metrics import average_precision
from spinney.models.baselines import GraphicalLasso

folder = Path(os.environ["SPINNEY_DATA"], "dream4")
expression = pd.read_csv(folder / "multifactorial_1_expression.csv")
directed = pd.read_csv(folder / "multifactorial_1_goldstandard_edges.csv")
truth = pd.DataFrame(False, index=expression.columns, columns=expression.columns)
for source, target in directed.itertuples(index=False):
    truth.loc[source, target] = truth.loc[target, source] = True
truth = truth.to_numpy()
print(expression.shape, "true edges, without direction:", truth.sum() // 2)

# %%
model = GraphLearner(n_jobs=1).fit(expression)
lasso = GraphicalLasso(selection="ebic", dependence="shrinkage").fit(expression)
for name, fitted in (("judge", model), ("graphical lasso", lasso)):
    score = average_precision(fitted.edge_ranking_, truth)
    print(f"{name:16s} average precision {score:.3f} (by chance {truth.mean():.3f})")

# %%
# The judge keeps the pairs with a probability above one half. In gene networks hubs drive dozens of
# other genes, and their targets look alike. So most true edges look like pairs that share a hub,
# and the judge keeps few edges.
u, v = np.triu_indices(100, 1)
right = truth[u, v][model.adjacency_[u, v]]
print(f"{len(right)} edges kept, {model.expected_false_:.1f} expected to be false")
print(f"{(~right).sum()} of them are false")

# %%
# Precision and recall along the ranking; the dot is the graph that the judge keeps.
figure, ax = plt.subplots(figsize=(6.5, 4))
for name, fitted, colour in (("judge", model, "#0072B2"), ("graphical lasso", lasso, "#E69F00")):
    precision, recall, _ = precision_recall_curve(truth[u, v], fitted.edge_ranking_[u, v])
    ax.plot(recall[:-1], precision[:-1], label=name, drawstyle="steps-post", color=colour)
ax.plot(right.sum() / truth[u, v].sum(), right.mean(), "o", color="#0072B2")
ax.axhline(truth.mean(), color="0.6", linestyle=":", label="chance")
ax.set(xlabel="recall", ylabel="precision", xlim=(0, 0.6), ylim=(0, 1.02))
ax.legend(frameon=False)
plt.show()
