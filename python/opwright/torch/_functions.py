"""The functions of an operator as torch calls them: over torch's own tensors, whoever wrote them.

A function of a binary runs over the object table of the extension module; one that Python
registered gets torch's tensors as they are, and its calls of Opwright's functions go to torch.
"""

from collections.abc import Callable
from functools import wraps

from .. import _C, _torch
from ._foreign import call_in_torch, to_torch

KERNEL_KEYS = {"CPU": "CPU", "CUDA": "CUDA", "AllDevices": "CompositeExplicitAutograd"}
EXPLICIT = "CompositeExplicitAutograd"
IMPLICIT = "CompositeImplicitAutograd"


def _in_torch(function: Callable) -> Callable:
    """Wrap a Python function of an operator for a call by torch."""

    @wraps(function)
    def run(*args: object, **kwargs: object) -> object:
        with _C.ForeignScope(call_in_torch):
            return to_torch(function(*args, **kwargs))

    return run


class Functions:
    """What stands in the row of one operator, looked up when it is needed."""

    def __init__(self, operator: _torch.Operator) -> None:
        self.operator = operator
        self.name = operator.name
        self._core = _C.require_operator(operator.name)
        self._wrapped: dict[str, tuple[Callable, Callable]] = {}

    @property
    def tags(self) -> tuple[str, ...]:
        """What the operator declares about itself."""
        return self._core.tags

    def registered(self, slot: str) -> Callable | None:
        """Return the function that Python registered last for a slot, as it stands there."""
        return _C.python_function(self._core, slot)

    def in_python(self, slot: str) -> Callable | None:
        """Return the same for calls by torch."""
        function = self.registered(slot)
        if function is None:
            return None
        known = self._wrapped.get(slot)
        if known is None or known[0] is not function:
            known = self._wrapped[slot] = (function, _in_torch(function))
        return known[1]

    def in_binary(self, slot: str) -> Callable | None:
        """Return the binary's own function for a slot."""
        return self.operator.rule(slot)

    def find(self, slot: str) -> Callable | None:
        """Return the function of a slot; what Python registered comes first."""
        return self.in_python(slot) or self.in_binary(slot)

    def has(self, slot: str) -> bool:
        """Tell whether a slot has a function."""
        return self.find(slot) is not None

    def has_own_kernels(self) -> bool:
        """Tell whether the kernels are those of the binary."""
        return not any(map(self.registered, (*KERNEL_KEYS, EXPLICIT, IMPLICIT)))

    def is_composite(self) -> bool:
        """Tell whether torch shall see through the operator: it has nothing but its body."""
        own = any(self.has(slot) for slot in (*KERNEL_KEYS, EXPLICIT, "Autograd"))
        return self.has(IMPLICIT) and not own


def keyword_names(operator: _torch.Operator) -> list[str]:
    """Return the names of keyword-only arguments, which stand last."""
    return [name for name, _, _, is_keyword_only in operator.arguments if is_keyword_only]


def calling_by_position(function: Callable, operator: _torch.Operator) -> Callable:
    """Return `function` for callers that give all arguments by position."""
    names = keyword_names(operator)
    if not names:
        return function
    count = len(operator.arguments) - len(names)

    def call(*args: object) -> object:
        return function(*args[:count], **dict(zip(names, args[count:], strict=True)))

    return call
