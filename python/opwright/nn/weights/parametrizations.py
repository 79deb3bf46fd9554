"""Parametrizations of weights: length and direction apart, or a spectral norm of 1."""

from __future__ import annotations

from typing import Any, TypeVar

import opwright as ow

from ... import Tensor
from .. import functional as F
from ..module import Module
from .norms import as_matrix, norm_except_dim, normed_weight, output_dim
from .parametrize import register_parametrization

__all__ = ["spectral_norm", "weight_norm"]

M = TypeVar("M", bound=Module)


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return normed_weight(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: M, name: str = "weight", dim: int = 0) -> M:
    """Split a weight into its length, `original0`, and its direction, `original1`.

    The length is that of each slice along `dim`; None means that of all elements.

    >>> from opwright.nn.weights import parametrizations
    >>> layer = parametrizations.weight_norm(ow.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    (2, 1)
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename_older(state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                new = f"{prefix}parametrizations.{name}.original{number}"
                state_dict[new] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename_older)
    return module


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"spectral_norm: dim must be from {-weight.ndim} to {weight.ndim - 1}, got {dim}"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "spectral_norm: Expected n_power_iterations to be positive, got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        self.n_power_iterations = n_power_iterations
        if weight.ndim > 1:
            matrix = as_matrix(weight.detach(), self.dim)
            rows, columns = matrix.shape
            for key, size in (("_u", rows), ("_v", columns)):
                vector = matrix.new_empty(size).normal_(0, 1)
                self.register_buffer(key, F.normalize(vector, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _iterate(self, matrix: Tensor, count: int) -> None:
        """Improve the singular vectors in place, as buffers that other modules may share."""
        with ow.no_grad():
            for _ in range(count):
                self._u.copy_(F.normalize(matrix @ self._v, dim=0, eps=self.eps))
                self._v.copy_(F.normalize(matrix.mH @ self._u, dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        # Copies, as a second forward pass writes the buffers before the backward pass.
        u, v = self._u.clone(), self._v.clone()
        return weight / ow.vdot(u, ow.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def _weight_of(function: str, module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"{function}: module {module!r} has no parameter or buffer '{name}'")
    return weight


def spectral_norm(
    module: M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> M:
    """Divide a weight by its largest singular value, which power iterations estimate.

    Each computation in training mode performs `n_power_iterations`.

    >>> from opwright.nn.weights import parametrizations
    >>> layer = parametrizations.spectral_norm(ow.nn.Linear(2, 2, bias=False))
    >>> ow.nn.init.eye_(layer.parametrizations.weight.original)
    Parameter containing:
    tensor([[1., 0.],
            [0., 1.]], requires_grad=True)
    >>> layer.eval().weight.shape
    (2, 2)
    """
    weight = _weight_of("spectral_norm", module, name)
    rows = output_dim(module) if dim is None else dim
    parametrization = _SpectralNorm(weight, n_power_iterations, rows, eps)
    return register_parametrization(module, name, parametrization)
