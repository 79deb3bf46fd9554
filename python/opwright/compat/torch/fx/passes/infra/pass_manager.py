"""torch.fx.passes.infra.pass_manager: runs passes in an order that keeps their constraints."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from opwright import nn
from opwright.compat._absent import absent

from ...graph_module import GraphModule
from .pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn: Callable[..., Any]) -> Callable[[Any], PassResult | None]:
    """Return a function that always gives a PassResult; one without is taken as a change."""

    @wraps(fn)
    def run(module: GraphModule) -> PassResult | None:
        result = fn(module)
        if isinstance(result, PassResult):
            return result
        return PassResult(module if result is None else result, True)

    if not inspect.isfunction(fn):
        run.__name__ = type(fn).__name__
    return run


def this_before_that_pass_constraint(
    this: Callable[..., Any], that: Callable[..., Any]
) -> Callable[[Any, Any], bool]:
    """Return the constraint that `this` runs before `that`."""

    def holds(first: Callable[..., Any], second: Callable[..., Any]) -> bool:
        return not (first == that and second == this)

    return holds


def _sorted_by(
    passes: list[Callable[..., Any]], constraints: Sequence[Callable[[Any, Any], bool]]
) -> list[Callable[..., Any]]:
    """Return the passes so that every pair keeps the constraints."""
    waiting: dict[int, set[int]] = {index: set() for index in range(len(passes))}
    for first in range(len(passes)):
        for second in range(len(passes)):
            pair = (passes[first], passes[second])
            if first != second and not all(holds(*pair) for holds in constraints):
                waiting[first].add(second)
    order: list[int] = []
    while waiting:
        ready = [index for index, before in waiting.items() if not before]
        if not ready:
            names = ", ".join(sorted(str(passes[index]) for index in waiting))
            raise RuntimeError(f"Circular dependency detected within the following passes: {names}")
        index = ready[0]
        order.append(index)
        del waiting[index]
        for before in waiting.values():
            before.discard(index)
    return [passes[index] for index in order]


def _name_of(each: Callable[..., Any]) -> str:
    return each.__name__ if inspect.isfunction(each) else type(each).__name__


class PassManager:
    """Runs passes on a module, `steps` times or until none changes it.

    >>> from opwright.compat.torch import fx
    >>> from opwright.compat.torch.fx.passes.infra import pass_manager
    >>> seen = []
    >>> once = pass_manager.pass_result_wrapper(lambda module: seen.append("pass"))
    >>> manager = pass_manager.PassManager([once])
    >>> _ = manager(fx.symbolic_trace(lambda x: x + 1))
    >>> seen
    ['pass']
    """

    def __init__(
        self,
        passes: list[Callable[..., Any]] | None = None,
        constraints: list[Callable[[Any, Any], bool]] | None = None,
        steps: int | None = None,
        run_checks_after_each_pass: bool = False,
        suppress_check_failures: bool = False,
    ) -> None:
        self.passes = list(passes or [])
        self.constraints = list(constraints or [])
        self.steps = 1 if steps is None else steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass: Callable[..., Any]) -> None:
        """Add a pass at the end."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[[Any, Any], bool]) -> None:
        """Add a constraint on the order."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raise RuntimeError if the order breaks a constraint."""
        if self._validated:
            return
        for index, first in enumerate(self.passes):
            for later, second in enumerate(self.passes[index + 1 :], index + 1):
                if not all(holds(first, second) for holds in self.constraints):
                    raise RuntimeError(
                        f"pass schedule constraint violated. Expected {first} before {second} but "
                        f"found {first} at index {index} and {second} at index {later} in pass "
                        "list."
                    )
        self._validated = True

    def solve_constraints(self) -> None:
        """Order the passes so that the constraints hold."""
        self.passes = _sorted_by(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check: Callable[..., Any]) -> None:
        """Set a function of the module that runs before the passes, and after each if asked."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check  # type: ignore[method-assign]

    def check(self, module: nn.Module) -> None:
        """Check the module; nothing by default."""

    def __call__(self, module: nn.Module) -> PassResult:
        """Run the passes; return the module and whether one changed it."""
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            step_changed = False
            for each in self.passes:
                module, did = self._run(each, module)
                step_changed |= did
                if isinstance(module, GraphModule):
                    module.recompile()
                if self.run_checks_after_each_pass:
                    self.check(module)
            changed |= step_changed
            if not step_changed:
                break
        return PassResult(module, changed)

    def _run(self, each: Callable[..., Any], module: Any) -> tuple[Any, bool]:
        name = _name_of(each)
        done = [_name_of(before) for before in self.passes[: self.passes.index(each)]]
        try:
            result = each(module)
        except Exception as error:
            raise Exception(
                f"An error occurred when running the '{name}' pass after the following passes: "
                f"{done}"
            ) from error
        if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
            raise TypeError(
                f"The result of the pass {name} should be type PassResult. Please wrap it with "
                f"pass_result_wrapper(). It ran after the following passes: {done}"
            )
        return result.graph_module, result.modified


__getattr__ = absent(__name__)
