"""Functions with their own backward."""

import functools
from collections.abc import Callable
from typing import Any

from .. import _C

__all__ = ["Function", "FunctionCtx", "once_differentiable"]

FunctionCtx = _C.TapeNode


class Function:
    """Base class of functions with their own backward; called through `apply`.

    `forward(ctx, *args)` computes the outputs, `backward(ctx, *grads)` returns a gradient, or None,
    for each argument of it. `opwright.library.register_autograd` describes `ctx`, which also has
    `mark_dirty` for inputs that were written. In the second form `forward(*args)` has no ctx and
    `setup_context(ctx, inputs, output)` saves.

    The body of forward is not recorded. Tracing sees an operator (`opwright.library.custom_op`) as
    one call, and a rule can batch it; a Function supports neither.

    >>> import opwright as ow
    >>> class Cube(ow.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x**2
    >>> x = ow.tensor([1.0, 2.0], requires_grad=True)
    >>> Cube.apply(x).sum().backward()
    >>> x.grad
    tensor([ 3., 12.])
    """

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("a Function must have a static method `forward`")

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what `backward` needs, if `forward` has no ctx."""
        raise NotImplementedError("setup_context is for Functions whose forward takes no ctx")

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        """Return a gradient, or None, for each argument of `forward`."""
        raise NotImplementedError(
            "a Function must have a static method `backward` to be differentiated"
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` and record it."""
        return _C.apply_function(cls, cls.setup_context is not Function.setup_context, args)


class _DifferentiatedOnce(Function):
    @staticmethod
    def forward(ctx: FunctionCtx, name: str, count: int, *tensors: Any) -> Any:
        ctx.name = name
        return tensors[:count]

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        raise RuntimeError(
            f"{ctx.name} is marked once_differentiable: its gradient cannot be differentiated"
        )


def once_differentiable(function: Callable) -> Callable:
    """Decorate a `backward` that cannot itself be differentiated; doing so then raises an error.

    >>> import opwright as ow
    >>> class Double(ow.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, grad):
    ...         return ow.from_numpy(grad.numpy() * 2)
    >>> x = ow.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    @functools.wraps(function)
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        with _C.no_grad():
            returned = function(ctx, *grads)
        if not _C.is_grad_enabled():
            return returned
        given = returned if isinstance(returned, tuple) else (returned,)
        tensors = [each for each in given if isinstance(each, _C.Tensor)]
        sources = [grad for grad in (*grads, *ctx.saved_tensors) if isinstance(grad, _C.Tensor)]
        marked = iter(_DifferentiatedOnce.apply(ctx.name(), len(tensors), *tensors, *sources))
        return tuple(next(marked) if isinstance(each, _C.Tensor) else each for each in given)

    return backward
