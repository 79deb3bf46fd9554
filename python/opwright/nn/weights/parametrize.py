"""Parametrizations: a parameter that is computed from others by a module.

After `register_parametrization(layer, "weight", module)`, `layer.weight` is what the module returns
for the parameter `layer.parametrizations.weight.original`.
"""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import opwright as ow

from ... import Tensor
from ..container import ModuleDict, ModuleList
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

M = TypeVar("M", bound=Module)


class _Cache:
    """The parametrized tensors computed inside of `cached`, by module and name."""

    def __init__(self) -> None:
        self.depth = 0
        self.tensors: dict[tuple[int, str], Tensor] = {}


_cache = _Cache()


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once inside of the `with` statement.

    >>> from opwright import nn
    >>> from opwright.nn.weights import parametrize
    >>> layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Identity())
    >>> with parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    _cache.depth += 1
    try:
        yield
    finally:
        _cache.depth -= 1
        if not _cache.depth:
            _cache.tensors = {}


def _set_contents(tensor: Tensor, value: Tensor) -> None:
    """Let a tensor, which stays the same object, have the contents of another one."""
    tensor.data = value.detach()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _check_same(what: str, tensor: Any, like: Tensor) -> None:
    """Check that a parametrization kept what the tensor must keep."""
    if not isinstance(tensor, Tensor):
        raise ValueError(f"{what} must return a tensor, got {type(tensor).__name__}")
    for name in ("dtype", "shape"):
        before, after = getattr(like, name), getattr(tensor, name)
        if before != after:
            raise ValueError(
                f"{what} may not change the {name} of the tensor, unless unsafe=True: it was "
                f"{before} and became {after}"
            )


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, and the tensors that it is computed from.

    >>> from opwright import nn
    >>> from opwright.nn.weights import parametrize
    >>> layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Tanh())
    >>> type(layer.parametrizations.weight).__name__
    'ParametrizationList'
    >>> layer.parametrizations.weight.original.shape
    (2, 2)

    If the last `right_inverse` returns several tensors, they are `original0`, `original1`, ...
    """

    original: Any

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList: there must be at least one module")
        super().__init__(modules)
        self.unsafe = unsafe
        shape_and_dtype = ow.empty(original.shape, dtype=original.dtype, device="meta")
        new: Any = original
        with ow.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        new = module.right_inverse(new)
        self.is_tensor = isinstance(new, Tensor)
        if not self.is_tensor and not isinstance(new, Sequence):
            raise ValueError(
                "right_inverse must return a tensor or a sequence of tensors, got "
                f"{type(new).__name__}"
            )
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._register_one(original, new)
        else:
            self._register_several(original, new)
        if not unsafe:
            _check_same("a parametrization", self(), shape_and_dtype)

    def _register_one(self, original: Tensor, new: Tensor) -> None:
        for name in ("dtype", "device"):
            before, after = getattr(original, name), getattr(new, name)
            if before != after:
                raise ValueError(
                    f"right_inverse may not change the {name} of its only tensor: it was {before} "
                    f"and became {after}"
                )
        _set_contents(original, new)  # the same object, which an optimizer may have
        _register(self, "original", original)

    def _register_several(self, original: Tensor, new: Sequence[Tensor]) -> None:
        for number, each in enumerate(new):
            if not isinstance(each, Tensor):
                raise ValueError(
                    f"right_inverse must return tensors, got {type(each).__name__} as number "
                    f"{number}"
                )
            if isinstance(original, Parameter):
                each = Parameter(each, original.requires_grad)
            each.requires_grad_(original.requires_grad)
            _register(self, f"original{number}", each)

    def _originals(self) -> list[Tensor]:
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{number}") for number in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the parametrized tensor becomes `value`."""
        with ow.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement "
                        "right_inverse, so the parametrized tensor cannot be assigned"
                    )
                value = module.right_inverse(value)
            values = [value] if isinstance(value, Tensor) else list(value)
            originals = self._originals()
            if isinstance(value, Tensor) != self.is_tensor or len(values) != len(originals):
                raise ValueError(
                    f"right_inverse must return {self.ntensors} tensors as before, got "
                    f"{len(values)}"
                )
            for number, (original, each) in enumerate(zip(originals, values, strict=True)):
                if original.dtype != each.dtype:
                    raise ValueError(
                        f"tensor {number} that right_inverse returned has dtype {each.dtype}, but "
                        f"the original has {original.dtype}"
                    )
                _set_contents(original, each)

    def forward(self) -> Tensor:
        modules = list(self)
        value = modules[0](*self._originals())
        for module in modules[1:]:
            value = module(value)
        return value


# ---- The class of a parametrized module ----


