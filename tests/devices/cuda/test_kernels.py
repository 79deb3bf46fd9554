"""Kernels at the sizes and layouts where they take another path, compared with the CPU."""
# Covers: devices/cuda/kernels/*.

import opwright as ow
import pytest

from .beside_cpu import assert_close, assert_same_on_cuda

FLOATS = (ow.float32, ow.float16, ow.bfloat16)


def rows(dtype, *sizes):
    ow.manual_seed(0)
    return ow.randn(*sizes).to(dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, ow.float64, ow.int64, ow.int32])
@pytest.mark.parametrize("count", [1, 3, 255, 4096, 4099, 1 << 20])
def test_dense_loops_of_every_length(dtype, count):
    x = (ow.arange(count) % 97 - 48).to(dtype)

    assert_same_on_cuda(lambda x: x * 3 + x, x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_strided_broadcast_and_mixed_operands(dtype):
    x, y = rows(dtype, 33, 65), rows(ow.float32, 65)

    assert_same_on_cuda(lambda x, y: x.t() * 2, x, y)
    assert_same_on_cuda(lambda x, y: x + y, x, y)
    assert_same_on_cuda(lambda x, y: x[::2, 1::3] - 1, x, y)
    assert_same_on_cuda(lambda x, y: x.unsqueeze(0) > x.unsqueeze(1), x, y)


MEMORIES = {  # of 24 rows of 64: contiguous, with row gaps, not aligned, along the other dim
    "rows": lambda x: x.reshape(24, 64),
    "one row": lambda x: x[:64],
    "one column": lambda x: x[:24].reshape(24, 1),
    "not aligned": lambda x: x[1 : 24 * 65 + 1].reshape(24, 65)[:, :64],
    "transposed": lambda x: x.reshape(64, 24).t(),
    "every other": lambda x: x.repeat(2)[::2].reshape(24, 64),
}


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("other", [*FLOATS, ow.float64, ow.int64, ow.uint8, ow.bool])
@pytest.mark.parametrize("dtype", [ow.float32, ow.bfloat16, ow.int64])
def test_results_that_lie_in_runs_of_four(dtype, other, memory):
    x = (ow.arange(24 * 64) % 11 - 5).to(dtype).reshape(24, 64)
    y = (ow.arange(24 * 66) % 7).to(other)
    take = MEMORIES[memory] if memory == "not aligned" else lambda y: MEMORIES[memory](y[: 24 * 64])

    assert_same_on_cuda(lambda x, y: x + take(y), x, y)
    assert_same_on_cuda(lambda x, y: x > take(y), x, y)
    assert_same_on_cuda(lambda x, y: ow.where(take(y) > 2, x, 3), x, y)
    assert_same_on_cuda(lambda x, y: take(y).to(dtype).contiguous(), x, y)


@pytest.mark.parametrize("dtype", [ow.uint8, ow.bfloat16, ow.float32, ow.int64, ow.complex64])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 6, 8, 16, 17])
def test_copies_of_words_that_lie_together(dtype, width):
    x = (ow.arange(40 * 32) % 100).to(ow.float32).to(dtype).reshape(40, 32)

    assert_same_on_cuda(lambda x: x[:, :width].contiguous(), x)
    assert_same_on_cuda(lambda x: x[:, 1 : width + 1].contiguous(), x)
    assert_same_on_cuda(lambda x: ow.cat([x[:, :width], x], 1), x)


def test_small_ints_wrap_as_on_the_cpu():
    x = ow.arange(-128, 128).to(ow.int8)

    assert_same_on_cuda(lambda x: x * x + 100, x)
    assert_same_on_cuda(lambda x: (x + 1) > x, x)
    assert_same_on_cuda(lambda x: x.to(ow.uint8).to(ow.float32), x)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("sizes", [(3,), (10, 7), (1000, 33), (4, 70000), (300000,), (5, 6, 7)])
