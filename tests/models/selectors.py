"""Small estimators for tests, in a module of their own so that other processes can import them."""

import os
import signal
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning


class Correlated(BaseEstimator):
    """Pairs beyond an absolute correlation; `random_state` adds noise to it."""

    def __init__(self, limit=0.3, noise=0.0, random_state=None, n_jobs=None, progress=False):
        self.limit = limit
        self.noise = noise
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X, y=None):
        values = np.asarray(X, dtype=float)
        d = values.shape[1]
        jitter = np.random.default_rng(self.random_state).normal(size=(d, d))
        strength = np.abs(np.corrcoef(values.T)) + self.noise * np.triu(jitter, 1)
        upper = np.triu(strength > self.limit, 1)
        self.adjacency_ = upper | upper.T
        return self


class Guess(BaseEstimator):
    """A set number of pairs, picked blindly."""

    def __init__(self, n_edges=3, random_state=None):
        self.n_edges = n_edges
        self.random_state = random_state

    def fit(self, X, y=None):
        d = np.shape(X)[1]
        first, second = np.triu_indices(d, 1)
        rng = np.random.default_rng(self.random_state)
        chosen = rng.choice(len(first), self.n_edges, replace=False)
        self.adjacency_ = np.zeros((d, d), dtype=bool)
        self.adjacency_[first[chosen], second[chosen]] = True
        self.adjacency_ |= self.adjacency_.T
        return self


class Counting(Correlated):
    """Leave a mark in a folder for each fit; after `stop_after` marks do `how` instead of fitting.

    The folder is global, not a parameter: a run that goes on must have the same parameters.
    """

    folder = None  # other processes leave no marks
    stop_after = None
    how = "interrupt"

    def fit(self, X, y=None):
        if self.folder is None:
            return super().fit(X)
        marks = len(list(self.folder.iterdir()))
        if marks == self.stop_after:
            if self.how == "interrupt":
                raise KeyboardInterrupt
            if self.how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("out of luck")
        (self.folder / f"{time.time_ns()}-{os.getpid()}-{marks}").touch()
        return super().fit(X)


class Grumbling(Correlated):
    """Warn at every fit."""

    def fit(self, X, y=None):
        warnings.warn("did not converge", ConvergenceWarning, stacklevel=1)
        return super().fit(X)
