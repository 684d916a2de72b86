"""All groups of channels, in order. A new group is a module with two names, and a line here.

``CHANNELS`` names its channels; ``channels(measured)`` computes them, a matrix of columns by
columns each.
"""

from __future__ import annotations

from spinney.evidence import conditional, correlations, facts, latent, shapes
from spinney.evidence.channels import Channel

__all__ = ["CHANNELS", "GROUPS", "N_EVEN", "N_ODD", "PLACES"]

GROUPS = (correlations, latent, shapes, conditional, facts)

_ALL = tuple(channel for group in GROUPS for channel in group.CHANNELS)
CHANNELS: tuple[Channel, ...] = tuple(sorted(_ALL, key=lambda channel: channel.parity))
"""All channels, even ones first."""
PLACES = {channel.name: k for k, channel in enumerate(CHANNELS)}
"""Where each channel stands, by name."""
N_EVEN = sum(channel.parity == "even" for channel in CHANNELS)
N_ODD = len(CHANNELS) - N_EVEN
