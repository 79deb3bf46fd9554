"""Rprop."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_not_negative

_full_like = _C.ops.aten.full_like.default
_where = _C.ops.aten.where.ScalarOther


class Rprop(ParameterwiseOptimizer):
    """Rprop: each element has its own step, which depends only on the signs of its gradients.

    A step grows by the second of `etas` while the sign stays, and shrinks by the first when it
    changes; then the element rests. Steps begin at `lr` and stay within `step_sizes`.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0, -1.0]))
    >>> optimizer = ow.optim.Rprop([weight], lr=0.1)
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
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ):
        settings = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject a negative rate, and etas that are not below and above 1."""
        check_not_negative(self._name, group, "lr")
        lower, upper = group["etas"]
        if not 0 < lower < 1 < upper:
            raise ValueError(
                f"{self._name}: etas must be a number between 0 and 1 and a number above 1, got "
                f"{group['etas']}"
            )

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return the first steps, and gradients of zero."""
        rate = group["lr"]
        value = complex(rate, rate) if parameter.is_complex() else rate
        return {
            "prev": zeros_like(parameter),
            "step_size": _full_like(parameter, value).detach(),
        }

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        lower, upper = group["etas"]
        agreement = grad * state["prev"]
        factor = _where(agreement <= 0, _C.ops.aten.ones_like.default(grad), upper)
        factor = _where(agreement >= 0, factor, lower)
        steps = state["step_size"].mul_(factor).clamp_(*group["step_sizes"])
        grad = _where(agreement >= 0, grad, 0)
        parameter.addcmul_(grad.sign(), steps, value=-1)
        state["prev"].copy_(grad)
