"""The check of the built site finds what it is there to find."""

import doctest

import pytest
from scripts import check_docs

PAGE = '<head><link rel="stylesheet" href="a.css"></head><body id="top">\n{}</body>'


@pytest.fixture
def site(tmp_path):
    def build(body, style=""):
        (tmp_path / "index.html").write_text(PAGE.format(body), encoding="utf-8")
        (tmp_path / "a.css").write_text(style, encoding="utf-8")
        return list(check_docs.check(tmp_path))

    return build


def test_a_sound_site_is_left_in_peace(site):
    body = '<a href="#top">up</a><a href="https://doi.org/1">paper</a>'
    body += '<img src="data:,"><code>:orphan:</code>'
    assert site(body + '<a href="index.html?x=1#top">again</a>', "a { color: red }") == []


@pytest.mark.parametrize(
    ("body", "style", "word"),
    [
        ('<script src="https://cdn.org/mathjax.js"></script>', "", "loads https://cdn.org"),
        ('<img src="//cdn.org/a.png">', "", "loads //cdn.org"),
        ('<link href="http://fonts.org/a" rel="stylesheet">', "", "loads http://fonts.org"),
        ('<p style="background: url(https://x.org/a.png)">', "", "loads https://x.org"),
        ("", "@import 'https://fonts.org/b';", "loads https://fonts.org"),
        ("", "a { src: url(//fonts.org/c) }", "loads //fonts.org"),
        ("<p>\n.. toctree:: a</p>", "", "shows '.. toctree::'"),
        ('<a href="gone.html">gone</a>', "", "is not there"),
        ('<a href="#nowhere">nowhere</a>', "", "no such place"),
    ],
)
def test_each_fault_is_named(site, body, style, word):
    (found,) = site(body, style)
    assert word in found


def test_an_empty_folder_is_no_site(tmp_path):
    assert list(check_docs.check(tmp_path)) == [f"There is no index.html in {tmp_path}."]


def test_examples():
    assert doctest.testmod(check_docs).failed == 0
