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


def refuse_context_form(cls: Any, args: tuple[Any, ...]) -> Any:
    """Raise: a forward with a ctx saves for one level; others would not see its backward."""
    raise RuntimeError(
        f"{cls.__name__}: In order to use an autograd.Function with function transforms (vmap, "
        "grad, jvp, jacrev, ...), it must override the setup_context staticmethod: take ctx out of "
        "forward, and save in setup_context(ctx, inputs, output)."
    )


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
            found = f"{len(returned)} returns" if isinstance(returned, tuple) else type(returned)
            raise RuntimeError(
                f"{cls.__name__}: expected the vmap staticmethod to have two returns, the outputs "
                f"and their out_dims, got {found}"
            )
        outputs, out_dims = returned
    else:
        outputs, out_dims = _C.call_below(apply_to_batches, cls, info, dims, values)
    if not _fits(outputs, out_dims):
        raise RuntimeError(
            f"{cls.__name__}.vmap returned an incompatible (outputs, out_dims): out_dims must be "
            f"an int or None for all outputs, or have the structure of the outputs, got {out_dims}"
        )
    return _wrap_batches(outputs, out_dims)


def _fits(outputs: Any, dims: Any) -> bool:
    """Return whether there is one dim for all outputs, or one for each."""
    if not isinstance(dims, (tuple, list)):
        return dims is None or isinstance(dims, int)
    kind = list if isinstance(dims, list) else tuple
    is_same = isinstance(outputs, kind) and len(outputs) == len(dims)
    return is_same and all(map(_fits, outputs, dims))


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
    dual = tuple(
        _dual_output(cls, contexts[0], args, pairs, *each)
        for each in zip(range(len(results)), results, directions, strict=True)
    )
    return dual if isinstance(outputs, tuple) else dual[0]


def _dual_output(
    cls: Any,
    context: "ForwardContext",
    args: tuple[Any, ...],
    pairs: list[tuple[Any, Any]],
    place: int,
    result: Any,
    direction: _C.Tensor | None,
) -> Any:
    """Return an output of forward with its tangent; check that the jvp did what forward did."""
    if not isinstance(result, _C.Tensor):
        return result
    is_marked = any(result is each for each in context.non_differentiable)
    if is_marked or not _has_tangents(result):
        if direction is not None:
            raise RuntimeError(
                f"{cls.__name__}.jvp returned a tangent for output {place}, which is not "
                "differentiable. You should return None at that position instead."
            )
        return _C.wrap_dual(result, None)
    source = next((i for i, pair in enumerate(pairs) if pair[0] is result), None)
    if any(result is each for each in context.dirty):
        if source is None:
            return _C.wrap_dual(result, direction)
        is_written = direction is not None and direction._version > context.versions[source]
        if direction is not context.tangents[source] or not is_written:
            raise RuntimeError(
                f"{cls.__name__}: An inplace custom Function is not modifying the forward mode "
                "gradients inplace. If the forward is modifying an input inplace, then the jvp "
                "function must modify the corresponding gradient inplace."
            )
        _C.set_tangent(args[source], direction)
        return args[source]
    if direction is not None:
        _check_view(cls, context, pairs, result, direction)
    return _C.wrap_dual(result, direction)


def _check_view(
    cls: Any,
    context: "ForwardContext",
    pairs: list[tuple[Any, Any]],
    result: _C.Tensor,
    direction: _C.Tensor,
) -> None:
    """Check that the tangent of a view of an input is a view of the input's tangent.

    Otherwise a write to one of the two would not reach the tangent of the other.
    """
    for place, (primal, _) in enumerate(pairs):
        if not isinstance(primal, _C.Tensor):
            continue
        base = primal if primal._base is None else primal._base
        if result is not primal and result._base is not base:
            continue
        problem = (
            f"{cls.__name__}: A custom Function's forward is returning a view (or an input as-is) "
            "but the jvp is not returning a view"
        )
        if not direction._is_view():
            raise RuntimeError(f"{problem}.")
        tangent = context.tangents[place]
        if tangent is None:
            return
        is_base = tangent._base is None
        if direction._base is not (tangent if is_base else tangent._base):
            of_what = "the given input's tangent" if is_base else "the same base as the input's"
            raise RuntimeError(f"{problem} of {of_what}.")
        return


def _has_tangents(value: object) -> bool:
    return isinstance(value, _C.Tensor) and (value.is_floating_point() or value.is_complex())


class ForwardContext:
    """The `ctx` of a jvp: what forward or setup_context stored on it."""

    def __init__(self, num_inputs: int) -> None:
        self.saved_tensors: tuple[_C.Tensor | None, ...] = ()
        self.non_differentiable: tuple[_C.Tensor, ...] = ()
        self.dirty: tuple[_C.Tensor, ...] = ()
        self.materialize_grads = True
        self.needs_input_grad = (True,) * num_inputs
        self.tangents: tuple[_C.Tensor | None, ...] = ()  # as the jvp got them
        self.versions: tuple[int, ...] = ()  # of the tangents, before the jvp

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


class BothContexts:
    """The `ctx` of a forward that both a backward and a jvp follow."""

    def __init__(self, ctx: Any, context: ForwardContext) -> None:
        object.__setattr__(self, "_both", (ctx, context))

    def __getattr__(self, name: str) -> Any:
        ctx, context = self._both
        own = getattr(ctx, name)
        if not callable(getattr(ForwardContext, name, None)):
            return own

        def call_both(*args: Any) -> None:
            own(*args)
            getattr(context, name)(*args)

        return call_both

    def __setattr__(self, name: str, value: Any) -> None:
        for each in self._both:
            setattr(each, name, value)


def _run_primal(cls: Any, contexts: list[Any], args: list[Any]) -> Any:
    """Apply the Function, and keep a context for its jvp."""
    from .function import has_setup_context

    context = ForwardContext(len(args))
    contexts.append(context)
    if has_setup_context(cls):
        output = cls.apply(*args)
        cls.setup_context(context, tuple(args), output)
        return output

    def forward(ctx: Any, *own: Any) -> Any:
        return cls.forward(BothContexts(ctx, context), *own)

    # The level below records the Function itself, with its backward.
    return type(cls)(cls.__name__, (cls,), {"forward": staticmethod(forward)}).apply(*args)


def _run_jvp(cls: Any, context: ForwardContext, pairs: list[tuple[Any, Any]]) -> Any:
    written = {id(tensor) for tensor in context.dirty}

    def tangent_of(value: Any, tangent: _C.Tensor | None) -> _C.Tensor | None:
        if tangent is None:
            is_missing = _has_tangents(value) and context.materialize_grads
            return ow.zeros_like(value) if is_missing else None
        # The jvp of a Function that writes an input may write its tangent, which others may share.
        return tangent.clone() if id(value) in written else tangent

    context.tangents = tuple(tangent_of(*pair) for pair in pairs)
    context.versions = tuple(0 if each is None else each._version for each in context.tangents)
    return cls.jvp(context, *context.tangents)
