"""A real browser, found where one is; tests are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from spinney.graph.report.page import render
from tests.graph.report.page.payloads import HOSTILE, sample_payload

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="needs a browser's remote control: pip install 'spinney[browser]'"
)


def _browser_path(playwright: Any) -> str | None:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    own = Path(playwright.chromium.executable_path)
    return str(own) if own.exists() else None


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        path = _browser_path(playwright)
        if path is None:
            pytest.skip("no chromium found: `make browser` installs one")
        options = ["--no-sandbox"] if hasattr(os, "getuid") and os.getuid() == 0 else []
        made = playwright.chromium.launch(executable_path=path, args=options)
        yield made
        made.close()


@dataclass
class Report:
    """A page that is open, and all that it has said and asked for."""

    page: Any
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def centre(self, selector: str) -> tuple[float, float]:
        box = self.page.locator(selector).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def pixels(self, *position: float) -> tuple[float, float]:
        """Where a place of the drawing lies on the screen, by plotly's own axes."""
        self.page.locator("#graph-frame").scroll_into_view_if_needed()
        x, y = self.page.evaluate(
            """([x, y]) => {
              const plot = document.getElementById('graph-plot');
              const box = plot.getBoundingClientRect();
              const { xaxis, yaxis } = plot._fullLayout;
              return [
                box.left + xaxis._offset + xaxis.d2p(x),
                box.top + yaxis._offset + yaxis.d2p(y),
              ];
            }""",
            position,
        )
        return float(x), float(y)

    def traces(self, meta: str) -> dict[str, Any]:
        """What the drawing holds of nodes (by number) or of points along lines (by pair)."""
        return self.page.evaluate(
            """(meta) => {
              const points = document.getElementById('graph-plot').data
                .filter((one) => one.meta === meta)
                .flatMap(({ customdata, x, y }) => customdata.map((k, at) => [k, x[at], y[at]]));
              if (meta === 'nodes') points.sort((a, b) => a[0] - b[0]);
              const [customdata, x, y] = [0, 1, 2].map((k) => points.map((point) => point[k]));
              return { customdata, x, y };
            }""",
            meta,
        )

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, Any], str], Path]:
    folder = tmp_path_factory.mktemp("pages")

    def write(payload: dict[str, Any], name: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(render(payload), encoding="utf-8")
        return path

    return write


@pytest.fixture
def opened(browser: Any, written: Callable[[dict[str, Any], str], Path]) -> Iterator[Any]:
    """Open the page of a payload. At the end: nothing was requested, and nothing complained."""
    reports: list[Report] = []
    contexts = []

    def open_page(payload: dict[str, Any], *, name: str = "report", **options: Any) -> Report:
        path = written(payload, name)
        options = {"viewport": {"width": 1280, "height": 900}} | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        report = Report(page)

        def route(route: Any) -> None:
            if route.request.url.split("#")[0] == path.as_uri():
                route.continue_()
            else:
                report.requests.append(route.request.url)
                route.abort()

        context.route("**/*", route)
        page.on(
            "console", lambda message: report.messages.append(f"{message.type}: {message.text}")
        )
        page.on("pageerror", lambda error: report.messages.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (report.messages.append("dialog"), dialog.dismiss()))
        page.goto(path.as_uri())
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", timeout=60_000)
        reports.append(report)
        return report

    yield open_page
    for report in reports:
        assert report.messages == []
        assert [url for url in report.requests if not url.startswith(("data:", "blob:"))] == []
    for context in contexts:
        context.close()


@pytest.fixture
def report(opened: Any) -> Report:
    return opened(sample_payload(10, 12))


@pytest.fixture
def hostile(opened: Any) -> Report:
    payload = sample_payload(len(HOSTILE), 20, names=HOSTILE)
    payload["title"] = HOSTILE[0]
    payload["reading"] = payload["summary"]["cautions"] = list(HOSTILE)
    payload["groups"]["names"] = [HOSTILE[1], HOSTILE[3]]
    for row in payload["pairs"]:
        row[payload["pair_columns"].index("family")] = HOSTILE[1]
    return opened(payload, name="hostile")
