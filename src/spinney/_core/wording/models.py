"""Words of the forest models about a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spinney.notices import Notice
    from spinney.wording import Door, Words


def _stands_out(notice: Notice, door: Door) -> str:
    facts = notice.facts
    u, v = notice.columns
    if facts["gain"] < facts["needed"]:
        settle = (
            f"it would have to gain about {facts['needed']:.1f}; more rows or fewer columns would "
            "settle it."
        )
    else:
        settle = (
            f"a gain of about {facts['needed']:.1f} is enough: loosen the model's own penalty or "
            "tolerance."
        )
    return (
        f"No edge was kept. The strongest pair, '{u}' and '{v}', is as strong as a correlation of "
        f"{facts['strength']:.2f}: a gain of {facts['gain']:.1f} nats from {facts['n']} rows. To "
        f"stand out among {facts['n_pairs']} pairs {settle}"
    )


WORDS: dict[str, Words] = {
    "no-pair-gains": ("No edge was kept: no pair says more about new rows than independence does."),
    "no-pair-stands-out": _stands_out,
}
