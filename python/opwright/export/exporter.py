"""Exports a function or module by running it once, on fake tensors."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import _C, _number_from_data, nn, pytree
from .._compile.phase import exporting
from .._func.call_tree import Arguments, Parameters, argument_paths, is_value, module_of
from .._func.refusal import refusal
from ..nn import traced_call
from .dynamic_shapes import (
    AdditionalInputs,
    Dim,
    check_constant,
    int_dim,
    leaf_dims,
    read_dynamic_shapes,
)
from .exported_program import ExportedProgram
from .module_calls import CallRecorder, class_path
from .module_state import ModuleState
from .symbolic_builtins import symbolic_builtins

__all__ = ["export"]

del _number_from_data  # imported for what it registers: floats and bools that item() reads


def export(
    mod: nn.Module | Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: Iterable[str] = (),
) -> ExportedProgram:
    """Run a module or function once on fake tensors; return it as a program.

    >>> from opwright.export import Dim, export
    >>> model = ow.nn.Sequential(ow.nn.Linear(3, 4), ow.nn.ReLU())
    >>> program = export(model, (ow.randn(8, 3),), dynamic_shapes={"input": {0: Dim("batch")}})
    >>> x = ow.randn(5, 3)
    >>> ow.equal(program(x), model(x))
    True

    Arguments are tensors in any nesting of tuples, lists, dicts and dataclasses. Tensors and the
    ints that have a Dim are inputs; everything else is constant in the program, which rejects other
    values.

    `dynamic_shapes` says which sizes may differ in other calls: a dict by the names of the
    arguments or a list in their order, nested as they are; for each tensor a dict from dimensions
    to Dims, a list of Dims, or None. Sizes without a Dim are fixed.

    Parameters and buffers keep their paths; the program writes the buffers that the module writes.
    Operators that are not built in are not decomposed. The grad mode during the export does not
    matter. The function is run, not parsed, with `strict` or without.
    `preserve_module_call_signature` has the paths of modules that `unflatten` calls as here.
    """
    del strict
    program = trace_program(
        mod, args, kwargs, dynamic_shapes, preserved=tuple(preserve_module_call_signature)
    )
    if isinstance(dynamic_shapes, AdditionalInputs):
        dynamic_shapes.verify(program)
    return program


def trace_program(
    mod: nn.Module | Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None,
    dynamic_shapes: Any,
    onnx_opset: int | None = None,
    preserved: tuple[str, ...] = (),
    keep_composites: bool = False,
    warn_of_attributes: bool = False,
) -> ExportedProgram:
    """`export`, for all callers; operators with a rule for `onnx_opset` are not decomposed.

    With `keep_composites`, nor are operators that are composed of others. With
    `warn_of_attributes`, a tensor that is set as an attribute is lost with a warning, not an error.
    """
    if not callable(mod):
        raise refusal(
            "InputTypeError", f"export: expected a module or a function, got {type(mod).__name__}"
        )
    if not isinstance(args, (tuple, list)):
        raise refusal(
            "InputTypeError",
            f"export: args must be a tuple of arguments, got {type(args).__name__}",
        )
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise refusal(
            "InputTypeError",
            f"export: kwargs must be a dict of arguments, got {type(kwargs).__name__}",
        )
    with contextlib.ExitStack() as stack:
        stack.enter_context(_C.inference_mode(False))
        stack.enter_context(_C.enable_grad())
        stack.enter_context(exporting())
        stack.enter_context(symbolic_builtins())
        module = module_of(mod)
        state = None
        if isinstance(module, nn.Module):
            state = stack.enter_context(ModuleState(module, warn_of_attributes))
        session = _C.ExportSession(onnx_opset, keep_composites)
        recorder = CallRecorder(session, preserved)
        stack.callback(traced_call.record_calls, traced_call.record_calls(recorder))
        call = (tuple(args), dict(kwargs or {}))
        return _export(mod, state, call, dynamic_shapes, session, recorder)


def _export(
    f: Callable,
    state: ModuleState | None,
    given_call: tuple[tuple, dict],
    dynamic_shapes: Any,
    session: _C.ExportSession,
    recorder: CallRecorder,
) -> ExportedProgram:
    args, kwargs = given_call
    parameters = Parameters(f)
    arguments, given = Arguments.of_call(parameters, args, kwargs)
    kwargs = {key: kwargs[key] for key in arguments.keys}
    shapes = read_dynamic_shapes(parameters, dynamic_shapes, args, kwargs, given)
    if state:
        state.add_to(session)
    leaves = _add_leaves(session, given, argument_paths(parameters, args, kwargs), shapes)
    own_args, own_kwargs = pytree.tree_unflatten(leaves, arguments.spec)

    def call() -> Any:
        result = f(*own_args, **own_kwargs)
        if state:
            state.write_buffers()
        return result

    outputs, results = pytree.tree_flatten(session.run(call, (), {}))
    for index, leaf in enumerate(outputs):
        is_value("export", f, leaf, results, index)
    program = session.finish(outputs, arguments.text, _C.tree_text(results))
    made = ExportedProgram(program, arguments, results, recorder.finish())
    made.__dict__["_annotations"] = recorder.annotations
    if state:
        made.__dict__["_same_constants"] = state.same_constants
        made.__dict__["_root_type"] = class_path(module_of(f))
    return made


def _add_leaves(
    session: _C.ExportSession, given: list[Any], paths: list[str], shapes: list[Any]
) -> list[Any]:
    """Pass the arguments to the session; return what the function is called with instead."""
    leaves = list(given)
    tensors = []
    for index, (leaf, path, shape) in enumerate(zip(given, paths, shapes, strict=True)):
        if isinstance(leaf, _C.Tensor):
            session.add_tensor(leaf, path, leaf_dims(leaf, shape, path))
            tensors.append(index)
        elif type(leaf) is int and (dim := int_dim(leaf, shape, path)) != Dim.STATIC:
            leaves[index] = session.add_int(leaf, path, dim)
        else:
            check_constant(leaf, shape, path)
            session.add_constant(leaf, path)
    for index, own in zip(tensors, session.enter(), strict=True):
        leaves[index] = own
    return leaves
