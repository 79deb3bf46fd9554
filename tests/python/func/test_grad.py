"""grad, value_and_grad and vjp: values, trees, and what they refuse."""

import opwright as ow
import pytest
from opwright.func import grad, value_and_grad, vjp

from .programs import assert_same


def test_the_gradient_of_a_scalar_function():
    x = ow.tensor([1.0, 2.0])

    assert_same(grad(lambda x: (x * x * x).sum())(x), 3 * x * x)


def test_gradients_nest():
    x = ow.tensor(2.0)

    assert_same(grad(grad(grad(lambda x: x * x * x * x)))(x), 24 * x)


def test_an_inner_gradient_may_use_a_variable_of_the_outer_one():
    x = ow.tensor(3.0)

    # d/dx (x * d/dy (x * y)) = d/dx (x * x)
    found = grad(lambda x: x * grad(lambda y: x * y)(ow.tensor(1.0)))(x)

    assert_same(found, 2 * x)


def test_argnums_may_be_a_tuple_and_count_from_the_end():
    x, y = ow.tensor([1.0, 2.0]), ow.tensor([3.0, 4.0])

    by_x, by_y = grad(lambda x, y: (x * x * y).sum(), argnums=(0, -1))(x, y)

    assert_same(by_x, 2 * x * y)
    assert_same(by_y, x * x)


def test_an_argument_may_be_a_tree():
    weights = {"scale": ow.tensor(2.0), "shifts": [ow.tensor([1.0, 2.0])]}

    found = grad(lambda w, x: (w["scale"] * x + w["shifts"][0]).sum())(weights, ow.ones(2))

    assert_same(found["scale"], ow.tensor(2.0))
    assert_same(found["shifts"][0], ow.ones(2))


def test_aux_is_passed_along_as_the_caller_can_use_it():
    x = ow.tensor([1.0, 2.0])

    gradient, aux = grad(lambda x: ((x * x).sum(), {"twice": x * 2, "name": "f"}), has_aux=True)(x)

    assert_same(gradient, 2 * x)
    assert_same(aux["twice"] + 1, 2 * x + 1)
    assert aux["name"] == "f"


def test_value_and_grad_gives_the_gradient_first():
    x = ow.tensor([1.0, 2.0])

    gradient, (value, aux) = value_and_grad(lambda x: ((x * x).sum(), x), has_aux=True)(x)

    assert_same(gradient, 2 * x)
    assert_same(value, ow.tensor(5.0))
    assert_same(aux, x)


def test_keyword_arguments_are_passed_on():
    x = ow.tensor([1.0, 2.0])

    assert_same(grad(lambda x, *, power: (x**power).sum())(x, power=3), 3 * x * x)


def test_an_input_without_a_part_has_a_gradient_of_zeros():
    x = ow.tensor([1.0, 2.0])

    assert_same(grad(lambda x: ow.ones(()))(x), ow.zeros(2))


def test_no_grad_outside_does_not_stop_it_and_inside_does():
    x = ow.tensor(3.0)

    def f(x):
        with ow.no_grad():
            constant = x * x
        return constant * x

    with ow.no_grad():
        assert_same(grad(lambda x: x * x * x)(x), 3 * x * x)
    assert_same(grad(f)(x), x * x)


def test_inference_mode_outside_does_not_stop_it():
    with ow.inference_mode():
        assert_same(grad(lambda x: x * x)(ow.tensor(3.0)), ow.tensor(6.0))


def test_a_tensor_made_inside_may_be_written():
    x = ow.tensor([1.0, 2.0])

    def f(x):
        parts = ow.zeros(2)
        parts[0] = x[1] * x[1]
        parts[1] = x[0] * 3
        return (parts * parts).sum()

    assert_same(grad(f)(x), ow.tensor([18.0, 4 * 8.0]))


def test_a_write_to_a_view_inside_counts():
    x = ow.tensor([1.0, 2.0])

    def f(x):
        y = x * 1
        y[0].mul_(x[1])
        return (y * y).sum()

    assert_same(grad(f)(x), ow.tensor([8.0, 8.0]))


def test_the_result_can_be_differentiated_by_a_tensor_from_outside():
    w = ow.tensor(2.0).requires_grad_()

    grad(lambda x: w * x * x)(ow.tensor(3.0)).backward()

    assert_same(w.grad, ow.tensor(6.0))


