"""Python's arithmetic and comparison on tensors, with torch as the referee."""

import operator

import numpy as np
import opwright as ow
import pytest
import torch

DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISON = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def both(data, dtype):
    return (
        ow.tensor(data, dtype=getattr(ow, dtype)),
        torch.tensor(data, dtype=getattr(torch, dtype)),
    )


def assert_same(ours, theirs):
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert ours.shape == tuple(theirs.shape)
    np.testing.assert_allclose(
        np.array(ours.tolist()), np.array(theirs.tolist()), rtol=1e-3, equal_nan=True
    )


def assert_agrees(function, ours, theirs):
    """Check for the same result, or that both refuse."""
    try:
        expected = function(*theirs)
    except (RuntimeError, TypeError):
        with pytest.raises((TypeError, RuntimeError)):
            function(*ours)
    else:
        assert_same(function(*ours), expected)


@pytest.mark.parametrize("function", ARITHMETIC, ids=lambda f: f.__name__)
@pytest.mark.parametrize("second", DTYPES)
@pytest.mark.parametrize("first", DTYPES)
def test_arithmetic_of_two_tensors_agrees_with_torch(function, first, second):
    ours, theirs = zip(both([[1, 0], [3, 1]], first), both([[2, 1]], second), strict=True)

    assert_agrees(function, ours, theirs)


@pytest.mark.parametrize("number", [2, 2.5, True, 1 + 2j])
@pytest.mark.parametrize("function", ARITHMETIC, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "float16"])
def test_arithmetic_with_a_number_agrees_with_torch(function, dtype, number):
    ours, theirs = both([1, 2, 4], dtype)

    assert_agrees(function, (ours, number), (theirs, number))
    assert_agrees(function, (number, ours), (number, theirs))


@pytest.mark.parametrize("function", COMPARISON, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_comparison_agrees_with_torch(function, dtype):
    ours, theirs = both([[1, 2], [3, 4]], dtype)

    assert_same(function(ours, ours.T), function(theirs, theirs.T))
    assert_same(function(ours, 2), function(theirs, 2))
    assert_same(function(3, ours), function(3, theirs))


@pytest.mark.parametrize(
    "number", [np.float32(2.5), np.float64(2.5), np.int64(2), np.complex64(1j)]
)
@pytest.mark.parametrize("function", ARITHMETIC, ids=lambda f: f.__name__)
def test_numpy_numbers_are_numbers(function, number):
    x = ow.tensor([1.0, 2.0])

    assert_same(function(x, number), function(torch.tensor([1.0, 2.0]), number.item()))
    assert_same(function(number, x), function(number.item(), torch.tensor([1.0, 2.0])))


def test_signs():
    x = ow.tensor([-1.0, 2.0])

    assert (-x).tolist() == [1.0, -2.0]
    assert abs(x).tolist() == [1.0, 2.0]
    assert +x is x


def test_a_bool_tensor_has_no_sign():
    with pytest.raises(TypeError, match="a bool tensor has no sign"):
        _ = +ow.tensor([True])


def test_matrix_product():
    a, b = ow.tensor([[1.0, 2.0], [3.0, 4.0]]), ow.tensor([1.0, 1.0])

    assert (a @ a).tolist() == [[7.0, 10.0], [15.0, 22.0]]
    assert (a @ b).tolist() == [3.0, 7.0]


@pytest.mark.parametrize("other", [2, "a", None, [1.0, 2.0]])
def test_a_matrix_product_takes_tensors_only(other):
    with pytest.raises(TypeError, match="unsupported operand type"):
        _ = ow.zeros(2) @ other
    with pytest.raises(TypeError, match="unsupported operand type"):
        _ = other @ ow.zeros(2)


@pytest.mark.parametrize(
    "function", [operator.iadd, operator.isub, operator.imul, operator.itruediv]
)
@pytest.mark.parametrize("other", [2, 2.5, "tensor"])
def test_in_place_arithmetic_writes_the_tensor(function, other):
    x, y = ow.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0])
    address = x.data_ptr()

    result = function(x, ow.tensor([4.0, 8.0]) if other == "tensor" else other)
    referee = function(y, torch.tensor([4.0, 8.0]) if other == "tensor" else other)

    assert result is x
    assert x.data_ptr() == address
    assert_same(x, referee)


def test_in_place_arithmetic_keeps_the_kind_of_the_dtype():
    x = ow.tensor([1, 2])

    with pytest.raises((TypeError, RuntimeError)):
        x += 2.5
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize(
    "function", [operator.add, operator.sub, operator.truediv, operator.iadd, operator.isub]
)
@pytest.mark.parametrize("other", ["a", None, [1.0, 2.0], object()])
def test_other_objects_are_left_to_python(function, other):
    with pytest.raises(TypeError, match="unsupported operand type"):
        function(ow.zeros(2), other)


def test_the_other_side_may_know_what_to_do():
    class Other:
        def __radd__(self, tensor):
            return "mine"

    assert ow.zeros(2) + Other() == "mine"


def test_equality_with_other_objects_is_false():
    x = ow.zeros(2)

    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    assert (x == "a") is False
    assert x is not None


def test_order_with_other_objects_is_refused():
    with pytest.raises(TypeError, match="not supported between instances"):
        _ = ow.zeros(2) < "a"


@pytest.mark.parametrize("function", [operator.and_, operator.or_, operator.xor])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32"])
def test_bits_agree_with_torch(function, dtype):
    ours, theirs = both([0, 1, 1], dtype)

    assert_agrees(function, (ours, 1), (theirs, 1))
    assert_agrees(function, (1, ours), (1, theirs))
    assert_agrees(function, (ours, ours), (theirs, theirs))
    assert_agrees(operator.invert, (ours,), (theirs,))


def test_a_shape_error_of_the_operator_comes_through():
    with pytest.raises(ValueError, match="do not broadcast"):
        _ = ow.zeros(2) + ow.zeros(3)


def test_numpy_arrays_are_operands():
    x, array = ow.tensor([1.0, 4.0]), np.array([1.0, 2.0])

    assert x.__array_priority__ == 1000
    for result, expected in (
        (x - array, [0.0, 2.0]),
        (x @ array.astype("f4"), 9.0),
        (x == array, [True, False]),
        (array < x, [False, True]),
    ):
        assert type(result) is ow.Tensor
        assert result.tolist() == expected


@pytest.mark.parametrize("function", [operator.sub, operator.isub, operator.mul, operator.add])
def test_an_array_in_front_is_refused(function):
    with pytest.raises(TypeError):
        function(np.ones(2), ow.zeros(2))


def test_arrays_without_a_dtype_here_are_named():
    with pytest.raises(TypeError, match="no dtype corresponds to NumPy's object"):
        _ = ow.zeros(2) + np.array([object(), object()])


def test_numpy_functions_give_tensors():
    x = ow.tensor([1.0, 4.0])

    assert np.sqrt(x).tolist() == [1.0, 2.0]
    assert type(np.sqrt(x)) is ow.Tensor
