"""Converts dynamic sizes from the forms of torch's exporters to that of export."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _C, pytree
from .._func.call_tree import Parameters
from ..export import Dim

__all__ = ["name_sizes", "read_dynamic_axes"]


def name_sizes(shapes: Any) -> Any:
    """Return `dynamic_shapes` with Dims instead of names: `{"x": {0: "batch"}}`."""
    if isinstance(shapes, str):
        return _dim(shapes)
    if isinstance(shapes, Mapping):
        return {key: name_sizes(each) for key, each in shapes.items()}
    if type(shapes) in (list, tuple):
        return type(shapes)(name_sizes(each) for each in shapes)
    return shapes


def read_dynamic_axes(
    model: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    axes: Any,
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
) -> dict[str, Any]:
    """Return `dynamic_shapes` for `dynamic_axes`, which are keyed by the model's inputs."""
    if not isinstance(axes, Mapping):
        raise TypeError(
            "onnx.export: dynamic_axes must be a dict such as {'x': {0: 'batch'}}, got "
            f"{type(axes).__name__}"
        )
    parameters = Parameters(model)
    names = [*parameters.paths(len(args)), *kwargs]
    given = iter(input_names or ())
    used: list[str] = []
    shapes: dict[str, Any] = {}
    for name, argument in zip(names, [*args, *kwargs.values()], strict=True):
        leaves, spec = pytree.tree_flatten(argument)
        entries: list[Any] = []
        for index, leaf in enumerate(leaves):
            if not isinstance(leaf, _C.Tensor):
                entries.append(None)
                continue
            shown = next(given, None) or _C.onnx_input_name(spec.leaf_path(index, name))
            used.append(shown)
            entries.append(_read_axes(shown, leaf, axes.get(shown)))
        shapes[name] = pytree.tree_unflatten(entries, spec) if any(entries) else None
    _check_names(axes, used, output_names)
    return shapes


def _read_axes(name: str, leaf: _C.Tensor, axes: Any) -> dict[int, Dim] | None:
    if axes is None:
        return None
    if isinstance(axes, (list, tuple)):  # unnamed: sizes found to be equal share a symbol
        axes = dict.fromkeys(axes, Dim.DYNAMIC)
    if not isinstance(axes, Mapping):
        raise TypeError(
            f"onnx.export: dynamic_axes of '{name}' must be a dict such as {{0: 'batch'}} or a "
            f"list of dimensions, got {axes!r}"
        )
    dims = {}
    for axis, label in axes.items():
        if type(axis) is not int or not -leaf.ndim <= axis < leaf.ndim:
            raise ValueError(
                f"onnx.export: dynamic_axes has dimension {axis!r} of '{name}', which has "
                f"{leaf.ndim} dimensions"
            )
        if not isinstance(label, (str, Dim)):
            raise TypeError(
                f"onnx.export: dynamic_axes names dimension {axis} of '{name}' by a string, got "
                f"{label!r}"
            )
        dims[axis % leaf.ndim] = _dim(label) if isinstance(label, str) else label
    return dims


def _dim(label: str) -> Dim:
    """Return the Dim of a name, with characters that Python does not allow replaced."""
    name = re.sub(r"\W", "_", label)
    return Dim(name if name.isidentifier() else f"d_{name}")


def _check_names(
    axes: Mapping[str, Any], inputs: Sequence[str], outputs: Sequence[str] | None
) -> None:
    for name in axes:
        # Outputs need no entries: their sizes follow. Generated names are known only when the model
        # exists.
        is_output = name in (outputs or ()) or (outputs is None and name.startswith("output"))
        if name not in inputs and not is_output:
            raise ValueError(
                f"onnx.export: dynamic_axes has {name!r}, which is not an input; the inputs are "
                f"{', '.join(inputs)}"
            )
