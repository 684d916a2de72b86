"""A questionnaire: items, scales and twins.

Twelve items with five answers each, four on worry, four on mood, four on sleep: the kind of table
that network psychometrics draws graphs of. **The answers are simulated**, with the seed below, so
that we know what is behind them.

## What is known

Three traits drive the items, correlated as such traits are (0.3 to 0.5). `mood4` is worded in the
opposite direction. `sleep1` and `sleep2` ask nearly the same question. Some people tick high
answers whatever the question.
"""

# fold: The code that makes the answers
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from spinney import learn

rng = np.random.default_rng(25)
n = 500
traits = rng.multivariate_normal(np.zeros(3), [[1, 0.5, 0.3], [0.5, 1, 0.4], [0.3, 0.4, 1]], n)
high_ticks, twin = rng.normal(0, 0.35, n), rng.normal(0, 0.7, n)
answers = {}
for trait, scale in zip(traits.T, ["worry", "mood", "sleep"], strict=True):
    for k in range(1, 5):
        name = f"{scale}{k}"
        is_twin = name in ("sleep1", "sleep2")
        noise = twin + rng.normal(0, 0.4, n) if is_twin else rng.normal(0, 0.8, n)
        opinion = (-trait if name == "mood4" else trait) + noise + high_ticks
        answers[name] = 1 + np.digitize(opinion, [-1.4, -0.4, 0.5, 1.5])
answers = pd.DataFrame(answers)
print(answers.head(3).to_string(index=False))

# %%
# ## What the graph shows
#
# Names are coloured by the scale that an item belongs to, which spinney does not know.
found = learn(answers, n_jobs=1)
found.plot(colour_by={name: name[:-1] for name in answers})
plt.show()

# %%
inside = found.edges["source"].str[:-1] == found.edges["target"].str[:-1]
print(f"{len(found.edges)} edges, {inside.sum()} of them within a scale (of 18 possible)")
edges = found.edges.sort_values("strength")[["source", "target", "probability", "strength"]]
print(pd.concat([edges.tail(4)[::-1], edges.head(3)]).round(2).to_string(index=False))

# %%
# The three scales come out, the twins are the strongest pair, and the item worded in the opposite
# direction has negative edges. The traits are correlated at 0.3 to 0.5, and yet there are few edges
# between the scales: given the other items of its scale, an item depends little on another scale.
#
# ## Where it differs
#
# In truth no item acts on any other. The four items of a scale are joined because the trait that
# drives them is not in the table: a clique is what a hidden cause looks like. The twins distort
# their scale: `sleep1` and `sleep2` carry nearly the same information, so that each explains the
# other's edges to `sleep3` and `sleep4`. Leave one out:
fewer = learn(answers.drop(columns="sleep2"), n_jobs=1)
for name, graph in (("with the twin", found), ("without", fewer)):
    print(f"{name:14s} sleep1 has edges to {', '.join(graph.neighbours('sleep1'))}")

# %%
# ## What not to conclude
#
# That treating the central item would calm the others. These edges cannot distinguish a network of
# symptoms from a trait with symptoms: both make the same graph. Nor that `sleep1` and `sleep2` are
# the heart of insomnia; they are one question asked twice.
