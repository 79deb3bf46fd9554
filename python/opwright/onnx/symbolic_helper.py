"""Helpers for writing symbolics: parse_args, properties of values, nodes by opset.

The names are those of torch.onnx.symbolic_helper, so that symbolics written for PyTorch run.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .. import _C

__all__ = ["cast_pytorch_to_onnx", "parse_args", "scalar_type_to_onnx"]

Value = _C.OnnxValue

# "Float" -> 1: ONNX's number of a dtype, by the name that `value.type().scalarType()` returns.
cast_pytorch_to_onnx = {name: number for _, name, _, number in _C.onnx_scalar_types}
# The same by PyTorch's number, which 'i' returns for a dtype argument.
scalar_type_to_onnx = {code: number for _, _, code, number in _C.onnx_scalar_types}
scalar_type_to_pytorch_type = {code: dtype for dtype, _, code, _ in _C.onnx_scalar_types}
pytorch_name_to_type = {name: dtype for dtype, name, _, _ in _C.onnx_scalar_types}

_FLOATS = ("Float", "Double", "Half", "BFloat16")


def parse_args(*arg_descriptors: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Pass constants to a symbolic as Python objects: a descriptor for each argument.

    'v' is a value of the graph, 'i' an int, 'f' a float, 's' a string, 'b' a bool, 't' a tensor,
    'is' a list of ints, 'fs' a list of floats, 'none' any value. None stays None.

    >>> from opwright.onnx.symbolic_helper import parse_args
    >>> @parse_args("v", "f")
    ... def scale_symbolic(g, x, factor):
    ...     return g.op("vendor::Scale", x, factor_f=factor)
    >>> parse_args("v", "x")
    Traceback (most recent call last):
        ...
    ValueError: parse_args: there is no descriptor 'x'; there are 'v', 'i', 'f', 's', 'b', 't', \
'is', 'fs', 'none'
    """
    for descriptor in arg_descriptors:
        _C.check_onnx_descriptor(descriptor)

    def decorate(symbolic: Callable[..., Any]) -> Callable[..., Any]:
        name = getattr(symbolic, "__name__", type(symbolic).__name__)
        names = [*inspect.signature(symbolic).parameters][1:]

        @functools.wraps(symbolic)
        def parsed(g: _C.OnnxGraph, *args: Any, **kwargs: Any) -> Any:
            if len(args) > len(arg_descriptors):
                raise ValueError(
                    f"the symbolic {name} has {len(arg_descriptors)} descriptors in parse_args, "
                    f"but {g.describe_call()} has {len(args)} arguments; give one for each"
                )
            values = [
                _C.parse_onnx_argument(
                    value, descriptor, names[i] if i < len(names) else f"arg{i}", name
                )
                for i, (value, descriptor) in enumerate(zip(args, arg_descriptors, strict=False))
            ]
            return symbolic(g, *values, **kwargs)

        parsed._arg_descriptors = arg_descriptors
        return parsed

    return decorate


# ---- Properties of values ----


def _is_value(x: Any) -> bool:
    """Return whether it is a value of the graph, not a Python object."""
    return isinstance(x, Value)


def _is_none(value: Any) -> bool:
    return value is None or (_is_value(value) and value.is_none)


def _is_constant(value: Any) -> bool:
    return not _is_value(value) or value.is_constant


def _is_tensor(value: Value) -> bool:
    return not value.is_none and not value.is_list


def _is_packed_list(value: Any) -> bool:
    """Return whether it is a list of values."""
    return _is_value(value) and value.is_list


_is_list = _is_tensor_list = _is_packed_list


def _unpack_list(value: Value) -> list[Value]:
    """Return the values of a list, e.g. `Tensor[] xs`, to pass as `g.op(name, *xs)`."""
    if not value.is_list:
        raise TypeError(f"_unpack_list: a list of values was expected, got {value!r}")
    return value.elements


_unpack_tuple = _unpack_list


def _get_const(value: Any, desc: str, arg_name: str) -> Any:
    """Return a constant as a descriptor of parse_args says; computed values raise an error."""
    return _C.parse_onnx_argument(value, desc, arg_name, "that is running")


def _maybe_get_const(value: Any, desc: str) -> Any:
    """Return a constant, or the value itself if it is computed."""
    is_there = _is_value(value) and value.is_constant
    return _get_const(value, desc, "value") if is_there else value


def _maybe_get_scalar(value: Any) -> Any:
    """Return the tensor of a constant with one element, or the value itself."""
    constant = _maybe_get_const(value, "t")
    is_one = isinstance(constant, _C.Tensor) and constant.numel() == 1
    return constant if is_one else value


