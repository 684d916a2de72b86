"""Stocks: sectors found from daily returns.

Daily log-returns of 100 of the S&P 500's stocks over five years (2003 to 2008; the table
`stockdata` of the R package huge). Nobody knows the true graph, but stocks of one sector should be
neighbours more often than others.

Days that follow each other are not quite independent draws, so the probabilities are too sure: read
them as a ranking.
"""

# needs: sp500
import os
from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd

from spinney import GraphLearner

folder = Path(os.environ["SPINNEY_DATA"], "sp500")
returns = pd.read_csv(folder / "logreturns.csv.gz")
info = pd.read_csv(folder / "info.csv").set_index("ticker")
returns = returns.mask(returns.abs() > 0.4)  # splits that were not corrected: gaps
rng = np.random.default_rng(0)
chosen = np.sort(rng.choice(returns.shape[1], 100, replace=False))
model = GraphLearner(n_jobs=1).fit(returns.iloc[:, chosen])
print(f"{len(model.edges_)} edges, expected false {model.expected_false_:.1f}")

# %%
# How many of them stay inside a sector, and how many would at random?
sector = info["sector"].loc[list(model.node_names_)].to_numpy()
same = sector[:, None] == sector
pairs = np.triu_indices(len(sector), 1)
print(f"inside a sector: {same[pairs][model.adjacency_[pairs]].mean():.0%} of the edges")
print(f"                 {same[pairs].mean():.0%} of all pairs")

# %%
# The strongest edges that cross sectors are worth a look.
edges = model.edges_
crossing = edges[
    info["sector"].loc[edges["source"]].to_numpy() != info["sector"].loc[edges["target"]].to_numpy()
]
for edge in crossing.nlargest(6, "weight").itertuples():
    names = [
        f"{info['name'][ticker]} ({info['sector'][ticker]})"
        for ticker in (edge.source, edge.target)
    ]
    print(f"{edge.weight:+.2f}  {' – '.join(names)}")

# %%
# The graph, coloured by sector.
graph = model.graph_
places = nx.kamada_kawai_layout(graph.subgraph(max(nx.connected_components(graph), key=len)))
sectors = sorted(set(sector))
colours = dict(zip(sectors, plt.get_cmap("tab10").colors, strict=False))
figure, ax = plt.subplots(figsize=(9, 7))
part = graph.subgraph(places)
nx.draw_networkx_edges(part, places, ax=ax, edge_color="0.75")
for name in sectors:
    nodes = [node for node in part if info["sector"][node] == name]
    nx.draw_networkx_nodes(
        part, places, nodes, node_size=60, node_color=[colours[name]], label=name, ax=ax
    )
ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
ax.axis("off")
plt.show()
