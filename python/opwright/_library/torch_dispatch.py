"""What operators do under a TorchDispatchMode or with a tensor subclass, by class."""

from collections.abc import Callable
from functools import partial

from .. import _C
from .library import Library
from .registrations import operator_name

_rules: dict[tuple[str, type], Callable] = {}


def register_torch_dispatch(
    op: str | _C.Operator | _C.OperatorPacket,
    torch_dispatch_class: type,
    func: Callable | None = None,
    /,
    *,
    lib: Library | None = None,
    allow_override: bool = True,
) -> Callable:
    """Register what `op` does under a mode, or with a subclass, of the class.

    `func(mode_or_class, func, types, args, kwargs)` replaces the class's `__torch_dispatch__` for
    this operator.
    """
    if func is None:
        return partial(register_torch_dispatch, op, torch_dispatch_class, lib=lib)
    if lib is not None and isinstance(op, str) and "::" not in op:
        op = f"{lib.ns}::{op}"
    key = (operator_name(op), torch_dispatch_class)
    if key in _rules and not allow_override:
        raise RuntimeError(
            f"{key[0]}: there is already a torch_dispatch rule for {torch_dispatch_class.__name__}"
        )
    _rules[key] = func
    return func


def find_torch_dispatch(op: _C.Operator, torch_dispatch_class: type) -> Callable | None:
    """Return the rule of `op` for the class, or None."""
    return _rules.get((op.name, torch_dispatch_class))
