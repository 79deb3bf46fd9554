"""Gradients at corners, ties and zeros equal torch's; one equals its closed form."""

import opwright as ow
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no gradient was compared")

TIES = [1.0, 3.0, 3.0, -2.0, 3.0]
ZEROS = [2.0, 0.0, 3.0, 0.0, -1.0]
CORNERS = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0]

CALLS = {
    "relu at zero": (lambda m, x: m.relu(x), CORNERS),
    "clamp at its bounds": (lambda m, x: m.clamp(x, -1.0, 1.0), CORNERS),
    "hardtanh at its bounds": (lambda m, x: m.ops.aten.hardtanh(x, -1.0, 1.0), CORNERS),
    "abs at zero": (lambda m, x: m.abs(x), CORNERS),
    "sqrt of zero": (lambda m, x: m.sqrt(m.abs(x)), [0.0, 4.0]),
    "the greatest of equal ones": (lambda m, x: m.max(x), TIES),
    "amax of equal ones": (lambda m, x: m.amax(x, [0]), TIES),
    "the greatest along a dimension": (lambda m, x: m.max(x, 0)[0], TIES),
    "the greater of equal ones": (lambda m, x: m.maximum(x, m.abs(x)), CORNERS),
    "a product with zeros": (lambda m, x: m.prod(x), ZEROS),
    "products up to each with zeros": (lambda m, x: m.cumprod(x, 0), ZEROS),
    "zero to the power of a number": (lambda m, x: m.pow(x, 2.0), ZEROS),
    "zero to the power zero": (lambda m, x: m.pow(x, 0), ZEROS),
    "a number to the power of zeros": (lambda m, x: m.pow(2.0, x), ZEROS),
    "the norm of zeros": (lambda m, x: m.ops.aten.linalg_vector_norm(x, 2.0), [0.0, 0.0]),
    "the deviation of equal ones": (lambda m, x: m.std(x), [2.0, 2.0]),
    "the greatest magnitude of equal ones": (
        lambda m, x: m.ops.aten.linalg_vector_norm(x, float("inf")),
        [3.0, -3.0, 1.0],
    ),
}


def gradients(module, function, values, order: int) -> list[float]:
    x = module.tensor(values, dtype=module.float64).requires_grad_(True)
    value = function(module, x).sum()
    for _ in range(order):
        (value,) = module.autograd.grad(value.sum(), [x], create_graph=True)
    return value.detach().tolist()


@pytest.mark.parametrize("name", CALLS)
def test_a_gradient_at_an_edge_is_torchs(name):
    function, values = CALLS[name]

    assert gradients(ow, function, values, 1) == pytest.approx(
        gradients(torch, function, values, 1), nan_ok=True
    )


@pytest.mark.parametrize("name", ["a product with zeros", "products up to each with zeros"])
def test_a_second_gradient_at_zeros_is_torchs(name):
    function, values = CALLS[name]

    assert gradients(ow, function, values, 2) == pytest.approx(
        gradients(torch, function, values, 2)
    )


def test_as_strided_of_an_empty_tensor_has_an_empty_gradient():
    x = ow.zeros(4)[::2][:0].requires_grad_(True)

    (of_x,) = ow.autograd.grad(x.as_strided([0], [2]).sum(), [x])

    assert of_x.shape == (0,)


def test_as_strided_scatter_parts_the_gradient_between_self_and_src():
    x = ow.zeros(6, dtype=ow.float64).requires_grad_(True)
    src = ow.ones(2, dtype=ow.float64).requires_grad_(True)
    weights = ow.arange(6, dtype=ow.float64)

    result = ow.ops.aten.as_strided_scatter(x, src, [2], [3], 1)
    of_x, of_src = ow.autograd.grad((result * weights).sum(), [x, src])

    assert of_x.tolist() == [0, 0, 2, 3, 0, 5]
    assert of_src.tolist() == [1, 4]


def test_what_as_strided_scatter_writes_between_the_elements_of_self_has_no_gradient():
    x = ow.zeros(3, 6, dtype=ow.float64)[:, ::3].requires_grad_(True)
    src = ow.ones(3, dtype=ow.float64).requires_grad_(True)

    result = ow.ops.aten.as_strided_scatter(x, src, [3], [1], 2)
    (of_src,) = ow.autograd.grad(result.sum(), [src])

    assert of_src.tolist() == [0, 1, 0]


def test_as_strided_scatter_of_an_expanded_and_of_an_empty_tensor_has_gradients():
    for x in (ow.ones(1).expand(2), ow.ones(4, 0)[::2]):
        x = x.requires_grad_(True)
        src = ow.zeros(x.numel() // 2).requires_grad_(True)

        result = ow.ops.aten.as_strided_scatter(x, src, [x.numel() // 2], [1], 0)
        of_x, of_src = ow.autograd.grad(result.sum(), [x, src])

        assert of_x.shape == x.shape
        assert of_x.sum().item() == x.numel() / 2
        assert of_src.tolist() == [1.0] * (x.numel() // 2)


def test_index_copy_has_gradients_for_an_index_of_int32():
    x = ow.zeros(3).requires_grad_(True)
    source = ow.ones(1).requires_grad_(True)

    result = x.index_copy(0, ow.tensor([1], dtype=ow.int32), source)
    of_x, of_source = ow.autograd.grad(result.sum(), [x, source])

    assert of_x.tolist() == [1, 0, 1]
    assert of_source.tolist() == [1]


def test_a_comparison_in_place_ends_the_history():
    x = ow.tensor([1.0, 2.0]).requires_grad_(True)
    y = (x * 2).gt_(3)

    (of_x,) = ow.autograd.grad(y.sum(), [x])

    assert of_x.tolist() == [0, 0]
