"""torch.fx.tensor_type: annotations with the sizes of a tensor, some of them unknown."""

from typing import Any

from opwright.compat._absent import absent

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class _DynType:
    """The type of what is not known."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DynType)

    def __hash__(self) -> int:
        return hash(_DynType)

    def __repr__(self) -> str:
        return "Dyn"


Dyn = _DynType()


class TensorType:
    """A tensor of these sizes.

    >>> TensorType((1, Dyn, 3))
    TensorType[(1, Dyn, 3)]
    """

    def __init__(self, dim: tuple[Any, ...]) -> None:
        self.__origin__ = TensorType
        self.__args__ = dim

    @property
    def dims(self) -> tuple[Any, ...]:
        """The sizes: numbers, symbols, or Dyn.

        >>> TensorType((1, Dyn)).dims
        (1, Dyn)
        """
        return self.__args__

    def __repr__(self) -> str:
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and tuple(self.__args__) == tuple(other.__args__)

    def __hash__(self) -> int:
        return hash(tuple(self.__args__))

    @staticmethod
    def __class_getitem__(*args: Any) -> "TensorType":
        dims = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        return TensorType(tuple(dims))


def is_consistent(t1: Any, t2: Any) -> bool:
    """Return whether a value may be of both types.

    >>> is_consistent(TensorType((1, Dyn)), TensorType((1, 2)))
    True
    """
    if Dyn in (t1, t2) or t1 == t2:
        return True
    return _holds_for_sizes(is_consistent, t1, t2)


def is_more_precise(t1: Any, t2: Any) -> bool:
    """Return whether the first type says all that the second one says.

    >>> is_more_precise(TensorType((1, 2)), TensorType((1, Dyn)))
    True
    """
    if t1 == t2 or t2 == Dyn:
        return True
    return _holds_for_sizes(is_more_precise, t1, t2)


def _holds_for_sizes(relation: Any, t1: Any, t2: Any) -> bool:
    if not isinstance(t1, TensorType) or not isinstance(t2, TensorType):
        return False
    sizes, others = t1.__args__, t2.__args__
    return len(sizes) == len(others) and all(map(relation, sizes, others))


__getattr__ = absent(__name__)
