"""Functions of torch that are methods of Tensor here, and the default dtype."""

from . import _C
from ._C import Tensor


def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype is floating."""
    return input.is_floating_point()


def is_complex(input: Tensor) -> bool:
    """Return whether the dtype is complex."""
    return input.is_complex()


def numel(input: Tensor) -> int:
    """Return the number of elements."""
    return input.numel()


def is_conj(input: Tensor) -> bool:
    """Return False: a conjugate is computed immediately."""
    return input.is_conj()


def is_neg(input: Tensor) -> bool:
    """Return False: a negation is computed immediately."""
    return input.is_neg()


def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: a conjugate is computed immediately."""
    return input.resolve_conj()


def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor itself: a negation is computed immediately."""
    return input.resolve_neg()


def is_inference(input: Tensor) -> bool:
    """Return whether the tensor was created in inference mode."""
    return input.is_inference()


def is_nonzero(input: Tensor) -> bool:
    """Return whether the only element is not zero."""
    return bool(input)


def get_device(input: Tensor) -> int:
    """Return the index of the tensor's device; -1 for the CPU."""
    return input.get_device()


def is_signed(input: Tensor) -> bool:
    """Return whether the dtype has negative numbers."""
    return input.is_signed()


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether both tensors have the same sizes."""
    return input.is_same_size(other)


def element_size(dtype: _C.dtype) -> int:
    """Return the bytes of one element."""
    return dtype.itemsize


def get_default_dtype() -> _C.dtype:
    """Return the dtype of tensors that are created from floats: float32."""
    return _C.float32


def set_default_dtype(d: _C.dtype) -> None:
    """Accept float32 only, which is the dtype of tensors that are created from floats."""
    if d is not _C.float32:
        raise NotImplementedError(
            f"set_default_dtype: the default dtype is float32 and cannot change, got {d}; "
            "give the dtype to the functions that create tensors"
        )


def is_storage(obj: object) -> bool:
    """Return whether a value is the memory of a tensor.

    >>> import opwright.compat.torch as torch
    >>> torch.is_storage(torch.ones(2).untyped_storage())
    True
    """
    return isinstance(obj, _C.UntypedStorage)


def typename(obj: object) -> str:
    """Return the name of a value's type with its module; that of a tensor has its dtype.

    >>> import opwright.compat.torch as torch
    >>> torch.typename(torch.ones(2)), torch.typename(torch.nn.Linear(1, 1))
    ('torch.FloatTensor', 'opwright.nn.linear.Linear')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    owner = obj if hasattr(obj, "__qualname__") else type(obj)
    module, name = getattr(owner, "__module__", None) or "", owner.__qualname__  # type: ignore[attr-defined]
    return name if module in ("", "builtins") else f"{module}.{name}"
