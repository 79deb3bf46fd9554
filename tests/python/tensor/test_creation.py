"""Tensors of Python data; torch is the referee for values and dtypes."""

import array
import gc
import weakref

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import opwright as ow
import pytest
import torch


def address(value):
    return value.__array_interface__["data"][0]


def assert_same(ours, theirs):
    assert ours.dtype.name == str(theirs.dtype).removeprefix("torch.")
    assert ours.shape == tuple(theirs.shape)
    assert ours.tolist() == theirs.tolist()


# ---- tensor ----


@pytest.mark.parametrize(
    "data",
    [
        1,
        1.5,
        True,
        1 + 2j,
        [],
        [[], []],
        [1, 2, 3],
        (1, 2.5),
        [True, False],
        [True, 2],
        [1, 2j],
        [[1, 2], [3, 4]],
        [[[1.0]], [[2.0]]],
        range(4),
        np.float32(1.5),
        np.float64(1.5),
        np.int16(3),
        np.bool_(True),
        [np.float64(1), 2],
        [np.float32(1), np.int64(2)],
        np.arange(6).reshape(2, 3),
        np.zeros((2, 0)),
        np.array(3.0),
        np.arange(6).reshape(2, 3).T,
    ],
    ids=repr,
)
def test_values_and_dtype_are_those_of_torch(data):
    assert_same(ow.tensor(data), torch.tensor(data))


@pytest.mark.parametrize(
    "name",
    ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float64", "complex128"],
)
@pytest.mark.parametrize("data", [[0, 1, 2], [0.5, 1.5], [True, False], 3])
def test_a_given_dtype_converts_as_torch_does(name, data):
    ours = ow.tensor(data, dtype=getattr(ow, name))

    assert_same(ours, torch.tensor(data, dtype=getattr(torch, name)))


def test_tensor_copies_memory():
    values = np.zeros(2)
    x = ow.zeros(2)

    assert ow.tensor(values).data_ptr() != address(values)
    assert ow.tensor(x).data_ptr() != x.data_ptr()
    assert not ow.tensor(x.requires_grad_()).requires_grad


def test_arrays_in_a_list_are_read():
    assert ow.tensor([np.array([1, 2]), np.array([3, 4])]).tolist() == [[1, 2], [3, 4]]


def test_tensors_in_a_list_are_read():
    assert_same(ow.tensor([ow.tensor(1), ow.tensor(2.5)]), torch.tensor([1, 2.5]))
    assert ow.tensor([ow.tensor([1, 2]), ow.tensor([3, 4])]).tolist() == [[1, 2], [3, 4]]


def test_foreign_tensors_are_copied():
    assert ow.tensor(torch.tensor([1.5, 2.5])).tolist() == [1.5, 2.5]
    assert ow.tensor(jnp.arange(3)).tolist() == [0, 1, 2]
    assert ow.tensor(torch.ones(2, 3).T.bfloat16()).dtype == ow.bfloat16


def test_buffers_are_read_with_their_format():
    assert ow.tensor(array.array("d", [1.0, 2.0])).dtype == ow.float64
    assert ow.tensor(bytearray(b"ab")).tolist() == [97, 98]
    assert ow.tensor(memoryview(b"abcd").cast("H")).dtype == ow.uint16


def test_an_object_with_an_array_is_read():
    class Holder:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    assert ow.tensor(Holder()).tolist() == [1.0, 2.0]


def test_device_and_gradient_are_set():
    assert ow.tensor([1.0], device="meta").is_meta
    assert ow.tensor([1.0], requires_grad=True).requires_grad
    assert ow.tensor([1.0], device=ow.device("cpu")).is_cpu


def test_dtypes_of_python_and_numpy_are_taken():
    assert ow.tensor([1], dtype=float).dtype == ow.float64
    assert ow.tensor([1], dtype=np.float64).dtype == ow.float64
    assert ow.tensor([1], dtype=np.dtype("int8")).dtype == ow.int8


