"""Symbolic sizes, and the conditions that code may check on them.

A size that a trace keeps dynamic is a `SymInt`, a condition on it a `SymBool`. Control flow on one
adds a guard to its `ShapeEnv`, with the line that required it. `check` and `check_size` add
requirements instead, which also works for sizes known only at run time.
"""

import functools
import operator
from collections.abc import Callable

from . import _C
from ._C import Guard, RuntimeAssert, ShapeEnv, Symbol, SymBool, SymInt
from ._number_from_data import SymFloat
from ._settings.recorded_functions import recorded

__all__ = [
    "Guard",
    "RuntimeAssert",
    "ShapeEnv",
    "SymBool",
    "SymFloat",
    "SymInt",
    "SymNode",
    "Symbol",
    "check",
    "check_size",
    "guard_or_false",
    "guard_or_true",
    "is_symbolic",
    "sym_and",
    "sym_max",
    "sym_min",
    "sym_not",
    "sym_or",
]


def is_symbolic(value: object) -> bool:
    """Return whether a value is symbolic: a SymInt or a SymBool.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_size(8)
    >>> is_symbolic(n), is_symbolic(n == 16), is_symbolic(n - n), is_symbolic(8)
    (True, True, False, False)
    """
    return _C.is_symbolic(value)


def check(condition: bool | SymBool, message: str | Callable[[], str] | None = None) -> None:
    """Raise ValueError with `message` unless a condition holds.

    A condition that is known only at run time is checked then.

    >>> import opwright as ow
    >>> env = ow.ShapeEnv()
    >>> n = env.make_unbacked()
    >>> check(n <= 100, "at most 100 peaks")
    >>> env.runtime_asserts[0].message
    'at most 100 peaks'
    >>> check(2 < 1, "too small")
    Traceback (most recent call last):
    ValueError: too small
    """
    _C.check(condition, message)


def check_size(n: int | SymInt, min: int = 0, max: int | None = None) -> None:
    """Require that a size is in a range, both ends inclusive.

    For a size known only at run time this is assumed from here on, and checked when the program
    runs.

    >>> import opwright as ow
    >>> env = ow.ShapeEnv()
    >>> n = env.make_unbacked()
    >>> check_size(n, min=2, max=64)
    >>> env.range(n), bool(n > 1)
    ((2, 64), True)
    """
    _C.check_size(n, min, max)


def guard_or_false(condition: bool | SymBool) -> bool:
    """Evaluate a condition; one that is known only at run time counts as false.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_unbacked()
    >>> guard_or_false(n == 1)
    False
    """
    return _C.guard_or_false(condition)


def guard_or_true(condition: bool | SymBool) -> bool:
    """Evaluate a condition; one that is known only at run time counts as true.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_unbacked()
    >>> guard_or_true(n != 1)
    True
    """
    return _C.guard_or_true(condition)


@recorded
def sym_max(a: int | SymInt, b: int | SymInt) -> int | SymInt:
    """Return the larger of two sizes without adding a guard.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_size(8)
    >>> sym_max(n, 16), sym_max(3, 4)
    (max(s0, 16), 4)
    """
    return _C.sym_max(a, b)


@recorded
def sym_min(a: int | SymInt, b: int | SymInt) -> int | SymInt:
    """Return the smaller of two sizes without adding a guard.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_size(8)
    >>> sym_min(n, 16), sym_min(3, 4)
    (min(s0, 16), 3)
    """
    return _C.sym_min(a, b)


@recorded
def sym_not(condition: bool | SymBool) -> bool | SymBool:
    """Negate a condition without adding a guard.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_size(8)
    >>> sym_not(n == 16), sym_not(True)
    (s0 != 16, False)
    """
    return _C.sym_not(condition)


def sym_and(*conditions: bool | SymBool) -> bool | SymBool:
    """Return whether all conditions hold, without adding a guard.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_size(8)
    >>> sym_and(n >= 4, True)
    s0 >= 4
    """
    return functools.reduce(operator.and_, conditions, True)


def sym_or(*conditions: bool | SymBool) -> bool | SymBool:
    """Return whether one of the conditions holds, without adding a guard.

    >>> import opwright as ow
    >>> n = ow.ShapeEnv().make_size(8)
    >>> sym_or(n >= 4, False)
    s0 >= 4
    """
    return functools.reduce(operator.or_, conditions, False)


class SymNode:
    """What is behind a symbolic size: `x.shape[0].node`.

    >>> import opwright as ow
    >>> size = ow.ShapeEnv().make_size(4, "x.size(0)")
    >>> node = (size * 2).node
    >>> node.expr, node.hint
    ('2*s0', 8)
    """

    def __init__(self, value: SymInt | SymBool) -> None:
        self._value = value

    @property
    def expr(self) -> str:
        """The expression in its one canonical form, as text."""
        return str(self.shape_env.simplify(self._value))

    @property
    def hint(self) -> int | bool | None:
        """The value in this run; None if it depends on data."""
        return self._value.hint

    @property
    def shape_env(self) -> ShapeEnv:
        """The owner of the symbols."""
        return self._value.shape_env

    def __repr__(self) -> str:
        return self.expr
