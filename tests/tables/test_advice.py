"""What is said of short tables, and of those that lie on their side."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from spinney.datasets import load_pbmc, load_sachs
from spinney.tables import few_rows, looks_transposed, read_table, smallest_tau


class TestFewRows:
    @pytest.mark.parametrize("n", [5, 8, 13, 33, 50, 51])
    @pytest.mark.parametrize("tests", [1, 4950])
    def test_smallest_tau_against_scipy(self, n, tests):
        """Swap neighbours one after the other: the first order that is no longer significant."""
        method = "exact" if n <= 50 else "asymptotic"
        order = list(range(n))
        significant = None
        for last in range(n - 1, 0, -1):  # bubble sort to the reverse passes every tau once
            for k in range(last):
                tau, p = kendalltau(np.arange(n), order, method=method)
                if tau <= 0 or p > 0.05 / tests:
                    break
                significant = tau
                order[k], order[k + 1] = order[k + 1], order[k]
            else:
                continue
            break
        found = smallest_tau(n, tests)
        if significant is None:
            assert found is None
        elif n <= 50:
            assert found == pytest.approx(significant, abs=1e-12)
        else:
            assert significant - 4 / (n * (n - 1)) < found <= significant + 1e-12

    def test_exact_and_approximate_meet(self, monkeypatch):
        exact = smallest_tau(50, 10)
        monkeypatch.setattr("spinney.tables.advice.EXACT_UP_TO", 49)
        assert smallest_tau(50, 10) == pytest.approx(exact, abs=0.01)

    def test_what_may_be_expected(self, rng):
        short = read_table(rng.normal(size=(29, 5)))
        assert str(few_rows(short)).startswith(
            "29 rows are few for 10 pairs of columns: only a Kendall's tau of at least "
            f"{smallest_tau(29, 10):.2f} can be distinguished from chance"
        )
        assert few_rows(read_table(rng.normal(size=(30, 5)))) is None
        assert few_rows(read_table(rng.normal(size=(30, 300)))) is None
        assert "44,850 pairs" in str(few_rows(read_table(rng.normal(size=(29, 300)))))
        assert few_rows(read_table(rng.normal(size=(30, 301)))) is not None
        assert "not even two columns" in str(few_rows(read_table(rng.normal(size=(5, 9)))))
        assert "1 pair of" in str(few_rows(read_table(rng.normal(size=(10, 2)))))

    def test_gaps_count(self, rng):
        values = rng.normal(size=(40, 3))
        values[:15, 0] = values[10:25, 1] = np.nan
        assert str(few_rows(read_table(values))).startswith("25 rows in common (the median")


def people(rng, n=80):
    """Variables in the columns, each with a unit of its own."""
    return pd.DataFrame(
        rng.normal([170, 70, 40, 120, 5, 22, 95], [9, 12, 15, 10, 1, 4, 12], size=(n, 7)),
        columns=["height", "weight", "age", "pressure", "sleep", "bmi", "waist"],
    )


def expression(rng, n_genes=300, n_samples=12):
    """Genes in the rows: each at a height of its own, in all samples alike."""
    values = rng.normal(8, 2, size=(n_genes, 1)) + rng.normal(0, 0.5, size=(n_genes, n_samples))
    letters = rng.choice(list("ABCDEFGHKLMNPRST"), size=(n_genes, 4))
    genes = ["".join(word) + str(k % 7) for k, word in enumerate(letters)]
    return pd.DataFrame(values, index=pd.Index(genes), columns=[
        f"sample{k}" for k in range(n_samples)
    ])  # fmt: skip


class TestTransposed:
    def test_variables_in_rows_are_asked_about(self, rng):
        for table in (people(rng).T, people(rng).T.to_numpy(), people(rng, 30).T):
            assert str(looks_transposed(table)).startswith("Are the variables in the rows? ")
        assert "transpose it with X.T" in str(looks_transposed(people(rng).T))
        assert looks_transposed(read_table(people(rng).T)) is not None
        table = expression(rng)
        assert "300 rows and 12 columns" in str(looks_transposed(table))
        named = table.reset_index(names="gene")
        assert looks_transposed(named) is not None
        assert looks_transposed(named.assign(note="")) is None  # text besides names: no such table

    def test_ordinary_tables_are_not(self, rng):
        words = pd.Index(["".join(w) for w in rng.choice(list("abcdefgh"), size=(60, 9))])
        factor = rng.normal(size=(60, 1))
        ordinary = {
            "people": people(rng),
            "people with names": people(rng, 60).set_index(words),
            "independent": pd.DataFrame(rng.normal(size=(100, 10))),
            "wide": pd.DataFrame(rng.normal(size=(20, 400))),
            "wide and named": pd.DataFrame(rng.normal(size=(60, 400)), index=words),
            "one factor": pd.DataFrame(3 * factor + rng.normal(size=(60, 20))),
            "one factor, wide": pd.DataFrame(3 * factor + rng.normal(size=(60, 500))),
            "one factor, named": pd.DataFrame(
                3 * factor + rng.normal(size=(60, 4)), index=words, columns=list("abcd")
            ),
            "spectra": pd.DataFrame(
                np.sin(np.linspace(0, 9, 700)) * 5 + factor + 0.1 * rng.normal(size=(60, 700))
            ),
            "expression, right way": expression(rng).T,
            "two columns": pd.DataFrame(rng.normal(size=(60, 2))),
            "mixed": people(rng).assign(sex=rng.choice(["f", "m"], 80)),
        }
        asked = [name for name, table in ordinary.items() if looks_transposed(table) is not None]
        assert asked == []

    @pytest.mark.parametrize("load", [load_sachs, load_pbmc])
    def test_real_tables_are_not(self, load):
        frame = load().X
        assert looks_transposed(frame) is None
        assert looks_transposed(read_table(frame)) is None

    @pytest.mark.parametrize("seed", range(30))
    def test_random_gaussian_tables_are_not(self, seed):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(4, 60), rng.integers(4, 200)
        mixing = rng.normal(size=(d, d)) * (rng.random((d, d)) < 0.1) + np.eye(d)
        assert looks_transposed(rng.normal(size=(n, d)) @ mixing) is None