@pytest.mark.parametrize(
    ("data", "kind", "text"),
    [
        (
            [[1, 2, 3], [1, 2]],
            ValueError,
            "tensor: expected a sequence of length 3 at dimension 1, got 2",
        ),
        ([[1], 2], ValueError, "expected a sequence of length 1 at dimension 1, got int"),
        ([1, [2]], ValueError, "expected a number at dimension 1, got list"),
        ([[], [1]], ValueError, "expected a sequence of length 0 at dimension 1, got 1"),
        ("abc", TypeError, "str is not a number"),
        (["abc"], TypeError, "str is not a number"),
        (None, TypeError, "NoneType is not a number"),
        ([1, None], TypeError, "NoneType is not a number"),
        ({1, 2}, TypeError, "set is not a number"),
        ([2**63], OverflowError, "9223372036854775808 does not fit into int64"),
        (np.array(["a"]), TypeError, "no dtype corresponds to NumPy's <U1"),
        (np.array([...]), TypeError, "no dtype corresponds to NumPy's object"),
    ],
    ids=repr,
)
def test_data_that_is_no_tensor_is_refused(data, kind, text):
    with pytest.raises(kind, match=text):
        ow.tensor(data)


def test_endless_nesting_is_refused():
    data = []
    data.append(data)

    with pytest.raises(ValueError, match="nested more than 64 deep"):
        ow.tensor(data)


