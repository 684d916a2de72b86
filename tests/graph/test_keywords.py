"""Calls that are nearly right are told what to write."""

import inspect
import warnings

import numpy as np
import pytest

import spinney
from spinney.datasets import load_sachs
from spinney.exceptions import InputError
from tests.graph.cases import plain_judge


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("seed", "in Python its name is random_state."),
        ("jobs", "in Python its name is n_jobs."),
        ("group", "use spinney.learn_groups(table, by)."),
        ("min_strenght", "the nearest is min_strength."),
    ],
)
def test_an_option_of_the_command_line_is_answered_with_its_name_in_python(given, told):
    with pytest.raises(TypeError, match=f"learn\\(\\) has no parameter '{given}'") as refused:
        spinney.learn(np.zeros((3, 2)), **{given: 1})
    assert str(refused.value).endswith(told)


def test_the_names_that_are_suggested_exist():
    from spinney._core.choices import IN_PYTHON

    assert {*IN_PYTHON.values()} <= {*inspect.signature(spinney.learn).parameters}


def test_a_data_set_is_told_to_pass_its_table():
    with pytest.raises(InputError, match=r"holds one: pass its attribute \.X\."):
        spinney.learn(load_sachs())


def test_a_warning_points_at_the_call():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spinney.learn(np.random.default_rng(0).normal(size=(12, 3)), judge=plain_judge())
    assert {each.filename for each in caught} == {__file__}
