"""Operators of binaries and of Python under jax.jit: values, attributes, results, dtypes."""
# Covers: bridges/jax/*, bridges/operators/*.

import threading

import jax
import jax.numpy as jnp
import numpy as np
import opwright
import opwright.jax
import pytest

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_an_operator_with_an_attribute_runs_under_jit(load):
    audio = load("soft_clip").audio

    result = jax.jit(lambda x: audio.soft_clip(x, 2.0))(X)

    np.testing.assert_allclose(result, 2 * np.tanh(X / 2), rtol=1e-6)


def test_a_default_is_filled_in_and_a_keyword_taken(load):
    audio = load("soft_clip").audio

    np.testing.assert_allclose(audio.soft_clip(X), np.tanh(X), rtol=1e-6)
    np.testing.assert_allclose(audio.soft_clip(X, limit=3), 3 * np.tanh(X / 3), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_an_operator_takes_each_dtype_that_its_kernel_has(load, dtype):
    audio = load("soft_clip").audio
    x = jnp.asarray(X, dtype)

    result = jax.jit(audio.soft_clip)(x)

    assert result.dtype == x.dtype
    np.testing.assert_allclose(
        np.asarray(result, np.float32), np.tanh(X), rtol=2e-2 if dtype == "bfloat16" else 2e-3
    )


def test_double_precision_runs_where_jax_has_it(load):
    audio = load("soft_clip").audio

    with jax.enable_x64(True):
        result = jax.jit(audio.soft_clip)(X.astype(np.float64))

    np.testing.assert_allclose(result, np.tanh(X.astype(np.float64)), rtol=1e-12)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (), (1, 1, 1)])
def test_empty_tensors_and_single_numbers_run(load, shape):
    audio = load("soft_clip").audio

    result = jax.jit(audio.soft_clip)(jnp.ones(shape, "float32"))

    np.testing.assert_allclose(result, np.tanh(np.ones(shape)), rtol=1e-6)


def test_a_composite_body_gives_two_results(load):
    cst = load("dual_residual").cst

    first, second = jax.jit(lambda x, y: cst.dual_residual(x, y, 0.5))(X, X + 1)

    np.testing.assert_allclose(first, X * 0.5 - (X + 1))
    np.testing.assert_allclose(second, (X + 1) * 0.5 - X)


