"""Operators that represent a module or function: what `as_custom_op` creates in a trace."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import _C, nn, pytree
from .._func.call_tree import Parameters, argument_paths
from .._library.registrations import Registrations, keep
from .real_results import empty_copy

__all__ = ["Node"]

_TYPES = {bool: "bool", int: "int", float: "float", str: "str", _C.SymInt: "SymInt"}


class Node:
    """The operators that represent one target: one for each form of its arguments."""

    def __init__(self, target: Callable[..., Any], name: str, takes_state: bool):
        self.target = target
        self.name = name
        self._takes_state = takes_state and isinstance(target, nn.Module)
        self._parameters = Parameters(target)
        self._operators: dict[Any, _NodeOperator] = {}

    def call(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        args = tuple(map(_hold_list, args))
        kwargs = {name: _hold_list(value) for name, value in kwargs.items()}
        leaves, spec = pytree.tree_flatten((args, kwargs))
        key = (spec, tuple(_kind_of(leaf) for leaf in leaves))
        operator = self._operators.get(key)
        if operator is None:
            paths = argument_paths(self._parameters, args, kwargs)
            operator = self._operators[key] = _NodeOperator(self, spec, paths, leaves)
        return operator.call(leaves)

    def state(self) -> dict[str, _C.Tensor]:
        """Return the parameters and buffers that are inputs of the node."""
        return self._all_state() if self._takes_state else {}

    def fake_state(self) -> dict[str, _C.Tensor]:
        """Return those that are not, without data."""
        if self._takes_state or not isinstance(self.target, nn.Module):
            return {}
        return {name: empty_copy(tensor) for name, tensor in self._all_state().items()}

    def _all_state(self) -> dict[str, _C.Tensor]:
        return {**dict(self.target.named_parameters()), **dict(self.target.named_buffers())}


class _NodeOperator:
    """One operator: the state, then the tensors and numbers of a call."""

    def __init__(self, node: Node, spec: _C.TreeSpec, paths: list[str], leaves: list[Any]):
        self._node = node
        self._spec = spec
        self._types = [_type_of(node.name, *each) for each in zip(paths, leaves, strict=True)]
        self._state_names = list(node.state())
        self._results: _C.TreeSpec | None = None
        taken: set[str] = set()
        state = [_unused(name, taken) for name in self._state_names]
        given = [
            (kind, _unused(path, taken))
            for path, kind in zip(paths, self._types, strict=True)
            if kind is not None
        ]
        self.operator = self._define(state, given)

    def call(self, leaves: list[Any]) -> Any:
        given = [
            list(leaf.values) if isinstance(leaf, _HeldList) else leaf
            for leaf in leaves
            if leaf is not None
        ]
        results = self.operator(*self._node.state().values(), *given)
        return pytree.tree_unflatten(list(results), self._results)

    def _define(self, state: list[str], given: list[tuple[str, str]]) -> _C.Operator:
        arguments = [*(f"Tensor {name}" for name in state), *(" ".join(each) for each in given)]
        inputs = [*state, *(name for kind, name in given if kind == "Tensor")]
        attributes = [f"{name}={name}" for kind, name in given if kind != "Tensor"]
        registrations = Registrations("")
        operator = registrations.define(
            f"{_unused_operator(self._node.name)}({', '.join(arguments)}) -> Tensor[]", ()
        )
        text = f"{self._node.name}({', '.join([*inputs, *attributes])})"
        registrations.add_converter("onnx", 1, text)
        registrations.implement(("CompositeImplicitAutograd",), self._run)
        keep(registrations)
        return operator

    def _run(self, *values: Any) -> list[_C.Tensor]:
        """Run the target: the operator's body."""
        num_state = len(self._state_names)
        state = dict(zip(self._state_names, values[:num_state], strict=True))
        given = iter(values[num_state:])
        leaves = [None if kind is None else next(given) for kind in self._types]
        args, kwargs = pytree.tree_unflatten(leaves, self._spec)
        # Fake arguments need a fake state; a trace captures real tensors itself.
        if not _C.is_tracing() and any(getattr(leaf, "is_fake", False) for leaf in leaves):
            state = {**self._node.fake_state(), **state}
        with _with_state(self._node.target, state):
            returned = self._node.target(*args, **kwargs)
        results, self._results = pytree.tree_flatten(returned)
        for result in results:
            if not isinstance(result, _C.Tensor):
                raise TypeError(
                    f"as_custom_op: {self._node.name} must return tensors, got "
                    f"{type(result).__name__} among its results"
                )
        return results


@contextmanager
def _with_state(target: Any, state: dict[str, _C.Tensor]) -> Iterator[None]:
    """Use other tensors as the parameters and buffers of a module."""
    # By identity: a tied tensor has several paths.
    others = {id(_member(target, path)): tensor for path, tensor in state.items()}
    places = [
        (members, name, before)
        for module in (target.modules() if state else ())
        for members in (module._parameters, module._buffers)
        for name, before in members.items()
        if id(before) in others
    ]
    for members, name, before in places:
        members[name] = others[id(before)]
    try:
        yield
    finally:
        for members, name, before in places:
            members[name] = before


def _member(module: nn.Module, path: str) -> _C.Tensor:
    owner_path, _, name = path.rpartition(".")
    owner = module.get_submodule(owner_path) if owner_path else module
    return getattr(owner, name)


class _HeldList:
    """A list of numbers or strings that is one attribute: a leaf of the arguments."""

    def __init__(self, values: list[Any] | tuple[Any, ...], kind: str):
        self.values = values
        self.kind = kind


def _hold_list(argument: Any) -> Any:
    kind = _list_type(argument) if isinstance(argument, (list, tuple)) and argument else None
    return argument if kind is None else _HeldList(argument, kind)


def _list_type(values: list[Any] | tuple[Any, ...]) -> str | None:
    kinds = {_TYPES.get(type(each)) for each in values}
    if kinds == {"int", "float"}:
        return "float[]"
    return f"{kinds.pop()}[]" if len(kinds) == 1 and None not in kinds else None


def _kind_of(leaf: Any) -> str | None:
    """Return the schema type; None for None, which stays as it is, and for unsupported types."""
    if isinstance(leaf, _C.Tensor):
        return "Tensor"
    return leaf.kind if isinstance(leaf, _HeldList) else _TYPES.get(type(leaf))


def _type_of(node: str, path: str, leaf: Any) -> str | None:
    kind = _kind_of(leaf)
    if kind is None and leaf is not None:
        raise TypeError(
            f"as_custom_op: the argument '{path}' of {node} must be a tensor, a number, a string "
            f"or a list of those, got {type(leaf).__name__}"
        )
    return kind


def _unused(path: str, taken: set[str]) -> str:
    """Return an argument name for a path."""
    plain = re.sub(r"\W+", "_", path).strip("_")
    plain = plain if plain.isidentifier() else f"arg_{plain}"
    name, count = plain, 1
    while name in taken:
        count += 1
        name = f"{plain}_{count}"
    taken.add(name)
    return name


def _unused_operator(node: str) -> str:
    """Return a name for the operator; several may be the same node."""
    domain, _, base = node.partition("::")
    name = f"{re.sub(r'[^0-9a-zA-Z_]', '_', domain)}::{base}"
    if _C.find_operator(name) is None:
        return name
    count = 2
    while _C.find_operator(f"{name}.node_{count}") is not None:
        count += 1
    return f"{name}.node_{count}"
