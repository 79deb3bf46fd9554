"""What vmap refuses, and the words in which it does."""

import opwright as ow
import pytest
from opwright import vmap

from .samples import counted


def add(x, y):
    return x + y


def refused(kind: type[Exception], func, *args, **kwargs) -> str:
    with pytest.raises(kind) as caught:
        func(*args, **kwargs)
    return str(caught.value)


# ---- Arguments ----


def test_batches_of_different_sizes_are_named():
    assert refused(ValueError, vmap(add, in_dims=(0, 1)), counted(3, 2), counted(2, 4)) == (
        "vmap: Expected all tensors to have the same size in the mapped dimension, but x has 3 in "
        "dimension 0, y has 4 in dimension 1"
    )


def test_a_tensor_inside_of_a_tree_is_named_by_its_place():
    def f(x, weights):
        return x

    assert refused(ValueError, vmap(f), counted(3), {"w": [counted(2)]}) == (
        "vmap: Expected all tensors to have the same size in the mapped dimension, but x has 3 in "
        'dimension 0, weights["w"][0] has 2 in dimension 0'
    )


def test_an_argument_without_a_name_is_told_by_its_place():
    assert "args[0] has 3 in dimension 0, args[1] has 2" in refused(
        ValueError, vmap(max), counted(3), counted(2)
    )


@pytest.mark.parametrize("dim", [2, -3])
def test_a_dimension_that_an_argument_does_not_have(dim):
    assert refused(ValueError, vmap(add, in_dims=(0, dim)), counted(3), counted(3, 2)) == (
        f"vmap: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality 2: y "
        "(float32[3, 2])"
    )


def test_no_argument_has_a_batch():
    message = (
        "vmap: Expected at least one Tensor to vmap over, but no argument has a batch\n"
        "  Pass at least one tensor whose in_dims is not None."
    )

    assert refused(ValueError, vmap(add, in_dims=None), counted(3), counted(3)) == message
    assert refused(ValueError, vmap(lambda: 1)) == (
        "vmap: got no inputs, so there is nothing to map over"
    )


def test_an_argument_that_is_no_tensor_needs_none_as_its_in_dim():
    assert refused(ValueError, vmap(add), counted(3), 2.0) == (
        "vmap: Got in_dim=0 for an input but the input is of type float, not a tensor: y\n"
        "  Give None as its in_dims."
    )


@pytest.mark.parametrize(
    ("in_dims", "problem"),
    [
        ((0,), "in_dims has 1 element, but there are 2"),
        ((0, (0,)), "in_dims[1] is a tuple, but there is a dict; give an int or None, or the same"),
        ((0, {"v": 0}), "in_dims[1] has no key 'w'"),
        ((0, {"w": [0], "v": 0}), "in_dims[1] has 2 elements, but there are 1"),
        ((0, {"w": [0, (0,)]}), "in_dims[1]['w'] has 2 elements, but there are 1"),
        ((0, {"w": [[0]]}), "in_dims[1]['w'][0] is a list, but there is one value; give an int or"),
    ],
)
def test_in_dims_of_another_structure(in_dims, problem):
    message = refused(ValueError, vmap(add, in_dims=in_dims), counted(3), {"w": [counted(3)]})

    assert message.startswith(
        "vmap: in_dims is not compatible with the structure of `inputs`: " + problem
    )


def test_in_dims_that_are_no_tuple():
    assert refused(ValueError, vmap, add, in_dims=[0, 0]) == (
        "vmap: expected `in_dims` to be int or a (potentially nested) tuple with an int, None or a "
        "tree of these for each argument, got list"
    )


@pytest.mark.parametrize(
    ("name", "dims", "place"), [("in_dims", ("0",), "[0]"), ("out_dims", "0", "")]
)
def test_dims_that_are_neither_numbers_nor_containers(name, dims, place):
    mapped = vmap(lambda x: x, **{name: dims})

    assert refused(ValueError, mapped, counted(3)) == (
        f"vmap: {name} must be an int, None or a python collection of ints, but {name}{place} is a "
        "str"
    )


# ---- Options ----


def test_an_unknown_kind_of_randomness():
    assert refused(ValueError, vmap, add, randomness="random") == (
        "vmap: Only allowed values for randomness are 'error', 'different', or 'same', got 'random'"
    )


def test_chunks_of_no_samples():
    assert refused(ValueError, vmap, add, chunk_size=0) == (
        "vmap: chunk_size should be None or greater than 0, got 0"
    )


# ---- Outputs ----