def test_a_kernel_made_of_operators_gives_two_results(load):
    sound = load("sound").sound

    sine, cosine = jax.jit(sound.sine_and_cosine)(X)

    np.testing.assert_allclose(sine, np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(cosine, np.cos(X), rtol=1e-6)


def test_a_kernel_that_divides_its_loop_among_threads_runs(load):
    sound = load("sound").sound
    x = np.arange(100_000, dtype=np.float32)

    np.testing.assert_array_equal(jax.jit(sound.parallel_double)(x), 2 * x)


def test_results_of_another_shape_come_from_the_fake_kernel(load):
    sound = load("sound").sound

    np.testing.assert_allclose(jax.jit(sound.row_sums)(X), X.sum(axis=1))
    np.testing.assert_allclose(jax.jit(sound.block_sum)(X), X.sum())


def test_operators_stand_between_operations_of_jax(load):
    audio = load("soft_clip").audio

    result = jax.jit(lambda x: audio.soft_clip(jnp.sin(x) * 3).sum() + 1)(X)

    np.testing.assert_allclose(result, np.tanh(np.sin(X) * 3).sum() + 1, rtol=1e-5)


def test_every_kind_of_argument_arrives(load):
    gather = load("foreign_memory").foreign.gather

    @jax.jit
    def call(x, a, b, bias):
        return gather(
            x, [a, b], bias, [1, 2], [0.5], [True, True, False], 10, True, "abc", scale=2, start=100
        )

    result = call(X, X, X, np.float32(1))

    np.testing.assert_allclose(result, -2 * (3 * X + 1 + 3 + 0.5 + 0.25 + 10 + 3 + 100))


def test_nothing_given_is_none_and_not_the_default(load):
    gather = load("foreign_memory").foreign.gather

    without = jax.jit(lambda x: gather(x, [], None, [], [], [], start=None))(X)
    with_default = jax.jit(lambda x: gather(x, [], None, [], [], []))(X)

    np.testing.assert_allclose(without, X)
    np.testing.assert_allclose(with_default, X + 7)


@pytest.mark.parametrize("dtype", [opwright.float16, "float16", jnp.float16, np.dtype("float16")])
def test_a_dtype_may_be_of_any_library(load, dtype):
    gather = load("foreign_memory").foreign.gather

    result = gather(X, [], None, [], [], [], dtype=dtype, start=None)

    assert result.dtype == jnp.float16


def test_a_list_with_gaps_arrives(load):
    add_defined = load("foreign_memory").foreign.add_defined

    result = jax.jit(lambda x, y: add_defined([None, x, None, y]))(X, X)

    np.testing.assert_allclose(result, 2 * X)


def test_a_list_of_results_comes_back_as_a_list(load):
    rows = load("foreign_memory").foreign.rows

    first, second = jax.jit(rows)(X)

    np.testing.assert_allclose(first, X[0])
    np.testing.assert_allclose(second, X[1])


def test_a_result_with_strides_becomes_dense(load):
    transposed = load("foreign_memory").foreign.transposed

    np.testing.assert_allclose(jax.jit(transposed)(X), X.T)


def test_an_operator_of_python_runs_under_jit():
    @opwright.library.custom_op("jax_calls::mix", mutates_args=())
    def mix(x: opwright.Tensor, y: opwright.Tensor, weight: float) -> opwright.Tensor:
        return x * weight + y * (1 - weight)

    mix.register_fake(lambda x, y, weight: opwright.empty_like(x))
    jax_mix = opwright.jax.register(mix)

    np.testing.assert_allclose(jax.jit(lambda x: jax_mix(x, x + 1, 0.25))(X), X + 0.75, rtol=1e-6)
    assert opwright.jax.ops.jax_calls.mix is jax_mix


def test_a_built_in_operator_runs_under_jit():
    cumsum = opwright.jax.register("aten::cumsum")

    np.testing.assert_allclose(jax.jit(lambda x: cumsum(x, 1))(X), X.cumsum(axis=1))


def test_one_binary_serves_opwright_and_jax_at_once(load):
    audio = load("soft_clip").audio
    jitted = jax.jit(audio.soft_clip)
    jitted(X)
    wrong = []

    def use_jax():
        for i in range(50):
            if not np.allclose(jitted(X + i), np.tanh(X + i)):
                wrong.append(("jax", i))

    def use_opwright():
        for i in range(50):
            result = opwright.ops.audio.soft_clip(opwright.from_numpy(X + i))
            if not np.allclose(np.asarray(result), np.tanh(X + i)):
                wrong.append(("opwright", i))

    threads = [threading.Thread(target=each) for each in (use_jax, use_opwright) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []


@pytest.mark.parametrize("scope", [opwright.FakeTensorMode, opwright.inference_mode])
def test_a_mode_of_opwright_does_not_reach_a_program_of_jax(load, scope):
    sine_and_cosine = jax.jit(load("sound").sound.sine_and_cosine)
    sine_and_cosine(X)

    with scope():
        sine, _ = sine_and_cosine(X)

    np.testing.assert_allclose(sine, np.sin(X), rtol=1e-6)


def test_a_trace_of_opwright_does_not_reach_a_program_of_jax(load):
    sine_and_cosine = jax.jit(load("sound").sound.sine_and_cosine)
    sine_and_cosine(X)

    graph = opwright.make_fx(lambda x: x * float(sine_and_cosine(X)[1][0, 0]))(opwright.ones(2))

    np.testing.assert_allclose(np.asarray(graph(opwright.ones(2))), [1, 1])
