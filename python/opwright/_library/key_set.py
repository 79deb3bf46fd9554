"""What `Library.impl(..., with_keyset=True)` passes to a kernel, and kernels that pass on."""

from collections.abc import Callable

from .. import _C


class KeySet(frozenset):
    """The dispatch keys of a call, by name; `redispatch` of an operator accepts it."""

    def has(self, key: object) -> bool:
        """Return whether the key is in the set."""
        return getattr(key, "name", key) in self


def fallthrough_kernel() -> None:
    """Leave a dispatch key empty: `lib.impl(name, fallthrough_kernel, key)` registers nothing.

    >>> import opwright as ow
    >>> from opwright._library.key_set import fallthrough_kernel
    >>> with ow.library.Library("docs_pass", "FRAGMENT") as lib:
    ...     _ = lib.define("twice(Tensor x) -> Tensor")
    ...     lib.impl("twice", lambda x: x + x, "CPU")
    ...     lib.impl("twice", fallthrough_kernel, "Autograd")
    ...     ow.ops.docs_pass.twice(ow.tensor([1.0])).tolist()
    [2.0]
    """
    raise NotImplementedError("fallthrough_kernel is a marker that is never called")


def with_key_set(function: Callable, key: str) -> Callable:
    """Return a kernel that passes the keys of the call to `function` first."""
    keys = KeySet({key})

    def run(*args: object, **keywords: object) -> object:
        return function(keys, *args, **keywords)

    return run


def redispatch(self: _C.Operator, keys: object, *args: object, **keywords: object) -> object:
    """Call the operator from one of its kernels; inside its Autograd kernel, below autograd."""
    return self(*args, **keywords)
