"""``python -m tests.golden.store [ESTIMATOR …]``: measure the tables again, and keep the numbers.

Run it only when a change of the numbers is meant. With names of estimators, such as
``ForestsLambda``, the numbers of all others stay as they are stored.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg  # noqa: F401  # loads the BLAS of scipy, which is asked for below
from llvmlite import binding
from threadpoolctl import threadpool_info

from tests.golden.measure import Arrays, measure
from tests.golden.tables import Table, make

PATH = Path(__file__).parents[1] / "data" / "golden.npz"
KINDS = {"f8": np.float64, "f4": np.float32, "i8": np.int64, "b1": np.bool_}


@dataclass(frozen=True)
class Golden:
    """Tables, what was measured of each, and where that was."""

    tables: dict[str, Table]
    numbers: dict[str, Arrays]
    processor: dict[str, Any]


def describe_processor() -> dict[str, Any]:
    """Tell what rounding depends on: the processor, linear algebra, and the libraries."""
    features = binding.get_host_cpu_features()
    wide = [name for name in ("avx512f", "avx2", "fma", "neon") if features.get(name)]
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    blas = sorted({f"{pool['internal_api']} {pool.get('architecture')}" for pool in pools})
    libraries = ("numpy", "scipy", "numba", "scikit-learn", "pandas")
    return {
        "machine": f"{platform.system()} {platform.machine()} {' '.join(wide)}".strip(),
        "processor": binding.get_host_cpu_name(),
        "blas": ", ".join(blas),
        "versions": {name: version(name) for name in libraries},
    }


def write(golden: Golden, path: Path = PATH) -> None:
    """Write everything to one archive: an index, and the arrays of each type end to end."""
    parts: dict[str, list[np.ndarray]] = {kind: [] for kind in KINDS}
    ends = dict.fromkeys(KINDS, 0)
    known: dict[Any, list[Any]] = {}  # many arrays come twice, such as rankings

    def keep(array: np.ndarray) -> Any:
        if array.dtype.kind == "U":
            return array.tolist()
        kind = next(key for key, dtype in KINDS.items() if array.dtype == dtype)
        key = (kind, array.shape, array.tobytes())
        if key not in known:
            known[key] = [kind, ends[kind], *array.shape]
            parts[kind].append(array.ravel())
            ends[kind] += array.size
        return {"at": known[key]}

    index = {
        "processor": golden.processor,
        "tables": {
            name: [list(table.kinds), keep(table.values)] for name, table in golden.tables.items()
        },
        "numbers": {
            name: {key: keep(array) for key, array in found.items()}
            for name, found in golden.numbers.items()
        },
    }
    arrays = {kind: np.concatenate(found) for kind, found in parts.items()}
    # Bytes of equal weight side by side are the easier to compress.
    planes = {
        kind: array.view(np.uint8).reshape(-1, array.itemsize).T for kind, array in arrays.items()
    }
    text = np.frombuffer(json.dumps(index).encode(), dtype=np.uint8)
    np.savez_compressed(path, index=text, **planes)


def read(path: Path = PATH) -> Golden:
    """Read what `write` wrote."""
    with np.load(path, allow_pickle=False) as archive:
        index = json.loads(archive["index"].tobytes())
        arrays = {
            kind: np.ascontiguousarray(archive[kind].T).ravel().view(dtype)
            for kind, dtype in KINDS.items()
        }

    def find(entry: Any) -> np.ndarray:
        if not isinstance(entry, dict):
            return np.array(entry, dtype=str)
        kind, start, *shape = entry["at"]
        return arrays[kind][start : start + int(np.prod(shape))].reshape(shape)

    return Golden(
        {name: Table(find(at), tuple(kinds)) for name, (kinds, at) in index["tables"].items()},
        {
            name: {key: find(entry) for key, entry in found.items()}
            for name, found in index["numbers"].items()
        },
        index["processor"],
    )


def main(only: Sequence[str] = ()) -> None:
    before = read() if only else Golden(make(), {}, describe_processor())
    numbers = {}
    for name, table in before.tables.items():
        stored = before.numbers.get(name, {})
        kept = {key: stored[key] for key in stored if key.split("/")[0].split()[0] not in only}
        numbers[name] = kept | measure(name, table, only=only)
        print(f"{name}: {len(numbers[name]) - len(kept)} arrays")
    made = {"date": datetime.now(UTC).date().isoformat()}
    write(Golden(before.tables, numbers, before.processor | made))
    print(f"{PATH}: {PATH.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
