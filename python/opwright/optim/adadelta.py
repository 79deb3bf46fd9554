"""Adadelta."""

from collections.abc import Iterable
from typing import Any

from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_not_negative


class Adadelta(ParameterwiseOptimizer):
    """Adadelta: scales the gradient by the ratio of the root mean squares of changes and gradients.

    The means decay by `rho`; `eps` is added to both before the roots.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
    >>> optimizer = ow.optim.Adadelta([weight], lr=1.0)
    >>> weight.grad = ow.tensor([5.0])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([0.9968], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, and a `rho` above 1."""
        check_not_negative(self._name, group, "lr", "rho", "eps", "weight_decay")
        if group["rho"] > 1:
            raise ValueError(f"{self._name}: rho must be between 0 and 1, got {group['rho']}")

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return means of zero."""
        return {"square_avg": zeros_like(parameter), "acc_delta": zeros_like(parameter)}

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        rho, eps = group["rho"], group["eps"]
        square = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        change = state["acc_delta"].add(eps).sqrt_().div_(square.add(eps).sqrt_()).mul_(grad)
        state["acc_delta"].mul_(rho).addcmul_(change, change, value=1 - rho)
        parameter.add_(change, alpha=-group["lr"])
