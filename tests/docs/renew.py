"""Write what commands print into the pages again: ``python -m tests.docs.renew [PAGE ...]``."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from spinney import datasets
from tests.docs.pages import NOT_RUN, PAGES
from tests.docs.test_examples import CODE_ELSEWHERE, TIMES, plain, run


def renew(text: str) -> str:
    """Run the commands of a page in order, and put what they print below each."""

    def answer(found: re.Match[str]) -> str:
        if found[1].startswith(NOT_RUN):
            return found[0]
        commands = re.findall(r"^\$ (.*)$", found[1], re.M)
        # Times are those of the machine that wrote the page first; others may be busy.
        before = {TIMES.sub("…", line): line for line in found[1].splitlines()}
        told = [f"$ {command}\n{plain(run(command))}".rstrip() for command in commands]
        lines = [before.get(TIMES.sub("…", line), line) for line in "\n".join(told).splitlines()]
        return "\n".join(["```console", *lines, "```"])

    return re.sub(r"^```console\n(.*?)^```$", answer, text, flags=re.S | re.M)


if __name__ == "__main__":
    chosen = [p for p in PAGES if not sys.argv[1:] or p.name in sys.argv[1:]]
    for page in chosen:
        if page.name in CODE_ELSEWHERE or "```console" not in page.read_text("utf-8"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            datasets.load_sachs().X.to_csv("sachs.csv", index=False)
            shutil.copy(datasets.path("penguins.csv"), "penguins.csv")
            page.write_text(renew(page.read_text("utf-8")), "utf-8")
            os.chdir(Path(__file__).parent)
