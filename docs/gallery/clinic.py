"""A clinic: a table with missing values.

Four hundred patients, eleven columns, and a missing value wherever a test was not ordered. **The
patients are simulated**, with the seed below, so that we know the graph and why values are missing.

## What is known

Age raises blood pressure and lowers the filtration of the kidneys (eGFR); so does a high HbA1c, and
failing kidneys lower haemoglobin. Body mass acts on HbA1c, pressure and CRP, smoking on CRP.
Statins are given to the old and the diabetic, and lower LDL.
"""

# fold: The code that makes the patients
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from spinney import learn

rng = np.random.default_rng(25)
n = 400


def chance(logit):
    """Draw yes or no for each patient."""
    return rng.random(n) < 1 / (1 + np.exp(-logit))


age, bmi = rng.uniform(35, 85, n), rng.normal(27, 4, n)
old, heavy = (age - 60) / 14, (bmi - 27) / 4
male, smoker = chance(np.zeros(n)), chance(np.full(n, -1.0))
hba1c = 5.8 + 0.45 * heavy + 0.25 * old + rng.normal(0, 0.6, n)
egfr = 85 - 11 * old - 7 * (hba1c - 5.8) + rng.normal(0, 10, n)
statin = chance(old + 1.2 * (hba1c - 5.8) - 0.7)
patients = pd.DataFrame(
    {
        "age": age.round(),
        "sex": np.where(male, "male", "female"),
        "smoker": np.where(smoker, "yes", "no"),
        "bmi": bmi,
        "hba1c": hba1c,
        "egfr": egfr.round(),
        "pressure": 132 + 7 * old + 5 * heavy + rng.normal(0, 11, n),
        "statin": np.where(statin, "yes", "no"),
        "ldl": 3.6 - 1.1 * statin + rng.normal(0, 0.7, n),
        "crp": np.exp(0.6 + 0.45 * heavy + 0.7 * smoker + rng.normal(0, 0.7, n)),
        "haemoglobin": 13.6 + 1.3 * male + 0.04 * (egfr - 80) + rng.normal(0, 0.8, n),
    }
).round(1)
truth = """age hba1c, bmi hba1c, age egfr, hba1c egfr, age pressure, bmi pressure, age statin,
    hba1c statin, statin ldl, bmi crp, smoker crp, sex haemoglobin, egfr haemoglobin"""
joined_by_effect = "age bmi, bmi smoker, sex egfr"  # causes of one column
# Tests that were not ordered: at random, but the young are hardly ever tested for eGFR.
for column, share in {"crp": 0.45, "hba1c": 0.25, "ldl": 0.15, "smoker": 0.1}.items():
    patients.loc[rng.random(n) < share, column] = np.nan
patients.loc[chance(-1 - old), "egfr"] = np.nan
print(patients.isna().mean().loc[lambda s: s > 0].round(2).to_string())
print(f"{len(patients.dropna())} of {n} patients have no missing value")

# %%
# ## What the graph shows
#
# Each pair is learned from the patients who have both values; nothing is filled in.
found = learn(patients, n_jobs=1)
found.plot()
plt.show()


# %%
# fold: The code that marks each edge by what is known
def marked(graph):
    """List the edges of a graph, with what is known of each pair."""
    table = graph.edges[["source", "target", "probability", "strength", "rows"]].round(2)
    pairs = [{u, v} for u, v in zip(table["source"], table["target"], strict=True)]
    real, moral = ([set(p.split()) for p in s.split(",")] for s in (truth, joined_by_effect))
    marks = ["true" if p in real else "common effect" if p in moral else "FALSE" for p in pairs]
    return table.assign(truth=marks)


print(marked(found).to_string(index=False))

# %%
# spinney finds nearly all true edges, with yes/no columns, skewed CRP and missing values. Statins
# go with *lower* LDL and *higher* HbA1c: the first is what they do, the second is why they are
# given. Body mass and age are joined as two causes of one pressure.
#
# ## Where it differs
#
# The usual remedy, to drop every patient with a missing value, loses four in five of them, and true
# edges:
whole = learn(patients, missing="drop", n_jobs=1)
for name, graph in (("each pair by itself", found), ("complete patients only", whole)):
    counts = marked(graph)["truth"].value_counts()
    print(f"{name:22s} {counts.get('true', 0)} of 13 true, {counts.get('FALSE', 0)} false")

# %%
# But eGFR is missing where patients are young, so that its rows are not typical, and edges of age
# may be wrong. spinney tests whether values are missing at random, and warns:
for caution in found.warnings:
    print(caution)

# %%
# ## What not to conclude
#
# That statins raise HbA1c (they are given because of it). That an edge of a column with many
# missing values is as well founded as the others: look at `rows`. And no test can detect that
# values are missing depending on the missing value itself, such as a CRP that is measured only when
# the patient looks ill.
