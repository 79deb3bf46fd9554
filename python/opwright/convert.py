"""Rules that convert operator calls to nodes of foreign graphs, by engine: "onnx".

A rule is a function or the text of a node. It is in the operator's row, next to its kernels, as
are those that an operator binary registers with `m.register_converter`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from . import _C
from ._library.library import Library
from ._library.registrations import Registrations, operator_name, registrations_of

__all__ = ["register_converter", "unregister_converter"]

OperatorLike = str | _C.Operator | _C.OperatorPacket


def register_converter(
    op: OperatorLike,
    engine: str,
    rule: Callable[..., Any] | str | None = None,
    /,
    *,
    since_version: int = 1,
    lib: Library | None = None,
) -> Callable[..., Any] | str:
    """Register what a call of an operator becomes in a foreign graph.

    >>> from opwright import convert
    >>> @ow.library.custom_op("audio::clip", mutates_args=())
    ... def clip(x: ow.Tensor, limit: float) -> ow.Tensor:
    ...     return x.clamp(-limit, limit)
    >>> @convert.register_converter(clip, "onnx")
    ... def clip_node(g, x, limit):
    ...     return g.op("vendor::SoftClip", x, limit_f=limit.toIValue())

    For "onnx" the rule is a symbolic: `rule(g, *arguments)` returns a value for each result. The
    text of a node, "vendor::SoftClip(x, limit=limit)", is equivalent if inputs and attributes are
    the operator's arguments. Of several rules, the one with the highest `since_version` not above
    the version of the graph applies; registering the same version again replaces the older rule.
    """
    if rule is None:
        return partial(register_converter, op, engine, since_version=since_version, lib=lib)
    if not isinstance(engine, str):
        raise TypeError(f"register_converter: engine must be a name, got {type(engine).__name__}")
    _check_version("register_converter", since_version)
    _registrations(operator_name(op), lib).add_converter(engine, since_version, rule)
    return rule


def unregister_converter(
    op: OperatorLike, engine: str, /, *, since_version: int = 1, lib: Library | None = None
) -> None:
    """Remove what `register_converter` registered; ValueError if there is nothing.

    >>> from opwright import convert
    >>> convert.unregister_converter("audio::nothing", "onnx")
    Traceback (most recent call last):
        ...
    ValueError: audio::nothing has no rule for version 1 of 'onnx' that Python registered
    """
    name = operator_name(op)
    if not _registrations(name, lib).remove_converter(engine, since_version):
        raise ValueError(
            f"{name} has no rule for version {since_version} of '{engine}' that Python registered"
        )


def _registrations(name: str, lib: Library | None) -> Registrations:
    return registrations_of(name) if lib is None else lib._registrations_of(name)


def _check_version(who: str, version: object) -> None:
    if type(version) is not int:
        raise TypeError(f"{who}: the version must be an int, got {type(version).__name__}")
