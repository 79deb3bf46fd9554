"""Every pointwise operator, compiled with another, computes what its kernel computes: dtypes,
numbers, infinities and NaNs. With OPWRIGHT_ALL=1 more dtypes and numbers."""

import math
import os

import opwright as ow
import pytest
from opwright import _C

from .same_results import assert_same_form, list_of

ALL = os.environ.get("OPWRIGHT_ALL") == "1"
DTYPES = [ow.bool, ow.uint8, ow.int32, ow.bfloat16, ow.float32, ow.float64]
if ALL:
    DTYPES += [ow.int8, ow.int16, ow.int64, ow.float16]
NUMBERS = (2, 0.5, 1, 3, -2) if ALL else (2, 0.5)
TEXTS = ("none", "tanh", "floor", "trunc", "none")
TOLERANCES = {ow.float16: 2e-3, ow.bfloat16: 1.6e-2, ow.float32: 4e-6, ow.float64: 1e-13}

# Kernels without a formula, which stay calls: tests/ops/pointwise_formula_test.cpp.
OPERATORS = {
    operator.name: operator
    for operator in map(_C.require_operator, _C.list_operators())
    if "pointwise" in operator.tags
    and operator.namespace == "aten"
    and not operator.schema.is_mutable
}

VALUES = [-2.5, -1, 3, 0, 1, 2, 0.3, -0.25, 5, -7, 0.75, 0.5, -0.0, 20, -100, 0.1, 1e-6, -4.2, 88.5]


def tensor_for(argument, dtype: ow.dtype, index: int) -> ow.Tensor:
    is_floating = dtype in TOLERANCES
    values = [*VALUES, math.inf, -math.inf, math.nan] if is_floating else VALUES
    values = values[3 * index :] + values[: 3 * index]
    if argument.name in ("condition", "mask") or dtype == ow.bool:
        return ow.tensor([value > 0.4 for value in values])
    if not is_floating:
        values = [abs(int(value)) if dtype == ow.uint8 else int(value) for value in values]
    return ow.tensor(values, dtype=dtype)


def value_for(argument, dtype: ow.dtype, index: int, variant: int) -> object:
    kind = str(argument.type)
    if kind.startswith("Tensor"):
        return tensor_for(argument, dtype, index)
    if kind.endswith("?") and variant == 0 and argument.name != "min":
        return None
    return {
        "Scalar": NUMBERS[variant],
        "float": 0.125,
        "int": variant % 2,
        "bool": variant == 1,
        "str": TEXTS[variant],
        "MemoryFormat": None,
    }[kind.rstrip("?")]


def example_of(operator: _C.Operator, dtype: ow.dtype, variant: int) -> tuple[list, dict]:
    args, kwargs = [], {}
    for index, argument in enumerate(operator.schema.arguments):
        value = value_for(argument, dtype, index, variant)
        if argument.kwarg_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    return args, kwargs


def is_near(value: object, wanted: object, tolerance: float) -> bool:
    if isinstance(wanted, bool | int):
        return value == wanted
    if math.isnan(wanted):
        return math.isnan(value)
    return value == wanted or abs(value - wanted) <= tolerance * max(abs(wanted), 0.1)


def compare(operator: _C.Operator, dtype: ow.dtype, variant: int) -> None:
    args, kwargs = example_of(operator, dtype, variant)

    def function(*given):
        result = operator(*given, **kwargs)
        return result, result.isnan()  # a nest has at least two operators

    try:
        wanted = function(*args)
    except (RuntimeError, TypeError, ValueError, ZeroDivisionError):
        return
    compiled = ow.compile(function, fullgraph=True)(*args)

    for is_, should in zip(list_of(compiled), list_of(wanted), strict=True):
        assert_same_form(is_, should)
        tolerance = TOLERANCES.get(should.dtype, 0)
        differing = [
            (one, other)
            for one, other in zip(is_.tolist(), should.tolist(), strict=True)
            if not is_near(one, other, tolerance)
        ]
        assert not differing, f"{operator.name} of {dtype}, variant {variant}: {differing[:4]}"


@pytest.mark.parametrize("name", OPERATORS)
def test_a_compiled_operator_gives_what_its_kernel_gives(name):
    operator = OPERATORS[name]
    has_numbers = any(str(each.type) != "Tensor" for each in operator.schema.arguments)
    for dtype in DTYPES:
        for variant in range(len(NUMBERS) if has_numbers else 1):
            compare(operator, dtype, variant)
