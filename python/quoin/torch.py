# SPDX-License-Identifier: BSD-3-Clause
"""Maps as functions of PyTorch: their gradients are J^T v, without forming J. Importing this needs torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from quoin.maps import Map


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        x, map = args
        points = x.detach().cpu().to(torch.float64).numpy()
        ctx.save_for_backward(x)
        ctx.map = map
        return torch.from_numpy(map(points)).to(dtype=x.dtype, device=x.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        points = x.detach().cpu().to(torch.float64).numpy()
        weights = np.ascontiguousarray(gradients[0].detach().cpu().to(torch.float64).numpy())
        pulled = ctx.map.vjp(points, weights)
        return torch.from_numpy(pulled).to(dtype=x.dtype, device=x.device), None


def apply(map: Map, x: Any) -> Any:
    """The map's value as a tensor through which gradients flow to x, once: there are no second derivatives.

    Parameters
    ----------
    map : Map
    x : (dim,) or (M, dim) tensor

    Returns
    -------
    (N,) or (M, N) tensor
        Of x's type and device; the map is asked in float64 on the processor.
    """
    return _Apply.apply(x, map)


class Module(torch.nn.Module):
    """A map as a module without parameters.

    Parameters
    ----------
    map : Map
    """

    def __init__(self, map: Map) -> None:
        super().__init__()
        self.map = map

    def forward(self, x: Any) -> Any:
        """The values (M, N) at points (M, dim)."""
        return apply(self.map, x)
