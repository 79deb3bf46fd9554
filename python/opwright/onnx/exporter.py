"""export: converts a function, module or program to a model."""

from __future__ import annotations

import contextlib
import enum
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import IO, Any

from .. import _C, nn
from .._func.call_tree import module_of
from .._library.registrations import operator_name
from ..export import ExportedProgram
from ..export.exporter import trace_program
from .dynamic_axes import name_sizes, read_dynamic_axes
from .model import OnnxModel
from .real_results import with_real_results

__all__ = ["TrainingMode", "export", "is_in_onnx_export"]

_is_exporting: ContextVar[bool] = ContextVar("_is_exporting", default=False)


def is_in_onnx_export() -> bool:
    """Return whether the calling code is being traced for a model.

    >>> from opwright import onnx
    >>> onnx.is_in_onnx_export()
    False
    """
    return _is_exporting.get()


class TrainingMode(enum.IntEnum):
    """The mode in which a module is exported.

    >>> from opwright import onnx
    >>> onnx.TrainingMode.EVAL.name
    'EVAL'
    """

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


# Arguments of torch.onnx.export that select its implementation: every value is accepted.
_WITHOUT_EFFECT = {
    "artifacts_dir",
    "autograd_inlining",
    "do_constant_folding",
    "dynamo",
    "fallback",
    "operator_export_type",
    "optimize",
}
# Arguments that request unsupported features.
_NOT_DONE = {
    "custom_translation_table",
    "dump_exported_program",
    "export_modules_as_functions",
    "keep_initializers_as_inputs",
    "profile",
    "report",
    "verify",
}


def export(
    model: nn.Module | Callable[..., Any] | ExportedProgram,
    args: Any = (),
    f: str | os.PathLike[str] | IO[bytes] | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    opset_version: int | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    dynamic_axes: Mapping[str, Mapping[int, str] | Sequence[int]] | None = None,
    dynamic_shapes: Any = None,
    functions: Iterable[str | _C.Operator | _C.OperatorPacket] = (),
    external_data: bool | None = None,
    metadata: Mapping[str, str] | None = None,
    custom_opsets: Mapping[str, int] | None = None,
    export_params: bool = True,
    training: TrainingMode = TrainingMode.EVAL,
    verbose: bool | None = None,
    doc_string: str = "",
    **others: Any,
) -> OnnxModel:
    """Convert to an ONNX model; write it to `f`, a path or an open file, if given.

    >>> from opwright import onnx
    >>> net = ow.nn.Sequential(ow.nn.Linear(3, 4), ow.nn.ReLU())
    >>> model = onnx.export(
    ...     net,
    ...     (ow.ones(1, 3),),
    ...     input_names=["x"],
    ...     output_names=["y"],
    ...     dynamic_axes={"x": {0: "batch"}},
    ... )
    >>> model
    OnnxModel((x) -> (y))

    The model is traced on fake tensors: no kernel runs, unless an operator has neither a fake
    kernel nor a body. Then it runs on the given arguments, all sizes are fixed, and a warning says
    so. A module is exported in eval mode, and its mode is restored.

    `dynamic_axes` names the dynamic sizes by input, `{"x": {0: "batch"}}`; `dynamic_shapes` names
    them by argument, as in `opwright.export.export`, with names or Dims. Equal names are equal
    sizes.

    `functions` are operators that become functions of the model, from their decompositions; other
    custom operators become nodes. `external_data` stores tensors in a file next to the model; None
    does so for models above 2 GB. `custom_opsets` has the versions of domains; the default is 1.
    With `export_params=False` parameters and buffers are inputs.
    """
    _check_others(others)
    opset = _read_opset(opset_version)
    if isinstance(model, ExportedProgram):
        program = _given_program(model, args, kwargs, dynamic_axes, dynamic_shapes)
    else:
        args, kwargs = _split_arguments(args, kwargs)
        if dynamic_axes is not None:
            if dynamic_shapes is not None:
                raise ValueError("onnx.export: give dynamic_axes or dynamic_shapes, not both")
            dynamic_shapes = read_dynamic_axes(
                model, args, kwargs, dynamic_axes, input_names, output_names
            )
        with _mode(model, training):
            program = _trace(model, args, kwargs, name_sizes(dynamic_shapes), opset)
    handle = program._program if export_params else program._program.lift_state()
    made = _C.onnx_model(
        handle,
        opset,
        _read_names("input_names", input_names),
        _read_names("output_names", output_names),
        [_C.require_operator(operator_name(each)).name for each in functions],
        list((custom_opsets or {}).items()),
        list((metadata or {}).items()),
        external_data,
        doc_string,
    )
    result = OnnxModel(made, program)
    if verbose:
        print(result.text())
    if f is not None:
        result.save(f)
    return result