def test_a_pull_back_may_be_called_twice_and_inside_of_vmap():
    x = ow.tensor([1.0, 2.0])
    _, pull = vjp(lambda x: x * x, x)

    first = pull(ow.ones(2))[0]
    rows = ow.vmap(lambda row: pull(row)[0])(ow.eye(2))

    assert_same(first, 2 * x)
    assert_same(rows, ow.tensor([[2.0, 0.0], [0.0, 4.0]]))


def test_vjp_takes_and_gives_trees():
    x, y = ow.tensor(2.0), ow.tensor(3.0)

    output, pull, aux = vjp(lambda x, y: ({"p": x * y, "q": x}, "aux"), x, y, has_aux=True)
    by_x, by_y = pull({"p": ow.tensor(1.0), "q": ow.tensor(10.0)})

    assert_same(output["p"], ow.tensor(6.0))
    assert aux == "aux"
    assert_same(by_x, ow.tensor(13.0))
    assert_same(by_y, ow.tensor(2.0))


# ---- Refusals ----


def test_an_output_that_is_no_scalar_is_refused():
    with pytest.raises(
        RuntimeError, match=r"grad: the function must return a scalar.*float32\[2\]"
    ):
        grad(lambda x: x * x)(ow.ones(2))


def test_an_output_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match=r"expected f\(\*primals\) to return only tensors.*float"):
        grad(lambda x: 1.0)(ow.ones(2))


def test_several_outputs_are_refused():
    with pytest.raises(TypeError, match=r"Expected f\(\*args\) to return a Tensor, got tuple"):
        grad(lambda x: (x.sum(), x))(ow.ones(2))


def test_a_complex_output_is_refused():
    with pytest.raises(RuntimeError, match="grad: the function must return a real number"):
        grad(lambda x: x * x)(ow.tensor(1j))


def test_an_input_of_integers_is_refused():
    with pytest.raises(TypeError, match=r"grad: input 0 \(int64\[2\]\) cannot be differentiated"):
        grad(lambda x: x.sum())(ow.tensor([1, 2]))


def test_an_input_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="to only contain Tensors, but leaf 0 is of class float"):
        grad(lambda x: x)(1.0)


def test_argnums_out_of_range_are_refused():
    with pytest.raises(IndexError, match="argnums has 1, but only 1 positional inputs were given"):
        grad(lambda x: x.sum(), argnums=1)(ow.ones(2))


def test_argnums_of_another_class_are_refused():
    with pytest.raises(TypeError, match=r"argnums must be int or Tuple\[int, ...\].*, got \[0\]"):
        grad(lambda x: x.sum(), argnums=[0])(ow.ones(2))


def test_an_argument_named_twice_is_refused():
    with pytest.raises(
        ValueError, match="argnums elements must be unique, but two name argument 0"
    ):
        grad(lambda x: x.sum(), argnums=(0, -1))(ow.ones(2))


def test_has_aux_asks_for_a_pair():
    with pytest.raises(TypeError, match=r"output of function f should be a tuple: \(output, aux\)"):
        grad(lambda x: x.sum(), has_aux=True)(ow.ones(2))


def test_a_tensor_that_leaked_is_named():
    leaked = []
    grad(lambda x: leaked.append(x * 2) or x.sum())(ow.ones(2))

    with pytest.raises(RuntimeError, match="a tensor made inside grad was used after it ended"):
        leaked[0] + 1


def test_a_tensor_from_outside_cannot_take_a_value_from_inside():
    outside = ow.zeros(2)

    with pytest.raises(RuntimeError, match="'self' is a tensor from outside of grad"):
        grad(lambda x: outside.add_(x).sum())(ow.ones(2))


def test_a_detached_value_cannot_be_written_outside_either():
    outside = ow.zeros(2)

    with pytest.raises(RuntimeError, match="'self' is a tensor from outside of grad"):
        grad(lambda x: (outside.add_(x.detach()), x.sum())[1])(ow.ones(2))


def test_the_input_itself_cannot_be_written():
    with pytest.raises(
        RuntimeError, match="leaf that requires grad and cannot be modified in place"
    ):
        grad(lambda x: x.mul_(2).sum())(ow.ones(2))


def test_cotangents_of_another_structure_are_refused():
    _, pull = vjp(lambda x: (x, x), ow.ones(2))

    with pytest.raises(
        ValueError, match="Expected pytree structure of cotangents to be the same as"
    ):
        pull([ow.ones(2)])


def test_cotangents_of_other_sizes_are_refused():
    _, pull = vjp(lambda x: x, ow.ones(2))

    with pytest.raises(
        RuntimeError, match=r"vjp: cotangent 0 has sizes \[3\], but output 0 has \[2\]"
    ):
        pull(ow.ones(3))
