"""Parses `dynamic_shapes`, in the forms that torch.export accepts."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from .. import _C, pytree
from .._func.call_tree import Parameters
from .._func.refusal import refusal

__all__ = ["AdditionalInputs", "Dim", "ShapesCollection", "dims"]

Dim = _C.Dim


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Return a Dim for each name.

    >>> from opwright.export import dims
    >>> batch, length = dims("batch", "length", max=512)
    >>> length
    Dim("length", max=512)
    """
    return tuple(Dim(name, min=min, max=max) for name in names)


class ShapesCollection:
    """Dynamic sizes by tensor instead of by argument, for deeply nested arguments.

    >>> from opwright.export import Dim, ShapesCollection, export
    >>> x = ow.ones(4, 3)
    >>> shapes = ShapesCollection()
    >>> shapes[x] = {0: Dim("batch")}
    >>> program = export(lambda batch: batch["x"] + 1, ({"x": x},), dynamic_shapes=shapes)
    >>> program({"x": ow.zeros(2, 3)}).shape
    (2, 3)
    """

    def __init__(self) -> None:
        self._shapes: dict[int, tuple[Any, Any]] = {}

    def __setitem__(self, leaf: Any, shape: Any) -> None:
        if not isinstance(leaf, (_C.Tensor, int)):
            raise TypeError(f"ShapesCollection: expected a tensor, got {type(leaf).__name__}")
        self._shapes[id(leaf)] = (leaf, shape)

    def __getitem__(self, leaf: Any) -> Any:
        """Return the sizes of a tensor; a new one gets an empty dict, which can be filled."""
        if id(leaf) not in self._shapes:
            self[leaf] = {}
        return self._shapes[id(leaf)][1]

    def __len__(self) -> int:
        return len(self._shapes)

    def dynamic_shapes(
        self, m: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the sizes for a call of `m` as a dict by the names of the arguments.

        >>> from opwright.export import Dim, ShapesCollection
        >>> x, shapes = ow.ones(4), ShapesCollection()
        >>> shapes[x] = [Dim.DYNAMIC]
        >>> shapes.dynamic_shapes(lambda pair: pair, ([x, 1],))
        {'pair': [[Dim.DYNAMIC], None]}
        """
        call = (args, dict(kwargs or {}))
        return _by_argument(m, call, self.read(pytree.tree_leaves(call)))

    def read(self, leaves: list[Any]) -> list[Any]:
        """Return the specification of each leaf; KeyError for a tensor that is not one of them."""
        found = {id(leaf) for leaf in leaves}
        for leaf, shape in self._shapes.values():
            if id(leaf) not in found:
                raise ValueError(
                    f"dynamic_shapes: the ShapesCollection has {shape} for "
                    f"{_kind_of(leaf)}, which is not an argument of the call"
                )
        return [self._shapes.get(id(leaf), (None, None))[1] for leaf in leaves]


class AdditionalInputs:
    """Other calls of the exported function: what differs between them becomes dynamic.

    >>> from opwright.export import AdditionalInputs, export
    >>> others = AdditionalInputs()
    >>> others.add((ow.ones(5, 3),))
    >>> program = export(lambda x: x + 1, (ow.ones(4, 3),), dynamic_shapes=others)
    >>> program(ow.ones(7, 3)).shape
    (7, 3)
    """

    def __init__(self) -> None:
        self._calls: list[tuple[tuple, dict[str, Any]]] = []

    def add(self, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None) -> None:
        """Add the arguments of a call."""
        if not isinstance(args, tuple):
            raise TypeError(f"AdditionalInputs: args must be a tuple, got {type(args).__name__}")
        self._calls.append((args, dict(kwargs or {})))

    def read(self, call: tuple[tuple, dict[str, Any]]) -> list[Any]:
        """Return the specification of each leaf of the exported call."""
        leaves, spec = pytree.tree_flatten(call)
        others = []
        for args, kwargs in self._calls:
            given, other = pytree.tree_flatten((args, {key: kwargs[key] for key in call[1]}))
            if other != spec:
                raise ValueError(
                    f"AdditionalInputs: expected arguments like those of the export, {spec}, "
                    f"got {other}"
                )
            others.append(given)
        return [_sizes_that_differ(*values) for values in zip(leaves, *others, strict=True)]

    def dynamic_shapes(
        self, m: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the sizes for a call of `m` as a dict by the names of the arguments."""
        call = (args, dict(kwargs or {}))
        return _by_argument(m, call, self.read(call))

    def verify(self, program: Any) -> None:
        """Run a program with these arguments; the error of a call that it rejects is raised."""
        for args, kwargs in self._calls:
            program.module()(*args, **kwargs)


def _by_argument(m: Any, call: tuple[tuple, dict[str, Any]], shapes: list[Any]) -> dict[str, Any]:
    args, kwargs = _as_lists(pytree.tree_structure(call), iter(shapes))
    names = Parameters(m).paths(len(args))
    return {**dict(zip(names, args, strict=True)), **kwargs}


def _as_lists(spec: _C.TreeSpec, shapes: Iterator[Any]) -> Any:
    """Return the specifications as the arguments are nested; lists for instances of classes."""
    if spec.kind == "leaf":
        return next(shapes)
    children = [_as_lists(child, shapes) for child in spec.children()]
    if spec.kind == "dict":
        return dict(zip(spec.keys(), children, strict=True))
    return tuple(children) if spec.kind == "tuple" else children


def _sizes_that_differ(leaf: Any, *others: Any) -> Any:
    """Return Dim.DYNAMIC for each size, or for the int itself, that is not the same everywhere."""
    values = (leaf, *others)
    if any(type(other) is not type(leaf) for other in others):
        raise ValueError(
            "AdditionalInputs: these values of one argument have differing types, so they cannot "
            f"be marked as dynamic: {values}"
        )
    if isinstance(leaf, _C.Tensor):
        return tuple(
            Dim.DYNAMIC if any(other.shape[dim] != size for other in others) else None
            for dim, size in enumerate(leaf.shape)
        )
    if type(leaf) is int and any(other != leaf for other in others):
        return Dim.DYNAMIC
    if any(other != leaf for other in others):
        raise ValueError(
            "AdditionalInputs: these values of one argument are part of the program, the same in "
            f"every call, so they cannot be marked as dynamic: {values}"
        )
    return None


def read_dynamic_shapes(
    parameters: Parameters, shapes: Any, args: tuple, kwargs: dict[str, Any], leaves: list[Any]
) -> list[Any]:
    """Return for each leaf of `(args, kwargs)` its specification in `shapes`, or None."""
    if shapes is None:
        return [None] * len(leaves)
    if isinstance(shapes, ShapesCollection):
        return shapes.read(leaves)
    if isinstance(shapes, AdditionalInputs):
        return shapes.read((args, kwargs))
    names = [*parameters.paths(len(args)), *kwargs]
    named = list(zip(names, [*args, *kwargs.values()], strict=True))
    if isinstance(shapes, Mapping):
        shapes = _spread_rest(dict(shapes), parameters.name_of_rest, kwargs)
    found: list[Any] = []
    for (name, argument), shape in zip(named, _split(named, shapes), strict=True):
        _walk(pytree.tree_structure(argument), shape, name, found)
    return found


def leaf_dims(leaf: _C.Tensor, shape: Any, path: str) -> dict[int, Dim]:
    """Read the specification of one tensor: a dict by dimension, or one entry for each."""
    if shape is None:
        return {}
    if isinstance(shape, Mapping):
        entries = dict(shape)
    elif isinstance(shape, (tuple, list)):
        if len(shape) != leaf.ndim:
            raise ValueError(
                f"dynamic_shapes: '{path}' has {_some(leaf.ndim, 'dimension')}, got "
                f"{_some(len(shape), 'entry')}"
            )
        entries = dict(enumerate(shape))
    else:
        raise refusal(
            "InputTypeError",
            f"dynamic_shapes: '{path}' is {_kind_of(leaf)}; give a dict such as {{0: batch}}, a "
            f"list with an entry for each dimension, or None, got {shape!r}",
        )
    found = {dim: _read_dim(leaf, dim, entry, path) for dim, entry in entries.items()}
    return {dim: entry for dim, entry in found.items() if entry is not None}


def int_dim(leaf: int, shape: Any, path: str) -> Dim:
    """Read the specification of an int; without one it is constant."""
    if shape is None or (type(shape) is int and shape == leaf):
        return Dim.STATIC
    if isinstance(shape, Dim):
        return shape
    raise refusal(
        "InputTypeError",
        f"dynamic_shapes: '{path}' is an int; give a Dim such as Dim.DYNAMIC, or None, "
        f"got {shape!r}",
    )


def check_constant(leaf: Any, shape: Any, path: str) -> None:
    """Reject a specification for an object without sizes, and arrays, which are not supported."""
    if hasattr(leaf, "__array__"):
        kind = f"{type(leaf).__module__}.{type(leaf).__qualname__}"
        raise refusal(
            "InputTypeError",
            f"export: the argument '{path}' is a {kind}; give a tensor, opwright.as_tensor(...)",
        )
    if shape is not None and type(leaf) is not int:
        raise refusal(
            "InputTypeError",
            f"dynamic_shapes: '{path}' is {_kind_of(leaf)}, which has no sizes; give None, "
            f"got {shape!r}",
        )


def _read_dim(leaf: _C.Tensor, dim: Any, entry: Any, path: str) -> Dim | None:
    if type(dim) is not int:
        raise refusal(
            "InputTypeError",
            f"dynamic_shapes: the keys of '{path}' are numbers of its dimensions, got {dim!r}",
        )
    if entry is None or isinstance(entry, Dim):
        return entry
    if type(entry) is not int:
        raise refusal(
            "InputTypeError",
            f"dynamic_shapes: dimension {dim} of '{path}' must be a Dim, its size or None, "
            f"got {entry!r}",
        )
    if -leaf.ndim <= dim < leaf.ndim and leaf.shape[dim] != entry:
        raise ValueError(
            f"dynamic_shapes: dimension {dim} of '{path}' is said to be {entry}, "
            f"the example has {leaf.shape[dim]}"
        )
    return Dim.STATIC


def _spread_rest(shapes: dict[Any, Any], rest: str | None, kwargs: dict) -> dict[Any, Any]:
    """Merge the entries under the name of `**kwargs` with the others."""
    if rest in kwargs or not isinstance(shapes.get(rest), Mapping):
        return shapes
    return {**shapes.pop(rest), **shapes}


def _split(named: list[tuple[str, Any]], shapes: Any) -> list[Any]:
    """Return the specification of each argument."""
    names = [name for name, _ in named]
    if isinstance(shapes, (tuple, list)):
        roots = list(dict.fromkeys(name.partition("[")[0] for name in names))
        if len(shapes) == len(roots) < len(names):  # `*args` has one entry
            return _split(named, dict(zip(roots, shapes, strict=True)))
        if len(shapes) != len(named):
            raise ValueError(
                f"dynamic_shapes: the call has {_some(len(named), 'argument')} "
                f"({', '.join(names)}), got {_some(len(shapes), 'entry')}"
            )
        return list(shapes)
    if not isinstance(shapes, Mapping):
        raise refusal(
            "InputTypeError",
            "dynamic_shapes: give a dict by the names of the arguments "
            f"({', '.join(names)}), or one entry for each, got {shapes!r}",
        )
    return [*_by_name(names, dict(shapes)).values()]


def _by_name(names: list[str], shapes: dict[Any, Any]) -> dict[str, Any]:
    """Look up the arguments; `args` may hold those of `*args` together."""
    found = {}
    used = set()
    for name in names:
        root, bracket, rest = name.partition("[")
        if name in shapes or not bracket:
            found[name] = shapes.get(name)
            used.add(name)
            continue
        found[name] = _element(shapes.get(root), int(rest[:-1]), root, names)
        used.add(root)
    for key in shapes:
        if key not in used:
            raise ValueError(
                f"dynamic_shapes: there is no argument {key!r}; the call has {', '.join(names)}"
            )
    return found


def _element(shapes: Any, index: int, root: str, names: list[str]) -> Any:
    count = sum(name.startswith(f"{root}[") for name in names)
    if shapes is None:
        return None
    if not isinstance(shapes, (tuple, list)) or len(shapes) != count:
        raise ValueError(
            f"dynamic_shapes: '{root}' holds {_some(count, 'argument')}; give a list with an entry "
            "for each"
        )
    return shapes[index]


def _walk(spec: _C.TreeSpec, shapes: Any, path: str, found: list[Any]) -> None:
    """Append the specification of each leaf of a structure."""
    if shapes is None:
        found += [None] * spec.num_leaves
        return
    if spec.kind == "leaf":
        found.append(shapes)
        return
    keys = spec.keys()
    for key, child, entry in zip(
        keys, spec.children(), _entries(spec, keys, shapes, path), strict=True
    ):
        _walk(child, entry, path + _step(spec, key), found)


def _entries(spec: _C.TreeSpec, keys: list[Any], shapes: Any, path: str) -> list[Any]:
    """Return the specification of each child of a container."""
    has_names = spec.kind in ("dict", "namedtuple", "dataclass")
    if spec.kind == "dataclass" and dataclasses.is_dataclass(shapes):
        shapes = {key: getattr(shapes, key, None) for key in keys}
    if has_names and isinstance(shapes, Mapping):
        for key in shapes:
            if key not in keys:
                known = ", ".join(map(repr, keys))
                raise ValueError(f"dynamic_shapes: '{path}' has no {key!r}; it has {known}")
        return [shapes.get(key) for key in keys]
    if spec.kind != "dict" and isinstance(shapes, (tuple, list)):
        if len(shapes) != len(keys):
            raise ValueError(
                f"dynamic_shapes: '{path}' is {_article(spec)} of {len(keys)}, "
                f"got {_some(len(shapes), 'entry')}"
            )
        return list(shapes)
    expected = "a dict with its keys" if spec.kind == "dict" else "an entry for each"
    raise refusal(
        "InputTypeError",
        f"dynamic_shapes: '{path}' is {_article(spec)} of {len(keys)}; give {expected}, or None, "
        f"got {shapes!r}",
    )


def _step(spec: _C.TreeSpec, key: Any) -> str:
    if spec.kind in ("namedtuple", "dataclass"):
        return f".{key}"
    return f'["{key}"]' if isinstance(key, str) else f"[{key!r}]"


def _article(spec: _C.TreeSpec) -> str:
    kinds = {"namedtuple": "a named tuple", "registered": "a registered class"}
    return kinds.get(spec.kind, f"a {spec.kind}")


def _some(count: int, noun: str) -> str:
    """Count things: 1 entry, 2 entries."""
    plural = noun if count == 1 else noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count} {plural}"


def _kind_of(leaf: Any) -> str:
    if isinstance(leaf, _C.Tensor):
        return f"a tensor of {_some(leaf.ndim, 'dimension')}"
    name = type(leaf).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