# ---- Arguments ----


def _check_others(others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if name in _NOT_DONE and value:
            raise NotImplementedError(f"onnx.export: {name}={value!r} is not supported; remove it")
        if name not in _WITHOUT_EFFECT | _NOT_DONE:
            raise TypeError(f"onnx.export: there is no argument {name!r}")


def _read_opset(opset: int | None) -> int:
    if opset is None:
        return _C.default_onnx_opset
    if type(opset) is not int:
        raise TypeError(f"onnx.export: opset_version must be an int, got {type(opset).__name__}")
    oldest, newest = _C.oldest_onnx_opset, _C.newest_onnx_opset
    if not oldest <= opset <= newest:
        raise ValueError(
            f"onnx.export: opset_version={opset} is not written; {oldest} to {newest} are"
        )
    return opset


def _read_names(what: str, names: Sequence[str] | None) -> list[str]:
    if names is None:
        return []
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"onnx.export: {what} must be a list of strings, got {names!r}")
    return list(names)


def _split_arguments(args: Any, kwargs: Mapping[str, Any] | None) -> tuple[tuple, dict[str, Any]]:
    """Read the forms that torch accepts: one tensor alone, a dict of keywords at the end."""
    if not isinstance(args, (tuple, list)):
        args = (args,)
    args = tuple(args)
    if kwargs is None and args and isinstance(args[-1], dict):
        args, kwargs = args[:-1], args[-1]
    return args, dict(kwargs or {})


def _given_program(
    program: ExportedProgram, args: Any, kwargs: Any, dynamic_axes: Any, dynamic_shapes: Any
) -> ExportedProgram:
    if dynamic_axes is not None or dynamic_shapes is not None:
        raise ValueError(
            "onnx.export: the sizes of an ExportedProgram are said when it is made; give "
            "dynamic_shapes to opwright.export.export"
        )
    if args not in ((), None) or kwargs:
        raise ValueError("onnx.export: an ExportedProgram has its arguments; give none")
    return program


# ---- The trace ----


@contextlib.contextmanager
def _mode(model: Any, training: TrainingMode) -> Iterator[None]:
    """Put a module into the mode of the export, and restore each submodule's mode."""
    module = module_of(model)
    if not isinstance(module, nn.Module) or training == TrainingMode.PRESERVE:
        yield
        return
    wanted = training == TrainingMode.TRAINING
    before = [(each, each.training) for each in module.modules()]
    if any(was_training != wanted for _, was_training in before):
        module.train(wanted)
    else:
        before = []
    try:
        yield
    finally:
        for each, was_training in before:
            each.training = was_training


def _trace(
    model: Callable[..., Any], args: tuple, kwargs: dict[str, Any], dynamic_shapes: Any, opset: int
) -> ExportedProgram:
    token = _is_exporting.set(True)
    try:
        return trace_program(model, args, kwargs, dynamic_shapes, opset)
    except NotImplementedError as error:
        with with_real_results(model, args, kwargs, error):
            return trace_program(model, args, kwargs, None, opset)
    finally:
        _is_exporting.reset(token)
