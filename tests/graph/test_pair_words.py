"""What was fitted to a pair, in a sentence."""

import numpy as np
import pytest

from spinney.graph.pair_words import NOMINAL, fitted_sentence
from spinney.pairs.copulas.registry import FAMILIES


def row(family, parameters=(), rotation=0, tau=np.nan):
    return {"family": family, "parameters": parameters, "rotation": rotation, "tau": tau}


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "independence"])
def test_a_copula_is_called_by_its_name(family):
    told = fitted_sentence(row(family, (0.5, 3.25), tau=-0.25), 1200)
    name = FAMILIES[family].__name__
    assert told.startswith(f"By itself, over 1,200 rows, the pair is best described by a {name} ")
    assert told.endswith("), with a Kendall's tau of −0.25.")
    assert "0.5" in told


def test_parameters_have_names_and_a_rotation_is_told():
    student = fitted_sentence(row("student", (0.74, 2.4), tau=0.53))
    assert "a Student copula (rho 0.74, 2.4 degrees of freedom), with" in student
    assert "(theta 1.5, turned by 270°)" in fitted_sentence(row("clayton", (1.5,), 270, -0.4))


def test_independence_and_nominal_pairs_are_no_copulas():
    assert fitted_sentence(row("independence", tau=0.0), 1) == (
        "By itself, over 1 row, the pair looks independent."
    )
    for family, words in NOMINAL.items():
        assert fitted_sentence(row(family, (0.1,) * 6)).endswith(f"described by {words}.")
