"""An economy: levels and changes.

Eight quarterly series over sixty years. **The series are simulated**, with the seed below, by a
model of an economy in eight lines, so that we know what acts on what within a quarter.

## What is known

Output drives consumption, investment and, with a minus, unemployment (Okun's law). Oil drives
inflation. The central bank reacts to unemployment at once and to inflation slowly (a Taylor rule),
and the ten-year rate follows the bank's.
"""

# fold: The code that makes the series
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from spinney import learn

rng = np.random.default_rng(25)
quarters = 240
now = dict.fromkeys(["output", "consumption", "investment", "oil"], 0.0)
now |= {"unemployment": 5.5, "inflation": 2.5, "bank_rate": 4.0, "ten_year": 5.0}
rows = []
for shock in rng.normal(size=(quarters, 8)):
    was = dict(now)
    gap = was["unemployment"] - 5.5
    growth = 0.75 - 0.05 * (was["bank_rate"] - 4.0) + 0.8 * shock[0]
    now["output"] += growth
    now["consumption"] += 0.4 + 0.5 * growth + 0.35 * shock[1]
    now["investment"] += 4.0 * growth - 2.2 + 2.2 * shock[2]
    now["oil"] += 12 * shock[3]
    now["unemployment"] += 0.12 * shock[4] - 0.35 * (growth - 0.75) - 0.03 * gap
    now["inflation"] += 0.035 * (now["oil"] - was["oil"]) + 0.35 * shock[5]
    now["inflation"] -= 0.15 * (was["inflation"] - 2.5) + 0.05 * gap
    rule = 1.5 + 1.5 * now["inflation"] - 0.6 * gap - was["bank_rate"]
    jobs = now["unemployment"] - was["unemployment"]
    now["bank_rate"] += 0.1 * rule - 0.5 * jobs + 0.25 * shock[6]
    slope = was["ten_year"] - now["bank_rate"] - 1.2
    now["ten_year"] += 0.45 * (now["bank_rate"] - was["bank_rate"]) - 0.06 * slope + 0.2 * shock[7]
    rows.append(dict(now))
levels = pd.DataFrame(rows)  # output, consumption, investment and oil: 100 × logarithms
print(levels.tail(3).round(1).to_string(index=False))

# %%
# ## What the graph shows
#
# First the series in levels. Series that drift look alike by chance: after sixty years of
# growth all of them are correlated. spinney detects this, reduces the effective sample size and
# warns.
wandering = learn(levels, n_jobs=1)
print(wandering)

# %%
# Now the changes from quarter to quarter.
changes = levels.diff().dropna()
found = learn(changes, n_jobs=1)
found.plot()
plt.show()

# %%
print(found.edges[["source", "target", "probability", "strength"]].round(2).to_string(index=False))

# %%
# Okun's law, consumption and investment with output, oil with inflation, the long rate with the
# bank's: spinney finds what the model does within a quarter. Consumption and investment depend on
# each other only through output, and are not joined.
#
# ## Where it differs
#
# The edge between inflation and the bank rate is a coin toss, though the bank follows inflation. It
# does so slowly, over ten quarters, and the changes of one quarter hardly show what takes ten.
# Levels show it, among edges that arise by chance.
#
# ## What not to conclude
#
# That monetary policy hardly reacts to prices. That an edge is an impulse response: nothing here
# has a lag or a direction. To ask about lags, add columns shifted by a quarter or more.