@pytest.mark.parametrize(
    ("data", "dtype", "kind", "text"),
    [
        ([300], ow.uint8, OverflowError, "300 does not fit into uint8"),
        ([-1], ow.uint8, OverflowError, "-1 does not fit into uint8"),
        ([-1], ow.uint64, OverflowError, "-1 does not fit into uint64"),
        ([1j], ow.float32, TypeError, "a complex number cannot become float32"),
        ([1j], ow.int32, TypeError, "a complex number cannot become int32"),
        ([float("nan")], ow.int32, ValueError, "cannot convert float NaN to integer"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(data, dtype, kind, text):
    with pytest.raises(kind, match=text):
        ow.tensor(data, dtype=dtype)


def test_options_are_given_by_name():
    with pytest.raises(TypeError):
        ow.tensor([1], ow.float32)
    with pytest.raises(RuntimeError, match="only tensors of floating and complex dtypes"):
        ow.tensor([1], requires_grad=True)


# ---- as_tensor and asarray ----


@pytest.mark.parametrize("function", [ow.as_tensor, ow.asarray])
def test_memory_is_shared_where_that_is_possible(function):
    values = np.zeros(2)
    x = ow.zeros(2)
    theirs = torch.zeros(2)

    assert function(x) is x
    assert function(values).data_ptr() == address(values)
    assert function(theirs).data_ptr() == theirs.data_ptr()
    assert function(values, dtype=ow.float32).dtype == ow.float32
    assert function([1, 2]).tolist() == [1, 2]


def test_asarray_copies_on_demand():
    values = np.zeros(2)

    assert ow.asarray(values, copy=True).data_ptr() != address(values)
    assert ow.asarray(values, copy=False).data_ptr() == address(values)
    with pytest.raises(ValueError, match="needs a copy here, which copy=False forbids"):
        ow.asarray(values, dtype=ow.float32, copy=False)
    with pytest.raises(ValueError, match="a tensor of list needs a copy here"):
        ow.asarray([1, 2], copy=False)


# ---- from_numpy ----


def test_from_numpy_shares_memory_and_keeps_the_array():
    values = np.zeros((2, 3))
    gone = weakref.ref(values)
    x = ow.from_numpy(values)

    x[0] = 1
    assert values.tolist() == [[1.0] * 3, [0.0] * 3]
    del values
    gc.collect()
    assert gone() is not None
    del x
    assert gone() is None


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a[1:, 1:],
        lambda a: np.broadcast_to(a[0], (3, 4)),
        lambda a: a[0, 0:0],
    ],
)
def test_from_numpy_keeps_strides(view):
    values = view(np.arange(12.0).reshape(3, 4))

    x = ow.from_numpy(values)

    assert x.tolist() == values.tolist()
    assert (x + 1).tolist() == (values + 1).tolist()
    assert ow.tensor(values).tolist() == values.tolist()


def test_a_read_only_array_gives_a_read_only_tensor():
    values = np.zeros(2)
    values.flags.writeable = False
    x = ow.from_numpy(values)

    assert (x + 1).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        x.fill_(1)
    assert x.clone().fill_(1).tolist() == [1.0, 1.0]


def test_dtypes_of_ml_dtypes_are_read():
    values = np.array([1.5, 2.5], dtype=ml_dtypes.bfloat16)

    x = ow.from_numpy(values)

    assert x.dtype == ow.bfloat16
    assert x.tolist() == [1.5, 2.5]
    assert x.data_ptr() == address(values)


@pytest.mark.parametrize(
    ("values", "kind", "text"),
    [
        (np.zeros(2, ">f8"), ValueError, "byte order of another machine"),
        (
            np.zeros(2, "datetime64[s]"),
            TypeError,
            r"no dtype corresponds to NumPy's datetime64\[s\]",
        ),
        (np.zeros(2, [("a", "i4")]), TypeError, "no dtype corresponds to NumPy's"),
        (np.zeros(2, np.longdouble), TypeError, "no dtype corresponds to NumPy's float128"),
        (np.zeros(9, "u1")[1:].view("f8"), ValueError, "aligned to 8 bytes; copy it first"),
        (
            np.zeros(3, [("a", "i4"), ("b", "i2")])["a"],
            ValueError,
            "the stride of dimension 0 is 6 bytes, which is not a multiple of the element's 4",
        ),
        ([1, 2], TypeError, "expected a numpy.ndarray, got list"),
        (np.float32(1), TypeError, "expected a numpy.ndarray, got numpy.float32"),
    ],
    ids=lambda v: "",
)
def test_arrays_that_cannot_be_shared_are_named(values, kind, text):
    with pytest.raises(kind, match=text):
        ow.from_numpy(values)


# ---- frombuffer ----


def test_frombuffer_shares_memory():
    data = bytearray(8)
    x = ow.frombuffer(data, ow.int32)

    x[1] = 258

    assert data == b"\0\0\0\0\x02\x01\0\0"


@pytest.mark.parametrize(
    ("count", "offset", "expected"),
    [(-1, 0, b"abcdef"), (2, 1, b"bc"), (-1, 4, b"ef"), (0, 6, b"")],
)
def test_frombuffer_takes_count_and_offset(count, offset, expected):
    x = ow.frombuffer(b"abcdef", dtype=ow.uint8, count=count, offset=offset)

    assert bytes(x.tolist()) == expected


def test_frombuffer_of_bytes_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        ow.frombuffer(b"abcd", ow.uint8).fill_(0)


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((bytes(5), ow.int32), ValueError, "5 bytes are not a whole number of int32 elements"),
        ((bytes(8), ow.int32, 3), ValueError, "3 elements of int32 need more than the 8 bytes"),
        ((bytes(8), ow.int32, -2), ValueError, "count must be -1 or more, got -2"),
        ((bytes(8), ow.int32, -1, 9), ValueError, "offset must lie in the buffer of 8 bytes"),
        ((bytearray(9), ow.int64, 1, 1), ValueError, "aligned to 8 bytes"),
        ((12, ow.int64), TypeError, "must be an object with the buffer protocol, got int"),
    ],
)
def test_frombuffer_names_what_does_not_fit(arguments, kind, text):
    with pytest.raises(kind, match=text):
        ow.frombuffer(*arguments)


def test_is_tensor():
    assert ow.is_tensor(ow.zeros(1))
    assert not ow.is_tensor(np.zeros(1))
