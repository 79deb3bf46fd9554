"""Muon."""

import math
from collections.abc import Iterable
from typing import Literal

from .. import _C
from .._C import Tensor
from .optimizer import Group, Optimizer, zeros_like
from .settings import check_not_negative

_addmm = _C.ops.aten.addmm.default
_norm = _C.ops.aten.linalg_vector_norm.default


class Muon(Optimizer):
    """Muon: moves a matrix along its momentum, made orthogonal by Newton-Schulz iterations.

    It updates matrices only; give other parameters to another optimizer. `ns_steps` iterations use
    the polynomial `ns_coefficients`, in bfloat16. `adjust_lr_fn` scales the rate by the shape:
    "original" (the default) or "match_rms_adamw". Weight decay is decoupled.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.zeros(2, 2))
    >>> optimizer = ow.optim.Muon([weight], lr=0.1, weight_decay=0.0)
    >>> weight.grad = ow.tensor([[4.0, 0.0], [0.0, 0.5]])
    >>> optimizer.step()
    >>> weight.diagonal().abs().min().item() > 0.05
    True
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: Literal["original", "match_rms_adamw"] | None = None,
    ):
        settings = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, unknown settings, and parameters other than real matrices."""
        check_not_negative("Muon", group, "lr", "weight_decay", "momentum")
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ValueError(
                f"Muon: adjust_lr_fn must be 'original' or 'match_rms_adamw', got "
                f"{group['adjust_lr_fn']!r}"
            )
        if len(group["ns_coefficients"]) != 3:
            raise ValueError(
                f"Muon: ns_coefficients must be three numbers, got {group['ns_coefficients']}"
            )
        if not 0 <= group["ns_steps"] < 100:
            raise ValueError(
                f"Muon: ns_steps must be at least 0 and less than 100, got {group['ns_steps']}"
            )
        for each in group["params"]:
            if each.dim() != 2 or each.is_complex():
                raise ValueError(
                    f"Muon: only supports real 2D parameters, got a parameter with size "
                    f"{tuple(each.shape)} and dtype {each.dtype}"
                )

    def update(self, group: Group) -> None:
        """Update one group."""
        momentum, rate = group["momentum"], group["lr"]
        for parameter in group["params"]:
            grad = parameter.grad
            if grad is None:
                continue
            state = self.state.setdefault(parameter, {})
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = zeros_like(parameter)
            change = state["momentum_buffer"].lerp_(grad, 1 - momentum)
            if group["nesterov"]:
                change = grad.lerp(change, momentum)
            change = _orthogonalize(change, group)
            parameter.mul_(1 - rate * group["weight_decay"])
            parameter.add_(change, alpha=-rate * _rate_factor(parameter, group["adjust_lr_fn"]))


def _orthogonalize(matrix: Tensor, group: Group) -> Tensor:
    """Return a matrix with the same singular vectors and singular values near 1."""
    linear, cubic, quintic = group["ns_coefficients"]
    is_tall = matrix.size(0) > matrix.size(1)
    found = matrix.to(_C.bfloat16)
    if is_tall:
        found = found.t()
    found = found / _norm(found).clamp(min=group["eps"])
    for _ in range(group["ns_steps"]):
        gram = found @ found.t()
        gram = _addmm(gram, gram, gram, beta=cubic, alpha=quintic)
        found = _addmm(found, gram, found, beta=linear)
    return found.t() if is_tall else found


def _rate_factor(parameter: Tensor, rule: str | None) -> float:
    rows, columns = parameter.shape
    if rule == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
