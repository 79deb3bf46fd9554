"""In-place and out forms of built-in operators functionalize correctly, or raise an error."""

import itertools
import math

import opwright as ow
import pytest
from opwright import _C
from opwright.func import functionalize

DTYPES = (ow.float32, ow.float64, ow.int64, ow.bool)
# Values by the type of an argument; operators with others have tests of their own.
VALUES = {"Scalar": 2, "float": 0.5, "int": 0, "SymInt": 1, "bool": False, "Scalar?": 1}
# Their arguments are restricted; mm.out takes one dtype only, where functionalize converts.
SPECIAL = ("index", "scatter", "masked", "resize_", "polygamma", "mm.out")


def mutable_operators() -> list[_C.Operator]:
    found = []
    for name in _C.list_operators("aten"):
        operator = _C.require_operator(name)
        arguments = operator.schema.arguments
        if "nondeterministic_seeded" in operator.tags or any(part in name for part in SPECIAL):
            continue
        is_filled = all(
            str(a.type) == "Tensor" or a.has_default or str(a.type) in VALUES for a in arguments
        )
        if any(a.is_write for a in arguments) and is_filled:
            found.append(operator)
    return found


OPERATORS = mutable_operators()


def make(dtype: _C.dtype, start: int) -> ow.Tensor:
    return (ow.tensor([[-2.0, -1.0], [1.0, 2.0]]) * (start + 1)).to(dtype)


def arguments_of(operator: _C.Operator, dtypes: tuple[_C.dtype, ...]) -> dict[str, object]:
    """Give the written argument the first dtype and the others the second."""
    given = {}
    for number, argument in enumerate(operator.schema.arguments):
        if str(argument.type) == "Tensor":
            given[argument.name] = make(dtypes[0 if argument.is_write else 1], number)
        elif not argument.has_default:
            given[argument.name] = VALUES[str(argument.type)]
    return given


def outcome(call, arguments: dict[str, object]) -> object:
    try:
        returned = call(**arguments)
    except Exception as error:
        return type(error)
    results = returned if isinstance(returned, tuple) else (returned,)
    tensors = [*results, *(each for each in arguments.values() if isinstance(each, ow.Tensor))]
    return [(t.dtype, t.stride(), [show(n) for n in t.flatten().tolist()]) for t in tensors]


def show(number: complex) -> object:
    return "nan" if isinstance(number, float) and math.isnan(number) else number


def test_most_operators_are_tried():
    assert len(OPERATORS) > 200


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_a_form_that_writes_equals_eager(operator: _C.Operator):
    for dtypes in itertools.product(DTYPES, DTYPES):
        expected = outcome(operator, arguments_of(operator, dtypes))
        actual = outcome(functionalize(operator), arguments_of(operator, dtypes))

        assert actual == expected, dtypes
