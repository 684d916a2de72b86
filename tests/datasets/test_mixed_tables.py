"""The bundled tables of several kinds: the numbers of their sources, in the right types."""

import csv
import hashlib
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from spinney import datasets
from spinney.datasets import load_anes96, load_penguins
from spinney.exceptions import InputError


def cells(name):
    """Read a file without pandas: the cells of each column as text."""
    with datasets.path(name).open(newline="") as lines:
        names, *rows = csv.reader(lines)
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def test_penguins_are_the_file_of_the_source():
    digest = hashlib.sha256(datasets.path("penguins.csv").read_bytes()).hexdigest()
    assert digest == "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93"
    table, file = load_penguins(), cells("penguins.csv")
    assert table.shape == (344, 8)
    for name, texts in file.items():
        missing = np.array([text == "NA" for text in texts])
        np.testing.assert_array_equal(table[name].isna(), missing)
        kept = table[name][~missing]
        if isinstance(kept.dtype, pd.CategoricalDtype):
            assert [str(value) for value in kept] == [t for t in texts if t != "NA"]
        else:
            assert kept.tolist() == [float(t) for t in texts if t != "NA"]


def test_penguins_have_kinds_and_gaps():
    table = load_penguins()
    assert {name: bool(table[name].cat.ordered) for name in ("species", "island", "sex")} == {
        **{"species": False, "island": False, "sex": False}
    }
    assert table["year"].cat.ordered
    assert table["year"].cat.categories.tolist() == [2007, 2008, 2009]
    gaps = table.isna().sum().to_dict()
    assert gaps == {
        **{"species": 0, "island": 0, "year": 0, "sex": 11},
        **dict.fromkeys(table.columns[2:6], 2),
    }


def test_what_is_said_of_the_penguins_holds():
    table = load_penguins()
    met = table.groupby(["species", "island"], observed=True).size().unstack(fill_value=0)
    assert met.loc["Gentoo"].tolist() == [124, 0, 0]
    assert met.loc["Chinstrap"].tolist() == [0, 68, 0]
    pair = ["bill_depth_mm", "body_mass_g"]
    assert table[pair].corr(method="kendall").iloc[0, 1] < 0
    for _, birds in table.groupby(["species", "sex"], observed=True):
        assert birds[pair].corr(method="kendall").iloc[0, 1] > 0
    assert (table["body_mass_g"].dropna() % 25 == 0).all()


def test_voters_are_the_numbers_of_the_source():
    file = {name: np.array(texts, dtype=int) for name, texts in cells("anes96.csv").items()}
    # Sums of the source file; any changed cell shows.
    assert {name: int(values.sum()) for name, values in file.items()} == {
        **{"popul": 289_224, "TVnews": 3519, "selfLR": 4083, "ClinLR": 2775, "DoleLR": 5092},
        **{"PID": 2683, "age": 44_409, "educ": 4310, "income": 15_417, "vote": 393},
    }
    table = load_anes96()
    assert table.shape == (944, 10)
    assert not table.isna().any(axis=None)
    for name, values in file.items():
        if isinstance(table[name].dtype, pd.CategoricalDtype):
            assert table[name].cat.ordered
            assert table[name].cat.codes.nunique() == len(table[name].cat.categories)
            # Codes count from 0, answers from 0 or 1.
            shift = set((values - table[name].cat.codes).tolist())
            assert shift == {0 if name in ("PID", "vote", "TVnews") else 1}
        else:
            assert table[name].tolist() == values.tolist()
    assert (table["popul"] == 0).mean() == pytest.approx(0.24, abs=0.005)


def test_words_stand_in_the_right_order():
    table = load_anes96()
    # Republicans voted for Dole, and see themselves to the right.
    voted = table.groupby("PID", observed=True)["vote"].agg(lambda votes: (votes == "Dole").mean())
    assert voted["strong Democrat"] < 0.05
    assert voted["strong Republican"] > 0.95
    right = table["selfLR"].cat.codes.corr(table["vote"].cat.codes)
    assert right > 0.4


@pytest.mark.parametrize(("load", "column"), [(load_penguins, "year"), (load_anes96, "age")])
def test_what_a_caller_changes_does_not_reach_the_next_caller(load, column):
    first = load()
    first.loc[0, column] = first[column].iloc[-1]
    assert load()[column].iloc[0] != first[column].iloc[0]


def test_each_file_has_its_provenance():
    folder = files("spinney.datasets") / "data"
    text = (folder / "PROVENANCE.md").read_text(encoding="utf-8")
    for file in folder.iterdir():
        assert file.name == "PROVENANCE.md" or f"`{file.name}`" in text


def test_unknown_files_are_answered_with_those_there_are():
    with pytest.raises(InputError, match=r"no bundled file 'penguin.csv'. Did you mean"):
        datasets.path("penguin.csv")
