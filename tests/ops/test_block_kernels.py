"""Kernels that work in blocks, in vectors of channels or by threads give what simple loops give."""

import numpy as np
import opwright as ow
import pytest

ATEN = ow.ops.aten


@pytest.fixture
def two_threads():
    before = ow.num_threads()
    ow.set_num_threads(2)
    yield
    ow.set_num_threads(before)


def random(*sizes):
    return np.random.default_rng(7).random(sizes, dtype=np.float32)


def grid_gradients(channels):
    image, grad = (
        ow.from_numpy(random(3, channels, 20, 20)),
        ow.from_numpy(random(3, channels, 30, 30)),
    )
    grid = ow.from_numpy(random(3, 30, 30, 2) * 2 - 1)
    both = ATEN.grid_sampler_2d_backward.default(grad, image, grid, 0, 0, False, [True, True])
    return [each.numpy() for each in both]


@pytest.mark.parametrize("channels", [1, 3, 20])
def test_the_gradients_of_a_sampling_do_not_depend_on_the_number_of_threads(channels, two_threads):
    of_two = grid_gradients(channels)
    ow.set_num_threads(1)
    of_one = grid_gradients(channels)

    np.testing.assert_array_equal(of_one[0], of_two[0])
    np.testing.assert_array_equal(of_one[1], of_two[1])


def test_the_gradient_of_a_sampling_can_be_differentiated():
    image = ow.from_numpy(random(1, 2, 4, 4)).to(ow.float64).requires_grad_()
    grid = (ow.from_numpy(random(1, 3, 3, 2)).to(ow.float64) * 1.6 - 0.8).requires_grad_()

    assert ow.autograd.gradgradcheck(
        lambda x, g: ATEN.grid_sampler_2d(x, g, 0, 0, False), (image, grid)
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_bincount_counts_a_number_that_comes_late(dtype):
    numbers = np.arange(9000) % 7
    numbers[8500] = 200

    counts = ow.bincount(ow.from_numpy(numbers.astype(dtype)))

    np.testing.assert_array_equal(counts.numpy(), np.bincount(numbers))


def test_bincount_refuses_a_negative_number_that_comes_late():
    numbers = np.arange(9000) % 7
    numbers[8500] = -3

    with pytest.raises(RuntimeError, match="bincount: self must not hold negative numbers, got -3"):
        ow.bincount(ow.from_numpy(numbers))


@pytest.mark.parametrize("factor", [2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.complex128])
def test_pixel_shuffle_interleaves_rows(factor, dtype):
    x = np.arange(2 * 3 * factor**2 * 5 * 9).reshape(2, 3 * factor**2, 5, 9).astype(dtype)

    shuffled = ATEN.pixel_shuffle(ow.from_numpy(x), factor)

    parts = x.reshape(2, 3, factor, factor, 5, 9).transpose(0, 1, 4, 2, 5, 3)
    np.testing.assert_array_equal(shuffled.numpy(), parts.reshape(2, 3, 5 * factor, 9 * factor))


def test_unique_consecutive_keeps_the_first_of_equal_zeros_and_each_nan():
    x = ow.tensor([0.0, -0.0, 2.0, 2.0, 2.0, float("nan"), float("nan"), 2.0])

    values, inverse, counts = ATEN.unique_consecutive(x, True, True)

    assert str(values.tolist()) == "[0.0, 2.0, nan, nan, 2.0]"
    assert inverse.tolist() == [0, 0, 1, 1, 1, 2, 3, 4]
    assert counts.tolist() == [2, 3, 1, 1, 1]


def test_put_writes_into_a_tensor_with_gaps():
    x = ow.zeros(3, 4)

    x.t()[::2].put_(ow.tensor([0, 5, -1, 0]), ow.tensor([1.0, 2.0, 3.0, 4.0]), accumulate=True)

    assert x.tolist() == [[5, 0, 0, 0], [0, 0, 0, 0], [0, 0, 5, 0]]


def test_put_refuses_a_source_of_another_length():
    with pytest.raises(RuntimeError, match="put: source must have an element for each of the 2"):
        ow.zeros(3).put_(ow.tensor([0, 1]), ow.tensor([1.0]))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32"])
def test_put_refuses_indices_that_are_not_int64(dtype):
    index = ow.ones(2, dtype=getattr(ow, dtype))

    with pytest.raises(TypeError, match=rf"put: index must be of int64, got {dtype}\[2\]"):
        ow.zeros(2).put_(index, ow.tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="put: index must be of int64"):
        ow.zeros(2).put(index, ow.tensor([1.0, 2.0]))


def test_put_in_place_passes_gradients():
    x, source = ow.ones(4).requires_grad_(), ow.ones(2).requires_grad_()

    result = (x * 2).put_(ow.tensor([1, 3]), source * 3)
    (result * ow.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()

    assert x.grad.tolist() == [2, 0, 6, 0]
    assert source.grad.tolist() == [6, 12]
