"""An operator call in XLA's form: arrays one after the other, everything else as attributes.

bridges/jax/xla_arguments.h is the other side.
"""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .. import _C, fake

_LIST = re.compile(r"(\w+)\[(\d*)\]")


@dataclasses.dataclass
class BoundCall:
    """One traced call; `results` are the shapes of XLA's results."""

    tensors: list[Any]
    attributes: dict[str, Any]
    results: tuple[jax.ShapeDtypeStruct, ...]
    aliases: dict[int, int]
    vmap_method: str
    is_differentiable: bool
    unflatten: Callable[[tuple[Any, ...]], Any]


def bind_call(op: _C.Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundCall:
    """Return the call with these arguments; the fake kernel determines its result shapes."""
    given = _by_name(op, args, kwargs)
    tensors: list[Any] = []
    counts: list[int] = []
    attributes: dict[str, Any] = {"_operator": op.name}
    fake_args: list[Any] = []
    written: list[int] = []
    with fake.FakeTensorMode():
        for argument in op.schema.arguments:
            value = given[argument.name]
            if argument.type.startswith("Tensor"):
                if argument.is_write:
                    written.append(len(tensors))
                flat = _flatten(op, argument, value, counts)
                fakes = iter([_fake_like(op, argument, each) for each in flat])
                tensors.extend(flat)
                fake_args.append(_rebuild(value, fakes))
                continue
            converted = _to_attribute(op, argument, value)
            if converted is not None:
                attributes[argument.name] = converted
            fake_args.append(_for_fake_call(argument.type, value))
        outcome = _call_fake(op, fake_args)
    if counts:
        attributes["_given"] = np.array(counts, dtype=np.int64)
    results, aliases, unflatten = _plan_results(op, outcome, tensors, written)
    return BoundCall(
        tensors=tensors,
        attributes=attributes,
        results=results,
        aliases=aliases,
        vmap_method=_choose_vmap_method(op, tensors),
        is_differentiable=not written,
        unflatten=unflatten,
    )


# ---- Arguments ----


def _by_name(op: _C.Operator, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    positional = [each for each in op.schema.arguments if not each.kwarg_only]
    if len(args) > len(positional):
        raise TypeError(
            f"{op.name}: it takes {len(positional)} positional arguments, got {len(args)}"
        )
    given = {each.name: value for each, value in zip(positional, args, strict=False)}
    names = [each.name for each in op.schema.arguments]
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{op.name}: it has no argument '{name}'; it has: {', '.join(names)}")
        if name in given:
            raise TypeError(f"{op.name}: argument '{name}' was given twice")
        given[name] = value
    for each in op.schema.arguments:
        if each.name in given:
            continue
        if not each.has_default:
            raise TypeError(f"{op.name}: argument '{each.name}' is missing")
        given[each.name] = each.default
    return given


def _flatten(op: _C.Operator, argument: _C.Argument, value: Any, counts: list[int]) -> list[Any]:
    """Return the arrays of a tensor argument; what else the bridge must know goes to `counts`."""
    kind = argument.type
    is_list = "[" in kind
    if value is None:
        if not kind.endswith("?"):
            raise TypeError(f"{op.name}: argument '{argument.name}' is a {kind}, got None")
        counts.append(0)
        return []
    if kind.endswith("?"):
        counts.append(1)
    if not is_list:
        return [_as_array(op, argument, value)]
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"{op.name}: argument '{argument.name}' is a {kind}, got {type(value).__name__}"
        )
    counts.append(len(value))
    if kind.startswith("Tensor?["):
        counts.extend(0 if each is None else 1 for each in value)
    return [_as_array(op, argument, each) for each in value if each is not None]


def _as_array(op: _C.Operator, argument: _C.Argument, value: Any) -> Any:
    try:
        return jnp.asarray(value)
    except TypeError as error:
        raise TypeError(
            f"{op.name}: argument '{argument.name}' is a {argument.type}, which takes an array of "
            f"JAX, got {type(value).__name__}"
        ) from error


def _rebuild(value: Any, flat: Any) -> Any:
    """Return `value` with its arrays replaced by those of `flat`."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return [None if each is None else next(flat) for each in value]
    return next(flat)


def _fake_like(op: _C.Operator, argument: _C.Argument, array: Any) -> _C.Tensor:
    if not all(isinstance(size, int) for size in array.shape):
        raise NotImplementedError(
            f"{op.name}: argument '{argument.name}' has symbolic sizes {array.shape}, which "
            "opwright.jax does not take yet; export with fixed sizes"
        )
    dtype = getattr(_C, str(array.dtype), None)
    if not isinstance(dtype, _C.dtype):
        raise TypeError(
            f"{op.name}: argument '{argument.name}' has dtype {array.dtype}, which Opwright does "
            "not have"
        )
    return _C.ops.aten.empty.memory_format(list(array.shape), dtype=dtype)


_NUMBERS = {"int": int, "SymInt": int, "float": float, "bool": bool, "str": str}
_ELEMENTS = {"int": np.int64, "SymInt": np.int64, "float": np.float64, "bool": np.bool_}
_MEMORY_FORMATS = {
    _C.contiguous_format: 0,
    _C.preserve_format: 1,
    _C.channels_last: 2,
    _C.channels_last_3d: 3,
}


def _to_attribute(op: _C.Operator, argument: _C.Argument, value: Any) -> Any:
    """Return the attribute for XLA; None if it is omitted."""
    kind = argument.type.removesuffix("?")
    if value is None and argument.type.endswith("?"):
        return None
    if isinstance(value, jax.core.Tracer):
        raise TypeError(
            f"{op.name}: argument '{argument.name}' is a {argument.type}, which must be known when "
            "the function is traced; it is a traced value here (jax.jit: see static_argnames)"
        )
    try:
        return _convert(kind, value)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(
            f"{op.name}: argument '{argument.name}' is a {argument.type}, got "
            f"{type(value).__name__} {value!r}"
        ) from error


def _convert(kind: str, value: Any) -> Any:
    found = _LIST.fullmatch(kind)
    if found:
        length = int(found[2]) if found[2] else None
        elements = [value] * length if length and not isinstance(value, list | tuple) else value
        dtype = np.uint8 if found[1] == "bool" else _ELEMENTS[found[1]]  # XLA has no list of bools
        return np.array([_number(found[1], each) for each in elements], dtype)
    if kind in _NUMBERS:
        return _number(kind, value)
    if kind == "Scalar":
        return _scalar(value)
    if kind == "complex":
        return _parts(complex(value))
    if kind == "ScalarType":
        return _dtype_name(value)
    if kind == "Device":
        return str(_C.device(value))
    if kind == "MemoryFormat":
        return np.int64(_MEMORY_FORMATS[value])
    if kind == "Layout":
        return np.int64(0)
    raise TypeError(kind)


def _number(kind: str, value: Any) -> Any:
    wanted = _NUMBERS[kind]
    if wanted is float and isinstance(value, int | np.integer) and not isinstance(value, bool):
        value = float(value)
    if wanted is not str and isinstance(value, np.generic):
        value = value.item()
    if type(value) is not wanted:
        raise TypeError(kind)
    return _ELEMENTS[kind](value) if kind in _ELEMENTS else value


def _scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, complex):
        return _parts(value)
    kinds = {bool: "bool", int: "int", float: "float"}
    return _number(kinds[type(value)], value)


def _parts(value: complex) -> np.ndarray:
    return np.array([value.real, value.imag], np.float64)


def _dtype_name(value: Any) -> str:
    if isinstance(value, _C.dtype):
        return str(value).split(".")[-1]
    return str(np.dtype(value))


def _for_fake_call(kind: str, value: Any) -> Any:
    """Return the value as the operator itself accepts it: a dtype may be NumPy's."""
    if value is not None and kind.startswith("ScalarType") and not isinstance(value, _C.dtype):
        return getattr(_C, _dtype_name(value))
    return value.item() if isinstance(value, np.generic) else value


# ---- Results ----


def _call_fake(op: _C.Operator, values: list[Any]) -> list[Any]:
    positional = []
    by_keyword = {}
    for argument, value in zip(op.schema.arguments, values, strict=True):
        if argument.kwarg_only:
            by_keyword[argument.name] = value
        else:
            positional.append(value)
    outcome = op(*positional, **by_keyword)
    count = len(op.schema.returns)
    if count == 0:
        return []
    return [outcome] if count == 1 else list(outcome)


def _shape_of(op: _C.Operator, place: int, tensor: _C.Tensor) -> jax.ShapeDtypeStruct:
    if not all(isinstance(size, int) for size in tensor.shape):
        raise NotImplementedError(
            f"{op.name}: the sizes of result {place} depend on data ({tuple(tensor.shape)}), and "
            "XLA allocates memory before the call; opwright.jax has no operators of this kind yet"
        )
    dtype = jnp.dtype(_dtype_name(tensor.dtype))
    if jax.dtypes.canonicalize_dtype(dtype) != dtype:
        raise TypeError(
            f"{op.name}: result {place} is {dtype}, which this JAX is set not to have; set "
            "jax.config.update('jax_enable_x64', True)"
        )
    return jax.ShapeDtypeStruct(tuple(tensor.shape), dtype)


def _plan_results(
    op: _C.Operator, outcome: list[Any], tensors: list[Any], written: list[int]
) -> tuple[tuple[jax.ShapeDtypeStruct, ...], dict[int, int], Callable[[tuple[Any, ...]], Any]]:
    shapes: list[jax.ShapeDtypeStruct] = []
    aliases: dict[int, int] = {}
    by_alias = dict(zip((a.alias for a in op.schema.arguments if a.is_write), written, strict=True))
    structure: list[Any] = []  # for each result an index, or a list of them, or None
    for described, value in zip(op.schema.returns, outcome, strict=True):
        if described.is_write:
            aliases[by_alias[described.alias]] = len(shapes)
        if isinstance(value, list | tuple):
            structure.append(list(range(len(shapes), len(shapes) + len(value))))
            shapes.extend(_shape_of(op, len(structure) - 1, each) for each in value)
        elif value is None:
            structure.append(None)
        else:
            structure.append(len(shapes))
            shapes.append(_shape_of(op, len(structure) - 1, value))
    for place in written:
        if place not in aliases:
            aliases[place] = len(shapes)
            structure.append(len(shapes))
            shapes.append(jax.ShapeDtypeStruct(tensors[place].shape, tensors[place].dtype))
    return tuple(shapes), aliases, lambda flat: _unflatten(structure, flat)


def _unflatten(structure: list[Any], flat: tuple[Any, ...]) -> Any:
    def pick(place: Any) -> Any:
        if isinstance(place, list):
            return [flat[each] for each in place]
        return None if place is None else flat[place]

    if not structure:
        return None
    picked = tuple(pick(place) for place in structure)
    return picked[0] if len(picked) == 1 else picked


def _choose_vmap_method(op: _C.Operator, tensors: list[Any]) -> str:
    """Return whether a pointwise operator can process all samples at once: a new first dimension
    must mean the same to each of its arguments."""
    has_one_rank = len({tensor.ndim for tensor in tensors}) <= 1
    return "broadcast_all" if "pointwise" in op.tag_names and has_one_rank else "sequential"
