"""NAdam."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_adam_settings, check_not_negative


class NAdam(ParameterwiseOptimizer):
    """NAdam: Adam with Nesterov momentum, whose weight grows with the steps (`momentum_decay`).

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
    >>> optimizer = ow.optim.NAdam([weight], lr=0.1)
    >>> weight.grad = ow.tensor([5.0])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([0.8944], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, and betas outside [0, 1)."""
        check_adam_settings(self._name, group)
        check_not_negative(self._name, group, "momentum_decay")

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return means of zero, and an empty product of momenta."""
        return {
            "mu_product": _C.tensor(1.0),
            "exp_avg": zeros_like(parameter),
            "exp_avg_sq": zeros_like(parameter),
        }

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        beta1, beta2 = group["betas"]
        rate, decay = group["lr"], group["momentum_decay"]
        momentum = beta1 * (1 - 0.5 * 0.96 ** (step * decay))
        next_momentum = beta1 * (1 - 0.5 * 0.96 ** ((step + 1) * decay))
        product = state["mu_product"].mul_(momentum).item()
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(1 - beta2**step).sqrt().add_(group["eps"])
        parameter.addcdiv_(grad, root, value=-rate * (1 - momentum) / (1 - product))
        share = next_momentum / (1 - product * next_momentum)
        parameter.addcdiv_(mean, root, value=-rate * share)