@pytest.mark.parametrize("dim", [0, -1])
def test_folds_by_rows_and_by_columns(dtype, sizes, dim):
    x = rows(dtype, *sizes)

    assert_same_on_cuda(lambda x: x.mean(dim), x)
    assert_same_on_cuda(lambda x: x.max(dim)[1], x)
    assert_same_on_cuda(lambda x: x.var(dim, correction=0), x)
    assert_same_on_cuda(lambda x: (x > 3).any(dim), x)


def test_folds_give_the_same_in_every_run():
    x = rows(ow.float32, 1 << 22).to("cuda")

    sums = {x.sum().item() for _ in range(5)}

    assert len(sums) == 1


@pytest.mark.parametrize("length", [1, 10, 31, 32, 33, 256, 1000, 4096, 8190, 20000])
@pytest.mark.parametrize("dtype", [*FLOATS, ow.float64])
def test_softmax_of_rows_of_every_length(length, dtype):
    x = rows(dtype, 37, length)

    assert_same_on_cuda(lambda x: x.softmax(-1), x)
    assert_same_on_cuda(lambda x: x.log_softmax(-1), x)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_softmax_along_any_dimension(dim):
    x = rows(ow.float32, 19, 23, 40)

    assert_same_on_cuda(lambda x: x.softmax(dim), x)


def gradients_of(function, *tensors):
    leaves = [each.detach().requires_grad_() for each in tensors]
    result = function(*leaves)
    (result * result).sum().backward()
    return tuple(each.grad for each in leaves)


@pytest.mark.parametrize("length", [10, 64, 1000, 4096])
@pytest.mark.parametrize("is_log", [False, True])
def test_gradients_of_softmax(length, is_log):
    x = rows(ow.float32, 17, length)
    function = (lambda x: x.log_softmax(-1)) if is_log else (lambda x: x.softmax(-1))

    assert_same_on_cuda(lambda x: gradients_of(function, x), x, tolerance=1e-4)


@pytest.mark.parametrize("length", [1, 10, 64, 1000, 4096])
@pytest.mark.parametrize("dtype", FLOATS)
def test_layer_norm_of_rows_of_every_length(length, dtype):
    x, weight, bias = rows(dtype, 50, length), rows(dtype, length), rows(dtype, length)

    assert_same_on_cuda(
        lambda x, w, b: ow.nn.functional.layer_norm(x, (length,), w, b), x, weight, bias
    )


def test_gradients_of_layer_norm():
    x, weight, bias = (rows(ow.float32, *sizes) for sizes in ((300, 96), (96,), (96,)))

    def function(x, weight, bias):
        return ow.nn.functional.layer_norm(x, (96,), weight, bias)

    assert_same_on_cuda(lambda *all: gradients_of(function, *all), x, weight, bias, tolerance=1e-3)


@pytest.mark.parametrize("dtype", [*FLOATS, ow.int64, ow.uint8])
def test_elements_that_meet_are_added(dtype):
    index = ow.arange(1000) % 7
    source = (ow.arange(1000) % 5).to(dtype)

    assert_same_on_cuda(
        lambda index, source: ow.zeros(7, dtype=dtype, device=source.device).index_add(
            0, index, source
        ),
        index,
        source,
        tolerance=0 if dtype == ow.int64 else None,
    )


def test_gathered_rows_are_moved_as_wide_words():
    table, index = rows(ow.bfloat16, 100, 64), ow.arange(300) % 100 - 50

    assert_same_on_cuda(lambda table, index: table[index], table, index)


def test_random_numbers_are_those_of_the_cpu():
    def draw(device):
        ow.manual_seed(5)
        return (
            ow.rand(1000, device=device),
            ow.randint(-7, 100, (1000,), device=device),
            ow.randn(1000, device=device),
        )

    for actual, expected in zip(draw("cuda"), draw("cpu"), strict=True):
        assert_close(actual, expected, tolerance=1e-5)
