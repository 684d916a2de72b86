r"""From probabilities to edges: prior probabilities, which pairs are kept, how many are wrong.

**Prior.** A probability of the judge depends on the share :math:`s` of pairs that were edges in the
tables that it was calibrated on, of about as many columns. If the expected share is :math:`p`
instead,

.. math:: \operatorname{logit} P' = \operatorname{logit} P + \operatorname{logit} p -
          \operatorname{logit} s,

which is Bayes' rule with the evidence unchanged [1]_. It is exact if the tables differ from those
of training in the share of edges only.

References
----------
.. [1] M. Saerens, P. Latinne and C. Decaestecker (2002). Adjusting the outputs of a classifier to
   new a priori probabilities. Neural Computation 14, 21-41.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from spinney._core.arrays import Bools, Floats
from spinney._core.choices import column_position
from spinney._core.pairs import pair_index
from spinney.exceptions import InputError

COLUMNS = ["source", "target", "probability"]
"""Columns of a table of prior probabilities."""
ROUNDING = 1e-12
"""What sums of probabilities may be off in their last digits."""


def training_share(card: Mapping[str, Any], d: int) -> float:
    """Share of pairs that were edges in the tables of `d` columns that a judge was calibrated on.

    Between the sizes on the card it is interpolated, as a straight line in log-odds and log d.

    Examples
    --------
    >>> bins = {"2-8": [[0.1, 0.1, 80.0], [0.9, 0.9, 20.0]], "9-16": [[0.1, 0.1, 100.0]]}
    >>> card = {"reliability": {"tables": bins}}
    >>> round(training_share(card, 4), 3), round(training_share(card, 300), 3)
    (0.26, 0.1)
    """
    places, shares = [], []
    for words, bins in next(iter((card.get("reliability") or {}).values()), {}).items():
        low, _, high = str(words).partition("-")
        counts = np.array([count for *_, count in bins])
        places.append(0.5 * np.log(int(low) * int(high)))
        shares.append(float(np.array([share for _, share, _ in bins]) @ counts / counts.sum()))
    if not places:
        raise InputError(
            "prior= needs a judge whose card says how many pairs were edges in its training, and "
            "this one's does not. Leave prior out."
        )
    order = np.argsort(places)
    at = np.interp(np.log(d), np.array(places)[order], logit(np.array(shares)[order]))
    return float(expit(at))


def read_prior(prior: Any) -> float | list[list[Any]]:
    """Read a share of all pairs, or pairs with their probabilities, as plain values.

    Examples
    --------
    >>> read_prior(0.2), read_prior([("a", "b", 0.9)])
    (0.2, [['a', 'b', 0.9]])
    """
    if isinstance(prior, int | float | np.number) and not isinstance(prior, bool):
        _check(prior, "prior")
        return float(prior)
    if isinstance(prior, pd.DataFrame):
        if not {*COLUMNS} <= {*prior.columns}:
            raise InputError("A table for prior= needs the columns source, target and probability.")
        prior = prior[COLUMNS].to_numpy().tolist()
    try:
        rows = [[u, v, float(p)] for u, v, p in prior]
    except (TypeError, ValueError) as error:
        raise InputError(
            "prior takes a number between 0 and 1, or pairs with their probabilities, such as "
            f"[('a', 'b', 0.9)]; not {prior!r}."
        ) from error
    for u, v, p in rows:
        _check(p, f"prior of '{u}' and '{v}'")
    return rows


def _check(value: Any, what: str) -> None:
    if not 0.0 < float(value) < 1.0:
        raise InputError(
            f"{what} must lie between 0 and 1, not {value!r}. Use required and "
            "forbidden for pairs that are certain."
        )


def with_prior(
    probabilities: Floats, prior: Any, names: Sequence[str], card: Mapping[str, Any]
) -> Floats:
    """Shift probabilities from the share of training to what is expected; see the module."""
    told, base = read_prior(prior), logit(training_share(card, len(names)))
    shift = np.zeros(len(probabilities))
    if isinstance(told, float):
        shift[:] = logit(told) - base
    else:
        for u, v, p in told:
            i, j = (column_position(column, names, "prior") for column in (u, v))
            if i == j:
                raise InputError(f"prior pairs '{names[i]}' with itself. Name two columns.")
            shift[pair_index(min(i, j), max(i, j), len(names))] = logit(p) - base
    with np.errstate(divide="ignore"):  # a probability of 0 stays
        return expit(logit(probabilities) + shift)


def keep_by_fdr(probabilities: ArrayLike, target: float) -> Bools:
    r"""Keep the most probable pairs while the expected share of false ones stays within a target.

    .. math:: \{e : P_e \ge t\}, \quad t \text{ the smallest with }
              \frac{\sum_{P_e \ge t} (1 - P_e)}{|\{e : P_e \ge t\}|} \le \text{target}

    The mean is the posterior expectation of the false discovery proportion [1]_ (the "direct
    posterior probability approach"). Pairs of equal probability are either all kept or all left
    out.

    Parameters
    ----------
    probabilities : array
        Probability of each pair; NaN, where nothing is known, is not kept.
    target : float
        Largest expected share of false pairs among those kept.

    Returns
    -------
    bool array of the same shape

    References
    ----------
    .. [1] M. A. Newton, A. Noueiry, D. Sarkar and P. Ahlquist (2004). Detecting differential gene
       expression with a semiparametric hierarchical mixture method. Biostatistics 5, 155-176.

    Examples
    --------
    >>> keep_by_fdr([0.95, 0.2, 0.85, 0.6], 0.1)
    array([ True, False,  True, False])
    """
    P = np.asarray(probabilities, dtype=float)
    falling = np.sort(P[~np.isnan(P)])[::-1]
    share = np.cumsum(1.0 - falling) / np.arange(1, falling.size + 1)
    # Only where a run of equal probabilities ends can one stop.
    ends = np.diff(falling, append=-np.inf) < 0.0
    return falling[ends & (share <= target + ROUNDING)].min(initial=np.inf) <= P


def expected_false(probabilities: ArrayLike, kept: ArrayLike) -> float:
    r"""Compute the expected number of false edges, :math:`\sum_{\text{kept}} (1 - P_e)`.

    Parameters
    ----------
    probabilities : array
        Probability of each pair; NaN, where nothing is known, is not counted.
    kept : bool array of the same shape
        Which pairs are kept.

    Examples
    --------
    >>> round(expected_false([0.9, 0.8, 0.3], [True, True, False]), 2)
    0.3
    """
    P = np.asarray(probabilities, dtype=float)[np.asarray(kept, dtype=bool)]
    return float(np.nansum(1.0 - P))


def expected_missed(probabilities: ArrayLike, kept: ArrayLike) -> float:
    r"""Compute the expected number of missed edges, :math:`\sum_{\text{not kept}} P_e`.

    Parameters are those of :func:`expected_false`.

    Examples
    --------
    >>> round(expected_missed([0.9, 0.8, 0.3, 0.1], [True, True, False, False]), 2)
    0.4
    """
    P = np.asarray(probabilities, dtype=float)[~np.asarray(kept, dtype=bool)]
    return float(np.nansum(P))
