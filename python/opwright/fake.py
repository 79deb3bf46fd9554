"""Fake tensors: sizes, strides, dtype and device without memory."""

from . import _C
from ._C import FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]


class _FakeTensorType(type):
    """Makes `isinstance(x, FakeTensor)` check the tensor: being fake is a property, not a class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor) and _C.shows_fake(instance)


class FakeTensor(_C.Tensor, metaclass=_FakeTensorType):
    """For `isinstance`: a Tensor without memory, of a FakeTensorMode or on meta.

    It has no instances: a fake tensor is a Tensor whose `is_fake` is True, so code written for
    tensors accepts both. A value of a transform over a fake tensor is one too.

    >>> import opwright as ow
    >>> with ow.FakeTensorMode():
    ...     x = ow.ones(2)
    >>> isinstance(x, ow.FakeTensor), isinstance(ow.ones(2), ow.FakeTensor)
    (True, False)
    """

    def __new__(cls, *args: object, **kwargs: object) -> "FakeTensor":
        raise TypeError(
            "FakeTensor: it is for isinstance; make fake tensors inside of a FakeTensorMode, or "
            "with its from_tensor"
        )
