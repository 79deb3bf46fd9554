"""Memory handed out without a copy: buffers, NumPy, DLPack, to numpy, torch and jax."""

import gc
import hashlib
import io
import weakref

import jax
import jax.numpy as jnp
import numpy as np
import opwright as ow
import pytest
import torch

from tests.numpy_dtypes import NUMPY_DTYPES

DLPACK_DTYPES = [*NUMPY_DTYPES, "bfloat16"]


def address(array):
    return array.__array_interface__["data"][0]


def sample(dtype):
    return ow.tensor([[0, 1, 1], [1, 0, 1]], dtype=getattr(ow, dtype))


# ---- Buffers ----


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_a_buffer_has_the_tensors_format_sizes_and_strides(dtype):
    x = sample(dtype)

    view = memoryview(x.T)

    assert view.format == memoryview(np.zeros(1, dtype)).format
    assert view.shape == (3, 2)
    assert view.strides == (x.itemsize, 3 * x.itemsize)
    assert not view.readonly


def test_a_write_through_a_buffer_is_seen():
    x = ow.zeros(3)

    memoryview(x)[1] = 2.5

    assert x.tolist() == [0.0, 2.5, 0.0]


def test_a_buffer_keeps_the_memory():
    x = ow.tensor([1.0, 2.0])
    view = memoryview(x)

    del x
    gc.collect()

    assert view.tolist() == [1.0, 2.0]


def test_bytes_are_read_from_a_contiguous_tensor_only():
    x = ow.tensor([[1, 2], [3, 4]], dtype=ow.uint8)

    assert bytes(memoryview(x)) == b"\x01\x02\x03\x04"
    assert bytearray(x.T) == b"\x01\x03\x02\x04"
    with pytest.raises(BufferError, match="the tensor is not contiguous; call contiguous"):
        hashlib.sha256(x.T)


def test_a_read_only_tensor_gives_a_read_only_buffer():
    x = ow.frombuffer(b"abcd", ow.uint8)

    assert memoryview(x).readonly
    with pytest.raises(TypeError, match="read-write bytes-like object"):
        io.BytesIO(b"xy").readinto(x)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ow.zeros(2, dtype=ow.bfloat16), "the dtype has no buffer format"),
        (lambda: ow.zeros(2, device="meta"), "a fake tensor has no data to read"),
        (lambda: ow.zeros(2).requires_grad_(), "it requires grad; call detach"),
    ],
)
def test_memory_that_cannot_be_a_buffer_says_why(make, text):
    with pytest.raises(BufferError, match=text):
        memoryview(make())


def test_an_array_of_a_tensor_that_requires_grad_is_refused_where_the_call_is_recorded():
    x = ow.ones(2, requires_grad=True)

    with pytest.raises(RuntimeError, match="numpy: the tensor requires grad"):
        x.numpy()
    with ow.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]


def test_a_kernel_reads_arguments_that_require_grad_as_arrays():
    @ow.library.custom_op("exchange::double", mutates_args=())
    def double(x: ow.Tensor) -> ow.Tensor:
        return ow.from_numpy(x.numpy() + np.asarray(x))

    double.register_autograd(lambda ctx, grad: grad * 2)
    x = ow.ones(2, requires_grad=True)
    double(x).sum().backward()

    assert x.grad.tolist() == [2.0, 2.0]


# ---- NumPy ----


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_numpy_shares_memory_both_ways(dtype):
    x = sample(dtype)

    array = x.numpy()

    assert array.dtype == np.dtype(dtype)
    assert address(array) == x.data_ptr()
    assert array.tolist() == x.tolist()
    back = ow.from_numpy(array)
    assert back.data_ptr() == x.data_ptr()
    assert back.dtype == x.dtype


def test_numpy_keeps_strides_of_views():
    x = ow.arange(12).reshape(3, 4)

    array = x[:, 1::2].T.numpy()

    assert array.strides == (16, 32)
    assert array.tolist() == x[:, 1::2].T.tolist()


