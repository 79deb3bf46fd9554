"""Averaged stochastic gradient descent."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_not_negative


class ASGD(ParameterwiseOptimizer):
    """Averaged stochastic gradient descent; the state `ax` is the mean of the parameter.

    The rate of a step is lr / (1 + lambd * lr * step) ** alpha; each step shrinks the parameter by
    lambd * rate. The mean counts from step `t0` on.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
    >>> optimizer = ow.optim.ASGD([weight], lr=0.1)
    >>> weight.grad = ow.tensor([5.0])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers."""
        check_not_negative(self._name, group, "lr", "weight_decay")

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return the first rate, and a mean of zero that the first step replaces."""
        return {
            "eta": _C.tensor(float(group["lr"])),
            "mu": _C.tensor(1.0),
            "ax": zeros_like(parameter),
        }

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        decay, rate = group["lambd"], state["eta"].item()
        parameter.mul_(1 - decay * rate).add_(grad, alpha=-rate)
        share = state["mu"].item()
        if share == 1:
            state["ax"].copy_(parameter)
        else:
            state["ax"].add_((parameter - state["ax"]) * share)
        state["eta"].fill_(group["lr"] / (1 + decay * group["lr"] * step) ** group["alpha"])
        state["mu"].fill_(1 / max(1, step - group["t0"]))
