"""RMSprop."""

from collections.abc import Iterable
from typing import Any

from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_not_negative


class RMSprop(ParameterwiseOptimizer):
    """RMSprop: divides the gradient by the root of its mean square.

    The mean decays by `alpha`; `eps` is added to the root. With `centered` the root is that of the
    variance. With `momentum` the parameter moves along momentum * buffer + quotient.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0, -1.0]))
    >>> optimizer = ow.optim.RMSprop([weight], lr=0.01)
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
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers."""
        check_not_negative(self._name, group, "lr", "alpha", "eps", "weight_decay", "momentum")

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return means of zero."""
        state = {"square_avg": zeros_like(parameter)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(parameter)
        if group["centered"]:
            state["grad_avg"] = zeros_like(parameter)
        return state

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        decay = group["alpha"]
        square = state["square_avg"].mul_(decay).addcmul_(grad, grad, value=1 - decay)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - decay)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root.add_(group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
            parameter.add_(buffer, alpha=-group["lr"])
        else:
            parameter.addcdiv_(grad, root, value=-group["lr"])
