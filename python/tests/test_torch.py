# SPDX-License-Identifier: BSD-3-Clause
"""Gradients flow through a grid."""

import numpy as np
import pytest

import quoin
from functions import waves

torch = pytest.importorskip("torch", reason="python3-torch is not installed")


def test_gradients_are_those_of_the_interpolant():
    import quoin.torch

    grid = quoin.AdaptiveGrid(waves(3), spacing=[0.5] * 3)
    X = torch.tensor(np.random.default_rng(12).uniform(0.1, 0.4, (5, 3)), requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: quoin.torch.apply(grid, x), X)
    assert torch.autograd.gradcheck(lambda x: quoin.torch.apply(grid, x), X[0].detach().requires_grad_())
    loss = (quoin.torch.Module(grid)(X) ** 2).sum()
    loss.backward()
    Y, J = grid.value_and_jacobian(X.detach().numpy())
    np.testing.assert_allclose(X.grad.numpy(), 2 * np.einsum("mi,mij->mj", Y, J), atol=1e-13)


def test_types_are_kept():
    import quoin.torch

    grid = quoin.AdaptiveGrid(waves(2), spacing=[0.5, 0.5])
    x = torch.tensor([[0.2, 0.3]], dtype=torch.float32, requires_grad=True)
    y = quoin.torch.apply(grid, x)
    y.sum().backward()
    assert y.dtype == x.grad.dtype == torch.float32
