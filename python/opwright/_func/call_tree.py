"""Calls of functions that became graphs: the names of their arguments, and their structure."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import MethodType
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

from .. import _C, pytree

_MISSING = object()


class Parameters:
    """The parameters of a function, as far as `inspect` knows them."""

    def __init__(self, f: Callable):
        try:
            self._known = list(_signature_of(f).parameters.values())
        except (TypeError, ValueError):
            self._known = []

    def paths(self, num_args: int) -> list[str]:
        """Return the names of positional arguments: `x`, `args[0]`."""
        plain = [each for each in self._known if each.kind in (each.POSITIONAL_ONLY, _EITHER)]
        names = [each.name for each in plain[:num_args]]
        rest = next((each.name for each in self._known if each.kind == each.VAR_POSITIONAL), None)
        for index in range(num_args - len(names)):
            names.append(f"{rest}[{index}]" if rest else f"arg{len(plain) + index}")
        return names

    def names(self, num_args: int, kwargs: dict[str, Any]) -> list[str]:
        """Name the arguments that may be passed either way; "" for positional-only ones.

        Positional arguments come first, then those of `kwargs` that could follow them.
        """
        names = [each.name if each.kind == _EITHER else "" for each in self._known[:num_args]]
        names = [*names, *[""] * (num_args - len(names))]
        if any(each.kind == each.VAR_POSITIONAL for each in self._known[:num_args]):
            return names
        for each in self._known[num_args:]:
            if each.kind != _EITHER or each.name not in kwargs:
                break
            names.append(each.name)
        return names

    @property
    def name_of_rest(self) -> str | None:
        """Return the name of `**kwargs`, if there is one."""
        return next((each.name for each in self._known if each.kind == each.VAR_KEYWORD), None)


_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD


# Keyed by the functions of methods: inspect takes longer than the rest of a small export.
_OF_METHODS: WeakKeyDictionary[Callable, inspect.Signature] = WeakKeyDictionary()


def _signature_of(f: Callable) -> inspect.Signature:
    """Return the signature; for a module, that of its forward."""
    is_module = hasattr(f, "forward") and hasattr(f, "named_parameters")
    shown = f.forward if is_module and not hasattr(f, "__signature__") else f
    if not isinstance(shown, MethodType):
        return inspect.signature(shown)
    known = _OF_METHODS.get(shown.__func__)
    if known is None:
        known = _OF_METHODS[shown.__func__] = inspect.signature(shown)
    return known


class Arguments:
    """The structure of the arguments of a function's first call.

    Later calls may pass an argument by position or by name, whichever way the first call used.
    """

    def __init__(self, spec: _C.TreeSpec, names: Sequence[str], keys: Sequence[str]):
        self.spec = spec
        self.names = list(names)
        self.keys = list(keys)
        positional, _ = spec.children()
        self._num_args = len(positional.children())

    @classmethod
    def of_call(
        cls, parameters: Parameters, args: tuple, kwargs: dict
    ) -> tuple["Arguments", list[Any]]:
        """Return the structure and the leaves of a call."""
        names = parameters.names(len(args), kwargs)
        kwargs = {key: kwargs[key] for key in dict.fromkeys([*names[len(args) :], *kwargs])}
        leaves, spec = pytree.tree_flatten((args, kwargs))
        return cls(spec, names, list(kwargs)), leaves

    @classmethod
    def read_text(cls, text: str) -> "Arguments":
        """Parse what `text` wrote; ImportError for a class that does not exist."""
        spec, names = _C.read_call_text(text)
        return cls(spec, names, spec.children()[1].keys())

    @property
    def text(self) -> str:
        """Return the structure as text that parses back."""
        return _C.call_text(self.spec, self.names)

    def read(self, args: tuple, kwargs: dict, what: str) -> list[Any]:
        """Return the leaves; a TypeError says which argument differs, and how."""
        leaves, spec = pytree.tree_flatten((args, kwargs))
        if spec == self.spec:
            return leaves
        ordered = _order_keys(self._order(args, kwargs, what), self.spec)
        leaves, spec = pytree.tree_flatten(ordered)
        if spec == self.spec:
            return leaves
        return self._tell_difference(*ordered, what)

    def labels(self) -> list[str]:
        """Return the name of each argument in messages."""
        positional = [name or f"arg{i}" for i, name in enumerate(self.names[: self._num_args])]
        return [*positional, *self.keys]

    def _order(self, args: tuple, kwargs: dict, what: str) -> tuple[tuple, dict]:
        """Put each argument where the first call had it."""
        if len(args) > len(self.names):
            names = self.labels()[: len(self.names)]
            raise _mismatch(
                f"{what}: it takes {len(names)} by position ({', '.join(names) or 'none'}), "
                f"got {len(args)}"
            )
        places = dict.fromkeys(range(len(self.names)), _MISSING)
        places.update(enumerate(args))
        named = {}
        for name, value in kwargs.items():
            place = self.names.index(name) if name in self.names else None
            if place is None and name not in self.keys:
                raise _mismatch(f"{what}: there is no argument '{name}'; it takes {self._text()}")
            if place is None:
                named[name] = value
            elif places[place] is not _MISSING:
                raise _mismatch(f"{what}: the argument '{name}' is given twice")
            else:
                places[place] = value
        labels = self.labels()
        for place, value in places.items():
            if place >= self._num_args:
                named[self.names[place]] = value
            elif value is _MISSING:
                self._tell_missing(labels[place], what)
        for key in self.keys:
            if named.get(key, _MISSING) is _MISSING:
                self._tell_missing(key, what)
        own = tuple(places[place] for place in range(self._num_args))
        return own, {key: named[key] for key in self.keys}

    def _text(self) -> str:
        return ", ".join(self.labels()) or "none"

    def _tell_missing(self, name: str, what: str) -> NoReturn:
        raise _mismatch(f"{what}: the argument '{name}' is missing; it takes {self._text()}")

    def _tell_difference(self, args: tuple, kwargs: dict, what: str) -> NoReturn:
        expected = [child for part in self.spec.children() for child in part.children()]
        given = [*args, *kwargs.values()]
        for name, spec, value in zip(self.labels(), expected, given, strict=True):
            difference = spec.find_difference(pytree.tree_structure(value), name)
            if difference:
                raise _mismatch(
                    f"{what}: the argument '{name}' has another structure: {difference}"
                )
        raise AssertionError(f"{what}: the structure {self.spec} was not met")


def _mismatch(text: str) -> Exception:
    """Return a TypeError that is a ValueError and an AssertionError too, as in PyTorch."""
    return _C.make_error("InputTypeError", (text,))


def _order_keys(value: Any, spec: _C.TreeSpec) -> Any:
    """Return `value` with the keys of its dicts in the order that `spec` has."""
    children = spec.children()
    if spec.kind == "dict" and type(value) is dict and value.keys() == set(spec.keys()):
        named = zip(spec.keys(), children, strict=True)
        return {key: _order_keys(value[key], child) for key, child in named}
    if type(value) in (list, tuple) and len(value) == len(children):
        return type(value)(map(_order_keys, value, children))
    return value


def argument_paths(parameters: Parameters, args: tuple, kwargs: dict) -> list[str]:
    """Return the path of each leaf of the arguments: `x`, `pair[0]`, `batch["mask"]`."""
    names = [*parameters.paths(len(args)), *kwargs]
    paths = []
    for name, argument in zip(names, [*args, *kwargs.values()], strict=True):
        spec = pytree.tree_structure(argument)
        paths += [spec.leaf_path(index, name) for index in range(spec.num_leaves)]
    return paths


def argument_names(parameters: Parameters, args: tuple, kwargs: dict) -> list[str]:
    """Name each leaf after its parameter, with a number where that holds several."""
    names = []
    paths = [*parameters.paths(len(args)), *kwargs]
    for path, argument in zip(paths, [*args, *kwargs.values()], strict=True):
        name = path.replace("[", "_").replace("]", "")
        leaves, _ = pytree.tree_flatten(argument)
        is_leaf = len(leaves) == 1 and leaves[0] is argument
        names += [name] if is_leaf else [f"{name}_{index}" for index in range(len(leaves))]
    return names


def is_value(who: str, f: Callable, leaf: Any, spec: Any, index: int) -> bool:
    """Return whether a result is a value of the graph; a plain constant is not."""
    if isinstance(leaf, (_C.Tensor, _C.SymInt)):
        return True
    if leaf is None or isinstance(leaf, (int, float, complex, bool, str, _C.dtype, _C.device)):
        return False
    kind = f"{type(leaf).__module__}.{type(leaf).__qualname__}"
    raise TypeError(
        f"{who}: {getattr(f, '__qualname__', f)} returned result{spec.leaf_path(index)} of "
        f"type {kind}, which a graph cannot return; return tensors, numbers, strings, None, or "
        "tuples, lists, dicts and dataclasses of them"
    )


def module_of(f: Callable) -> Any:
    """Return the module that `f` is, or whose method it is; otherwise `f`."""
    return getattr(f, "__self__", f)


def module_tensors(f: Callable) -> Iterable[tuple[_C.Tensor, str]]:
    """Yield the parameters and buffers of a traced module with their paths in it."""
    module = module_of(f)
    for kind in ("named_parameters", "named_buffers"):
        for name, tensor in getattr(module, kind, tuple)():
            yield tensor, name
