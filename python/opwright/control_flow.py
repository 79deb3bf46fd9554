"""Data-dependent control flow that a graph can represent."""

import operator
import re
from collections.abc import Callable
from typing import Any

from . import _C, pytree
from ._number_from_data import NumberFromData

__all__ = ["cond", "while_loop"]


class _Flat:
    """A function of a structure of tensors, called with a list of them."""

    def __init__(self, function: Callable, spec: Any):
        self._function = function
        self._spec = spec
        self.result_spec: Any = None  # set by the first call

    def __call__(self, *leaves: _C.Tensor) -> list[Any]:
        results, self.result_spec = pytree.tree_flatten(
            self._function(*pytree.tree_unflatten(list(leaves), self._spec))
        )
        return results


def cond(
    pred: bool | _C.Tensor | _C.SymBool,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: tuple[Any, ...] = (),
) -> Any:
    """Call `true_fn` or `false_fn` with the operands, depending on a one-element tensor.

    While a function is traced, both become sub-graphs of one node. They may close over tensors;
    they must return tensors of the same sizes and dtypes, in the same structure, and must not write
    to tensors created outside.

    >>> def f(x):
    ...     return cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, (x,))
    >>> traced = ow.make_fx(f, tracing_mode="symbolic")(ow.ones(3))
    >>> traced(ow.tensor([-1.0, -2.0]))
    tensor([1., 2.])
    """
    if hasattr(type(pred), "__torch_function__"):  # a proxy of a symbolic trace
        raise RuntimeError(f"cond: Expected pred to be bool or tensor, but got {pred}")
    pred = as_tensor(pred)
    if not isinstance(pred, _C.Tensor):
        return true_fn(*operands) if pred else false_fn(*operands)
    leaves, spec = pytree.tree_flatten(tuple(operands))
    branches = [_Flat(true_fn, spec), _Flat(false_fn, spec)]
    results = _C.cond(pred, *branches, leaves)
    specs = [branch.result_spec for branch in branches if branch.result_spec is not None]
    if specs[0] != specs[-1]:
        raise ValueError(
            f"cond: true_fn returns {specs[0]} and false_fn {specs[-1]}; both must return the same "
            "structure"
        )
    return pytree.tree_unflatten(list(results), specs[0])


def as_tensor(pred: Any, with_sizes: bool = False) -> Any:
    """Return a condition that is known only when the program runs as a tensor.

    With `with_sizes` also one on dynamic sizes, which this run could decide. All others are
    returned as they are.
    """
    if not isinstance(pred, _C.SymBool):
        return pred.tensor if isinstance(pred, NumberFromData) else pred
    env = pred.shape_env
    is_known = env is None or env.decide(pred) is not None
    if is_known or (pred.hint is not None and not with_sizes):
        return pred
    left, *rest = re.split(" (==|!=|<=|>=|<|>) ", str(pred))
    if len(rest) != 2:
        return pred
    sign, right = rest
    sides = [env.parse(each) for each in (left, right)]
    return _COMPARISONS[sign](
        *(_C.ops.aten.full.default([], each, dtype=_C.int64) for each in sides)
    )


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Call `body_fn` on the carried values while `cond_fn` returns True; return the last values.

    The body returns a new value of the same size and dtype for each carried tensor. While a
    function is traced, both become sub-graphs of one node.

    >>> def double(n, x):
    ...     return while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x))
    >>> ow.make_fx(double)(ow.tensor(1), ow.ones(2))(ow.tensor(3), ow.ones(2))
    (tensor(0), tensor([8., 8.]))
    """
    leaves, spec = pytree.tree_flatten(tuple(carried_inputs))
    body = _Flat(lambda *values: _as_tuple(body_fn(*values)), spec)
    results = _C.while_loop(_Flat(cond_fn, spec), body, leaves)
    if body.result_spec is not None and body.result_spec != spec:
        raise ValueError(
            f"while_loop: body_fn returns {body.result_spec}, but {spec} is carried; both must "
            "have the same structure"
        )
    return pytree.tree_unflatten(list(results), spec)


def _as_tuple(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)
