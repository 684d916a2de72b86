"""Facts of the table and of a pair's columns, which say how much the other channels are worth."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats
from spinney.evidence.measured import Measured, even

CHANNELS = even(
    "table",
    rows="log(1 + m), m the rows with both values",
    all_rows="log n",
    columns="log d",
    shown_least="share of the normal variable behind a column that its values show: the lesser",
    shown_most="the greater of the two columns' shares",
    nominal="how many of the two columns are nominal",
    tied="share of pairs of rows that tie in a column: the greater",
    tied_least="the lesser of the two columns' shares of tied rows",
    dependent_rows="-log(m' / m), m' the effective sample size; 0 if rows are independent",
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "table", as matrices of columns by columns."""
    scores, d = measured.scores, measured.d
    whole = np.ones((d, d))
    return {
        "rows": np.log1p(measured.common),
        "all_rows": np.log(max(len(scores.present), 1)) * whole,
        "columns": np.log(d) * whole,
        "shown_least": np.minimum.outer(scores.shown, scores.shown),
        "shown_most": np.maximum.outer(scores.shown, scores.shown),
        "nominal": np.add.outer(scores.nominal.astype(float), scores.nominal),
        "tied": np.maximum.outer(scores.tied, scores.tied),
        "tied_least": np.minimum.outer(scores.tied, scores.tied),
        "dependent_rows": -np.log(scores.row_shares),
    }
