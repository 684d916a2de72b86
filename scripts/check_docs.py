"""Look over the built documentation: nothing from elsewhere, and every link leads somewhere.

``python scripts/check_docs.py build/docs`` is the last step of ``make docs``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

__all__ = ["Page", "check"]

FETCHED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
"""What a browser loads without being asked."""
ELSEWHERE = re.compile(r"(?:https?:)?//", re.I)
STYLE = re.compile(r"url\(\s*[\"']?((?:https?:)?//[^)\"']*)|@import\s+[\"']((?:https?:)?//[^\"']*)")


MARKUP = re.compile(
    r"^\.\. [\w-]+::|^:orphan:|\{(?:[\w-]+:)?(?:ref|doc|func|class|download)\}`", re.M
)
"""What Sphinx should have read and did not."""


class Page(HTMLParser):
    """What a page loads, where it leads, and which places in it can be led to.

    Examples
    --------
    >>> page = Page('<p id="a"><a href="b.html#c">b</a><script src="https://x.org/y.js"></script>')
    >>> page.places, page.links, page.loaded
    ({'a'}, ['b.html#c'], ['https://x.org/y.js'])
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.words: list[str] = []
        self._code = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, links and what is loaded."""
        self._code += tag in ("pre", "code", "script")
        known = {name: value or "" for name, value in attrs}
        self.places.update(known[name] for name in ("id", "name") if name in known)
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        if tag in FETCHED and FETCHED[tag] in known:
            self.loaded.append(known[FETCHED[tag]])
        self.loaded += [found for pair in STYLE.findall(known.get("style", "")) for found in pair]

    def handle_endtag(self, tag: str) -> None:
        """Note where code ends."""
        self._code -= tag in ("pre", "code", "script")

    def handle_data(self, data: str) -> None:
        """Note words, but not those of code."""
        if not self._code:
            self.words.append(data)


def check(site: Path) -> Iterator[str]:
    """Find what is wrong with a site, a sentence each."""
    # In _static are templates of the theme, which are no pages.
    paths = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paths}
    if site / "index.html" not in pages:
        yield f"There is no index.html in {site}."
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name} loads {url}." for url in page.loaded if ELSEWHERE.match(url))
        for found in MARKUP.findall("".join(page.words)):
            yield f"{name} shows '{found}' to the reader."
        for link in [*page.links, *page.loaded]:
            if re.match(r"[a-z][a-z0-9+.-]*:", link, re.I) or ELSEWHERE.match(link):
                continue
            url, place = urldefrag(link)
            target = (path.parent / unquote(url.partition("?")[0])).resolve() if url else path
            if not target.exists():
                yield f"{name} leads to {link}, which is not there."
            elif place and target in pages and unquote(place) not in pages[target].places:
                yield f"{name} leads to {link}, but that page has no such place."
    for path in sorted(site.rglob("*.css")):
        for found in STYLE.finditer(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)} loads {found[1] or found[2]}."


if __name__ == "__main__":
    wrong = list(check(Path(sys.argv[1]).resolve()))
    print(*wrong, sep="\n", file=sys.stderr)
    sys.exit(bool(wrong))
