"""torch.fx.operator_schemas: signatures of targets, and arguments bound to them."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import opwright as ow
from opwright import _C, nn
from opwright.compat._absent import absent

__all__ = [
    "ArgsKwargsPair",
    "get_signature_for_torch_op",
    "normalize_function",
    "normalize_module",
]


class ArgsKwargsPair(NamedTuple):
    """Bound arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


_TYPES = {
    "Tensor": ow.Tensor,
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "Scalar": int | float | bool | complex,
    "SymInt": int,
}


def _signature_of(schema: Any) -> inspect.Signature:
    """Return a schema as a signature; `self` is called `input`, as PyTorch's functions call it."""
    parameters = []
    for argument in schema.arguments:
        kind = (
            inspect.Parameter.KEYWORD_ONLY
            if getattr(argument, "kwarg_only", False)
            else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        default = inspect.Parameter.empty
        if argument.has_default:
            default = argument.default
        name = "input" if argument.name == "self" else argument.name
        annotation = _TYPES.get(str(argument.type), inspect.Parameter.empty)
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    return inspect.Signature(parameters)


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """Return the signatures of the overloads of an operator; None for another callable.

    >>> import opwright.compat.torch as torch
    >>> len(get_signature_for_torch_op(torch.relu)) > 0
    True
    """
    if isinstance(op, _C.Operator):
        schemas = [op.schema]
    elif isinstance(op, ow.OperatorPacket):
        schemas = [getattr(op, name).schema for name in op.overloads()]
    else:
        return (None, None) if return_schemas else None
    signatures = [_signature_of(schema) for schema in schemas]
    return (signatures, schemas) if return_schemas else signatures


def normalize_function(
    target: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    arg_types: tuple[Any, ...] | None = None,
    kwarg_types: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a call bound to the target's parameters, with the defaults.

    None if the target has no signature, or if several overloads take the arguments.

    >>> import opwright.compat.torch as torch
    >>> normalize_function(torch.nn.functional.relu, (1,), normalize_to_only_use_kwargs=True)
    ArgsKwargsPair(args=(), kwargs={'input': 1, 'inplace': False})
    """
    kwargs = dict(kwargs or {})
    signatures = get_signature_for_torch_op(target)
    if signatures is None:
        try:
            signature = inspect.signature(inspect.unwrap(target))
        except (TypeError, ValueError):
            return None
        return _bind(signature, args, kwargs, normalize_to_only_use_kwargs)
    fitting = [each for each in signatures if _accepts(each, args, kwargs)]
    if len(fitting) > 1 and arg_types is not None:
        fitting = [each for each in fitting if _has_types(each, arg_types, kwarg_types or {})]
    if not fitting or (len(fitting) > 1 and len({str(each) for each in fitting}) > 1):
        return None
    return _bind(fitting[0], args, kwargs, normalize_to_only_use_kwargs)


def normalize_module(
    root: nn.Module,
    target: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:
    """Return the arguments of a call of a submodule bound to its forward's parameters."""
    try:
        module = root.get_submodule(target)
    except AttributeError:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from None
    signature = inspect.signature(module.forward)
    return _bind(signature, args, dict(kwargs or {}), normalize_to_only_use_kwargs)


def _accepts(signature: inspect.Signature, args: tuple, kwargs: dict) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _has_types(signature: inspect.Signature, args: tuple, kwargs: dict) -> bool:
    bound = signature.bind(*args, **kwargs)
    return all(
        signature.parameters[name].annotation in (inspect.Parameter.empty, kind)
        for name, kind in bound.arguments.items()
    )


def _bind(
    signature: inspect.Signature, args: tuple, kwargs: dict, only_kwargs: bool
) -> ArgsKwargsPair | None:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(each.kind not in kinds for each in signature.parameters.values()):
        return None
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    made: dict[str, Any] = {}
    positional: list[Any] = []
    for index, name in enumerate(signature.parameters):
        if not only_kwargs and index < len(args):
            positional.append(bound.arguments[name])
        else:
            made[name] = bound.arguments[name]
    return ArgsKwargsPair(tuple(positional), made)


__getattr__ = absent(__name__)
