"""A picture of the report for the README and docs/learn.md.

``python docs/figures/report.py report.html``; it needs the extra 'browser', and chromium.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox"]
    )
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.goto(Path(sys.argv[1]).resolve().as_uri())
    page.wait_for_selector("#edge-table tbody tr")
    page.wait_for_timeout(3000)
    page.screenshot(path=str(Path(__file__).parents[1] / "images" / "report.png"))
    browser.close()
