"""The network over pairs in torch, for training: the twin of :class:`spinney.judge.Network`.

The formulas stand in ``docs/judge.md``; names are the same. Tables of one batch are padded to one
number of columns, and a mask says which are real. Maps that read the same numbers are one matrix
(:class:`_Maps`), and sums over third columns are one batched product of matrices, so that a step
is a few large kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional

from spinney.exceptions import InputError
from spinney.judge import STANDARDISATION, Settings

__all__ = ["Grid", "PairNetwork", "Places", "find_places", "from_arrays", "to_arrays"]

Places = tuple[Tensor, Tensor, Tensor]

FIRST_LOGIT = -2.0
"""What an untrained network says of every pair: about one edge in eight."""


class PairNetwork(nn.Module):
    """A network over the evidence of all pairs of columns, for a batch of padded tables.

    Negating a column changes no logit, reordering columns reorders them, and padding changes
    nothing.

    Parameters
    ----------
    settings : Settings
        Sizes of the network.

    Examples
    --------
    >>> network = PairNetwork(Settings(n_even=3, n_odd=1, n_blocks=1))
    >>> mask = torch.tensor([[True, True, True, False]])
    >>> network(torch.ones(1, 6, 3), torch.ones(1, 6, 1), mask).shape
    torch.Size([1, 6])
    """

    even_low: Tensor
    even_high: Tensor
    even_center: Tensor
    even_scale: Tensor
    odd_bound: Tensor
    odd_scale: Tensor

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        inputs = settings.n_even + settings.n_odd
        for name in STANDARDISATION:
            start = {"even_low": -np.inf, "even_center": 0.0, "even_scale": 1.0, "odd_scale": 1.0}
            value = torch.full(settings.shapes[name], start.get(name, np.inf))
            self.register_buffer(name, value)
        self.even_in = _Maps(inputs, {"W_in": settings.width}, {"W_in": "b_in"})
        self.odd_in = _Maps(settings.n_odd, {"V_in": settings.odd_width})
        self.blocks = nn.ModuleList(_Block(settings) for _ in range(settings.n_blocks))
        self.norm_out = nn.LayerNorm(settings.width)
        self.w = nn.Parameter(0.02 * torch.randn(settings.width))
        self.w_skip = nn.Parameter(torch.zeros(inputs))
        self.w0 = nn.Parameter(torch.tensor(FIRST_LOGIT))

    def set_standardisation(self, **arrays: ArrayLike) -> None:
        """Set clipping and scales of the evidence: `even_low`, `even_high`, … by name.

        They are not learned; measure them on training tables before the first step.
        """
        for name, value in arrays.items():
            if name not in STANDARDISATION:
                raise InputError(f"{name!r} is none of {', '.join(STANDARDISATION)}.")
            _fill(getattr(self, name), value, name)

    def forward(
        self, even: Tensor, odd: Tensor, mask: Tensor, places: Places | None = None
    ) -> Tensor:
        """Compute a logit for every pair.

        Parameters
        ----------
        even, odd : tensors of shape (B, P, n_even) and (B, P, n_odd)
            Evidence of the P = d (d - 1) / 2 pairs of padded tables, in the order of
            ``np.triu_indices(d, 1)``; what stands for padded columns is never read.
        mask : bool tensor of shape (B, d)
            Which columns are real.
        places : three tensors, optional
            :func:`find_places` of d, so that they are found once.

        Returns
        -------
        float32 tensor of shape (B, P)
            Logits, without meaning for pairs with padded columns.
        """
        grid = Grid(mask, places)
        real = grid.fold(mask[:, :, None, None].expand(-1, -1, grid.d, 1).float()) > 1.5
        with torch.autocast(even.device.type, enabled=False):
            # A logit to three digits needs its evidence to more than bfloat16 has.
            e = torch.where(real, even.float(), self.even_center)
            e = (e.clamp(self.even_low, self.even_high) - self.even_center) / self.even_scale
            q = torch.where(real, odd.float(), 0.0)
            q = q.clamp(-self.odd_bound, self.odd_bound) / self.odd_scale
            evidence = torch.cat([e, q.abs()], dim=-1)
            h, o = self.even_in(evidence), self.odd_in(q)
        for block in self.blocks:
            h, o = block(h, o, real, mask, grid.places)
        with torch.autocast(even.device.type, enabled=False):
            return self.norm_out(h) @ self.w + evidence @ self.w_skip + self.w0


class Grid:
    """Where the pairs of padded tables stand in their d × d squares, and the way there and back.

    Examples
    --------
    >>> grid = Grid(torch.tensor([[True, True, True]]))
    >>> square = grid.spread(torch.tensor([[[1.0], [2.0], [3.0]]]))  # 01, 02, 12
    >>> square[0, :, :, 0]
    tensor([[0., 1., 2.],
            [1., 0., 3.],
            [2., 3., 0.]])
    >>> grid.fold(square)[0, :, 0]
    tensor([2., 4., 6.])
    """

    def __init__(self, mask: Tensor, places: Places | None = None) -> None:
        self.mask = mask
        self.d = mask.shape[1]
        self.n_real = mask.sum(dim=1).to(torch.float32)[:, None]
        node = torch.arange(self.d, device=mask.device)
        self.off_diagonal = node[:, None] != node[None, :]
        self.places = find_places(self.d, mask.device) if places is None else places

    @property
    def pairs(self) -> Tensor:
        """Bool tensor of shape (B, d, d, 1): squares of real pairs."""
        return (self.mask[:, :, None] & self.mask[:, None, :] & self.off_diagonal)[..., None]

    def spread(self, x: Tensor) -> Tensor:
        """Lay (B, P, C) out as symmetric (B, d, d, C), zero on the diagonal."""
        return _Spread.apply(x, self.off_diagonal, *self.places)

    def fold(self, x: Tensor) -> Tensor:
        """Add both squares of each pair: (B, d, d, C) to (B, P, C). The adjoint of `spread`."""
        return _Fold.apply(x, self.off_diagonal, *self.places)


def find_places(d: int, device: torch.device | str = "cpu") -> Places:
    """Find the position of each square's pair, and of each pair's two squares.

    Examples
    --------
    >>> [place.tolist() for place in find_places(3)]
    [[0, 0, 1, 0, 0, 2, 1, 2, 0], [1, 2, 5], [3, 6, 7]]
    """
    first, second = torch.triu_indices(d, d, 1, device=device)
    above, below = first * d + second, second * d + first
    position = torch.zeros(d * d, dtype=torch.int64, device=device)
    position[above] = position[below] = torch.arange(len(first), device=device)
    return position, above, below


def _spread(x: Tensor, off: Tensor, position: Tensor, above: Tensor, below: Tensor) -> Tensor:
    return torch.where(off[None, :, :, None], x[:, position].unflatten(1, off.shape), 0)


def _fold(x: Tensor, off: Tensor, position: Tensor, above: Tensor, below: Tensor) -> Tensor:
    flat = x.flatten(1, 2)
    return flat[:, above] + flat[:, below]


class _Spread(torch.autograd.Function):
    """Gathers both ways: the adjoint of a gather would add up at random places, slowly."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *places: Tensor) -> Tensor:
        ctx.save_for_backward(*places)
        return _spread(x, *places)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return _fold(gradients[0], *ctx.saved_tensors), None, None, None, None


