"""Pickles of tensors: class, attributes, memory."""

import pickle

import numpy as np
import opwright as ow
import pytest

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


class Named(ow.Tensor):
    """A subclass that pickles can find."""


class Slotted(ow.Tensor):
    """A subclass with a slot."""

    __slots__ = ("unit",)


class Stateful(ow.Tensor):
    """A subclass that controls what is pickled."""

    def __getstate__(self):
        return {"kept": self.kept}

    def __setstate__(self, state):
        self.kept = state["kept"] + 1


def round_trip(x, protocol=pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(x, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "bfloat16", "float32", "complex128"])
def test_values_and_dtype_come_back(name, protocol):
    x = ow.tensor([[0, 1, 2], [3, 4, 5]], dtype=getattr(ow, name))

    y = round_trip(x, protocol)

    assert type(y) is ow.Tensor
    assert y.dtype == x.dtype
    assert y.tolist() == x.tolist()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_read_back_can_be_written(protocol):
    y = round_trip(ow.zeros(3), protocol)

    y[0] = 1

    assert y.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("x", [ow.tensor(2.5), ow.zeros(0), ow.zeros(2, 0, 3)], ids=str)
def test_tensors_of_no_dimensions_and_no_elements(x):
    assert round_trip(x).shape == x.shape


def test_dense_strides_are_kept():
    x = ow.arange(6).reshape(2, 3).T

    y = round_trip(x)

    assert y.stride() == (1, 3)
    assert y.tolist() == x.tolist()


def test_a_view_takes_its_own_elements_only():
    x = ow.zeros(1000, 1000)[::2, :3]

    data = pickle.dumps(x)

    assert len(data) < 500 * 3 * 4 + 1000
    assert pickle.loads(data).shape == (500, 3)
    assert pickle.loads(data).is_contiguous()


def test_expanded_and_flipped_tensors_come_back():
    flipped = ow.from_numpy(np.arange(6.0).reshape(2, 3)[::-1])
    expanded = ow.tensor([1.0, 2.0]).expand([3, 2])

    assert round_trip(flipped).tolist() == flipped.tolist()
    assert round_trip(expanded).tolist() == expanded.tolist()


def test_bytes_are_written_once():
    x = ow.zeros(100_000)

    assert len(pickle.dumps([x, x])) < x.nbytes + 1000


def test_one_tensor_in_two_places_stays_one():
    x = ow.zeros(2)

    first, second = round_trip([x, x])

    assert first is second


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_subclass_and_attributes_are_kept(protocol):
    x = Named([1.0, 2.0])
    x.name = "length"

    y = round_trip(x, protocol)

    assert type(y) is Named
    assert y.name == "length"
    assert y.tolist() == [1.0, 2.0]


def test_slots_are_kept():
    x = Slotted([1.0])
    x.unit, x.other = "m", 3

    y = round_trip(x)

    assert (y.unit, y.other) == ("m", 3)


def test_a_subclass_may_say_what_is_kept():
    x = Stateful([1.0])
    x.kept, x.lost = 1, 2

    y = round_trip(x)

    assert y.kept == 2
    assert not hasattr(y, "lost")


def test_a_tensor_that_holds_itself_comes_back():
    x = ow.zeros(2)
    x.me = [x]

    y = round_trip(x)

    assert y.me[0] is y


def test_requires_grad_is_kept():
    assert round_trip(ow.zeros(2).requires_grad_()).requires_grad
    assert not round_trip(ow.zeros(2)).requires_grad


def test_meta_tensors_have_no_bytes():
    x = ow.zeros(1000, 1000, device="meta").T[:, 0]

    y = round_trip(x)

    assert len(pickle.dumps(x)) < 1000
    assert (y.is_meta, y.shape, y.stride(), y.dtype) == (True, (1000,), (1,), ow.float32)


def test_out_of_band_buffers_are_not_copied():
    x = ow.arange(1000)
    buffers = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)

    y = pickle.loads(data, buffers=buffers)

    assert len(data) < 1000
    assert y.data_ptr() == x.data_ptr()
    assert y.tolist() == x.tolist()


def test_out_of_band_bytes_give_a_read_only_tensor():
    buffers = []
    data = pickle.dumps(ow.arange(3), protocol=5, buffer_callback=buffers.append)

    y = pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])

    assert y.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        y.fill_(0)


def test_misaligned_buffers_are_copied():
    buffers = []
    data = pickle.dumps(ow.arange(3), protocol=5, buffer_callback=buffers.append)
    shifted = memoryview(bytearray(b"x" + bytes(buffers[0])))[1:]

    assert pickle.loads(data, buffers=[shifted]).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((bytes(8), "float32", (3,), (1,)), "elements of float32 do not fit"),
        ((bytes(12), "float32", (3,), (2,)), "are not those of dense"),
        ((bytes(12), "float32", (3,), (-1,)), "are not those of dense"),
    ],
)
def test_a_pickle_that_lies_about_its_memory_is_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        ow._C._rebuild_tensor(ow.Tensor, *arguments, "cpu", False)