def test_an_array_keeps_its_tensors_memory():
    array = ow.tensor([1.0, 2.0]).numpy()

    gc.collect()

    assert array.tolist() == [1.0, 2.0]


def test_numpy_of_no_elements_and_of_no_dimensions():
    assert ow.zeros(2, 0).numpy().shape == (2, 0)
    assert ow.tensor(2.5).numpy().shape == ()
    assert float(ow.tensor(2.5).numpy()) == 2.5


def test_numpy_of_read_only_memory_is_read_only():
    assert not ow.frombuffer(b"abcd", ow.uint8).numpy().flags.writeable
    assert ow.zeros(2).numpy().flags.writeable


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: ow.zeros(2).requires_grad_(), RuntimeError, r"call x.detach\(\).numpy\(\)"),
        (lambda: ow.zeros(2, dtype=ow.bfloat16), TypeError, "NumPy has no bfloat16; call x.float"),
        (lambda: ow.zeros(2, device="meta"), RuntimeError, "a fake tensor has no data to read"),
    ],
)
def test_numpy_says_what_to_call(make, kind, text):
    with pytest.raises(kind, match=text):
        make().numpy()
    with pytest.raises(kind, match=text):
        np.asarray(make())


def test_force_leaves_the_gradient_behind():
    x = ow.tensor([1.0, 2.0], requires_grad=True)

    array = x.numpy(force=True)

    assert address(array) == x.data_ptr()


def test_asarray_of_numpy_shares_memory():
    x = ow.tensor([1.0, 2.0])

    assert address(np.asarray(x)) == x.data_ptr()
    assert address(np.array(x)) != x.data_ptr()
    assert np.asarray(x, dtype=np.float64).dtype == np.float64


def test_array_protocol_follows_copy_and_dtype():
    x = ow.tensor([1.0, 2.0])

    assert address(x.__array__()) == x.data_ptr()
    assert address(x.__array__(copy=False)) == x.data_ptr()
    assert address(x.__array__(np.float32)) == x.data_ptr()
    assert address(x.__array__(copy=True)) != x.data_ptr()
    assert x.__array__(dtype=np.int64).dtype == np.int64
    with pytest.raises(ValueError, match="another dtype needs a copy"):
        x.__array__(np.int64, copy=False)


# ---- DLPack, out ----


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_numpy_reads_dlpack_without_a_copy(dtype):
    x = sample(dtype)

    array = np.from_dlpack(x)

    assert address(array) == x.data_ptr()
    assert array.dtype == np.dtype(dtype)
    assert array.tolist() == x.tolist()


@pytest.mark.parametrize("dtype", DLPACK_DTYPES)
def test_torch_reads_dlpack_without_a_copy(dtype):
    x = sample(dtype)

    theirs = torch.from_dlpack(x.T)

    assert theirs.data_ptr() == x.data_ptr()
    assert theirs.dtype == getattr(torch, dtype)
    assert theirs.stride() == x.T.stride()
    assert theirs.tolist() == x.T.tolist()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float16", "bfloat16", "float32"])
def test_jax_reads_dlpack_without_a_copy(dtype):
    x = sample(dtype)

    theirs = jax.dlpack.from_dlpack(x)

    assert theirs.unsafe_buffer_pointer() == x.data_ptr()
    assert theirs.dtype == jnp.dtype(dtype)
    assert theirs.tolist() == x.tolist()


def test_memory_lives_as_long_as_its_consumer():
    theirs = torch.from_dlpack(ow.tensor([1.0, 2.0]))

    gc.collect()

    assert theirs.tolist() == [1.0, 2.0]


def test_a_consumer_without_versions_gets_the_old_capsule():
    x = ow.zeros(2)

    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(2, 3)))


def test_read_only_memory_needs_a_consumer_that_knows_versions():
    x = ow.frombuffer(b"abcd", ow.uint8)

    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()


