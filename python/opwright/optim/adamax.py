"""Adamax."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_adam_settings

_maximum = _C.ops.aten.maximum.default


class Adamax(ParameterwiseOptimizer):
    """Adamax: Adam with the largest recent gradient in place of the root mean square.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0, -1.0]))
    >>> optimizer = ow.optim.Adamax([weight], lr=0.1)
    >>> weight.grad = ow.tensor([5.0, 0.2])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([ 0.9000, -1.1000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, and betas outside [0, 1)."""
        check_adam_settings(self._name, group)

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return a mean and a maximum of zero."""
        return {"exp_avg": zeros_like(parameter), "exp_inf": zeros_like(parameter)}

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        largest = state["exp_inf"].mul_(beta2)
        largest.copy_(_maximum(largest, grad.abs().add_(group["eps"])))
        parameter.addcdiv_(mean, largest, value=-group["lr"] / (1 - beta1**step))
