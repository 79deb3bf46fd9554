"""Adafactor."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from ..dtype_limits import finfo
from .optimizer import Group, zeros_like
from .parameterwise import ParameterwiseOptimizer
from .settings import check_not_negative

_norm = _C.ops.aten.linalg_vector_norm.default


class Adafactor(ParameterwiseOptimizer):
    """Adafactor: Adam without a mean gradient, and with mean squares kept as a row and a column.

    A matrix of m x n keeps m + n numbers instead of 2 * m * n. The mean squares decay by
    1 - step ** beta2_decay. `eps` are the lower bounds of the squares (by default the dtype's
    epsilon) and of the parameter's root mean square; `d` bounds the root mean square of a change.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.ones(3, 2))
    >>> optimizer = ow.optim.Adafactor([weight], lr=0.1)
    >>> weight.grad = ow.ones(3, 2)
    >>> optimizer.step()
    >>> [tuple(value.shape) for value in optimizer.state[weight].values()]
    [(), (3, 1), (1, 2)]
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject numbers out of their ranges, and complex parameters."""
        check_not_negative(self._name, group, "lr", "weight_decay")
        if group["beta2_decay"] > 0:
            raise ValueError(
                f"{self._name}: beta2_decay must not be positive, got {group['beta2_decay']}"
            )
        if group["d"] < 1:
            raise ValueError(f"{self._name}: d must be at least 1, got {group['d']}")
        if any(each is not None and each < 0 for each in group["eps"]):
            raise ValueError(f"{self._name}: eps must not be negative, got {group['eps']}")
        if any(each.is_complex() for each in group["params"]):
            raise ValueError(f"{self._name}: it does not support complex parameters")

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return mean squares of zero: a row and a column, or those of a vector."""
        if parameter.dim() < 2:
            return {"variance": zeros_like(parameter)}
        *outer, rows, columns = parameter.shape
        zeros = parameter.detach().new_zeros
        return {"row_var": zeros([*outer, rows, 1]), "col_var": zeros([*outer, 1, columns])}

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update one parameter."""
        lowest_square, lowest_size = group["eps"]
        if lowest_square is None:
            lowest_square = finfo(parameter.dtype).eps
        weight = step ** group["beta2_decay"]
        size = max(lowest_size, _root_mean_square(parameter))
        rate = size * min(group["lr"], step**-0.5)
        if group["weight_decay"]:
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
        square = grad * grad
        if grad.dim() > 1:
            rows = state["row_var"].lerp_(square.mean(-1, keepdim=True), weight)
            columns = state["col_var"].lerp_(square.mean(-2, keepdim=True), weight)
            means = rows @ columns
            means.div_(rows.mean(-2, keepdim=True).clamp_(min=lowest_square))
        else:
            means = state["variance"].lerp_(square, weight).clone()
        change = means.clamp_(min=lowest_square * lowest_square).rsqrt_().mul_(grad)
        bound = max(1.0, _root_mean_square(change) / group["d"])
        parameter.add_(change, alpha=-rate / bound)

    def _decay(self, parameter: Tensor, grad: Tensor, group: Group) -> Tensor:
        # Weight decay comes after the parameter's size was measured, in update_parameter.
        return grad


def _root_mean_square(tensor: Tensor) -> float:
    return _norm(tensor).item() / max(tensor.numel(), 1) ** 0.5
