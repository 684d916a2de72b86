"""Voters: what goes with the vote.

944 Americans who voted for Clinton or Dole in 1996, from the American National Election Study:
party and place from left to right on scales of seven steps, where they see the two candidates on
the same scale, the news they watch, age, education, income and the size of the place they live in.

## What was known

Since *The American Voter* (1960), party identification is known as the strongest predictor of the
vote, and ideology works largely through it. People push the candidate whom they reject to the far
end of the scale. Older people watch more news.
"""

import matplotlib.pyplot as plt

from spinney import learn
from spinney.datasets import load_anes96

voters = load_anes96()
found = learn(voters, n_jobs=1)
found.plot()
plt.show()

# %%
# ## What the graph shows
#
# Steps of a scale are levels with an order, not numbers; the strength is the correlation of the
# scores of the levels, given the neighbours.
columns = ["source", "target", "probability", "strength"]
print(found.edges[columns].to_string(index=False, float_format="%.2f"))

# %%
# Party is by far the strongest neighbour of the vote. One's own place has an edge to party, and
# adds less to the vote once party is known:
pairs = found.pairs
vote = pairs[(pairs["source"] == "vote") | (pairs["target"] == "vote")]
print(vote[columns].to_string(index=False, float_format="%.2f", na_rep=""))

# %%
# Clinton's and Dole's places have opposite signs: voters who place one further to the left place
# the other further to the right, and both places depend on the vote.
#
# ## Where it differs
#
# Age and income are joined at a strength near zero. A correlation would miss this edge: income
# rises until about fifty and falls after, and `strength` measures only what rises or falls
# throughout.
for decade, group in voters.query("20 <= age < 90").groupby(voters["age"] // 10 * 10):
    print(f"age {decade}s: median income class {group['income'].astype(int).median():.0f}")

# %%
# ## What not to conclude
#
# That party causes the vote: people also call themselves what they vote for. That income does not
# matter where it has no line to the vote: it may act through party. That all this holds for
# Americans: these are voters for one of two men, people who did not vote are not in the table, and
# we did not use the survey weights. Edges with a probability near one half (the population
# of the place) may not appear in another sample.
