"""Operators of PyTorch that are functions in Python here: counts, assertions and control flow.

Graphs of torch.fx name them, `torch.ops.aten.sym_numel.default`; the core holds sizes as
expressions and conditions as assertions of the graph.
"""

from collections.abc import Callable, Iterator
from typing import Any

import opwright as ow
from opwright import _C

__all__ = ["PythonOperator", "add_python_operators", "find_operator"]


class PythonOperator:
    """A function with the name of an operator of PyTorch.

    >>> import opwright.compat.torch as torch
    >>> torch.ops.aten.sym_numel.default(torch.ones(2, 3))
    6
    """

    def __init__(self, path: str, function: Callable[..., Any]) -> None:
        self.path = path
        self.function = function
        self.__name__ = path.partition(".")[2]
        self.__doc__ = function.__doc__

    @property
    def torch_path(self) -> str:
        """The path below `torch`."""
        return f"torch.ops.{self.path}"

    def name(self) -> str:
        """Return the name as PyTorch's operators give it: `aten::sym_numel.default`."""
        space, _, rest = self.path.partition(".")
        return rest if space == "higher_order" else f"{space}::{rest}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<operator {self.name()}>"

    def __str__(self) -> str:
        return self.path.removeprefix("higher_order.")

    def __reduce__(self) -> tuple[Any, ...]:
        return find_operator, (self.path,)


class _Packet:
    """The overloads of one name."""

    def __init__(self, base: str) -> None:
        self._base = base

    def overloads(self) -> list[str]:
        """Return the names of the overloads."""
        return [name for name in vars(self) if not name.startswith("_")]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        (name,) = self.overloads()
        return getattr(self, name)(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<operators {self._base}>"


class _Namespace:
    """`torch.ops.higher_order`."""

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))


def _sym_numel(self: ow.Tensor) -> Any:
    """Return the number of elements."""
    return self.numel()


def _assert_scalar(self: Any, assert_msg: str) -> None:
    """Raise RuntimeError with the message if the condition does not hold."""
    if isinstance(self, (ow.SymBool, ow.SymInt)):
        ow.check(self if isinstance(self, ow.SymBool) else self != 0, assert_msg)
    elif not self:
        raise RuntimeError(assert_msg)


def run_cond(pred: Any, true_graph: Any, false_graph: Any, operands: Any = ()) -> Any:
    """Run one branch on the operands; its results as a list or tuple."""
    return ow.cond(pred, true_graph, false_graph, tuple(operands))


def run_while_loop(cond_fn: Any, body_fn: Any, carried: Any, additional: Any = ()) -> Any:
    """Run the body on the carried and the additional values while the condition holds."""
    rest = tuple(additional)

    def condition(*values: Any) -> Any:
        found = cond_fn(*values, *rest)
        return found[0] if isinstance(found, (tuple, list)) else found

    return ow.while_loop(condition, lambda *values: body_fn(*values, *rest), tuple(carried))


def run_with_grad_mode(enabled: bool, wrapped: Callable[..., Any], *args: Any) -> Any:
    """Run a part of a graph with or without recording gradients."""
    with ow.set_grad_enabled(ow.is_grad_enabled() and enabled):
        return wrapped(*args)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "aten.sym_numel.default": _sym_numel,
    "aten._assert_scalar.default": _assert_scalar,
    "higher_order.cond": run_cond,
    "higher_order.while_loop": run_while_loop,
    "higher_order.wrap_with_set_grad_enabled": run_with_grad_mode,
}
_OPERATORS = {path: PythonOperator(path, function) for path, function in _FUNCTIONS.items()}


def find_operator(path: str) -> PythonOperator:
    """Return the operator of a path such as `aten.sym_numel.default`.

    >>> find_operator("higher_order.cond")
    <operator cond>
    """
    return _OPERATORS[path]


def add_python_operators() -> None:
    """Make them attributes of `torch.ops`."""
    higher_order = _Namespace()
    for path, operator in _OPERATORS.items():
        space, base, *overload = path.split(".")
        if not overload:
            setattr(higher_order, base, operator)
            continue
        packet = _C.python_operators.setdefault(f"{space}::{base}", _Packet(f"{space}::{base}"))
        setattr(packet, overload[0], operator)
    ow.ops.higher_order = higher_order
