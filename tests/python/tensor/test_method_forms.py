"""Methods of Tensor that are made by hand: where, lu, dim_order, apply_, as_subclass, ..."""

# Covers: python/bindings/operator/method_forms, python/bindings/tensor/tensor_elements,
# python/bindings/tensor/tensor_kind.

import opwright as ow
import pytest
import torch


class Named(ow.Tensor):
    pass


def test_where_selects_between_the_tensor_and_another_one():
    def run(lib):
        x = lib.tensor([1.0, -2.0, 3.0])
        other = lib.tensor([10.0, 20.0, 30.0])
        return [x.where(x > 0, other).tolist(), x.where(condition=x > 0, other=0.5).tolist()]

    assert run(ow) == run(torch)


def test_methods_of_matrices_are_those_of_the_operators():
    def run(lib):
        x = lib.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=lib.float64)
        vectors, scales = lib.geqrf(x)
        return [
            x.matrix_exp(),
            vectors.orgqr(scales),
            vectors.ormqr(scales, x, left=False),
            *x.lu(),
            x.polygamma(1),
        ]

    for ours, theirs in zip(run(ow), run(torch), strict=True):
        torch.testing.assert_close(torch.from_dlpack(ours.contiguous()), theirs.contiguous())


def test_lu_raises_or_returns_which_matrices_are_singular():
    with pytest.raises(ow.linalg.LinAlgError, match="is zero"):
        ow.zeros(2, 2).lu()

    assert ow.zeros(2, 2).lu(get_infos=True)[2].item() == 1


@pytest.mark.parametrize("value", [0, 1, 0.5, -0.0, True, 2j])
def test_is_nonzero_is_the_truth_of_one_element(value):
    assert ow.tensor([value]).is_nonzero() == torch.tensor([value]).is_nonzero()


def test_is_nonzero_needs_one_element():
    with pytest.raises(RuntimeError):
        ow.zeros(2).is_nonzero()


@pytest.mark.parametrize("name", ["bool", "uint8", "int32", "float16", "complex64"])
def test_is_signed_is_a_fact_of_the_dtype(name):
    ours, theirs = (lib.zeros(1, dtype=getattr(lib, name)) for lib in (ow, torch))

    assert ours.is_signed() == theirs.is_signed()


ORDERS = {
    "dense": lambda lib: lib.zeros(2, 3, 4),
    "transposed": lambda lib: lib.zeros(2, 3, 4).transpose(0, 2),
    "channels_last": lambda lib: lib.zeros(2, 3, 4, 5).to(memory_format=lib.channels_last),
    "number": lambda lib: lib.zeros(()),
}


@pytest.mark.parametrize("name", ORDERS)
def test_dim_order_is_that_of_torch(name):
    assert ORDERS[name](ow).dim_order() == ORDERS[name](torch).dim_order()


def test_dim_order_refuses_an_ambiguous_order_if_asked():
    ambiguous = ow.zeros(2, 1, 3, 4)

    assert ow.zeros(2, 3).dim_order(ambiguity_check=True) == (0, 1)
    with pytest.raises(RuntimeError, match="several orders of the dimensions describe"):
        ambiguous.dim_order(ambiguity_check=True)
    with pytest.raises(RuntimeError, match="several orders of the dimensions describe"):
        ambiguous.dim_order(ambiguity_check=[ow.contiguous_format, ow.channels_last])


def test_functions_are_applied_to_each_element():
    def run(lib):
        x = lib.tensor([[1, 2], [3, 4]]).t()
        y = lib.tensor([10, 20])
        return [
            x.clone().apply_(lambda a: a * a).tolist(),
            x.clone().map_(lib.tensor([[1, 2], [3, 4]]), lambda a, b: a - b).tolist(),
            x[0].clone().map2_(y, y, lambda a, b, c: a + b * c).tolist(),
        ]

    assert run(ow) == run(torch)


def test_functions_of_elements_refuse_gradients_and_what_is_no_function():
    with pytest.raises(RuntimeError, match=r"apply_: a Python function has no gradient.*detach"):
        ow.ones(2, requires_grad=True).apply_(abs)
    with pytest.raises(TypeError, match="apply_: expected a function, got int"):
        ow.ones(2).apply_(3)
    with pytest.raises(TypeError, match="map_: expected a Tensor, got list"):
        ow.ones(2).map_([1, 2], max)


def test_a_subclass_shares_memory_and_history():
    x = ow.ones(2, requires_grad=True)
    y = x * 2

    named = y.as_subclass(Named)
    named.sum().backward()

    assert type(named) is Named
    assert named.data_ptr() == y.data_ptr()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="expected a subclass of Tensor, got int"):
        y.as_subclass(int)
