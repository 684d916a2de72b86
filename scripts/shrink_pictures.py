"""Store pictures with at most 256 colours, which makes those of the documentation a third as large.

``python -m scripts.shrink_pictures`` rewrites every PNG of the repository that has more colours.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from PIL import Image

from spinney._core.files import whole_file

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Rewrite the pictures, and print how large they were and are."""
    listed = subprocess.run(
        ["git", "ls-files", "*.png"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for path in map(ROOT.joinpath, listed.stdout.split()):
        with Image.open(path) as picture:
            if picture.mode == "P":
                continue
            small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        before = path.stat().st_size
        with whole_file(path) as temporary:
            small.save(temporary, format="PNG", optimize=True)
        print(f"{path.relative_to(ROOT)}: {before:,} -> {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
