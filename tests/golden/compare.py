"""``python -m tests.golden.compare [NAME ...]``: which numbers are no longer those in the file.

A line for each table that differs: the quantity that differs most, and how many others do.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from tests.golden.measure import Arrays, measure
from tests.golden.store import Golden, describe_processor, read

EXACT = 1e-10
ELSEWHERE = 1e-5
"""On another kind of processor, or with other libraries, where sums are rounded otherwise: the
judge computes in single precision."""
NEARLY_SINGULAR = {"collinear": 1e-2}
"""Tables with columns that are copies by rank, or nearly: the condition number of their
correlations multiplies how differently sums are rounded."""
STOPPED = ("EnsembleOfTrees", "ExactForests", "ForestsCuts", "ForestsLambda")
"""Their solvers stop at a tolerance, elsewhere perhaps a step earlier or later, and their
likelihoods are flat there: weights differ in their first digits. Elsewhere what they minimise is
compared, and their graphs; of `ExactForests`, whose weights grow without bound in directions that
change nothing, only the former."""


def is_elsewhere(golden: Golden) -> bool:
    """Tell whether the numbers were stored on another kind of processor."""
    here = describe_processor()
    return any(golden.processor[key] != here[key] for key in here)


def beyond(name: str, old: Arrays, new: Arrays, elsewhere: bool) -> list[tuple[str, str, float]]:
    """List what differs in a table by more than the tolerance."""
    if not elsewhere:
        return list(differences(old, new, EXACT))
    old, new = ({key: a for key, a in found.items() if _held(key)} for found in (old, new))
    return list(differences(old, new, NEARLY_SINGULAR.get(name, ELSEWHERE)))


def _held(key: str) -> bool:
    """Tell whether a quantity is the same on every processor; equal edges have any order."""
    if key.startswith(STOPPED):
        determined = ("node_names_", "result_/value", "adjacency_")
        return key.endswith(determined[:2] if key.startswith("ExactForests") else determined)
    return "/edges_/" not in key


def differences(old: Arrays, new: Arrays, tol: float = 0.0) -> Iterator[tuple[str, str, float]]:
    """List what differs: the quantity, in words how, and by how much at most.

    Floats may be apart by `tol`, absolutely and relatively; with 0 they must be the same bits.
    """
    for key in sorted(old.keys() | new.keys()):
        if key not in new or key not in old:
            yield key, "is no longer measured" if key in old else "is new", np.inf
            continue
        a, b = old[key], new[key]
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            yield key, f"{a.dtype} of shape {a.shape} is now {b.dtype} {b.shape}", np.inf
        elif a.dtype.kind != "f":
            n = np.count_nonzero(a != b)
            if n:
                yield key, f"{n} of {a.size} differ", np.inf
        elif a.dtype != b.dtype or a.tobytes() != b.tobytes():
            if tol and np.allclose(b, a, rtol=tol, atol=tol, equal_nan=True):
                continue
            yield key, *_distance(a.astype(float), b.astype(float))


def _distance(a: np.ndarray, b: np.ndarray) -> tuple[str, float]:
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return "differs in type or in the sign of zeros", 0.0
    apart = np.abs(np.where(same, 0.0, a) - np.where(same, 0.0, b))
    largest = float(np.nan_to_num(apart, nan=np.inf).max())
    return f"max abs difference {largest:.2g}", largest


def main() -> None:
    golden = read()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; all by default")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    unknown = set(options.names) - set(golden.tables)
    if unknown:
        parser.error(f"no table {', '.join(unknown)}; choose from {', '.join(golden.tables)}")
    elsewhere = is_elsewhere(golden)
    if elsewhere:
        print(f"stored on another kind of machine: {golden.processor}")
    names = options.names or list(golden.tables)
    n_different = n_arrays = n_beyond = 0
    for name in names:
        old, new = golden.numbers[name], measure(name, golden.tables[name], options.n_jobs)
        n_arrays += len(old)
        found = sorted(differences(old, new), key=lambda one: -one[2])
        if found:
            key, how, _ = found[0]
            more = f" (and {len(found) - 1} more of {len(old)})" if found[1:] else ""
            n_different += 1
            far = bool(beyond(name, old, new, elsewhere))
            n_beyond += far
            print(f"{name}: {key}: {how}{more}{'' if far else '; within tolerance'}", flush=True)
    print(
        f"{len(names) - n_different} of {len(names)} tables identical to the bit "
        f"({n_arrays} arrays); {n_beyond} beyond the tolerance"
    )
    raise SystemExit(n_beyond > 0)


if __name__ == "__main__":
    main()
