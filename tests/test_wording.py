"""Every code has a sentence, and every sentence a case in :mod:`tests.wording` that reads it."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

from spinney.wording import PYTHON, TERMINAL, all_words, sentence
from tests import wording

AREAS = [
    import_module(area.name) for area in pkgutil.iter_modules(wording.__path__, "tests.wording.")
]
CASES = [case for area in AREAS for case in area.CASES]


@pytest.mark.parametrize("case", CASES, ids=[case[0].code for case in CASES])
def test_sentences(case):
    notice, python, *terminal = case
    assert sentence(notice, PYTHON) == str(notice) == python
    assert sentence(notice, TERMINAL) == (terminal[0] if terminal else python)


def test_every_code_has_a_case():
    assert {case[0].code for case in CASES} == set(all_words())


def test_an_area_must_not_word_the_code_of_another(monkeypatch):
    from spinney._core.wording import graph, tables

    code = next(iter(graph.WORDS))
    monkeypatch.setitem(tables.WORDS, code, "The sentence of another area.")
    with pytest.raises(ValueError, match=code):
        all_words.__wrapped__()
