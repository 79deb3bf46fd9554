"""The functions of an operator in torch's form: they run on torch's own tensors.

A function of a binary runs over the object table of the extension module; one registered from
Python gets torch's tensors unchanged, and its calls of Opwright's functions go to torch.
"""

from collections.abc import Callable
from functools import wraps

from .. import _C, _torch
from ._foreign import call_in_torch, to_torch

KERNEL_KEYS = {"CPU": "CPU", "CUDA": "CUDA", "AllDevices": "CompositeExplicitAutograd"}
EXPLICIT = "CompositeExplicitAutograd"
IMPLICIT = "CompositeImplicitAutograd"
WRAPS_AUTOGRAD = "AutogradKernel"


def _in_torch(function: Callable) -> Callable:
    """Wrap a Python function of an operator for calls from torch."""

    @wraps(function)
    def run(*args: object, **kwargs: object) -> object:
        with _C.ForeignScope(call_in_torch):
            return to_torch(function(*args, **kwargs))

    return run


class Functions:
    """The row of one operator, looked up on demand."""

    def __init__(self, operator: _torch.Operator) -> None:
        self.operator = operator
        self.name = operator.name
        self._core = _C.require_operator(operator.name)
        self._wrapped: dict[str, tuple[Callable, Callable]] = {}

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the operator."""
        return self._core.tag_names

    def registered(self, slot: str) -> Callable | None:
        """Return the function last registered from Python for a slot, unwrapped."""
        return _C.python_function(self._core, slot)

    def in_python(self, slot: str) -> Callable | None:
        """Return the same, wrapped for calls from torch."""
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
        """Return the function of a slot; Python's registration comes first."""
        return self.in_python(slot) or self.in_binary(slot)

    def has(self, slot: str) -> bool:
        """Return whether a slot has a function."""
        return self.find(slot) is not None

    def has_own_kernels(self) -> bool:
        """Return whether the kernels are those of the binary."""
        return not any(map(self.registered, (*KERNEL_KEYS, EXPLICIT, IMPLICIT)))

    def is_composite(self) -> bool:
        """Return whether torch should see through the operator: it has only its body."""
        slots = (*KERNEL_KEYS, EXPLICIT, "Autograd", WRAPS_AUTOGRAD)
        own = any(self.has(slot) for slot in slots)
        return self.has(IMPLICIT) and not own


def keyword_names(operator: _torch.Operator) -> list[str]:
    """Return the names of keyword-only arguments, which come last."""
    return [name for name, _, _, is_keyword_only in operator.arguments if is_keyword_only]


def calling_by_position(function: Callable, operator: _torch.Operator) -> Callable:
    """Return `function` for callers that pass all arguments by position."""
    names = keyword_names(operator)
    if not names:
        return function
    count = len(operator.arguments) - len(names)

    def call(*args: object) -> object:
        return function(*args[:count], **dict(zip(names, args[count:], strict=True)))

    return call