class _Fold(torch.autograd.Function):
    """The adjoint of :class:`_Spread`, on squares whose diagonal is never used."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *places: Tensor) -> Tensor:
        ctx.save_for_backward(*places)
        return _fold(x, *places)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return _spread(gradients[0], *ctx.saved_tensors), None, None, None, None


class _Maps(nn.Module):
    """Linear maps that read the same numbers, as one: ``x -> [x W, x V, …]``.

    `widths` gives the outputs of each map by the name of its matrix, `biases` the name of its bias:
    all maps of one group have one, or none has. `gain` multiplies the usual size of the first
    weights; residual maps start near zero.
    """

    def __init__(
        self,
        inputs: int,
        widths: Mapping[str, int],
        biases: Mapping[str, str] | None = None,
        gain: float | Mapping[str, float] = 1.0,
    ) -> None:
        super().__init__()
        self.widths, self.biases = dict(widths), dict(biases or {})
        gains = gain if isinstance(gain, Mapping) else dict.fromkeys(widths, gain)
        parts = [
            gains.get(name, 1.0) * inputs**-0.5 * torch.randn(width, inputs)
            for name, width in widths.items()
        ]
        self.weight = nn.Parameter(torch.cat(parts))
        self.bias = nn.Parameter(torch.zeros(sum(widths.values()))) if self.biases else None

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)

    def split(self) -> dict[str, Tensor]:
        """Give each matrix (inputs by outputs) and bias by its name, as views."""
        found = dict(
            zip(self.widths, self.weight.T.split(list(self.widths.values()), 1), strict=True)
        )
        if self.bias is not None:
            biases = self.bias.split(list(self.widths.values()))
            found |= dict(zip(self.biases.values(), biases, strict=True))
        return found


class _Block(nn.Module):
    """One round in which every pair hears of the others: triangles, columns, and a map."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        C, D, T = settings.width, settings.odd_width, settings.triangle_width
        X = C + D
        self.sizes = (C, D, T)
        self.triangles = settings.triangles
        if settings.triangles:
            self.norm1, self.norm_t = nn.LayerNorm(C), nn.LayerNorm(T)
            self.odd1 = _Maps(D, {"P1": D, "P2": D, "R": T, "S": T})
            gates = {"Ga": T, "Gr": T, "Gb": T, "Gs": T, "Gt": C, "Gz": D}
            self.gates1 = _Maps(X, gates, {name: name.lower() for name in gates}, gain=0.5)
            self.values1 = _Maps(X, {"A": T, "B": T})
            self.out1 = _Maps(2 * T, {"O1": C}, {"O1": "c1"}, gain=0.1)
            self.odd_out1 = _Maps(T, {"O2": D}, gain=0.1)
        self.norm2 = nn.LayerNorm(C)
        self.nodes_in = _Maps(2 * C, {"N1": C}, {"N1": "n1"}, gain=2**0.5)
        self.nodes_out = _Maps(C, {"N2": C}, gain=0.1)
        self.table_in = _Maps(4 * C, {"M1": C}, {"M1": "m1"}, gain=2**0.5)
        self.table_out = _Maps(C, {"M2": C}, gain=0.1)
        self.norm3 = nn.LayerNorm(C)
        self.odd3 = _Maps(D, {"Q1": D, "Q2": D, "Y": D}, gain={"Y": 0.1})
        self.map_in = _Maps(X, {"F1": 2 * C, "Gy": D}, {"F1": "f1", "Gy": "gy"})
        self.map_out = _Maps(2 * C, {"F2": C}, {"F2": "f2"}, gain=0.1)

    def forward(
        self, h: Tensor, o: Tensor, real: Tensor, mask: Tensor, places: Places
    ) -> tuple[Tensor, Tensor]:
        # Tensors come in, and no grid, so that a block can be compiled by itself.
        grid = Grid(mask, places)
        if self.triangles:
            h, o = self._triangle_update(h, o, real, grid)
        h = self._hear_columns(h, grid)
        return self._map(h, o)

    def _triangle_update(
        self, h: Tensor, o: Tensor, real: Tensor, grid: Grid
    ) -> tuple[Tensor, Tensor]:
        C, D, T = self.sizes
        y = _soft(o)
        p1, p2, r, s = self.odd1(y).split([D, D, T, T], dim=-1)
        x = torch.cat([_norm(self.norm1, h), p1 * p2], dim=-1)
        left_gate, right_gate, gate_t, gate_z = (
            self.gates1(x).sigmoid().split([2 * T, 2 * T, C, D], dim=-1)
        )
        a, b = self.values1(x).split(T, dim=-1)
        # Even and odd sums side by side. Zeros on the diagonal leave out k = u and k = v.
        left = grid.spread(left_gate * torch.cat([a, r], dim=-1) * real)
        right = grid.spread(right_gate * torch.cat([b, s], dim=-1) * real)
        product = torch.matmul(left.permute(0, 3, 1, 2), right.permute(0, 3, 1, 2))
        total = grid.fold(product.permute(0, 2, 3, 1)).float()
        total = total * grid.n_real[:, :, None].rsqrt()
        t, z = total.split(T, dim=-1)
        z = _soft(z)
        heard = self.out1(torch.cat([_norm(self.norm_t, t), z.square()], dim=-1))
        return h + gate_t * heard, o + gate_z * self.odd_out1(z)

    def _hear_columns(self, h: Tensor, grid: Grid) -> Tensor:
        # As the triangles' products, in the short numbers of autocast.
        x = grid.spread(_norm(self.norm2, h).to(self._short(h)))
        real, pairs, n_real = grid.mask[..., None], grid.pairs, grid.n_real
        mean = (x.float() * pairs).sum(dim=2) / (n_real[:, :, None] - 1).clamp(min=1)
        largest = x.float().masked_fill(~pairs, -torch.inf).amax(dim=2)
        # A padded column has no pairs, hence a maximum of -inf.
        m = torch.where(real, torch.cat([mean, largest], dim=-1), 0.0)
        f = self.nodes_out(self.nodes_in(m).relu()).float()
        over = torch.cat(
            [m.sum(dim=1) / n_real, m.masked_fill(~real, -torch.inf).amax(dim=1)], dim=-1
        )
        g = self.table_out(self.table_in(over).relu())
        return h + grid.fold(f[:, :, None].expand(-1, -1, grid.d, -1)) + g[:, None]

    @staticmethod
    def _short(h: Tensor) -> torch.dtype:
        device = h.device.type
        return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else h.dtype

    def _map(self, h: Tensor, o: Tensor) -> tuple[Tensor, Tensor]:
        C, D, _ = self.sizes
        q1, q2, y = self.odd3(_soft(o)).split(D, dim=-1)
        x = torch.cat([_norm(self.norm3, h), q1 * q2], dim=-1)
        hidden, gate = self.map_in(x).split([2 * C, D], dim=-1)
        return h + self.map_out(hidden.relu()), o + gate.sigmoid() * y