def test_an_output_that_is_no_tensor_is_named():
    assert refused(ValueError, vmap(lambda x: {"n": (x, 3)}), counted(3)) == (
        "vmap: the mapped function must only return Tensors, got type <class 'int'> for "
        'output["n"][1]\n  Give None as its out_dims to return it as it is.'
    )


def test_out_dims_of_another_structure():
    message = refused(ValueError, vmap(lambda x: (x, x), out_dims=(0, 0, 0)), counted(3))

    assert message == (
        "vmap: out_dims is not compatible with the structure of `outputs`: out_dims has 3 "
        "elements, but there are 2"
    )


def test_an_out_dim_that_the_output_does_not_have():
    assert refused(IndexError, vmap(lambda x: x, out_dims=2), counted(3, 2)) == (
        "vmap: Dimension out of range: out_dims has 2 for an output that has 2 dimensions with the "
        "batch (float32[2])"
    )


def test_none_as_the_out_dim_of_an_output_with_a_batch():
    assert refused(ValueError, vmap(lambda x: x, out_dims=None), counted(3, 2)) == (
        "vmap: out_dims has None for an output that depends on the sample (float32[2]): a "
        "function can not return a BatchedTensor when out_dim is None\n  Give it the dimension of "
        "the batch."
    )


# ---- Inside ----


def test_a_sample_that_leaked_out_of_vmap():
    leaked = []
    vmap(lambda x: leaked.append(x) or x)(counted(3, 2))

    assert refused(RuntimeError, ow.sin, leaked[0]) == (
        "a tensor made inside vmap was used after it ended (float32[2], argument 'self' of "
        "aten::sin)\n  Return it from the mapped function instead of storing it."
    )


def test_a_sample_that_leaked_into_a_later_vmap():
    leaked = []
    vmap(lambda x: leaked.append(x) or x)(counted(3, 2))

    assert "a tensor made inside vmap was used after it ended" in refused(
        RuntimeError, vmap(lambda x: x + leaked[0]), counted(3, 2)
    )


def test_a_captured_tensor_cannot_be_written_with_values_of_samples():
    total = ow.zeros(2)

    assert refused(RuntimeError, vmap(lambda x: total.add_(x)), counted(3, 2)) == (
        "vmap: aten::add_(self, *extra_args) is not possible inplace: 'self' is written with "
        "values that differ between the samples of vmap, but it is one tensor for all of them "
        "(float32[2])\n"
        "  Make one for each sample inside of the mapped function (x.new_zeros(...), x.clone() of "
        "a sample x), or pass an expanded one as an argument."
    )
    assert total.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (lambda x: x.item(), "item"),
        (lambda x: bool(x > 0), "item"),
        (lambda x: float(x), "item"),
        (lambda x: x.tolist(), "tolist"),
        (lambda x: x.numpy(), "numpy"),
        (lambda x: x.data_ptr(), "data_ptr"),
        (lambda x: ow.equal(x, x), "equal"),
    ],
)
def test_the_data_of_a_sample_cannot_be_read(read, name):
    message = refused(RuntimeError, vmap(read), counted(3))

    assert message.startswith(
        f"vmap: cannot call {name}() on a Tensor that represents all samples of the batch at once ("
    )
    assert "opwright.where instead of an if: vmap has no data-dependent control flow" in message


def test_the_data_of_a_captured_tensor_can_be_read_inside_vmap():
    y = ow.tensor(3.0)

    assert vmap(lambda x: x * y.item())(counted(3)).tolist() == [0, 3, 6]


@pytest.mark.parametrize(
    ("size", "stride", "offset"),
    [((5,), (1,), None), ((2,), (4,), None), ((2, 2), (2, 2), None), ((1,), (1,), 4)],
)
def test_as_strided_must_stay_in_the_memory_of_its_sample(size, stride, offset):
    message = refused(
        RuntimeError, vmap(lambda x: x.as_strided(size, stride, offset)), counted(3, 4)
    )

    assert message == (
        "as_strided: inside vmap, the view can access memory outside of its sample\n"
        "  Use other views (select, slice, unfold, transpose) instead of as_strided.\n"
        "  in the rule for Vmap of aten::as_strided"
    )


def test_as_strided_within_a_sample_is_mapped():
    windows = vmap(lambda x: x.as_strided((3, 2), (1, 1)))(counted(2, 4))

    assert windows.tolist() == [[[0, 1], [1, 2], [2, 3]], [[4, 5], [5, 6], [6, 7]]]
