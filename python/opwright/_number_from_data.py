"""Floats and bools that an exported function reads from its tensors.

Such a number is known only when the program runs. It stays a tensor of no dimensions: arithmetic
records operators, a result of the function becomes Python's number again when the program returns,
and code that needs the value while the function is exported is an error that names the line.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import _C, pytree
from ._compile.phase import is_exporting

__all__ = ["NumberFromData", "SymFloat", "TruthFromData"]


class NumberFromData:
    """A number that is known when the program runs; `tensor` holds it."""

    def __init__(self, tensor: _C.Tensor) -> None:
        self.tensor = tensor

    def item(self) -> NumberFromData:
        """Return the number itself."""
        return self

    def __bool__(self) -> bool:
        self._refuse("its truth")

    def __float__(self) -> float:
        self._refuse("its value as a float")

    def __int__(self) -> int:
        self._refuse("its value as an int")

    def _refuse(self, what: str) -> NoReturn:
        file, line = _C.user_line()
        at = f" at {file}:{line}" if file else ""
        raise RuntimeError(
            f"cannot decide {what}{at}: the {self._kind} read from a tensor is known only when the "
            "program runs; keep it a tensor (opwright.where, opwright.cond)"
        )

    _kind = "number"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.tensor})"


class TruthFromData(NumberFromData):
    """A bool that an exported function reads from a tensor."""

    _kind = "bool"

    def __invert__(self) -> TruthFromData:
        return TruthFromData(_C.ops.aten.logical_not.default(self.tensor))

    def __and__(self, other: Any) -> TruthFromData:
        return TruthFromData(self.tensor & _tensor_of(other))

    def __or__(self, other: Any) -> TruthFromData:
        return TruthFromData(self.tensor | _tensor_of(other))

    __rand__, __ror__ = __and__, __or__


class SymFloat(NumberFromData):
    """A float that an exported function reads from a tensor, and what is computed from it.

    >>> from opwright.export import export
    >>> program = export(lambda x: x - x.max().item() / 2, (ow.ones(2),))
    >>> program(ow.tensor([1.0, 4.0]))
    tensor([-1.,  2.])
    >>> export(lambda x: x.sum().item(), (ow.ones(2),))(ow.tensor([1.0, 4.0]))
    5.0

    With a tensor it acts as a Python float does: it does not change the tensor's dtype.
    """

    _kind = "float"

    def __add__(self, other: Any) -> Any:
        return _compute(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _compute(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _compute(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _compute(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return _compute(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _compute(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _compute(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _compute(operator.truediv, other, self)

    def __pow__(self, other: Any) -> Any:
        return _compute(operator.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _compute(operator.pow, other, self)

    def __neg__(self) -> SymFloat:
        return SymFloat(-self.tensor)

    def __pos__(self) -> SymFloat:
        return self

    def __abs__(self) -> SymFloat:
        return SymFloat(self.tensor.abs())

    def __lt__(self, other: Any) -> Any:
        return _compute(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return _compute(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return _compute(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return _compute(operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        return _compute(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _compute(operator.ne, self, other)

    __hash__ = None  # type: ignore[assignment]


_NARROW = (_C.float16, _C.bfloat16)


def _tensor_of(value: Any) -> Any:
    """Return a number as a tensor of no dimensions, with the precision of Python's floats."""
    if isinstance(value, NumberFromData):
        return value.tensor
    if isinstance(value, _C.SymInt):
        return _C.ops.aten.full.default([], value, dtype=_C.int64)
    return value