def _norm(norm: nn.LayerNorm, x: Tensor) -> Tensor:
    """Layer norm in float32, whatever comes in."""
    return functional.layer_norm(x.float(), norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _soft(o: Tensor) -> Tensor:
    """Shrink vectors below length one (root mean square); odd in `o`."""
    o = o.float()
    return o * torch.rsqrt(1 + o.square().mean(dim=-1, keepdim=True))


def to_arrays(model: nn.Module) -> dict[str, NDArray[np.float32]]:
    """Give the network's numbers as plain arrays by name, as :class:`spinney.judge.Network` takes.

    Examples
    --------
    >>> arrays = to_arrays(PairNetwork(Settings(n_even=3, n_odd=1, n_blocks=2)))
    >>> arrays["A"].shape
    (2, 96, 32)
    """
    network = _uncompiled(model)
    views = _views(network)
    shapes = network.settings.shapes
    stacked = {
        name: np.stack([_numpy(part) for part in view]) if isinstance(view, list) else _numpy(view)
        for name, view in views.items()
    }
    return {name: np.ascontiguousarray(stacked[name]).reshape(shapes[name]) for name in shapes}


def from_arrays(settings: Settings, arrays: Mapping[str, ArrayLike]) -> PairNetwork:
    """Make a network of plain arrays; the inverse of :func:`to_arrays`."""
    network = PairNetwork(settings)
    views = _views(network)
    if missing := sorted(set(views) - set(arrays)):
        raise InputError(f"The array {missing[0]!r} of the network is missing.")
    for name, view in views.items():
        if isinstance(view, list):
            for part, value in zip(view, np.asarray(arrays[name]), strict=True):
                _fill(part, value, name)
        else:
            _fill(view, arrays[name], name)
    return network


def _uncompiled(model: Any) -> PairNetwork:
    """Take the network out of what ``torch.compile`` or averaging put around it."""
    while not isinstance(model, PairNetwork):
        model = getattr(model, "_orig_mod", None) or model.module
    return model


def _views(network: PairNetwork) -> dict[str, Tensor | list[Tensor]]:
    """Name every number of a network; arrays of blocks are lists with one tensor each."""
    found: dict[str, Tensor | list[Tensor]] = {
        name: getattr(network, name) for name in (*STANDARDISATION, "w", "w_skip", "w0")
    }
    found |= _parts(network.named_children())
    for block in network.blocks:
        for name, part in _parts(block.named_children()).items():
            parts = found.setdefault(name, [])
            assert isinstance(parts, list)
            parts.append(part)
    return found


def _parts(children: Any) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for name, child in children:
        if isinstance(child, _Maps):
            found |= child.split()
        elif isinstance(child, nn.LayerNorm):
            found |= {f"{name}_gain": child.weight, f"{name}_bias": child.bias}
    return found


def _numpy(tensor: Tensor) -> NDArray[np.float32]:
    return tensor.detach().float().cpu().numpy()


@torch.no_grad()
def _fill(tensor: Tensor, value: ArrayLike | Sequence[float], name: str) -> None:
    array = np.asarray(value, dtype=np.float32)
    if array.shape != tuple(tensor.shape):
        raise InputError(f"{name!r} has shape {array.shape}; {tuple(tensor.shape)} is needed.")
    tensor.copy_(torch.from_numpy(array.copy()))
