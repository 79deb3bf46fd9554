"""register_fake with PyTorch's rules."""

from collections.abc import Callable
from functools import partial

from .. import _C
from ..library import Library, OperatorLike, register_fake
from .registrations import impl_slot, operator_name


def register_fake_as_torch(
    op: OperatorLike,
    func: Callable | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Callable:
    """Register the function that computes shapes and dtypes of the results without data.

    PyTorch runs the body of a composite on fake tensors, so a composite gets no fake kernel.
    `opwright.library.register_fake` accepts one.

    >>> from opwright.compat.torch.library import Library, register_fake
    >>> with Library("tour", "FRAGMENT") as lib:
    ...     _ = lib.define("twice(Tensor x) -> Tensor")
    ...     lib.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
    ...     try:
    ...         register_fake("tour::twice", lambda x: x, lib=lib)
    ...     except RuntimeError as error:
    ...         print(str(error).split(":")[2])
    twice is a composite (CompositeImplicitAutograd)
    """
    if func is None:
        return partial(register_fake_as_torch, op, lib=lib, allow_override=allow_override)
    name = operator_name(op)
    if _C.has_own_function(name, impl_slot("CompositeImplicitAutograd")):
        raise RuntimeError(
            f"{name} is a composite (CompositeImplicitAutograd): fake tensors run its body. "
            "Register that for a device, or as CompositeExplicitAutograd"
        )
    return register_fake(op, func, lib=lib, allow_override=allow_override)