def _get_tensor_sizes(value: Value, allow_nonstatic: bool = True) -> list[int | None] | None:
    """Return the sizes, with None for dynamic ones; None if unknown."""
    sizes = value.type().sizes()
    is_static = sizes is not None and None not in sizes
    return sizes if allow_nonstatic or is_static else None


def _get_tensor_rank(value: Value) -> int | None:
    return value.type().dim()


def _get_tensor_dim_size(value: Value, dim: int) -> int | None:
    """Return one size; None if it is dynamic or unknown."""
    sizes = _get_tensor_sizes(value)
    return None if sizes is None else sizes[dim]


def _try_get_scalar_type(*args: Any) -> str | None:
    """Return "Float", "Long", ... of the first value whose dtype is known."""
    for value in args:
        if _is_value(value) and (name := value.type().scalarType()):
            return name
    return None


def _is_fp(value: Any) -> bool:
    return _try_get_scalar_type(value) in _FLOATS


def _is_bool(value: Any) -> bool:
    return _try_get_scalar_type(value) == "Bool"


def args_have_same_dtype(args: Sequence[Value]) -> bool:
    """Return whether all values have the dtype of the first."""
    return len({value.type().scalarType() for value in args}) <= 1


# ---- Nodes whose form depends on the opset ----


def _unsqueeze_helper(g: _C.OnnxGraph, input: Value, axes_i: Sequence[int] | Value) -> Value:
    return g.unsqueeze(input, _ints(axes_i))


def _squeeze_helper(g: _C.OnnxGraph, input: Value, axes_i: Sequence[int] | Value) -> Value:
    return g.squeeze(input, _ints(axes_i))


def _reducesum_helper(
    g: _C.OnnxGraph,
    input: Value,
    axes_i: Sequence[int] | Value | None = None,
    keepdims_i: int = 1,
    noop_with_empty_axes_i: int = 0,
) -> Value:
    if not axes_i and noop_with_empty_axes_i:
        return input
    return g.reduce("ReduceSum", input, _ints(axes_i or ()), bool(keepdims_i))


def _size_helper(g: _C.OnnxGraph, self: Value, dim: int | Value) -> Value:
    """Return one size as a value of the model: int64 without dimensions."""
    return g.op("Gather", g.op("Shape", self), dim, axis_i=0)


def _select_helper(g: _C.OnnxGraph, self: Value, dim: int | Value, index: int | Value) -> Value:
    return g.op("Gather", self, index, axis_i=_ints(dim)[0])


def _slice_helper(
    g: _C.OnnxGraph,
    input: Value,
    axes: Sequence[int] | Value,
    starts: Sequence[int] | Value,
    ends: Sequence[int] | Value,
    steps: Sequence[int] | Value | None = None,
) -> Value:
    """Slice; `starts` and `ends` may be values of the graph."""
    return g.op("Slice", input, starts, ends, axes, steps)


def _reshape_helper(
    g: _C.OnnxGraph, input: Value, shape: Sequence[int] | Value, allowzero: int = 0
) -> Value:
    is_known = g.opset >= 14 and allowzero
    return g.op("Reshape", input, shape, allowzero_i=allowzero if is_known else None)


def _if_scalar_type_as(self: Value, tensor: Value) -> Any:
    """Return a number as a tensor with the dtype of another value; return a value unchanged."""
    if _is_value(self):
        return self
    dtype = tensor.type().dtype()
    return _C.tensor(self, dtype=dtype) if dtype is not None else self


def _ints(axes: int | Sequence[int] | Value) -> list[int]:
    if _is_value(axes):
        return _get_const(axes, "is", "axes")
    return [axes] if isinstance(axes, int) else list(axes)


# ---- Errors ----


def _unimplemented(op: str, msg: str, value: Value | None = None) -> NoReturn:
    """Reject a call that the symbolic cannot convert."""
    raise NotImplementedError(f"{op}: {msg}{_naming(value)}")


def _onnx_unsupported(op_name: str, value: Value | None = None) -> NoReturn:
    raise NotImplementedError(f"{op_name} cannot be exported to ONNX{_naming(value)}")


def _onnx_opset_unsupported(
    op_name: str, current_opset: int, supported_opset: int, value: Value | None = None
) -> NoReturn:
    raise NotImplementedError(
        f"{op_name} cannot be exported to opset {current_opset}; opset {supported_opset} has "
        f"it{_naming(value)}"
    )


def _onnx_opset_unsupported_detailed(
    op_name: str,
    current_opset: int,
    supported_opset: int,
    reason: str,
    value: Value | None = None,
) -> NoReturn:
    raise NotImplementedError(
        f"{op_name} cannot be exported to opset {current_opset}: {reason}; opset {supported_opset} "
        f"has it{_naming(value)}"
    )


def _naming(value: Value | None) -> str:
    return f" (at {value!r})" if value is not None else ""
