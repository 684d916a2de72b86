"""Scores: a table's columns as numbers whose correlations mean something, whatever their kinds."""

from spinney.scores.columns import ColumnScores, class_scores, polynomials, score_column
from spinney.scores.dependent_rows import row_shares, sorted_columns
from spinney.scores.scores import Scores, read_scores

__all__ = [
    "ColumnScores",
    "Scores",
    "class_scores",
    "polynomials",
    "read_scores",
    "row_shares",
    "score_column",
    "sorted_columns",
]