def _compute(function: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    """Compute with a number from data; with a tensor as the tensor's dtype does with a float."""
    tensors = [each for each in (first, second) if isinstance(each, _C.Tensor)]
    known = (int, float, _C.SymInt, NumberFromData)
    if not tensors:
        if not isinstance(first, known) or not isinstance(second, known):
            return NotImplemented
        return _number(function(_tensor_of(first), _tensor_of(second)))
    (tensor,) = tensors
    kept = tensor.dtype if tensor.is_floating_point() or tensor.is_complex() else _default_float()
    wide = _C.float32 if kept in _NARROW else kept
    operands = [
        each.to(wide) if each is tensor else _tensor_of(each).to(wide) for each in (first, second)
    ]
    result = function(*operands)
    return result if result.dtype == _C.bool else result.to(kept)


def _default_float() -> Any:
    from ._tensor_functions import get_default_dtype

    return get_default_dtype()


def _number(tensor: _C.Tensor) -> NumberFromData:
    return TruthFromData(tensor) if tensor.dtype == _C.bool else SymFloat(tensor)


def read_number(tensor: _C.Tensor) -> Any:
    """Return the float or bool in a tensor of a function that is exported; called by item()."""
    single = tensor.detach().reshape(())
    return _number(single if single.dtype == _C.bool else single.to(_C.float64))


def make_tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> _C.Tensor:
    """Return a tensor of numbers that are known when the program runs; called by tensor()."""
    leaves: list[_C.Tensor] = []

    def build(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [build(each) for each in value]
        leaves.append(_leaf(value))
        return len(leaves) - 1

    places = build(data)
    kept = dtype if dtype is not None else _common_dtype(leaves)
    leaves = [each.to(kept) for each in leaves]

    def stack(place: Any) -> _C.Tensor:
        if isinstance(place, list):
            return _C.ops.aten.stack.default([stack(each) for each in place])
        return leaves[place]

    made = stack(places)
    made = made if device is None else made.to(device)
    return made.requires_grad_() if requires_grad else made


def _leaf(value: Any) -> _C.Tensor:
    if isinstance(value, SymFloat):
        return value.tensor.to(_default_float())
    if isinstance(value, NumberFromData):
        return value.tensor
    if isinstance(value, _C.SymInt):
        return _C.ops.aten.full.default([], value, dtype=_C.int64)
    return _C.tensor(value)


def _common_dtype(leaves: list[_C.Tensor]) -> Any:
    """Return the dtype of a tensor of these numbers: float before int before bool."""
    dtypes = [each.dtype for each in leaves]
    floats = [each for each in dtypes if each not in (_C.int64, _C.bool)]
    return floats[0] if floats else _C.int64 if _C.int64 in dtypes else _C.bool


def require_asserted(condition: Any) -> bool:
    """Require a condition if the code that asks for its truth is an assert statement.

    The program checks it when it runs. Returns whether it is one; called by bool(condition).
    """
    frame = sys._getframe(1)
    if not _is_in_assert(frame.f_code, frame.f_lasti):
        return False
    _C.check(condition, "an assert statement of the function does not hold")
    return True


def _is_in_assert(code: Any, at: int) -> bool:
    """Return whether the instruction at an offset decides if an assert statement fails."""
    import dis  # rarely needed

    rest = [each for each in dis.get_instructions(code) if each.offset >= at]
    jump = next((each for each in rest if each.opname.startswith("POP_JUMP")), None)
    if jump is None or any(each.opname != "TO_BOOL" for each in rest[: rest.index(jump)]):
        return False
    if jump.opname.endswith("IF_TRUE"):
        failure = rest[rest.index(jump) + 1]
    else:
        failure = next((each for each in rest if each.offset == jump.argval), jump)
    return "ASSERTION_ERROR" in failure.opname or failure.argrepr == "AssertionError"


def _rebuild(children: Any, context: object) -> Any:
    """Return the number: of a program that ran, Python's own."""
    (child,) = children
    if not isinstance(child, _C.Tensor):
        return child
    return _number(child) if child.is_fake else child.item()


def _register() -> None:
    for kind in (SymFloat, TruthFromData):
        pytree.register_pytree_node(
            kind,
            lambda number: ((number.tensor,), None),
            _rebuild,
            serialized_type_name=f"opwright.{kind.__name__}",
        )
    _C.set_numbers_from_data(
        read_number, is_exporting, make_tensor, require_asserted, NumberFromData
    )


_register()
