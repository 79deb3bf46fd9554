"""Operators with neither a fake kernel nor a body: their results come from a real run."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .. import _C
from ..tracing import make_fx

__all__ = ["empty_copy", "with_real_results"]

_empty_strided = _C.require_operator("aten::empty_strided")
_KNOWN_BY = {"Fake", "Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd"}


@contextlib.contextmanager
def with_real_results(
    model: Callable[..., Any], args: tuple, kwargs: dict[str, Any], missing: Exception
) -> Iterator[None]:
    """Run `model` once; in the block such operators return tensors like those of that run.

    Raises `missing`, the error about a missing fake kernel, if no operator is without one.
    """
    results: dict[str, list[Any]] = {}
    graph = make_fx(model, tracing_mode="real")(*args, **kwargs).graph
    for node in graph.nodes:
        if node.op == "call_function" and isinstance(node.target, _C.Operator):
            slots = {slot for slot, _ in node.target.implementations()}
            if not slots & _KNOWN_BY:
                results.setdefault(node.target.name, []).append(node.meta["val"])
    if not results:
        raise missing
    names = ", ".join(results)
    warnings.warn(
        f"onnx.export: there is no fake kernel for {names}: it was run on the given arguments, and "
        "all sizes are fixed; register one with opwright.library.register_fake",
        stacklevel=5,
    )
    with _C.Scope() as scope:
        for name, given in results.items():
            scope.implement(name, "Fake", _replay(given))
        yield


def _replay(results: list[Any]) -> Callable[..., Any]:
    """Return a fake kernel that replays the results of the calls in order."""
    rest = iter(results)

    def fake(*args: Any, **kwargs: Any) -> Any:
        return _like(next(rest))

    return fake


def _like(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_like(each) for each in result)
    return empty_copy(result) if isinstance(result, _C.Tensor) else result


def empty_copy(tensor: _C.Tensor) -> _C.Tensor:
    """Return a tensor of the same layout with arbitrary contents."""
    return _empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)
