"""The common part of optimizers that update one parameter after the other."""

from typing import Any

from .. import _C
from .._C import Tensor
from .optimizer import Group, Optimizer, as_real


class ParameterwiseOptimizer(Optimizer):
    """Updates each parameter by itself; subclasses define `start` and `update_parameter`.

    Complex numbers are updated as pairs of real ones.
    """

    def start(self, parameter: Tensor, group: Group) -> dict[str, Any]:
        """Return the state of a parameter before its first step, without the step count."""
        raise NotImplementedError(f"{self._name}: it has no start")

    def update_parameter(
        self, parameter: Tensor, grad: Tensor, state: dict[str, Any], group: Group, step: int
    ) -> None:
        """Update a parameter and its state in step `step`, which counts from 1."""
        raise NotImplementedError(f"{self._name}: it has no update_parameter")

    def update(self, group: Group) -> None:
        """Update one group."""
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            state = self.state.get(parameter)
            if not state:
                state = {"step": _C.tensor(0.0), **self.start(parameter, group)}
                self.state[parameter] = state
            state["step"].add_(1)
            step = int(state["step"].item())
            grad = -parameter.grad if group["maximize"] else parameter.grad
            grad = self._decay(parameter, grad, group)
            if parameter.is_complex():
                state = {key: as_real(value) for key, value in state.items()}
                parameter, grad = as_real(parameter), as_real(grad)
            self.update_parameter(parameter, grad, state, group, step)

    def _decay(self, parameter: Tensor, grad: Tensor, group: Group) -> Tensor:
        """Apply weight decay to the gradient or, if it is decoupled, to the parameter."""
        decay = group.get("weight_decay", 0)
        if not decay:
            return grad
        if group.get("decoupled_weight_decay"):
            parameter.mul_(1 - group["lr"] * decay)
            return grad
        return grad.add(parameter, alpha=decay)
