"""Penguins: categories, a yes/no column and gaps in one table.

344 penguins of three species: four measurements, species, island, sex and year. Eleven were not
sexed and two not measured. Nothing needs to be prepared: kinds of columns are found and said, and
each pair is learned from the rows that have both values.
"""

import matplotlib.pyplot as plt

from spinney import learn
from spinney.datasets import load_penguins
from spinney.graph.plots import plot_pair

birds = load_penguins()
print(birds.head(4).to_string(index=False))

# %%
found = learn(birds, compare=False, n_jobs=1)
print(found.nodes[["name", "kind", "degree", "rows"]].to_string(index=False))

# %%
# The mark at a name is the kind of its column. Grey lines have no sign: species and island have no
# order.
found.plot()
plt.show()

# %%
columns = ["source", "target", "probability", "strength", "family", "rows"]
print(found.edges[columns].to_string(index=False, float_format="%.2f", na_rep=""))

# %%
# Species and sex are independent by themselves (family `independence`) and yet joined. Both shape
# the measurements, and of a bird whose bill and mass are known its sex says something about its
# species: common effects join their causes.
#
# Flipper and mass go together even within one species and one sex, and are joined. What species
# explains of a pair is taken out, and what is left decides:
within = birds.groupby(["species", "sex"])
for (species, sex), group in within[["flipper_length_mm", "body_mass_g"]]:
    print(f"{species:9s} {sex:6s} {group.corr('spearman').iloc[0, 1]:+.2f}")
print(found.why("flipper_length_mm", "body_mass_g"))

# %%
# Every kind of pair has a picture of its own. The judge is no model of the table, so what is drawn
# over the data is fitted by a density on its edges.
density = found.density(n_jobs=1)
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2))
plot_pair(density, "species", "island", axes[0])
plot_pair(density, "species", "bill_length_mm", axes[1])
plot_pair(density, "flipper_length_mm", "body_mass_g", axes[2])
figure.tight_layout()
plt.show()
