"""Small worlds whose distributions can be listed: tables of w, and copulas put in by hand."""

import numpy as np

from spinney._core.pairs import n_pairs, pair_index, pair_nodes
from spinney.pairs.copulas import FAMILIES, PairCopulas
from spinney.pairs.pseudo import PseudoTable

FITTED = [name for name, cls in FAMILIES.items() if cls.batch is not None]


def columns_of(masses, nominal=None):
    """A PseudoTable without rows; an empty list of masses stands for a continuous column."""
    d = len(masses)
    return PseudoTable(
        np.empty((0, d)),
        np.empty((0, d), dtype=np.int64),
        tuple(np.array(mass, dtype=float) for mass in masses),
        np.zeros(d, dtype=bool) if nominal is None else np.array(nominal),
        tuple(f"x{k}" for k in range(d)),
    )


def rows_of(columns, values):
    """Put rows to the columns: numbers in (0, 1), codes, or NaN."""
    values = np.asarray(values, dtype=float)
    levels = columns.n_levels > 0
    u = np.where(levels, np.nan, values)
    codes = np.where(levels & ~np.isnan(values), np.nan_to_num(values), -1).astype(np.int64)
    return PseudoTable(u, codes, columns.masses, columns.nominal, columns.names)


LEAST_P = 1e-3
"""Tests of draws fail one time in a thousand, were the seed not fixed."""
TWO, THREE = [0.35, 0.65], [0.2, 0.5, 0.3]


class WTables:
    """Potentials of columns with levels only: one table of w for each pair."""

    def __init__(self, columns, rng, strength=1.5):
        self.w = []
        for first, second in zip(*pair_nodes(columns.n_columns), strict=True):
            p, q = columns.masses[first], columns.masses[second]
            joint = np.exp(strength * rng.normal(size=(len(p), len(q))))
            for _ in range(500):  # Sinkhorn: the margins as given
                joint *= (p / joint.sum(axis=1))[:, None]
                joint *= q / joint.sum(axis=0)
            self.w.append(joint / np.outer(p, q))

    def log_density(self, table, pairs=None):
        first, second = pair_nodes(table.n_columns)
        pairs = np.arange(n_pairs(table.n_columns)) if pairs is None else pairs
        result = np.zeros((len(table), len(pairs)))
        for k, pair in enumerate(pairs):
            a, b = table.codes[:, first[pair]], table.codes[:, second[pair]]
            result[:, k] = np.where((a >= 0) & (b >= 0), np.log(self.w[pair][a, b]), 0.0)
        return result


class Copulas:
    """Potentials of continuous columns, or for drawing down only, by copulas put in by hand."""

    def __init__(self, d, copulas):
        potentials = PairCopulas(families=FITTED).fit(np.random.default_rng(0).uniform(size=(8, d)))
        family = np.full(n_pairs(d), "independence", dtype=potentials.family_.dtype)
        potentials.rotation_ = np.zeros(n_pairs(d), dtype=np.int64)
        potentials.parameters_ = np.full((n_pairs(d), 2), np.nan)
        for (u, v), copula in copulas.items():
            pair = pair_index(u, v, d)
            family[pair] = copula.family
            potentials.rotation_[pair] = copula.rotation
            potentials.parameters_[pair, : len(copula.parameters)] = copula.parameters
        potentials.family_ = family
        self.copulas_ = potentials

    def log_density(self, table, pairs=None):
        filled = np.where(np.isnan(table.u), 0.5, table.u)
        first, second = pair_nodes(table.n_columns)
        pairs = np.arange(first.size) if pairs is None else pairs
        both = table.present[:, first[pairs]] & table.present[:, second[pairs]]
        return np.where(both, self.copulas_.log_density(filled, pairs=pairs), 0.0)


class ByDensity:
    """The same densities, but none of the copulas' own draws."""

    def __init__(self, potentials):
        self.log_density = potentials.log_density
