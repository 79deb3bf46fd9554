"""opwright.vmap: arguments and outputs, trees of dimensions, nesting, chunks."""

from collections import namedtuple
from dataclasses import dataclass

import opwright as ow
import pytest
from opwright import vmap

from .samples import assert_same, counted


def test_a_function_of_one_sample_runs_over_dimension_0():
    shapes = []

    def double(x):
        shapes.append(tuple(x.shape))
        return x * 2

    assert vmap(double)(counted(3, 2)).tolist() == [[0, 2], [4, 6], [8, 10]]
    assert shapes == [(2,)]


def test_each_argument_has_its_own_in_dim():
    x, y = counted(3, 2), counted(2, 3)

    assert_same(vmap(ow.mul, in_dims=(0, 1))(x, y), x * y.t())


def test_an_in_dim_may_count_from_the_end():
    x = counted(2, 3)

    assert_same(vmap(lambda x: x + 1, in_dims=-1)(x), x.t() + 1)


def test_an_argument_whose_in_dim_is_none_is_the_same_for_all_samples():
    x, y = counted(3, 2), counted(2)

    assert_same(vmap(ow.add, in_dims=(0, None))(x, y), x + y)


def test_what_is_no_tensor_passes_with_none_as_its_in_dim():
    def scale(x, factor, name):
        assert name == "gain"
        return x * factor

    mapped = vmap(scale, in_dims=(0, None, None))

    assert mapped(counted(2), 3.0, "gain").tolist() == [0, 3]


def test_keyword_arguments_are_the_same_for_all_samples():
    x, y = counted(3, 2), counted(2)

    assert_same(vmap(lambda x, *, y: x + y)(x, y=y), x + y)


def test_a_captured_tensor_is_the_same_for_all_samples():
    y = counted(2)

    assert_same(vmap(lambda x: x + y)(counted(3, 2)), counted(3, 2) + y)


# ---- Trees ----


def test_one_in_dim_is_for_all_tensors_of_a_tree():
    def total(weights, x):
        return weights["scale"] * x + weights["shift"][0]

    weights = {"scale": counted(3), "shift": [counted(3)]}

    assert vmap(total)(weights, counted(3)).tolist() == [0, 2, 6]


def test_in_dims_may_be_a_tree_with_the_structure_of_the_argument():
    def total(weights, x):
        return weights["scale"] * x + weights["shift"][0]

    weights = {"scale": ow.tensor(2.0), "shift": [counted(3)]}
    mapped = vmap(total, in_dims=({"scale": None, "shift": [0]}, 0))

    assert mapped(weights, counted(3)).tolist() == [0, 3, 6]


def test_in_dims_of_named_tuples_and_dataclasses_have_their_fields():
    pair_class = namedtuple("pair_class", "left right")

    @dataclass
    class Scale:
        factor: object
        bias: object

    def total(pair, scale):
        return (pair.left + pair.right) * scale.factor + scale.bias

    mapped = vmap(total, in_dims=(pair_class(0, None), Scale(None, 0)))
    given = mapped(pair_class(counted(2), ow.tensor(1.0)), Scale(ow.tensor(10.0), counted(2)))

    assert given.tolist() == [10, 21]


def test_outputs_keep_their_structure():
    def f(x):
        return {"sum": x + 1, "rest": (x, [x * 2, None])}

    given = vmap(f)(counted(2))

    assert given["sum"].tolist() == [1, 2]
    assert given["rest"][0].tolist() == [0, 1]
    assert given["rest"][1][0].tolist() == [0, 2]
    assert given["rest"][1][1] is None


def test_out_dims_say_where_each_batch_goes():
    x = counted(3, 2)

    first, last = vmap(lambda x: (x, x + 1), out_dims=(0, -1))(x)

    assert_same(first, x)
    assert_same(last, x.t() + 1)


def test_out_dims_may_be_a_tree():
    x = counted(3, 2)

    given = vmap(lambda x: {"a": x, "b": [x, x]}, out_dims={"a": 1, "b": [0, 1]})(x)

    assert_same(given["a"], x.t())
    assert_same(given["b"][0], x)
    assert_same(given["b"][1], x.t())


def test_one_tensor_takes_a_tuple_of_one_out_dim():
    assert_same(vmap(lambda x: x, out_dims=(1,))(counted(3, 2)), counted(3, 2).t())


def test_an_output_that_is_the_same_for_all_samples_is_repeated():
    y = counted(2)

    given = vmap(lambda x: y, out_dims=1)(counted(3))

    assert given.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_with_none_as_its_out_dim_it_is_given_once():
    y = counted(2)

    assert vmap(lambda x: y, out_dims=None)(counted(3)) is y


# ---- Nesting ----


def test_vmap_of_vmap_runs_over_two_dimensions():
    x, y = counted(2, 3), counted(3)

    products = vmap(vmap(ow.mul), in_dims=(0, None))(x, y)

    assert_same(products, x * y)


def test_an_outer_sample_is_the_same_for_all_inner_ones():
    x, y = counted(2), counted(3)

    table = vmap(lambda a: vmap(lambda b: a * 10 + b)(y))(x)

    assert table.tolist() == [[0, 1, 2], [10, 11, 12]]


def test_inner_and_outer_dimensions_may_be_any():
    x = counted(2, 3, 4)

    given = vmap(vmap(lambda s: s + 1, in_dims=1, out_dims=0), in_dims=1, out_dims=2)(x)

    assert_same(given, x.permute(2, 0, 1) + 1)


# ---- Chunks ----


@pytest.mark.parametrize("chunk_size", [1, 2, 5, 7])
def test_chunks_give_what_the_whole_batch_gives(chunk_size):
    sizes = []

    def f(x, y):
        sizes.append(x.shape)
        return x + y, x * 2

    x, y = counted(2, 5), counted(2)
    left, right = vmap(f, in_dims=(1, None), out_dims=(0, 1), chunk_size=chunk_size)(x, y)

    assert_same(left, x.t() + y)
    assert_same(right, x * 2)
    assert len(sizes) == -(-5 // chunk_size)


def test_an_output_that_is_the_same_for_all_chunks_is_given_once():
    y = counted(2)

    assert vmap(lambda x: y, out_dims=None, chunk_size=1)(counted(3)).tolist() == [0, 1]


# ---- The mapped function ----


def test_the_mapped_function_keeps_name_and_text_of_its_own():
    def area(width, height):
        """Multiply."""
        return width * height

    mapped = vmap(area)

    assert (mapped.__name__, mapped.__doc__) == ("area", "Multiply.")


def test_an_exception_of_the_function_leaves_vmap():
    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        vmap(fail)(counted(2))

    assert (counted(2) + 1).tolist() == [1, 2]


def test_an_operator_is_mapped_as_a_function_is():
    assert vmap(ow.ops.aten.sin.default)(ow.zeros(2, 2)).tolist() == [[0, 0], [0, 0]]


def test_a_sample_shows_its_sizes_and_prints():
    texts = []
    vmap(lambda x: texts.append((repr(x), tuple(x.stride()), x.dim())) or x, in_dims=1)(
        counted(2, 3)
    )

    shown = (
        "BatchedTensor(lvl=1, bdim=1, value=\n"
        "    tensor([[0., 1., 2.],\n"
        "            [3., 4., 5.]])\n"
        ")"
    )
    assert texts == [(shown, (3,), 1)]


def test_a_batch_of_no_samples_gives_outputs_of_none():
    assert tuple(vmap(lambda x: x.sin() + 1)(ow.zeros(0, 3)).shape) == (0, 3)
