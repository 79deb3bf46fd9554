"""opwright.torch.ops: the registered operators as callables with a fast path for plain tensors."""

from collections.abc import Callable

import torch

from ._registration import RegisteredOperator


def make_callable(registered: RegisteredOperator) -> Callable:
    """Return a function for an operator: the kernel itself where that is safe, else torch.ops."""
    overload = registered.overload
    fast = registered.operator.fast(overload)
    is_compiling = torch.compiler.is_dynamo_compiling

    def call(*args: object, **kwargs: object) -> object:
        if is_compiling():
            return overload(*args, **kwargs)
        return fast(*args, **kwargs)

    call.__name__ = call.__qualname__ = registered.name
    call.__doc__ = f"{registered.operator.schema}, without torch's dispatcher where that is safe."
    return call


class Namespace:
    """The operators of one namespace, by name: `soft_clip`, or `soft_clip_out` for an overload."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._callables: dict[str, Callable] = {}

    def __getattr__(self, name: str) -> Callable:
        known = self.__dict__.get("_callables", {})
        if name in known:
            return known[name]
        raise AttributeError(
            f"no operator {self._name}::{name} was loaded into torch by opwright.torch; "
            f"there are: {', '.join(sorted(known)) or 'none'}"
        )

    def __dir__(self) -> list[str]:
        return sorted(self._callables)


class Ops:
    """Namespaces by name."""

    def __init__(self) -> None:
        self._namespaces: dict[str, Namespace] = {}

    def __getattr__(self, name: str) -> Namespace:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._namespaces.setdefault(name, Namespace(name))

    def __dir__(self) -> list[str]:
        return sorted(name for name, each in self._namespaces.items() if each._callables)


def _place_of(name: str) -> tuple[str, str]:
    namespace, rest = name.split("::")
    return namespace, rest.replace(".", "_")


def add(ops: Ops, registered: RegisteredOperator) -> None:
    """Add an operator to `ops`."""
    namespace, name = _place_of(registered.name)
    getattr(ops, namespace)._callables[name] = make_callable(registered)


def remove(ops: Ops, registered: RegisteredOperator) -> None:
    """Remove it again."""
    namespace, name = _place_of(registered.name)
    getattr(ops, namespace)._callables.pop(name, None)
