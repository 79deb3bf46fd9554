"""Forward mode: rules, formulas, views, writes, and what it rejects."""

import opwright as ow
import pytest
from opwright import Tensor, library
from opwright.func import grad, hessian, jacfwd, jacrev, jvp, linearize

from .programs import assert_same

PROGRAMS = {
    "products": lambda x: x * x.sin() + 2,
    "broadcast": lambda x: x * x.sum() - x[0],
    "reduction": lambda x: (x * x).mean(),
    "matrix product": lambda x: ow.outer(x, x) @ x,
    "views": lambda x: (x.reshape(1, 3).t() * x).flatten(),
    "softmax": lambda x: x.softmax(0),
    "concatenation": lambda x: ow.cat([x, x * x]),
    "choice": lambda x: ow.where(x > 1, x * x, -x),
    "cumulative sum": lambda x: x.cumsum(0) * x,
    "index": lambda x: x[ow.tensor([0, 0, 2])] * x,
    "norm": lambda x: ow.linalg.vector_norm(x) if hasattr(ow, "linalg") else (x * x).sum().sqrt(),
    "exponential": lambda x: (x.exp() + 1).log(),
}


def write_to_a_view(x):
    y = x * 1
    y[0].mul_(x[1])
    y[1:].add_(x[0])
    return y * y


def fill_a_new_tensor(x):
    parts = ow.zeros(3, dtype=x.dtype)
    middle = parts[1:2]
    parts[1] = x[0] * x[1]
    parts[2] = x[2]
    return parts * x + middle


def write_in_place(x):
    y = x.sin()
    y.mul_(x)
    y.sub_(y.sum())
    return y


WRITES = {
    "to a view": write_to_a_view,
    "to a new tensor": fill_a_new_tensor,
    "in place": write_in_place,
}


def central_difference(f, x, v, eps=1e-6):
    return (f(x + eps * v) - f(x - eps * v)) / (2 * eps)


@pytest.mark.parametrize("name", [*PROGRAMS, *WRITES])
def test_the_tangent_is_the_slope_along_the_direction(name):
    f = {**PROGRAMS, **WRITES}[name]
    x = ow.tensor([0.5, 1.5, 2.5], dtype=ow.float64)
    v = ow.tensor([1.0, -2.0, 0.5], dtype=ow.float64)

    value, tangent = jvp(f, (x,), (v,))

    assert_same(value, f(x))
    assert_same(tangent, central_difference(f, x, v), 1e-6)


@pytest.mark.parametrize("name", [*PROGRAMS, *WRITES])
def test_both_modes_give_one_jacobian(name):
    f = {**PROGRAMS, **WRITES}[name]
    x = ow.tensor([0.5, 1.5, 2.5], dtype=ow.float64)

    assert_same(jacfwd(f)(x), jacrev(f)(x), 1e-9)


def test_tangents_of_several_inputs_add_up():
    x, y = ow.tensor(2.0), ow.tensor(3.0)

    _, tangent = jvp(lambda x, y: x * y, (x, y), (ow.tensor(1.0), ow.tensor(10.0)))

    assert_same(tangent, ow.tensor(3.0 + 20.0))


def test_trees_go_in_and_come_out():
    primals = ({"a": ow.tensor(2.0)},)
    tangents = ({"a": ow.tensor(1.0)},)

    value, tangent, aux = jvp(lambda d: ([d["a"] * d["a"]], "aux"), primals, tangents, has_aux=True)

    assert_same(value[0], ow.tensor(4.0))
    assert_same(tangent[0], ow.tensor(4.0))
    assert aux == "aux"


def test_a_complex_function():
    z, v = ow.tensor(1.0 + 2.0j), ow.tensor(0.5 - 1.0j)

    _, tangent = jvp(lambda z: z * z, (z,), (v,))
    _, of_size = jvp(lambda z: z.abs(), (z,), (v,))

    assert_same(tangent, 2 * z * v)
    assert_same(of_size, ow.tensor(-1.5 / 5**0.5))  # the real part of conj(z) * v, over abs(z)


