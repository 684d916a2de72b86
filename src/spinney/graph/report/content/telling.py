"""The evidence that tells most of a pair, in units that can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from spinney.evidence import CHANNELS
from spinney.graph.report.content.encoding import number, share

__all__ = ["MOST", "telling_evidence"]

MOST = 12
KNEE = 3.0
_PLACES = {channel.name: k for k, channel in enumerate(CHANNELS)}


def _untamed(x: float) -> float:
    """Undo s(x) = 3 arsinh(x / 3): back to standard errors."""
    return float(KNEE * np.sinh(x / KNEE))


def _gain(x: float) -> float:
    """Undo s(root(2 G)): back to a difference of log-likelihoods."""
    errors = _untamed(x)
    return 0.5 * errors * abs(errors)


def _as_it_is(x: float) -> float:
    return x


def _probability(x: float) -> float:
    """Undo the logit."""
    return float(expit(x))


@dataclass(frozen=True)
class _Line:
    """A channel as it is told: its name and meaning in words, and how it is read.

    It is told always, or only where its value is not `silent`.
    """

    channel: str
    name: str
    meaning: str
    read: Callable[[float], float] = _as_it_is
    silent: float | None = None


LINES = (
    _Line("tau", "Kendall's tau", "how far the two rise together, whatever the others; −1 to 1"),
    _Line(
        "partial",
        "partial correlation",
        "what is left of the correlation given all other columns; −1 to 1",
    ),
    _Line(
        "partial_z",
        "partial correlation, in standard errors",
        "beyond 3 either way it is hardly chance",
        _untamed,
    ),
    _Line(
        "partial_any_z",
        "any dependence given the others, in standard errors",
        "also bent, or in the spread only; below 0 there is less than chance gives",
        _untamed,
    ),
    _Line(
        "ladder_all",
        "forests over all rows",
        "probability of the edge where one forest must serve all rows",
        _probability,
    ),
    _Line(
        "ladder_64",
        "forests over 64 rows",
        "the same where 64 rows share a forest (or all, if there are fewer)",
        _probability,
    ),
    _Line(
        "ladder_8",
        "forests over 8 rows",
        "the same where 8 rows share a forest: only strong pairs reach far up",
        _probability,
    ),
    _Line(
        "held_out",
        "gain on rows kept apart",
        "log-likelihood that the fitted copula gains over independence on rows it has not seen; "
        "below 0 it predicts worse",
        _gain,
    ),
    _Line(
        "information",
        "information, as a correlation",
        "the normal correlation that would hold as much information; 0 to 1",
        lambda x: float(np.tanh(x)),
    ),
    _Line(
        "explained",
        "explained by others",
        "1: a path over a column with levels or gaps explains the dependence",
        silent=0.0,
    ),
    _Line(
        "tail",
        "tail dependence",
        "chance that one is extreme where the other is, in the far corner; 0 to 1",
        silent=0.0,
    ),
    _Line("gaps", "rows without both values", "share of all rows", silent=0.0),
    _Line(
        "latent",
        "correlation behind the levels",
        "of the variables that the levels stand for; −1 to 1",
        silent=None,
    ),
    _Line(
        "bends",
        "asymmetry, in standard errors",
        "how far one column follows the square of the other, as when only high values go together",
        _untamed,
    ),
    _Line("tied", "ties", "share of pairs of rows that are equal in a column", silent=0.0),
)
"""What is told, in this order, until there are `MOST`."""
NEEDS_LEVELS = frozenset({"latent"})


def _short(line: _Line, value: float) -> float | None:
    # Four digits will do, but a probability must not become certainty by them.
    found = line.read(value)
    return share(found) if line.read is _probability else number(found, 4)


def telling_evidence(values: NDArray[np.float32]) -> list[dict[str, Any]]:
    """Choose what tells most of a pair: about a dozen of its channels, in words.

    Parameters
    ----------
    values : array of shape (n_channels,)
        The pair's evidence, as ``Evidence.values`` has it.

    Returns
    -------
    list of dict
        ``name``, ``value`` and ``meaning``, and the ``channel`` that it comes from.

    Examples
    --------
    >>> lines = telling_evidence(np.zeros(len(CHANNELS), dtype=np.float32))
    >>> lines[0]["name"], lines[4]["value"]
    ("Kendall's tau", 0.5)
    """
    found: list[dict[str, Any]] = []
    has_levels = values[_PLACES["levels_most"]] > 0
    for line in LINES:
        value = float(values[_PLACES[line.channel]])
        if line.silent is not None and value == line.silent:
            continue
        if line.channel in NEEDS_LEVELS and not has_levels:
            continue
        found.append(
            {
                "name": line.name,
                "value": _short(line, value),
                "meaning": line.meaning,
                "channel": line.channel,
            }
        )
    return found[:MOST]
