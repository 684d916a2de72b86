"""Penguins: categories, a yes/no column and missing values.

344 penguins of three species near Palmer Station: four measurements, species, island, sex and year.
Eleven were not sexed and two not measured. Nothing needs preparing: spinney finds the kinds of the
columns, and learns each pair from the birds that have both values.

## What was known

Males are larger than females in all three species (Gorman et al. 2014). Gentoo are heavy, with
shallow bills; Chinstrap have the long bills of Gentoo on the body of an Adelie. Gentoo were met on
Biscoe only and Chinstrap on Dream only. Over all birds, a deeper bill goes with a *lighter* bird;
within each species, with a heavier one: a standard example of Simpson's paradox.
"""

import matplotlib.pyplot as plt

from spinney import learn
from spinney.datasets import load_penguins

birds = load_penguins()
found = learn(birds, n_jobs=1)
found.plot()
plt.show()

# %%
# ## What the graph shows
#
# The mark at a name is the kind of its column. Grey lines have no sign: species and islands have no
# order, and the sign of other edges may be open.
columns = ["source", "target", "probability", "strength", "rows"]
print(found.edges[columns].to_string(index=False, float_format="%.2f", na_rep=""))

# %%
# Bills depend on species, size depends on sex, and flipper and mass depend on each other whatever
# the species and sex. Island has an edge to species and to hardly anything else, because species
# explains its other dependences. And the paradox is gone: over all birds mass falls as bills get
# deeper, within each species and sex both rise together, and given all other columns the judge
# leaves open whether they are joined at all:
both = birds[["bill_depth_mm", "body_mass_g"]]
print(f"all birds {both.corr('spearman').iloc[0, 1]:+.2f}")
for (species, sex), group in birds.groupby(["species", "sex"])[list(both)]:
    print(f"{species:9s} {sex:6s} {group.corr('spearman').iloc[0, 1]:+.2f}")
pairs = found.pairs.set_index(["source", "target"])["probability"]
print(f"probability of an edge: {pairs['bill_depth_mm', 'body_mass_g']:.2f}")

# %%
# ## Where it differs
#
# Species and sex are joined, though every species has as many males as females. This is not a
# mistake: both shape the body, so sex and species depend on each other once bill and mass are
# known. A male of 4 kg is an Adelie or a Chinstrap; a female of 4.5 kg is a Gentoo. Two causes of
# one effect are joined.
print(found.why("species", "sex"))

# %%
# ## What not to conclude
#
# That sex has to do with species, or that the island makes the bird: the graph has no directions.
# With `year` among the columns, an edge to it may mean a good year for krill or another observer.
# And a graph of the four measurements alone would be a graph of three species mixed.
