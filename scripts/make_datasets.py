"""Make the bundled data files from the CSV files of their source.

    python scripts/make_datasets.py SOURCE

`SOURCE` holds ``sachs/sachs_9cond_7466.csv.gz`` and ``pbmc/pbmc_zero_dose_4stim_asinh5.csv.gz``
(see the docstrings of ``spinney.datasets`` for where those come from). Cells are copied as text,
so no value is rounded; only columns that say the same in every row, or the same as another
column, are left out. The output is the same to the byte on every run.
"""

from __future__ import annotations

import argparse
import lzma
from pathlib import Path

import pandas as pd

DATA = Path(__file__).parents[1] / "src" / "spinney" / "datasets" / "data"


def write(table: pd.DataFrame, name: str) -> None:
    """Write `table`, whose cells are text, as a compressed CSV file."""
    text = table.to_csv(index=False, lineterminator="\n").encode("ascii")
    path = DATA / name
    path.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
    print(f"{path.name}: {table.shape[0]} rows, {table.shape[1]} columns, {path.stat().st_size} B")


def main() -> None:
    """Read both sources and write both files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="folder with sachs/ and pbmc/")
    source = parser.parse_args().source
    DATA.mkdir(parents=True, exist_ok=True)

    sachs = pd.read_csv(source / "sachs" / "sachs_9cond_7466.csv.gz", dtype=str)
    observational = pd.read_csv(source / "sachs" / "sachs_obs_853.csv", dtype=str)
    # The smaller table is the first condition of the larger one, so it needs no file of its own.
    first = sachs.loc[sachs["file_no"] == "1", list(observational.columns)]
    if first.to_numpy().tolist() != observational.to_numpy().tolist():
        raise SystemExit("The 853 observational rows are not condition 1 of the larger table.")
    write(sachs.drop(columns="file_no"), "sachs.csv.xz")

    pbmc = pd.read_csv(source / "pbmc" / "pbmc_zero_dose_4stim_asinh5.csv.gz", dtype=str)
    write(pbmc.drop(columns=["inhibitor", "well"]), "pbmc.csv.xz")


if __name__ == "__main__":
    main()
