"""Symbolics: convert operator calls to nodes of a model, with the names of torch.onnx."""

from collections.abc import Callable
from typing import Any

from .. import _C
from .._library.registrations import check_name, registrations_of
from ..convert import _check_version, register_converter

__all__ = ["register_custom_op_symbolic", "unregister_custom_op_symbolic"]


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int
) -> None:
    """Register a symbolic that applies from an opset up to the next one registered.

    >>> from opwright import onnx
    >>> from opwright.onnx.symbolic_helper import parse_args
    >>> @ow.library.custom_op("docs::scale", mutates_args=())
    ... def scale(x: ow.Tensor, factor: float) -> ow.Tensor:
    ...     return x * factor
    >>> _ = scale.register_fake(lambda x, factor: ow.empty_like(x))
    >>> @parse_args("v", "f")
    ... def scale_symbolic(g, x, factor):
    ...     return g.op("vendor::Scale", x, factor_f=factor)
    >>> onnx.register_custom_op_symbolic("docs::scale", scale_symbolic, 12)
    >>> model = onnx.export(lambda x: scale(x, 0.5), (ow.ones(2),), opset_version=12)
    >>> "vendor::Scale" in model.text()
    True

    `symbolic_fn(g, *arguments)` gets the graph and a value for each argument of the operator, in
    the order of its schema, and returns a value for each result. A name without an overload means
    all overloads of an operator, which may be defined later. Rules of the core can be replaced too:
    "aten::relu".
    """
    if not callable(symbolic_fn):
        raise TypeError(
            f"register_custom_op_symbolic: the symbolic of {symbolic_name} must be a function, got "
            f"{type(symbolic_fn).__name__}"
        )
    _check_version("register_custom_op_symbolic", opset_version)
    for name in _overloads_of(symbolic_name):
        register_converter(name, "onnx", symbolic_fn, since_version=opset_version)


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Remove a symbolic registered for that opset; what it replaced is restored.

    >>> from opwright import onnx
    >>> onnx.unregister_custom_op_symbolic("docs::unknown", 12)
    Traceback (most recent call last):
        ...
    ValueError: docs::unknown has no symbolic that was registered for opset 12
    """
    names = _overloads_of(symbolic_name)
    removed = [registrations_of(name).remove_converter("onnx", opset_version) for name in names]
    if not any(removed):
        raise ValueError(
            f"{symbolic_name} has no symbolic that was registered for opset {opset_version}"
        )


def _overloads_of(name: str) -> list[str]:
    check_name(name)
    packet = _C.find_packet(name)
    if packet is None or "." in name:
        return [name]
    return [getattr(packet, overload).name for overload in packet.overloads()]
