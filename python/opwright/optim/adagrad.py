"""Adagrad."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group
from .parameterwise import ParameterwiseOptimizer
from .settings import check_not_negative

_full_like = _C.ops.aten.full_like.default


class Adagrad(ParameterwiseOptimizer):
    """Adagrad: divides the gradient by the root of the sum of all squared gradients.

    The sum begins at `initial_accumulator_value`; `eps` is added to the root. The rate of a step is
    lr / (1 + (step - 1) * lr_decay).

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0, -1.0]))
    >>> optimizer = ow.optim.Adagrad([weight], lr=0.1)
    >>> weight.grad = ow.tensor([5.0, 0.2])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([ 0.9000, -1.1000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers."""
        names = "lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value"
        check_not_negative(self._name, group, *names)

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return the first value of the sum."""
        first = group["initial_accumulator_value"]
        value = complex(first, first) if parameter.is_complex() else first
        return {"sum": _full_like(parameter, value).detach()}

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        rate = group["lr"] / (1 + (step - 1) * group["lr_decay"])
        root = state["sum"].addcmul_(grad, grad, value=1).sqrt().add_(group["eps"])
        parameter.addcdiv_(grad, root, value=-rate)
