"""The kinds of simulated tables that the command line offers, each in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from spinney.simulate import Simulated

__all__ = ["SIMULATORS", "Asked", "Simulator"]

USUAL_ROWS, USUAL_COLUMNS = 500, 25


class Asked(NamedTuple):
    """What was asked for: numbers of rows and columns, of neighbours and of parts, and a seed."""

    rows: int | None
    columns: int | None
    degree: float
    components: int
    seed: int

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns; where none were asked for, the usual ones."""
        return self.rows or USUAL_ROWS, self.columns or USUAL_COLUMNS


class Simulator(NamedTuple):
    """A kind of table: what it is in a few words, how it is drawn, and what can be asked of it."""

    meaning: str
    draw: Callable[[Any, Asked], Simulated]
    degree: bool = False
    components: bool = False


def _gaussian(simulate: Any, asked: Asked) -> Simulated:
    n, d = asked.size
    drawn: Simulated = simulate.gaussian_mrf(n, d, asked.degree, asked.components, asked.seed)
    return drawn


def _hubs(simulate: Any, asked: Asked) -> Simulated:
    n, d = asked.size
    drawn: Simulated = simulate.gaussian(n, simulate.hub_graph(d, 3, asked.seed), asked.seed)
    return drawn


def _scale_free(simulate: Any, asked: Asked) -> Simulated:
    n, d = asked.size
    graph = simulate.scale_free_graph(d, random_state=asked.seed)
    drawn: Simulated = simulate.gaussian(n, graph, asked.seed)
    return drawn


def _by_name(function: str) -> Callable[[Any, Asked], Simulated]:
    """Call a simulator of forests by its name; nothing is imported before."""

    def draw(simulate: Any, asked: Asked) -> Simulated:
        make = getattr(simulate, function)
        drawn: Simulated = make(*asked.size, asked.components, random_state=asked.seed)
        return drawn

    return draw


SIMULATORS: dict[str, Simulator] = {
    "gaussian": Simulator("normal columns on a random graph", _gaussian, True, True),
    "hubs": Simulator("normal columns, of which three are joined to many", _hubs),
    "scale-free": Simulator("normal columns, of which few have many neighbours", _scale_free),
    "independent": Simulator(
        "normal columns, none joined to any other",
        lambda simulate, asked: simulate.independent(*asked.size, random_state=asked.seed),
    ),
    "t-cliques": Simulator(
        "small groups that share heavy tails, but hardly a correlation",
        lambda simulate, asked: simulate.t_cliques(*asked.size, random_state=asked.seed),
    ),
    "copula-forest": Simulator(
        "columns on a forest, with copulas of all families", _by_name("copula_forest"), False, True
    ),
    "ising": Simulator("yes or no on a forest", _by_name("ising_forest"), False, True),
    "potts": Simulator("categories on a forest", _by_name("potts_forest"), False, True),
    "mixed": Simulator(
        "numbers, ordered levels and yes or no on a random graph",
        lambda simulate, asked: simulate.threshold(
            _gaussian(simulate, asked), "mixed", random_state=asked.seed
        ),
        True,
        True,
    ),
}
"""The kinds, by name."""
