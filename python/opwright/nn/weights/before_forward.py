"""Weights that a forward pre-hook computes: the older form of parametrizations.

`weight_norm` and `spectral_norm` here keep the names of PyTorch's older state dicts, `weight_g` or
`weight_orig`. New code uses `parametrizations`.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

import opwright as ow

from ... import Tensor
from .. import functional as F
from ..module import Module
from ..parameter import Parameter, is_lazy
from .norms import as_matrix, norm_except_dim, normed_weight, output_dim

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]

M = TypeVar("M", bound=Module)


class _Hook:
    """A forward pre-hook that sets the weight `name`."""

    function: str

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, module: Any, is_training: bool) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}: it has no compute")

    def remove(self, module: Module) -> None:
        raise NotImplementedError(f"{type(self).__name__}: it has no remove")

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute(module, module.training))


def _hook_of(module: Module, kind: type[_Hook], name: str) -> tuple[int, _Hook] | None:
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook.function, kind) and hook.function.name == name:
            return key, hook.function
    return None


def _weight_to_replace(module: Module, kind: type[_Hook], name: str) -> Parameter:
    if _hook_of(module, kind, name) is not None:
        raise RuntimeError(f"{kind.function}: the parameter '{name}' has it already")
    weight = module._parameters.get(name)
    if weight is None:
        raise ValueError(f"{kind.function}: module {module!r} has no parameter '{name}'")
    if is_lazy(weight):
        raise ValueError(
            f"{kind.function}: the parameter '{name}' has no sizes yet; call the lazy module once"
        )
    return weight


def _remove(module: Module, kind: type[_Hook], name: str) -> None:
    found = _hook_of(module, kind, name)
    if found is None:
        raise ValueError(f"{kind.function} of '{name}' not found in {module!r}")
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    module._raise_attribute_epoch()


class _WeightNorm(_Hook):
    function = "weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = -1 if dim is None else dim

    def compute(self, module: Any, is_training: bool) -> Tensor:
        g, v = (getattr(module, f"{self.name}_{end}") for end in "gv")
        return normed_weight(v, g, self.dim)

    def remove(self, module: Module) -> None:
        weight = self.compute(module, False).detach()
        for name in (self.name, f"{self.name}_g", f"{self.name}_v"):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight))


def weight_norm(module: M, name: str = "weight", dim: int = 0) -> M:
    """Split a weight into its length, `weight_g`, and its direction, `weight_v`; it warns.

    >>> import warnings
    >>> from opwright.nn import weights
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = weights.weight_norm(ow.nn.Linear(3, 2))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_g', 'weight_v']
    """
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of "
        "`torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    weight = _weight_to_replace(module, _WeightNorm, name)
    hook = _WeightNorm(name, dim)
    delattr(module, name)
    length = norm_except_dim(weight.detach(), hook.dim)
    module.register_parameter(f"{name}_g", Parameter(length))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute(module, True))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: M, name: str = "weight") -> M:
    """Make a weight an ordinary parameter again, with its present value.

    >>> import warnings
    >>> from opwright.nn import weights
    >>> with warnings.catch_warnings(action="ignore"):
    ...     layer = weights.weight_norm(ow.nn.Linear(3, 2))
    >>> sorted(weights.remove_weight_norm(layer).state_dict())
    ['bias', 'weight']
    """
    _remove(module, _WeightNorm, name)
    return module


class _SpectralNorm(_Hook):
    function = "spectral_norm"

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        if n_power_iterations <= 0:
            raise ValueError(
                "spectral_norm: Expected n_power_iterations to be positive, got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def compute(self, module: Any, is_training: bool) -> Tensor:
        weight, u, v = (getattr(module, f"{self.name}_{end}") for end in ("orig", "u", "v"))
        matrix = as_matrix(weight, self.dim)
        if is_training:
            with ow.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(ow.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(ow.mv(matrix, v), dim=0, eps=self.eps))
                # Copies, as a second forward pass writes the buffers before the backward pass.
                u, v = u.clone(), v.clone()
        return weight / ow.dot(u, ow.mv(matrix, v))

    def remove(self, module: Module) -> None:
        with ow.no_grad():
            weight = self.compute(module, False)
        for name in (self.name, *(f"{self.name}_{end}" for end in ("u", "v", "orig"))):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))


def spectral_norm(
    module: M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> M:
    """Divide a weight by its largest singular value before each forward pass.

    >>> from opwright.nn import weights
    >>> layer = weights.spectral_norm(ow.nn.Linear(3, 2))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    rows = output_dim(module) if dim is None else dim
    hook = _SpectralNorm(name, n_power_iterations, rows, eps)
    weight = _weight_to_replace(module, _SpectralNorm, name)
    matrix = as_matrix(weight.detach(), rows)
    vectors = [
        F.normalize(matrix.new_empty(size).normal_(0, 1), dim=0, eps=eps) for size in matrix.shape
    ]
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())  # for code that looks at it before the first pass
    module.register_buffer(f"{name}_u", vectors[0])
    module.register_buffer(f"{name}_v", vectors[1])
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: M, name: str = "weight") -> M:
    """Make a weight an ordinary parameter again, with its present value.

    >>> from opwright.nn import weights
    >>> layer = weights.spectral_norm(ow.nn.Linear(3, 2))
    >>> sorted(weights.remove_spectral_norm(layer).state_dict())
    ['bias', 'weight']
    """
    _remove(module, _SpectralNorm, name)
    return module
