"""RAdam."""

from collections.abc import Iterable
from typing import Any

from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_adam_settings


class RAdam(ParameterwiseOptimizer):
    """RAdam: Adam that trusts its mean squares only after enough steps.

    Until then it moves along the mean gradient; afterwards the change is scaled by how well the
    variance is known.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
    >>> optimizer = ow.optim.RAdam([weight], lr=0.1)
    >>> weight.grad = ow.tensor([5.0])
    >>> optimizer.step()
    >>> weight
    Parameter containing:
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, and betas outside [0, 1)."""
        check_adam_settings(self._name, group)

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return means of zero."""
        return {"exp_avg": zeros_like(parameter), "exp_avg_sq": zeros_like(parameter)}

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        beta1, beta2 = group["betas"]
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        change = mean / (1 - beta1**step) * group["lr"]
        correction = 1 - beta2**step
        # The length of the average in steps: at its limit, and now.
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / correction
        if length > 5:
            trust = (length - 4) * (length - 2) * longest
            trust /= (longest - 4) * (longest - 2) * length
            change = change * (correction**0.5 / square.sqrt().add_(group["eps"])) * trust**0.5
        parameter.sub_(change)