def test_no_grad_does_not_stop_it():
    def f(x):
        with ow.no_grad():
            return x * x

    assert_same(jvp(f, (ow.tensor(3.0),), (ow.tensor(1.0),))[1], ow.tensor(6.0))


def test_detach_does():
    found = jvp(lambda x: x.detach() * x, (ow.tensor(3.0),), (ow.tensor(1.0),))[1]

    assert_same(found, ow.tensor(3.0))


def test_the_given_tangent_is_not_written():
    x, v = ow.ones(2), ow.ones(2)

    jvp(lambda x: x.mul_(3), (x,), (v,))

    assert_same(v, ow.ones(2))
    assert_same(x, 3 * ow.ones(2))


def test_forward_over_reverse_and_reverse_over_forward():
    x, v = ow.tensor([1.0, 2.0]), ow.tensor([1.0, 1.0])

    def f(x):
        return (x * x * x).sum()

    assert_same(jvp(grad(f), (x,), (v,))[1], 6 * x * v)
    assert_same(grad(lambda x: jvp(f, (x,), (v,))[1])(x), 6 * x * v)


def test_forward_mode_nests_with_itself():
    def slope(f):
        return lambda x: jvp(f, (x,), (ow.ones_like(x),))[1]

    x = ow.tensor(2.0)

    assert_same(slope(slope(lambda x: x * x * x))(x), 6 * x)


def test_backward_inside_is_differentiated_forward():
    def f(x):
        y = x.detach() * 1
        y.requires_grad_()
        (g,) = ow.autograd.grad((y * y * x).sum(), y)
        return g

    x = ow.tensor([1.0, 2.0])

    assert_same(jvp(f, (x,), (ow.ones(2),))[1], 2 * x)


def test_linearize_runs_the_function_once():
    calls = []

    def f(x):
        calls.append(1)
        return x * x

    x = ow.tensor([1.0, 2.0])
    value, push = linearize(f, x)

    assert_same(value, x * x)
    assert_same(push(ow.ones(2)), 2 * x)
    assert_same(push(x), 2 * x * x)
    assert len(calls) == 1


# ---- Operators of authors ----


def make_operator(name: str) -> ow.Operator:
    @library.custom_op(f"trial_jvp::{name}", mutates_args=())
    def cube(x: Tensor, scale: float) -> Tensor:
        return scale * x * x * x

    return cube


def test_an_operator_s_own_rule_is_used():
    cube = make_operator("with_rule")
    cube.register_jvp(lambda x, scale, tangent: scale * 3 * x * x * tangent + 100)

    found = jvp(lambda x: cube(x, 2.0), (ow.tensor(1.0),), (ow.tensor(1.0),))[1]

    assert_same(found, ow.tensor(106.0))


def test_an_operator_without_a_rule_uses_its_formula():
    cube = make_operator("with_formula")
    cube.register_autograd(
        lambda ctx, g: (g * ctx.scale * 3 * ctx.saved_tensors[0] ** 2, None),
        setup_context=lambda ctx, inputs, output: (
            ctx.save_for_backward(inputs[0]),
            setattr(ctx, "scale", inputs[1]),
        ),
    )
    x = ow.tensor([1.0, 2.0])

    assert_same(jvp(lambda x: cube(x, 2.0), (x,), (ow.ones(2),))[1], 6 * x * x)


def test_an_operator_with_neither_is_an_error_that_names_it():
    cube = make_operator("bare")

    with pytest.raises(NotImplementedError, match="trial_jvp::bare has neither a rule for forward"):
        jvp(lambda x: cube(x, 2.0), (ow.tensor(1.0),), (ow.tensor(1.0),))


def test_a_tangent_of_wrong_sizes_from_a_rule_is_refused():
    cube = make_operator("wrong_sizes")
    cube.register_jvp(lambda x, scale, tangent: ow.ones(3))

    with pytest.raises(
        RuntimeError, match=r"returned a tangent of sizes \[3\] for a result of sizes \[2\]"
    ):
        jvp(lambda x: cube(x, 2.0), (ow.ones(2),), (ow.ones(2),))


