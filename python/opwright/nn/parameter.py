"""Parameter and Buffer: tensors that are the weights and the other state of a module.

Those of lazy modules have no sizes until the first input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Self

import opwright as ow

from .. import Tensor

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter"]


class Parameter(Tensor):
    """A tensor that a module lists among its parameters when it is assigned to an attribute.

    >>> from opwright import nn
    >>> weight = nn.Parameter(ow.zeros(2))
    >>> weight
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    >>> isinstance(weight, ow.Tensor), type(weight * 2) is ow.Tensor
    (True, True)

    Shares the memory of `data`. Operations on a parameter return plain tensors.
    """

    def __new__(
        cls, data: Tensor | Sequence[Any] | float | None = None, requires_grad: bool = True
    ) -> Parameter:
        self = super().__new__(cls, ow.empty(0) if data is None else data)  # type: ignore[call-arg]
        self.requires_grad = requires_grad
        return self

    def __init__(
        self, data: Tensor | Sequence[Any] | float | None = None, requires_grad: bool = True
    ) -> None:
        pass

    def __repr__(self) -> str:
        shown = self.detach().requires_grad_(self.requires_grad)
        return f"Parameter containing:\n{shown!r}"


class _BufferClass(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferClass):
    """A tensor that a module lists among its buffers when it is assigned to an attribute.

    >>> from opwright import nn
    >>> layer = nn.Module()
    >>> layer.mean = nn.Buffer(ow.zeros(2))
    >>> [name for name, _ in layer.named_buffers()]
    ['mean']

    Shares the memory of `data`. The state_dict has the buffer only if it is `persistent`.
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Tensor:
        data = ow.empty(0) if data is None else data
        self = data.detach().requires_grad_(data.requires_grad)
        self.persistent = persistent  # type: ignore[attr-defined]
        self._is_buffer = True  # type: ignore[attr-defined]
        return self


# What a tensor without sizes has: its kind, and what gives it sizes.
_ALLOWED = frozenset(
    {
        "cls_to_become",
        "data",
        "device",
        "dtype",
        "get_device",
        "grad",
        "is_complex",
        "is_cpu",
        "is_cuda",
        "is_floating_point",
        "is_leaf",
        "is_meta",
        "materialize",
        "persistent",
        "requires_grad",
        "requires_grad_",
        "with_values",
    }
)
_OPERATORS = (
    *("abs", "add", "and", "bool", "eq", "float", "floordiv", "ge", "getitem", "gt", "iadd"),
    *("imul", "int", "invert", "isub", "itruediv", "le", "len", "lt", "matmul", "mod", "mul"),
    *("ne", "neg", "or", "pow", "radd", "rmatmul", "rmul", "rpow", "rsub", "rtruediv", "setitem"),
    *("sub", "truediv", "xor"),
)


def _refuse(tensor: object, name: str) -> NoReturn:
    kind = object.__getattribute__(tensor, "__class__").__name__
    what = "its sizes" if name in ("shape", "size", "numel", "ndim", "dim") else f"'{name}'"
    error = RuntimeError if what == "its sizes" else ValueError
    raise error(
        f"{kind}: it has no sizes yet, so {what} cannot be used; call the lazy module once with an "
        "input, or materialize the tensor"
    )


class _Uninitialized:
    """The common part of tensors whose sizes are not known yet, a base class before Tensor."""

    __slots__ = ()  # the layout stays that of the class to become
    cls_to_become: type[Tensor]

    def __getattribute__(self, name: str) -> Any:
        if not (name in _ALLOWED or name.startswith("_")):
            _refuse(self, name)
        return super().__getattribute__(name)

    def materialize(
        self,
        shape: Sequence[int],
        device: str | ow.device | None = None,
        dtype: ow.dtype | None = None,
    ) -> None:
        """Give the tensor sizes and memory, with undefined values; it becomes an ordinary one.

        >>> from opwright import nn
        >>> weight = nn.UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> type(weight).__name__, weight.shape
        ('Parameter', (2, 3))
        """
        values = ow.empty(
            tuple(shape),
            device=self.device if device is None else device,
            dtype=self.dtype if dtype is None else dtype,
        )
        self.data = values
        self.__class__ = self.cls_to_become

    def with_values(self, values: Tensor) -> Self:
        """Return an uninitialized tensor of the device and dtype of `values`."""
        return type(self)(self.requires_grad, device=values.device, dtype=values.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if id(self) not in memo:
            memo[id(self)] = self.with_values(self.data)
        return memo[id(self)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _refusing(name: str) -> Any:
    def refuse(self: Tensor, *args: Any) -> NoReturn:
        _refuse(self, name)

    return refuse


for _operator in _OPERATORS:
    setattr(_Uninitialized, f"__{_operator}__", _refusing(f"__{_operator}__"))
_Uninitialized.__hash__ = Tensor.__hash__  # type: ignore[method-assign, assignment]


class UninitializedParameter(_Uninitialized, Parameter):
    """A parameter of a lazy module, which gets its sizes with the first input.

    >>> from opwright import nn
    >>> nn.UninitializedParameter()
    <UninitializedParameter>
    >>> nn.UninitializedParameter().shape
    Traceback (most recent call last):
        ...
    RuntimeError: UninitializedParameter: it has no sizes yet, so its sizes cannot be used; ...
    """

    cls_to_become = Parameter

    def __new__(
        cls,
        requires_grad: bool = True,
        device: str | ow.device | None = None,
        dtype: ow.dtype | None = None,
    ) -> UninitializedParameter:
        return super().__new__(cls, ow.empty(0, device=device, dtype=dtype), requires_grad)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


class UninitializedBuffer(_Uninitialized, Tensor):
    """A buffer of a lazy module, which gets its sizes with the first input.

    >>> from opwright import nn
    >>> buffer = nn.UninitializedBuffer()
    >>> buffer.materialize((2,))
    >>> buffer.shape
    (2,)
    """

    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: str | ow.device | None = None,
        dtype: ow.dtype | None = None,
        persistent: bool = True,
    ) -> UninitializedBuffer:
        self = super().__new__(cls, ow.empty(0, device=device, dtype=dtype))
        self.requires_grad = requires_grad
        self.persistent = persistent
        self._is_buffer = True
        return self

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass


def is_lazy(param: Any) -> bool:
    """Return whether a tensor has no sizes yet."""
    return isinstance(param, _Uninitialized)
