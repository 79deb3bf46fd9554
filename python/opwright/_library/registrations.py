"""Tracks what Python registered, so that it can be replaced and removed."""

import re
import weakref
from collections.abc import Callable, Iterable

from .. import _C
from .autograd_kernel import SLOT as AUTOGRAD_KERNEL
from .autograd_kernel import AutogradKernels, is_autograd_key
from .infer_schema import Restorers
from .rules import check_callable, naming_fake, restoring
from .tag import Tags, split_tags

_NAME = re.compile(r"[a-zA-Z_]\w*::[a-zA-Z_]\w*(\.[a-zA-Z_]\w*)?", re.ASCII)
DEFAULT_SLOT = "AllDevices"
_FAKE_SLOTS = ("Fake", "Meta", "meta")
# Slots whose functions have the operator's own signature; the others hold rules.
_RULES = {
    "Autograd": "register_autograd",
    "SetupContext": "register_autograd",
    "KeepOld": "register_autograd",
    "Jvp": "register_jvp",
    "Scatter": "register_scatter",
    "Vmap": "register_vmap",
    "FuncTorchBatched": "register_vmap",
    "Autocast": "register_autocast",
}


# For operators with a formula registered from Python: the arguments whose old values it gets.
kept_arguments: dict[str, tuple[int, ...]] = {}


class Registrations:
    """The registrations of one party for one operator; all are removed when this is closed or dies.

    A party is a definition from Python (with everything registered for it without `lib=`), a
    Library, or the package itself for operators defined elsewhere.
    """

    def __init__(self, name: str):
        self.name = name
        self._scope = _C.Scope()
        self._tokens: dict[str, int] = {}  # by slot
        self._disabled: dict[str, int] = {}  # by slot: the fallback for the disabled kernel
        self._default: Callable | None = None  # the function of custom_op
        self._restorers: Restorers = {}
        self._autocast: dict[str, _C.dtype] = {}  # by device type
        self._autograd: AutogradKernels | None = None

    def define(
        self, schema: str, tags: Tags, source: Callable | None = None, namespace: str = ""
    ) -> _C.Operator:
        ours, foreign = split_tags(tags)
        operator = self._scope.define(schema, tags=ours, namespace=namespace, source=source)
        operator.foreign_tags = foreign
        self.name = operator.name
        _definitions[self.name] = self
        return operator

    def set_default(self, function: Callable, restorers: Restorers) -> None:
        """Store the function of custom_op, which runs where a kernel is disabled."""
        schema = _C.require_operator(self.name).schema
        self._restorers = restorers
        self._default = restoring(function, restorers, schema)

    def implement(
        self, slots: Iterable[str], function: Callable, *, checks_aliases: bool = False
    ) -> None:
        """Put a kernel, fake kernel or composite body into each slot, or into none on an error."""
        check_callable(self.name, "a kernel", function)
        if restorers := restorers_of(self.name):
            schema = _C.require_operator(self.name).schema
            function = restoring(function, restorers, schema)
        kernels = [slot for slot in slots if slot not in _FAKE_SLOTS]
        fakes = [slot for slot in slots if slot in _FAKE_SLOTS]
        fake = naming_fake(function, self.name) if fakes else function
        self._put_all([(slot, function) for slot in kernels], checks_aliases)
        self._put_all([(slot, fake) for slot in fakes])

    def implement_key(self, key: str | _C.device, function: Callable) -> None:
        """Put a function under a device or one of PyTorch's dispatch keys."""
        if is_autograd_key(key):
            check_callable(self.name, "a kernel", function)
            self._autograd = self._autograd or AutogradKernels(self.name)
            function = self._autograd.add(key, function)
        self.implement((impl_slot(key),), function)

    def add_rule(self, slot: str, rule: Callable) -> None:
        self._put_all([(slot, rule)])

    def add_autocast(self, device_type: str, dtype: _C.dtype) -> None:
        dtypes = {**self._autocast, device_type: dtype}
        token = self._scope.implement_autocast(self.name, dtypes)
        self._autocast = dtypes
        self._replace("Autocast", token)

    def keep_old(self, positions: Iterable[int]) -> None:
        """Give a formula the values of written arguments from before the call."""
        kept_arguments[self.name] = tuple(positions)
        if positions:
            self._replace("KeepOld", self._scope.implement_keep_old(self.name, positions))
        else:
            self.remove("KeepOld")

    def add_converter(self, engine: str, since_version: int, rule: Callable | str) -> None:
        token = self._scope.implement_converter(self.name, engine, since_version, rule)
        self._replace(_converter_key(engine, since_version), token)

    def remove_converter(self, engine: str, since_version: int) -> bool:
        """Return whether there was one."""
        key = _converter_key(engine, since_version)
        is_there = key in self._tokens
        self.remove(key)
        return is_there

    def remove(self, slot: str) -> None:
        if (token := self._tokens.pop(slot, None)) is not None:
            self._scope.remove(token)

    @property
    def is_closed(self) -> bool:
        return self._scope.is_closed

    def remove_key(self, key: str | _C.device) -> None:
        """Remove the function under a device or one of PyTorch's dispatch keys."""
        if is_autograd_key(key) and self._autograd is not None and self._autograd.remove(key):
            return
        self.remove(impl_slot(key))

    def has_key(self, key: str | _C.device) -> bool:
        """Return whether there is a function under a device or one of PyTorch's keys."""
        if is_autograd_key(key):
            return self._autograd is not None and self._autograd.has(key)
        return self.has_kernel(impl_slot(key))

    def has_kernel(self, slot: str) -> bool:
        return slot in self._tokens

    def is_enabled(self, slot: str) -> bool:
        return slot not in self._disabled

    def disable(self, slot: str) -> None:
        default = self._default or _C.get_kernel(_C.require_operator(self.name), DEFAULT_SLOT)
        self._disabled[slot] = self._scope.implement(self.name, slot, default)

    def enable(self, slot: str) -> None:
        self._scope.remove(self._disabled.pop(slot))

    def close(self) -> None:
        self._scope.close()
        if self._autograd is not None:
            self._autograd.clear()
        if _definitions.get(self.name) is self:
            del _definitions[self.name]

    def _put_all(
        self, functions: Iterable[tuple[str, Callable]], checks_aliases: bool = False
    ) -> None:
        tokens: dict[str, int] = {}
        try:
            for slot, function in functions:
                tokens[slot] = self._scope.implement(
                    self.name, slot, function, checks_aliases=checks_aliases
                )
        except Exception:
            for token in tokens.values():
                self._scope.remove(token)
            raise
        for slot, token in tokens.items():
            self._replace(slot, token)
            if slot in self._disabled:  # stays on top until it is enabled again
                self.enable(slot)
                self.disable(slot)

    def _replace(self, slot: str, token: int) -> None:
        older = self._tokens.get(slot)
        self._tokens[slot] = token
        if older is not None:
            self._scope.remove(older)


