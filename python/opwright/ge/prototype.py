"""Prototypes: the inputs, attributes and outputs of the engine's ops."""

from typing import Any

from .. import _C
from .._library.registrations import operator_name

__all__ = ["Prototype", "prototype", "reg_op"]

_registered: dict[str, Any] = {}  # kept permanently


class Prototype:
    """The inputs, attributes and outputs of an op of the engine.

    >>> from opwright import ge
    >>> print(ge.reg_op("DocsScale(x: ALL; factor: Float = 1.0) -> (y: ALL)"))
    DocsScale(x: ALL; factor: Float = 1.0) -> (y: ALL)
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def text(self) -> str:
        """The text form, which errors show.

        >>> from opwright import ge
        >>> ge.prototype("Add").text.startswith("Add(x1: ")
        True
        """
        return _C.ge_prototype_text(self.name)

    @property
    def cpp(self) -> str:
        """The same as a REG_OP for a C++ source.

        >>> from opwright import ge
        >>> print(ge.prototype("Relu").cpp.splitlines()[0])
        REG_OP(Relu)
        """
        return _C.ge_reg_op_text(self.name)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"ge.Prototype({self.text})"


def reg_op(given: Any, name: str | None = None) -> Prototype:
    """Register a prototype, from its text or from an operator.

    >>> from opwright import ge
    >>> _ = ow.library.define("docs_ge::gain", "(Tensor x, float factor) -> Tensor")
    >>> print(ge.reg_op(ow.ops.docs_ge.gain.default, name="DocsGain").name)
    DocsGain

    The text is "AddCustom(x: ALL, bias?: {FLOAT, FLOAT16}, parts*: ALL; alpha: Float = 1.0) -> (z:
    ALL)": "?" marks an optional input, "*" a dynamic one. "Gain<T: FLOAT>(x: T) -> (y: T)" has
    tensors of one type. For an operator, tensors are inputs of any type and everything else is an
    attribute; an output with the name of one of them gets "_out". The prototype becomes the
    operator ge::<Name>, whose kernels `compile` uses when it runs graphs by operators. Registering
    the same prototype twice is harmless; a different one with the same name is a ValueError that
    shows both.
    """
    if isinstance(given, str) and "->" in given:
        if name is not None:
            raise ValueError("ge.reg_op: the text has a name already; give none")
        text = given
    else:
        schema = str(_C.require_operator(operator_name(given)).schema)
        text = _C.ge_prototype_of_schema(schema, name or "")
    made = _C.ge_prototype_name(text)
    registration = _C.ge_define_prototype(text)
    _registered.setdefault(made, registration)
    return Prototype(made)


def prototype(name: str) -> Prototype:
    """Return the prototype of that name, built in or registered; KeyError if there is none.

    >>> from opwright import ge
    >>> ge.prototype("Relu").name
    'Relu'
    """
    if not _C.ge_has_prototype(name):
        raise KeyError(
            f"there is no prototype of {name!r}; ge.reg_op or REG_OP of opwright/ge.h makes one"
        )
    return Prototype(name)