def _copy_deeply(self: Module, memo: dict[int, Any]) -> Module:
    if id(self) in memo:
        return memo[id(self)]
    made = type(self).__new__(type(self))
    memo[id(self)] = made
    made.__dict__.update(copy.deepcopy(self.__dict__, memo))
    for slot in copyreg._slotnames(type(self)):  # type: ignore[attr-defined]
        if hasattr(self, slot):
            object.__setattr__(made, slot, copy.deepcopy(getattr(self, slot), memo))
    made._raise_attribute_epoch()
    return made


def _refuse_state(self: Module) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict()"
    )


def _make_class(module: Module) -> None:
    """Give a module a class of its own, which can have properties."""
    cls = type(module)
    members: dict[str, Any] = {"__getstate__": _refuse_state}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = _copy_deeply
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _make_property(module: Module, name: str) -> None:
    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if not _cache.depth:
            return parametrization()
        key = (id(self), name)
        if key not in _cache.tensors:
            _cache.tensors[key] = parametrization()
        return _cache.tensors[key]

    def set(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, set))


def _lists(module: Module) -> dict[str, ParametrizationList]:
    found = module._modules.get("parametrizations")
    return dict(found.items()) if isinstance(found, ModuleDict) else {}  # type: ignore[arg-type]


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether a module has parametrizations, or whether this tensor of it has.

    >>> from opwright.nn.weights import parametrize
    >>> parametrize.is_parametrized(ow.nn.Linear(2, 2))
    False
    """
    found = _lists(module)
    return bool(found) if tensor_name is None else tensor_name in found


def register_parametrization(
    module: M, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> M:
    """Let a module compute a parameter or buffer of another one; return that one.

    A `right_inverse` of the parametrization makes the original of the tensor's present value;
    without it the original is that value. Further parametrizations are applied in turn. With
    `unsafe`, shape and dtype may change.

    >>> from opwright import nn
    >>> from opwright.nn.weights import parametrize
    >>> class Symmetric(nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).t()
    >>> layer = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    >>> ow.equal(layer.weight, layer.weight.t())
    True
    >>> [name for name, _ in layer.named_parameters()]
    ['bias', 'parametrizations.weight.original']
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_addition(getattr(module, tensor_name), parametrization)
        own = _lists(module)[tensor_name]
        own.append(parametrization)
        own.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"register_parametrization: module {module!r} has no parameter, buffer or "
            f"parametrized tensor '{tensor_name}'"
        )
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _make_class(module)
        module.parametrizations = ModuleDict()
    _make_property(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def _check_addition(before: Tensor, parametrization: Module) -> None:
    after = parametrization(before)
    _check_same("a parametrization", after, before)
    if hasattr(parametrization, "right_inverse"):
        with suppress(NotImplementedError):
            _check_same("right_inverse", parametrization.right_inverse(after), before)


def remove_parametrizations(module: M, tensor_name: str, leave_parametrized: bool = True) -> M:
    """Make a parametrized tensor an ordinary one again, with its present or its original value.

    >>> from opwright import nn
    >>> from opwright.nn.weights import parametrize
    >>> layer = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Tanh())
    >>> parametrize.remove_parametrizations(layer, "weight")
    Linear(in_features=2, out_features=2, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(
            f"remove_parametrizations: module {module!r} has no parametrization of '{tensor_name}'"
        )
    own = _lists(module)[tensor_name]
    if own.is_tensor:
        tensor = own.original
        if leave_parametrized:
            with ow.no_grad():
                _set_contents(tensor, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        tensor = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "remove_parametrizations: leave_parametrized=False needs one original tensor, but "
            f"'{tensor_name}' is computed from {own.ntensors}"
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, tensor)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the class of a module before it was parametrized.

    >>> from opwright.nn.weights import parametrize
    >>> parametrize.type_before_parametrizations(ow.nn.Linear(2, 2)).__name__
    'Linear'
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: M, tensor_name: str | None = None
) -> M:
    """Parametrize tensors of a module as those of another one; they share the originals.

    >>> from opwright import nn
    >>> from opwright.nn.weights import parametrize
    >>> source = parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Tanh())
    >>> made = parametrize.transfer_parametrizations_and_params(source, nn.Linear(2, 2))
    >>> ow.equal(made.weight, source.weight)
    True
    """
    if not is_parametrized(from_module):
        return to_module
    found = _lists(from_module)
    for name in found if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
        for parametrization in found[name]:
            register_parametrization(to_module, name, parametrization)
        target = _lists(to_module)[name]
        for original, tensor in found[name].named_parameters(recurse=False):
            setattr(target, original, tensor)
        for original, buffer in found[name].named_buffers(recurse=False):
            setattr(target, original, buffer)
    return to_module
