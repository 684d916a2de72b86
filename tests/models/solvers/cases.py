"""Objectives with known solutions."""

import numpy as np


class Quadratic:
    """½ ‖A β - b‖²."""

    def __init__(self, A, b):
        self.A, self.b = np.asarray(A), np.asarray(b)

    def evaluate(self, beta):
        gap = self.A @ beta - self.b
        return 0.5 * float(gap @ gap), self.A.T @ gap


class Rosenbrock:
    def evaluate(self, x):
        a, b = x
        value = (1 - a) ** 2 + 100 * (b - a**2) ** 2
        return float(value), np.array([-2 * (1 - a) - 400 * a * (b - a**2), 200 * (b - a**2)])


class LogBarrier:
    """c·β - Σ log β: infinite on the border, smallest at 1 / c."""

    def __init__(self, cost):
        self.cost = np.asarray(cost, dtype=float)
        self.n_infinite = 0

    def evaluate(self, beta):
        if (beta <= 0).any():
            self.n_infinite += 1
            return np.inf, np.zeros_like(beta)
        return float(self.cost @ beta - np.log(beta).sum()), self.cost - 1 / beta


def onto_box(low, high):
    return lambda x: np.clip(x, low, high)