def test_a_mutable_operator_goes_forward_by_its_formula():
    @library.custom_op("trial_jvp::double_", mutates_args={"x"})
    def double_(x: Tensor) -> None:
        x.mul_(2)

    double_.register_autograd(lambda ctx, g: 2 * g)
    x = ow.tensor([1.0, 2.0])

    def f(x):
        y = x * x
        double_(y[:1])
        return y

    assert_same(jvp(f, (x,), (ow.ones(2),))[1], ow.tensor([4.0, 4.0]))


# ---- Refusals ----


def test_a_tangent_that_is_not_like_its_primal_is_refused():
    with pytest.raises(
        ValueError, match=r"jvp: the tangent of primal 0 must be like it \(float32\[2\]\)"
    ):
        jvp(lambda x: x, (ow.ones(2),), (ow.ones(3),))


def test_an_input_of_integers_is_refused():
    with pytest.raises(TypeError, match="jvp: primal 0"):
        jvp(lambda x: x, (ow.tensor([1]),), (ow.tensor([1]),))


def test_primals_must_be_a_tuple():
    with pytest.raises(
        TypeError, match=r"jvp\(f, primals, tangents\): Expected primals to be a tuple"
    ):
        jvp(lambda x: x, ow.ones(2), ow.ones(2))


def test_tangents_of_another_structure_are_refused():
    with pytest.raises(ValueError, match="to have the same python structure"):
        jvp(lambda x: x, (ow.ones(2),), (ow.ones(2), ow.ones(2)))


def test_a_tensor_that_leaked_is_named():
    leaked = []
    jvp(lambda x: leaked.append(x * 2) or x, (ow.ones(2),), (ow.ones(2),))

    with pytest.raises(RuntimeError, match="a tensor made inside jvp was used after it ended"):
        leaked[0] + 1


def test_a_tensor_from_outside_cannot_take_a_value_from_inside():
    outside = ow.zeros(2)

    with pytest.raises(RuntimeError, match="'self' is a tensor from outside of jvp"):
        jvp(lambda x: outside.add_(x), (ow.ones(2),), (ow.ones(2),))


# ---- Jacobians ----


def test_jacobians_have_the_sizes_of_output_and_input():
    x, y = ow.ones(2, 3), ow.ones(3)

    def f(x, y):
        return {"a": x @ y, "b": y.sum()}

    for jacobian in (jacrev, jacfwd):
        found = jacobian(f, argnums=(0, 1))(x, y)
        assert [j.shape for j in found["a"]] == [(2, 2, 3), (2, 3)]
        assert [j.shape for j in found["b"]] == [(2, 3), (3,)]


def test_chunks_give_the_same():
    x = ow.tensor([1.0, 2.0, 3.0])

    for jacobian in (jacrev, jacfwd):
        whole = jacobian(PROGRAMS["products"])(x)
        assert_same(jacobian(PROGRAMS["products"], chunk_size=2)(x), whole)


def test_the_aux_of_a_jacobian_is_the_functions_own():
    x = ow.tensor([1.0, 2.0])

    for jacobian in (jacrev, jacfwd):
        found, aux = jacobian(lambda x: (x * x, x + 1), has_aux=True)(x)
        assert_same(found, ow.tensor([[2.0, 0.0], [0.0, 4.0]]))
        assert_same(aux, x + 1)


def test_a_hessian():
    x = ow.tensor([1.0, 2.0])

    found = hessian(lambda x: x[0] ** 2 * x[1])(x)

    assert_same(found, ow.tensor([[4.0, 2.0], [2.0, 0.0]]))


def test_complex_jacobians_are_refused():
    with pytest.raises(
        RuntimeError, match=r"jacrev: Expected all inputs to be real .*complex64\[1\]"
    ):
        jacrev(lambda z: z * z)(ow.tensor([1j]))
