"""Stochastic gradient descent."""

from collections.abc import Iterable
from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, Optimizer, as_real, zeros_like
from .settings import check_not_negative

_step = _C.ops.aten._fused_sgd_.default


class SGD(Optimizer):
    """Stochastic gradient descent, with optional momentum.

    With `weight_decay` the gradient is g + weight_decay * parameter. With `momentum` the parameter
    moves along buffer = momentum * buffer + (1 - dampening) * g, which is g in the first step; with
    `nesterov` along g + momentum * buffer. `maximize` reverses the direction.

    >>> import opwright as ow
    >>> weight = ow.nn.Parameter(ow.tensor([1.0]))
    >>> optimizer = ow.optim.SGD([weight], lr=0.1, momentum=0.9)
    >>> for _ in range(2):
    ...     weight.grad = ow.tensor([1.0])
    ...     optimizer.step()
    >>> weight
    Parameter containing:
    tensor([0.7100], requires_grad=True)
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ):
        settings = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject negative numbers, and nesterov without plain momentum."""
        check_not_negative("SGD", group, "lr", "momentum", "weight_decay")
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ValueError(
                f"SGD: nesterov needs momentum above 0 and no dampening, got momentum "
                f"{group['momentum']} and dampening {group['dampening']}"
            )

    def update(self, group: Group) -> None:
        """Update one group."""
        with_gradient = [each for each in group["params"] if each.grad is not None]
        if not group["momentum"]:
            return self._step(group, with_gradient, [], is_first=False)
        started, new = [], []
        buffers = []
        for parameter in with_gradient:
            buffer = self.state.setdefault(parameter, {}).get("momentum_buffer")
            if buffer is None:
                new.append(parameter)
            else:
                started.append(parameter)
                buffers.append(buffer)
        self._step(group, started, buffers, is_first=False)
        zeros = [zeros_like(each) for each in new]
        self._step(group, new, zeros, is_first=True)
        for parameter, buffer in zip(new, zeros, strict=True):
            self.state[parameter]["momentum_buffer"] = buffer
        return None

    def _step(
        self, group: dict[str, Any], params: list[Tensor], buffers: list[Tensor], is_first: bool
    ) -> None:
        if not params:
            return
        _step(
            [as_real(each) for each in params],
            [as_real(each.grad) for each in params],
            [as_real(each) for each in buffers],
            weight_decay=group["weight_decay"],
            momentum=group["momentum"],
            lr=group["lr"],
            dampening=group["dampening"],
            nesterov=group["nesterov"],
            maximize=group["maximize"],
            is_first_step=is_first,
        )
