"""Pointwise operators need no rule: one call is equivalent to a loop over samples."""

import itertools
import warnings

import opwright as ow
import pytest
from opwright import Tensor, library, vmap

from .samples import assert_same, by_sample, counted

SIZES = [(), (3,), (1,), (2, 3), (2, 1)]
PLACES = [None, 0, -1]


def batch_of(sizes: tuple[int, ...], place: int | None, dtype: ow.dtype) -> Tensor:
    if place is None:
        return counted(*sizes, dtype=dtype)
    at = place % (len(sizes) + 1)
    return counted(*sizes[:at], 4, *sizes[at:], dtype=dtype)


@pytest.mark.parametrize(("left", "right"), [*itertools.product(SIZES, repeat=2)])
def test_samples_of_any_sizes_broadcast_as_they_do_alone(left, right):
    for in_dims in itertools.product(PLACES, repeat=2):
        if in_dims == (None, None):
            continue
        x, y = batch_of(left, in_dims[0], ow.float32), batch_of(right, in_dims[1], ow.float32)

        assert_same(vmap(ow.sub, in_dims)(x, y), by_sample(ow.sub, in_dims, x, y))


DTYPES = [ow.bool, ow.uint8, ow.int32, ow.int64, ow.float16, ow.float32, ow.float64, ow.complex64]


@pytest.mark.parametrize(("left", "right"), [*itertools.product(DTYPES, repeat=2)])
def test_dtypes_meet_as_they_do_in_one_sample(left, right):
    for sizes, in_dims in itertools.product(
        [((), ()), ((3,), ()), ((), (3,)), ((3,), (3,))], [(0, None), (None, 0), (0, 0)]
    ):
        x, y = batch_of(sizes[0], in_dims[0], left), batch_of(sizes[1], in_dims[1], right)

        assert_same(vmap(ow.add, in_dims)(x, y), by_sample(ow.add, in_dims, x, y))


def test_a_condition_of_each_sample_stays_bool():
    x, y = counted(3, 2), -counted(3, 2)
    condition = ow.tensor([True, False, True])

    given = vmap(ow.where)(condition, x, y)

    assert given.tolist() == [[0, 1], [-2, -3], [4, 5]]


def test_a_sample_is_written_in_place():
    x = counted(3, 2)

    returned = vmap(lambda x, y: x.mul_(y))(x, counted(3) + 1)

    assert x.tolist() == [[0, 1], [4, 6], [12, 15]]
    assert_same(returned, x)


def test_a_write_gives_the_written_object_back():
    same = []

    vmap(lambda x: same.append(x.add_(1) is x) or x)(counted(3))

    assert same == [True]


def test_a_write_reaches_a_batch_in_any_dimension():
    x = counted(2, 3)

    vmap(lambda x, y: x.add_(y), in_dims=(1, 0))(x, ow.tensor([10.0, 20.0, 30.0]))

    assert x.tolist() == [[10, 21, 32], [13, 24, 35]]


def test_a_write_raises_the_version_of_the_batch():
    x = counted(3)
    before = x._version

    vmap(lambda x: x.add_(1))(x)

    assert x._version == before + 1


def test_a_captured_tensor_may_be_written_with_values_that_are_the_same_for_all():
    total = ow.zeros(2)

    vmap(lambda x: (total.add_(1), x)[1])(counted(3))

    assert total.tolist() == [1, 1]


def test_a_sample_that_the_result_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"aten::mul_.Tensor: 'self' has sizes \[3\] in each"):
        vmap(lambda x, y: x.mul_(y), in_dims=(0, None))(counted(2, 3), counted(4, 3))


def test_out_is_written_for_each_sample():
    x, out = counted(3, 2), ow.empty(3, 2)

    vmap(lambda x, out: ow.add(x, x, out=out))(x, out)

    assert_same(out, x + x)


def test_an_operator_with_the_tag_runs_once_on_the_batch():
    sizes = []

    @library.custom_op("trial_vmap::soft_sign", mutates_args=(), tags=[ow.library.Tag.pointwise])
    def soft_sign(x: Tensor, scale: Tensor) -> Tensor:
        sizes.append((tuple(x.shape), tuple(scale.shape)))
        return scale * x / (1 + x.abs())

    x, scale = counted(3, 2), counted(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = vmap(soft_sign)(x, scale)

    assert sizes == [((3, 2), (3, 1))]
    assert_same(given, scale.unsqueeze(1) * x / (1 + x.abs()))
