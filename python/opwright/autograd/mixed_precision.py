"""Functions with their own backward, under autocast."""

import functools
from collections.abc import Callable
from typing import Any

from .. import _C
from ..autocast_mode import autocast
from ..pytree import tree_map
from .function import FunctionCtx

__all__ = ["custom_bwd", "custom_fwd"]


def _cast(values: Any, device_type: str, dtype: _C.dtype) -> Any:
    """Cast what autocast would: the device's float tensors except those of float64."""

    def cast(value: Any) -> Any:
        is_cast = (
            isinstance(value, _C.Tensor)
            and value.is_floating_point()
            and value.device.type == device_type
            and value.dtype != _C.float64
        )
        return value.to(dtype) if is_cast else value

    return tree_map(cast, values)


def _note(args: tuple[Any, ...], is_enabled: bool, dtype: _C.dtype) -> None:
    if args and isinstance(args[0], FunctionCtx):
        args[0]._autocast_of_forward = (is_enabled, dtype)


def custom_fwd(
    fwd: Callable | None = None,
    *,
    device_type: str,
    cast_inputs: _C.dtype | None = None,
) -> Callable[..., Any]:
    """Decorate the `forward` of a Function to set its behaviour under autocast, for `custom_bwd`
    too.

    Without `cast_inputs` forward runs under the enclosing autocast. With it, an autocast that is on
    for `device_type` is disabled inside, and float tensors of that device are cast to this dtype;
    those of float64 stay as they are. Where autocast is off it does nothing. If the Function has a
    `setup_context`, decorate that in the same way too: it has the ctx.

    >>> import opwright as ow
    >>> from opwright.autograd import Function, custom_bwd, custom_fwd
    >>> class Product(Function):
    ...     @staticmethod
    ...     @custom_fwd(device_type="cpu", cast_inputs=ow.float32)
    ...     def forward(ctx, x, y):
    ...         ctx.save_for_backward(x, y)
    ...         return x @ y
    ...
    ...     @staticmethod
    ...     @custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         x, y = ctx.saved_tensors
    ...         return grad @ y.t(), x.t() @ grad
    >>> x = ow.ones(2, 2, dtype=ow.bfloat16, requires_grad=True)
    >>> with ow.autocast("cpu"):
    ...     result = Product.apply(x, ow.ones(2, 2))
    >>> result.sum().backward()
    >>> result.dtype, x.grad.dtype
    (opwright.float32, opwright.bfloat16)
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Any, **kwargs: Any) -> Any:
        is_enabled = _C.is_autocast_enabled(device_type)
        dtype = _C.get_autocast_dtype(device_type)
        if cast_inputs is None or not is_enabled:
            _note(args, is_enabled, dtype)
            return fwd(*args, **kwargs)
        _note(args, False, dtype)
        with autocast(device_type, enabled=False):
            cast_args, cast_kwargs = _cast((args, kwargs), device_type, cast_inputs)
            return fwd(*cast_args, **cast_kwargs)

    return forward


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorate the `backward` of a Function to run under the autocast settings of its forward.

    That holds wherever backward is called from; `custom_fwd` records the settings.

    >>> import opwright as ow
    >>> from opwright.autograd import Function, custom_bwd, custom_fwd
    >>> class Square(Function):
    ...     @staticmethod
    ...     @custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x @ x
    ...
    ...     @staticmethod
    ...     @custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         print((grad @ x).dtype)
    ...         return grad @ x.t() + x.t() @ grad
    >>> with ow.autocast("cpu"):
    ...     y = Square.apply(ow.ones(2, 2, requires_grad=True))
    >>> y.sum().backward()
    opwright.bfloat16
    """
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        noted = getattr(ctx, "_autocast_of_forward", None)
        if noted is None:
            raise RuntimeError(
                f"custom_bwd: the forward of {ctx.name()} is not decorated with custom_fwd, so its "
                "autocast is not known\n  Decorate forward, or setup_context where there is one."
            )
        is_enabled, dtype = noted
        with autocast(device_type, dtype, is_enabled):
            return bwd(ctx, *grads)

    return backward
