"""L-BFGS."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from .. import _C
from .._C import Tensor, enable_grad, no_grad
from .line_search import Point, search
from .optimizer import Group, Optimizer, as_real, zeros_like
from .settings import check_not_negative

_cat = _C.ops.aten.cat.default
# Pairs with less curvature would spoil the approximation.
_LEAST_CURVATURE = 1e-10


class LBFGS(Optimizer):
    """L-BFGS: a quasi-Newton method that learns the curvature from its last steps.

    `step` needs a closure, which clears the gradients, computes the loss, calls `backward` and
    returns the loss; it is called up to `max_eval` times. A step performs up to `max_iter`
    iterations and keeps `history_size` of them. It ends when the largest gradient is at most
    `tolerance_grad`, or a change at most `tolerance_change`. `line_search_fn` is None or
    "strong_wolfe". All parameters are in one group.

    >>> import opwright as ow
    >>> point = ow.nn.Parameter(ow.tensor([3.0, -2.0]))
    >>> optimizer = ow.optim.LBFGS([point], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((point - ow.tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = optimizer.step(closure)
    >>> [round(value, 4) for value in point.tolist()]
    [1.0, 2.0]
    """

    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[Group],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: Literal["strong_wolfe"] | None = None,
    ):
        settings = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, settings)

    def check(self, group: Group) -> None:
        """Reject a second group, negative numbers and unknown line searches."""
        if self.param_groups:
            raise ValueError(
                "LBFGS: doesn't support per-parameter options (parameter groups); pass all "
                "parameters in one list"
            )
        check_not_negative("LBFGS", group, "lr", "tolerance_grad", "tolerance_change")
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise ValueError(
                f"LBFGS: only 'strong_wolfe' is supported as line_search_fn, got "
                f"{group['line_search_fn']!r}"
            )

    def step(self, closure: Callable[[], Any]) -> Any:
        """Perform up to `max_iter` iterations; return the loss before the first.

        >>> import opwright as ow
        >>> point = ow.nn.Parameter(ow.tensor([3.0]))
        >>> optimizer = ow.optim.LBFGS([point], max_iter=1)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (point * point).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure).item()
        9.0
        """
        if closure is None:
            raise TypeError("LBFGS: step needs a closure that computes the loss and its gradients")
        with no_grad():
            return _Run(self, closure).iterate()

    def _flat_grad(self) -> Tensor:
        parts = []
        for parameter in self.param_groups[0]["params"]:
            grad = parameter.grad
            if grad is None:
                grad = zeros_like(parameter)
            parts.append(as_real(grad).reshape([-1]))
        return _cat(parts)

    def _move(self, length: float, direction: Tensor) -> None:
        offset = 0
        for parameter in self.param_groups[0]["params"]:
            part = as_real(parameter.detach())
            change = direction.narrow(0, offset, part.numel()).view(part.shape)
            part.add_(change, alpha=length)
            offset += part.numel()


class _Run:
    """One call of `step`; what the next call continues from is in the optimizer's state."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any]):
        self.optimizer = optimizer
        self.closure = closure
        self.group = optimizer.param_groups[0]
        self.parameters = self.group["params"]
        self.state = optimizer.state[self.parameters[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        self.evaluations = 0

    def iterate(self) -> Any:
        group, state = self.group, self.state
        first_loss, loss, grad = self._evaluate()
        if _largest(grad) <= group["tolerance_grad"]:
            return first_loss
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = self._find_direction(grad)
            length = group["lr"]
            if state["n_iter"] == 1:
                length *= min(1.0, 1.0 / grad.abs().sum().item())
            slope = grad.dot(direction).item()
            state.update(d=direction, t=length, prev_flat_grad=grad, prev_loss=loss)
            if slope > -group["tolerance_change"]:
                break
            previous = loss
            if group["line_search_fn"]:
                start = Point(0.0, loss, grad, slope)
                end = search(
                    self._probe,
                    start,
                    direction,
                    length,
                    group["tolerance_change"],
                    group["max_eval"] - self.evaluations,
                )
                length, loss, grad = end.length, end.loss, end.grad
                self.optimizer._move(length, direction)
            else:
                self.optimizer._move(length, direction)
                # The gradient after the last iteration is not needed.
                if iteration != group["max_iter"]:
                    _, loss, grad = self._evaluate()
            state["t"] = length
            if self._is_done(iteration, grad, direction, length, loss - previous):
                break
        return first_loss

    def _is_done(
        self, iteration: int, grad: Tensor, direction: Tensor, length: float, change: float
    ) -> bool:
        group = self.group
        smallest = group["tolerance_change"]
        return (
            iteration == group["max_iter"]
            or self.evaluations >= group["max_eval"]
            or _largest(grad) <= group["tolerance_grad"]
            or _largest(direction) * abs(length) <= smallest
            or abs(change) < smallest
        )

    def _evaluate(self) -> tuple[Any, float, Tensor]:
        with enable_grad():
            loss = self.closure()
        self.evaluations += 1
        self.state["func_evals"] += 1
        return loss, float(loss), self.optimizer._flat_grad()

    def _probe(self, length: float, direction: Tensor) -> Point:
        """Evaluate the loss `length` along the direction; the parameters stay where they are."""
        saved = [each.detach().clone() for each in self.parameters]
        self.optimizer._move(length, direction)
        _, loss, grad = self._evaluate()
        for parameter, value in zip(self.parameters, saved, strict=True):
            parameter.copy_(value)
        return Point(length, loss, grad, grad.dot(direction).item())

    def _find_direction(self, grad: Tensor) -> Tensor:
        """Return the negative gradient times the approximate inverse of the Hessian."""
        state = self.state
        if "d" not in state:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
            return -grad
        change = grad - state["prev_flat_grad"]
        moved = state["d"] * state["t"]
        curvature = change.dot(moved).item()
        changes, moves, weights = state["old_dirs"], state["old_stps"], state["ro"]
        if curvature > _LEAST_CURVATURE:
            if len(changes) == self.group["history_size"]:
                for history in (changes, moves, weights):
                    del history[0]
            changes.append(change)
            moves.append(moved)
            weights.append(1.0 / curvature)
            state["H_diag"] = curvature / change.dot(change).item()
        found = -grad
        factors = []
        for change, moved, weight in reversed(list(zip(changes, moves, weights, strict=True))):
            factors.append(moved.dot(found).item() * weight)
            found.add_(change, alpha=-factors[-1])
        found.mul_(state["H_diag"])
        for change, moved, weight in zip(changes, moves, weights, strict=True):
            found.add_(moved, alpha=factors.pop() - change.dot(found).item() * weight)
        return found


def _largest(tensor: Tensor) -> float:
    return tensor.abs().max().item()
