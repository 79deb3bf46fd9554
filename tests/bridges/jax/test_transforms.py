"""Derivatives and vmap of operators called from jax."""

import jax
import jax.numpy as jnp
import numpy as np
import opwright
import opwright.jax
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4


def test_the_gradient_comes_from_the_formula_of_the_operator(load):
    audio = load("soft_clip").audio

    gradient = jax.jit(jax.grad(lambda x: (audio.soft_clip(x, 2.0) ** 2).sum()))(X)

    expected = jax.grad(lambda x: ((2 * jnp.tanh(x / 2)) ** 2).sum())(X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5)


def test_the_gradient_of_a_composite_goes_through_its_body(load):
    cst = load("dual_residual").cst

    def loss(x, y):
        first, second = cst.dual_residual(x, y, 0.5)
        return (first * second).sum()

    gradients = jax.jit(jax.grad(loss, argnums=(0, 1)))(X, X + 1)

    expected = jax.grad(lambda x, y: ((x * 0.5 - y) * (y * 0.5 - x)).sum(), argnums=(0, 1))(
        X, X + 1
    )
    for got, wanted in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_the_gradient_of_code_for_pytorch_comes_from_its_autograd_function(load):
    ops = load("compat_autograd_function").compat_function

    gradient = jax.jit(jax.grad(lambda x: ops.cube(x, 2.0).sum()))(X)
    of_composite = jax.grad(lambda x: ops.partly_recorded(x).sum())(X)

    np.testing.assert_allclose(gradient, 6 * X**2, rtol=1e-5)
    np.testing.assert_allclose(of_composite, np.ones_like(X))


def test_a_result_that_is_not_used_has_a_gradient_of_zero(load):
    sound = load("sound").sound

    gradient = jax.grad(lambda x: sound.sine_and_cosine(x)[1].sum())(X)

    np.testing.assert_allclose(gradient, -np.sin(X), rtol=1e-6)


def test_an_argument_of_ints_has_no_gradient():
    gather = opwright.jax.register("aten::index_select")
    index = np.array([1, 1], np.int32)

    gradient = jax.grad(lambda x: gather(x, 0, index).sum())(X)

    np.testing.assert_allclose(gradient, [[0, 0, 0], [2, 2, 2]])


def test_an_operator_without_a_formula_says_so(load):
    sound = load("sound").sound

    with pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.grad(lambda x: sound.parallel_double(x).sum())(X)

    assert "sound::parallel_double" in str(caught.value)
    assert "register_autograd" in str(caught.value)


def test_gradients_of_complex_arrays_are_refused():
    negative = opwright.jax.register("aten::neg")

    with pytest.raises(NotImplementedError, match="gradients of operators on complex arrays"):
        jax.grad(lambda x: negative(x).real.sum())(X.astype(np.complex64))


def test_vmap_gives_a_pointwise_operator_all_samples_at_once(load):
    audio = load("soft_clip").audio
    mapped = jax.jit(jax.vmap(audio.soft_clip))

    np.testing.assert_allclose(mapped(X), np.tanh(X), rtol=1e-6)
    assert "while" not in mapped.lower(X).as_text()


def test_vmap_calls_other_operators_for_each_sample(load):
    cst = load("dual_residual").cst

    first, _ = jax.vmap(lambda x, y: cst.dual_residual(x, y, 0.5), in_axes=(0, None))(X, X[0])

    np.testing.assert_allclose(first, X * 0.5 - X[0])


def test_vmap_of_grad_works(load):
    audio = load("soft_clip").audio

    gradient = jax.vmap(jax.grad(lambda x: audio.soft_clip(x).sum()))(X)

    np.testing.assert_allclose(gradient, 1 - np.tanh(X) ** 2, rtol=1e-5)


def test_an_operator_runs_inside_of_scan(load):
    audio = load("soft_clip").audio

    result, _ = jax.lax.scan(lambda c, _: (audio.soft_clip(c), None), X, None, length=3)

    np.testing.assert_allclose(result, np.tanh(np.tanh(np.tanh(X))), rtol=1e-6)
