"""Counts, lists, names and probabilities as text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney._core.text import (
    counted,
    listed,
    plain_line,
    probability_text,
    shorten_end,
    shorten_middle,
    signed,
)


@given(st.floats(0, 1), st.integers(1, 4))
def test_a_probability_is_rounded_but_never_to_certainty(value, digits):
    text = probability_text(value, digits)
    if value in (0.0, 1.0):
        assert text == f"{value:.0f}"
    elif text[0] in "<>":
        bound = float(text[1:])
        assert (value < bound) if text[0] == "<" else (value > bound)
        assert min(value, 1 - value) <= 0.5 * 10**-digits + 1e-12  # 1 - value is rounded
    else:
        assert 0 < float(text) < 1
        assert math.isclose(float(text), value, abs_tol=0.5 * 10**-digits + 1e-12)


def test_a_probability_in_a_sentence_is_read_aloud():
    told = [probability_text(value, in_words=True) for value in (0.99999, 1e-9, 0.25)]
    assert told == ["above 0.999", "below 0.001", "0.250"]


@given(st.text(max_size=80), st.integers(3, 40))
def test_shortened_text_is_short_and_keeps_its_ends(text, longest):
    for shorten in (shorten_end, shorten_middle):
        short = shorten(text, longest)
        assert len(short) <= longest
        assert (short == text) == (len(text) <= longest)
        assert short[:1] in (text[:1], "…")
    assert plain_line(text, longest) == shorten_end(plain_line(text), longest)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(1, 6))
def test_a_list_tells_all_of_its_items(items, most):
    text = listed(items, most)
    words = text.replace(" and ", ", ").split(", ") if text else []
    hidden = int(words.pop().removesuffix(" more")) if text.endswith(" more") else 0
    assert words == items[: len(words)]
    assert len(words) + hidden == len(items)
    assert hidden != 1


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 rows"), (1, "1 row"), (1234567, "1,234,567 rows")]
)
def test_things_are_counted(number, text):
    assert counted(number, "row") == text


def test_signs_are_shown():
    assert [signed(value) for value in (0.126, -1.0, math.nan)] == ["+0.13", "−1.00", "unknown"]
