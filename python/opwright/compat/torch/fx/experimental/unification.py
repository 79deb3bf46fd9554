"""torch.fx.experimental.unification: variables, and the values that make terms equal."""

import dataclasses
import itertools
from typing import Any

from opwright.compat._absent import absent

__all__ = ["Var", "isvar", "unify"]

_numbers = itertools.count(1)


@dataclasses.dataclass(frozen=True, repr=False)
class Var:
    """A variable; two of the same token are the same variable.

    >>> Var(3)
    ~3
    """

    token: Any = dataclasses.field(default_factory=lambda: f"_{next(_numbers)}")

    def __repr__(self) -> str:
        return f"~{self.token}"


def isvar(value: object) -> bool:
    """Return whether a value is a variable."""
    return isinstance(value, Var)


def unify(lhs: Any, rhs: Any, known: dict[Var, Any] | None = None) -> dict[Var, Any] | bool:
    """Return the values of the variables with which both sides are equal; False if none exist.

    >>> unify((1, Var(0)), (1, 5))
    {~0: 5}
    >>> unify(1, 2)
    False
    """
    values = dict(known or {})
    waiting = [(lhs, rhs)]
    while waiting:
        left, right = (_value_of(each, values) for each in waiting.pop())
        if isinstance(left, Var) and isinstance(right, Var) and left == right:
            continue
        if isinstance(left, Var):
            values[left] = right
        elif isinstance(right, Var):
            values[right] = left
        elif isinstance(left, (tuple, list)) and type(left) is type(right):
            if len(left) != len(right):
                return False
            waiting.extend(reversed(list(zip(left, right, strict=True))))
        elif left != right:
            return False
    return values


def _value_of(term: Any, values: dict[Var, Any]) -> Any:
    while isinstance(term, Var) and term in values:
        term = values[term]
    return term


__getattr__ = absent(__name__)
