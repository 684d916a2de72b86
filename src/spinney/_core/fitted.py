"""Whether a model is fitted, asked without importing scikit-learn."""

from __future__ import annotations

from typing import Any


def check_fitted(model: Any) -> None:
    """Refuse a model without a graph, by the error of scikit-learn.

    Examples
    --------
    >>> from spinney import GraphLearner
    >>> check_fitted(GraphLearner())
    Traceback (most recent call last):
    sklearn.exceptions.NotFittedError: This GraphLearner is not fitted yet. Call fit first.
    """
    if not model.__sklearn_is_fitted__():
        from sklearn.exceptions import NotFittedError  # takes a second, which fitted models spare

        raise NotFittedError(f"This {type(model).__name__} is not fitted yet. Call fit first.")
