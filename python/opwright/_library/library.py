"""Library: a set of registrations that is removed with its scope or its last reference."""

from collections.abc import Callable
from types import TracebackType
from typing import Literal

from .. import _C
from .key_set import fallthrough_kernel, with_key_set
from .registrations import Registrations, kernel_slot, operator_name
from .tag import Tags

_KINDS = ("DEF", "IMPL", "FRAGMENT")
_EVERY_NAMESPACE = "_"


class Library:
    """Define operators of a namespace, or register functions for them, for as long as it lives.

    `kind` is "DEF" (the one library that owns its namespace), "FRAGMENT" (adds operators to it) or
    "IMPL" (adds functions). `dispatch_key` is the default key for `impl`. Leaving a `with`, or
    dropping the last reference, removes what it added and restores what it had replaced.

    >>> import opwright as ow
    >>> with Library("tour", "FRAGMENT") as lib:
    ...     _ = lib.define("twice(Tensor x) -> Tensor")
    ...     lib.impl("twice", lambda x: x + x, "CPU")
    ...     ow.ops.tour.twice(ow.tensor([1.0, 2.0])).tolist()
    [2.0, 4.0]
    >>> hasattr(ow.ops.tour, "twice")
    False
    """

    def __init__(
        self, ns: str, kind: Literal["DEF", "IMPL", "FRAGMENT"], dispatch_key: str = ""
    ) -> None:
        if kind not in _KINDS:
            raise ValueError(f"the kind of a library is one of {', '.join(_KINDS)}, got {kind!r}")
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._scope: _C.Scope | None = _C.Scope()  # the claim and the fallbacks
        self._registrations: dict[str, Registrations] = {}
        self._early: list[Registrations] = []  # for operators that it defined afterwards
        if kind == "DEF":
            self._scope.claim(ns)

    def define(self, schema: str, alias_analysis: str = "", *, tags: Tags = ()) -> str:
        """Define an operator of the namespace; return its name without the namespace.

        >>> lib = Library("tour", "FRAGMENT")
        >>> lib.define("half(Tensor x) -> Tensor")
        'half'

        `alias_analysis` is accepted for code written for PyTorch; the schema defines aliasing.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise ValueError(
                "alias_analysis must be '', 'FROM_SCHEMA' or 'CONSERVATIVE', "
                f"got {alias_analysis!r}"
            )
        self._check_open()
        if self.kind == "IMPL":
            raise ValueError(
                f"Library({self.ns!r}, 'IMPL') adds functions to operators and defines none; "
                "use 'DEF' or 'FRAGMENT'"
            )
        registrations = Registrations("")
        operator = registrations.define(schema, tags, namespace=self.ns)
        if operator.name in self._registrations:
            self._early.append(self._registrations[operator.name])
        self._registrations[operator.name] = registrations
        return operator.name.removeprefix(f"{self.ns}::")

    def impl(
        self,
        op_name: str | _C.Operator | _C.OperatorPacket,
        fn: Callable,
        dispatch_key: str = "",
        *,
        with_keyset: bool = False,
        allow_override: bool = True,
    ) -> None:
        """Register `fn` for a device, or under one of PyTorch's dispatch keys.

        Without a key here or in the library, `fn` is a composite that transforms see through. Under
        "Autograd" (or "AutogradCPU", ...) it runs in place of recording the call, often as the
        `apply` of an autograd.Function; a call of the same operator inside it is not recorded.
        With `with_keyset`, `fn` gets the dispatch keys as its first argument.

        >>> import opwright as ow
        >>> lib = Library("aten", "IMPL", "CPU")
        >>> lib.impl("neg", lambda x: x)
        >>> ow.ops.aten.neg(ow.tensor([1.0])).tolist()
        [1.0]
        >>> del lib
        >>> ow.ops.aten.neg(ow.tensor([1.0])).tolist()
        [-1.0]
        """
        self._check_open()
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        registrations = self._registrations_of(op_name)
        if not allow_override and registrations.has_key(key):
            raise RuntimeError(
                f"{registrations.name}: there is already a kernel registered for {key}, by this "
                "library"
            )
        if fn is fallthrough_kernel:
            registrations.remove_key(key)
            return
        if with_keyset:
            fn = with_key_set(fn, key)
        registrations.implement_key(key, fn)

    def fallback(self, fn: Callable, dispatch_key: str = "") -> None:
        """Register a fallback for every operator that has no function for a device.

        It is called with the operator and the arguments: `fn(op, *args, **kwargs)`. The library's
        namespace must be "_".

        >>> import opwright as ow
        >>> _ = ow.library.define("tour::nothing", "(Tensor x) -> Tensor")
        >>> with Library("_", "IMPL") as lib:
        ...     lib.fallback(lambda op, x: (print(op.name), x * 2)[1], "CPU")
        ...     ow.ops.tour.nothing(ow.tensor([1.0])).tolist()
        tour::nothing
        [2.0]
        """
        if self.ns != _EVERY_NAMESPACE:
            raise RuntimeError(
                f"a fallback is for operators of every namespace: use Library('_', 'IMPL'), "
                f"not Library({self.ns!r}, {self.kind!r})"
            )
        if not (dispatch_key or self.dispatch_key):
            raise ValueError("a fallback needs a device or dispatch key, e.g. 'CPU'")
        self._check_open().set_fallback(kernel_slot(dispatch_key or self.dispatch_key), fn)

    def __enter__(self) -> "Library":
        self._check_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._destroy()

    def _destroy(self) -> None:
        for registrations in (*self._registrations.values(), *self._early):
            registrations.close()
        self._registrations.clear()
        self._early.clear()
        if self._scope is not None:
            self._scope.close()
            self._scope = None

    def _register_fake(self, op_name: str, fn: Callable) -> None:
        self._registrations_of(op_name).implement(("Fake",), fn)

    def _registrations_of(self, op: str | _C.Operator | _C.OperatorPacket) -> Registrations:
        self._check_open()
        if isinstance(op, str) and "::" not in op:
            op = f"{self.ns}::{op}"
        name = operator_name(op)
        if not name.startswith(f"{self.ns}::"):
            raise ValueError(f"{name} is not of the namespace of Library({self.ns!r}, ...)")
        found = self._registrations.get(name)
        if found is None or found.is_closed:
            found = self._registrations[name] = Registrations(name)
        return found

    def _check_open(self) -> _C.Scope:
        if self._scope is None:
            raise RuntimeError(f"Library({self.ns!r}, {self.kind!r}) was destroyed")
        return self._scope

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})"
