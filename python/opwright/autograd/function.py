"""Functions with their own backward."""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C
from .function_rules import (
    apply_below,
    apply_under_jvp,
    apply_under_vmap,
    refuse_context_form,
)

__all__ = ["Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]

FunctionCtx = _C.TapeNode


class Function:
    """Base class of functions with their own backward; called through `apply`.

    `forward(ctx, *args)` computes the outputs, `backward(ctx, *grads)` returns a gradient, or None,
    for each argument of it. `opwright.library.register_autograd` describes `ctx`, which also has
    `mark_dirty` for inputs that were written. In the second form `forward(*args)` has no ctx and
    `setup_context(ctx, inputs, output)` saves; transforms of `opwright.func` take only this form,
    since each of them saves. Arguments may have keywords and defaults.

    The body of forward is not recorded. `jvp(ctx, *tangents)` returns the tangents of the outputs,
    for forward mode; it reads what `ctx.save_for_forward` saved. `vmap(info, in_dims, *args)`
    returns outputs and out_dims for batches; `generate_vmap_rule = True` generates it, if forward
    and backward can be mapped. Tracing does not see a Function as one call, as it does an operator
    (`opwright.library.custom_op`).

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

    generate_vmap_rule = False
    boxed_grads_call = False  # True: backward(ctx, grads) gets a list, which it may clear

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self).__name__} should not be instantiated. Methods on autograd functions are "
            "all static, so you should invoke them on the class itself: "
            f"{type(self).__name__}.apply(...)",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse PyTorch's older form of a Function."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            f"the form with static methods: {type(self).__name__}.apply(...)"
        )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__
        if "vjp" in own and "backward" in own:
            cls.backward = staticmethod(_refuse_two_backwards)  # type: ignore[method-assign]
        elif "vjp" in own:
            cls.backward = own["vjp"]  # type: ignore[method-assign]

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
            "a Function must have a static method `backward` to be differentiated: You must "
            "implement either the backward or vjp method for your custom autograd.Function"
        )

    @staticmethod
    def vjp(ctx: FunctionCtx, *grads: Any) -> Any:
        """Return a gradient for each argument of `forward`: another name of `backward`."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @staticmethod
    def jvp(ctx: FunctionCtx, *tangents: Any) -> Any:
        """Return a tangent for each output of `forward`; those of arguments may be None."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """Return the outputs for batches of arguments, and their batch dimensions."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod "
            "or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and record it."""
        has_setup = has_setup_context(cls)
        if kwargs or (has_setup and len(args) != cls._num_parameters()):
            args = cls._bound_arguments(args, kwargs)
        level = _C.function_level(args, has_setup)
        return _RULES[level](cls, args) if level else _C.apply_function(cls, has_setup, args)

    @classmethod
    def _num_parameters(cls) -> int:
        """Return the number of parameters of forward, or -1 if it takes any number."""
        known = cls.__dict__.get("_parameters_of")
        if known is None or known[0] is not cls.forward:
            parameters = inspect.signature(cls.forward).parameters.values()
            is_fixed = all(each.kind is each.POSITIONAL_OR_KEYWORD for each in parameters)
            known = (cls.forward, len(parameters) if is_fixed else -1)
            cls._parameters_of = known
        return known[1]

    @classmethod
    def _bound_arguments(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of forward in order, with its defaults."""
        context = () if has_setup_context(cls) else (None,)
        try:
            bound = inspect.signature(cls.forward).bind(*context, *args, **kwargs)
        except TypeError as error:
            text = str(error)
            got = "got " if text.startswith("multiple values") else ""
            raise TypeError(f"{got}{text}: {cls.__name__}.forward") from None
        bound.apply_defaults()
        if bound.kwargs:
            raise NotImplementedError(
                f"{cls.__name__}: kwarg-only Tensor args and other keyword-only arguments of "
                f"forward are not supported, got {', '.join(bound.kwargs)}; let them be passed by "
                "position too"
            )
        return bound.args[len(context) :]


_RULES = {
    "vmap": apply_under_vmap,
    "jvp": apply_under_jvp,
    "below": apply_below,
    "refused": refuse_context_form,
}


class InplaceFunction(Function):
    """A `Function` under an older name of PyTorch.

    >>> issubclass(InplaceFunction, Function)
    True
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def has_setup_context(cls: type[Function]) -> bool:
    """Return whether forward has no ctx."""
    return cls.setup_context is not Function.setup_context


def _refuse_two_backwards(ctx: FunctionCtx, *grads: Any) -> Any:
    raise RuntimeError(
        "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
        "only implement one of them."
    )


class _DifferentiatedOnce(Function):
    @staticmethod
    def forward(name: str, count: int, *tensors: Any) -> Any:
        return tensors[:count]

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.name = inputs[0]

    @staticmethod
    def backward(ctx: FunctionCtx, *grads: Any) -> Any:
        raise RuntimeError(
            f"{ctx.name}: its backward is marked with @once_differentiable, so its gradient cannot "
            "be differentiated"
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
