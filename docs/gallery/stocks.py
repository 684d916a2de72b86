"""Stocks: sectors found from daily returns.

Daily log-returns of 100 of the S&P 500's stocks over five years (2003 to 2008; the table
`stockdata` of the R package huge). Nobody knows the true graph, but stocks of one sector should be
neighbours more often than others.

Consecutive days are not independent: calm days follow calm days. spinney does not detect this, so
read the probabilities as a ranking.
"""

# needs: sp500
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import spinney

folder = Path(os.environ["SPINNEY_DATA"], "sp500")
returns = pd.read_csv(folder / "logreturns.csv.gz")
info = pd.read_csv(folder / "info.csv").set_index("ticker")
returns = returns.mask(returns.abs() > 0.4)  # splits that were not corrected
rng = np.random.default_rng(0)
chosen = np.sort(rng.choice(returns.shape[1], 100, replace=False))
found = spinney.learn(returns.iloc[:, chosen], n_jobs=1)
print(f"{found.n_edges} edges, {found.expected_false:.1f} expected to be false")

# %%
# How many edges lie inside a sector, and how many would at random?
sector = info["sector"].loc[list(found.names)].to_numpy()
same = sector[:, None] == sector
pairs = np.triu_indices(len(sector), 1)
joined = found.adjacency.to_numpy()
print(f"inside a sector: {same[pairs][joined[pairs]].mean():.0%} of the edges")
print(f"                 {same[pairs].mean():.0%} of all pairs")

# %%
# The strongest edges between sectors.
edges = found.edges
crossing = edges[
    info["sector"].loc[edges["source"]].to_numpy() != info["sector"].loc[edges["target"]].to_numpy()
]
for edge in crossing.nlargest(6, "strength").itertuples():
    names = [
        f"{info['name'][ticker]} ({info['sector'][ticker]})"
        for ticker in (edge.source, edge.target)
    ]
    print(f"{edge.strength:+.2f}  {' – '.join(names)}")

# %%
# The graph, coloured by sector.
figure, ax = plt.subplots(figsize=(11, 9), layout="constrained")
found.plot(ax, colour_by=dict(zip(found.names, sector, strict=True)))
plt.show()
