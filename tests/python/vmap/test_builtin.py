"""Built-in operators inside vmap where a sample is more than an operand: indices, modules."""

import warnings

import opwright as ow
import pytest
from opwright import vmap
from opwright.func import functionalize

from .samples import assert_same, counted


@pytest.fixture(autouse=True)
def _no_operator_runs_for_each_sample():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ow.PerformanceWarning)
        yield


# ---- Indices ----


def test_a_sample_may_be_the_index_of_another():
    x, index = counted(3, 4), ow.tensor([0, 3, 1])

    assert vmap(lambda x, i: x[i])(x, index).tolist() == [0, 7, 9]


def test_a_sample_may_be_the_index_of_a_shared_tensor():
    table = counted(4, 2)

    given = vmap(lambda i: table[i])(ow.tensor([3, 0]))

    assert_same(given, table[ow.tensor([3, 0])])


def test_a_sample_may_say_which_element_is_written():
    x = ow.zeros(3, 4)

    def put(x, i):
        x[i] = 1
        return x

    vmap(put)(x, ow.tensor([0, 3, 1]))

    assert x.tolist() == [[1, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]]


def test_a_sample_may_be_the_index_inside_of_functionalize():
    x, index = counted(3, 4), ow.tensor([0, 3, 1])

    assert vmap(functionalize(lambda x, i: x[i] + 0))(x, index).tolist() == [0, 7, 9]


def test_an_int_and_a_slice_count_in_the_sample():
    x = counted(2, 3, 4)

    given = vmap(lambda x: (x[0], x[:, 1:3], x[..., None], x[-1, -1]), in_dims=1)(x)

    for actual, expected in zip(
        given,
        (x[0], x[:, :, 1:3].movedim(1, 0), x.movedim(1, 0)[..., None], x[-1, :, -1]),
        strict=True,
    ):
        assert_same(actual, expected)


def test_a_part_of_a_sample_is_a_view_of_the_batch():
    x = counted(3, 4)

    def clear(x):
        x[1:3] = 0
        x.view(2, 2)[0].add_(10)
        return x

    vmap(clear)(x)

    assert x.tolist() == [[10, 10, 0, 3], [14, 10, 0, 7], [18, 10, 0, 11]]


def test_a_sample_takes_new_elements_of_its_own():
    def running(x):
        total = x.new_zeros(2)
        for i in range(3):
            total[1] = total[0]
            total[0] += x[i]
        return total

    assert vmap(running)(counted(2, 3)).tolist() == [[3, 1], [12, 7]]


# ---- Functions of the package ----


def test_a_module_is_mapped_as_a_function_is():
    model = ow.nn.Sequential(ow.nn.Linear(4, 8), ow.nn.ReLU(), ow.nn.Linear(8, 2))
    x = ow.randn(5, 4)

    assert ow.allclose(vmap(model)(x), model(x), atol=1e-6)


def test_models_are_mapped_over_their_weights():
    weights, biases = ow.randn(3, 2, 4), ow.randn(3, 2)
    x = ow.randn(5, 4)

    given = vmap(ow.nn.functional.linear, in_dims=(None, 0, 0))(x, weights, biases)

    for i in range(3):
        alone = ow.nn.functional.linear(x, weights[i], biases[i])
        assert ow.allclose(given[i], alone, atol=1e-6)


def test_a_convolution_of_one_image_runs_over_many():
    weight, images = ow.randn(2, 1, 3, 3), ow.randn(4, 1, 6, 6)

    given = vmap(lambda image: ow.nn.functional.conv2d(image, weight))(images)

    assert ow.allclose(given, ow.nn.functional.conv2d(images, weight), atol=1e-5)


def test_a_table_of_distances_is_two_mapped_functions():
    a, b = ow.randn(3, 2), ow.randn(4, 2)

    def distance(x, y):
        return ((x - y) ** 2).sum().sqrt()

    table = vmap(vmap(distance, in_dims=(None, 0)), in_dims=(0, None))(a, b)

    assert ow.allclose(table, ((a[:, None] - b) ** 2).sum(-1).sqrt(), atol=1e-5)
