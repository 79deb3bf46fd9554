# Define operators and attach their rules. The forms of each function that Python's own annotations
# in library.py cannot tell apart.

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

from ._C import Kernel, Operator, OperatorPacket, SymInt, device, dtype
from ._library.infer_schema import infer_schema as infer_schema
from ._library.library import Library as Library
from ._library.rules import VmapInfo as VmapInfo
from ._library.tag import Tag as Tag
from ._library.tag import Tags
from .testing import opcheck as opcheck

__all__ = [
    "FakeContext",
    "Library",
    "Tag",
    "VmapInfo",
    "custom_op",
    "define",
    "get_ctx",
    "get_kernel",
    "impl",
    "infer_fake",
    "infer_schema",
    "list",
    "opcheck",
    "register_autocast",
    "register_autograd",
    "register_effect",
    "register_fake",
    "register_jvp",
    "register_kernel",
    "register_opaque_type",
    "register_scatter",
    "register_vmap",
    "set_kernel_enabled",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_ClassT = TypeVar("_ClassT", bound=type)
_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])

OperatorLike: TypeAlias = str | Operator[..., Any] | OperatorPacket
DeviceTypes: TypeAlias = str | Sequence[str] | None

_scoped_library: TypeAlias = Library

@overload
def custom_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: Iterable[str] | Literal["unknown"],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Tags = (),
) -> Callable[[Callable[_P, _R]], Operator[_P, _R]]: ...
@overload
def custom_op(
    name: str,
    fn: Callable[_P, _R],
    /,
    *,
    mutates_args: Iterable[str] | Literal["unknown"],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Tags = (),
) -> Operator[_P, _R]: ...
@overload
def define(
    qualname: str, schema: str | None = None, *, lib: Library | None = None, tags: Tags = ()
) -> Operator: ...
@overload
def define(
    qualname: Library, schema: str | None = None, *, lib: Library | None = None, tags: Tags = ()
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def impl(
    qualname: OperatorLike,
    types: str | Sequence[str],
    func: None = None,
    *,
    lib: Library | None = None,
    dispatch_key: str = "",
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def impl(
    qualname: OperatorLike,
    types: str | Sequence[str],
    func: _FunctionT,
    *,
    lib: Library | None = None,
    dispatch_key: str = "",
) -> _FunctionT: ...
@overload
def impl(
    qualname: Library,
    types: str,
    func: str | None = None,
    *,
    lib: Library | None = None,
    dispatch_key: str = "",
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def register_kernel(
    op: OperatorLike,
    device_types: DeviceTypes,
    func: None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def register_kernel(
    op: OperatorLike,
    device_types: DeviceTypes,
    func: _FunctionT,
    /,
    *,
    lib: Library | None = None,
) -> _FunctionT: ...
@overload
def register_fake(
    op: OperatorLike,
    func: None = None,
    /,
    *,
    lib: Library | None = None,
    allow_override: bool = True,
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def register_fake(
    op: OperatorLike,
    func: _FunctionT,
    /,
    *,
    lib: Library | None = None,
    allow_override: bool = True,
) -> _FunctionT: ...
def infer_fake(
    op: OperatorLike | None = None, enabled: bool = True
) -> AbstractContextManager[None]: ...
def register_autograd(
    op: OperatorLike,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    keep_old: Sequence[str] = (),
    lib: Library | None = None,
) -> None: ...
@overload
def register_jvp(
    op: OperatorLike, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def register_jvp(
    op: OperatorLike, func: _FunctionT, /, *, lib: Library | None = None
) -> _FunctionT: ...
@overload
def register_vmap(
    op: OperatorLike, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def register_vmap(
    op: OperatorLike, func: _FunctionT, /, *, lib: Library | None = None
) -> _FunctionT: ...
@overload
def register_scatter(
    op: OperatorLike, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_FunctionT], _FunctionT]: ...
@overload
def register_scatter(
    op: OperatorLike, func: _FunctionT, /, *, lib: Library | None = None
) -> _FunctionT: ...
def register_autocast(
    op: OperatorLike, device_type: str, cast_inputs: dtype, /, *, lib: Library | None = None
) -> None: ...
def register_effect(op: OperatorLike, effect: Literal["ordered"] = "ordered") -> None: ...
def set_kernel_enabled(
    op: OperatorLike, device_type: str, enabled: bool = True
) -> AbstractContextManager[None]: ...

class FakeContext:
    def new_dynamic_size(self, *, min: int = 0, max: int | None = None) -> SymInt: ...

def get_ctx() -> FakeContext: ...
def get_kernel(op: OperatorLike, device_or_slot: str | device) -> Kernel: ...
def register_opaque_type(cls: _ClassT, name: str | None = None) -> _ClassT: ...
def list(namespace: str | None = None) -> Sequence[str]: ...
