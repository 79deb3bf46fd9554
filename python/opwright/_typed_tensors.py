"""torch.FloatTensor and its siblings: constructors of tensors of one dtype on the CPU."""

from . import _C
from ._C import Tensor

_NAMES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
}


class _TypedTensorClass(type):
    dtype: _C.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.is_cpu

    def __call__(cls, *arguments: object) -> Tensor:
        """Return a tensor of the data, over a storage, or an uninitialized one of the sizes."""
        if len(arguments) == 1 and isinstance(arguments[0], _C.UntypedStorage):
            return arguments[0]._tensor(cls.dtype)
        is_data = len(arguments) == 1 and not isinstance(arguments[0], int | _C.Size)
        if is_data:
            return _C.tensor(arguments[0], dtype=cls.dtype)
        return Tensor(*arguments or (0,)).to(cls.dtype)


TYPED_TENSORS = {
    name: _TypedTensorClass(name, (), {"dtype": getattr(_C, dtype), "__module__": "torch"})
    for name, dtype in _NAMES.items()
}
