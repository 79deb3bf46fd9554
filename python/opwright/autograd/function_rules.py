"""The vmap and jvp rules of an autograd.Function."""

from typing import Any, NamedTuple

import opwright as ow

from .. import _C, pytree
from .function_batching import apply_to_batches


class VmapInfo(NamedTuple):
    """What a Function's `vmap` learns about the transform.

    >>> VmapInfo(3, "error").batch_size
    3
    """

    batch_size: int
    randomness: str


def apply_below(cls: Any, args: tuple[Any, ...]) -> Any:
    """Apply the Function at the level below a transform that its arguments do not take part in."""
    return _C.call_below(cls.apply, *args)


def apply_under_vmap(cls: Any, args: tuple[Any, ...]) -> Any:
    """Run the Function's own vmap, or generate it."""
    from .function import Function

    has_vmap = cls.vmap is not Function.vmap
    if has_vmap and cls.generate_vmap_rule:
        raise RuntimeError(
            f"{cls.__name__} has both generate_vmap_rule=True and a vmap staticmethod. Please set "
            "generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
            "ambiguity."
        )
    if not has_vmap and not cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please "
            "override and implement the vmap staticmethod or set generate_vmap_rule=True."
        )
    leaves, spec = pytree.tree_flatten(args)
    pairs = [_C.batch_of(leaf) for leaf in leaves]
    values = pytree.tree_unflatten([pair[0] for pair in pairs], spec)
    dims = pytree.tree_unflatten([pair[1] for pair in pairs], spec)
    info = VmapInfo(*_C.batch_info())
    if has_vmap:
        returned = _C.call_below(cls.vmap, info, dims, *values)
        if not (isinstance(returned, tuple) and len(returned) == 2):
            raise RuntimeError(
                f"{cls.__name__}.vmap must return (outputs, out_dims), got {returned!r}"
            )
        outputs, out_dims = returned
    else:
        outputs, out_dims = _C.call_below(apply_to_batches, cls, info, dims, values)
    return _wrap_batches(outputs, out_dims)


def _wrap_batches(outputs: Any, dims: Any) -> Any:
    if isinstance(outputs, (tuple, list)):
        spread = dims if isinstance(dims, (tuple, list)) else [dims] * len(outputs)
        wrapped = [_wrap_batches(*pair) for pair in zip(outputs, spread, strict=True)]
        return type(outputs)(wrapped)
    return _C.wrap_batch(outputs, dims)


def apply_under_jvp(cls: Any, args: tuple[Any, ...]) -> Any:
    """Run the Function on the primals, and its jvp on the tangents."""
    from .function import Function

    if cls.jvp is Function.jvp:
        raise NotImplementedError(
            f"You must implement the jvp function for custom autograd.Function {cls.__name__} to "
            "use it with forward mode AD."
        )
    pairs = [_C.dual_of(arg) for arg in args]
    contexts: list[Any] = []
    outputs = _C.call_below(_run_primal, cls, contexts, [pair[0] for pair in pairs])
    tangents = _C.call_below(_run_jvp, cls, contexts[0], pairs)
    results = outputs if isinstance(outputs, tuple) else (outputs,)
    directions = tangents if isinstance(tangents, tuple) else (tangents,)
    if len(results) != len(directions):
        raise RuntimeError(
            f"{cls.__name__}.jvp returned {len(directions)} tangents for {len(results)} outputs"
        )
    marked = {id(tensor) for tensor in contexts[0].non_differentiable}
    dual = tuple(
        _C.wrap_dual(result, None if id(result) in marked else direction)
        if isinstance(result, _C.Tensor)
        else result
        for result, direction in zip(results, directions, strict=True)
    )
    return dual if isinstance(outputs, tuple) else dual[0]


class ForwardContext:
    """The `ctx` of a jvp: what forward or setup_context stored on it."""

    def __init__(self, num_inputs: int) -> None:
        self.saved_tensors: tuple[_C.Tensor | None, ...] = ()
        self.non_differentiable: tuple[_C.Tensor, ...] = ()
        self.dirty: tuple[_C.Tensor, ...] = ()
        self.materialize_grads = True
        self.needs_input_grad = (True,) * num_inputs

    def save_for_forward(self, *tensors: _C.Tensor | None) -> None:
        self.saved_tensors = tensors

    def save_for_backward(self, *tensors: _C.Tensor | None) -> None:
        pass

    def mark_non_differentiable(self, *tensors: _C.Tensor) -> None:
        self.non_differentiable = tensors

    def mark_dirty(self, *tensors: _C.Tensor) -> None:
        self.dirty = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize_grads = value


def _run_primal(cls: Any, contexts: list[Any], args: list[Any]) -> Any:
    """Apply the Function, and keep a context for its jvp."""
    from .function import has_setup_context

    context = ForwardContext(len(args))
    contexts.append(context)
    if has_setup_context(cls):
        output = cls.apply(*args)
        cls.setup_context(context, tuple(args), output)
    else:
        output = cls.forward(context, *args)
    return output


def _run_jvp(cls: Any, context: ForwardContext, pairs: list[tuple[Any, Any]]) -> Any:
    def tangent_of(value: Any, tangent: _C.Tensor | None) -> _C.Tensor | None:
        is_missing = tangent is None and isinstance(value, _C.Tensor)
        return ow.zeros_like(value) if is_missing and context.materialize_grads else tangent

    return cls.jvp(context, *(tangent_of(*pair) for pair in pairs))