def test_dlpack_copies_on_demand():
    x = ow.zeros(2)

    assert ow.from_dlpack(x.__dlpack__(copy=True)).data_ptr() != x.data_ptr()
    assert ow.from_dlpack(x.__dlpack__(copy=False)).data_ptr() == x.data_ptr()
    assert ow.from_dlpack(x.__dlpack__(dl_device=(1, 0))).data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: ow.zeros(2).requires_grad_().__dlpack__(), BufferError, "requires grad"),
        (lambda: ow.zeros(2, device="meta").__dlpack__(), BufferError, "has no data to read"),
        (
            lambda: ow.zeros(2, device="meta").__dlpack_device__(),
            BufferError,
            "has no data to read",
        ),
        (lambda: ow.zeros(2).__dlpack__(stream=3), ValueError, "has no streams"),
        (lambda: ow.zeros(2).__dlpack__(stream=3), AssertionError, "stream must be None"),
        (
            lambda: ow.zeros(2).__dlpack__(dl_device=(2, 0), copy=False),
            BufferError,
            "without a copy, which copy=False forbids",
        ),
        (lambda: ow.zeros(2).__dlpack__(max_version=1), TypeError, "max_version must be a tuple"),
    ],
)
def test_what_dlpack_cannot_do_is_said(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_an_unused_capsule_frees_its_memory():
    array = np.zeros(2)
    gone = weakref.ref(array)
    capsule = ow.from_numpy(array).__dlpack__()

    del array
    assert gone() is not None
    del capsule

    assert gone() is None


# ---- DLPack, in ----


@pytest.mark.parametrize("dtype", DLPACK_DTYPES)
def test_torch_memory_is_read_without_a_copy(dtype):
    theirs = torch.tensor([[0, 1, 1], [1, 0, 1]], dtype=getattr(torch, dtype)).T

    x = ow.from_dlpack(theirs)

    assert x.data_ptr() == theirs.data_ptr()
    assert x.dtype == getattr(ow, dtype)
    assert x.stride() == theirs.stride()
    assert x.tolist() == theirs.tolist()


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_numpy_memory_is_read_without_a_copy(dtype):
    array = np.array([[0, 1, 1], [1, 0, 1]], dtype=dtype)

    x = ow.from_dlpack(array)

    assert x.data_ptr() == address(array)
    assert x.tolist() == array.tolist()


def test_jax_memory_is_read_without_a_copy():
    theirs = jnp.arange(6.0).reshape(2, 3)

    x = ow.from_dlpack(theirs)

    assert x.data_ptr() == theirs.unsafe_buffer_pointer()
    assert x.tolist() == theirs.tolist()


def test_a_capsule_can_be_used_once():
    capsule = torch.utils.dlpack.to_dlpack(torch.tensor([1.0, 2.0]))

    assert ow.from_dlpack(capsule).tolist() == [1.0, 2.0]
    assert "used_dltensor" in repr(capsule)
    with pytest.raises(ValueError, match="the capsule was consumed already"):
        ow.from_dlpack(capsule)


def test_an_older_producer_is_asked_without_a_version():
    class Old:
        def __dlpack__(self, stream=None):
            return ow.tensor([1, 2]).__dlpack__()

    assert ow.from_dlpack(Old()).tolist() == [1, 2]


def test_an_error_of_the_producer_comes_through():
    class Broken:
        def __dlpack__(self, **_):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ow.from_dlpack(Broken())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "expected an object with __dlpack__ or a capsule, got int"),
        (type("Odd", (), {"__dlpack__": lambda self, **_: 3})(), "gave int instead of a capsule"),
    ],
)
def test_what_is_no_dlpack_is_refused(value, text):
    with pytest.raises(TypeError, match=text):
        ow.from_dlpack(value)


def test_from_dlpack_copies_on_demand():
    theirs = torch.zeros(2)

    assert ow.from_dlpack(theirs, copy=True).data_ptr() != theirs.data_ptr()
    assert ow.from_dlpack(theirs, copy=False, device="cpu").data_ptr() == theirs.data_ptr()
