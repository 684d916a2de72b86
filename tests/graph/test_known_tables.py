"""Well-known tables: what is cautioned of, and that nothing absurd is."""

import pytest
from sklearn import datasets

from spinney import learn
from spinney.datasets import load_anes96, load_penguins, load_sachs
from spinney.graph.words import MOST_CAUTIONS, cautions


def from_sklearn(name):
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    frame = found.frame
    if name != "diabetes":
        frame["target"] = found.target_names[found.target]
    return frame


TABLES = {
    "iris": (lambda: from_sklearn("iris"), set()),
    # The rows are sorted by species and, within these, by year: nothing is known of the two.
    "penguins": (load_penguins, {"unknown-pairs"}),
    "sachs": (lambda: load_sachs().X, set()),
    "anes96": (load_anes96, set()),
    "wine": (lambda: from_sklearn("wine"), set()),
    "diabetes": (lambda: from_sklearn("diabetes"), set()),
    "breast cancer": (lambda: from_sklearn("breast_cancer").iloc[:, [*range(10), 30]], {"twins"}),
}


@pytest.mark.parametrize("name", TABLES)
def test_cautions_are_few_and_to_the_point(name):
    load, expected = TABLES[name]
    found = learn(load())
    grave = {each.code for each in cautions(found) if each.level == "warning"}
    assert grave == expected
    text = str(found)
    assert text.count("\n  - ") == len(expected) <= MOST_CAUTIONS
    assert len(text.splitlines()) <= 25