def _converter_key(engine: str, since_version: int) -> str:
    """Rules of other engines and versions share the same slot."""
    return f"Convert for {engine} {since_version}"


# Definitions from Python by operator name. The party that defined one holds it.
_definitions: weakref.WeakValueDictionary[str, Registrations] = weakref.WeakValueDictionary()
# Held by the package: definitions without `lib=`.
_kept: dict[str, Registrations] = {}
# The same for registrations, without `lib=`, for operators defined elsewhere.
_foreign: dict[str, Registrations] = {}


def definition_of(name: str) -> Registrations | None:
    """Return the definition from Python with that name; its holder keeps it alive."""
    return _definitions.get(name)


def restorers_of(name: str) -> Restorers:
    """Return the function that turns the values of a call into what the hints promise."""
    definition = _definitions.get(name)
    return definition._restorers if definition else {}


def keep(registrations: Registrations) -> None:
    _kept[registrations.name] = registrations


def registrations_of(name: str) -> Registrations:
    """Return the owner of a registration without `lib=`: the definition, or the package."""
    if definition := _definitions.get(name):
        return definition
    return _foreign.setdefault(name, Registrations(name))


def replace_definition(name: str) -> None:
    """Remove what Python defined under that name, with everything registered for it."""
    if definition := _definitions.get(name):
        definition.close()
        if _kept.get(name) is definition:
            del _kept[name]


def check_name(name: object) -> None:
    """Reject anything that is not the name of one operator."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        shown = repr(name) if isinstance(name, str) else type(name).__name__
        raise ValueError(
            "an operator is named namespace::name or namespace::name.overload, with letters, "
            f"digits and _, got {shown}"
        )


def operator_name(op: str | _C.Operator | _C.OperatorPacket) -> str:
    """Return the name of one overload. It may be undefined when `op` is a string."""
    if isinstance(op, str):
        if _C.find_operator(op) is None and _C.find_packet(op) is not None:
            _C.require_operator(op)  # raises, with the overloads that there are
        return op
    if isinstance(op, _C.Operator):
        return op.name
    if isinstance(op, _C.OperatorPacket):
        overloads = op.overloads()
        if "default" in overloads:
            return op.default.name
        if len(overloads) == 1:
            return getattr(op, overloads[0]).name
        raise ValueError(
            f"{op.name} has several overloads; name one of them: "
            + ", ".join(f"ops.{op.namespace}.{op.base}.{each}" for each in overloads)
        )
    raise TypeError(
        "an operator must be given as a name ('ns::name'), an operator or a packet of them, "
        f"got {type(op).__name__}"
    )


def kernel_slot(slot: str | _C.device) -> str:
    """Return the slot of a device or a dispatch key; reject rules."""
    if isinstance(slot, _C.device):
        return slot.type
    if not isinstance(slot, str):
        raise TypeError(f"a device type must be a string, got {type(slot).__name__}")
    if slot in _RULES:
        raise ValueError(
            f"a function under '{slot}' is not a kernel; use opwright.library.{_RULES[slot]}"
        )
    return DEFAULT_SLOT if slot == "default" else slot


def impl_slot(key: str | _C.device) -> str:
    """Return the slot of a dispatch key of `impl`, where an Autograd key holds a kernel."""
    return AUTOGRAD_KERNEL if is_autograd_key(key) else kernel_slot(key)


def kernel_slots(device_types: str | _C.device | Iterable[str] | None) -> tuple[str, ...]:
    """Return the slots of `device_types`; None means the default for every device."""
    if device_types is None:
        return (DEFAULT_SLOT,)
    if isinstance(device_types, str | _C.device):
        return (kernel_slot(device_types),)
    slots = tuple(dict.fromkeys(kernel_slot(each) for each in device_types))
    if not slots:
        raise ValueError("device_types is empty; give None for every device")
    return slots
