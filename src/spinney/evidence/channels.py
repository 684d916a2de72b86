"""The channels: what is said of every pair of columns, each number with its name and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["CHANNELS", "N_EVEN", "N_ODD", "RUNGS", "Channel", "Group", "Parity"]

Parity = Literal["even", "odd"]
Group = Literal["ladder", "copulas", "correlations", "squares", "table"]

RUNGS = (4, 8, 16, 32, 64, 128, 256)
"""Numbers of rows at which the ladder is asked, besides 0.8 n and n."""


@dataclass(frozen=True)
class Channel:
    """One number that is known of every pair.

    Attributes
    ----------
    name : str
        Its name.
    parity : {"even", "odd"}
        Whether it stays as it is when one column of the pair is negated, or changes its sign.
    group : {"ladder", "copulas", "correlations", "squares", "table"}
        Where it comes from.
    meaning : str
        What it says, in one line; s(x) = 3 arsinh(x / 3) is x where x is small and grows like a
        logarithm, root(x) = sign(x) √|x|.
    """

    name: str
    parity: Parity
    group: Group
    meaning: str


def _even(group: Group, **meanings: str) -> tuple[Channel, ...]:
    return tuple(Channel(name, "even", group, meaning) for name, meaning in meanings.items())


def _odd(group: Group, **meanings: str) -> tuple[Channel, ...]:
    return tuple(Channel(name, "odd", group, meaning) for name, meaning in meanings.items())


_LADDER = _even(
    "ladder",
    **{
        f"ladder_{m}": f"logit of the ladder's probability of the edge where {m} rows share a "
        "forest (or as many as come nearest below n)"
        for m in RUNGS
    },
    ladder_most="the same where 0.8 n rows share a forest",
    ladder_all="the same where all n rows share a forest",
)

_COPULAS = _even(
    "copulas",
    gaussian="s(root(2 G)), G the log-likelihood of a Gaussian copula",
    student="s(root(2 (G' - G))), G' the log-likelihood of Student's copula, G the Gaussian's",
    clayton="the same with Clayton's copula in its best rotation",
    gumbel="the same with Gumbel's copula in its best rotation",
    frank="the same with Frank's copula",
    chosen="s(root(2 G)) of the chosen density; 0 where that is independence",
    information="artanh √(1 - exp(-2 G / n)) of the chosen density: Fisher's z of the normal "
    "correlation that holds as much information",
    held_out="s(root(2 H)), H the log-density of rows under fits that did not see them, summed",
    n_parameters="log(1 + k), k the parameters of the chosen density",
    tail="tail dependence of the chosen copula in the corner where it is largest",
    explained="1 where a path over a column with levels or gaps explains the pair",
)

_PARTIAL = _even(
    "correlations",
    partial_any="artanh of the size of the pair's block in the inverse correlation matrix of "
    "scores, their squares and classes",
    partial_any_z="s(root(n x² - k)), x that size and k the numbers in the block",
)

_SQUARES = _even(
    "squares",
    squares="s(√n (c - r²)), c the correlation of the squared scores and r that of the scores",
    bends="s(√n x), x² the squared correlations of each score with the other's square, summed",
    partial_squares="s(√n artanh p), p the partial correlation of the squared scores",
    partial_bends="s(√n x), x² the squared partial correlations of each score with the other's "
    "square, summed",
)

_TABLE = _even(
    "table",
    rows="log(1 + m), m the rows with both values",
    all_rows="log n",
    columns="log d",
    gaps="1 - m / n, the share of rows without both values",
    shown_least="share of the normal variable behind a column that its levels show: the lesser",
    shown_most="the greater of the two columns' shares",
    levels_least="log of the number of levels (0 if continuous): the lesser",
    levels_most="the greater of the two columns' logs",
    nominal="how many of the two columns are nominal",
    tied="share of pairs of rows that tie in a column: the greater",
)

_CORRELATIONS = _odd(
    "correlations",
    tau="Kendall's tau-b of the sample",
    score="r, the correlation of normal scores",
    score_z="s(√n artanh r)",
    latent="correlation behind the columns: sin(π tau / 2), of the fitted copula with levels",
    latent_z="s(√n artanh) of it",
    partial_free="partial correlation of scores, drawn to 0 by a ridge worth 0.1 d rows",
    partial_free_z="s(√n artanh) of it",
    partial="partial correlation of scores, ridge worth d rows",
    partial_z="s(√n artanh) of it",
    partial_firm="partial correlation of scores, ridge worth 4 d rows",
    partial_firm_z="s(√n artanh) of it",
    partial_latent="partial correlation behind the columns, ridge worth d rows",
    partial_latent_z="s(√n artanh) of it",
)

CHANNELS: tuple[Channel, ...] = (
    *_LADDER,
    *_COPULAS,
    *_PARTIAL,
    *_SQUARES,
    *_TABLE,
    *_CORRELATIONS,
)
"""All channels, even ones first."""

N_EVEN = sum(channel.parity == "even" for channel in CHANNELS)
N_ODD = len(CHANNELS) - N_EVEN
