"""Variable: the older name for a tensor that autograd records."""

from typing import Any

from .. import _C

__all__ = ["Variable"]


class _VariableMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _C.Tensor)


class Variable(metaclass=_VariableMeta):
    """Another name for a tensor, from before tensors recorded themselves.

    >>> import opwright as ow
    >>> x = Variable(ow.ones(2), requires_grad=True)
    >>> type(x) is ow.Tensor, isinstance(x, Variable), x.requires_grad
    (True, True, True)
    """

    def __new__(cls, data: _C.Tensor, requires_grad: bool = False) -> Any:
        return data.detach().requires_grad_(requires_grad)
